//! One fault at a time, and what the store has to say about it.

use std::sync::Arc;

use mqstore::{Message, OpenError, PutMessageStatus, Store};
use mqstore_core::segment::ErrorKind;
use mqstore_sim::{DiskOptions, Effect, Fault, MediumOptions, Op, SimDisk};

use crate::log::{self, SIZE};
use crate::recover::open_once;

const FIRST: &str = "commitlog/00000000000000000000";
const MEDIUM: MediumOptions =
    MediumOptions { stage: 0, polls: 2, views: false, rewrite: true, sync_names: true };

fn put(store: &Store, n: usize) -> PutMessageStatus {
    store.put(&Message::new("TopicTest", 0, &vec![7; n])).status
}

/// A disk with a store of ten messages that was closed.
fn closed() -> Arc<SimDisk> {
    let disk = SimDisk::new(3, DiskOptions::default());
    let store = open_once(&disk, MEDIUM).unwrap();
    assert!((0..10).all(|_| put(&store, 500) == PutMessageStatus::PutOk));
    store.close().unwrap();
    disk
}

#[test]
fn a_log_that_cannot_be_read_is_not_opened_and_not_changed() {
    for views in [false, true] {
        let (disk, medium) = (closed(), MediumOptions { views, ..MEDIUM });
        assert!(disk.make_unreadable(FIRST, 2000));
        let before = disk.counts().operations;
        match open_once(&disk, medium) {
            Err(OpenError::Medium { kind: ErrorKind::Device, .. }) => {}
            other => panic!("{:?}", other.map(|_| ())),
        }
        assert_eq!(disk.counts().operations, before, "nothing was written");
        assert_eq!(disk.unsynced(), 0);
    }
}

#[test]
fn a_bit_that_flips_in_a_body_is_named_with_its_record() {
    let disk = closed();
    let mut records = Vec::new();
    log::each(&log::files(&disk), |at, _| records.push(at));
    assert!(disk.flip(FIRST, usize::try_from(records[4]).unwrap() + 300, 3));
    match open_once(&disk, MEDIUM) {
        Err(OpenError::Damaged { offset, .. }) => assert_eq!(offset, records[4]),
        other => panic!("{:?}", other.map(|_| ())),
    }
    assert!(disk.flip(FIRST, usize::try_from(records[4]).unwrap() + 300, 3));
    drop(open_once(&disk, MEDIUM).unwrap());
}

#[test]
fn a_roll_without_room_refuses_the_put_and_the_next_one_works() {
    let disk = closed();
    let store = open_once(&disk, MEDIUM).unwrap();
    disk.plan(Fault::new(Op::Create, Effect::Fail(ErrorKind::NoSpace)));
    let answers: Vec<_> = (0..10).map(|_| put(&store, 1000)).collect();
    let refused = answers.iter().filter(|a| **a != PutMessageStatus::PutOk).count();
    assert_eq!(refused, 1, "{answers:?}");
    store.close().unwrap();
    let mut records = 0;
    log::each(&log::files(&disk), |_, _| records += 1);
    assert_eq!(records, 19);
}

#[test]
fn a_disk_that_is_full_keeps_what_it_has() {
    let disk =
        SimDisk::new(3, DiskOptions { bytes: u64::from(SIZE) * 5 / 2, ..Default::default() });
    let store = open_once(&disk, MEDIUM).unwrap();
    let taken = (0..40).filter(|_| put(&store, 900) == PutMessageStatus::PutOk).count();
    assert!((10..20).contains(&taken), "{taken}");
    drop(store);
    let store = open_once(&disk, MEDIUM).unwrap();
    let mut records = 0;
    log::each(&log::files(&disk), |_, _| records += 1);
    assert_eq!(records, taken);
    store.close().unwrap();
}

#[test]
fn a_put_whose_sync_fails_is_not_acknowledged_and_no_other_is() {
    let disk = closed();
    let store = open_once(&disk, MEDIUM).unwrap();
    disk.plan(Fault::new(Op::Sync, Effect::Fail(ErrorKind::Device)).below("commitlog/"));
    assert!((0..3).all(|_| put(&store, 10) != PutMessageStatus::PutOk));
    assert!(store.close().is_err());
}
