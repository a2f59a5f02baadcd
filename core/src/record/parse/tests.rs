//! Reading bytes that are no records, or nearly so.

use std::string::ToString;
use std::vec;
use std::vec::Vec;

use super::*;
use crate::message::{Message, Properties};
use crate::record::Stamp;
use crate::record::tests::{Random, written};

fn sample() -> Vec<u8> {
    let message = Message {
        properties: Properties::Text("TAGS\u{1}A\u{2}TAGS\u{1}B"),
        ..Message::new("Topic", 3, b"some body")
    };
    written(&message, &Stamp { queue_offset: 4, physical_offset: 5, store_timestamp: 6 })
}

fn parse(bytes: &[u8]) -> Result<RecordView<'_>, ParseError> {
    match RecordView::parse(bytes)? {
        Parsed::Record(view) => Ok(view),
        Parsed::Blank { size } => panic!("blank of {size}"),
    }
}

fn patched(at: usize, bytes: &[u8]) -> Vec<u8> {
    let mut record = sample();
    record[at..at + bytes.len()].copy_from_slice(bytes);
    record
}

/// Places in [`sample`].
const BODY_LEN_AT: usize = 84;
const TOPIC_LEN_AT: usize = 88 + 9;
const PROPERTIES_LEN_AT: usize = TOPIC_LEN_AT + 1 + 5;

#[test]
fn every_prefix_of_a_record_is_too_short() {
    let record = sample();
    assert!(parse(&record).is_ok());
    for have in 0..record.len() {
        let need = if have < 8 { 8 } else { record.len() };
        assert_eq!(parse(&record[..have]).unwrap_err(), ParseError::Short { have, need });
    }
}

#[test]
fn a_filler_is_told_from_a_record_and_from_zeros() {
    let filler = [0x00, 0x00, 0x1E, 0xBA, 0xCB, 0xD4, 0x31, 0x94];
    assert!(matches!(RecordView::parse(&filler), Ok(Parsed::Blank { size: 7866 })));
    let negative = [0xFF, 0xFF, 0xFF, 0xFF, 0xCB, 0xD4, 0x31, 0x94];
    assert!(matches!(RecordView::parse(&negative), Ok(Parsed::Blank { size: -1 })));
    assert_eq!(parse(&[0; 100]).unwrap_err(), ParseError::Magic(0));
    assert_eq!(peek(&filler), Some((7866, BLANK_MAGIC_CODE)));
    assert_eq!(peek(&filler[..7]), None);
}

#[test]
fn impossible_sizes_are_refused_without_being_used() {
    // C-19
    for size in [0x7FFF_FFFF, -610_402_302, 0, 1, 90, 4_194_305, i32::MIN, -1] {
        let record = patched(0, &size.to_be_bytes());
        let have = record.len();
        let expected = match usize::try_from(size) {
            Ok(need) if need >= 91 => ParseError::Short { have, need },
            _ => ParseError::Size(size),
        };
        assert_eq!(parse(&record).unwrap_err(), expected);
    }
}

#[test]
fn a_size_that_differs_from_its_parts_is_refused() {
    let len = sample().len();
    for wrong in (91..len).chain(len + 1..len + 20) {
        let mut record = patched(0, &(wrong as u32).to_be_bytes());
        record.resize(record.len() + 20, 0);
        assert!(parse(&record).is_err(), "{wrong}");
    }
    let mut record = patched(0, &(len as u32 + 1).to_be_bytes());
    record.push(0);
    let (stored, computed) = (len as u32 + 1, len as u32);
    assert_eq!(parse(&record).unwrap_err(), ParseError::SizeMismatch { stored, computed });
    // IPv6 flags that the hosts do not have: the record is 12 bytes short.
    let record = patched(layout::SYS_FLAG_AT, &[0, 0, 0, 0x10]);
    assert!(parse(&record).is_err());
}

#[test]
fn lengths_that_leave_the_record_are_refused() {
    for len in [i32::MAX, 1000, 36] {
        let record = patched(BODY_LEN_AT, &len.to_be_bytes());
        assert_eq!(parse(&record).unwrap_err(), ParseError::BodyLength(len));
    }
    for len in [-1, i8::MIN, i8::MAX, 23] {
        let record = patched(TOPIC_LEN_AT, &len.to_be_bytes());
        assert_eq!(parse(&record).unwrap_err(), ParseError::TopicLength(len), "{len}");
    }
    for len in [0, 12, 14, i16::MAX, -1] {
        let record = patched(PROPERTIES_LEN_AT, &len.to_be_bytes());
        assert!(matches!(parse(&record).unwrap_err(), ParseError::SizeMismatch { .. }), "{len}");
    }
}

#[test]
fn negative_lengths_of_body_and_properties_count_as_zero() {
    let record = written(&Message::new("T", 0, b""), &Stamp::default());
    let mut odd = record.clone();
    odd[84..88].copy_from_slice(&(-7_i32).to_be_bytes());
    odd[90..92].copy_from_slice(&(-9_i16).to_be_bytes());
    let view = parse(&odd).unwrap();
    assert_eq!((view.body(), view.properties_bytes()), (&[][..], &[][..]));
    assert_eq!(view.topic(), Ok("T"));
    assert!(view.body_crc_ok());
}

#[test]
fn every_field_of_the_smallest_record_is_read() {
    let record = written(&Message::new("", 0, b""), &Stamp::default());
    assert_eq!(record.len(), 91);
    let view = parse(&record).unwrap();
    assert_eq!((view.topic(), view.body(), view.property("TAGS")), (Ok(""), &[][..], None));
    assert_eq!(view.message_id().to_string(), "7F00000100002A9F0000000000000000");
}

#[test]
fn a_changed_body_fails_its_checksum() {
    let record = sample();
    for bit in 0..72 {
        let mut record = record.clone();
        record[88 + bit / 8] ^= 1 << (bit % 8);
        assert!(!parse(&record).unwrap().body_crc_ok());
    }
    // C-61: bodies whose CRC-32 is 0, or all ones.
    for (body, crc) in [(&[0x9D, 0x0A, 0xD9, 0x6D], 0), (&[0xFF; 4], 0x7FFF_FFFF)] {
        let mut record = written(&Message::new("T", 0, body), &Stamp::default());
        let view = parse(&record).unwrap();
        assert_eq!((view.body_crc(), view.body_crc_ok()), (crc, true));
        record[88] ^= 1;
        assert!(!parse(&record).unwrap().body_crc_ok());
    }
}

#[test]
fn the_last_of_equal_properties_counts() {
    let record = sample();
    assert_eq!(parse(&record).unwrap().property("TAGS"), Some(&b"B"[..]));
}

#[test]
fn no_bytes_make_the_reader_panic() {
    let mut random = Random(3);
    let sample = sample();
    for _ in 0..if cfg!(miri) { 100 } else { 100_000 } {
        let mut bytes = sample.clone();
        for _ in 0..=random.below(4) {
            let at = random.below(bytes.len() as u64);
            bytes[at] = random.next() as u8;
        }
        bytes.truncate(random.below(bytes.len() as u64 * 4));
        if let Ok(Parsed::Record(view)) = RecordView::parse(&bytes) {
            let parts = view.body().len() + view.topic_bytes().len();
            let parts = parts + view.properties_bytes().len() + layout::fixed_len(view.sys_flag());
            assert_eq!(parts, view.total_size() as usize);
            let _ = (view.born_host(), view.store_host(), view.body_crc_ok(), view.message_id());
            let _ = std::format!("{view:?}");
        }
    }
    for fill in 0..=255 {
        let bytes = vec![fill; 300];
        assert!(RecordView::parse(&bytes).is_err());
    }
}
