//! Writers that die or fail at each write, and files that are cut back.

use super::*;
use crate::index::cut::{cut_to, header_below};

/// Keys of few slots, so that chains are long and mixed.
fn key(i: u64) -> KeyHash {
    hash(&std::format!("k{}", i % 7))
}

/// Entries of a key, from new to old.
fn entries(file: &File, i: u64) -> Vec<i64> {
    let chain = file.chain(key(i)).unwrap().map(|link| link.unwrap().entry);
    chain.filter(|e| e.key_hash == key(i).get()).map(|e| e.physical_offset).collect()
}

fn put(writer: &mut Writer, i: u64) -> Result<bool, ErrorKind> {
    writer.put(key(i), i, T + i.cast_signed() * 700)
}

/// Bytes of a file with so many entries that was never disturbed.
fn undisturbed(count: u64) -> Vec<u8> {
    let (file, cells) = new_file(geometry(3, 64), IndexHeader::default());
    let mut writer = Writer::claim(file).unwrap();
    (0..count).for_each(|i| assert!(put(&mut writer, i).unwrap()));
    cells.bytes.borrow().clone()
}

#[test]
fn a_writer_that_dies_at_any_write_leaves_a_file_to_go_on_with() {
    for writes in 0..3 {
        let (file, cells) = new_file(geometry(3, 64), IndexHeader::default());
        let mut writer = Writer::claim(file).unwrap();
        (0..20).for_each(|i| assert!(put(&mut writer, i).unwrap()));
        cells.writes.set(writes);
        assert!(put(&mut writer, 20).is_err());

        let file = reopen(&cells, geometry(3, 64));
        for i in 0..7 {
            let expected: Vec<i64> = (0..20).rev().filter(|n| n % 7 == i).collect();
            let found = entries(&file, i.cast_unsigned());
            let found: Vec<i64> = found.into_iter().filter(|n| *n != 20).collect();
            assert_eq!(found, expected, "a reader before the next writer");
        }
        let mut writer = Writer::claim(file).unwrap();
        assert_eq!(*cells.bytes.borrow(), undisturbed(20), "undone");
        // Another key comes first now.
        (20..30).for_each(|i| assert!(put(&mut writer, i).unwrap()));
        assert_eq!(*cells.bytes.borrow(), undisturbed(30));
    }
}

#[test]
fn a_put_that_failed_is_undone_before_the_next_one() {
    for writes in 0..3 {
        let (file, cells) = new_file(geometry(3, 64), IndexHeader::default());
        let mut writer = Writer::claim(file).unwrap();
        (0..20).for_each(|i| assert!(put(&mut writer, i).unwrap()));
        cells.writes.set(writes);
        assert!(put(&mut writer, 25).is_err());
        assert!(put(&mut writer, 25).is_err(), "still failing");
        cells.writes.set(u32::MAX);
        (20..30).for_each(|i| assert!(put(&mut writer, i).unwrap()));
        assert_eq!(*cells.bytes.borrow(), undisturbed(30));
    }
}

#[test]
fn a_cut_file_is_what_it_was() {
    for keep in 1..30_u64 {
        let (file, cells) = new_file(geometry(3, 64), IndexHeader::default());
        let mut writer = Writer::claim(Rc::clone(&file)).unwrap();
        (0..keep).for_each(|i| assert!(put(&mut writer, i).unwrap()));
        let header = file.header();
        (keep..40).for_each(|i| assert!(put(&mut writer, i).unwrap()));

        let below = header_below(&file, keep, |at| Some(T + at.cast_signed() * 700));
        let expected = IndexHeader { slot_count: file.header().slot_count, ..header };
        assert_eq!(below, Ok(Some(expected)));
        cut_to(&mut writer, &header).unwrap();
        assert_eq!(*cells.bytes.borrow(), undisturbed(keep));
        (keep..40).for_each(|i| assert!(put(&mut writer, i).unwrap()));
        assert_eq!(*cells.bytes.borrow(), undisturbed(40));
    }
}

#[test]
fn a_cut_that_is_interrupted_is_done_again() {
    for writes in 0..60 {
        let (file, cells) = new_file(geometry(3, 64), IndexHeader::default());
        let mut writer = Writer::claim(Rc::clone(&file)).unwrap();
        (0..10).for_each(|i| assert!(put(&mut writer, i).unwrap()));
        let header = file.header();
        (10..40).for_each(|i| assert!(put(&mut writer, i).unwrap()));
        cells.writes.set(writes);
        let _ = cut_to(&mut writer, &header);
        drop(writer);
        let mut writer = Writer::claim(reopen(&cells, geometry(3, 64))).unwrap();
        cut_to(&mut writer, &header).unwrap();
        assert_eq!(*cells.bytes.borrow(), undisturbed(10), "after {writes} writes");
    }
}

/// Each word that was written after the sync is old or new.
fn power_cut(synced: &[u8], written: &[u8], mut seed: u64) -> Vec<u8> {
    let words = synced.chunks_exact(4).zip(written.chunks_exact(4));
    let torn = words.map(|(old, new)| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        if seed & 1 == 0 { old } else { new }
    });
    torn.flatten().copied().collect()
}

#[test]
fn a_file_that_a_power_cut_has_torn_is_cut_back_to_its_mark() {
    for seed in 1..500 {
        let synced = undisturbed(12);
        let header = IndexHeader::decode(synced.first_chunk().unwrap());
        let torn = power_cut(&synced, &undisturbed(40), seed);
        let cells = VecCells::new(0);
        *cells.bytes.borrow_mut() = torn;
        let file = reopen(&cells, geometry(3, 64));
        assert!(file.header().next_number() >= header.next_number());
        let mut writer = Writer::claim(Rc::clone(&file)).unwrap();
        cut_to(&mut writer, &header).unwrap();
        (12..50).for_each(|i| assert!(put(&mut writer, i).unwrap()));
        let expected = undisturbed(50);
        assert_eq!(*cells.bytes.borrow(), expected, "seed {seed}");
    }
}

#[test]
fn nothing_below_is_no_header_and_an_unknown_time_is_rounded_up() {
    let (file, _) = new_file(geometry(3, 64), IndexHeader::default());
    let mut writer = Writer::claim(Rc::clone(&file)).unwrap();
    (5..10).for_each(|i| assert!(put(&mut writer, i).unwrap()));
    assert_eq!(header_below(&file, 5, |_| None), Ok(None));
    let header = header_below(&file, 8, |_| None).unwrap().unwrap();
    let exact = T + 7 * 700;
    assert!((exact..exact + 1000).contains(&header.end_timestamp));
    assert_eq!((header.end_offset, header.index_count), (7, 4));
}
