//! Records that came as raw bytes and cannot be read yet, and what a driver does then.

use super::*;

/// Three records of 400 bytes, as a master writes them.
fn three_records() -> Vec<u8> {
    let mut master = World::new(4096);
    for _ in 0..3 {
        master.put_r(300).unwrap();
    }
    master.backend.bytes(0)[..1200].to_vec()
}

const NOT_LEARNED: Refusal =
    Refusal::new(PutMessageStatus::ServiceNotAvailable, Cause::NotLearned { from: 0, end: 1200 });

#[test]
fn raw_bytes_that_the_medium_does_not_lend_are_learned_through_a_buffer_and_put_again() {
    let mut w = World::with(TestBackend::lending_nothing(4096), 4096);
    w.raw(0, &three_records()).unwrap();
    assert_eq!(w.put_r(0).unwrap_err().refusal, NOT_LEARNED);
    assert_eq!(w.put_batch(&[&[1; 10]]).unwrap_err().refusal, NOT_LEARNED);
    assert!(!w.time_in_lock.is_held());
    let mut scratch = [0; 400];
    assert_eq!(w.writer.learn(&w.log, 1200, &mut scratch), Ok(Learned::All));
    let a = w.put_r(0).unwrap();
    assert_eq!((a.wrote_offset, a.queue_offset), (1200, 3));
}

#[test]
fn staged_raw_bytes_are_learned_once_they_are_committed() {
    let mut w = World::staged(4096);
    w.raw(0, &three_records()).unwrap();
    assert_eq!(w.put_r(0).unwrap_err().refusal, NOT_LEARNED);
    assert_eq!(w.writer.learn(&w.log, 1200, &mut []), Err(LearnError::NotVisible { offset: 0 }));
    assert_eq!(ok(w.log.poll_commit(&mut cx(), 0)), Step::Moved);
    let a = w.put_r(0).unwrap();
    assert_eq!((a.wrote_offset, a.queue_offset), (1200, 3));
}

#[test]
fn what_is_committed_of_staged_raw_bytes_is_learned_before_the_rest_is() {
    let mut w = World::staged(4096);
    let bytes = three_records();
    w.raw(0, &bytes[..900]).unwrap();
    ok(w.log.poll_commit(&mut cx(), 0));
    w.raw(900, &bytes[900..]).unwrap();
    let refused = w.put_r(0).unwrap_err().refusal;
    assert_eq!(refused.cause, Cause::NotLearned { from: 800, end: 1200 });
    ok(w.log.poll_commit(&mut cx(), 0));
    assert_eq!(w.put_r(0).unwrap().queue_offset, 3);
}

#[test]
fn a_torn_tail_is_told_from_bytes_that_are_not_visible_yet() {
    for mut w in [World::new(4096), World::staged(4096)] {
        w.raw(0, &three_records()[..900]).unwrap();
        ok(w.log.poll_commit(&mut cx(), 0));
        let refused = w.put_r(0).unwrap_err().refusal;
        assert_eq!(refused.cause, Cause::TornTail { offset: 800 });
    }
}

#[test]
fn a_buffer_that_is_too_short_says_how_long_it_must_be() {
    let mut w = World::with(TestBackend::lending_nothing(4096), 4096);
    w.raw(0, &three_records()).unwrap();
    let needs = |needed| Err(LearnError::Scratch { needed });
    assert_eq!(w.writer.learn(&w.log, 1200, &mut [0; 7]), needs(8));
    assert_eq!(w.writer.learn(&w.log, 1200, &mut [0; 399]), needs(400));
    assert_eq!(w.writer.learned(), 0);
    // a record that goes on behind the end is torn, however long the buffer is
    let torn = w.writer.learn(&w.log, 900, &mut [0; 400]);
    assert!(matches!(torn, Err(LearnError::NoRecord { offset: 800, .. })), "{torn:?}");
}

#[test]
fn raw_bytes_are_learned_as_they_come_and_a_put_has_only_the_last_ones_left() {
    let mut w = World::new(4096);
    let bytes = three_records();
    for (at, learned) in [(0, 0), (300, 0), (600, 400), (900, 800)] {
        // each chunk but the first begins in the middle of a record
        w.raw(at, &bytes[at as usize..at as usize + 300]).unwrap();
        assert_eq!(w.writer.learned(), learned, "before the chunk at {at}");
    }
    assert_eq!(w.next("TopicTest", 0), Some(2));
    assert_eq!(w.put_r(0).unwrap().queue_offset, 3);
}

#[test]
fn a_full_queue_table_refuses_no_raw_bytes_but_the_next_put() {
    let mut master = World::new(4096);
    for queue in 0..17 {
        // the master has room for more
        master.writer.queues().remove("T", queue - 1);
        master.put(&Message::new("T", queue, b"")).unwrap();
    }
    let (end, bytes) = (master.log.max_offset(), master.backend.bytes(0));
    let mut w = World::new(4096);
    for at in 0..end {
        let byte = &bytes[at as usize..=at as usize];
        assert_eq!(w.raw(at, byte), Ok(at + 1));
    }
    let refused = w.put(&Message::new("T", 0, b"")).unwrap_err().refusal;
    assert_eq!(refused.cause, Cause::QueueTableFull { capacity: 16 });
    w.writer.queues().remove("T", 3);
    assert_eq!(w.put(&Message::new("T", 0, b"")).unwrap().queue_offset, 1);
}

#[test]
fn neither_raw_bytes_nor_a_put_learn_more_than_ten_thousand_records_at_once() {
    const RECORDS: u64 = 21_000;
    let mut master = World::new(4 << 20);
    for _ in 0..RECORDS {
        master.put_r(0).unwrap();
    }
    let end = RECORDS * 100;
    let bytes = master.backend.bytes(0);
    let mut w = World::new(4 << 20);
    w.raw(0, &bytes[..end as usize - 1]).unwrap();
    w.raw(end - 1, &bytes[end as usize - 1..end as usize]).unwrap();
    assert_eq!(w.writer.learned(), 1_000_000);
    let refused = w.put_r(0).unwrap_err().refusal;
    assert_eq!(refused.cause, Cause::NotLearned { from: 2_000_000, end });
    assert_eq!(w.put_r(0).unwrap().queue_offset, RECORDS as i64);
}
