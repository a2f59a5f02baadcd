//! One append that hangs, and more threads than cores: C-47 and C-50.

use std::collections::BTreeMap;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use mqstore::{Cause, PutMessageStatus, Store};
use mqstore_backends::over::Op;

use crate::world::{World, put_body};

/// A body of 100 bytes that says whose it is.
fn body(writer: u32, n: u32) -> Vec<u8> {
    let mut body = vec![0; 100];
    body[..4].copy_from_slice(&writer.to_be_bytes());
    body[4..8].copy_from_slice(&n.to_be_bytes());
    body
}

/// How often each body lies in the log.
fn found(world: &World) -> BTreeMap<Vec<u8>, u32> {
    let mut found = BTreeMap::new();
    for (i, record) in world.records().into_iter().enumerate() {
        assert_eq!(record.queue_offset, i as i64);
        *found.entry(record.body).or_default() += 1;
    }
    found
}

#[test]
fn c_47_while_one_append_hangs_new_puts_are_busy_at_once_and_nothing_is_lost_or_doubled() {
    for world in World::all() {
        for lock in ["true", "false"] {
            one_hangs(&world, lock);
        }
    }
}

fn one_hangs(world: &World, lock: &str) {
    let name = format!("{}, mutex {lock}", world.name());
    let store = world.open(&[("useReentrantLockWhenPutMessage", lock)]);
    let before = store.status().written_offset;
    let blocked = world.block(Op::Window);
    let (tell, told) = mpsc::channel();
    let key = u32::from(lock == "true") * 1000;
    thread::scope(|s| {
        let put = |writer: u32| {
            let (store, tell) = (&store, tell.clone());
            s.spawn(move || {
                let r = put_body(store, &body(key + writer, 0));
                tell.send((key + writer, r)).unwrap();
            });
        };
        put(0);
        world.until_blocked();
        world.clock.advance(1000);
        (1..9).for_each(put);
        // at the limit itself they wait
        assert!(told.recv_timeout(Duration::from_millis(100)).is_err(), "{name}: nobody waits");
        world.clock.advance(1);
        (9..32).for_each(put);
        for _ in 9..32 {
            let (_, r) = told.recv_timeout(Duration::from_secs(10)).unwrap();
            assert_eq!(r.status, PutMessageStatus::OsPageCacheBusy, "{name}");
            assert_eq!(r.cause, Some(Cause::PageCacheBusy { held_millis: 1001 }), "{name}");
        }
        let seen = s.spawn(|| store.status());
        thread::sleep(Duration::from_millis(50));
        world.clock.advance(2000);
        drop(blocked);
        let status = seen.join().unwrap();
        assert!(status.os_page_cache_busy, "{name}: who asked meanwhile is told");
        assert_eq!(status.lock_time_millis, 1001, "{name}");
        for _ in 0..9 {
            let (_, r) = told.recv_timeout(Duration::from_secs(10)).unwrap();
            assert_eq!(r.status, PutMessageStatus::PutOk, "{name}");
        }
    });
    let status = store.status();
    assert_eq!((status.lock_time_millis, status.os_page_cache_busy), (0, false), "{name}");
    assert_eq!(put_body(&store, &body(key + 32, 0)).status, PutMessageStatus::PutOk, "{name}");
    assert_eq!(store.status().written_offset, before + 10 * 200, "{name}");
    store.close().unwrap();
    let found = found(world);
    for writer in (0..9).chain([32]) {
        assert_eq!(found.get(&body(key + writer, 0)), Some(&1), "{name}: {writer}");
    }
    assert_eq!(found.len() as u64, store.status().written_offset / 200, "{name}");
}

/// Puts of each of the writers, all together always the same number; answers how long it took.
fn put_with(store: &Store, writers: u32, from: u32) -> Duration {
    const PUTS: u32 = 12_800;
    let start = Instant::now();
    thread::scope(|s| {
        for writer in 0..writers {
            s.spawn(move || {
                for n in 0..PUTS / writers {
                    let r = put_body(store, &body(from + writer, n));
                    assert_eq!(r.status, PutMessageStatus::PutOk);
                }
            });
        }
    });
    start.elapsed()
}

#[test]
fn c_50_more_threads_than_cores_all_get_their_turn_and_lose_nothing() {
    for lock in ["true", "false"] {
        let world = World::folder().size(1 << 20).ahead(true);
        let store = world.open(&[("useReentrantLockWhenPutMessage", lock)]);
        let few = put_with(&store, 4, 0);
        let many = put_with(&store, 64, 100);
        println!("C-50, mutex {lock}: 4 threads {few:?}, 64 threads {many:?} for the same puts");
        store.close().unwrap();
        let found = found(&world);
        assert_eq!(found.len(), 2 * 12_800, "mutex {lock}");
        assert!(found.values().all(|times| *times == 1), "mutex {lock}");
    }
}
