//! What is acknowledged is durable, and nothing else: C-03, C-04 and C-07.

use std::collections::BTreeSet;
use std::sync::{Mutex, mpsc};
use std::thread;
use std::time::Duration;

use mqstore::{Cause, ErrorKind, PutMessageStatus, Store};
use mqstore_backends::over::Op;

use crate::support::{put_r, small};
use crate::world::{World, copy_of_log, put_body, until};

#[test]
fn c_03_raw_bytes_that_could_not_be_written_can_be_sent_again() {
    let from = World::mem();
    let master = from.open(&[]);
    put_r(&master, 100);
    master.close().unwrap();
    let record = from.log()[..200].to_vec();
    for world in World::all() {
        let name = world.name();
        let slave = world.open(&[("brokerRole", "SLAVE")]);
        world.plan.fail_next(Op::Window, ErrorKind::Device);
        let refused = slave.append_raw(0, &record).unwrap_err();
        assert_eq!(refused.cause, Cause::WriteFailed(ErrorKind::Device), "{name}");
        assert_eq!(slave.status().written_offset, 0, "{name}");
        assert_eq!(slave.append_raw(0, &record), Ok(200), "{name}");
        assert_eq!(slave.status().written_offset, 200, "{name}");
        slave.close().unwrap();
        let log = world.log();
        assert!(log[..200] == record && log[200..].iter().all(|b| *b == 0), "{name}");
    }
}

#[test]
fn c_04_puts_that_race_with_close_are_in_the_log_or_refused() {
    let modes: [&[(&str, &str)]; 3] =
        [&[], &[("flushDiskType", "SYNC_FLUSH")], &[("transientStorePoolEnable", "true")]];
    for mode in modes {
        let world = World::folder().size(16 << 20).ahead(true);
        let store = world.open(mode);
        let taken = Mutex::new(BTreeSet::new());
        thread::scope(|s| {
            for writer in 0..8u32 {
                let (store, taken) = (&store, &taken);
                s.spawn(move || taken.lock().unwrap().extend(put_until_refused(store, writer)));
            }
            thread::sleep(Duration::from_millis(200));
            store.close().unwrap();
            let late = put_r(&store, 100);
            assert_eq!(late.status, PutMessageStatus::ServiceNotAvailable, "{mode:?}");
        });
        let status = store.status();
        assert_eq!(status.flushed_where, status.written_offset, "{mode:?}: a power cut takes some");
        drop(store);
        let taken = taken.into_inner().unwrap();
        let found: Vec<_> = world.records().into_iter().map(|r| r.body).collect();
        assert!(!taken.is_empty());
        assert_eq!(found.len(), taken.len(), "{mode:?}");
        assert!(found.into_iter().collect::<BTreeSet<_>>() == taken, "{mode:?}");
        let again = world.open(mode);
        assert_eq!(again.status().written_offset, status.written_offset, "{mode:?}");
    }
}

#[test]
fn c_04_a_put_that_comes_into_the_lock_behind_close_is_refused() {
    let world = World::folder();
    let store = world.open(&[("transientStorePoolEnable", "true")]);
    let blocked = world.block(Op::Commit);
    assert_eq!(put_r(&store, 100).status, PutMessageStatus::PutOk);
    // finds the buffer full, and has it committed before it comes into the lock again
    world.plan.fail_next(Op::Window, ErrorKind::Busy);
    thread::scope(|s| {
        let late = s.spawn(|| put_r(&store, 100));
        world.until_blocked();
        thread::sleep(Duration::from_millis(100));
        let closing = s.spawn(|| store.close());
        until("puts are refused", || !put_r(&store, 5000).to_string().contains("illegal"));
        thread::sleep(Duration::from_millis(100));
        drop(blocked);
        let late = late.join().unwrap();
        assert_eq!(late.status, PutMessageStatus::ServiceNotAvailable, "{late}");
        closing.join().unwrap().unwrap();
    });
    assert_eq!(world.records().len(), 1);
}

/// Puts bodies of 100 bytes that begin with their key; answers those that were taken.
fn put_until_refused(store: &Store, writer: u32) -> Vec<Vec<u8>> {
    let mut taken = Vec::new();
    for n in 0u32.. {
        let mut body = vec![0; 100];
        body[..4].copy_from_slice(&writer.to_be_bytes());
        body[4..8].copy_from_slice(&n.to_be_bytes());
        let r = put_body(store, &body);
        if r.status != PutMessageStatus::PutOk {
            assert_eq!(r.status, PutMessageStatus::ServiceNotAvailable);
            assert!(matches!(r.cause, Some(Cause::Shutdown { .. })), "{r}");
            assert!(r.append.is_none());
            break;
        }
        taken.push(body);
    }
    taken
}

#[test]
fn c_07_a_synchronous_put_is_answered_when_it_is_synced_also_with_the_pool() {
    for pool in ["false", "true"] {
        let settings = [("flushDiskType", "SYNC_FLUSH"), ("transientStorePoolEnable", pool)];
        let world = World::folder();
        let store = world.open(&settings);
        let blocked = world.block(Op::Flush);
        let (tell, told) = mpsc::channel();
        thread::scope(|s| {
            s.spawn(|| tell.send(put_r(&store, 100).status).unwrap());
            let early = told.recv_timeout(Duration::from_millis(200));
            assert!(early.is_err(), "pool {pool}: answered before it was synced");
            drop(blocked);
            assert_eq!(told.recv().unwrap(), PutMessageStatus::PutOk, "pool {pool}");
        });
        assert_eq!(store.status().flushed_where, 200, "pool {pool}");
        let copy = copy_of_log(world.path().unwrap());
        let again = small(copy.path()).open().unwrap();
        assert_eq!(again.status().written_offset, 200, "pool {pool}");
    }
}

/// `docs/compatibility.md` says so.
#[test]
fn in_synchronous_flush_only_a_put_that_syncs_itself_waits_longer_than_its_timeout() {
    for world in World::all() {
        let name = world.name();
        let settings = [("flushDiskType", "SYNC_FLUSH"), ("syncFlushTimeout", "100")];
        let store = world.open(&settings);
        let blocked = world.block(Op::Flush);
        let (tell, told) = mpsc::channel();
        thread::scope(|s| {
            for _ in 0..4 {
                let (store, tell) = (&store, tell.clone());
                s.spawn(move || tell.send(put_r(store, 100)).unwrap());
            }
            // all but the one that is inside the sync
            for _ in 0..3 {
                let r = told.recv_timeout(Duration::from_secs(10)).unwrap();
                assert_eq!(r.status, PutMessageStatus::FlushDiskTimeout, "{name}");
                assert_eq!(r.cause, Some(Cause::FlushTimeout), "{name}");
                assert!(r.is_ok(), "{name}: stored all the same");
            }
            drop(blocked);
            let last = told.recv_timeout(Duration::from_secs(10)).unwrap();
            assert!(last.is_ok(), "{name}");
        });
        assert_eq!(store.flush().unwrap(), 800, "{name}: the device is well again");
        assert_eq!(put_r(&store, 100).status, PutMessageStatus::PutOk, "{name}");
        store.close().unwrap();
        assert_eq!(world.records().len(), 5, "{name}");
    }
}
