//! Which keys of a message are indexed (`IndexService.buildIndex`, spec 02 section 9.3).

use super::entry::KeyHash;
use crate::record::parse::RecordView;
use crate::record::props::{self, PROPERTY_KEYS, PROPERTY_UNIQ_CLIENT_MESSAGE_ID_KEYIDX};
use crate::record::sysflag;

/// What the index has to know of a message.
#[derive(Clone, Copy, Debug)]
pub struct KeyedMessage<'a> {
    /// TOPIC as stored.
    pub topic: &'a [u8],
    /// PROPERTIES as stored.
    pub properties: &'a [u8],
    /// Where it lies in the log.
    pub physical_offset: u64,
    /// STORETIMESTAMP, milliseconds since 1970.
    pub store_timestamp: i64,
    /// SYSFLAG.
    pub sys_flag: i32,
}

impl<'a> KeyedMessage<'a> {
    /// That of a record in the log.
    #[must_use]
    pub fn of(record: &RecordView<'a>) -> Self {
        Self {
            topic: record.topic_bytes(),
            properties: record.properties_bytes(),
            physical_offset: record.physical_offset(),
            store_timestamp: record.store_timestamp(),
            sys_flag: record.sys_flag(),
        }
    }

    /// Whether a message of this kind is indexed: all but rolled back ones are.
    #[must_use]
    pub const fn is_indexed(&self) -> bool {
        sysflag::tran_type(self.sys_flag) != sysflag::TRANSACTION_ROLLBACK_TYPE
    }

    /// Whether an index whose last entry is of the message at `end_offset` has it already.
    ///
    /// As in Java, the message *at* the end is put once more: of its keys, only some may have
    /// been put. Doubles do no harm: queries with corrected answers give each record once, and
    /// the others gave doubles in RocketMQ, too.
    #[must_use]
    pub fn is_below(&self, end_offset: i64) -> bool {
        u64::try_from(end_offset).is_ok_and(|end| self.physical_offset < end)
    }

    /// Its keys: the unique one first, then those of `KEYS`. They may repeat.
    #[must_use]
    pub fn keys(&self) -> Keys<'a> {
        Keys::of(self.properties)
    }

    /// Hashes of its keys, in order.
    pub fn hashes(&self) -> impl Iterator<Item = KeyHash> + use<'a> {
        let topic = self.topic;
        self.keys().map(move |key| KeyHash::of(topic, key))
    }
}

/// Iterator of [`KeyedMessage::keys`].
#[derive(Clone, Copy, Debug)]
pub struct Keys<'a> {
    unique: Option<&'a [u8]>,
    rest: &'a [u8],
}

impl<'a> Keys<'a> {
    /// The keys in these stored properties.
    #[must_use]
    pub fn of(properties: &'a [u8]) -> Self {
        let unique = props::find(properties, PROPERTY_UNIQ_CLIENT_MESSAGE_ID_KEYIDX);
        Self { unique, rest: props::find(properties, PROPERTY_KEYS).unwrap_or_default() }
    }
}

impl<'a> Iterator for Keys<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        if let Some(unique) = self.unique.take() {
            return Some(unique);
        }
        loop {
            if self.rest.is_empty() {
                return None;
            }
            let end = self.rest.iter().position(|b| *b == b' ').unwrap_or(self.rest.len());
            let (key, rest) = self.rest.split_at_checked(end)?;
            self.rest = rest.get(1..).unwrap_or_default();
            if !key.is_empty() {
                return Some(key);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    fn keys(properties: &str) -> Vec<&str> {
        Keys::of(properties.as_bytes()).filter_map(|k| core::str::from_utf8(k).ok()).collect()
    }

    #[test]
    fn the_unique_key_comes_first() {
        assert_eq!(keys("KEYS\u{1}k1 k2\u{2}UNIQ_KEY\u{1}U1\u{2}"), ["U1", "k1", "k2"]);
        assert_eq!(keys("TAGS\u{1}k\u{2}"), Vec::<&str>::new());
        assert_eq!(keys("KEYS\u{1}a\u{2}KEYS\u{1}b"), ["b"]);
    }

    #[test]
    fn c_30_empty_keys_are_dropped_and_repeated_ones_are_not() {
        assert_eq!(keys("KEYS\u{1} k1 k1  k1 "), ["k1", "k1", "k1"]);
        assert_eq!(keys("KEYS\u{1}   "), Vec::<&str>::new());
    }

    #[test]
    fn only_rolled_back_messages_and_those_below_the_end_are_left_out() {
        let message = |sys_flag| KeyedMessage {
            topic: b"T",
            properties: b"",
            physical_offset: 100,
            store_timestamp: 1,
            sys_flag,
        };
        let indexed = [0x00, 0x04, 0x08, 0x0C].map(|flag| message(flag).is_indexed());
        assert_eq!(indexed, [true, true, true, false]);
        assert!(message(0).is_below(101));
        assert!(!message(0).is_below(100));
        assert!(!message(0).is_below(-1));
    }
}
