//! Batches as clients send them, whole and torn.

use std::vec::Vec;

use super::*;
use crate::record::tests::hex;

const TWO: &str = "
    00000027 00000000 00000000 00000005 00000002 6231 000f 4b455953014b310254414753015431
    00000018 00000000 00000000 00000005 00000002 6232 0000";

#[test]
fn the_example_of_the_specification_is_read() {
    let encoded = hex(TWO);
    let messages: Vec<_> = inners(&encoded).map(Result::unwrap).collect();
    let first = Inner { flag: 5, body: b"b1", properties: b"KEYS\x01K1\x02TAGS\x01T1" };
    assert_eq!(messages, [first, Inner { flag: 5, body: b"b2", properties: b"" }]);
    assert_eq!(count(&encoded), Ok(2));
    assert_eq!(count(&[]), Ok(0));
}

#[test]
fn what_is_encoded_is_the_example_of_the_specification() {
    let expected = hex(TWO);
    let mut out = [0xEE; 63];
    let mut at = 0;
    for inner in inners(&expected).map(Result::unwrap) {
        assert_eq!(inner.encode(&mut out[at..at + inner.encoded_len().unwrap() - 1]), None);
        at += inner.encode(&mut out[at..]).unwrap();
    }
    assert_eq!(out[..at], expected[..]);
}

#[test]
fn what_its_length_field_cannot_say_is_not_encoded() {
    let long = [b'x'; PROPERTIES_LEN_MAX + 1];
    let inner = |properties| Inner { flag: 0, body: b"", properties };
    let refused = Err(Illegal::PropertiesTooLong { bytes: 32768 });
    assert_eq!(inner(&long[..]).encoded_len(), refused);
    assert_eq!(inner(&long[1..]).encoded_len(), Ok(22 + 32767));
}

#[test]
fn size_magic_code_and_checksum_are_ignored() {
    let mut encoded = hex(TWO);
    encoded[..12].fill(0xFF);
    assert_eq!(count(&encoded), Ok(2));
}

#[test]
fn a_batch_cut_at_any_byte_is_torn() {
    let encoded = hex(TWO);
    for len in 0..encoded.len() {
        let count = count(&encoded[..len]);
        match len {
            0 => assert_eq!(count, Ok(0)),
            39 => assert_eq!(count, Ok(1)),
            _ => {
                let Err(Illegal::BatchTorn { at }) = count else { panic!("{len}: {count:?}") };
                // Flag, body length, body, properties length, properties of each message.
                let fields = [12, 16, 20, 22, 24, 51, 55, 59, 61];
                assert!(fields.contains(&at) && at + 15 >= len, "{len}: {at}");
            }
        }
        assert!(inners(&encoded[..len]).count() <= 2);
    }
}

#[test]
fn negative_and_huge_lengths_are_torn() {
    for len in [-1, i32::MIN, 1000, i32::MAX] {
        let mut encoded = hex(TWO);
        encoded[16..20].copy_from_slice(&len.to_be_bytes());
        let at = if len < 0 { 16 } else { 20 };
        assert_eq!(count(&encoded), Err(Illegal::BatchTorn { at }));
    }
    for len in [-1, i16::MIN, i16::MAX] {
        let mut encoded = hex(TWO);
        encoded[22..24].copy_from_slice(&len.to_be_bytes());
        let at = if len < 0 { 22 } else { 24 };
        assert_eq!(count(&encoded), Err(Illegal::BatchTorn { at }));
    }
}

#[test]
fn a_separator_is_needed_only_between_two_strings() {
    let needs =
        |properties: &[u8], batch| Inner { flag: 0, body: b"", properties }.needs_separator(batch);
    assert!(needs(b"a\x01b", 1));
    assert!(!needs(b"a\x01b\x02", 1));
    assert!(!needs(b"a\x01b", 0));
    assert!(!needs(b"", 1));
}
