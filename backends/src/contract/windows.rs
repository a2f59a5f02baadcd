//! Contract 4 and 5: windows, and the bounds of readers.

use mqstore_core::segment::{ErrorKind, Readable, Segment, Tail};

use super::{CAPACITY, Rig, commit, expect_bytes, expect_hidden, first, kind_of, must, put};

/// 4
pub fn a_window_counts_only_when_it_is_published<R: Rig>(rig: &R) {
    let (mut tail, segment) = first(rig);
    put(&mut tail, &segment, 0, b"one");
    must(tail.window(3, 3)).copy_from_slice(b"two");
    commit(&segment);
    assert_eq!(segment.marks().published(), 3);
    expect_bytes(&segment, 0, b"one");
    expect_hidden(&segment, 0, 4);
}

/// 4
pub fn a_window_that_was_given_up_is_overwritten<R: Rig>(rig: &R) {
    let (mut tail, segment) = first(rig);
    must(tail.window(0, 100)).fill(0xFF);
    must(tail.window(0, 5)).copy_from_slice(b"hello");
    tail.publish(5);
    commit(&segment);
    expect_bytes(&segment, 0, b"hello");
    put(&mut tail, &segment, 5, &[1; 95]);
    commit(&segment);
    expect_bytes(&segment, 5, &[1; 95]);
}

/// 4: a record may be written before the bytes in front of it are.
pub fn a_window_may_begin_behind_the_published_mark<R: Rig>(rig: &R) {
    let (mut tail, segment) = first(rig);
    must(tail.window(5, 6)).copy_from_slice(b" world");
    must(tail.window(0, 5)).copy_from_slice(b"hello");
    tail.publish(11);
    commit(&segment);
    expect_bytes(&segment, 0, b"hello world");
}

/// 5
pub fn a_window_outside_is_refused_without_a_panic<R: Rig>(rig: &R) {
    let (mut tail, segment) = first(rig);
    put(&mut tail, &segment, 0, &[1; 100]);
    commit(&segment);
    let max = segment.geometry().window_max;
    let outside = [
        (0, 10),
        (99, 1),
        (100, max.saturating_add(1)),
        (CAPACITY, 1),
        (CAPACITY - 1, 2),
        (CAPACITY + 1, 0),
        (u32::MAX, 1),
        (u32::MAX, u32::MAX),
        (100, u32::MAX),
    ];
    for (at, len) in outside {
        assert_eq!(kind_of(tail.window(at, len)), ErrorKind::OutOfBounds, "{at} {len}");
    }
    put(&mut tail, &segment, 100, &[2; 100]);
    commit(&segment);
    expect_bytes(&segment, 100, &[2; 100]);
}

/// 5
pub fn a_window_of_nothing_is_lent_everywhere<R: Rig>(rig: &R) {
    let (mut tail, segment) = first(rig);
    for at in [0, 1, CAPACITY - 1, CAPACITY] {
        assert!(must(tail.window(at, 0)).is_empty());
    }
    tail.publish(0);
    assert_eq!(segment.marks().published(), 0);
}

/// 5
pub fn the_longest_window_is_lent<R: Rig>(rig: &R) {
    let (mut tail, segment) = first(rig);
    let len = segment.geometry().window_max.min(CAPACITY);
    must(tail.window(0, len)).fill(5);
    tail.publish(len);
    commit(&segment);
    let mut expected = [0; CAPACITY as usize];
    let expected = &mut expected[..len as usize];
    expected.fill(5);
    expect_bytes(&segment, 0, expected);
}

/// `prepare` is only a hint, at any time and for any range.
pub fn preparing_changes_nothing_that_can_be_seen<R: Rig>(rig: &R) {
    let (mut tail, segment) = first(rig);
    for upto in [0, 1, 4096, CAPACITY, u32::MAX] {
        let window = must(tail.window(segment.marks().published(), 10));
        window.copy_from_slice(b"0123456789");
        let _ = segment.prepare(upto);
        window[0] = b'x';
        let end = segment.marks().published() + 10;
        tail.publish(end);
        commit(&segment);
        expect_bytes(&segment, end - 10, b"x123456789");
    }
}

/// Readers cannot ask for what is not there.
pub fn a_reader_is_not_let_outside<R: Rig>(rig: &R) {
    let (mut tail, segment) = first(rig);
    put(&mut tail, &segment, 0, &[1; 100]);
    commit(&segment);
    for (at, len) in [(0, 101), (100, 1), (101, 0), (CAPACITY, 1), (u32::MAX, 1)] {
        expect_hidden(&segment, at, len);
    }
    assert!(segment.view(1, u32::MAX).is_none());
    expect_bytes(&segment, 100, &[]);
}
