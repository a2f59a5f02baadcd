//! Any text as properties, any map, any list of light queues: what is measured is what is
//! written, and what is written reads back.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mqstore_core::check::{self, Limits};
use mqstore_core::delay::DelayLevels;
use mqstore_core::message::{MapOrder, Message, Properties, PropertyMap};
use mqstore_core::prepare::{self, MultiDispatchRules};
use mqstore_core::record::Stamp;
use mqstore_core::record::hash_order::OrderRoom;
use mqstore_core::record::parse::{Parsed, RecordView};
use mqstore_core::record::props;

type Input<'a> = (bool, bool, bool, &'a str, Vec<(&'a str, &'a str)>, &'a [u8]);

fuzz_target!(|input: Input<'_>| {
    let (as_map, hash, both, text, entries, bytes) = input;
    for name in ["TAGS", "KEYS", ""] {
        let _ = props::find(bytes, name);
    }
    let order = if hash { MapOrder::JavaHash } else { MapOrder::Given };
    let map = PropertyMap { entries: &entries, order };
    let mut message = Message::new("TopicTest", 3, b"body");
    message.properties = match (as_map, both) {
        (true, true) => Properties::Both { text, map },
        (true, false) => Properties::Map(map),
        _ => Properties::Text(text),
    };
    let limits =
        Limits { max_message_size: 65_536, segment_size: 1 << 20, refuse_empty_topic: false };
    if check::message(&message, &limits).is_err() {
        return;
    }
    let rules = MultiDispatchRules {
        enable_lmq: hash,
        enable_multi_dispatch: true,
        skip_retry_topics: false,
    };
    let mut room: OrderRoom = OrderRoom::new();
    let levels = DelayLevels::default();
    let Ok(prepared) = prepare::prepare(&message, &levels, &limits, rules, &mut room) else {
        return;
    };
    let mut n = 0;
    let Ok(len) = prepared.record_len_with(|_| {
        n += 977;
        n
    }) else {
        return;
    };
    let mut out = vec![0xEE; len as usize];
    let stamp = Stamp { queue_offset: 1, physical_offset: 2, store_timestamp: 3 };
    let mut n = 0;
    let offsets = |_| {
        n += 977;
        n
    };
    prepared.emit_with(&stamp, offsets, &mut out);
    let Ok(Parsed::Record(r)) = RecordView::parse(&out) else { panic!("no record") };
    assert_eq!(r.total_size(), len);
    assert_eq!(r.topic_bytes(), prepared.topic().as_bytes());
});
