//! Middleware: what each does beyond keeping the contract.

#![expect(clippy::unwrap_used, reason = "the helpers of these tests fail as the tests do")]

use core::sync::atomic::{AtomicBool, Ordering};
use core::task::{Context, Poll, Waker};
use core::time::Duration;
use std::sync::Arc;
use std::thread;
use std::time::Instant;

use mqstore_backends::BackendError;
use mqstore_backends::mem::{HeapPool, MemMedium};
use mqstore_backends::over::{
    Ahead, AheadRules, Count, Fault, FaultPlan, Faulty, Op, Place, Trace, Traced,
};
use mqstore_core::segment::{
    Cells, CellsFile, ErrorKind, Medium, MediumError, Readable, Segment, SegmentBackend, Series,
    SmallFile, Tail,
};

/// Nobody to wake: a test asks again by itself.
fn cx() -> Context<'static> {
    Context::from_waker(Waker::noop())
}

const SIZE: u32 = 4096;
const BASE: u64 = SIZE as u64;

type Mem = MemMedium<Arc<HeapPool>>;
type FaultyMem = Faulty<Mem, Arc<FaultPlan>>;

fn faulty() -> (FaultyMem, Arc<FaultPlan>) {
    let plan = Arc::new(FaultPlan::new());
    (Faulty::new(MemMedium::heap(1 << 20), plan.clone()), plan)
}

fn ahead(rules: AheadRules) -> (Ahead<FaultyMem>, Arc<FaultPlan>) {
    let (medium, plan) = faulty();
    (Ahead::with_rules(medium, rules), plan)
}

fn log<M: Medium>(medium: &M) -> M::Segments {
    medium.segments(Series::CommitLog, SIZE).unwrap()
}

fn kind<T>(result: Result<T, BackendError>) -> ErrorKind {
    result.err().expect("it fails").kind()
}

fn list<B: SegmentBackend>(segments: &B) -> Vec<u64> {
    let mut bases = Vec::new();
    segments.list(&mut |base| bases.push(base)).unwrap();
    bases
}

fn until(what: &str, mut is: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(10);
    while !is() {
        assert!(Instant::now() < deadline, "never: {what}");
        thread::sleep(Duration::from_millis(1));
    }
}

/// What the threads of a store need of a medium.
fn can_be_hosted<M>(_: &M)
where
    M: Medium<
            Error: Send + Sync + 'static,
            Segments: SegmentBackend<Tail: Send, Segment: Send + Sync> + Send + Sync,
            Cells: Send + Sync,
            Lock: Send,
        > + Send
        + Sync
        + 'static,
{
}

#[test]
fn every_medium_can_be_shared_by_threads() {
    can_be_hosted(&MemMedium::heap(64));
    can_be_hosted(&faulty().0);
    can_be_hosted(&ahead(AheadRules::default()).0);
    can_be_hosted(&Traced::new(faulty().0, Arc::new(Trace::new())));
    #[cfg(target_os = "linux")]
    {
        use mqstore_backends::mmap::{FolderConfig, FolderMedium};
        let folder = FolderMedium::open(FolderConfig::new("/none"));
        can_be_hosted(&folder);
        can_be_hosted(&Ahead::new(folder));
    }
}

#[test]
fn a_fault_hits_the_call_it_was_made_for_and_no_other() {
    let (medium, plan) = faulty();
    let segments = log(&medium);
    plan.add(Fault::new(Op::Create, ErrorKind::NoSpace).nth(2));
    drop(segments.create(0).unwrap());
    assert_eq!(kind(segments.create(BASE)), ErrorKind::NoSpace);
    drop(segments.create(BASE).unwrap());
    assert_eq!(list(&segments), [0, BASE]);
}

#[test]
fn a_fault_for_ever_lasts_until_it_is_healed() {
    let (medium, plan) = faulty();
    plan.fail_always(Op::Save, ErrorKind::ReadOnly);
    for _ in 0..3 {
        assert_eq!(kind(medium.save(SmallFile::State, b"x")), ErrorKind::ReadOnly);
    }
    plan.heal();
    medium.save(SmallFile::State, b"x").unwrap();
}

#[test]
fn a_fault_can_be_kept_to_one_kind_of_file() {
    let (medium, plan) = faulty();
    plan.add(Fault::new(Op::Create, ErrorKind::NoSpace).only(Place::ConsumeQueue).for_ever());
    drop(log(&medium).create(0).unwrap());
    let queue = medium.segments(Series::ConsumeQueue("t", 0), SIZE).unwrap();
    assert_eq!(kind(queue.create(0)), ErrorKind::NoSpace);
    assert!(list(&queue).is_empty());
}

#[test]
fn a_failing_read_is_not_avoided_by_a_view() {
    let (medium, plan) = faulty();
    let (mut tail, segment) = log(&medium).create(0).unwrap();
    tail.window(0, 4).unwrap().fill(1);
    tail.publish(4);
    assert!(segment.view(0, 4).is_some());
    plan.fail_next(Op::Read, ErrorKind::Device);
    assert!(segment.view(0, 4).is_none());
    assert_eq!(kind(segment.read(0, &mut [0; 4])), ErrorKind::Device);
    assert!(segment.view(0, 4).is_some());
}

#[test]
fn a_failing_window_leaves_the_segment_as_it_was() {
    let (medium, plan) = faulty();
    let (mut tail, segment) = log(&medium).create(0).unwrap();
    plan.fail_next(Op::Window, ErrorKind::Device);
    assert_eq!(kind(tail.window(0, 4)), ErrorKind::Device);
    assert_eq!(segment.marks().stopped(), None);
    tail.window(0, 4).unwrap().fill(1);
}

#[test]
fn cells_and_locks_and_space_fail_too() {
    let (medium, plan) = faulty();
    let cells = medium.cells(CellsFile::Checkpoint, 64).unwrap();
    for op in [Op::GetCells, Op::SetCells, Op::SyncCells, Op::Lock, Op::Space, Op::Load] {
        plan.fail_next(op, ErrorKind::Device);
    }
    assert_eq!(kind(cells.get(0, &mut [0; 4])), ErrorKind::Device);
    assert_eq!(kind(cells.set(0, &[0; 4])), ErrorKind::Device);
    assert_eq!(kind(cells.sync()), ErrorKind::Device);
    assert_eq!(kind(medium.lock()), ErrorKind::Device);
    assert_eq!(kind(medium.space(Series::CommitLog)), ErrorKind::Device);
    assert_eq!(kind(medium.load(SmallFile::State, &mut [])), ErrorKind::Device);
    cells.sync().unwrap();
    medium.lock().unwrap();
}

#[test]
fn a_flush_can_be_held_up_without_holding_its_caller() {
    let (medium, plan) = faulty();
    let (mut tail, segment) = log(&medium).create(0).unwrap();
    tail.window(0, 4).unwrap().fill(1);
    tail.publish(4);
    plan.pend(Op::Flush);
    assert!(segment.poll_flush(&mut cx(), 4).is_pending());
    assert!(segment.poll_flush(&mut cx(), 4).is_pending());
    assert_eq!(segment.marks().flushed(), 0);
    plan.go_on(Op::Flush);
    assert_eq!(segment.poll_flush(&mut cx(), 4), Poll::Ready(Ok(4)));
}

#[test]
fn a_blocked_flush_returns_when_it_is_let_go() {
    let (medium, plan) = faulty();
    let (mut tail, segment) = log(&medium).create(0).unwrap();
    tail.window(0, 4).unwrap().fill(1);
    tail.publish(4);
    plan.block(Op::Flush);
    let done = AtomicBool::new(false);
    thread::scope(|s| {
        s.spawn(|| {
            assert_eq!(segment.poll_flush(&mut cx(), 4), Poll::Ready(Ok(4)));
            done.store(true, Ordering::Release);
        });
        until("the flush begins", || plan.blocked() == 1);
        assert!(!done.load(Ordering::Acquire));
        assert_eq!(segment.marks().flushed(), 0);
        plan.go_on(Op::Flush);
    });
    assert!(done.load(Ordering::Acquire));
}

#[test]
fn calls_and_bytes_are_counted() {
    let trace = Arc::new(Trace::new());
    let medium = Traced::new(MemMedium::heap(1 << 20), trace.clone());
    let (mut tail, segment) = log(&medium).create(0).unwrap();
    for at in [0, 10] {
        tail.window(at, 10).unwrap().fill(1);
        tail.publish(at + 10);
    }
    assert_eq!(segment.poll_flush(&mut cx(), 20), Poll::Ready(Ok(20)));
    segment.read(0, &mut [0; 5]).unwrap();
    assert_eq!(trace.count(Op::Create), Count { calls: 1, bytes: BASE });
    assert_eq!(trace.count(Op::Window), Count { calls: 2, bytes: 20 });
    assert_eq!(trace.count(Op::Flush), Count { calls: 1, bytes: 20 });
    assert_eq!(trace.count(Op::Read), Count { calls: 1, bytes: 5 });
    trace.reset();
    assert_eq!(trace.count(Op::Window), Count::default());
}

#[test]
fn an_announced_segment_is_made_before_it_is_asked_for() {
    let (medium, plan) = ahead(AheadRules::default());
    let segments = log(&medium);
    drop(segments.create(0).unwrap());
    segments.announce(BASE);
    until("the next segment is there", || list(&segments) == [0, BASE]);
    // whoever takes it does not wait for the medium any more
    plan.block(Op::Create);
    let (_tail, segment) = segments.create(BASE).unwrap();
    assert_eq!((segment.base(), segment.marks().published()), (BASE, 0));
    plan.go_on(Op::Create);
}

/// The log announces the next file while the one before is still being made.
#[test]
fn what_is_announced_meanwhile_is_made_afterwards() {
    let (medium, plan) = ahead(AheadRules::default());
    let segments = log(&medium);
    plan.block(Op::Create);
    segments.announce(0);
    until("it is being made", || plan.blocked() == 1);
    segments.announce(BASE);
    plan.go_on(Op::Create);
    drop(segments.create(0).unwrap());
    until("the next one is there", || list(&segments) == [0, BASE]);
}

/// C-49: no wait without an end, and what was asked for stays asked for.
#[test]
fn a_segment_that_is_not_ready_in_time_is_ready_the_next_time() {
    let wait = Duration::from_millis(50);
    let (medium, plan) = ahead(AheadRules { wait, ..AheadRules::default() });
    let segments = log(&medium);
    plan.block(Op::Create);
    let start = Instant::now();
    assert_eq!(kind(segments.create(0)), ErrorKind::TimedOut);
    assert!(start.elapsed() >= wait && start.elapsed() < Duration::from_secs(5));
    assert_eq!(kind(segments.create(0)), ErrorKind::TimedOut);
    plan.go_on(Op::Create);
    until("it is there", || list(&segments) == [0]);
    drop(segments.create(0).unwrap());
    assert_eq!(list(&segments), [0]);
}

/// C-49: pages are made present after the segment was handed out.
#[test]
fn a_writer_does_not_wait_for_warm_pages() {
    let (medium, plan) = ahead(AheadRules::default());
    let segments = log(&medium);
    plan.block(Op::Prepare);
    let (mut tail, _segment) = segments.create(0).unwrap();
    until("pages are made present", || plan.blocked() == 1);
    tail.window(0, 4).unwrap().fill(1);
    tail.publish(4);
    plan.go_on(Op::Prepare);
}

/// Otherwise a file that was just given up could not be opened for a moment.
#[test]
fn opening_waits_until_the_segment_is_not_held_for_warming() {
    let pool = Arc::new(HeapPool::new(8 << 20, 8));
    let plan = Arc::new(FaultPlan::new());
    // staged, so that whoever holds the segment might still commit to it
    let medium = Faulty::new(MemMedium::staged(pool, 1024), plan.clone());
    let segments = Ahead::new(medium).segments(Series::CommitLog, 2 << 20).unwrap();
    plan.slow(Op::Prepare, Duration::from_millis(100));
    drop(segments.create(0).unwrap());
    let start = Instant::now();
    drop(segments.open(0).unwrap());
    assert!(start.elapsed() < Duration::from_millis(600), "not for all eight steps");
}

#[test]
fn between_two_steps_of_warming_the_next_segment_is_made() {
    let plan = Arc::new(FaultPlan::new());
    let medium = Faulty::new(MemMedium::heap(8 << 20), plan.clone());
    let segments = Ahead::new(medium).segments(Series::CommitLog, 2 << 20).unwrap();
    // eight steps of 256 KiB
    plan.slow(Op::Prepare, Duration::from_millis(200));
    let start = Instant::now();
    for n in 0..3 {
        drop(segments.create(n * (2 << 20)).unwrap());
    }
    assert!(start.elapsed() < Duration::from_millis(1500), "{:?}", start.elapsed());
}

/// C-69: and the old failure is not told to the next one.
#[test]
fn a_segment_that_could_not_be_made_is_refused_at_once_and_tried_anew() {
    let (medium, plan) = ahead(AheadRules::default());
    let segments = log(&medium);
    drop(segments.create(0).unwrap());
    plan.add(Fault::new(Op::Create, ErrorKind::NoSpace).after());
    let start = Instant::now();
    assert_eq!(kind(segments.create(BASE)), ErrorKind::NoSpace);
    assert!(start.elapsed() < Duration::from_secs(2));
    assert_eq!(list(&segments), [0]);
    drop(segments.create(BASE).unwrap());
    assert_eq!(list(&segments), [0, BASE]);
}

/// C-64: a failure from before space was freed is nobody's business afterwards.
#[test]
fn a_failure_of_an_announced_segment_is_forgotten_when_it_is_asked_for() {
    let (medium, plan) = ahead(AheadRules::default());
    let segments = log(&medium);
    let trace = || plan.blocked();
    plan.fail_next(Op::Create, ErrorKind::NoSpace);
    plan.block(Op::Create);
    segments.announce(0);
    until("it is being made", || trace() == 1);
    plan.go_on(Op::Create);
    until("it has failed", || trace() == 0);
    // a failure that comes while somebody waits would be told: ask when it is over
    thread::sleep(Duration::from_millis(20));
    drop(segments.create(0).unwrap());
}

#[test]
fn another_segment_than_the_announced_one_can_be_asked_for() {
    let (medium, _) = ahead(AheadRules::default());
    let segments = log(&medium);
    segments.announce(BASE);
    until("it is there", || list(&segments) == [BASE]);
    drop(segments.create(7 * BASE).unwrap());
    assert_eq!(list(&segments), [7 * BASE], "the unused one is removed");
}

/// As RocketMQ does at shutdown; before the lock goes, since the folder is somebody else's then.
#[test]
fn a_segment_that_nobody_took_is_removed_when_the_lock_is_let_go() {
    let (medium, _) = ahead(AheadRules::default());
    let lock = medium.lock().unwrap();
    let segments = log(&medium);
    drop(segments.create(0).unwrap());
    segments.announce(BASE);
    until("it is there", || list(&segments) == [0, BASE]);
    drop(lock);
    assert_eq!(list(&segments), [0]);
    assert!(segments.create(BASE).is_err(), "the store is closed");
    drop(medium.lock().unwrap());
}

#[test]
fn a_segment_that_nobody_took_is_removed_with_its_series() {
    let (medium, _) = ahead(AheadRules::default());
    let segments = log(&medium);
    segments.announce(0);
    until("it is there", || list(&segments) == [0]);
    drop(segments);
    assert!(list(&log(&medium)).is_empty());
}

#[test]
fn removing_takes_an_announced_segment_too() {
    let (medium, _) = ahead(AheadRules::default());
    let segments = log(&medium);
    segments.announce(0);
    until("it is there", || list(&segments) == [0]);
    segments.remove(0).unwrap();
    assert!(list(&segments).is_empty());
    let (_tail, segment) = segments.create(0).unwrap();
    assert_eq!(list(&segments), [0]);
    drop(segment);
    segments.announce(BASE);
    until("the next is there", || list(&segments) == [0, BASE]);
    medium.remove_series(Series::CommitLog).unwrap();
    let (_tail, _segment) = segments.create(BASE).unwrap();
    assert_eq!(list(&segments), [BASE]);
}

#[test]
fn other_series_are_not_made_ahead() {
    let (medium, _) = ahead(AheadRules::default());
    let queue = medium.segments(Series::ConsumeQueue("t", 0), SIZE).unwrap();
    drop(queue.create(0).unwrap());
    queue.announce(BASE);
    thread::sleep(Duration::from_millis(20));
    assert_eq!(list(&queue), [0]);
}
