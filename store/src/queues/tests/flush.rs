//! Rounds of flushing, and what the checkpoint says behind them.

use mqstore_backends::over::{Fault, FaultPlan, Faulty, Op, Place};
use mqstore_core::duty::Intervals;
use mqstore_core::segment::{Cells, CellsFile, ErrorKind, Medium};

use super::super::flush::{FlushQueues, NotFlushed};
use super::*;
use crate::checkpoint::{CHECKPOINT_LEN, StoreCheckpoint};

const RULES: Intervals = Intervals { least_pages: 2, thorough_millis: 60_000 };
const NOW: i64 = 1_700_000_000_000;

fn checkpoint<M: Medium>(medium: &M) -> StoreCheckpoint<M::Cells> {
    let cells = medium.cells(CellsFile::Checkpoint, CHECKPOINT_LEN);
    StoreCheckpoint::new(cells.map_err(|e| e.to_string()).unwrap())
}

/// What the checkpoint's file says of the queues.
fn logics<M: Medium>(medium: &M) -> i64 {
    let mut bytes = [0; 8];
    let cells = medium.cells(CellsFile::Checkpoint, CHECKPOINT_LEN);
    cells.map_err(|e| e.to_string()).unwrap().get(8, &mut bytes).unwrap();
    i64::from_be_bytes(bytes)
}

impl<M: HostMedium> Queues<M> {
    /// A message of this store time has been dispatched.
    fn dispatched_at(&self, time: i64) {
        self.dispatched.store(time, std::sync::atomic::Ordering::Release);
    }
}

#[test]
fn only_queues_with_dirty_pages_are_flushed_but_once_in_an_interval_all() {
    let medium = mem();
    let times = checkpoint(&medium);
    let q = Queues::new(Arc::new(medium.clone()), QueueSettings::new(20_000));
    let mut flusher = FlushQueues::default();
    q.dispatched_at(5);
    assert_eq!(flusher.round(&q, &times, NOW, &RULES), Ok(()));
    assert_eq!(logics(&medium), 5, "the first round is thorough");
    q.fill("Much", 0, 0..450);
    q.fill("Little", 0, 0..3);
    q.dispatched_at(9);
    assert_eq!(q.dirty(), 2);
    flusher.round(&q, &times, NOW + 59_999, &RULES).unwrap();
    let flushed = |topic| {
        q.open(&q.find(topic, 0).unwrap()).unwrap().unwrap().entries.files().flushed_where()
    };
    assert_eq!((flushed("Much"), flushed("Little")), (8192, 0), "whole pages");
    assert_eq!((q.dirty(), logics(&medium), times.times()[1]), (2, 5, 5));
    flusher.round(&q, &times, NOW + 60_000, &RULES).unwrap();
    assert_eq!((flushed("Much"), flushed("Little")), (9000, 60));
    assert_eq!((q.dirty(), logics(&medium)), (0, 9));
}

#[test]
fn a_queue_that_cannot_be_flushed_is_named_and_the_checkpoint_promises_nothing_more() {
    let plan = Arc::new(FaultPlan::new());
    let medium = Faulty::new(mem(), Arc::clone(&plan));
    let times = checkpoint(&medium);
    let q = queues(medium);
    q.fill("T", 0, 0..3);
    q.dispatched_at(5);
    q.flush_thoroughly(&times).unwrap();
    q.fill("T", 0, 3..5);
    q.fill("U", 1, 0..5);
    q.dispatched_at(9);
    plan.add(Fault::new(Op::Flush, ErrorKind::Device).only(Place::ConsumeQueue));
    let Err(NotFlushed::Queues(errors)) = q.flush_thoroughly(&times) else { panic!() };
    let [error] = &errors[..] else { panic!("{errors:?}") };
    assert_eq!((&*error.topic, error.queue_id, error.kind), ("T", 0, ErrorKind::Device));
    assert_eq!(times.times()[1], 5);
    let open = q.open(&q.find("U", 1).unwrap()).unwrap().unwrap();
    assert_eq!(open.entries.files().not_flushed(), 0, "the other one was flushed");
    assert_eq!(q.put_nth("T", 0, 5).unwrap_err().kind, ErrorKind::Stopped);
    assert!(q.flush_thoroughly(&times).is_err(), "and so it stays");
    assert_eq!(times.times()[1], 5);
}

#[test]
fn a_checkpoint_that_cannot_be_written_is_an_error() {
    let plan = Arc::new(FaultPlan::new());
    let medium = Faulty::new(mem(), Arc::clone(&plan));
    let times = checkpoint(&medium);
    let q = queues(medium);
    q.fill("T", 0, 0..3);
    plan.fail_next(Op::SyncCells, ErrorKind::Device);
    let failed = q.flush_thoroughly(&times);
    assert!(matches!(failed, Err(NotFlushed::Checkpoint(ErrorKind::Device, _))));
    assert_eq!((q.flush_thoroughly(&times), q.dirty()), (Ok(()), 0));
}

#[test]
fn a_flush_that_takes_its_time_is_waited_for() {
    let plan = Arc::new(FaultPlan::new());
    let q = queues(Faulty::new(mem(), Arc::clone(&plan)));
    q.fill("T", 0, 0..3);
    plan.pend(Op::Flush);
    std::thread::scope(|scope| {
        let flushing = scope.spawn(|| q.flush(0));
        std::thread::sleep(std::time::Duration::from_millis(20));
        assert!(!flushing.is_finished());
        q.fill("T", 0, 3..5);
        plan.go_on(Op::Flush);
        assert_eq!(flushing.join().unwrap(), Ok(()));
    });
    q.rest_all();
    assert_eq!(q.bounds("T", 0), bounds(0, 5));
}
