//! Contract 1, 2 and 7: what is visible, how marks move, and that bytes stay.

use mqstore_core::segment::{Marks, Readable, Segment, SegmentBackend, Tail};

use super::{
    CAPACITY, Rig, commit, expect_bytes, expect_hidden, first, flush, log, must, put, wait,
};

fn all_of(marks: &Marks) -> (u32, u32, u32) {
    (marks.published(), marks.committed(), marks.flushed())
}

/// 1
pub fn a_fresh_segment_has_all_its_marks_at_zero<R: Rig>(rig: &R) {
    let (_tail, segment) = first(rig);
    assert_eq!(all_of(segment.marks()), (0, 0, 0));
    assert_eq!(segment.marks().stopped(), None);
    assert_eq!((segment.base(), segment.geometry().capacity), (0, CAPACITY));
}

/// 7: also where the medium uses space again.
pub fn a_fresh_segment_reads_as_zeros_also_where_another_one_was<R: Rig>(rig: &R) {
    let log = log(rig);
    let (mut tail, segment) = must(log.create(0));
    for at in (0..CAPACITY).step_by(1024) {
        put(&mut tail, &segment, at, &[0xFF; 1024]);
    }
    flush(&segment);
    drop((tail, segment));
    must(log.remove(0));
    let (tail, segment) = must(log.create(0));
    drop((tail, segment));
    let found = must(log.open(0));
    expect_bytes(&found, 0, &[0; CAPACITY as usize]);
}

/// 1: not before, and all of it then.
pub fn bytes_are_seen_once_published_or_when_staged_committed<R: Rig>(rig: &R) {
    let (mut tail, segment) = first(rig);
    expect_hidden(&segment, 0, 5);
    must(tail.window(0, 5)).copy_from_slice(b"hello");
    expect_hidden(&segment, 0, 5);
    tail.publish(5);
    if segment.geometry().staged {
        expect_hidden(&segment, 0, 5);
        commit(&segment);
    }
    expect_bytes(&segment, 0, b"hello");
    expect_bytes(&segment, 1, b"ell");
    expect_hidden(&segment, 0, 6);
}

/// 1
pub fn marks_follow_each_other_and_never_go_back<R: Rig>(rig: &R) {
    let (mut tail, segment) = first(rig);
    let staged = segment.geometry().staged;
    let mut before = (0, 0, 0);
    for round in 1..=8 {
        put(&mut tail, &segment, (round - 1) * 100, &[7; 100]);
        if round % 2 == 0 {
            must(wait(|cx| segment.poll_commit(cx, round * 100 - 50)));
        }
        if round % 3 == 0 {
            must(wait(|cx| segment.poll_flush(cx, round * 100 - 70)));
            must(wait(|cx| segment.poll_flush(cx, 10)));
        }
        let now = all_of(segment.marks());
        assert!(before.0 <= now.0 && before.1 <= now.1 && before.2 <= now.2, "{before:?} {now:?}");
        let visible = segment.marks().visible(staged);
        assert!(now.2 <= visible && visible <= now.0, "{now:?}");
        before = now;
    }
    flush(&segment);
    assert_eq!(segment.marks().flushed(), 800);
}

/// 1
pub fn a_commit_or_flush_goes_no_further_than_what_there_is<R: Rig>(rig: &R) {
    let (mut tail, segment) = first(rig);
    assert_eq!(must(wait(|cx| segment.poll_commit(cx, CAPACITY))), 0);
    assert_eq!(must(wait(|cx| segment.poll_flush(cx, CAPACITY))), 0);
    put(&mut tail, &segment, 0, &[7; 100]);
    if segment.geometry().staged {
        assert_eq!(must(wait(|cx| segment.poll_flush(cx, CAPACITY))), 0, "nothing is committed");
    }
    assert_eq!(must(wait(|cx| segment.poll_commit(cx, CAPACITY))), 100);
    assert_eq!(must(wait(|cx| segment.poll_flush(cx, CAPACITY))), 100);
    assert_eq!(segment.marks().flushed(), 100);
}

/// 2
pub fn published_bytes_stay_while_the_tail_writes_on<R: Rig>(rig: &R) {
    let (mut tail, segment) = first(rig);
    put(&mut tail, &segment, 0, &[1; 64]);
    commit(&segment);
    let reader = segment.clone();
    let view = reader.view(0, 64);
    for n in 1..8 {
        put(&mut tail, &segment, n * 64, &[0xFF; 64]);
        commit(&segment);
    }
    if let Some(view) = view {
        assert_eq!(view, [1; 64]);
    }
    expect_bytes(&reader, 0, &[1; 64]);
}

/// 2: also when another segment takes the name, and perhaps the space.
pub fn a_view_outlives_the_removal_of_its_segment<R: Rig>(rig: &R) {
    let log = log(rig);
    let (mut tail, segment) = must(log.create(0));
    put(&mut tail, &segment, 0, b"stays");
    commit(&segment);
    let reader = segment.clone();
    drop((tail, segment));
    must(log.remove(0));
    let (mut tail, segment) = must(log.create(0));
    put(&mut tail, &segment, 0, b"other");
    commit(&segment);
    expect_bytes(&reader, 0, b"stays");
    expect_bytes(&segment, 0, b"other");
}

/// 5 and 7
pub fn a_full_segment_takes_its_last_byte_and_no_more<R: Rig>(rig: &R) {
    let (mut tail, segment) = first(rig);
    for at in (0..CAPACITY).step_by(512) {
        put(&mut tail, &segment, at, &[3; 512]);
    }
    flush(&segment);
    assert_eq!(all_of(segment.marks()).2, CAPACITY);
    assert!(tail.window(CAPACITY, 1).is_err());
    assert_eq!(must(tail.window(CAPACITY, 0)).len(), 0);
    expect_bytes(&segment, CAPACITY - 512, &[3; 512]);
    drop(tail);
    assert_eq!(must(wait(|cx| segment.poll_commit(cx, CAPACITY))), CAPACITY);
}

/// The rest behind a filler's head.
pub fn what_is_published_without_being_lent_reads_as_zeros<R: Rig>(rig: &R) {
    let (mut tail, segment) = first(rig);
    must(tail.window(0, 8)).copy_from_slice(&[9; 8]);
    tail.publish(CAPACITY);
    flush(&segment);
    assert_eq!(segment.marks().flushed(), CAPACITY);
    expect_bytes(&segment, 0, &[9; 8]);
    expect_bytes(&segment, 8, &[0; CAPACITY as usize - 8]);
}
