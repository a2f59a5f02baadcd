//! Pages and files that are made ready slowly: C-49.

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use mqstore::{Cause, ErrorKind, PutMessageStatus, StoreOptions};
use mqstore_backends::mem::MemMedium;
use mqstore_backends::over::{Ahead, AheadRules, FaultPlan, Faulty, Op};

use crate::support::{put_r, with};
use crate::world::{World, until};

#[test]
fn c_49_a_writer_never_waits_for_pages_that_are_slow_to_be_made_ready() {
    // the warmer alone, into the second file; and within one with the thread that makes files
    // ahead, which has to end a step of warming (256 KiB) before it makes the next one
    for (ahead, puts, files) in [(false, 1000, 2), (true, 900, 1)] {
        for world in World::all() {
            let world = world.size(1 << 20).ahead(ahead);
            let name = world.name();
            let store = world.open(&[]);
            let blocked = world.block(Op::Prepare);
            put_r(&store, 1000);
            until("pages are made ready", || world.plan.blocked() > 0);
            let (tell, told) = mpsc::channel();
            thread::scope(|s| {
                let store = &store;
                s.spawn(move || {
                    let all =
                        (0..puts).all(|_| put_r(store, 1000).status == PutMessageStatus::PutOk);
                    tell.send(all).unwrap();
                });
                let all = told.recv_timeout(Duration::from_secs(20));
                drop(blocked);
                assert_eq!(all, Ok(true), "{name}: a put has waited");
            });
            assert_eq!(store.status().commit_log_files.len(), files, "{name}");
            store.close().unwrap();
            assert_eq!(world.records().len(), puts + 1, "{name}");
        }
    }
}

#[test]
fn c_49_with_slow_warming_every_change_of_files_goes_well() {
    for world in World::all() {
        let world = world.size(1 << 20).ahead(true);
        let name = world.name();
        let store = world.open(&[]);
        world.plan.slow(Op::Prepare, Duration::from_millis(50));
        for n in 0..5000 {
            let r = put_r(&store, 1000);
            assert_eq!(r.status, PutMessageStatus::PutOk, "{name}: put {n}");
        }
        assert_eq!(store.status().commit_log_files.len(), 6, "{name}");
        store.close().unwrap();
        assert_eq!(world.records().len(), 5000, "{name}");
    }
}

#[test]
fn c_49_a_file_that_is_not_ready_in_time_is_an_answer_and_comes_with_a_later_put() {
    let plan = std::sync::Arc::new(FaultPlan::new());
    let medium = Faulty::new(MemMedium::heap(1 << 20), std::sync::Arc::clone(&plan));
    let rules = AheadRules { wait: Duration::from_millis(100), ..AheadRules::default() };
    let options = with(StoreOptions::default(), &[("mappedFileSizeCommitLog", "4096")]);
    let store = options.open_on(Ahead::with_rules(medium, rules)).unwrap();
    plan.block(Op::Create);
    let refused = put_r(&store, 100);
    assert_eq!(refused.status, PutMessageStatus::CreateMapedFileFailed);
    assert_eq!(refused.cause, Some(Cause::CreateFailed(ErrorKind::TimedOut)));
    assert_eq!(store.status().written_offset, 0);
    plan.go_on(Op::Create);
    until("the file is there", || put_r(&store, 100).status == PutMessageStatus::PutOk);
    assert_eq!(store.status().commit_log_files, [0]);
    store.close().unwrap();
}
