//! Queue offsets at their ends, and messages with very many light queues.

use core::cell::Cell;
use core::panic::AssertUnwindSafe;
use std::borrow::ToOwned;
use std::collections::BTreeMap;
use std::panic::catch_unwind;
use std::string::String;

use super::*;
use crate::offsets::{QueueSlot, QueueState, TableFull};

impl World {
    /// Lets the next message of a queue get this offset.
    fn raise(&mut self, topic: &str, next: i64) {
        let is_lmq = topic.starts_with("%LMQ%");
        let queues = if is_lmq { self.writer.light_queues() } else { self.writer.queues() };
        queues.raise(topic, 0, next).unwrap();
    }
}

fn refused(result: Result<Appended, NotAppended>) {
    let refused = result.unwrap_err();
    let cause = Cause::QueueOffsetsUsedUp { next: i64::MAX };
    assert_eq!(refused.refusal, Refusal::new(PutMessageStatus::UnknownError, cause));
    assert_eq!(refused.append, Some(AppendMessageStatus::UnknownError));
}

#[test]
fn a_message_for_a_queue_without_offsets_is_refused_before_anything_is_written() {
    let mut w = World::new(4096);
    w.raise("TopicTest", i64::MAX);
    refused(w.put_r(0));
    assert_eq!((w.log.max_offset(), w.next("TopicTest", 0)), (0, Some(i64::MAX)));
    assert!(!w.time_in_lock.is_held());
    // one that uses none is stored
    let mut prepared = Message::new("TopicTest", 0, b"t");
    prepared.sys_flag = 4;
    assert_eq!(w.put(&prepared).unwrap().queue_offset, 0);
}

#[test]
fn the_last_offset_of_a_queue_can_be_used() {
    let mut w = World::new(4096);
    w.raise("TopicTest", i64::MAX - 1);
    assert_eq!(w.put_r(0).unwrap().queue_offset, i64::MAX - 1);
    refused(w.put_r(0));
}

#[test]
fn a_batch_that_a_queue_has_not_offsets_enough_for_is_refused_as_a_whole() {
    let mut w = World::new(4096);
    w.raise("TopicTest", i64::MAX - 2);
    let result = w.put_batch(&[&[1; 10], &[2; 10], &[3; 10]]);
    let cause = result.unwrap_err().refusal.cause;
    assert_eq!(cause, Cause::QueueOffsetsUsedUp { next: i64::MAX - 2 });
    assert_eq!((w.log.max_offset(), w.next("TopicTest", 0)), (0, Some(i64::MAX - 2)));
    assert_eq!(w.put_batch(&[&[1; 10], &[2; 10]]).unwrap().queue_offset, i64::MAX - 2);
}

#[test]
fn a_light_queue_without_offsets_refuses_the_message_for_all_its_queues() {
    for name in ["%LMQ%a", "plain"] {
        let mut w = World::new(4096);
        w.raise(name, i64::MAX);
        let mut m = Message::new("T", 0, b"x");
        m.properties = Properties::Text("INNER_MULTI_DISPATCH\u{1}%LMQ%a,plain");
        refused(w.put(&m));
        assert_eq!((w.log.max_offset(), w.next("T", 0)), (0, Some(0)));
        m.sys_flag = 4;
        assert_eq!(w.put(&m).unwrap().wrote_offset, 0, "it moves no queue");
    }
}

#[test]
fn a_panic_under_the_put_lock_leaves_nobody_inside() {
    struct Panics;
    impl crate::observe::Observer for Panics {
        fn create_failed(&self, _: u64, _: &dyn core::fmt::Display) {
            panic!("in an observer");
        }
    }
    let mut w = World::new(4096);
    let message = Message::new("T", 0, b"x");
    let (levels, mut room) = (DelayLevels::default(), OrderRoom::<64>::new());
    let prepared = prepare::prepare(&message, &levels, &w.limits, w.rules, &mut room).unwrap();
    w.backend.faults.create.set(Some(ErrorKind::NoSpace));
    let put = || w.writer.append(&w.log, &prepared, &At(NOW), &w.time_in_lock, &Panics);
    assert!(catch_unwind(AssertUnwindSafe(put)).is_err());
    assert!(!w.time_in_lock.is_held());
}

#[test]
fn a_queue_that_is_named_often_moves_by_one_for_each_message() {
    let mut w = World::new(4096);
    let mut m = Message::new("T", 3, b"x");
    m.properties = Properties::Text("INNER_MULTI_DISPATCH\u{1}T,%LMQ%a,T,b,%LMQ%a,b,%LMQ%T,%LMQ%a");
    for n in 1..4 {
        let a = w.put(&m).unwrap();
        assert_eq!(a.queue_offset, n - 1);
        assert_eq!((w.next("T", 3), w.next("b", 3)), (Some(n), Some(n)));
        for name in ["%LMQ%a", "%LMQ%T"] {
            assert_eq!(w.writer.light_queues().find(name, 0).map(|s| s.next), Some(n));
        }
    }
}

/// A table with room for as many queues as there are.
#[derive(Default)]
struct Growing {
    slots: BTreeMap<String, usize>,
    states: Vec<QueueState>,
    /// How often one of them was looked for.
    asked: Cell<u64>,
}

impl QueueOffsets for Growing {
    fn enter(&mut self, topic: &str, _: i32) -> Result<QueueSlot, TableFull> {
        self.asked.set(self.asked.get() + 1);
        if let Some(&slot) = self.slots.get(topic) {
            return Ok(QueueSlot(slot));
        }
        self.states.push(QueueState::default());
        let slot = self.states.len() - 1;
        self.slots.insert(topic.to_owned(), slot);
        Ok(QueueSlot(slot))
    }

    fn state(&self, slot: QueueSlot) -> QueueState {
        self.states[slot.0]
    }

    fn set_state(&mut self, slot: QueueSlot, state: QueueState) {
        self.states[slot.0] = state;
    }

    fn find(&self, topic: &str, _: i32) -> Option<QueueState> {
        self.asked.set(self.asked.get() + 1);
        self.slots.get(topic).map(|&slot| self.states[slot])
    }

    fn each(&self, _: &mut dyn FnMut(&str, i32, QueueState)) {}

    fn remove(&mut self, _: &str, _: i32) {}

    fn clear(&mut self) {}
}

/// How often a put to so many light queues asks for one of them, and where they are then.
fn put_to_light_queues(count: u32) -> (u64, Vec<i64>) {
    let mut text = String::from("INNER_MULTI_DISPATCH\u{1}");
    text.extend((0..count).map(|n| std::format!("{n:x},")));
    let mut m = Message::new("T", 0, b"x");
    m.properties = Properties::Text(&text);
    let mut w = World::new(1 << 20);
    let mut writer = LogWriter::new(w.backend.clone(), Growing::default(), Growing::default());
    writer.set_multi_dispatch(w.rules);
    w.limits.max_message_size = 1 << 16;
    let (levels, mut room) = (DelayLevels::default(), OrderRoom::<64>::new());
    let prepared = prepare::prepare(&m, &levels, &w.limits, w.rules, &mut room).unwrap();
    writer.append(&w.log, &prepared, &At(NOW), &w.time_in_lock, &Silent).unwrap();
    let queues = writer.queues();
    (queues.asked.get(), queues.states.iter().map(|s| s.next).collect())
}

#[test]
fn thousands_of_light_queues_are_asked_for_as_often_each_as_a_few() {
    let (few, _) = put_to_light_queues(45);
    let (many, next) = put_to_light_queues(4500);
    assert!(many <= few * 100, "{many} against {few}");
    // those, the message's own queue, and none for the empty name
    assert_eq!(next, [1; 4501]);
}
