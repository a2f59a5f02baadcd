//! Answers that the bounds of a queue give (spec 06 section 1.2).

use super::*;

const STOCK: BoundsRules = BoundsRules { keep_asked: false, corrected: false };
const CORRECTED: BoundsRules = BoundsRules { keep_asked: false, corrected: true };

fn answer(min: i64, max: i64, offset: i64, rules: BoundsRules) -> (GetMessageStatus, i64) {
    let NoScan { status, next } = Bounds { min, max }.check(offset, rules).unwrap_err();
    (status, next)
}

#[test]
fn an_empty_or_unknown_queue_has_no_message() {
    for rules in [STOCK, CORRECTED] {
        for offset in [0, 3, 7, -1, 1_000_000] {
            assert_eq!(answer(0, 0, offset, rules), (NoMessageInQueue, 0));
        }
    }
}

#[test]
fn offsets_outside_of_a_queue_are_answered_as_by_java() {
    // ReadProbe
    assert_eq!(answer(0, 250, 250, STOCK), (OffsetOverflowOne, 250));
    assert_eq!(answer(0, 250, 9999, STOCK), (OffsetOverflowBadly, 0));
    assert_eq!(answer(0, 250, -1, STOCK), (OffsetTooSmall, 0));
    assert_eq!(answer(100, 250, 0, STOCK), (OffsetTooSmall, 100));
    assert_eq!(answer(100, 250, 99_999, STOCK), (OffsetOverflowBadly, 250));
    // the golden run m-clean
    for offset in [0, 1, 5, -1] {
        assert_eq!(answer(24, 75, offset, STOCK), (OffsetTooSmall, 24));
    }
    assert_eq!(answer(24, 75, 1_000_000, STOCK), (OffsetOverflowBadly, 75));
    assert_eq!(answer(0, 1, 5, STOCK), (OffsetOverflowBadly, 0));
    for inside in [24, 74] {
        assert_eq!(Bounds { min: 24, max: 75 }.check(inside, STOCK), Ok(()));
    }
}

#[test]
fn corrected_answers_never_send_a_consumer_back_to_the_beginning() {
    // C-22
    assert_eq!(answer(0, 10, 10, CORRECTED), (OffsetOverflowOne, 10));
    assert_eq!(answer(0, 10, 15, CORRECTED), (OffsetOverflowBadly, 10));
    assert_eq!(answer(0, 10, -1, CORRECTED), (OffsetTooSmall, 0));
}

#[test]
fn a_slave_keeps_the_asked_offset() {
    // the golden run g-slave-append
    let slave = BoundsRules { keep_asked: true, corrected: false };
    assert_eq!(answer(0, 229, -1, slave), (OffsetTooSmall, -1));
    assert_eq!(answer(0, 229, 1_000_000, slave), (OffsetOverflowBadly, 1_000_000));
    assert_eq!(answer(0, 0, 3, slave), (NoMessageInQueue, 3));
    for corrected in [false, true] {
        let slave = BoundsRules { keep_asked: true, corrected };
        assert_eq!(answer(0, 0, 7, slave), (NoMessageInQueue, 7));
        assert_eq!(answer(5, 10, 2, slave), (OffsetTooSmall, 2));
        assert_eq!(answer(5, 10, 10, slave), (OffsetOverflowOne, 10));
        assert_eq!(answer(0, 10, 12, slave), (OffsetOverflowBadly, 12));
        let hole = Bounds { min: 0, max: 500 }.hole(7, 100, slave);
        assert_eq!(hole, NoScan { status: OffsetFoundNull, next: 7 });
    }
}

#[test]
fn a_hole_is_left_by_the_next_segment_and_never_beyond_the_end() {
    let bounds = Bounds { min: 0, max: 250 };
    assert_eq!(bounds.hole(7, 100, STOCK), NoScan { status: OffsetFoundNull, next: 100 });
    assert_eq!(bounds.hole(200, 100, STOCK).next, 300);
    // C-24: never above the end, never 300000
    let bounds = Bounds { min: 0, max: 100 };
    assert_eq!(bounds.hole(10, 300_000, STOCK).next, 300_000);
    assert_eq!(bounds.hole(10, 300_000, CORRECTED).next, 100);
}

#[test]
fn a_queue_whose_entries_have_all_expired_begins_at_its_end() {
    // C-23: 20 records of 200 bytes in each file of 4096
    let mut q = Queue::new("TopicTest", 4096, 300_000);
    for _ in 0..250 {
        q.put(&Message::new("TopicTest", 0, &[7; 100]));
    }
    let cells = q.cells.clone();
    let bounds = q.bounds;
    let min = |log_min| live_min(bounds, log_min, |at| cells.get(at as usize).copied());
    assert_eq!(min(53_248), 250);
    q.bounds.min = min(53_248);
    q.rules = CORRECTED;
    assert_eq!(q.brief(0, 32), (OffsetTooSmall, 250, 0));
    assert_eq!(q.brief(250, 32), (OffsetOverflowOne, 250, 0));
}

#[test]
fn before_the_minimum_was_corrected_the_first_live_offset_is_named() {
    // C-24
    let mut q = Queue::new("TopicTest", 4096, 300_000);
    for _ in 0..100 {
        q.put(&Message::new("TopicTest", 0, &[7; 100]));
    }
    q.log_min = 8192;
    let cells = q.cells.clone();
    q.bounds.min = live_min(q.bounds, 8192, |at| cells.get(at as usize).copied());
    q.rules = CORRECTED;
    assert_eq!(q.brief(10, 32), (OffsetTooSmall, 40, 0));
    assert_eq!(q.brief(40, 32), (Found, 72, 32));
    assert_eq!(q.taken[0], 8192);
}

#[test]
fn the_live_minimum_is_found_wherever_the_log_begins() {
    let mut cells = vec![Cell::FILLER; 3];
    cells.extend((0..50).map(|i| Cell { physical_offset: i * 10, size: 10, tags_code: 0 }));
    let bounds = Bounds { min: 0, max: 53 };
    for log_min in 0..520 {
        let mut looks = 0;
        let min = live_min(bounds, log_min, |at| {
            looks += 1;
            cells.get(at as usize).copied()
        });
        assert_eq!(min, (3 + (log_min + 9) / 10).min(53), "{log_min}");
        assert!(looks <= 8, "{looks} looks");
    }
    assert_eq!(live_min(Bounds { min: 5, max: 5 }, 0, |_| None), 5);
    assert_eq!(live_min(Bounds { min: 0, max: 5 }, 0, |_| None), 5, "nothing is there");
}
