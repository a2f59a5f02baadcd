//! Contract 6 and 7 when the medium fails: for rigs that can be made to.

use mqstore_core::segment::{ErrorKind, Found, Readable, Segment, SegmentBackend, Tail};

use super::{CAPACITY, Rig, commit, expect_bytes, first, flush, kind_of, log, must, put, wait};

/// Checks that a segment is stopped with its marks where they were, for good.
fn expect_stopped<T: Tail, S: Segment>(tail: &mut T, segment: &S, flushed: u32) {
    let end = segment.marks().published();
    assert!(segment.marks().stopped().is_some());
    for _ in 0..3 {
        assert_eq!(kind_of(wait(|cx| segment.poll_commit(cx, end))), ErrorKind::Stopped);
        assert_eq!(kind_of(wait(|cx| segment.poll_flush(cx, end))), ErrorKind::Stopped);
        assert_eq!(kind_of(tail.window(end, 1)), ErrorKind::Stopped);
        assert_eq!(segment.marks().flushed(), flushed);
    }
}

/// 6: `fail` makes the next flush fail with this kind, and only that one.
pub fn a_segment_whose_flush_failed_takes_no_more<R: Rig>(
    rig: &R,
    fail: impl FnOnce(),
    kind: ErrorKind,
) {
    let (mut tail, segment) = first(rig);
    put(&mut tail, &segment, 0, b"durable");
    flush(&segment);
    put(&mut tail, &segment, 7, b", not durable");
    commit(&segment);
    fail();
    assert_eq!(kind_of(wait(|cx| segment.poll_flush(cx, 20))), kind);
    assert_eq!(segment.marks().stopped(), Some(kind));
    expect_stopped(&mut tail, &segment, 7);
    expect_bytes(&segment, 0, b"durable, not durable");
    drop((tail, segment));
    resume_and_go_on(rig, 7);
}

/// 6: the same for a commit of a staged segment.
pub fn a_segment_whose_commit_failed_takes_no_more<R: Rig>(
    rig: &R,
    fail: impl FnOnce(),
    kind: ErrorKind,
) {
    let (mut tail, segment) = first(rig);
    assert!(segment.geometry().staged, "the rig stages");
    put(&mut tail, &segment, 0, b"durable");
    flush(&segment);
    put(&mut tail, &segment, 7, b", lost");
    fail();
    assert_eq!(kind_of(wait(|cx| segment.poll_commit(cx, 13))), kind);
    assert_eq!(segment.marks().committed(), 7);
    expect_stopped(&mut tail, &segment, 7);
    expect_bytes(&segment, 0, b"durable");
    assert!(segment.view(0, 8).is_none());
    drop((tail, segment));
    resume_and_go_on(rig, 7);
}

/// 6: opening it again makes it whole.
fn resume_and_go_on<R: Rig>(rig: &R, end: u32) {
    let (mut tail, segment) = must(must(log(rig).open(0)).resume(end));
    put(&mut tail, &segment, end, b" again");
    flush(&segment);
    expect_bytes(&segment, 0, b"durable again");
}

/// 7: `fail` makes the next create fail with this kind, and only that one.
pub fn a_create_that_fails_leaves_nothing_and_the_next_one_works<R: Rig>(
    rig: &R,
    fail: impl FnOnce(),
    kind: ErrorKind,
) {
    let log = log(rig);
    let (mut tail, segment) = must(log.create(0));
    put(&mut tail, &segment, 0, b"first");
    fail();
    let base = u64::from(CAPACITY);
    assert_eq!(kind_of(log.create(base)), kind);
    let mut bases = 0;
    must(log.list(&mut |b| bases += b + 1));
    assert_eq!(bases, 1, "only the first one is there");
    let (_tail, next) = must(log.create(base));
    assert_eq!(next.marks().published(), 0);
    flush(&segment);
    expect_bytes(&segment, 0, b"first");
}
