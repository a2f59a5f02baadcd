//! Batches: their limits, their refusals, and what the records hold.

use std::vec;
use std::vec::Vec;

use super::*;
use crate::cause::Cause;
use crate::message::{Message, PropertyMap};
use crate::record::hash_order::OrderRoom;
use crate::record::parse::{Parsed, RecordView};
use crate::status::PutMessageStatus;

fn encode(messages: &[(&[u8], &[u8])]) -> Vec<u8> {
    let mut out = Vec::new();
    for (body, properties) in messages {
        out.extend([0xFF; 12]);
        out.extend(7_i32.to_be_bytes());
        out.extend((body.len() as i32).to_be_bytes());
        out.extend(*body);
        out.extend((properties.len() as i16).to_be_bytes());
        out.extend(*properties);
    }
    out
}

/// The records of a batch, or why it is refused.
fn records(head: Message<'_>, limits: &Limits) -> Result<Vec<Vec<u8>>, Illegal> {
    let batch = MessageBatch { head };
    let mut items = [BatchItem::default(); 4];
    let mut order: OrderRoom = OrderRoom::new();
    let prepared = prepare_batch(&batch, limits, &mut items, &mut order).map_err(|refusal| {
        assert_eq!(refusal.status, PutMessageStatus::MessageIllegal);
        match refusal.cause {
            Cause::Illegal(why) => why,
            other => panic!("{other:?}"),
        }
    })?;
    let mut out = vec![0xEE; prepared.total_len() as usize];
    prepared.emit(10, 1000, 99, &mut out);
    let mut rest = &out[..];
    let lens = prepared.record_lens();
    assert_eq!(lens.len(), prepared.len() as usize);
    let split = lens.map(|len| {
        let (record, behind) = rest.split_at(len as usize);
        rest = behind;
        record.to_vec()
    });
    Ok(split.collect())
}

fn with_properties<'a>(encoded: &'a [u8], properties: Properties<'a>) -> Message<'a> {
    Message { properties, ..Message::new("T", 1, encoded) }
}

fn view(record: &[u8]) -> RecordView<'_> {
    match RecordView::parse(record) {
        Ok(Parsed::Record(view)) => view,
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_empty_batch_is_legal() {
    assert_eq!(records(Message::new("T", 0, b""), &Limits::default()), Ok(vec![]));
    // Also where not even a filler fits.
    let limits = Limits { segment_size: 0, ..Limits::default() };
    assert_eq!(records(Message::new("T", 0, b""), &limits), Ok(vec![]));
}

#[test]
fn messages_follow_each_other_in_queue_and_log() {
    let encoded = encode(&[(b"one", b""), (b"", b"a\x01b"), (b"three", b"")]);
    let records = records(Message::new("T", 1, &encoded), &Limits::default()).unwrap();
    let mut at = 1000;
    for (i, record) in records.iter().enumerate() {
        let view = view(record);
        assert_eq!((view.queue_offset(), view.physical_offset()), (10 + i as i64, at));
        assert_eq!((view.store_timestamp(), view.flag()), (99, 7));
        assert!(view.body_crc_ok());
        at += record.len() as u64;
    }
    assert_eq!(view(&records[2]).body(), b"three");
}

#[test]
fn properties_of_message_and_batch_are_joined() {
    // C-53
    let encoded = encode(&[(b"1", b"TAGS\x01A"), (b"2", b"TAGS\x01A\x02"), (b"3", b"")]);
    let map = PropertyMap { entries: &[("CLUSTER", "c1")], ..PropertyMap::default() };
    let text = "CLUSTER\u{1}c1";
    for properties in [
        Properties::Map(map),
        Properties::Text(text),
        Properties::Both { text: "other\u{1}x", map },
    ] {
        let records = records(with_properties(&encoded, properties), &Limits::default()).unwrap();
        for record in &records[..2] {
            assert_eq!(view(record).properties_bytes(), b"TAGS\x01A\x02CLUSTER\x01c1");
        }
        assert_eq!(view(&records[2]).properties_bytes(), text.as_bytes());
    }
    let wait = PropertyMap { entries: &[("WAIT", "false")], ..PropertyMap::default() };
    let batch = MessageBatch { head: with_properties(&encoded, Properties::Map(wait)) };
    let mut items = [BatchItem::default(); 3];
    let mut order: OrderRoom = OrderRoom::new();
    let prepared = prepare_batch(&batch, &Limits::default(), &mut items, &mut order).unwrap();
    assert!(!prepared.wait_store_ok());
}

#[test]
fn joined_properties_have_at_most_32767_bytes() {
    // C-52
    let own = vec![b'p'; 20_000];
    let shared = "p".repeat(20_000);
    let encoded = encode(&[(b"", b""), (b"", &own)]);
    let refused = records(with_properties(&encoded, Properties::Text(&shared)), &Limits::default());
    assert_eq!(refused, Err(Illegal::BatchPropertiesTooLong { index: 1, bytes: 40_001 }));
    let encoded = encode(&[(b"", &own[..16_000])]);
    for (len, legal) in [(16_766, true), (16_767, false)] {
        let head = with_properties(&encoded, Properties::Text(&shared[..len]));
        let records = records(head, &Limits::default());
        assert_eq!(records.is_ok(), legal);
        if let Ok(records) = records {
            assert_eq!(view(&records[0]).properties_bytes().len(), 32767);
        }
    }
}

#[test]
fn properties_of_a_batch_have_at_most_32767_bytes() {
    let encoded = encode(&[(b"x", b"")]);
    for (len, legal) in [(32767, true), (32768, false)] {
        let text = "p".repeat(len);
        let records =
            records(with_properties(&encoded, Properties::Text(&text)), &Limits::default());
        let refused = Illegal::PropertiesTooLong { bytes: len };
        assert_eq!(records.err(), if legal { None } else { Some(refused) });
    }
}

#[test]
fn a_batch_is_neither_delayed_nor_part_of_a_transaction() {
    let encoded = encode(&[(b"x", b"DELAY\x013")]);
    let plain = Message::new("T", 0, &encoded);
    // Delays of single messages are not looked at.
    assert!(records(plain, &Limits::default()).is_ok());
    for sys_flag in 0..64 {
        let refused = records(Message { sys_flag, ..plain }, &Limits::default()).err();
        let expected = (sys_flag & 0x0C != 0).then_some(Illegal::BatchTransaction);
        assert_eq!(refused, expected, "{sys_flag:#x}");
    }
    for (delay, refused) in [
        ("DELAY\u{1}1", Some(Illegal::BatchDelayed)),
        ("DELAY\u{1}0", None),
        ("DELAY\u{1}-1", None),
        ("DELAY\u{1}x", Some(Illegal::DelayNotANumber)),
    ] {
        let head = with_properties(&encoded, Properties::Text(delay));
        assert_eq!(records(head, &Limits::default()).err(), refused);
    }
}

#[test]
fn each_record_and_all_together_have_their_limits() {
    let body = [0; 1000];
    // 92 bytes around each body: topic "T".
    let one = encode(&[(&body[..908], b"")]);
    let limits = Limits { max_message_size: 1000, ..Limits::default() };
    assert!(records(Message::new("T", 0, &one), &limits).is_ok());
    let one = encode(&[(&body[..909], b"")]);
    let refused = Illegal::RecordTooLong { bytes: 1001, limit: 1000 };
    assert_eq!(records(Message::new("T", 0, &one), &limits), Err(refused));
    for (len, refused) in [(408, None), (409, Some(1001))] {
        let two = encode(&[(&body[..408], b""), (&body[..len], b"")]);
        let refused = refused.map(|bytes| Illegal::BatchTooLong { bytes, limit: 1000 });
        assert_eq!(records(Message::new("T", 0, &two), &limits).err(), refused);
    }
}

#[test]
fn all_records_together_fit_into_one_file() {
    // C-60 for batches.
    let body = [0; 1000];
    let limits = Limits { segment_size: 1008, ..Limits::default() };
    for (len, refused) in [(408, None), (409, Some(1001))] {
        let two = encode(&[(&body[..408], b""), (&body[..len], b"")]);
        let refused = refused.map(|bytes| Illegal::LargerThanFile { bytes, limit: 1000 });
        assert_eq!(records(Message::new("T", 0, &two), &limits).err(), refused);
    }
}

#[test]
fn torn_encodings_and_too_many_messages_are_refused() {
    let encoded = encode(&[(b"one", b"a\x01b"), (b"two", b"")]);
    for len in 0..encoded.len() {
        let result = records(Message::new("T", 0, &encoded[..len]), &Limits::default());
        assert_eq!(result.is_ok(), matches!(len, 0 | 28), "{len}");
    }
    let five = encode(&[(&[][..], &[][..]); 5]);
    let refused = records(Message::new("T", 0, &five), &Limits::default());
    assert_eq!(refused, Err(Illegal::BatchTooMany { limit: 4 }));
}

#[test]
fn hosts_decide_the_flags_of_every_record() {
    let encoded = encode(&[(b"one", b""), (b"two", b"")]);
    let head = Message {
        sys_flag: 0x11,
        store_host: "[2001:db8::8]:2".parse().unwrap(),
        ..Message::new("T", 0, &encoded)
    };
    for record in records(head, &Limits::default()).unwrap() {
        assert_eq!(view(&record).sys_flag(), 0x21);
        assert_eq!(view(&record).store_host(), head.store_host);
    }
}

#[test]
#[should_panic(expected = "room of exactly its length")]
fn room_of_another_length_is_not_written() {
    let encoded = encode(&[(b"one", b"")]);
    let batch = MessageBatch { head: Message::new("T", 0, &encoded) };
    let mut items = [BatchItem::default(); 1];
    let mut order: OrderRoom = OrderRoom::new();
    let prepared = prepare_batch(&batch, &Limits::default(), &mut items, &mut order).unwrap();
    prepared.emit(0, 0, 0, &mut vec![0; prepared.total_len() as usize + 1]);
}
