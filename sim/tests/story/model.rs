//! What a store has to remember: every record it has acknowledged, and nothing cleverer.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use mqstore::{AppendMessageResult, PutMessageResult, PutMessageStatus};
use mqstore_core::record::parse::{Parsed, RecordView};
use mqstore_sim::SimDisk;

use crate::log;

/// A message as it was handed to the store: a batch has several bodies.
#[derive(Clone, Debug)]
pub(crate) struct Sent {
    pub(crate) topic: &'static str,
    pub(crate) queue: i32,
    pub(crate) bodies: Vec<Vec<u8>>,
}

/// A record that was acknowledged.
#[derive(Debug)]
struct Acknowledged {
    at: u64,
    bytes: Vec<u8>,
}

/// Topic, queue and queue offset.
type Place = (Vec<u8>, i32, i64);

fn place_of(record: &RecordView<'_>) -> Place {
    (record.topic_bytes().to_vec(), record.queue_id(), record.queue_offset())
}

/// The next offset of each queue.
#[derive(Default)]
pub(crate) struct Queues(BTreeMap<(Vec<u8>, i32), i64>);

impl Queues {
    /// Whether the next record of a log is the next one of its queue, too.
    pub(crate) fn follows(&mut self, record: &RecordView<'_>) -> bool {
        let (topic, queue, offset) = place_of(record);
        let next = self.0.entry((topic, queue)).or_default();
        let follows = *next == offset;
        *next = offset + 1;
        follows
    }
}

/// Everything that was acknowledged.
#[derive(Default)]
pub(crate) struct Model {
    acknowledged: Vec<Acknowledged>,
    /// Records that nobody was told about, in the log that was looked at last.
    pub(crate) unasked: u64,
    /// Records that nobody has sent, or that follow nothing in their queue.
    pub(crate) spoiled: Vec<String>,
    /// Topic, queue and body of whatever was sent.
    sent: BTreeSet<(Vec<u8>, i32, Vec<u8>)>,
    /// Acknowledged, but not looked at yet.
    late: Vec<(Sent, AppendMessageResult)>,
}

impl Model {
    pub(crate) fn len(&self) -> u64 {
        self.acknowledged.len() as u64
    }

    /// This goes to the store now.
    pub(crate) fn sends(&mut self, sent: &Sent) {
        let one = |body: &Vec<u8>| (sent.topic.into(), sent.queue, body.clone());
        self.sent.extend(sent.bodies.iter().map(one));
    }

    fn was_sent(&self, record: &RecordView<'_>) -> bool {
        let one = (record.topic_bytes().into(), record.queue_id(), record.body().into());
        self.sent.contains(&one)
    }

    /// Takes an answer that has come when its process was dead already.
    pub(crate) fn answered_late(&mut self, sent: Sent, r: PutMessageResult) {
        if r.status == PutMessageStatus::PutOk {
            self.late.extend(r.append.map(|append| (sent, append)));
        }
    }

    /// Takes an answer; checks that what lies in the log now is what was sent. Where everything
    /// has stopped by now, that has to wait for the next look at the log.
    pub(crate) fn answered(&mut self, disk: &Arc<SimDisk>, sent: &Sent, r: &PutMessageResult) {
        if r.status != PutMessageStatus::PutOk {
            return;
        }
        let append = r.append.clone().unwrap();
        if let Err(why) = self.take(disk, sent, &append) {
            // the store's threads may have been what everything stopped in
            assert!(disk.is_stopped(), "{why}, and the answer was {r}");
            self.late.push((sent.clone(), append));
        }
    }

    fn take(
        &mut self,
        disk: &Arc<SimDisk>,
        sent: &Sent,
        append: &AppendMessageResult,
    ) -> Result<(), String> {
        let mut at = append.wrote_offset;
        let bytes = log::bytes_at(disk, at, append.wrote_bytes);
        let bytes = bytes.ok_or_else(|| format!("no file at {at}"))?;
        let mut rest = &bytes[..];
        for (body, queue_offset) in sent.bodies.iter().zip(append.queue_offset..) {
            let Ok(Parsed::Record(record)) = RecordView::parse(rest) else {
                return Err(format!("no record at {at}"));
            };
            let place = (sent.topic.into(), sent.queue, queue_offset);
            let whole = record.physical_offset() == at && record.body_crc_ok();
            if !whole || record.body() != body || place_of(&record) != place {
                return Err(format!("not what was sent at {at}: {record:?}"));
            }
            self.acknowledged.push(Acknowledged { at, bytes: record.bytes().to_vec() });
            at += u64::from(record.total_size());
            rest = &rest[record.total_size() as usize..];
        }
        assert!(rest.is_empty(), "{append:?}");
        Ok(())
    }

    /// Looks for everything that was acknowledged; answers what is wrong.
    pub(crate) fn check(&mut self, disk: &Arc<SimDisk>) -> Result<(), String> {
        for (sent, append) in std::mem::take(&mut self.late) {
            self.take(disk, &sent, &append)?;
        }
        let files = log::files(disk);
        let (mut found, mut places) = (BTreeMap::new(), BTreeMap::<Place, u32>::new());
        let (mut queues, mut spoiled) = (Queues::default(), Vec::new());
        log::each(&files, |at, record| {
            found.insert(at, record.bytes().to_vec());
            if !queues.follows(&record) || !self.was_sent(&record) {
                spoiled.push(format!("at {at}: {record:?}"));
            }
            *places.entry(place_of(&record)).or_default() += 1;
        });
        self.spoiled = spoiled;
        for a in &self.acknowledged {
            match found.get(&a.at) {
                None => return Err(format!("nothing at {}", a.at)),
                Some(bytes) if *bytes != a.bytes => return Err(format!("another at {}", a.at)),
                Some(_) => {}
            }
            let Ok(Parsed::Record(record)) = RecordView::parse(&a.bytes) else { continue };
            let times = places.get(&place_of(&record)).copied().unwrap_or(0);
            if times != 1 {
                let spoiled = &self.spoiled;
                return Err(format!("{} is {times} times in its queue; {spoiled:?}", a.at));
            }
        }
        self.unasked = found.len() as u64 - self.acknowledged.len() as u64;
        Ok(())
    }
}
