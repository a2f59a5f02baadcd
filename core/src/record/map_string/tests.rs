//! Strings of maps: order, changes, and maps that are too big for the room.

use std::collections::BTreeMap;
use std::string::{String, ToString};
use std::vec;
use std::vec::Vec;

use super::*;
use crate::record::hash_order::OrderRoom;
use crate::record::props;
use crate::record::tests::Random;

fn text_of(base: Base<'_>, overlay: Overlay<'_>, room: &mut OrderRoomView) -> String {
    let offsets = "7,-1";
    let string = MapString::new(base, overlay, room);
    let extra = if overlay.multi_dispatch { offsets.len() } else { 0 };
    let mut out = vec![0xEE; string.len() + extra];
    let write = |out: &mut [u8]| {
        write_bytes(offsets.as_bytes(), out)?;
        Ok(offsets.len())
    };
    string.write(&mut out, write).unwrap();
    String::from_utf8(out).unwrap().replace('\u{1}', "=").replace('\u{2}', ";")
}

fn small_room() -> OrderRoom {
    OrderRoom::new()
}

fn map<'a>(entries: &'a [(&'a str, &'a str)], order: MapOrder) -> Base<'a> {
    Base::Map(PropertyMap { entries, order })
}

#[test]
fn a_hash_map_is_written_in_javas_order() {
    let room = &mut small_room();
    let entries = [("TAGS", "t"), ("KEYS", "k"), ("UNIQ_KEY", "u")];
    let text = text_of(map(&entries, MapOrder::JavaHash), Overlay::default(), room);
    assert_eq!(text, "KEYS=k;UNIQ_KEY=u;TAGS=t");
    let text = text_of(map(&entries, MapOrder::Given), Overlay::default(), room);
    assert_eq!(text, "TAGS=t;KEYS=k;UNIQ_KEY=u");
    let entries = [("DELAY", "3"), ("TAGS", "T"), ("WAIT", "w")];
    let overlay = Overlay { real: Some(("A", 5)), ..Overlay::default() };
    let text = text_of(map(&entries, MapOrder::JavaHash), overlay, room);
    assert_eq!(text, "REAL_TOPIC=A;DELAY=3;WAIT=w;TAGS=T;REAL_QID=5");
}

#[test]
fn an_empty_map_has_an_empty_string() {
    let room = &mut small_room();
    for order in [MapOrder::Given, MapOrder::JavaHash] {
        assert_eq!(text_of(map(&[], order), Overlay::default(), room), "");
    }
    assert_eq!(text_of(Base::Text(""), Overlay::default(), room), "");
}

#[test]
fn empty_names_and_values_are_written() {
    let entries = [("empty", ""), ("a", "1"), ("", "noname"), ("", "")];
    let text = text_of(map(&entries, MapOrder::Given), Overlay::default(), &mut small_room());
    assert_eq!(text, "empty=;a=1;=noname;=");
}

#[test]
fn replaced_entries_keep_their_place_and_new_ones_go_to_the_end() {
    let room = &mut small_room();
    let entries = [("REAL_QID", "x"), ("DELAY", "99"), ("a", "b")];
    let overlay =
        Overlay { delay_level: Some(18), real: Some(("T", i32::MIN)), multi_dispatch: false };
    let text = text_of(map(&entries, MapOrder::Given), overlay, room);
    assert_eq!(text, "REAL_QID=-2147483648;DELAY=18;a=b;REAL_TOPIC=T");
    let entries = [("INNER_MULTI_QUEUE_OFFSET", "99"), ("WAIT", "true"), ("a", "b")];
    let overlay = Overlay { multi_dispatch: true, ..Overlay::default() };
    let text = text_of(map(&entries, MapOrder::Given), overlay, room);
    assert_eq!(text, "INNER_MULTI_QUEUE_OFFSET=7,-1;a=b");
    let overlay = Overlay { multi_dispatch: true, real: Some(("T", 1)), delay_level: Some(2) };
    let entries = [("WAIT", "true"), ("DELAY", "3")];
    let text = text_of(map(&entries, MapOrder::Given), overlay, room);
    assert_eq!(text, "DELAY=2;REAL_TOPIC=T;REAL_QID=1;INNER_MULTI_QUEUE_OFFSET=7,-1");
}

#[test]
fn a_text_is_decoded_into_a_hash_map() {
    let room = &mut small_room();
    // Dropped pieces go, of equal names the first has the place and the last the value.
    let text =
        "bad\u{2}TAGS\u{1}t1\u{2}KEYS\u{1}k1\u{2}TAGS\u{1}t2\u{2}KEYS\u{1}\u{2}UNIQ_KEY\u{1}u";
    let text = text_of(Base::Text(text), Overlay::default(), room);
    assert_eq!(text, "KEYS=k1;UNIQ_KEY=u;TAGS=t2");
    // "Aa" and "BB" have one hash, so they stay in the order of first insertion.
    let text = "BB\u{1}1\u{2}Aa\u{1}2\u{2}BB\u{1}3";
    assert_eq!(text_of(Base::Text(text), Overlay::default(), room), "BB=3;Aa=2");
}

/// A `java.util.HashMap` without trees, written down in the most simple way.
#[derive(Default)]
struct Model {
    buckets: Vec<Vec<(String, String)>>,
    size: usize,
}

impl Model {
    fn new() -> Self {
        Self { buckets: vec![Vec::new(); 16], size: 0 }
    }

    fn put(&mut self, name: &str, value: &str) {
        let n = self.buckets.len() as u32;
        let bucket = &mut self.buckets[(spread(name) & (n - 1)) as usize];
        if let Some(entry) = bucket.iter_mut().find(|e| e.0 == name) {
            entry.1 = value.to_string();
            return;
        }
        bucket.push((name.to_string(), value.to_string()));
        self.size += 1;
        if self.size > self.buckets.len() * 3 / 4 {
            // As Java splits a bucket, the order inside it stays.
            let old = core::mem::replace(&mut self.buckets, vec![Vec::new(); 2 * n as usize]);
            for entry in old.into_iter().flatten() {
                let i = (spread(&entry.0) & (2 * n - 1)) as usize;
                self.buckets[i].push(entry);
            }
        }
    }

    fn text(&self) -> String {
        let parts = self.buckets.iter().flatten().map(|(n, v)| std::format!("{n}={v}"));
        parts.collect::<Vec<_>>().join(";")
    }
}

#[test]
fn any_map_is_written_as_a_hash_map_would() {
    let mut random = Random(7);
    let mut room = OrderRoom::<16384>::new();
    for n in (0..40).chain([95, 96, 97, 98, 300, 1500]) {
        if cfg!(miri) && n > 30 {
            continue;
        }
        let names: Vec<String> = (0..n)
            .map(|i| std::format!("{}{}", random.below(3 + n as u64), "xyz".repeat(i % 3)))
            .collect();
        let values: Vec<String> = (0..n).map(|i| i.to_string()).collect();
        let mut model = Model::new();
        let mut text = String::new();
        for (name, value) in names.iter().zip(&values) {
            model.put(name, value);
            text += &std::format!("{name}\u{1}{value}\u{2}");
        }
        assert_eq!(text_of(Base::Text(&text), Overlay::default(), &mut room), model.text());
        // The same as a map, whose names are all different.
        let distinct: BTreeMap<&str, &str> =
            names.iter().zip(&values).map(|(n, v)| (n.as_str(), v.as_str())).collect();
        let entries: Vec<(&str, &str)> = distinct.into_iter().collect();
        let mut model = Model::new();
        entries.iter().for_each(|(name, value)| model.put(name, value));
        model.put("REAL_TOPIC", "T");
        model.put("REAL_QID", "1");
        let overlay = Overlay { real: Some(("T", 1)), ..Overlay::default() };
        let text = text_of(map(&entries, MapOrder::JavaHash), overlay, &mut room);
        assert_eq!(text, model.text());
    }
}

#[test]
fn a_map_too_big_for_the_room_is_complete_all_the_same() {
    let names: Vec<String> = (0..300).map(|i| std::format!("n{i}")).collect();
    let mut entries: Vec<(&str, &str)> = names.iter().map(|n| (n.as_str(), "v")).collect();
    entries.push(("DELAY", "99"));
    let overlay = Overlay { delay_level: Some(18), real: Some(("T", 1)), multi_dispatch: true };
    let text = text_of(map(&entries, MapOrder::JavaHash), overlay, &mut small_room());
    let expected = text_of(map(&entries, MapOrder::Given), overlay, &mut small_room());
    assert_eq!(text, expected);
    // A text may keep its repetitions: whoever decodes it gets the same map.
    let stored = text.replace('=', "\u{1}").replace(';', "\u{2}");
    let twice = std::format!("{stored}\u{2}n7\u{1}last");
    let rewritten = text_of(Base::Text(&twice), overlay, &mut small_room());
    let rewritten = rewritten.replace('=', "\u{1}").replace(';', "\u{2}");
    assert_eq!(props::find_text(&rewritten, "n7"), Some("last"));
    assert_eq!(props::find_text(&rewritten, "n299"), Some("v"));
    assert_eq!(props::find_text(&rewritten, "REAL_TOPIC"), Some("T"));
    assert_eq!(text_of(Base::Text("a\u{1}b"), overlay, &mut OrderRoom::<0>::new()).len(), 57);
}

#[test]
fn no_choice_of_names_makes_sorting_slow() {
    // 2^10 names of one hash: were each compared with each, this would be a million times.
    let names: Vec<String> = (0..1024_u32)
        .map(|i| (0..10).map(|b| if i >> b & 1 == 0 { "Aa" } else { "BB" }).collect())
        .collect();
    let n = if cfg!(miri) { 32 } else { names.len() };
    let text: String = names[..n].iter().map(|n| std::format!("{n}\u{1}v\u{2}")).collect();
    let mut room = OrderRoom::<2048>::new();
    let written = text_of(Base::Text(&text), Overlay::default(), &mut room);
    let expected: Vec<String> = names[..n].iter().map(|n| std::format!("{n}=v")).collect();
    assert_eq!(written, expected.join(";"));
}

#[test]
fn wrong_room_is_an_error_and_not_a_panic() {
    let entries = [("a", "b"), ("INNER_MULTI_QUEUE_OFFSET", "1")];
    let overlay = Overlay { multi_dispatch: true, ..Overlay::default() };
    let mut room = small_room();
    let string = MapString::new(map(&entries, MapOrder::Given), overlay, &mut room);
    for len in 0..40 {
        let mut out = vec![0; len];
        let result =
            string.write(&mut out, |out| if out.is_empty() { Err(WrongRoom) } else { Ok(1) });
        assert_eq!(result.is_ok(), len == string.len() + 1, "{len}");
        assert_eq!(string.write(&mut out, |_| Ok(usize::MAX)), Err(WrongRoom));
    }
}
