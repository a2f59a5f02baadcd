//! What a record asks for: tags codes, keys, queues, arrivals, and the parser's answers.

use super::*;
use crate::record::Stamp;
use crate::record::parse::Parsed;
use crate::record::tests::written;

fn bytes_of(topic: &str, text: &str) -> Vec<u8> {
    let text = properties(text);
    let message = Message {
        sys_flag: 0,
        properties: Properties::Text(&text),
        ..Message::new(topic, 3, b"hello")
    };
    let stamp = Stamp { queue_offset: 7, physical_offset: 0, store_timestamp: NOW };
    written(&message, &stamp)
}

fn view(bytes: &[u8]) -> RecordView<'_> {
    match RecordView::parse(bytes).unwrap() {
        Parsed::Record(record) => record,
        Parsed::Blank { .. } => panic!("a filler"),
    }
}

fn request(bytes: &[u8]) -> DispatchRequest<'_> {
    DispatchRequest::new(view(bytes), &DelayLevels::default(), LMQ)
}

#[test]
fn a_request_says_all_that_the_record_says() {
    let bytes = bytes_of("T", "TAGS=TagA;KEYS=a b;UNIQ_KEY=U;KEYS=c d");
    let r = request(&bytes);
    assert_eq!((r.topic, r.queue_id, r.queue_offset), (&b"T"[..], 3, 7));
    assert_eq!((r.physical_offset, r.size as usize), (0, bytes.len()));
    assert_eq!((r.tags_code, r.store_timestamp), (0x0027_A807, NOW));
    assert_eq!((r.keys, r.uniq_key), (Some(&b"c d"[..]), Some(&b"U"[..])));
    assert_eq!((r.sys_flag, r.prepared_transaction_offset), (0, 0));
    assert_eq!(r.properties().count(), 4);
    assert!(r.is_below(u64::from(r.size)) && !r.is_below(u64::from(r.size) - 1));
}

#[test]
fn the_tags_code_of_a_delayed_message_is_when_it_is_due() {
    for (level, expected) in
        [("3", NOW + 10_000), ("99", NOW + 7_200_000), ("0", 65), ("-1", 65), ("+1", NOW + 1000)]
    {
        // as raw bytes may bring it: any DELAY under the schedule topic
        let bytes = raw_record(SCHEDULE_TOPIC, &std::format!("TAGS=A;DELAY={level}"));
        assert_eq!(request(&bytes).tags_code, expected, "{level}");
        let plain = raw_record("T", &std::format!("TAGS=A;DELAY={level}"));
        assert_eq!(request(&plain).tags_code, 65, "only under the schedule topic");
    }
}

#[test]
fn a_delay_that_is_no_number_is_due_at_once_and_stops_nothing() {
    let bytes = raw_record(SCHEDULE_TOPIC, "TAGS=A;DELAY=soon");
    assert_eq!(request(&bytes).tags_code, 65);
}

#[test]
fn no_properties_ask_for_nothing_more() {
    let bytes = raw_record("T", "");
    let r = request(&bytes);
    assert_eq!((r.tags_code, r.keys, r.uniq_key), (0, None, None));
    assert_eq!(request(&raw_record("T", "TAGS=")).tags_code, 0);
    assert_eq!(r.targets().count(), 1);
    assert_eq!(r.arrivals().count(), 1);
}

/// A record whose topic and properties are what no put would store.
fn raw_record(topic: &str, text: &str) -> Vec<u8> {
    let text = properties(text);
    let mut bytes = bytes_of("", "");
    bytes.truncate(bytes.len() - 3);
    bytes.push(topic.len() as u8);
    bytes.extend(topic.as_bytes());
    bytes.extend((text.len() as u16).to_be_bytes());
    bytes.extend(text.as_bytes());
    let len = bytes.len() as u32;
    bytes[..4].copy_from_slice(&len.to_be_bytes());
    bytes
}

#[test]
fn a_message_goes_to_its_queue_and_to_each_light_queue() {
    let lists = "INNER_MULTI_DISPATCH=%LMQ%a,,b;INNER_MULTI_QUEUE_OFFSET=5,0,6";
    let bytes = raw_record("T", lists);
    let target =
        |name, queue_id, queue_offset, is_main| Target { name, queue_id, queue_offset, is_main };
    let all = [target("T", 3, 7, true), target("%LMQ%a", 0, 5, false), target("b", 3, 6, false)];
    assert_eq!(request(&bytes).targets().collect::<Vec<_>>(), all);
    let off = DispatchRequest::new(
        view(&bytes),
        &DelayLevels::default(),
        MultiDispatchRules { enable_multi_dispatch: false, ..LMQ },
    );
    assert_eq!(off.targets().count(), 1);
    let arrived: Vec<_> = off.arrivals().map(|a| (a.topic, a.queue_id, a.next_offset)).collect();
    assert_eq!(arrived, [("T", 3, 8), ("%LMQ%a", 0, 6), ("b", 3, 7)], "the switch is not asked");
}

#[test]
fn a_prepared_message_has_no_queue_but_arrives() {
    for (sys_flag, targets) in [(0, 1), (4, 0), (8, 1), (12, 0)] {
        let mut bytes = raw_record("T", "");
        bytes[36..40].copy_from_slice(&i32::to_be_bytes(sys_flag));
        let r = request(&bytes);
        assert_eq!((r.targets().count(), r.arrivals().count()), (targets, 1), "{sys_flag}");
    }
}

#[test]
fn a_topic_that_can_have_no_queue_has_none_but_its_light_queues_do() {
    let lists = "INNER_MULTI_DISPATCH=a;INNER_MULTI_QUEUE_OFFSET=5";
    for topic in ["a/b", "..", ".", "a\0"] {
        let bytes = raw_record(topic, lists);
        let r = request(&bytes);
        assert_eq!(r.queue_name(), None, "{topic:?}");
        assert_eq!(r.targets().map(|t| t.name).collect::<Vec<_>>(), ["a"]);
    }
    let mut bytes = raw_record("T", "");
    let at = bytes.len() - 3;
    bytes[at] = 0xFF;
    assert_eq!(request(&bytes).queue_name(), None, "no UTF-8");
}

#[test]
fn the_parser_answers_as_javas_table_says() {
    let whole = raw_record("T", "TAGS=A");
    let len = whole.len() as i32;
    let answer = |bytes: &[u8]| Checked::at(0, bytes, 4096).java();
    let changed = |at: usize, to: [u8; 4]| {
        let mut bytes = whole.clone();
        bytes[at..at + 4].copy_from_slice(&to);
        answer(&bytes)
    };
    assert_eq!(answer(&whole), (len, true));
    assert_eq!(answer(&whole[..7]), (-1, false), "1: fewer than 8 bytes");
    assert_eq!(
        answer(&[0x12, 0, 0, 0, 0xCB, 0xD4, 0x31, 0x94]),
        (0, true),
        "2: size not looked at"
    );
    assert_eq!(changed(4, [0; 4]), (-1, false), "3");
    assert_eq!(answer(&[0; 100]), (-1, false), "3: zeros");
    assert_eq!(changed(0, (-5_i32).to_be_bytes()), (-1, false), "4");
    assert_eq!(changed(0, i32::MAX.to_be_bytes()), (-1, false), "4: a huge size");
    assert_eq!(answer(&whole[..50]), (-1, false), "5: a short buffer");
    let longer = [&whole[..], &[0; 9]].concat();
    let mut mismatch = longer.clone();
    mismatch[..4].copy_from_slice(&(len + 9).to_be_bytes());
    assert_eq!(answer(&mismatch), (len + 9, false), "9");
    assert_eq!(answer(&longer), (len, true), "10: what is behind does not matter");
}

#[test]
fn a_record_of_another_place_never_counts() {
    // C-12; Java does not compare the place
    let whole = raw_record("T", "TAGS=A");
    let checked = Checked::at(200, &whole, 4096);
    let why = Why::NoRecord(ParseError::PhysicalOffset);
    assert!(matches!(checked, Checked::Damaged { why: w, len: None } if w == why), "{checked:?}");
}
