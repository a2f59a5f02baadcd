use core::task::{Context, Poll, Waker};
use std::vec;
use std::vec::Vec;

use super::testing::{TestBackend, TestSegment};
use super::*;
use crate::cause::{Cause, Refusal};
use crate::check::Limits;
use crate::clock::At;
use crate::delay::DelayLevels;
use crate::lock::TimeInLock;
use crate::message::{Message, MessageBatch, Properties};
use crate::observe::Silent;
use crate::offsets::FixedOffsets;
use crate::prepare::{self, MultiDispatchRules};
use crate::record::batch::{self, BatchItem};
use crate::record::hash_order::OrderRoom;
use crate::record::parse::{Parsed, RecordView};
use crate::segment::{ErrorKind, FixedTable, SegmentTable};
use crate::status::{AppendMessageStatus, PutMessageStatus};

/// Nobody to wake: a test asks again by itself.
fn cx() -> Context<'static> {
    Context::from_waker(Waker::noop())
}

const NOW: i64 = 1_700_000_000_000;

type Table = FixedTable<TestSegment, 16>;

struct World {
    backend: TestBackend,
    log: CommitLog<TestSegment, Table>,
    writer: LogWriter<TestBackend, FixedOffsets<16>>,
    limits: Limits,
    rules: MultiDispatchRules,
    time_in_lock: TimeInLock,
}

impl World {
    fn new(capacity: u32) -> Self {
        Self::with(TestBackend::new(capacity, false), capacity)
    }

    fn staged(capacity: u32) -> Self {
        Self::with(TestBackend::new(capacity, true), capacity)
    }

    fn with(backend: TestBackend, capacity: u32) -> Self {
        let rules = MultiDispatchRules {
            enable_lmq: true,
            enable_multi_dispatch: true,
            skip_retry_topics: false,
        };
        let mut writer = LogWriter::new(backend.clone(), FixedOffsets::new(), FixedOffsets::new());
        writer.set_multi_dispatch(rules);
        Self {
            backend,
            log: CommitLog::new(Table::new(), 0),
            writer,
            limits: Limits {
                max_message_size: 4 << 20,
                segment_size: capacity,
                refuse_empty_topic: false,
            },
            rules,
            time_in_lock: TimeInLock::new(),
        }
    }

    fn put(&mut self, message: &Message<'_>) -> Result<Appended, NotAppended> {
        let mut room: OrderRoom = OrderRoom::new();
        let levels = DelayLevels::default();
        let prepared = prepare::prepare(message, &levels, &self.limits, self.rules, &mut room)?;
        self.writer.append(&self.log, &prepared, &At(NOW), &self.time_in_lock, &Silent)
    }

    /// `R(n)` of the cases: topic `TopicTest`, queue 0, a body of n bytes, 100 + n in the log.
    fn put_r(&mut self, n: usize) -> Result<Appended, NotAppended> {
        self.put(&Message::new("TopicTest", 0, &vec![7; n]))
    }

    fn put_batch(&mut self, bodies: &[&[u8]]) -> Result<Appended, NotAppended> {
        let mut encoded = Vec::new();
        for body in bodies {
            let n = u32::try_from(body.len()).unwrap();
            encoded.extend((22 + n).to_be_bytes());
            encoded.extend([0; 12]);
            encoded.extend(n.to_be_bytes());
            encoded.extend(*body);
            encoded.extend(0u16.to_be_bytes());
        }
        let batch = MessageBatch { head: Message::new("TopicTest", 0, &encoded) };
        let mut items = vec![BatchItem::default(); batch::count(&encoded).unwrap()];
        let mut room: OrderRoom = OrderRoom::new();
        let prepared = prepare::prepare_batch(&batch, &self.limits, &mut items, &mut room)?;
        self.writer.append_batch(&self.log, &prepared, &At(NOW), &self.time_in_lock, &Silent)
    }

    fn raw(&mut self, offset: u64, bytes: &[u8]) -> Result<u64, Refusal> {
        self.writer.append_raw(&self.log, offset, bytes, &Silent)
    }

    fn next(&mut self, topic: &str, queue_id: i32) -> Option<i64> {
        self.writer.queues().find(topic, queue_id).map(|s| s.next)
    }

    fn record_at(&self, base: u64, at: usize) -> Vec<u8> {
        self.backend.bytes(base).get(at..).unwrap_or_default().to_vec()
    }
}

fn stamp_of(bytes: &[u8]) -> (i64, u64, i64) {
    match RecordView::parse(bytes).unwrap() {
        Parsed::Record(r) => (r.queue_offset(), r.physical_offset(), r.store_timestamp()),
        Parsed::Blank { .. } => panic!("a filler"),
    }
}

fn ok<T, E>(poll: Poll<Result<T, E>>) -> T {
    match poll {
        Poll::Ready(Ok(t)) => t,
        _ => panic!("not ready, or failed"),
    }
}

#[test]
fn records_follow_each_other_and_carry_their_places() {
    let mut w = World::new(4096);
    for i in 0..20 {
        let a = w.put_r(100).unwrap();
        assert_eq!((a.wrote_offset, a.queue_offset, a.wrote_bytes), (i * 200, i as i64, 200));
        assert_eq!(stamp_of(&w.record_at(0, i as usize * 200)), (i as i64, i * 200, NOW));
    }
    assert_eq!(w.log.max_offset(), 4000);
    assert!(!w.time_in_lock.is_held());
}

#[test]
fn a_record_that_leaves_less_than_8_bytes_goes_to_the_next_file_behind_a_filler() {
    // leaves exactly 8, then 7
    for (body, rolls) in [(3888, false), (3889, true)] {
        let mut w = World::new(4096);
        w.put_r(0).unwrap();
        let a = w.put_r(body).unwrap();
        assert_eq!(a.rolled, rolls);
        assert_eq!(a.wrote_offset, if rolls { 4096 } else { 100 });
        assert_eq!(a.queue_offset, 1);
        if rolls {
            let filler = w.record_at(0, 100);
            assert_eq!(filler[..8], [0, 0, 0x0F, 0x9C, 0xCB, 0xD4, 0x31, 0x94]);
            assert!(filler[8..].iter().all(|b| *b == 0), "behind it nothing is written");
        } else {
            let b = w.put_r(0).unwrap();
            assert_eq!((b.wrote_offset, b.queue_offset), (4096, 2));
            let filler = w.record_at(0, 4088);
            assert_eq!(filler, [0, 0, 0, 8, 0xCB, 0xD4, 0x31, 0x94]);
        }
        assert_eq!(w.log.table().first().unwrap().marks().published(), 4096);
    }
}

#[test]
fn c_60_a_record_that_can_never_fit_is_refused_and_no_file_is_made_for_it() {
    let mut w = World::new(4096);
    assert_eq!(w.put_r(3988).unwrap().wrote_offset, 0);
    for body in [3989, 8000] {
        let refused = w.put_r(body).unwrap_err();
        assert_eq!(refused.refusal.status, PutMessageStatus::MessageIllegal);
    }
    assert_eq!(w.backend.faults.creates.get(), 1);
    let last = w.put_r(100).unwrap();
    assert_eq!((last.wrote_offset, last.queue_offset), (4096, 1));
}

#[test]
fn c_69_a_file_that_cannot_be_made_moves_nothing_and_the_next_put_makes_it() {
    let mut w = World::new(4096);
    for _ in 0..20 {
        w.put_r(100).unwrap();
    }
    w.backend.faults.create.set(Some(ErrorKind::NoSpace));
    let refused = w.put_r(100).unwrap_err();
    assert_eq!(refused.refusal.status, PutMessageStatus::CreateMapedFileFailed);
    assert_eq!(refused.refusal.cause, Cause::CreateFailed(ErrorKind::NoSpace));
    assert_eq!(w.log.max_offset(), 4000, "the end has not moved");
    assert!(!w.time_in_lock.is_held());
    let a = w.put_r(100).unwrap();
    assert_eq!((a.wrote_offset, a.queue_offset), (4096, 20));
    assert_eq!(w.backend.faults.creates.get(), 2, "no third file");
}

#[test]
fn a_write_that_fails_over_the_border_moves_nothing_and_keeps_the_file_it_had_made() {
    let mut w = World::new(4096);
    for _ in 0..20 {
        w.put_r(100).unwrap();
    }
    w.backend.faults.window.set(Some(ErrorKind::Device));
    let refused = w.put_r(100).unwrap_err();
    assert_eq!(refused.refusal.cause, Cause::WriteFailed(ErrorKind::Device));
    assert_eq!((w.log.max_offset(), w.log.table().len()), (4000, 1));
    assert_eq!(w.put_r(100).unwrap().wrote_offset, 4096);
    assert_eq!(w.backend.faults.creates.get(), 2);
}

#[test]
fn c_21_a_refused_put_uses_no_queue_offset_and_no_place() {
    let mut w = World::new(4096);
    w.put_r(100).unwrap();
    let long = "p".repeat(40_000);
    let mut m = Message::new("TopicTest", 0, b"x");
    m.properties = Properties::Text(&long);
    assert!(w.put(&m).is_err());
    assert!(w.put_r(5 << 20).is_err());
    w.backend.faults.window.set(Some(ErrorKind::Device));
    assert!(w.put_r(100).is_err());
    let a = w.put_r(100).unwrap();
    assert_eq!((a.wrote_offset, a.queue_offset), (200, 1));
}

#[test]
fn prepared_and_rollback_get_offset_0_and_do_not_move_the_queue() {
    let mut w = World::new(4096);
    w.put_r(0).unwrap();
    for (sys_flag, offset) in [(4, 0), (12, 0), (8, 1), (0, 2), (4, 0), (0, 3)] {
        let mut m = Message::new("TopicTest", 0, b"t");
        m.sys_flag = sys_flag;
        assert_eq!(w.put(&m).unwrap().queue_offset, offset, "sysFlag {sys_flag}");
    }
    assert_eq!(w.next("TopicTest", 0), Some(4));
}

#[test]
fn a_batch_never_spans_files_and_an_empty_one_writes_nothing() {
    let mut w = World::new(1024);
    let a = w.put_batch(&[&[1; 100], &[2; 100], &[3; 100]]).unwrap();
    assert_eq!((a.wrote_offset, a.wrote_bytes, a.msg_num, a.queue_offset), (0, 600, 3, 0));
    let a = w.put_batch(&[&[1; 100], &[2; 100], &[3; 100]]).unwrap();
    assert_eq!((a.wrote_offset, a.queue_offset, a.rolled), (1024, 3, true));
    assert_eq!(stamp_of(&w.record_at(1024, 400)), (5, 1424, NOW));
    let a = w.put_batch(&[]).unwrap();
    assert_eq!((a.wrote_offset, a.wrote_bytes, a.msg_num, a.queue_offset), (1624, 0, 0, 6));
    assert_eq!(w.put_r(0).unwrap().wrote_offset, 1624);
}

#[test]
fn light_queues_get_their_own_offsets_and_only_for_what_is_dispatched() {
    let mut w = World::new(4096);
    let text = "INNER_MULTI_DISPATCH\u{1}%LMQ%a,plain\u{2}TAGS\u{1}T";
    let mut m = Message::new("T", 3, b"x");
    m.properties = Properties::Text(text);
    w.put(&m).unwrap();
    w.put(&m).unwrap();
    m.sys_flag = 4;
    let prepared = w.put(&m).unwrap();
    let light = w.writer.light_queues().find("%LMQ%a", 0).map(|s| s.next);
    assert_eq!(light, Some(2));
    assert_eq!(w.next("plain", 3), Some(2));
    assert_eq!(w.next("T", 3), Some(2));
    let bytes = w.record_at(0, usize::try_from(prepared.wrote_offset).unwrap());
    let Ok(Parsed::Record(r)) = RecordView::parse(&bytes) else { panic!("no record") };
    assert_eq!(r.property("INNER_MULTI_QUEUE_OFFSET"), Some(&b"2,2"[..]));
}

#[test]
fn a_message_that_names_its_own_queue_moves_it_by_one() {
    let mut w = World::new(4096);
    let mut m = Message::new("T", 3, b"x");
    m.properties = Properties::Text("INNER_MULTI_DISPATCH\u{1}T,plain");
    w.put(&m).unwrap();
    assert_eq!(w.put(&m).unwrap().queue_offset, 1);
    assert_eq!((w.next("T", 3), w.next("plain", 3)), (Some(2), Some(2)));
}

#[test]
fn offsets_that_make_a_message_too_long_answer_unknown_error_with_zeros() {
    let mut w = World::new(4096);
    let mut m = Message::new("T", 0, b"x");
    let text = "INNER_MULTI_DISPATCH\u{1}%LMQ%a,%LMQ%b";
    m.properties = Properties::Text(text);
    // just long enough for the record without the offsets
    w.limits.max_message_size = 93 + u32::try_from(text.len()).unwrap();
    let refused = w.put(&m).unwrap_err();
    assert_eq!(refused.refusal.status, PutMessageStatus::UnknownError);
    assert_eq!(refused.append, Some(AppendMessageStatus::UnknownError));
    assert_eq!(w.log.max_offset(), 0);
}

#[test]
fn a_full_table_of_queues_refuses_before_anything_is_written() {
    let mut w = World::new(4096);
    for queue in 0..16 {
        w.put(&Message::new("T", queue, b"")).unwrap();
    }
    let end = w.log.max_offset();
    let refused = w.put(&Message::new("T", 16, b"")).unwrap_err();
    assert_eq!(refused.refusal.cause, Cause::QueueTableFull { capacity: 16 });
    assert_eq!(w.log.max_offset(), end);
    w.put(&Message::new("T", 15, b"")).unwrap();
}

#[test]
fn c_03_raw_bytes_that_could_not_be_written_can_be_sent_again() {
    let mut w = World::new(4096);
    w.backend.faults.window.set(Some(ErrorKind::Device));
    assert!(w.raw(0, &[9; 200]).is_err());
    assert_eq!(w.log.max_offset(), 0);
    assert_eq!(w.raw(0, &[9; 200]), Ok(200));
    assert_eq!(w.record_at(0, 0)[..201], [&[9; 200][..], &[0]].concat());
}

#[test]
fn raw_bytes_must_continue_the_log_and_stay_in_one_file() {
    let mut w = World::new(4096);
    // an empty log may begin at any file
    let begin =
        Refusal::new(PutMessageStatus::UnknownError, Cause::NotContinuous { expected: 8192 });
    assert_eq!(w.raw(8200, &[1; 8]), Err(begin));
    assert_eq!(w.raw(8192, &[1; 4000]), Ok(12192));
    assert!(matches!(w.raw(12192, &[1; 97]), Err(r) if r.cause == Cause::DoesNotFit));
    assert!(matches!(
        w.raw(12191, &[1; 4]),
        Err(r) if r.cause == Cause::NotContinuous { expected: 12192 }
    ));
    assert_eq!(w.raw(12192, &[1; 96]), Ok(12288), "to the last byte");
    assert_eq!(w.raw(12288, &[1; 5]), Ok(12293));
    assert_eq!(w.log.min_offset(), Some(8192));
}

#[test]
fn queue_offsets_are_learned_from_records() {
    let mut master = World::new(1024);
    let mut m = Message::new("T", 1, b"body");
    m.properties = Properties::Text("INNER_MULTI_DISPATCH\u{1}%LMQ%a");
    for _ in 0..3 {
        master.put(&m).unwrap();
        master.put_r(300).unwrap();
    }
    let end = master.log.max_offset();
    let mut other = World::new(1024);
    for base in (0..end).step_by(1024) {
        let len = (end - base).min(1024) as usize;
        other.raw(base, &master.backend.bytes(base)[..len]).unwrap();
    }
    let mut scratch = [0; 1024];
    assert_eq!(other.writer.learn(&other.log, end, &mut scratch), Ok(Learned::All));
    assert_eq!(other.next("T", 1), Some(3));
    assert_eq!(other.next("TopicTest", 0), Some(3));
    let light = other.writer.light_queues().find("%LMQ%a", 0).map(|s| s.next);
    assert_eq!(light, Some(3));
}

#[test]
fn a_message_behind_raw_bytes_that_are_no_records_is_refused_and_names_the_place() {
    let mut w = World::new(4096);
    w.raw(0, &[9; 50]).unwrap();
    let refused = w.put_r(1).unwrap_err();
    assert_eq!(refused.refusal.cause, Cause::TornTail { offset: 0 });
    assert_eq!(w.log.max_offset(), 50);
}

#[test]
fn a_flush_covers_whole_pages_or_everything_and_rolls_into_the_next_file() {
    let mut w = World::new(16384);
    for _ in 0..5 {
        w.put_r(900).unwrap();
    }
    assert_eq!(ok(w.log.poll_flush(&mut cx(), 2)), Step::Nothing, "one page border crossed");
    assert_eq!(ok(w.log.poll_flush(&mut cx(), 1)), Step::Moved);
    assert_eq!(w.log.flushed_where(), 4096, "the writer's own page is left alone");
    assert_eq!(w.log.store_timestamp(), 0, "only a thorough flush counts for the checkpoint");
    assert_eq!(ok(w.log.poll_flush(&mut cx(), 0)), Step::Moved);
    assert_eq!((w.log.flushed_where(), w.log.store_timestamp()), (5000, NOW));
    assert_eq!(w.log.not_flushed(), 0);
    for _ in 0..15 {
        w.put_r(900).unwrap();
    }
    assert_eq!(ok(w.log.poll_flush_to(&mut cx(), u64::MAX)), 16384 + 4000);
}

#[test]
fn staged_bytes_are_visible_and_flushed_only_when_they_are_committed() {
    let mut w = World::staged(16384);
    w.put_r(900).unwrap();
    assert_eq!((w.log.max_offset(), w.log.written_offset()), (0, 1000));
    assert_eq!(ok(w.log.poll_flush(&mut cx(), 0)), Step::Nothing);
    assert_eq!(ok(w.log.poll_commit(&mut cx(), 1)), Step::Nothing, "less than a page");
    assert_eq!(ok(w.log.poll_commit(&mut cx(), 0)), Step::Moved);
    assert_eq!(w.log.max_offset(), 1000);
    assert_eq!(ok(w.log.poll_flush_to(&mut cx(), 1000)), 1000);
}

#[test]
fn c_01_after_a_failed_flush_nothing_moves_and_nothing_is_written_any_more() {
    let mut w = World::new(4096);
    w.put_r(100).unwrap();
    ok(w.log.poll_flush_to(&mut cx(), 200));
    w.put_r(100).unwrap();
    w.backend.faults.flush.set(Some(ErrorKind::Device));
    let Poll::Ready(Err(e)) = w.log.poll_flush_to(&mut cx(), 400) else { panic!("flushed") };
    assert_eq!((e.kind(), w.log.flushed_where()), (ErrorKind::Device, 200));
    let refused = w.put_r(100).unwrap_err();
    assert_eq!(refused.refusal.status, PutMessageStatus::ServiceNotAvailable);
    assert_eq!(w.log.max_offset(), 400, "what was written is still read");
}

mod border;
mod learn;
mod queues;
mod raw;
