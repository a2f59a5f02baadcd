//! Every limit, at the limit and one beyond.

use super::*;
use crate::message::MapOrder;
use crate::status::PutMessageStatus;

fn why(result: Result<(), Refusal>) -> Option<Illegal> {
    let refusal = result.err()?;
    assert_eq!(refusal.status, PutMessageStatus::MessageIllegal);
    match refusal.cause {
        crate::cause::Cause::Illegal(why) => Some(why),
        other => panic!("{other:?}"),
    }
}

fn of_topic(topic: &str) -> Option<Illegal> {
    let limits = Limits::default();
    let single = why(message(&Message::new(topic, 0, b""), &limits));
    let batched = why(batch(&MessageBatch { head: Message::new(topic, 0, b"") }, &limits));
    assert_eq!(single, batched);
    single
}

fn of_properties(properties: Properties<'_>) -> Option<Illegal> {
    why(message(&Message { properties, ..Message::new("T", 0, b"") }, &Limits::default()))
}

#[test]
fn a_topic_has_at_most_127_bytes() {
    // C-59
    assert_eq!(of_topic(&"a".repeat(127)), None);
    assert_eq!(of_topic(&"\u{4e2d}".repeat(42)), None);
    let topics = [("a", 128), ("\u{4e2d}", 43), ("\u{4e2d}", 64), ("\u{4e2d}", 127)];
    for (letter, n) in topics {
        let topic = letter.repeat(n);
        assert_eq!(of_topic(&topic), Some(Illegal::TopicTooLong { bytes: topic.len() }));
    }
}

#[test]
fn a_topic_is_the_name_of_a_folder() {
    // C-56
    for bad in ["../../x", "a/b", "/", ".", "..", "a\0", "\0"] {
        assert_eq!(of_topic(bad), Some(Illegal::TopicName), "{bad:?}");
    }
    for good in ["", "...", ".a", "a..b", "%RETRY%g", "a\\b", "\u{2215}", " "] {
        assert_eq!(of_topic(good), None, "{good:?}");
    }
    let corrected = Limits { refuse_empty_topic: true, ..Limits::default() };
    let refused = message(&Message::new("", 0, b""), &corrected);
    assert_eq!(why(refused), Some(Illegal::TopicEmpty));
}

#[test]
fn properties_have_at_most_32767_characters() {
    assert_eq!(of_properties(Properties::Text(&"p".repeat(32767))), None);
    let bytes = 32768;
    let refused = Some(Illegal::PropertiesTooLong { bytes });
    assert_eq!(of_properties(Properties::Text(&"p".repeat(bytes))), refused);
    // Characters are UTF-16 units; too many bytes are found when the record is measured.
    assert_eq!(of_properties(Properties::Text(&"\u{4e2d}".repeat(32767))), None);
    assert_eq!(of_properties(Properties::Text(&"\u{1F600}".repeat(16383))), None);
    let text = "\u{1F600}".repeat(16384);
    assert!(of_properties(Properties::Text(&text)).is_some());
    let map = PropertyMap::default();
    assert!(of_properties(Properties::Both { text: &text, map }).is_some());
}

#[test]
fn the_string_of_a_map_has_the_same_limit() {
    for (len, legal) in [(32767, true), (32768, false)] {
        let first = "v".repeat(1000);
        let second = "v".repeat(len - 1000 - 5);
        let entries = [("a", first.as_str()), ("b", second.as_str())];
        let map = PropertyMap { entries: &entries, order: MapOrder::JavaHash };
        assert_eq!(of_properties(Properties::Map(map)).is_none(), legal, "{len}");
        // In this form the string is what counts.
        assert_eq!(of_properties(Properties::Both { text: "", map }), None);
    }
    let value = "\u{4e2d}".repeat(32765);
    let entries = [("a", value.as_str())];
    let map = PropertyMap { entries: &entries, order: MapOrder::Given };
    assert_eq!(of_properties(Properties::Map(map)), None);
}

#[test]
fn a_map_cannot_hold_what_separates_its_entries() {
    // C-62
    let cases = [
        (("k", "a\u{2}TAGS\u{1}B"), Some(1)),
        (("k\u{1}x", "v"), Some(1)),
        (("k", ""), None),
        (("k", "a=b;c"), None),
        (("k", "\0\u{3}\u{102}"), None),
    ];
    for (entry, index) in cases {
        let entries = [("first", "x"), entry];
        let map = PropertyMap { entries: &entries, order: MapOrder::Given };
        let refused = index.map(|index| Illegal::PropertySeparator { index });
        assert_eq!(of_properties(Properties::Map(map)), refused, "{entry:?}");
        assert_eq!(of_properties(Properties::Both { text: "", map }), refused);
        let head = Message { properties: Properties::Map(map), ..Message::new("T", 0, b"") };
        assert_eq!(why(batch(&MessageBatch { head }, &Limits::default())), refused);
    }
    assert_eq!(of_properties(Properties::Text("k\u{1}a\u{2}TAGS\u{1}B\u{2}")), None);
}

#[test]
fn an_encoded_batch_is_no_longer_than_a_message() {
    let limits = Limits { max_message_size: 100, ..Limits::default() };
    let encoded = [0; 101];
    let of_len = |len| MessageBatch { head: Message::new("T", 0, &encoded[..len]) };
    assert_eq!(why(batch(&of_len(100), &limits)), None);
    let refused = Some(Illegal::BatchTooLong { bytes: 101, limit: 100 });
    assert_eq!(why(batch(&of_len(101), &limits)), refused);
    // A single body is measured with its record.
    assert_eq!(why(message(&of_len(101).head, &limits)), None);
}
