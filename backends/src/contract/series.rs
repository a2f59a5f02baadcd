//! Series: names, order, sizes, and queues.

use mqstore_core::segment::{
    ErrorKind, Medium, QueueSeries, Segment, SegmentBackend, Series, Tail,
};

use super::{CAPACITY, Rig, commit, expect_bytes, flush, kind_of, log, must, put};

const BASE: u64 = CAPACITY as u64;

/// Calls `check` with each base in turn, and its place; answers how many there are.
fn each<B: SegmentBackend>(series: &B, mut check: impl FnMut(usize, u64)) -> usize {
    let mut n = 0;
    must(series.list(&mut |base| {
        check(n, base);
        n += 1;
    }));
    n
}

/// 8; 7: the one that is there is not harmed.
pub fn a_base_has_one_segment<R: Rig>(rig: &R) {
    let log = log(rig);
    let (mut tail, segment) = must(log.create(0));
    put(&mut tail, &segment, 0, b"first");
    assert_eq!(kind_of(log.create(0)), ErrorKind::Exists);
    commit(&segment);
    expect_bytes(&segment, 0, b"first");
    put(&mut tail, &segment, 5, b"goes on");
    drop((tail, segment));
    assert_eq!(kind_of(log.create(0)), ErrorKind::Exists);
    assert_eq!(each(&log, |_, base| assert_eq!(base, 0)), 1);
}

/// Misuse.
pub fn bases_lie_at_multiples_of_the_capacity<R: Rig>(rig: &R) {
    let log = log(rig);
    for base in [1, BASE - 1, BASE + 1, u64::MAX, u64::MAX - u64::MAX % BASE] {
        assert_eq!(kind_of(log.create(base)), ErrorKind::OutOfBounds, "{base}");
        assert_eq!(kind_of(log.open(base)), ErrorKind::OutOfBounds, "{base}");
    }
    assert_eq!(each(&log, |_, _| ()), 0);
}

/// In whatever order they were made.
pub fn segments_are_listed_in_ascending_order<R: Rig>(rig: &R) {
    let log = log(rig);
    let numbers = [5, 0, 11, 2, 10, 1];
    for n in numbers {
        drop(must(log.create(n * BASE)));
    }
    let expected = [0, 1, 2, 5, 10, 11];
    assert_eq!(each(&log, |n, base| assert_eq!(base, expected[n] * BASE)), expected.len());
}

/// And nothing is made by looking for it.
pub fn what_is_not_there_is_not_found<R: Rig>(rig: &R) {
    let log = log(rig);
    assert_eq!(kind_of(log.open(0)), ErrorKind::NotFound);
    assert_eq!(kind_of(log.remove(0)), ErrorKind::NotFound);
    assert_eq!(each(&log, |_, _| ()), 0);
    drop(must(log.create(0)));
    assert_eq!(kind_of(log.open(BASE)), ErrorKind::NotFound);
}

/// The configuration has changed, or a file was cut.
pub fn a_segment_of_another_size_is_not_opened<R: Rig>(rig: &R) {
    drop(must(log(rig).create(0)));
    let other = must(rig.medium().segments(Series::CommitLog, CAPACITY / 2));
    assert_eq!(kind_of(other.open(0)), ErrorKind::WrongSize);
    drop(must(log(rig).open(0)));
}

/// Cleaning and starting over.
pub fn a_removed_segment_can_be_made_again<R: Rig>(rig: &R) {
    let log = log(rig);
    for round in 0..5 {
        let (mut tail, segment) = must(log.create(0));
        put(&mut tail, &segment, 0, &[round; 10]);
        flush(&segment);
        must(log.remove(0));
        assert_eq!(each(&log, |_, _| ()), 0);
        assert_eq!(kind_of(log.open(0)), ErrorKind::NotFound);
    }
}

/// A topic that is part of another one, the same topic with another queue, the other kind.
pub fn series_do_not_mix<R: Rig>(rig: &R) {
    let all = [
        Series::CommitLog,
        Series::ConsumeQueue("a", 0),
        Series::ConsumeQueue("a", 1),
        Series::ConsumeQueue("a", -1),
        Series::ConsumeQueue("ab", 0),
        Series::ConsumeQueueExt("a", 0),
    ];
    for (n, series) in (0_u8..).zip(all) {
        let (mut tail, segment) = must(must(rig.medium().segments(series, 512)).create(0));
        put(&mut tail, &segment, 0, &[n; 16]);
        flush(&segment);
    }
    for (n, series) in (0_u8..).zip(all) {
        let segments = must(rig.medium().segments(series, 512));
        assert_eq!(each(&segments, |_, base| assert_eq!(base, 0)), 1);
        expect_bytes(&must(segments.open(0)), 0, &[n; 16]);
    }
}

/// How a store learns of its queues.
pub fn queues_are_shown_once_each<R: Rig>(rig: &R) {
    let queues = [("t", 0), ("t", 7), ("%RETRY%group", 0), ("caf\u{e9}", 2)];
    for (topic, id) in queues {
        let queue = must(rig.medium().segments(Series::ConsumeQueue(topic, id), 512));
        drop(must(queue.create(0)));
        drop(must(queue.create(512)));
    }
    drop(must(must(rig.medium().segments(Series::ConsumeQueueExt("e", 1), 512)).create(0)));
    let mut seen = [0; 4];
    must(rig.medium().queues(QueueSeries::ConsumeQueue, &mut |topic, id| {
        match queues.iter().position(|q| *q == (topic, id)) {
            Some(n) => seen[n] += 1,
            None => panic!("there is no queue {topic}/{id}"),
        }
    }));
    assert_eq!(seen, [1; 4]);
    let mut ext = 0;
    must(rig.medium().queues(QueueSeries::ConsumeQueueExt, &mut |topic, id| {
        assert_eq!((topic, id), ("e", 1));
        ext += 1;
    }));
    assert_eq!(ext, 1);
}

/// An administrator removes a topic.
pub fn a_removed_series_is_gone_with_its_segments<R: Rig>(rig: &R) {
    let medium = rig.medium();
    for id in 0..2 {
        let queue = must(medium.segments(Series::ConsumeQueue("t", id), 512));
        drop(must(queue.create(0)));
        drop(must(queue.create(512)));
    }
    must(medium.remove_series(Series::ConsumeQueue("t", 0)));
    must(medium.remove_series(Series::ConsumeQueue("t", 0)));
    must(medium.remove_series(Series::ConsumeQueue("never", 0)));
    let queue = must(medium.segments(Series::ConsumeQueue("t", 0), 512));
    assert_eq!(each(&queue, |_, _| ()), 0);
    let mut left = 0;
    must(medium.queues(QueueSeries::ConsumeQueue, &mut |topic, id| {
        assert_eq!((topic, id), ("t", 1));
        left += 1;
    }));
    assert_eq!(left, 1);
    let (tail, segment) = must(queue.create(0));
    assert_eq!(segment.marks().published(), 0);
    drop((tail, segment));
}

/// Nothing outside the store is ever touched.
pub fn impossible_names_and_sizes_are_refused<R: Rig>(rig: &R) {
    for topic in ["", ".", "..", "a/b", "/a", "a\0"] {
        for series in [Series::ConsumeQueue(topic, 0), Series::ConsumeQueueExt(topic, 0)] {
            let refused = kind_of(rig.medium().segments(series, CAPACITY));
            assert_eq!(refused, ErrorKind::BadName, "{topic:?}");
        }
    }
    assert_eq!(kind_of(rig.medium().segments(Series::CommitLog, 0)), ErrorKind::BadSize);
}

/// Whatever becomes of it, the segment is made once, when it is asked for, and is fresh.
pub fn an_announcement_is_only_a_hint<R: Rig>(rig: &R) {
    let log = log(rig);
    log.announce(0);
    let (mut tail, segment) = must(log.create(0));
    log.announce(BASE);
    put(&mut tail, &segment, 0, b"a");
    let (mut next_tail, next) = must(log.create(BASE));
    assert_eq!(next.marks().published(), 0);
    put(&mut next_tail, &next, 0, b"b");
    flush(&next);
    log.announce(2 * BASE);
    let (tail, segment) = (tail, segment);
    drop((tail, segment));
    // another one is asked for than was announced
    let (mut tail, segment) = must(log.create(5 * BASE));
    put(&mut tail, &segment, 0, b"c");
    commit(&segment);
    expect_bytes(&segment, 0, b"c");
    tail.publish(1);
}
