//! Any bytes as a client's batch: refused with a place, or stored as exactly the records that
//! were measured, each of which parses.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mqstore_core::check::{self, Limits};
use mqstore_core::message::{Message, MessageBatch, Properties};
use mqstore_core::prepare;
use mqstore_core::record::batch::{self, BatchItem};
use mqstore_core::record::hash_order::OrderRoom;
use mqstore_core::record::parse::{Parsed, RecordView};

fuzz_target!(|input: (&str, &[u8])| {
    let (properties, encoded) = input;
    let limits =
        Limits { max_message_size: 65_536, segment_size: 16_384, refuse_empty_topic: false };
    let mut head = Message::new("TopicTest", 0, encoded);
    head.properties = Properties::Text(properties);
    let batch = MessageBatch { head };
    let Ok(count) = batch::count(encoded) else { return };
    if check::batch(&batch, &limits).is_err() {
        return;
    }
    let mut items = vec![BatchItem::default(); count];
    let mut room: OrderRoom = OrderRoom::new();
    let Ok(prepared) = prepare::prepare_batch(&batch, &limits, &mut items, &mut room) else {
        return;
    };
    assert_eq!(prepared.len() as usize, count);
    let mut out = vec![0xEE; prepared.total_len() as usize];
    prepared.emit(7, 4096, 1_700_000_000_000, &mut out);
    let mut at = 0;
    for (i, len) in prepared.record_lens().enumerate() {
        let Ok(Parsed::Record(r)) = RecordView::parse(&out[at..]) else { panic!("no record") };
        assert_eq!(r.total_size(), len);
        assert_eq!(r.queue_offset(), 7 + i as i64);
        assert_eq!(r.physical_offset(), 4096 + at as u64);
        assert!(r.body_crc_ok());
        at += len as usize;
    }
    assert_eq!(at, out.len());
});
