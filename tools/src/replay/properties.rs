//! A property map as the Java oracle builds it, and its string.

use mqstore::MapOrder;
use mqstore_core::record::hash_order::{bucket, table_size};
use mqstore_core::record::props::{
    PROPERTY_DELAY_TIME_LEVEL, PROPERTY_INNER_MULTI_DISPATCH, PROPERTY_KEYS, PROPERTY_TAGS,
    PROPERTY_UNIQ_CLIENT_MESSAGE_ID_KEYIDX, PROPERTY_WAIT_STORE_MSG_OK,
};
use serde_json::Value;

use super::trace::{Op, plain, string_of};

/// A `LinkedHashMap` or `HashMap` of strings. A value may be Java's null, which is never
/// written; the store is not told of it, and so does not know that it would keep a place for a
/// name that the store sets itself.
#[derive(Clone, Debug)]
pub(super) struct JavaMap {
    order: MapOrder,
    entries: Vec<(String, Option<String>)>,
    /// The most entries it has ever held: a `HashMap`'s table never shrinks.
    most: usize,
}

impl JavaMap {
    fn new(order: MapOrder) -> Self {
        Self { order, entries: Vec::new(), most: 0 }
    }

    /// The properties of an operation, or of one message of a batch.
    pub(super) fn of(op: &Op, order: MapOrder) -> Self {
        let mut map = Self::new(order);
        for (name, value) in op.object("properties").into_iter().flatten() {
            map.put(name, string_of(value));
        }
        let fields = [
            ("tags", PROPERTY_TAGS),
            ("keys", PROPERTY_KEYS),
            ("uniqKey", PROPERTY_UNIQ_CLIENT_MESSAGE_ID_KEYIDX),
            ("delay", PROPERTY_DELAY_TIME_LEVEL),
            ("multiDispatch", PROPERTY_INNER_MULTI_DISPATCH),
        ];
        for (field, name) in fields {
            if let Some(value) = op.get(field) {
                map.put(name, (*value != Value::Null).then(|| plain(value)));
            }
        }
        if let Some(wait) = op.maybe_bool("wait") {
            map.put(PROPERTY_WAIT_STORE_MSG_OK, Some(wait.to_string()));
        }
        map
    }

    fn put(&mut self, name: &str, value: Option<String>) {
        match self.entries.iter_mut().find(|(n, _)| n == name) {
            Some(entry) => entry.1 = value,
            None => self.entries.push((name.to_owned(), value)),
        }
        self.most = self.most.max(self.entries.len());
    }

    fn remove(&mut self, name: &str) -> Option<String> {
        let at = self.entries.iter().position(|(n, _)| n == name)?;
        self.entries.remove(at).1
    }

    /// The string that a broker stores: without `WAIT`, which stays in the map, but behind all
    /// others.
    pub(super) fn text_without_wait(&mut self) -> String {
        let wait = self.remove(PROPERTY_WAIT_STORE_MSG_OK);
        let text = self.text();
        if wait.is_some() {
            self.put(PROPERTY_WAIT_STORE_MSG_OK, wait);
        }
        text
    }

    /// `MessageDecoder.messageProperties2String`.
    pub(super) fn text(&self) -> String {
        let mut entries = self.entries();
        if self.order == MapOrder::JavaHash {
            let size = table_size(self.most);
            entries.sort_by_key(|(name, _)| bucket(name, size));
        }
        let parts: Vec<String> = entries.iter().map(|(n, v)| format!("{n}\u{1}{v}")).collect();
        parts.join("\u{2}")
    }

    /// How it is iterated.
    pub(super) fn order(&self) -> MapOrder {
        self.order
    }

    /// Names and values, in the order in which they were put.
    pub(super) fn entries(&self) -> Vec<(&str, &str)> {
        self.entries.iter().filter_map(|(n, v)| Some((n.as_str(), v.as_deref()?))).collect()
    }
}

/// The order that an operation asks for.
pub(super) fn order_of(op: &Op) -> MapOrder {
    match op.get("mapOrder").and_then(Value::as_str) {
        Some("hash") => MapOrder::JavaHash,
        _ => MapOrder::Given,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replay::trace::Trace;

    fn map(json: &str) -> JavaMap {
        let trace = Trace::parse(json).unwrap();
        JavaMap::of(&trace.ops[0], order_of(&trace.ops[0]))
    }

    #[test]
    fn given_properties_come_first_and_wait_is_left_out() {
        let mut map = map(
            r#"{"properties":{"user":"u","none":null,"n":7},"keys":"k","tags":"t","wait":false}"#,
        );
        let text = map.text_without_wait();
        assert_eq!(text, "user\u{1}u\u{2}n\u{1}7\u{2}TAGS\u{1}t\u{2}KEYS\u{1}k");
        assert_eq!(map.entries().last(), Some(&("WAIT", "false")));
    }

    #[test]
    fn taking_wait_out_moves_it_to_the_end() {
        let mut map = map(r#"{"properties":{"WAIT":"x","a":"b"}}"#);
        assert_eq!(map.text(), "WAIT\u{1}x\u{2}a\u{1}b");
        assert_eq!(map.text_without_wait(), "a\u{1}b");
        assert_eq!(map.text(), "a\u{1}b\u{2}WAIT\u{1}x");
    }

    #[test]
    fn a_hash_map_has_the_order_of_java() {
        let map = map(r#"{"mapOrder":"hash","tags":"t","keys":"k","uniqKey":"u"}"#);
        assert_eq!(map.text(), "KEYS\u{1}k\u{2}UNIQ_KEY\u{1}u\u{2}TAGS\u{1}t");
    }

    #[test]
    fn a_field_wins_over_a_property_of_its_name_and_keeps_its_place() {
        let map = map(r#"{"properties":{"TAGS":"old","z":"1"},"tags":"new"}"#);
        assert_eq!(map.text(), "TAGS\u{1}new\u{2}z\u{1}1");
    }
}
