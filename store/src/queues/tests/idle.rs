//! Queues that rest, and queues that wake.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use mqstore_backends::over::{FaultPlan, Faulty, Op};
use mqstore_core::segment::ErrorKind;

use super::super::RESTING_BYTES;
use super::super::queue::Queue;
use super::*;

fn wakes_where_it_was<M: HostMedium>(medium: M) {
    let q = queues(medium);
    q.fill("T", 0, 0..450);
    q.find("T", 0).unwrap();
    q.rest_all();
    assert_eq!(q.bounds("T", 0), bounds(0, 450));
    assert!(!q.find("T", 0).unwrap().is_awake(), "bounds wake nothing");
    assert_eq!(q.put_nth("T", 0, 449), Ok(Put::AlreadyThere));
    assert_eq!(q.awake(), 0, "what it has wakes nothing either");
    for k in [0, 199, 200, 449] {
        assert_eq!(q.cell_of("T", 0, k), Some(cell(k as i64 * 100)));
    }
    assert_eq!(q.awake(), 1);
    q.rest_all();
    q.fill("T", 0, 450..601);
    q.rest_all();
    assert_eq!(q.bounds("T", 0), bounds(0, 601));
    assert_eq!(q.cell_of("T", 0, 600), Some(cell(60_000)));
}

#[test]
fn a_queue_wakes_where_it_was_laid_to_rest() {
    wakes_where_it_was(mem());
    wakes_where_it_was(folder(&temp()));
}

#[test]
fn a_queue_that_is_read_or_not_durable_stays_awake() {
    let q = queues(mem());
    q.fill("T", 0, 0..3);
    q.rest_idle(0);
    assert_eq!(q.awake(), 1, "it is not flushed");
    q.flush(0).unwrap();
    let open = q.open(&q.find("T", 0).unwrap()).unwrap().unwrap();
    q.rest_idle(0);
    assert_eq!(q.awake(), 1, "somebody reads it");
    let run = open.entries.run(1).unwrap();
    assert_eq!(run.len(), 2);
    drop((run, open));
    q.rest_idle(0);
    assert_eq!(q.awake(), 0);
}

#[test]
fn a_queue_rests_when_it_was_not_touched_for_some_rounds() {
    let q = queues(mem());
    q.fill("Busy", 0, 0..1);
    q.fill("Idle", 0, 0..1);
    q.flush(0).unwrap();
    for _ in 0..2 {
        q.rest_idle(2);
        assert_eq!(q.awake(), 2);
        q.cell_of("Busy", 0, 0);
    }
    q.rest_idle(2);
    assert_eq!((q.awake(), q.find("Idle", 0).unwrap().is_awake()), (1, false));
}

#[test]
fn a_queue_that_cannot_wake_says_so_and_goes_on_resting() {
    let plan = Arc::new(FaultPlan::new());
    let q = queues(Faulty::new(mem(), Arc::clone(&plan)));
    q.fill("T", 7, 0..3);
    q.rest_all();
    for op in [Op::Open, Op::Resume] {
        plan.fail_next(op, ErrorKind::Exhausted);
        let failed = q.open(&q.find("T", 7).unwrap()).err().unwrap();
        assert_eq!(failed.kind, ErrorKind::Exhausted);
        assert!(failed.to_string().starts_with("consume queue T/7: opening the queue again"));
        plan.fail_next(op, ErrorKind::Exhausted);
        assert_eq!(q.put_nth("T", 7, 3).unwrap_err().kind, ErrorKind::Exhausted);
        assert_eq!(q.bounds("T", 7), bounds(0, 3));
    }
    q.fill("T", 7, 3..4);
}

#[test]
fn of_many_queues_that_are_used_in_turn_few_are_awake() {
    let q = Queues::new(Arc::new(mem()), settings().awake_max(8));
    for k in 0..5 {
        for queue_id in 0..40 {
            q.fill("T", queue_id, k..k + 1);
            assert!(q.awake() <= 8);
        }
        q.rest_idle(100);
    }
    q.each(|queue| assert_eq!(queue.bounds(), bounds(0, 5)));
}

/// Says that its owner has ended.
struct OnDrop<'a>(&'a AtomicBool);

impl Drop for OnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

#[test]
fn readers_dispatch_and_those_who_lay_to_rest_get_along() {
    let at = temp();
    let q = Queues::new(Arc::new(folder(&at)), settings().awake_max(3));
    let done = AtomicBool::new(false);
    let read = |seed: u64| {
        let mut asked = seed;
        while !done.load(Ordering::Acquire) {
            asked = asked.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let queue_id = (asked >> 33) as i32 % 6;
            let Some(queue) = q.find("T", queue_id) else { continue };
            let Bounds { max, .. } = queue.bounds();
            let Some(open) = q.open(&queue).unwrap() else { continue };
            for k in [0, max / 2, max.saturating_sub(1)].into_iter().filter(|k| *k < max) {
                assert_eq!(open.entries.cell(k).unwrap(), Some(cell(k as i64 * 100)));
            }
        }
    };
    thread::scope(|scope| {
        scope.spawn(|| read(1));
        scope.spawn(|| read(2));
        scope.spawn(|| {
            while !done.load(Ordering::Acquire) {
                q.flush(0).unwrap();
                q.rest_idle(0);
            }
        });
        // also if this panics: the others wait for it
        let _ended = OnDrop(&done);
        for k in 0..250 {
            for queue_id in 0..6 {
                q.fill("T", queue_id, k..k + 1);
            }
        }
    });
    q.each(|queue| assert_eq!(queue.bounds(), bounds(0, 250)));
    q.rest_all();
}

#[test]
fn dispatch_goes_on_while_queues_are_removed() {
    let at = temp();
    let q = queues(folder(&at));
    thread::scope(|scope| {
        let putting = scope.spawn(|| {
            for k in 0..300 {
                for queue_id in 0..3 {
                    assert!(matches!(q.put_nth("T", queue_id, k), Ok(Put::At { .. })));
                }
            }
        });
        while !putting.is_finished() {
            for queue_id in 0..3 {
                q.remove("T", queue_id).unwrap();
                q.flush(0).unwrap();
                q.rest_idle(0);
            }
        }
    });
    q.fill("T", 0, 300..302);
    q.rest_all();
    assert_eq!(q.bounds("T", 0).max, 302);
    assert!(q.len() <= 3);
}

#[test]
fn a_queue_that_rests_costs_few_bytes() {
    let counts_of_an_arc = 2 * size_of::<usize>();
    let in_the_map = 2 * (size_of::<usize>() + 1);
    let (name, bases) = (32, 8);
    // what an allocator adds to each of the three
    let allocator = 3 * 16;
    let queue = size_of::<Queue<FolderMedium>>();
    let all = counts_of_an_arc + queue + in_the_map + name + bases + allocator;
    assert!(all <= RESTING_BYTES, "{all} bytes, {queue} of them the queue");
}
