//! Queue offsets at their ends, and messages with very many light queues.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::*;

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
