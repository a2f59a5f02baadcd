//! Contract 3 and 8: segments that are found, sealed and resumed.

use mqstore_core::segment::{ErrorKind, Found, Readable, Segment, SegmentBackend, Tail};

use super::{
    CAPACITY, Rig, commit, expect_bytes, expect_hidden, first, flush, kind_of, log, must, put,
};

/// 3, as far as it shows without a power cut.
pub fn what_was_flushed_is_there_when_it_is_opened_again<R: Rig>(rig: &R) {
    let (mut tail, segment) = first(rig);
    put(&mut tail, &segment, 0, b"durable");
    flush(&segment);
    drop((tail, segment));
    let log = log(rig);
    let mut bases = 0;
    must(log.list(&mut |base| bases += base + 1));
    assert_eq!(bases, 1);
    expect_bytes(&must(log.open(0)), 0, b"durable");
}

/// Also what was never published.
pub fn a_found_segment_shows_all_its_bytes<R: Rig>(rig: &R) {
    let (mut tail, segment) = first(rig);
    put(&mut tail, &segment, 0, b"x");
    commit(&segment);
    drop((tail, segment));
    let found = must(log(rig).open(0));
    assert_eq!((found.base(), found.geometry().capacity), (0, CAPACITY));
    expect_bytes(&found, 0, b"x");
    expect_bytes(&found, 1, &[0; CAPACITY as usize - 1]);
    expect_hidden(&found, 0, CAPACITY + 1);
    expect_hidden(&found, CAPACITY, 1);
    expect_hidden(&found, u32::MAX, 1);
}

/// A full log file.
pub fn a_sealed_segment_has_all_its_marks_at_the_capacity<R: Rig>(rig: &R) {
    drop(first(rig));
    let segment = must(log(rig).open(0)).seal();
    let marks = segment.marks();
    assert_eq!((marks.published(), marks.flushed()), (CAPACITY, CAPACITY));
    assert_eq!(marks.visible(segment.geometry().staged), CAPACITY);
    expect_bytes(&segment, 0, &[0; CAPACITY as usize]);
    flush(&segment);
}

/// The log's last file.
pub fn a_resumed_segment_goes_on_at_its_end<R: Rig>(rig: &R) {
    let (mut tail, segment) = first(rig);
    put(&mut tail, &segment, 0, b"hello, garbage");
    flush(&segment);
    drop((tail, segment));
    let (mut tail, segment) = must(must(log(rig).open(0)).resume(5));
    let marks = segment.marks();
    assert_eq!((marks.published(), marks.committed(), marks.flushed()), (5, 5, 5));
    expect_bytes(&segment, 0, b"hello");
    expect_hidden(&segment, 0, 6);
    assert_eq!(kind_of(tail.window(4, 1)), ErrorKind::OutOfBounds);
    put(&mut tail, &segment, 5, b" world");
    flush(&segment);
    expect_bytes(&segment, 0, b"hello world");
    drop((tail, segment));
    expect_bytes(&must(log(rig).open(0)), 0, b"hello world");
}

/// 10: what a cut has taken away does not come back.
pub fn a_resumed_segment_holds_zeros_behind_its_end<R: Rig>(rig: &R) {
    let (mut tail, segment) = first(rig);
    for at in (0..CAPACITY / 2).step_by(64) {
        put(&mut tail, &segment, at, &[7; 64]);
    }
    flush(&segment);
    drop((tail, segment));
    let log = log(rig);
    must(must(log.open(0)).sync());
    let (mut tail, segment) = must(must(log.open(0)).resume(100));
    put(&mut tail, &segment, 100, b"next");
    flush(&segment);
    drop((tail, segment));
    let found = must(log.open(0));
    expect_bytes(&found, 0, &[7; 100]);
    expect_bytes(&found, 100, b"next");
    expect_bytes(&found, 104, &[0; CAPACITY as usize - 104]);
}

/// Misuse.
pub fn a_segment_is_not_resumed_behind_its_capacity<R: Rig>(rig: &R) {
    drop(first(rig));
    let found = must(log(rig).open(0));
    assert_eq!(kind_of(found.resume(CAPACITY + 1)), ErrorKind::OutOfBounds);
    drop(must(must(log(rig).open(0)).resume(CAPACITY)));
}

/// 8: two tails would write over each other.
pub fn a_segment_that_is_written_is_not_opened<R: Rig>(rig: &R) {
    let (tail, segment) = first(rig);
    let log = log(rig);
    assert_eq!(kind_of(log.open(0)), ErrorKind::Busy);
    drop((tail, segment));
    drop(must(log.open(0)));
    let (tail, segment) = must(must(log.open(0)).resume(0));
    assert_eq!(kind_of(log.open(0)), ErrorKind::Busy);
    drop((tail, segment));
    drop(must(log.open(0)));
}

/// 8: what a reader sees would change under his eyes.
pub fn a_segment_that_is_read_is_not_resumed_below_what_is_read<R: Rig>(rig: &R) {
    drop(first(rig));
    let log = log(rig);
    let sealed = must(log.open(0)).seal();
    assert_eq!(kind_of(must(log.open(0)).resume(100)), ErrorKind::Busy);
    let other = must(log.open(0));
    drop(sealed);
    assert_eq!(kind_of(must(log.open(0)).resume(100)), ErrorKind::Busy);
    drop(other);
    drop(must(must(log.open(0)).resume(100)));
}

/// 8: behind its capacity nobody reads.
pub fn a_full_segment_is_resumed_although_it_is_read<R: Rig>(rig: &R) {
    drop(first(rig));
    let log = log(rig);
    let sealed = must(log.open(0)).seal();
    let (mut tail, segment) = must(must(log.open(0)).resume(CAPACITY));
    assert_eq!(segment.marks().published(), CAPACITY);
    assert_eq!(kind_of(tail.window(CAPACITY, 1)), ErrorKind::OutOfBounds);
    tail.publish(CAPACITY);
    flush(&segment);
    expect_bytes(&sealed, 0, &[0; CAPACITY as usize]);
}
