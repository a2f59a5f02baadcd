//! Gets that look at entries: limits, filters, removed, damaged and hidden records.

use super::*;
use crate::record::java_hash::java_hash;
use crate::record::parse::RecordView;

/// The queue of `ReadProbe`: 250 messages, every tenth with tag A; 100 entries a segment.
fn probe() -> Queue {
    let mut q = Queue::new("T", 64 * 1024, 100);
    q.put_tagged(250, 220);
    q
}

#[test]
fn gets_of_the_probe_are_answered_as_by_java() {
    let mut q = probe();
    assert_eq!(q.brief(0, 32), (Found, 32, 32));
    assert_eq!(q.brief(0, 64), (Found, 32, 32), "more than the count limit");
    assert_eq!(q.brief(0, 0), (Found, 1, 1), "0 asked for gives one");
    assert_eq!(q.brief(90, 32), (Found, 100, 10), "never into the next segment");
    assert_eq!(q.brief(249, 32), (Found, 250, 1));
    assert_eq!(q.brief(250, 32), (OffsetOverflowOne, 250, 0));
    assert_eq!(q.brief(9999, 32), (OffsetOverflowBadly, 0, 0));
    assert_eq!(q.brief(-1, 32), (OffsetTooSmall, 0, 0));
    let a = q.get(0, 32, &TagFilter::by_code("A"));
    assert_eq!((a.status, a.next_begin_offset, a.messages), (Found, 100, 10));
    let none = q.get(0, 32, &TagFilter::by_code("none"));
    assert_eq!((none.status, none.next_begin_offset), (NoMatchedMessage, 100));
    assert!(q.asked.is_empty(), "no record is touched for a tag that does not match");
}

#[test]
fn limits_count_from_one_get_to_the_next() {
    let mut q = probe();
    q.limit.bytes_in_memory = 1000;
    assert_eq!(q.brief(0, 32), (Found, 3, 3));
    q.limit.bytes_in_memory = 10;
    assert_eq!(q.brief(0, 32), (Found, 1, 1), "the first one is always taken");
    q.limit.bytes_in_memory = 262_144;
    assert_eq!(q.brief(0, 32), (Found, 32, 32));
    q.memory = 1000;
    assert_eq!(q.brief(0, 32), (Found, 8, 8), "on disk");
    let end = q.log_end as i64;
    let got = q.get(0, 32, &All);
    // the entry that stopped the get was looked at, but is not passed
    assert_eq!(got.fall_behind, Some(end - q.cells[8].physical_offset));
    assert!(got.suggest_pulling_from_slave);
    assert!(!q.get(248, 32, &All).suggest_pulling_from_slave);
}

#[test]
fn at_most_800_entries_or_as_many_as_asked_for_are_looked_at() {
    let mut q = Queue::new("T", 1 << 20, 300_000);
    q.put_tagged(2000, 0);
    let mut looked = |max| q.get(3, max, &TagFilter::by_code("none")).next_begin_offset - 3;
    assert_eq!(looked(32), 800);
    assert_eq!(looked(800), 800);
    assert_eq!(looked(801), 801);
    assert_eq!(looked(1_500), 1_500);
    // Java's product is negative there
    assert_eq!(looked(107_374_183), 800);
}

#[test]
fn records_that_have_gone_with_their_file_are_passed_without_being_asked_for_again() {
    let mut q = probe();
    q.log_min = 65_536;
    let first = q.cells.iter().position(|c| c.physical_offset >= 65_536).unwrap() as i64;
    assert_eq!(q.brief(first - 2, 32), (Found, first + 32, 32));
    assert_eq!(q.asked[0].0, q.cells[first as usize - 2].physical_offset as u64);
    assert_eq!(q.asked[1].0, 65_536, "the second one is below the next file");
    assert_eq!(q.brief(0, 32), (MessageWasRemoving, 100, 0));
    assert_eq!(q.asked.len(), 1);
}

#[test]
fn a_record_that_is_found_ends_the_skipping() {
    let mut q = Queue::new("T", 500, 100);
    q.put_tagged(9, 10);
    q.log_min = 500;
    let first = q.cells[0];
    q.cells[7] = first;
    let got = q.get(0, 5, &All);
    assert_eq!((got.status, got.messages, got.removed), (Found, 4, 5));
    assert_eq!(q.asked.iter().filter(|a| a.0 == 0).count(), 2, "asked for again");
}

#[test]
fn memory_ends_exactly_where_it_says() {
    let mut q = probe();
    let behind = q.log_end as i64 - q.cells[249].physical_offset;
    for (memory, suggest) in [(behind, false), (behind - 1, true)] {
        q.memory = memory;
        let got = q.get(249, 32, &All);
        assert_eq!((got.suggest_pulling_from_slave, got.fall_behind), (suggest, Some(behind)));
    }
    // the ninth record is the first that is in memory, or it is not
    let behind = q.log_end as i64 - q.cells[8].physical_offset;
    for (memory, messages) in [(behind, 32), (behind - 1, 8)] {
        q.memory = memory;
        assert_eq!(q.get(0, 32, &All).messages, messages);
    }
}

#[test]
fn log_offset_0_is_never_another_record() {
    // spec 06 section 1.8: Java answers FOUND with bytes of the first file that is left
    let mut q = probe();
    q.log_min = 65_536;
    q.cells.truncate(1);
    q.bounds.max = 1;
    assert_eq!(q.brief(0, 32), (MessageWasRemoving, 1, 0));
    assert_eq!(q.asked, [(0, q.cells[0].size as u32)]);
}

#[test]
fn entries_of_impossible_content_are_damage_and_nothing_is_held_for_them() {
    // spec 06 section 1.8: a negative size loses a hold for ever in Java
    let mut q = probe();
    for (i, (physical_offset, size)) in [(0, -5), (-1, 10), (i64::MIN, i32::MIN)].iter().enumerate()
    {
        q.cells[i] = Cell { physical_offset: *physical_offset, size: *size, tags_code: 0 };
    }
    q.cells[3].size = 0;
    q.cells[4].size -= 1;
    let got = q.get(0, 2, &All);
    assert_eq!((got.status, got.next_begin_offset, got.damaged), (Found, 7, 5));
    assert_eq!(q.asked.len(), 4);
}

#[test]
fn fillers_before_the_first_entry_hide_nothing_behind_them() {
    let mut q = probe();
    q.cells[..5].fill(Cell::FILLER);
    assert_eq!(q.brief(0, 3), (Found, 8, 3));
    q.cells.truncate(5);
    assert_eq!(q.brief(0, 3), (MessageWasRemoving, 5, 0));
}

#[test]
fn damaged_records_are_passed_and_counted_and_never_given_out() {
    // C-13
    let mut q = probe();
    let damage = |q: &mut Queue, i: usize, byte: usize| {
        let at = q.cells[i].physical_offset as u64;
        let mut bytes = q.records[&at].to_vec();
        bytes[byte] ^= 1;
        q.records.insert(at, bytes.into());
    };
    damage(&mut q, 1, 88);
    damage(&mut q, 2, 4);
    damage(&mut q, 3, 28);
    q.unreadable.insert(q.cells[4].physical_offset as u64);
    let got = q.get(0, 3, &All);
    assert_eq!((got.status, got.next_begin_offset, got.damaged), (Found, 7, 4));
    q.cells.truncate(5);
    q.bounds.max = 5;
    assert_eq!(q.brief(1, 32), (MessageWasRemoving, 5, 0));
    q.verify = false;
    assert_eq!(q.brief(1, 32), (Found, 5, 1), "only the checksum is not compared then");
}

#[test]
fn what_readers_may_not_see_yet_ends_the_queue_and_is_not_passed() {
    // C-02
    let mut q = probe();
    q.visible = q.cells[5].physical_offset as u64;
    assert_eq!(q.brief(0, 32), (Found, 5, 5));
    assert_eq!(q.brief(5, 32), (OffsetOverflowOne, 5, 0));
    let none = q.get(1, 32, &TagFilter::by_code("A"));
    // entries with another tag need no record
    assert_eq!((none.status, none.next_begin_offset), (NoMatchedMessage, 10));
}

#[test]
fn the_last_thing_that_was_in_the_way_is_the_status() {
    // four records a file
    let mut q = Queue::new("T", 500, 100);
    q.put_tagged(12, 10);
    q.log_min = q.log_end;
    let filter = TagFilter::by_code("A");
    assert_eq!(q.get(10, 32, &filter).status, MessageWasRemoving, "the other one is skipped");
    assert_eq!(q.get(4, 32, &filter).status, MessageWasRemoving, "unwanted ones, then removed");
    q.cells.truncate(10);
    assert_eq!(q.get(0, 32, &filter).status, NoMatchedMessage, "removed, then unwanted ones");
    assert_eq!(q.get(0, 32, &All).status, MessageWasRemoving);
}

#[test]
fn equal_hashes_are_told_apart_only_by_the_tag_itself() {
    assert_eq!(java_hash("Aa"), java_hash("BB"));
    let mut q = Queue::new("T", 64 * 1024, 100);
    for tag in ["Aa", "BB", "Aa"] {
        let text = std::format!("TAGS\u{1}{tag}");
        q.put(&Message { properties: Properties::Text(&text), ..Message::new("T", 0, b"") });
    }
    assert_eq!(q.get(0, 32, &TagFilter::by_code("Aa")).messages, 3);
    assert_eq!(q.get(0, 32, &TagFilter::by_tag("Aa")).messages, 2);
    assert_eq!(q.get(0, 32, &TagFilter::by_tag("*")).messages, 3);
    let none = q.get(1, 32, &TagFilter::by_tag("CC"));
    assert_eq!((none.status, none.next_begin_offset), (NoMatchedMessage, 3));
}

/// A queue extension with one unit.
struct WithExt<'a>(&'a Queue);

impl Source for WithExt<'_> {
    type Slice = Rc<[u8]>;

    fn record(&mut self, place: u64, size: u32) -> crate::read::Found<Rc<[u8]>> {
        self.0.record(place, size)
    }

    fn ext(&mut self, address: i64) -> Option<Ext<'_>> {
        let bits = Some(&[5_u8][..]);
        (address == -2_147_483_649).then_some(Ext { tags_code: 65, store_timestamp: 1, bits })
    }
}

/// Tags code, and bits of the extension.
type Question = (Option<i64>, Option<Vec<u8>>);

/// Notes what it is asked.
#[derive(Default)]
struct Asked(core::cell::RefCell<Vec<Question>>);

impl MessageFilter for Asked {
    fn by_queue(&self, tags: Option<i64>, ext: Option<&Ext<'_>>) -> bool {
        let bits = ext.and_then(|e| e.bits).map(<[u8]>::to_vec);
        self.0.borrow_mut().push((tags, bits));
        true
    }

    fn by_record(&self, record: &RecordView<'_>) -> bool {
        record.queue_offset() != 1
    }
}

#[test]
fn a_tags_code_that_is_an_address_is_looked_up_in_the_extension() {
    let mut q = Queue::new("T", 64 * 1024, 100);
    q.put_tagged(4, 10);
    let codes = [-2_147_483_649, -2_147_483_650, -2_147_483_648, 66];
    for (cell, code) in q.cells.iter_mut().zip(codes) {
        cell.tags_code = code;
    }
    let asked = Asked::default();
    let mut get = Get::new(Ask {
        offset: 0,
        max_msg_nums: 32,
        bounds: q.bounds,
        log_end: q.log_end as i64,
        log_file: q.file,
        limit: q.limit,
        memory: q.memory,
        verify: true,
    });
    for cell in &q.cells {
        get.offer(*cell, &asked, &mut WithExt(&q));
    }
    let expected =
        [(Some(65), Some(vec![5])), (None, None), (Some(-2_147_483_648), None), (Some(66), None)];
    assert_eq!(*asked.0.borrow(), expected);
    let got = get.finish();
    assert_eq!((got.messages, got.next_begin_offset), (3, 4), "one refused by its record");
}

#[test]
fn commercial_counts_begun_pieces_of_64_kib() {
    let mut q = Queue::new("T", 1 << 20, 100);
    for body in [65_536 - 92, 65_536 - 91, 10] {
        q.put(&Message::new("T", 0, &vec![7; body]));
    }
    let got = q.get(0, 32, &All);
    assert_eq!((got.messages, got.commercial), (3, 4));
}
