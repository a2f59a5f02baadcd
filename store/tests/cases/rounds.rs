//! Rounds of commits and flushes end, whoever else is at work meanwhile.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use mqstore::{BrokerRole, Cause, ErrorKind, Message, Properties, PutMessageStatus, Store};
use mqstore_backends::over::{Fault, Op};

use crate::support::put_r;
use crate::world::{World, put_body, records, until};

const SYNC: &[(&str, &str)] = &[("flushDiskType", "SYNC_FLUSH")];
/// Long enough for anything that ends at all.
const PATIENCE: Duration = Duration::from_secs(20);

/// Puts without waiting until it is told to stop, while `f` runs.
fn under_load<R>(store: &Store, f: impl FnOnce() -> R) -> R {
    let stop = AtomicBool::new(false);
    thread::scope(|s| {
        s.spawn(|| {
            let mut message = Message::new("Load", 0, b"nobody waits for this");
            message.properties = Properties::Text("WAIT\u{1}false");
            let until = Instant::now() + PATIENCE;
            while !stop.load(Relaxed) && Instant::now() < until {
                assert_eq!(store.put(&message).status, PutMessageStatus::PutOk);
                thread::sleep(Duration::from_micros(100));
            }
        });
        let before = Instant::now();
        let result = f();
        let held_up = before.elapsed() >= PATIENCE;
        stop.store(true, Relaxed);
        assert!(!held_up, "held up until the others stopped");
        result
    })
}

/// Each flush takes longer than the time between two puts.
fn slow_flushes(world: &World, settings: &[(&str, &str)]) -> Store {
    world.plan.slow(Op::Flush, Duration::from_millis(3));
    world.open(settings)
}

#[test]
fn a_put_that_flushes_for_all_is_not_kept_by_those_who_do_not_wait() {
    for world in World::all() {
        let world = world.size(16 << 20);
        let store = slow_flushes(&world, SYNC);
        let answer = under_load(&store, || put_body(&store, b"this one waits"));
        assert_eq!(answer.status, PutMessageStatus::PutOk, "{}", world.name());
        store.close().unwrap();
    }
}

#[test]
fn a_flush_by_hand_ends_while_others_put() {
    for flush in ["SYNC_FLUSH", "ASYNC_FLUSH"] {
        for world in World::all() {
            let world = world.size(16 << 20);
            let store = slow_flushes(&world, &[("flushDiskType", flush)]);
            under_load(&store, || store.flush().unwrap());
            store.close().unwrap();
        }
    }
}

#[test]
fn completions_come_while_others_put() {
    for world in World::all() {
        let world = world.size(16 << 20);
        let store = slow_flushes(&world, SYNC);
        under_load(&store, || {
            let (tell, told) = mpsc::channel();
            store.put_then(&Message::new("T", 0, b"x"), move |r| tell.send(r.status).unwrap());
            assert_eq!(told.recv_timeout(PATIENCE), Ok(PutMessageStatus::PutOk));
        });
        store.close().unwrap();
    }
}

#[test]
fn a_completion_is_told_in_time_while_the_disk_hangs() {
    for world in World::all() {
        let store = world.open(&[SYNC[0], ("syncFlushTimeout", "100")]);
        let blocked = world.block(Op::Flush);
        let (tell, told) = mpsc::channel();
        store.put_then(&Message::new("T", 0, b"x"), move |r| tell.send(r).unwrap());
        world.until_blocked();
        let answer = told.recv_timeout(PATIENCE).expect("told while the flush hangs");
        assert_eq!(answer.status, PutMessageStatus::FlushDiskTimeout, "{}", world.name());
        assert_eq!(answer.cause, Some(Cause::FlushTimeout));
        drop(blocked);
        store.close().unwrap();
    }
}

#[test]
fn a_put_keeps_its_own_time_while_a_flush_is_pending() {
    for world in World::all() {
        let store = world.open(&[SYNC[0], ("syncFlushTimeout", "50")]);
        world.plan.pend(Op::Flush);
        let answer = put_r(&store, 10);
        assert_eq!(answer.status, PutMessageStatus::FlushDiskTimeout, "{}", world.name());
        world.plan.go_on(Op::Flush);
        let end = store.status().written_offset;
        until("the flusher's thread goes on", || store.status().flushed_where == end);
        store.close().unwrap();
    }
}

#[test]
fn a_completion_may_put_also_when_flushes_are_slow() {
    let world = World::mem().size(1 << 20);
    world.plan.slow(Op::Flush, Duration::from_millis(120));
    let store = world.open(SYNC);
    assert_eq!(put_r(&store, 10).status, PutMessageStatus::PutOk);
    let (tell, told) = mpsc::channel();
    let again = store.clone();
    store.put_then(&Message::new("T", 0, b"x"), move |first| {
        let second = again.put(&Message::new("T", 0, b"y"));
        drop(again);
        tell.send((first.status, second.status)).unwrap();
    });
    let ok = PutMessageStatus::PutOk;
    assert_eq!(told.recv_timeout(PATIENCE), Ok((ok, ok)));
    store.close().unwrap();
}

#[test]
fn what_is_acknowledged_lies_in_the_file_also_after_a_change_to_asynchronous_flush() {
    let dir = tempfile::tempdir().unwrap();
    let store = crate::support::small(dir.path()).set("flushDiskType", "SYNC_FLUSH").unwrap();
    let store = store.open().unwrap();
    put_r(&store, 10);
    store.set("flushDiskType", "ASYNC_FLUSH").unwrap();
    for n in 1..=20 {
        assert_eq!(put_r(&store, 10).status, PutMessageStatus::PutOk);
        // what a killed process would leave
        let file = std::fs::read(dir.path().join("commitlog/00000000000000000000")).unwrap();
        assert_eq!(records(&file, 4096).len(), n + 1, "put {n}");
    }
    store.close().unwrap();
}

#[test]
fn raw_bytes_wait_for_room_in_a_staged_log_as_messages_do() {
    let from = World::folder().size(64 << 10);
    let store = from.open(&[]);
    for _ in 0..40 {
        put_r(&store, 1000);
    }
    let end = usize::try_from(store.status().written_offset).unwrap();
    store.close().unwrap();
    let bytes = from.log();
    let world = World::folder().size(64 << 10);
    let store = world.open(&[SYNC[0], ("brokerRole", "SLAVE")]);
    for at in (0..end).step_by(10_000) {
        let piece = &bytes[at..end.min(at + 10_000)];
        store.append_raw(at as u64, piece).unwrap();
    }
    store.close().unwrap();
    assert_eq!(world.records().len(), 40);
}

#[test]
fn a_slave_that_becomes_a_master_knows_its_queues_whatever_the_medium_lends() {
    let from = World::folder().size(64 << 10);
    let store = from.open(&[]);
    (0..40).for_each(|_| assert!(put_r(&store, 1000).is_ok()));
    let end = usize::try_from(store.status().written_offset).unwrap();
    store.close().unwrap();
    let bytes = &from.log()[..end];
    let pool = ("transientStorePoolEnable", "true");
    // in place, staged and not committed yet, staged by each flush, and without views
    for (settings, lends) in [(&[][..], true), (&[pool], true), (SYNC, true), (&[], false)] {
        let world = World::folder().size(64 << 10);
        if !lends {
            // a medium whose reads may fail lends nothing
            let far = Fault::new(Op::Read, ErrorKind::Device).nth(1_000_000);
            assert!(world.plan.add(far));
        }
        let store = world.open(&[settings, &[("brokerRole", "SLAVE")]].concat());
        store.append_raw(0, bytes).unwrap();
        store.set_role(BrokerRole::AsyncMaster).unwrap();
        let answer = put_r(&store, 10);
        assert_eq!(answer.status, PutMessageStatus::PutOk, "{settings:?}: {:?}", answer.cause);
        assert_eq!(answer.append.unwrap().queue_offset, 40);
        store.close().unwrap();
        assert_eq!(world.records().len(), 41);
    }
}

#[test]
fn a_completion_that_panics_costs_nobody_else_anything() {
    let world = World::mem().size(1 << 20);
    let store = world.open(SYNC);
    let blocked = world.block(Op::Flush);
    let (tell, told) = mpsc::channel();
    for n in 0..50 {
        let tell = tell.clone();
        store.put_then(&Message::new("T", 0, b"x"), move |r| {
            assert_ne!(n % 10, 9, "this one panics, which is to be seen above");
            tell.send(r.status).unwrap();
        });
    }
    drop((blocked, tell));
    // ends when all of them are gone
    let answers: Vec<_> = std::iter::from_fn(|| told.recv_timeout(PATIENCE).ok()).collect();
    assert_eq!(answers, [PutMessageStatus::PutOk; 45]);
    let (tell, told) = mpsc::channel();
    store.put_then(&Message::new("T", 0, b"x"), move |r| tell.send(r.status).unwrap());
    assert_eq!(told.recv_timeout(PATIENCE), Ok(PutMessageStatus::PutOk));
    store.close().unwrap();
}

#[test]
fn whoever_closes_second_waits_for_the_first_and_hears_the_same() {
    for fails in [false, true] {
        let world = World::folder();
        let store = world.open(&[]);
        put_r(&store, 10);
        let blocked = world.block(Op::Flush);
        if fails {
            world.plan.fail_next(Op::Flush, ErrorKind::Device);
        }
        let (tell, told) = mpsc::channel();
        thread::scope(|s| {
            for _ in 0..2 {
                let (store, tell) = (store.clone(), tell.clone());
                s.spawn(move || tell.send(store.close().is_err()).unwrap());
            }
            world.until_blocked();
            assert!(told.recv_timeout(Duration::from_millis(100)).is_err(), "not closed yet");
            drop(blocked);
        });
        assert_eq!(told.iter().take(2).collect::<Vec<_>>(), [fails; 2]);
        assert_eq!(world.path().unwrap().join("abort").exists(), fails);
    }
}

#[test]
fn a_closed_store_is_opened_again_at_once_whatever_others_still_do_with_it() {
    let world = World::folder().size(64 << 10);
    for round in 0..40 {
        let store = world.open(&[]);
        thread::scope(|s| {
            for _ in 0..4 {
                let store = store.clone();
                s.spawn(move || {
                    while put_r(&store, 100).is_ok() {
                        let _ = store.flush();
                        let _ = store.status();
                    }
                    (0..20).for_each(|_| drop(store.flush()));
                });
            }
            thread::sleep(Duration::from_millis(round % 5));
            store.close().unwrap();
            world.open(&[]).close().unwrap();
        });
    }
}
