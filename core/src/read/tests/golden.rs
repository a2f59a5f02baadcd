//! The golden run `a-transfer-limits`: what the Java store has answered to these gets.

use super::*;

/// Body length and tag of each message; 20 entries a segment.
#[rustfmt::skip]
const MESSAGES: [(usize, &str); 50] = [
    (50, "B"), (10, "B"), (10, "A"), (200, "A"), (1200, "A"), (200, "A"), (10, "B"),
    (900, "A"), (10, "A"), (50, "A"), (10, "A"), (200, "B"), (900, "B"), (1200, "A"),
    (200, "A"), (200, "B"), (50, "B"), (200, "A"), (200, "B"), (50, "A"), (50, "A"),
    (200, "B"), (50, "A"), (50, "B"), (1200, "B"), (10, "A"), (50, "A"), (900, "B"),
    (50, "B"), (50, "B"), (50, "B"), (50, "B"), (200, "A"), (900, "A"), (10, "A"), (10, "B"),
    (200, "A"), (10, "A"), (1200, "A"), (900, "A"), (1200, "A"), (900, "B"), (200, "B"),
    (50, "A"), (900, "B"), (900, "A"), (10, "B"), (50, "B"), (1200, "A"), (200, "B"),
];

/// Offset, number asked for, tags; next offset, number, bytes.
#[rustfmt::skip]
const GETS: [(i64, i32, &str, i64, u32, u64); 40] = [
    (0, 1, "*", 1, 1, 150), (2, 1, "*", 3, 1, 110), (4, 1, "*", 5, 1, 1300),
    (6, 100, "*", 7, 1, 110), (8, 32, "*", 12, 4, 670), (10, 1, "*", 11, 1, 110),
    (12, 1, "*", 13, 1, 1000), (14, 1, "*", 15, 1, 300), (16, 1, "*", 17, 1, 150),
    (18, 32, "*", 20, 2, 450), (20, 1, "*", 21, 1, 150), (22, 1, "*", 23, 1, 150),
    (24, 100, "*", 25, 1, 1300), (26, 32, "*", 27, 1, 150), (28, 32, "*", 33, 5, 900),
    (30, 100, "*", 33, 3, 600), (32, 1, "*", 33, 1, 300), (34, 3, "*", 37, 3, 520),
    (36, 100, "*", 38, 2, 410), (38, 3, "*", 39, 1, 1300), (40, 1, "*", 41, 1, 1300),
    (42, 32, "*", 44, 2, 450), (44, 1, "*", 45, 1, 1000), (46, 1, "*", 47, 1, 110),
    (48, 32, "*", 49, 1, 1300), (0, 4, "A", 4, 2, 410), (0, 0, "*", 1, 1, 150),
    (7, 4, "A", 8, 1, 1000), (7, 0, "*", 8, 1, 1000), (14, 4, "A", 20, 3, 750),
    (14, 0, "*", 15, 1, 300), (21, 4, "A", 24, 1, 150), (21, 0, "*", 22, 1, 300),
    (28, 4, "A", 33, 1, 300), (28, 0, "*", 29, 1, 150), (35, 4, "A", 38, 2, 410),
    (35, 0, "*", 36, 1, 110), (42, 4, "A", 44, 1, 150), (42, 0, "*", 43, 1, 300),
    (49, 0, "*", 50, 1, 300),
];

#[test]
fn the_gets_of_the_golden_run_are_answered_as_by_java() {
    let mut q = Queue::new("Lim", 65_536, 20);
    for (body, tag) in MESSAGES {
        q.put(&Message {
            properties: Properties::Text(&std::format!("TAGS\u{1}{tag}")),
            ..Message::new("Lim", 0, &vec![7; body])
        });
    }
    q.limit = BatchLimit { bytes_in_memory: 1000, count_in_memory: 7, ..BatchLimit::default() };
    for (offset, max, tags, next, messages, bytes) in GETS {
        let got = q.get(offset, max, &TagFilter::by_code(tags));
        let key = (offset, max, tags);
        assert_eq!((got.status, got.next_begin_offset), (Found, next), "{key:?}");
        assert_eq!((got.messages, got.bytes), (messages, bytes), "{key:?}");
        assert_eq!(got.bounds, Bounds { min: 0, max: 50 });
    }
    let none = q.get(49, 4, &TagFilter::by_code("A"));
    assert_eq!((none.status, none.next_begin_offset), (NoMatchedMessage, 50));
    let end = q.get(50, 32, &All);
    assert_eq!((end.status, end.next_begin_offset), (OffsetOverflowOne, 50));
}
