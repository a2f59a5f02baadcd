//! Putting, rolling, finding and crashing, against the vectors of the specification.

use std::rc::Rc;
use std::string::String;
use std::vec;
use std::vec::Vec;

use super::keys::KeyedMessage;
use super::query::{Window, by_hash, by_key};
use super::testing::{File, Shelf, VecCells, Writer, geometry, new_file, reopen};
use super::*;
use crate::segment::ErrorKind;

mod crash;
mod decisions;
mod threads;

type Builder = IndexBuilder<Shelf>;

const T: i64 = 1_700_000_000_500;

fn properties(keys: &str) -> String {
    if keys.is_empty() { String::new() } else { std::format!("KEYS\u{1}{keys}") }
}

fn message<'a>(properties: &'a str, offset: u64, time: i64) -> KeyedMessage<'a> {
    KeyedMessage {
        topic: b"TopicTest",
        properties: properties.as_bytes(),
        physical_offset: offset,
        store_timestamp: time,
        sys_flag: 0,
    }
}

fn index(builder: &mut Builder, shelf: &mut Shelf, keys: &str, offset: u64, time: i64) -> Indexed {
    builder.index(shelf, &message(&properties(keys), offset, time)).unwrap()
}

fn hash(key: &str) -> KeyHash {
    KeyHash::of(b"TopicTest", key.as_bytes())
}

fn hits(shelf: &Shelf, key: &str, begin: i64, end: i64) -> Vec<u64> {
    let mut out = [0; 64];
    let window = Window { begin, end };
    let n = by_hash(shelf.newest_first(), hash(key), window, &mut out).unwrap().found;
    out[..n].to_vec()
}

/// What a store of these messages answers: keys, place, store time.
fn found(shelf: &Shelf, log: &[(&str, u64, i64)], key: &str, begin: i64, end: i64) -> Vec<u64> {
    let mut out = [0; 64];
    let window = Window { begin, end };
    let is_it = |offset| {
        log.iter().any(|(keys, at, time)| {
            *at == offset && window.has(*time) && keys.split(' ').any(|k| k == key)
        })
    };
    let n = by_key(shelf.newest_first(), hash(key), window, &mut out, is_it).unwrap().found;
    out[..n].to_vec()
}

fn indexed(slots: u32, entries: u32, log: &[(&str, u64, i64)]) -> (Builder, Shelf) {
    let (mut builder, mut shelf) =
        (Builder::resume(None, None).unwrap(), Shelf::new(slots, entries));
    for (keys, offset, time) in log {
        index(&mut builder, &mut shelf, keys, *offset, *time);
    }
    (builder, shelf)
}

#[test]
fn the_first_vector_gives_its_entries_slots_and_header() {
    let mut shelf = Shelf::new(100, 1000);
    let mut builder = Builder::resume(None, None).unwrap();
    let properties = "KEYS\u{1}k1 k2\u{2}UNIQ_KEY\u{1}U1\u{2}TAGS\u{1}TagA";
    let time = 0x0000_01A2_284B_2A8D;
    let message = KeyedMessage { topic: b"TopicA", ..message(properties, 0, time) };
    assert_eq!(builder.index(&mut shelf, &message).unwrap(), Indexed::Put(3));

    let bytes = shelf.files[0].2.bytes.borrow().clone();
    let word = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
    for (number, hash, slot) in [(1, 0x7171_2873, 31), (2, 0x7171_25C9, 49), (3, 0x7171_25C8, 48)] {
        let at = 40 + 400 + 20 * number as usize;
        assert_eq!(word(at), hash);
        assert_eq!(bytes[at + 4..at + 20], [0; 16]);
        assert_eq!(word(40 + 4 * slot), number);
    }
    let expected = IndexHeader {
        begin_timestamp: time,
        end_timestamp: time,
        begin_offset: 0,
        end_offset: 0,
        slot_count: 3,
        index_count: 4,
    };
    assert_eq!(bytes[..40], expected.encode());
    assert_eq!(shelf.files[0].1.header(), expected);
    assert_eq!(bytes[440..460], [0; 20], "entry 0 is never used");
}

#[test]
fn the_header_vector_reads_and_writes_back() {
    let header = IndexHeader {
        begin_timestamp: 0x0000_01A2_284B_2A8D,
        end_timestamp: 0x0000_01A2_284B_2B1D,
        begin_offset: 0,
        end_offset: 0x410,
        slot_count: 6,
        index_count: 10,
    };
    let text = "000001a2284b2a8d000001a2284b2b1d000000000000000000000000000004100000\
                00060000000a";
    let hex: String = header.encode().iter().map(|b| std::format!("{b:02x}")).collect();
    assert_eq!(hex, text);
    assert_eq!(IndexHeader::decode(&header.encode()), header);
}

#[test]
fn a_new_file_says_0_and_means_1() {
    let (file, cells) = new_file(geometry(10, 3), IndexHeader::default());
    assert_eq!(cells.bytes.borrow()[..], vec![0; 40 + 40 + 60]);
    assert_eq!(file.header().index_count, 1);
    cells.bytes.borrow_mut()[36..40].copy_from_slice(&(-5_i32).to_be_bytes());
    assert_eq!(reopen(&cells, geometry(10, 3)).header().index_count, 1);
    let mut writer = Writer::claim(file).unwrap();
    assert!(writer.put(hash("a"), 0, T).unwrap());
    assert_eq!(cells.bytes.borrow()[36..40], [0, 0, 0, 2]);
}

#[test]
fn a_file_holds_one_entry_less_than_it_has_places() {
    let (file, _) = new_file(geometry(1, 4), IndexHeader::default());
    let mut writer = Writer::claim(Rc::clone(&file)).unwrap();
    let put: Vec<bool> = (0..5).map(|i| writer.put(hash("a"), i, T).unwrap()).collect();
    assert_eq!(put, [true, true, true, false, false]);
    assert!(file.is_full());
    let numbers: Vec<u32> =
        file.chain(hash("a")).unwrap().map(|link| link.unwrap().number).collect();
    assert_eq!(numbers, [3, 2, 1]);
    assert_eq!(file.header().slot_count, 1);
}

#[test]
fn a_file_has_one_writer_at_a_time() {
    let (file, _) = new_file(geometry(1, 4), IndexHeader::default());
    let writer = Writer::claim(Rc::clone(&file)).unwrap();
    assert_eq!(Writer::claim(Rc::clone(&file)).err(), Some(ErrorKind::Busy));
    drop(writer);
    assert!(Writer::claim(file).is_ok());
}

#[test]
fn a_file_that_is_too_short_is_refused() {
    let cells = VecCells::new(139);
    let error = IndexFile::open(cells, geometry(10, 3)).err();
    assert_eq!(error, Some(ErrorKind::WrongSize));
}

#[test]
fn c_29_differences_are_held_to_what_an_int_can_say() {
    let log = [("a", 0, T), ("b", 100, T + (1_i64 << 31) * 1000), ("c", 200, T - 10_000)];
    let (_, shelf) = indexed(10, 10, &log);
    let seconds: Vec<i32> = (1..4).map(|n| shelf.files[0].1.entry(n).unwrap().seconds).collect();
    assert_eq!(seconds, [0, i32::MAX, 0]);
    for (key, offset, _) in log {
        assert_eq!(hits(&shelf, key, 0, i64::MAX), [offset]);
        assert_eq!(found(&shelf, &log, key, 0, i64::MAX), [offset]);
    }
}

#[test]
fn the_first_entry_of_a_rolled_file_counts_from_the_begin_it_inherited() {
    let end = 0x0000_01A2_284B_2EDD;
    let log = [("a", 0, end - 1), ("b", 100, end), ("c", 200, end + 2500), ("d", 300, end + 3600)];
    let (_, shelf) = indexed(10, 3, &log);
    assert_eq!(shelf.files.len(), 2);
    let file = &shelf.files[1].1;
    assert_eq!(file.entry(1).unwrap().seconds, 2);
    assert_eq!(file.begin_timestamp(), end + 2500);
    assert_eq!(file.begin_offset(), 200);
    assert_eq!(file.entry(2).unwrap().seconds, 1, "from its own begin");
    assert_eq!(shelf.full, [end]);
    // RocketMQ looks for it two seconds too late; corrected answers do not.
    assert_eq!(hits(&shelf, "c", end + 2500, end + 3000), []);
    assert_eq!(found(&shelf, &log, "c", end + 2500, end + 2500), [200]);
}

#[test]
fn a_new_file_is_made_for_a_message_without_keys_too() {
    let (mut builder, mut shelf) = indexed(10, 3, &[]);
    assert_eq!(index(&mut builder, &mut shelf, "", 0, T), Indexed::Put(0));
    assert_eq!(shelf.files.len(), 1);
    assert_eq!(index(&mut builder, &mut shelf, "a b", 100, T), Indexed::Put(2));
    assert_eq!(shelf.files.len(), 1);
    assert_eq!(index(&mut builder, &mut shelf, "", 200, T + 5), Indexed::Put(0));
    assert_eq!(shelf.files.len(), 2);
    let header = IndexHeader {
        begin_timestamp: T,
        end_timestamp: T,
        begin_offset: 100,
        end_offset: 100,
        slot_count: 0,
        index_count: 0,
    };
    assert_eq!(shelf.files[1].2.bytes.borrow()[..40], header.encode());
    assert_eq!(shelf.files[1].0, shelf.files[0].0 + 1, "made in the same millisecond");
}

#[test]
fn keys_of_one_message_may_go_to_two_files() {
    let log = [("a b c d e", 100, T)];
    let (_, shelf) = indexed(10, 3, &log);
    assert_eq!(shelf.files.len(), 3);
    for key in ["a", "b", "c", "d", "e"] {
        assert_eq!(found(&shelf, &log, key, T, T), [100]);
    }
}

#[test]
fn what_is_indexed_already_is_skipped_and_the_last_message_is_not() {
    let (mut builder, mut shelf) = indexed(10, 100, &[("a", 100, T), ("b", 200, T)]);
    assert_eq!(index(&mut builder, &mut shelf, "a", 100, T), Indexed::Already);
    assert_eq!(index(&mut builder, &mut shelf, "b", 200, T), Indexed::Put(1));
    let rolled_back = KeyedMessage { sys_flag: 0x0C, ..message("KEYS\u{1}r", 300, T) };
    assert_eq!(builder.index(&mut shelf, &rolled_back).unwrap(), Indexed::NotIndexed);
    assert_eq!(hits(&shelf, "b", T - 1000, T), [200, 200]);
    assert_eq!(found(&shelf, &[("b", 200, T)], "b", T, T), [200]);
}

#[test]
fn c_25_a_file_that_cannot_be_made_loses_no_key_of_a_message_that_is_tried_again() {
    let (mut builder, mut shelf) = indexed(10, 3, &[("a", 0, T)]);
    shelf.failures = 2;
    let three = properties("b c d");
    for _ in 0..2 {
        let answer = builder.index(&mut shelf, &message(&three, 100, T));
        assert_eq!(answer, Err(ErrorKind::NoSpace));
        assert_eq!(shelf.files.len(), 1);
    }
    assert_eq!(index(&mut builder, &mut shelf, "b c d", 100, T), Indexed::Put(3));
    let log = [("a", 0, T), ("b c d", 100, T)];
    for key in ["b", "c", "d"] {
        assert_eq!(found(&shelf, &log, key, T, T), [100]);
    }
}

#[test]
fn c_27_keys_with_the_same_hash_are_told_apart() {
    let log = [("Aa", 0, T), ("BB", 200, T)];
    let (_, shelf) = indexed(100, 100, &log);
    assert_eq!(hits(&shelf, "Aa", 0, i64::MAX), [200, 0]);
    assert_eq!(found(&shelf, &log, "Aa", 0, i64::MAX), [0]);
    assert_eq!(found(&shelf, &log, "BB", 0, i64::MAX), [200]);
}

#[test]
fn c_28_no_more_is_found_than_there_is_room_for() {
    let log: Vec<_> = (0..100).map(|i| ("k", i * 100, T)).collect();
    let (_, shelf) = indexed(10, 30, &log);
    let newest: Vec<u64> = (36..100).rev().map(|i| i * 100).collect();
    assert_eq!(hits(&shelf, "k", 0, i64::MAX), newest);
    assert_eq!(found(&shelf, &log, "k", 0, i64::MAX), newest);
    let none = by_hash(shelf.newest_first(), hash("k"), Window::OPEN, &mut []).unwrap();
    assert_eq!((none.found, none.last_update_timestamp, none.last_update_offset), (0, T, 9900));
    let none = by_key(shelf.newest_first(), hash("k"), Window::OPEN, &mut [], |_| true).unwrap();
    assert_eq!(none.found, 0);
}

#[test]
fn c_30_a_key_that_is_repeated_gives_its_message_once() {
    let log = [("k1 k1  k1", 0, T)];
    let (_, shelf) = indexed(10, 100, &log);
    assert_eq!(shelf.files[0].1.header().index_count, 4);
    assert_eq!(hits(&shelf, "k1", 0, i64::MAX), [0, 0, 0]);
    assert_eq!(found(&shelf, &log, "k1", 0, i64::MAX), [0]);
}

#[test]
fn c_31_a_window_is_exact_to_the_millisecond() {
    let log = [("a", 0, T), ("b", 200, T + 1499)];
    let (_, shelf) = indexed(10, 100, &log);
    assert_eq!(found(&shelf, &log, "b", T + 1499, T + 1499), [200]);
    assert_eq!(found(&shelf, &log, "a", T, T), [0]);
    assert_eq!(found(&shelf, &log, "b", T + 1500, T + 9999), []);
    assert_eq!(found(&shelf, &log, "b", T, T + 1498), []);
    // RocketMQ takes b for a message of T + 1000.
    assert_eq!(hits(&shelf, "b", T + 1499, T + 1499), []);
    assert_eq!(hits(&shelf, "b", T + 500, T + 1200), [200]);
}

#[test]
fn c_33_a_message_from_before_the_begin_is_found_at_its_own_time() {
    let log = [("a", 0, 100_000), ("b", 200, 95_000), ("c", 400, 101_000)];
    let (_, shelf) = indexed(10, 100, &log);
    assert_eq!(found(&shelf, &log, "b", 94_000, 96_000), [200]);
    assert_eq!(found(&shelf, &log, "c", 101_000, 101_000), [400]);
    assert_eq!(hits(&shelf, "b", 94_000, 96_000), [], "as RocketMQ");
}

#[test]
fn rocketmq_stops_at_a_file_that_begins_before_the_window() {
    let log = [("k", 0, T), ("k", 100, T + 5000), ("k", 200, T + 9000), ("k", 300, T + 20_000)];
    let (_, shelf) = indexed(10, 3, &log);
    assert_eq!(hits(&shelf, "k", T, T + 20_000), [300, 200, 100, 0]);
    // The one at 200 counts from its file's inherited begin: it passes for T + 13,000.
    assert_eq!(hits(&shelf, "k", T + 9001, T + 20_000), [300, 200]);
    assert_eq!(hits(&shelf, "k", T + 14_000, T + 20_000), [300]);
    let window = |begin, end| Window { begin, end };
    let header = IndexHeader { begin_timestamp: 10, end_timestamp: 20, ..Default::default() };
    for (begin, end, overlaps) in [
        (5, 25, true),
        (10, 10, true),
        (20, 30, true),
        (0, 10, true),
        (0, 9, false),
        (21, 30, false),
    ] {
        assert_eq!(window(begin, end).overlaps(&header), overlaps, "{begin}..={end}");
    }
}

#[test]
fn records_are_read_only_where_the_seconds_may_fit() {
    let log: Vec<_> = (0..50_u64).map(|i| ("k", i * 100, T + i.cast_signed() * 1000)).collect();
    let (_, shelf) = indexed(10, 100, &log);
    let (mut read, mut out) = (Vec::new(), [0; 64]);
    let window = Window { begin: T + 20_500, end: T + 21_500 };
    let is_it = |offset| {
        read.push(offset);
        true
    };
    by_key(shelf.newest_first(), hash("k"), window, &mut out, is_it).unwrap();
    assert_eq!(read, [2100, 2000]);
}

#[test]
fn damaged_chains_end() {
    let (file, cells) = new_file(geometry(1, 8), IndexHeader::default());
    let mut writer = Writer::claim(Rc::clone(&file)).unwrap();
    for i in 0..5 {
        writer.put(hash("k"), i, T).unwrap();
    }
    let numbers = |file: &File| -> Vec<u32> {
        file.chain(hash("k")).unwrap().map(|link| link.unwrap().number).collect()
    };
    let previous_of = |number: usize| 44 + 20 * number + 16;
    let set = |at: usize, n: i32| {
        cells.bytes.borrow_mut()[at..at + 4].copy_from_slice(&n.to_be_bytes());
    };
    for (bad, left) in
        [(3, vec![5, 4, 3]), (5, vec![5, 4, 3]), (-1, vec![5, 4, 3]), (99, vec![5, 4, 3])]
    {
        set(previous_of(3), bad);
        assert_eq!(numbers(&file), left, "{bad}");
    }
    for bad in [-1, 0, 7, 8, i32::MAX, i32::MIN] {
        set(40, bad);
        assert_eq!(numbers(&file), [], "slot {bad}");
    }
    set(36, i32::MAX);
    set(40, i32::MAX);
    let file = reopen(&cells, geometry(1, 8));
    assert_eq!(numbers(&file), []);
    assert!(file.is_full());
}
