use std::vec;
use std::vec::Vec;

use super::*;
use crate::log::CommitLog;
use crate::log::testing::{TestBackend, TestSegment};
use crate::observe::Silent;
use crate::segment::{ErrorKind, FixedTable, Found, SegmentBackend, SegmentTable};

type Files = CommitLog<TestSegment, FixedTable<TestSegment, 4>>;

const FILE: u32 = 100;

fn new(backend: &TestBackend) -> (Files, ExtWriter<TestBackend>) {
    (CommitLog::new(FixedTable::new(), 0), ExtWriter::new(backend.clone()))
}

fn unit(bitmap: &[u8]) -> Unit<'_> {
    Unit { tags_code: 0xA6D, store_time: 0x01A2_284D_AE2C, bitmap }
}

fn address(offset: u64) -> i64 {
    address_of(offset).unwrap()
}

#[test]
fn addresses_are_offsets_moved_below_all_tags_codes() {
    assert_eq!(MAX_ADDRESS, -2_147_483_649);
    assert_eq!(MAX_OFFSET, 9_223_372_034_707_292_159);
    assert_eq!((address_of(0), address_of(40)), (Some(i64::MIN), Some(i64::MIN + 40)));
    assert_eq!(address_of(MAX_OFFSET), Some(MAX_ADDRESS));
    assert_eq!(address_of(MAX_OFFSET + 1), None);
    for offset in [0, 1, 48 << 20, MAX_OFFSET] {
        assert_eq!(offset_of(address(offset)), Some(offset));
    }
    for tags_code in [0, 1, -1, i64::from(i32::MIN), i64::from(i32::MAX), i64::MAX] {
        assert!(!is_address(tags_code));
        assert_eq!(offset_of(tags_code), None);
    }
}

/// Spec 02 section 8, as run.
#[test]
fn a_unit_without_a_bitmap_has_20_bytes() {
    let backend = TestBackend::new(FILE, false);
    let (files, mut writer) = new(&backend);
    assert_eq!(writer.put(&files, &unit(&[]), &Silent), Ok(i64::MIN));
    let expected =
        [0, 0x14, 0, 0, 0, 0, 0, 0, 0x0A, 0x6D, 0, 0, 1, 0xA2, 0x28, 0x4D, 0xAE, 0x2C, 0, 0];
    assert_eq!(backend.bytes(0)[..20], expected);
    assert_eq!(backend.bytes(0)[20..], [0; 80]);
}

#[test]
fn a_unit_that_leaves_less_than_4_bytes_goes_to_the_next_file_behind_a_mark() {
    // leaves exactly 4, then 3
    for (bitmap, rolls) in [(56, false), (57, true)] {
        let backend = TestBackend::new(FILE, false);
        let (files, mut writer) = new(&backend);
        writer.put(&files, &unit(&[]), &Silent).unwrap();
        let long = vec![7; bitmap];
        let put = writer.put(&files, &unit(&long), &Silent);
        assert_eq!(put, Ok(address(if rolls { 100 } else { 20 })));
        if rolls {
            assert_eq!(backend.bytes(0)[20..22], [0xFF, 0xFF]);
            assert!(backend.bytes(0)[22..].iter().all(|b| *b == 0));
            assert_eq!(writer.end(), Some(177));
        }
        let next = writer.put(&files, &unit(&[]), &Silent);
        assert_eq!(next, Ok(address(if rolls { 200 } else { 100 })));
        assert_eq!(files.max_offset(), if rolls { 220 } else { 120 });
    }
}

#[test]
fn units_are_read_by_address_lent_or_copied_and_nothing_else_is_one() {
    for backend in [TestBackend::new(FILE, false), TestBackend::lending_nothing(FILE)] {
        let (files, mut writer) = new(&backend);
        let bitmaps: Vec<Vec<u8>> = (0..8).map(|n| vec![n; 5 * usize::from(n)]).collect();
        let mut put = |b: &Vec<u8>| writer.put(&files, &unit(b), &Silent);
        let addresses: Vec<i64> = bitmaps.iter().map_while(|b| put(b).ok()).collect();
        assert!(addresses.len() > 5);
        for (address, bitmap) in addresses.iter().zip(&bitmaps) {
            let stored = find(&files, *address).unwrap().unwrap();
            assert_eq!(stored.unit(&mut [0; 100]), Ok(Some(unit(bitmap))));
        }
        for nothing in [0, 0xA6D, address(FILE.into()) - 2, address(1000), MAX_ADDRESS] {
            assert!(find(&files, nothing).unwrap().is_none(), "{nothing}");
        }
    }
}

#[test]
fn a_buffer_that_is_too_short_for_a_unit_is_an_error() {
    let backend = TestBackend::lending_nothing(FILE);
    let (files, mut writer) = new(&backend);
    let at = writer.put(&files, &unit(&[1]), &Silent).unwrap();
    let stored = find(&files, at).unwrap().unwrap();
    assert_eq!(stored.unit(&mut [0; 20]), Err(ErrorKind::BadSize));
    assert_eq!(stored.unit(&mut [0; 21]), Ok(Some(unit(&[1]))));
}

#[test]
fn what_no_file_can_hold_is_not_stored_and_ends_no_file() {
    let backend = TestBackend::new(FILE, false);
    let (files, mut writer) = new(&backend);
    writer.put(&files, &unit(&[]), &Silent).unwrap();
    assert_eq!(writer.put(&files, &unit(&[0; 77]), &Silent), Err(NotStored::TooLong));
    assert_eq!(unit(&[0; 32_747]).byte_len(), Some(MAX_UNIT_LEN));
    assert_eq!(unit(&[0; 32_748]).byte_len(), None);
    assert_eq!(files.max_offset(), 20);
}

#[test]
fn a_file_that_cannot_be_made_is_tried_three_times() {
    let backend = TestBackend::new(FILE, false);
    let (files, mut writer) = new(&backend);
    backend.faults.create.set(Some(ErrorKind::NoSpace));
    assert_eq!(writer.put(&files, &unit(&[]), &Silent), Ok(i64::MIN), "once is not enough");
    for k in 0..15 {
        writer.put(&files, &unit(&[]), &Silent).map_err(|e| (k, e)).unwrap();
    }
    let kind = ErrorKind::Exhausted;
    let full = writer.put(&files, &unit(&[]), &Silent);
    assert_eq!(full, Err(NotStored::CreateFailed { base: 400, kind }));
}

#[test]
fn a_write_that_fails_moves_nothing() {
    let backend = TestBackend::new(FILE, false);
    let (files, mut writer) = new(&backend);
    for at in [0, 20] {
        backend.faults.window.set(Some(ErrorKind::Device));
        let kind = ErrorKind::Device;
        let failed = writer.put(&files, &unit(&[]), &Silent);
        assert_eq!(failed, Err(NotStored::WriteFailed { position: at, kind }));
        assert_eq!(files.max_offset(), at);
        assert_eq!(writer.put(&files, &unit(&[]), &Silent), Ok(address(at)));
    }
    assert_eq!(backend.faults.creates.get(), 1);
}

#[test]
fn an_extension_ends_behind_its_last_unit_and_is_cut_behind_an_address() {
    let backend = TestBackend::new(FILE, false);
    let (files, mut writer) = new(&backend);
    for bitmap in [0, 10, 0] {
        writer.put(&files, &unit(&vec![1; bitmap]), &Silent).unwrap();
    }
    writer.let_go();
    assert_eq!(writer.put(&files, &unit(&[]), &Silent), Err(NotStored::LetGo));
    let found = || backend.open(0).unwrap();
    assert_eq!(find_end(&found()), Ok(70));
    assert_eq!(end_behind(&found(), address(20)), Ok(Some(50)));
    assert_eq!(end_behind(&found(), address(70)), Ok(None), "no unit");
    assert_eq!(end_behind(&found(), address(170)), Ok(None), "another file");
    assert_eq!(end_behind(&found(), 1), Ok(None), "no address");
    let halves = found().resume(50).unwrap();
    let files: Files = CommitLog::new(FixedTable::new(), 50);
    files.table().push(halves.1.clone()).unwrap();
    writer.resume(halves);
    assert_eq!(writer.put(&files, &unit(&[]), &Silent), Ok(address(50)));
    let long = [2; 40];
    assert_eq!(writer.put(&files, &unit(&long), &Silent), Ok(address(100)));
    assert_eq!(find_end(&backend.open(0).unwrap()), Ok(70), "a mark is no unit");
}

#[test]
fn a_damaged_length_ends_an_extension() {
    let backend = TestBackend::new(FILE, false);
    let (files, mut writer) = new(&backend);
    for _ in 0..3 {
        writer.put(&files, &unit(&[]), &Silent).unwrap();
    }
    for damage in [[0, 1], [0, 19], [0, 81], [0x7F, 0xFF], [0x80, 0]] {
        backend.scribble(0, 20, &damage);
        assert_eq!(find_end(&backend.open(0).unwrap()), Ok(20), "{damage:?}");
    }
}

#[test]
fn files_wholly_before_the_first_address_are_not_needed() {
    assert!(is_not_needed(100, address(101)));
    assert!(!is_not_needed(100, address(100)));
    assert!(!is_not_needed(100, 1));
}
