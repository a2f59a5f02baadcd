//! Ranges of a log: present, removed, not yet visible, or impossible.

use super::*;
use crate::log::CommitLog;
use crate::log::testing::{TestBackend, TestSegment as Segment};
use crate::segment::{FixedTable, SegmentBackend, SegmentTable, Tail};

/// Three files of 100 bytes, the last one with 50.
fn log(staged: bool) -> (TestBackend, CommitLog<Segment, Table>) {
    let backend = TestBackend::new(100, staged);
    let log = CommitLog::new(Table::new(), 250);
    for (base, end) in [(0, 100), (100, 100), (200, 50)] {
        let (mut tail, segment) = backend.create(base).unwrap();
        tail.window(0, end).unwrap().fill(base as u8);
        tail.publish(end);
        log.table().push(segment).unwrap();
    }
    (backend, log)
}

type Table = FixedTable<Segment, 4>;

fn brief(found: crate::read::Found<Pinned<Segment>>) -> crate::read::Found<(u32, u32)> {
    use crate::read::Found::{Damaged, NotVisible, Present, Removed};
    match found {
        Present(pinned) => Present((pinned.at, pinned.len)),
        Removed => Removed,
        Damaged => Damaged,
        NotVisible => NotVisible,
    }
}

#[test]
fn a_range_is_present_removed_not_visible_or_impossible() {
    use crate::read::Found::{Damaged, NotVisible, Present, Removed};
    let (_backend, log) = log(false);
    let at = |limit, place, size| brief(locate(&log, limit, place, size));
    assert_eq!(at(u64::MAX, 110, 90), Present((10, 90)));
    assert_eq!(at(u64::MAX, 200, 50), Present((0, 50)));
    assert_eq!(at(u64::MAX, 200, 51), NotVisible);
    assert_eq!(at(u64::MAX, 250, 0), Present((50, 0)));
    assert_eq!(at(u64::MAX, 300, 10), NotVisible);
    assert_eq!(at(u64::MAX, u64::MAX, u32::MAX), NotVisible);
    assert_eq!(at(u64::MAX, 110, 91), Damaged, "it would lie in two files");
    assert_eq!(at(220, 200, 20), Present((0, 20)));
    assert_eq!(at(220, 200, 21), NotVisible, "not flushed yet");
    let held = locate(&log, u64::MAX, 0, 100);
    log.table().pop_first();
    assert_eq!(at(u64::MAX, 0, 100), Removed);
    assert_eq!(at(u64::MAX, 99, 1), Removed);
    let crate::read::Found::Present(held) = held else { panic!("not held") };
    assert_eq!(held.view(), Some(&[0; 100][..]), "what is held can be read on");
}

#[test]
fn staged_bytes_are_not_visible_before_they_are_committed() {
    let (_backend, log) = log(true);
    let found = brief(locate(&log, u64::MAX, 200, 50));
    assert_eq!(found, crate::read::Found::NotVisible);
}
