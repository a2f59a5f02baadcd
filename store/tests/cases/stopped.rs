//! A device that fails for good: C-01 and C-65.

use std::fs;

use mqstore::{Cause, ErrorKind, PutMessageStatus, Reason, Store};
use mqstore_backends::over::{Fault, Op};

use crate::support::{NOW, put_r, small};
use crate::world::{World, copy_of_log, records};

const SYNC: [(&str, &str); 1] = [("flushDiskType", "SYNC_FLUSH")];

/// The store says since when and why it takes no writes, and takes none.
fn is_stopped(store: &Store, why: ErrorKind, name: &str) {
    assert_eq!(store.reasons(), [(Reason::LogStopped(why), NOW)], "{name}");
    let refused = put_r(store, 100);
    assert_eq!(refused.status, PutMessageStatus::ServiceNotAvailable, "{name}");
    let cause = Cause::NotWriteable { reason: Reason::LogStopped(why), since: NOW };
    assert_eq!(refused.cause, Some(cause), "{name}");
    assert!(refused.append.is_none(), "{name}");
}

#[test]
fn c_01_a_sync_that_fails_acknowledges_nothing_and_stops_the_log() {
    for world in World::all() {
        let name = world.name();
        let store = world.open(&SYNC);
        assert_eq!(put_r(&store, 100).status, PutMessageStatus::PutOk, "{name}");
        assert_eq!(store.status().flushed_where, 200);
        world.plan.fail_next(Op::Flush, ErrorKind::Device);
        let second = put_r(&store, 100);
        assert_eq!(second.status, PutMessageStatus::FlushDiskTimeout, "{name}");
        assert_eq!(second.cause, Some(Cause::FlushFailed(ErrorKind::Device)), "{name}");
        // the device is well again, and nobody believes it
        is_stopped(&store, ErrorKind::Device, name);
        let e = store.flush().unwrap_err();
        assert_eq!((e.flushed_where, store.status().flushed_where), (200, 200), "{name}");
        if let Some(path) = world.path() {
            assert_eq!(world.records()[0].body, [7; 100], "what is there can be read");
            after_a_power_cut(path);
        }
        let status = store.status();
        assert!(store.close().is_err(), "{name}");
        assert_eq!(store.status().written_offset, status.written_offset);
        let again = world.open(&SYNC);
        let end = again.status().written_offset;
        assert!(end == 200 || end == 400, "{name}: {end}");
        assert_eq!(put_r(&again, 100).append.unwrap().wrote_offset, end, "{name}");
    }
}

/// Whatever became of the record that was not synced, the first one is there.
fn after_a_power_cut(path: &std::path::Path) {
    for lost in [false, true] {
        let copy = copy_of_log(path);
        if lost {
            let file = copy.path().join("commitlog/00000000000000000000");
            let mut bytes = fs::read(&file).unwrap();
            bytes[200..].fill(0);
            fs::write(&file, bytes).unwrap();
        }
        let store = small(copy.path()).open().unwrap();
        let end = store.status().written_offset;
        assert!(end == 200 || !lost && end == 400, "{end}");
        assert_eq!(records(&crate::support::log_bytes(copy.path()), 4096)[0].body, [7; 100]);
    }
}

/// From now on the device takes no writes and no syncs.
fn turn_read_only(world: &World) {
    for op in [Op::Create, Op::Commit, Op::Flush, Op::SetCells, Op::SyncCells, Op::Save, Op::Erase]
    {
        assert!(world.plan.add(Fault::new(op, ErrorKind::ReadOnly).for_ever()));
    }
}

#[test]
fn c_65_a_device_that_turns_read_only_refuses_puts_and_says_so() {
    let modes: [&[(&str, &str)]; 3] = [&SYNC, &[], &[("transientStorePoolEnable", "true")]];
    for mode in modes {
        for world in World::all() {
            let name = format!("{} {mode:?}", world.name());
            let store = world.open(mode);
            for _ in 0..10 {
                assert_eq!(put_r(&store, 100).status, PutMessageStatus::PutOk, "{name}");
            }
            assert_eq!(store.flush().unwrap(), 2000, "{name}");
            turn_read_only(&world);
            let first = put_r(&store, 100);
            if mode == SYNC {
                assert_eq!(first.status, PutMessageStatus::FlushDiskTimeout, "{name}");
                assert_eq!(first.cause, Some(Cause::FlushFailed(ErrorKind::ReadOnly)), "{name}");
            } else {
                // stored in memory; the first flush that fails ends it
                let e = store.flush().unwrap_err();
                assert_eq!((e.kind, e.flushed_where), (ErrorKind::ReadOnly, 2000), "{name}");
            }
            is_stopped(&store, ErrorKind::ReadOnly, &name);
            let shown = put_r(&store, 1).to_string();
            assert!(shown.contains("read-only device"), "{shown}");
            assert_eq!(store.close().unwrap_err().flushed_where, 2000, "{name}");
            assert_eq!(store.status().flushed_where, 2000, "{name}");
            if let Some(path) = world.path() {
                assert!(path.join("abort").exists(), "the next open has to look");
            }
            // through a medium that only looks
            let found = world.records();
            assert!(found.len() >= 10 && found.iter().take(10).all(|r| r.body == [7; 100]));
        }
    }
}
