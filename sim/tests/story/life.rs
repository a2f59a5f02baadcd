//! One life of a store: messages of every kind, until the power goes or the process dies.

use std::sync::{Arc, mpsc};

use mqstore::{BatchBody, Message, MessageBatch, PutMessageResult, Store};
use mqstore_sim::{Rng, SimDisk};

use crate::model::{Model, Sent};

const TOPICS: [&str; 3] = ["TopicTest", "a", "another-topic-with-a-longer-name"];

fn body(rng: &mut Rng) -> Vec<u8> {
    // most are short, some span several sectors, some make the next file
    let len = [10, 100, 300, 900].get(rng.index(4)).copied().unwrap_or(10);
    let mut body = vec![0; rng.index(len)];
    rng.fill(&mut body);
    body
}

fn message(sent: &Sent) -> Message<'_> {
    Message::new(sent.topic, sent.queue, &sent.bodies[0])
}

/// Puts until the disk is off, the store refuses, or `most` puts are done.
pub(crate) fn live(
    store: &Store,
    disk: &Arc<SimDisk>,
    rng: &mut Rng,
    model: &mut Model,
    most: u64,
) -> mpsc::Receiver<(Sent, PutMessageResult)> {
    let (tell, told) = mpsc::channel();
    for _ in 0..most {
        let (topic, queue) = (TOPICS[rng.index(3)], i32::try_from(rng.below(2)).unwrap());
        let many = if rng.one_in(4) { 1 + rng.index(5) } else { 1 };
        let sent = Sent { topic, queue, bodies: (0..many).map(|_| body(rng)).collect() };
        model.sends(&sent);
        let batched = many > 1 && sent.bodies.iter().map(Vec::len).sum::<usize>() < 1500;
        if batched {
            let mut batch = BatchBody::new();
            sent.bodies.iter().for_each(|b| batch.push(0, b, "").unwrap());
            let head = Message::new(topic, queue, batch.as_bytes());
            model.answered(disk, &sent, &store.put_batch(&MessageBatch { head }));
        } else if rng.one_in(5) {
            let (one, tell) = (Sent { bodies: vec![sent.bodies[0].clone()], ..sent }, tell.clone());
            let later = one.clone();
            store.put_then(&message(&one), move |r| drop(tell.send((later, r))));
        } else {
            let one = Sent { bodies: vec![sent.bodies[0].clone()], ..sent };
            model.answered(disk, &one, &store.put(&message(&one)));
        }
        told.try_iter().for_each(|(sent, r)| model.answered(disk, &sent, &r));
        if disk.is_stopped() || !store.flags().is_writeable() {
            break;
        }
    }
    told
}
