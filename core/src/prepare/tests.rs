//! Single messages: what their properties ask for, their limits, and their hosts.

use std::string::{String, ToString};
use std::vec;
use std::vec::Vec;

use super::*;
use crate::message::{MapOrder, Properties, PropertyMap};
use crate::record::hash_order::OrderRoom;
use crate::record::parse::{Parsed, RecordView};

const ALL: MultiDispatchRules =
    MultiDispatchRules { enable_lmq: true, enable_multi_dispatch: true, skip_retry_topics: false };

/// What became of a message: its record's topic, queue id and properties.
#[derive(Debug, PartialEq)]
struct Became(String, i32, String);

fn became(topic: &str, queue_id: i32, properties: &str) -> Became {
    Became(topic.to_string(), queue_id, properties.to_string())
}

/// Prepares and writes a message; every light queue is at 7.
fn store(message: &Message<'_>, limits: &Limits) -> Result<Became, Refusal> {
    let mut order: OrderRoom = OrderRoom::new();
    let levels = DelayLevels::default();
    let prepared = prepare(message, &levels, limits, ALL, &mut order)?;
    let len = prepared.record_len_with(|_| 7).map_err(Refusal::illegal)?;
    let mut out = vec![0xEE; len as usize];
    prepared.emit_with(&Stamp::default(), |_| 7, &mut out);
    let Ok(Parsed::Record(view)) = RecordView::parse(&out) else { panic!("no record") };
    assert_eq!(view.body_crc(), prepared.body_crc());
    assert_eq!((view.topic(), view.queue_id()), (Ok(prepared.topic()), prepared.queue_id()));
    assert_eq!(view.sys_flag(), prepared.sys_flag());
    let properties = String::from_utf8(view.properties_bytes().to_vec()).unwrap();
    let properties = properties.replace('\u{1}', "=").replace('\u{2}', ";");
    Ok(became(prepared.topic(), prepared.queue_id(), &properties))
}

fn of_text(text: &str) -> Result<Became, Refusal> {
    let text = text.replace('=', "\u{1}").replace(';', "\u{2}");
    let message =
        Message { properties: Properties::Text(&text), ..Message::new("Topic", 5, b"body") };
    store(&message, &Limits::default())
}

fn illegal(why: Illegal) -> Result<Became, Refusal> {
    Err(Refusal::illegal(why))
}

#[test]
fn a_ready_made_string_is_stored_as_it_is() {
    for text in ["", "junk", "b=2;a=1;", "WAIT=false;a=", "DELAY=0;x=y", "DELAY=-3"] {
        assert_eq!(of_text(text), Ok(became("Topic", 5, text)));
    }
}

#[test]
fn a_delayed_message_goes_to_the_queue_of_its_level() {
    let delayed = |level, stored| became(SCHEDULE_TOPIC, level - 1, stored);
    let stored = "REAL_TOPIC=Topic;DELAY=1;REAL_QID=5";
    assert_eq!(of_text("DELAY=1"), Ok(delayed(1, stored)));
    let stored = "REAL_TOPIC=Topic;DELAY=+18;REAL_QID=5";
    assert_eq!(of_text("DELAY=+18"), Ok(delayed(18, stored)));
    // Levels that do not exist become the highest one, also in the string.
    let stored = "REAL_TOPIC=Topic;DELAY=18;REAL_QID=5";
    for level in ["19", "0100", "2147483647"] {
        assert_eq!(of_text(&std::format!("DELAY={level}")), Ok(delayed(18, stored)));
    }
    // The last of equal names counts, and an empty value is none.
    let stored = "REAL_TOPIC=Topic;DELAY=2;REAL_QID=5";
    assert_eq!(of_text("DELAY=1;DELAY=2;DELAY="), Ok(delayed(2, stored)));
}

#[test]
fn a_delay_is_read_as_java_reads_a_number() {
    let not_a_number = || illegal(Illegal::DelayNotANumber);
    for bad in ["x", "1 ", " 1", "1.0", "+", "-", "2147483648", "-2147483649", "0x1", "1=2"] {
        assert_eq!(of_text(&std::format!("DELAY={bad}")), not_a_number(), "{bad}");
    }
    for zero in ["0", "-0", "-2147483648", "+0", "000"] {
        let text = std::format!("DELAY={zero}");
        assert_eq!(of_text(&text), Ok(became("Topic", 5, &text)));
    }
    // In a map an empty value counts, and is no number.
    let map = PropertyMap { entries: &[("DELAY", "")], order: MapOrder::Given };
    let message = Message { properties: Properties::Map(map), ..Message::new("T", 0, b"") };
    assert_eq!(store(&message, &Limits::default()), not_a_number());
}

#[test]
fn only_messages_that_are_dispatched_are_delayed() {
    for sys_flag in 0..64 {
        let message = Message {
            sys_flag,
            properties: Properties::Text("DELAY\u{1}1"),
            ..Message::new("T", 0, b"")
        };
        let stored = store(&message, &Limits::default()).unwrap();
        assert_eq!(stored.0 == SCHEDULE_TOPIC, matches!(sys_flag & 0x0C, 0 | 8), "{sys_flag:#x}");
        // A number is only looked for where it would count.
        let message = Message { properties: Properties::Text("DELAY\u{1}x"), ..message };
        let refused = store(&message, &Limits::default()).is_err();
        assert_eq!(refused, matches!(sys_flag & 0x0C, 0 | 8));
    }
}

#[test]
fn the_map_and_not_the_string_says_what_to_do() {
    let limits = Limits::default();
    let map = PropertyMap { entries: &[("a", "b")], order: MapOrder::Given };
    let both = Properties::Both { text: "DELAY\u{1}3", map };
    let message = Message { properties: both, ..Message::new("T", 5, b"") };
    assert_eq!(store(&message, &limits), Ok(became("T", 5, "DELAY=3")));
    let map = PropertyMap { entries: &[("DELAY", "3"), ("WAIT", "no")], order: MapOrder::Given };
    let both = Properties::Both { text: "lost\u{1}1", map };
    let message = Message { properties: both, ..message };
    let stored = "DELAY=3;WAIT=no;REAL_TOPIC=T;REAL_QID=5";
    assert_eq!(store(&message, &limits), Ok(became(SCHEDULE_TOPIC, 2, stored)));
}

#[test]
fn a_put_waits_unless_it_says_otherwise() {
    for (value, waits) in
        [("true", true), ("TRUE", true), ("tRuE", true), ("false", false), ("yes", false)]
    {
        let text = std::format!("a\u{1}b\u{2}WAIT\u{1}{value}");
        let properties = Properties::Text(&text);
        assert_eq!(Wishes::of(&properties).wait_store_ok(), waits);
    }
    for absent in ["", "WAIT", "WAIT\u{1}", "WAI\u{1}false", "wait\u{1}false"] {
        assert!(Wishes::of(&Properties::Text(absent)).wait_store_ok());
    }
    let map = PropertyMap { entries: &[("WAIT", "")], order: MapOrder::Given };
    assert!(!Wishes::of(&Properties::Map(map)).wait_store_ok());
}

#[test]
fn light_queues_get_their_offsets_into_the_string() {
    // The example of spec 01 section 7.
    let entries =
        [("INNER_MULTI_DISPATCH", "%LMQ%a,%LMQ%b,plain"), ("WAIT", "true"), ("TAGS", "TT")];
    let map = PropertyMap { entries: &entries, order: MapOrder::Given };
    let message = Message { properties: Properties::Map(map), ..Message::new("T", 3, b"") };
    let stored = "INNER_MULTI_DISPATCH=%LMQ%a,%LMQ%b,plain;TAGS=TT;INNER_MULTI_QUEUE_OFFSET=7,7,7";
    assert_eq!(store(&message, &Limits::default()), Ok(became("T", 3, stored)));

    let levels = DelayLevels::default();
    let mut order: OrderRoom = OrderRoom::new();
    let prepared = prepare(&message, &levels, &Limits::default(), ALL, &mut order).unwrap();
    let ids: Vec<_> = prepared.multi_dispatch().unwrap().map(|q| (q.queue_id, q.is_lmq)).collect();
    assert_eq!(ids, [(0, true), (0, true), (3, false)]);
    let offset = |q: LightQueue<'_>| if q.is_lmq { -9 } else { i64::MAX };
    let len = prepared.record_len_with(offset).unwrap();
    let mut out = vec![0; len as usize];
    prepared.emit_with(&Stamp::default(), offset, &mut out);
    let Ok(Parsed::Record(view)) = RecordView::parse(&out) else { panic!("no record") };
    let offsets = view.property("INNER_MULTI_QUEUE_OFFSET");
    assert_eq!(offsets, Some(&b"-9,-9,9223372036854775807"[..]));
}

#[test]
fn lists_of_empty_names_change_the_string_all_the_same() {
    // C-58
    let list = |list: &str| of_text(&std::format!("INNER_MULTI_DISPATCH={list}")).unwrap().2;
    assert!(list(",,").ends_with("INNER_MULTI_QUEUE_OFFSET="));
    assert!(list("%LMQ%a,,%LMQ%b,").ends_with("INNER_MULTI_QUEUE_OFFSET=7,7,7"));
    assert_eq!(list(" "), "INNER_MULTI_DISPATCH= ");
    assert_eq!(list(""), "INNER_MULTI_DISPATCH=");
}

#[test]
fn a_delayed_message_for_light_queues_gets_both_changes() {
    let stored = of_text("INNER_MULTI_DISPATCH=plain;DELAY=2;WAIT=true").unwrap();
    assert_eq!((stored.0.as_str(), stored.1), (SCHEDULE_TOPIC, 1));
    let mut parts: Vec<&str> = stored.2.split(';').collect();
    parts.sort_unstable();
    let expected = [
        "DELAY=2",
        "INNER_MULTI_DISPATCH=plain",
        "INNER_MULTI_QUEUE_OFFSET=7",
        "REAL_QID=5",
        "REAL_TOPIC=Topic",
    ];
    assert_eq!(parts, expected);
}

#[test]
fn offsets_can_make_a_message_too_long() {
    let text = "INNER_MULTI_DISPATCH\u{1}a";
    let message = Message { properties: Properties::Text(text), ..Message::new("T", 0, b"") };
    // 92 + 22 bytes; with "2 INNER_MULTI_QUEUE_OFFSET 1 7" 27 more.
    let with = |max_message_size, segment_size| {
        let limits = Limits { max_message_size, segment_size, ..Limits::default() };
        store(&message, &limits).map(|_| ())
    };
    let too_long = Refusal::illegal(Illegal::MultiDispatchTooLong);
    assert_eq!(with(141, 149), Ok(()));
    assert_eq!(with(140, 149), Err(too_long));
    let larger = Illegal::LargerThanFile { bytes: 141, limit: 140 };
    assert_eq!(with(141, 148), Err(Refusal::illegal(larger)));
    let record = Illegal::RecordTooLong { bytes: 114, limit: 113 };
    assert_eq!(with(113, 149), Err(Refusal::illegal(record)));
    let value = "v".repeat(32767 - 22 - 3);
    let text = std::format!("{text}\u{2}k\u{1}{value}");
    let long = Message { properties: Properties::Text(&text), ..message };
    assert_eq!(store(&long, &Limits::default()), Err(too_long));
}

#[test]
fn properties_have_at_most_32767_bytes() {
    let exceeded = |bytes| {
        let why = Cause::Illegal(Illegal::PropertiesTooLong { bytes });
        Some(Refusal::new(PutMessageStatus::PropertiesSizeExceeded, why))
    };
    let refused = |text: &str| {
        let message = Message { properties: Properties::Text(text), ..Message::new("T", 0, b"") };
        store(&message, &Limits::default()).err()
    };
    assert_eq!(refused(&"p".repeat(32767)), None);
    assert_eq!(refused(&"p".repeat(32768)), exceeded(32768));
    assert_eq!(refused(&"\u{4e2d}".repeat(10923)), exceeded(32769));
    // Grown by the delay rewrite: 25 bytes more.
    let text = std::format!("DELAY\u{1}1\u{2}k\u{1}{}", "v".repeat(32767 - 10 - 24));
    assert_eq!(refused(&text), None);
    let text = std::format!("{text}v");
    assert_eq!(refused(&text), exceeded(32768));
}

#[test]
fn a_record_has_at_most_max_message_size_bytes() {
    let body = [0; 909];
    let limits = Limits { max_message_size: 1000, ..Limits::default() };
    assert!(store(&Message::new("T", 0, &body[..908]), &limits).is_ok());
    let refused = Illegal::RecordTooLong { bytes: 1001, limit: 1000 };
    assert_eq!(store(&Message::new("T", 0, &body), &limits), illegal(refused));
}

#[test]
fn a_record_fits_into_a_file_with_a_filler_behind_it() {
    // C-60: topic TopicTest, files of 4096 bytes.
    let body = vec![0; 8000];
    let limits = Limits { segment_size: 4096, ..Limits::default() };
    let put = |len| store(&Message::new("TopicTest", 0, &body[..len]), &limits);
    assert!(put(3988).is_ok());
    let refused = |bytes| illegal(Illegal::LargerThanFile { bytes, limit: 4088 });
    assert_eq!(put(3989), refused(4089));
    assert_eq!(put(8000), refused(8100));
    let tiny = Limits { segment_size: 7, ..Limits::default() };
    let refused = illegal(Illegal::LargerThanFile { bytes: 92, limit: 0 });
    assert_eq!(store(&Message::new("T", 0, b""), &tiny), refused);
}

#[test]
fn hosts_decide_the_ipv6_flags() {
    let hosts = [("1.2.3.4:5", 0), ("[2001:db8::1]:5", 1), ("[::ffff:9.8.7.6]:5", 0)];
    for (born, born_v6) in hosts {
        for (store, store_v6) in hosts {
            for given in [0, 0x10, 0x20, 0x30, !0x0C] {
                let message = Message {
                    sys_flag: given,
                    born_host: born.parse().unwrap(),
                    store_host: store.parse().unwrap(),
                    ..Message::new("T", 0, b"x")
                };
                let mut order: OrderRoom = OrderRoom::new();
                let levels = DelayLevels::default();
                let limits = Limits::default();
                let prepared = prepare(&message, &levels, &limits, ALL, &mut order).unwrap();
                let flags = (given & !0x30) | born_v6 << 4 | store_v6 << 5;
                assert_eq!(prepared.sys_flag(), flags);
                assert_eq!(prepared.store_host().is_ipv6(), store_v6 == 1);
                assert_eq!(prepared.record_len(), 93 + 12 * (born_v6 + store_v6) as u32);
            }
        }
    }
}

#[test]
fn a_topic_that_was_not_checked_cannot_corrupt_the_log() {
    let topic = "a".repeat(128);
    let refused = illegal(Illegal::TopicTooLong { bytes: 128 });
    assert_eq!(store(&Message::new(&topic, 0, b""), &Limits::default()), refused);
}

#[test]
#[should_panic(expected = "room of exactly its length")]
fn offsets_that_change_are_not_written() {
    let text = "INNER_MULTI_DISPATCH\u{1}a";
    let message = Message { properties: Properties::Text(text), ..Message::new("T", 0, b"") };
    let mut order: OrderRoom = OrderRoom::new();
    let levels = DelayLevels::default();
    let prepared = prepare(&message, &levels, &Limits::default(), ALL, &mut order).unwrap();
    let mut out = vec![0; prepared.record_len_with(|_| 9).unwrap() as usize];
    prepared.emit_with(&Stamp::default(), |_| 10, &mut out);
}
