//! Whole records: the bytes that the Java store has written, and reading back what is written.

use std::string::String;
use std::vec;
use std::vec::Vec;

use super::Stamp;
use super::batch::BatchItem;
use super::hash_order::OrderRoom;
use super::parse::{Parsed, RecordView};
use crate::check::{self, Limits};
use crate::delay::DelayLevels;
use crate::message::{MapOrder, Message, MessageBatch, Properties, PropertyMap};
use crate::prepare::{MultiDispatchRules, prepare, prepare_batch};

/// Bytes from hex; white space is for the reader.
pub(crate) fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u32> = text.chars().filter_map(|c| c.to_digit(16)).collect();
    digits.chunks(2).map(|d| (d[0] * 16 + d[1]) as u8).collect()
}

/// splitmix64: deterministic, and good enough to make up messages.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, n: u64) -> usize {
        (self.next() % n) as usize
    }

    fn text(&mut self, max: u64) -> String {
        const LETTERS: [char; 8] = ['a', 'B', '7', '_', '%', '\u{fc}', '\u{4e2d}', '\u{1F600}'];
        let len = self.below(max + 1);
        (0..len).map(|_| LETTERS[self.below(8)]).collect()
    }
}

/// The record that a message becomes.
pub(crate) fn written(message: &Message<'_>, stamp: &Stamp) -> Vec<u8> {
    let limits = Limits::default();
    check::message(message, &limits).unwrap();
    let mut order: OrderRoom = OrderRoom::new();
    let rules = MultiDispatchRules::default();
    let levels = DelayLevels::default();
    let prepared = prepare(message, &levels, &limits, rules, &mut order).unwrap();
    let mut out = vec![0xEE; prepared.record_len() as usize];
    prepared.emit(stamp, &mut out);
    out
}

fn common<'a>(topic: &'a str, queue_id: i32, body: &'a [u8]) -> Message<'a> {
    Message {
        born_timestamp: 1_700_000_000_000,
        born_host: "10.1.2.3:4660".parse().unwrap(),
        ..Message::new(topic, queue_id, body)
    }
}

#[test]
fn vector_1_a_message_with_keys_and_tags() {
    let map = PropertyMap {
        entries: &[("TAGS", "TagA"), ("KEYS", "k1 k2"), ("UNIQ_KEY", "U1")],
        order: MapOrder::JavaHash,
    };
    let message = Message {
        flag: 7,
        reconsume_times: 2,
        prepared_transaction_offset: 99,
        properties: Properties::Map(map),
        ..common("TopicA", 3, b"hello")
    };
    let stamp =
        Stamp { queue_offset: 0, physical_offset: 0, store_timestamp: 0x0000_01a2_284b_2a8d };
    let java = hex("
        00000086daa320a73610a68600000003000000070000000000000000000000000000000000000000
        0000018bcfe568000a01020300001234
        000001a2284b2a8d7f00000100002a9f0000000200000000000000630000000568656c6c6f06546f706963410020
        4b455953016b31206b3202554e49515f4b455901553102544147530154616741");
    assert_eq!(written(&message, &stamp), java);
    // The same as a ready-made string, and as a map whose order the caller has found.
    let text = "KEYS\u{1}k1 k2\u{2}UNIQ_KEY\u{1}U1\u{2}TAGS\u{1}TagA";
    assert_eq!(written(&Message { properties: Properties::Text(text), ..message }, &stamp), java);
    let given = PropertyMap {
        entries: &[("KEYS", "k1 k2"), ("UNIQ_KEY", "U1"), ("TAGS", "TagA")],
        order: MapOrder::Given,
    };
    assert_eq!(written(&Message { properties: Properties::Map(given), ..message }, &stamp), java);
}

#[test]
fn vector_2_ipv6_hosts() {
    let message = Message {
        born_host: "[2001:db8::1]:4660".parse().unwrap(),
        store_host: "[2001:db8::2]:10911".parse().unwrap(),
        ..common("TopicA", 3, b"v6")
    };
    let stamp =
        Stamp { queue_offset: 1, physical_offset: 134, store_timestamp: 0x0000_01a2_284b_2b09 };
    let java = hex("
        0000007bdaa320a777065916000000030000000000000000000000010000000000000086
        000000300000018bcfe56800
        20010db800000000000000000000000100001234000001a2284b2b09
        20010db800000000000000000000000200002a9f
        00000000000000000000000000000002763606546f706963410000");
    assert_eq!(written(&message, &stamp), java);
}

#[test]
fn vector_3_a_delayed_message() {
    let map = PropertyMap {
        entries: &[("DELAY", "3"), ("TAGS", "TD"), ("WAIT", "true")],
        order: MapOrder::JavaHash,
    };
    // The broker has left WAIT out of the string; it comes back from the map.
    let both = Properties::Both { text: "DELAY\u{1}3\u{2}TAGS\u{1}TD", map };
    let message = Message { properties: both, ..common("TopicD", 5, b"delay") };
    let stamp =
        Stamp { queue_offset: 0, physical_offset: 1270, store_timestamp: 0x0000_01a2_284b_2b22 };
    let java = hex("
        000000a9daa320a7329a809b0000000200000000000000000000000000000000000004f6
        000000000000018bcfe56800
        0a01020300001234000001a2284b2b227f00000100002a9f0000000000000000000000000000000564656c6179
        135343484544554c455f544f5049435f585858580036
        5245414c5f544f50494301546f706963440244454c41590133025741495401747275650254414753015444
        025245414c5f5149440135");
    assert_eq!(written(&message, &stamp), java);
    let text = "TAGS\u{1}TD\u{2}DELAY\u{1}3\u{2}WAIT\u{1}true";
    assert_eq!(written(&Message { properties: Properties::Text(text), ..message }, &stamp), java);
}

#[test]
fn vector_4_a_batch_with_properties_of_its_own() {
    let encoded = hex("
        00000027 00000000 00000000 00000005 00000002 6231
        000f 4b455953014b310254414753015431
        00000018 00000000 00000000 00000005 00000002 6232 0000");
    let map = PropertyMap { entries: &[("CLUSTER", "C")], order: MapOrder::Given };
    let head = Message {
        reconsume_times: 1,
        properties: Properties::Map(map),
        ..common("TopicB", 1, &encoded)
    };
    let batch = MessageBatch { head };
    let mut items = [BatchItem::default(); 2];
    let mut order: OrderRoom = OrderRoom::new();
    let prepared = prepare_batch(&batch, &Limits::default(), &mut items, &mut order).unwrap();
    assert_eq!(prepared.record_lens().collect::<Vec<_>>(), [124, 108]);
    assert_eq!((prepared.len(), prepared.total_len()), (2, 232));
    let mut out = vec![0xEE; 232];
    prepared.emit(2, 213, 0x0000_01a2_284c_23ca, &mut out);
    let java = hex("
        0000007cdaa320a747cc1be00000000100000005000000000000000200000000000000d5
        000000000000018bcfe56800
        0a01020300001234000001a2284c23ca7f00000100002a9f00000001000000000000000000000002
        623106546f70696342
        00194b455953014b31025441475301543102434c55535445520143
        0000006cdaa320a75ec54a5a000000010000000500000000000000030000000000000151
        000000000000018bcfe56800
        0a01020300001234000001a2284c23ca7f00000100002a9f00000001000000000000000000000002
        623206546f70696342
        0009434c55535445520143");
    assert_eq!(out, java);
}

// V5 is an index header, and V6 is tested beside `blank::write`.

#[test]
fn what_is_written_is_read_back() {
    let mut random = Random(1);
    let hosts = ["1.2.3.4:5", "[2001:db8::7]:65535", "[::ffff:9.8.7.6]:5", "0.0.0.0:0", "[::]:1"];
    for round in 0..if cfg!(miri) { 30 } else { 3000 } {
        let body: Vec<u8> = (0..random.below(300)).map(|_| random.next() as u8).collect();
        let topic = random.text(20);
        let entries = [("TAGS", random.text(9)), ("k", random.text(9)), ("x", random.text(9))];
        let entries: Vec<_> = entries.iter().map(|(n, v)| (*n, v.as_str())).collect();
        let order = if round % 2 == 0 { MapOrder::Given } else { MapOrder::JavaHash };
        let map = PropertyMap { entries: &entries[..random.below(4)], order };
        let message = Message {
            topic: &topic,
            queue_id: random.next() as i32,
            flag: random.next() as i32,
            sys_flag: random.next() as i32,
            born_timestamp: random.next() as i64,
            born_host: hosts[random.below(5)].parse().unwrap(),
            store_host: hosts[random.below(5)].parse().unwrap(),
            reconsume_times: random.next() as i32,
            prepared_transaction_offset: random.next() as i64,
            body: &body,
            properties: Properties::Map(map),
        };
        let stamp = Stamp {
            queue_offset: random.next() as i64,
            physical_offset: random.next(),
            store_timestamp: random.next() as i64,
        };
        let mut bytes = written(&message, &stamp);
        let len = bytes.len();
        bytes.extend([0xAA; 9]);
        let Ok(Parsed::Record(view)) = RecordView::parse(&bytes) else { panic!("no record") };
        assert_eq!((view.total_size() as usize, view.bytes().len()), (len, len));
        assert_eq!(view.queue_id(), message.queue_id);
        assert_eq!(view.flag(), message.flag);
        assert_eq!(view.sys_flag() & !0x30, message.sys_flag & !0x30);
        assert_eq!(view.born_timestamp(), message.born_timestamp);
        assert_eq!(view.born_host().ip(), message.born_host.ip().to_canonical());
        assert_eq!(view.store_host().ip(), message.store_host.ip().to_canonical());
        assert_eq!(view.born_host().port(), message.born_host.port());
        assert_eq!(view.sys_flag() & 0x10 != 0, view.born_host().is_ipv6());
        assert_eq!(view.sys_flag() & 0x20 != 0, view.store_host().is_ipv6());
        assert_eq!(view.reconsume_times(), message.reconsume_times);
        assert_eq!(view.prepared_transaction_offset(), message.prepared_transaction_offset);
        assert_eq!(view.body(), body);
        assert!(view.body_crc_ok());
        assert_eq!(view.topic(), Ok(topic.as_str()));
        assert_eq!(view.queue_offset(), stamp.queue_offset);
        assert_eq!(view.physical_offset(), stamp.physical_offset);
        assert_eq!(view.store_timestamp(), stamp.store_timestamp);
        for (name, value) in map.entries {
            let kept = Some(value.as_bytes()).filter(|v| !v.is_empty());
            assert_eq!(view.property(name), kept);
        }
    }
}
