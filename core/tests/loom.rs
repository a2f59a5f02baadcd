//! Marks, publish order, roll and group commit under every interleaving of their threads.
//!
//! Run with `RUSTFLAGS="--cfg loom" cargo test --release -p mqstore-core --test loom`.
#![cfg(loom)]

use core::task::{Context, Poll, Waker};

use loom::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use loom::sync::{Arc, Mutex};
use loom::thread;
use mqstore_core::check::Limits;
use mqstore_core::clock::At;
use mqstore_core::delay::DelayLevels;
use mqstore_core::duty::{GroupCommit, Outcome, Waiter};
use mqstore_core::lock::TimeInLock;
use mqstore_core::log::{CommitLog, LogWriter};
use mqstore_core::message::Message;
use mqstore_core::observe::Silent;
use mqstore_core::offsets::FixedOffsets;
use mqstore_core::prepare::{self, MultiDispatchRules};
use mqstore_core::record::hash_order::OrderRoom;
use mqstore_core::segment::{
    ErrorKind, Found, Geometry, Halves, Marks, OwnedMarks, Readable, Segment, SegmentBackend,
    SegmentTable, TableFull, Tail,
};

/// Nobody to wake: a test asks again by itself.
fn cx() -> Context<'static> {
    Context::from_waker(Waker::noop())
}

/// One byte stands for each record: what a reader must see once it is published.
struct Shared {
    marks: OwnedMarks,
    /// Set before the first publish; read relaxed, so only the marks order it.
    written: AtomicU8,
}

#[derive(Clone)]
struct ModelSegment {
    base: u64,
    staged: bool,
    shared: Arc<Shared>,
}

struct ModelTail {
    segment: ModelSegment,
    buffer: Vec<u8>,
}

const CAPACITY: u32 = 256;

impl Readable for ModelSegment {
    type Error = ErrorKind;

    fn base(&self) -> u64 {
        self.base
    }

    fn geometry(&self) -> Geometry {
        if self.staged {
            Geometry::staged(CAPACITY, CAPACITY, 1)
        } else {
            Geometry::in_place(CAPACITY)
        }
    }

    fn view(&self, _: u32, _: u32) -> Option<&[u8]> {
        None
    }

    fn read(&self, _: u32, _: &mut [u8]) -> Result<(), ErrorKind> {
        Err(ErrorKind::Other)
    }
}

impl Segment for ModelSegment {
    fn marks(&self) -> &Marks {
        &self.shared.marks
    }

    fn poll_commit(&self, _: &mut Context<'_>, end: u32) -> Poll<Result<u32, ErrorKind>> {
        self.shared.marks.commit(end).unwrap();
        Poll::Ready(Ok(end))
    }

    fn poll_flush(&self, _: &mut Context<'_>, end: u32) -> Poll<Result<u32, ErrorKind>> {
        self.shared.marks.flush(end, self.staged).unwrap();
        Poll::Ready(Ok(end))
    }
}

impl Tail for ModelTail {
    type Error = ErrorKind;

    fn window(&mut self, _at: u32, len: u32) -> Result<&mut [u8], ErrorKind> {
        self.buffer = vec![0; len as usize];
        Ok(&mut self.buffer)
    }

    fn publish(&mut self, end: u32) {
        self.segment.shared.written.store(1, Ordering::Relaxed);
        self.segment.shared.marks.publish(end);
    }
}

impl Found for ModelSegment {
    type Tail = ModelTail;
    type Segment = Self;

    fn seal(self) -> Self {
        self
    }

    fn sync(&self) -> Result<(), ErrorKind> {
        Ok(())
    }

    fn resume(self, _: u32) -> Result<(ModelTail, Self), ErrorKind> {
        Ok((ModelTail { segment: self.clone(), buffer: Vec::new() }, self))
    }
}

#[derive(Clone, Copy)]
struct ModelBackend {
    staged: bool,
}

impl SegmentBackend for ModelBackend {
    type Error = ErrorKind;
    type Tail = ModelTail;
    type Segment = ModelSegment;
    type Found = ModelSegment;

    fn geometry(&self) -> Geometry {
        Geometry::in_place(CAPACITY)
    }

    fn create(&self, base: u64) -> Result<Halves<Self>, ErrorKind> {
        let shared = Shared { marks: OwnedMarks::new(0), written: AtomicU8::new(0) };
        ModelSegment { base, staged: self.staged, shared: Arc::new(shared) }.resume(0)
    }

    fn open(&self, _: u64) -> Result<ModelSegment, ErrorKind> {
        Err(ErrorKind::NotFound)
    }

    fn remove(&self, _: u64) -> Result<(), ErrorKind> {
        Err(ErrorKind::NotFound)
    }

    fn list(&self, _: &mut dyn FnMut(u64)) -> Result<(), ErrorKind> {
        Ok(())
    }
}

#[derive(Default)]
struct ModelTable(Mutex<Vec<ModelSegment>>);

impl SegmentTable<ModelSegment> for ModelTable {
    fn push(&self, segment: ModelSegment) -> Result<(), TableFull> {
        self.0.lock().unwrap().push(segment);
        Ok(())
    }

    fn has_room(&self) -> bool {
        true
    }

    fn first(&self) -> Option<ModelSegment> {
        self.0.lock().unwrap().first().cloned()
    }

    fn last(&self) -> Option<ModelSegment> {
        self.0.lock().unwrap().last().cloned()
    }

    fn holding(&self, offset: u64) -> Option<ModelSegment> {
        let segments = self.0.lock().unwrap();
        segments.iter().find(|s| offset >= s.base && offset < s.base + 256).cloned()
    }

    fn from(&self, offset: u64) -> Option<ModelSegment> {
        self.0.lock().unwrap().iter().find(|s| s.base >= offset).cloned()
    }

    fn len(&self) -> usize {
        self.0.lock().unwrap().len()
    }

    fn pop_first(&self) -> Option<ModelSegment> {
        None
    }

    fn pop_last(&self) -> Option<ModelSegment> {
        self.0.lock().unwrap().pop()
    }
}

type Log = CommitLog<ModelSegment, ModelTable>;
type Writer = LogWriter<ModelBackend, FixedOffsets<4>>;

fn world(staged: bool) -> (Arc<Log>, Writer) {
    let log = Arc::new(Log::new(ModelTable::default(), 0));
    let writer = LogWriter::new(ModelBackend { staged }, FixedOffsets::new(), FixedOffsets::new());
    (log, writer)
}

/// A record of 100 bytes: two fit into a file of 256.
fn put(writer: &mut Writer, log: &Log) -> u64 {
    let message = Message::new("TopicTest", 0, b"");
    let limits =
        Limits { max_message_size: 4096, segment_size: CAPACITY, refuse_empty_topic: false };
    let mut room: OrderRoom = OrderRoom::new();
    let rules = MultiDispatchRules::default();
    let levels = DelayLevels::default();
    let prepared = prepare::prepare(&message, &levels, &limits, rules, &mut room).unwrap();
    let appended = writer.append(log, &prepared, &At(1), &TimeInLock::new(), &Silent).unwrap();
    appended.wrote_offset + u64::from(appended.wrote_bytes)
}

#[test]
fn whoever_sees_the_published_mark_sees_the_bytes_below_it() {
    loom::model(|| {
        let (log, mut writer) = world(false);
        let shared = Arc::clone(&log);
        let reader = thread::spawn(move || {
            if let Some(segment) = shared.table().last()
                && segment.marks().published() > 0
            {
                assert_eq!(segment.shared.written.load(Ordering::Relaxed), 1);
            }
        });
        put(&mut writer, &log);
        reader.join().unwrap();
    });
}

#[test]
fn flushed_never_passes_committed_nor_committed_published() {
    loom::model(|| {
        let (log, mut writer) = world(true);
        put(&mut writer, &log);
        let for_commit = Arc::clone(&log);
        let committer = thread::spawn(move || {
            assert!(matches!(for_commit.poll_commit(&mut cx(), 0), Poll::Ready(Ok(_))));
        });
        let for_flush = Arc::clone(&log);
        let flusher = thread::spawn(move || {
            assert!(matches!(for_flush.poll_flush(&mut cx(), 0), Poll::Ready(Ok(_))));
            let (flushed, written) = (for_flush.flushed_where(), for_flush.written_offset());
            assert!(flushed <= written);
        });
        put(&mut writer, &log);
        let segment = log.table().last().unwrap();
        let flushed = segment.marks().flushed();
        let committed = segment.marks().committed();
        let published = segment.marks().published();
        assert!(flushed <= committed && committed <= published);
        committer.join().unwrap();
        flusher.join().unwrap();
    });
}

#[test]
fn a_reader_never_sees_the_next_file_before_the_old_one_is_full() {
    loom::model(|| {
        let (log, mut writer) = world(false);
        put(&mut writer, &log);
        put(&mut writer, &log);
        let shared = Arc::clone(&log);
        let reader = thread::spawn(move || {
            let end = shared.max_offset();
            assert!(end == 200 || end == 256 || end == 356, "{end}");
            if end > 256 {
                assert_eq!(shared.table().first().unwrap().marks().published(), CAPACITY);
            }
            if shared.table().len() == 2 {
                assert_eq!(shared.table().first().unwrap().marks().published(), CAPACITY);
            }
        });
        assert_eq!(put(&mut writer, &log), 356);
        reader.join().unwrap();
    });
}

#[test]
fn a_flush_beside_a_roll_leaves_nothing_out() {
    loom::model(|| {
        let (log, mut writer) = world(false);
        put(&mut writer, &log);
        put(&mut writer, &log);
        let shared = Arc::clone(&log);
        let flusher = thread::spawn(move || {
            let Poll::Ready(Ok(flushed)) = shared.poll_flush_to(&mut cx(), u64::MAX) else {
                panic!("failed")
            };
            assert!(flushed >= 200);
        });
        put(&mut writer, &log);
        flusher.join().unwrap();
        let Poll::Ready(Ok(flushed)) = log.poll_flush_to(&mut cx(), u64::MAX) else {
            panic!("failed")
        };
        assert_eq!(flushed, 356);
    });
}

type Group = GroupCommit<heapless::Vec<Waiter<u8>, 4>>;

#[test]
fn nobody_who_waits_for_a_flush_is_forgotten() {
    loom::model(|| {
        let (log, mut writer) = world(false);
        let group = Arc::new(Mutex::new(Group::default()));
        let done = Arc::new(AtomicBool::new(false));
        let (f_log, f_group, f_done) = (Arc::clone(&log), Arc::clone(&group), Arc::clone(&done));
        let settle = move || {
            let Poll::Ready(Ok(flushed)) = f_log.poll_flush_to(&mut cx(), u64::MAX) else {
                panic!("failed")
            };
            f_group.lock().unwrap().settle(flushed, 0, |_, outcome| {
                assert_eq!(outcome, Outcome::Durable);
                assert!(!f_done.swap(true, Ordering::SeqCst), "told twice");
            });
        };
        let round = settle.clone();
        let flusher = thread::spawn(round);
        let target = put(&mut writer, &log);
        let waiter = Waiter { target, deadline: i64::MAX, token: 1 };
        let known = group.lock().unwrap().submit(waiter, log.flushed_where()).unwrap();
        if known == Some(Outcome::Durable) {
            assert!(!done.swap(true, Ordering::SeqCst), "told twice");
        }
        flusher.join().unwrap();
        // the round that a put asks for comes after it
        settle();
        assert!(done.load(Ordering::SeqCst));
    });
}
