//! A log file that cannot be made: C-43 and C-69.

use std::sync::Arc;

use mqstore::{Cause, ErrorKind, PutMessageStatus};
use mqstore_backends::over::{Fault, FaultPlan, Faulty, Op, Place};

use crate::support::put_r;
use crate::world::{World, copy_of_log, folder};

/// Each medium with and without files made ahead.
fn worlds() -> impl Iterator<Item = World> {
    World::all().into_iter().chain(World::all().map(|w| w.ahead(true)))
}

fn create_fails() -> Fault {
    Fault::new(Op::Create, ErrorKind::NoSpace).only(Place::CommitLog)
}

#[test]
fn c_43_a_put_that_fails_inside_the_lock_leaves_it_free() {
    for world in worlds() {
        // before the file is there, and behind that
        for fault in [create_fails(), create_fails().after()] {
            let name = world.name();
            let store = world.open(&[]);
            let end = store.status().written_offset;
            world.plan.add(fault);
            let body = if end == 0 { 100 } else { 3900 };
            let refused = put_r(&store, body);
            assert_eq!(refused.status, PutMessageStatus::CreateMapedFileFailed, "{name}");
            world.clock.advance(2000);
            let status = store.status();
            assert_eq!((status.lock_time_millis, status.os_page_cache_busy), (0, false), "{name}");
            assert_eq!(put_r(&store, body).status, PutMessageStatus::PutOk, "{name}");
            store.close().unwrap();
        }
    }
}

#[test]
fn c_69_a_second_file_that_cannot_be_made_moves_nothing_and_is_made_by_the_next_put() {
    for world in worlds() {
        for_one(&world, create_fails());
    }
    for world in worlds() {
        // the file was there already
        for_one(&world, create_fails().after());
    }
}

fn for_one(world: &World, fault: Fault) {
    let name = world.name();
    let store = world.open(&[]);
    // also for the thread that makes files ahead, which tries again for whoever waits
    assert!(world.plan.add(fault.nth(2).for_ever()));
    for n in 0..20 {
        let append = put_r(&store, 100).append.unwrap();
        assert_eq!((append.wrote_offset, append.queue_offset), (n * 200, n as i64), "{name}");
    }
    let refused = put_r(&store, 100);
    assert_eq!(refused.status, PutMessageStatus::CreateMapedFileFailed, "{name}");
    assert_eq!(refused.cause, Some(Cause::CreateFailed(ErrorKind::NoSpace)), "{name}");
    assert_eq!(store.status().written_offset, 4000, "{name}");
    world.plan.heal();
    let append = put_r(&store, 100).append.unwrap();
    assert_eq!((append.wrote_offset, append.queue_offset), (4096, 20), "{name}");
    assert_eq!(store.status().commit_log_files, [0, 4096], "{name}");
    store.close().unwrap();
    drop(store);
    assert_eq!(world.files(), [0, 4096], "{name}: a third, or an empty one");
    let again = world.open(&[]);
    assert_eq!(again.status().written_offset, 4296, "{name}");
    assert_eq!(put_r(&again, 100).append.unwrap().queue_offset, 21, "{name}");
}

#[test]
fn what_a_killed_process_left_in_memory_is_made_durable_before_it_counts() {
    // two full files and a third, left without a close
    let world = World::folder();
    let store = world.open(&[]);
    for _ in 0..10 {
        put_r(&store, 1000);
    }
    assert_eq!(store.status().commit_log_files.len(), 4);
    let left = copy_of_log(world.path().unwrap());
    store.close().unwrap();
    std::fs::write(left.path().join("abort"), "").unwrap();
    let open = |plan: &Arc<FaultPlan>| {
        let medium = Faulty::new(folder(left.path(), None), Arc::clone(plan));
        crate::support::small(left.path()).open_on(medium)
    };
    let plan = Arc::new(FaultPlan::new());
    plan.fail_next(Op::SyncFound, ErrorKind::Device);
    let refused = open(&plan).map(|_| ()).unwrap_err();
    assert!(refused.to_string().contains("commit log"), "{refused}");
    let store = open(&plan).unwrap();
    assert_eq!(store.status().flushed_where, store.status().written_offset);
    store.close().unwrap();
}
