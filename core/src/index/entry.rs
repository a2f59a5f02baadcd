//! One entry of an index file, and the hash by which it is found (spec 02 section 9.2).

use crate::record::java_hash::continue_java_hash;

/// Where a key is looked for: 31 bits of the hash of `topic#key`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyHash(i32);

impl KeyHash {
    /// The hash of a topic's key, both as stored; no text is put together for it.
    #[must_use]
    pub fn of(topic: &[u8], key: &[u8]) -> Self {
        let hash = continue_hash(continue_java_hash(continue_hash(0, topic), "#"), key);
        // The one number without an absolute value becomes 0.
        Self(hash.checked_abs().unwrap_or(0))
    }

    /// Its value, never negative.
    #[must_use]
    pub const fn get(self) -> i32 {
        self.0
    }

    /// Its slot among `slots`, which are not 0.
    #[must_use]
    pub(super) fn slot(self, slots: u32) -> u32 {
        self.0.unsigned_abs().checked_rem(slots).unwrap_or_default()
    }
}

/// As [`continue_java_hash`], over stored bytes: what is not UTF-8 becomes U+FFFD.
fn continue_hash(so_far: i32, bytes: &[u8]) -> i32 {
    bytes.utf8_chunks().fold(so_far, |hash, chunk| {
        let hash = continue_java_hash(hash, chunk.valid());
        if chunk.invalid().is_empty() { hash } else { continue_java_hash(hash, "\u{FFFD}") }
    })
}

/// One entry of an index file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IndexEntry {
    /// [`KeyHash::get`] of its key.
    pub key_hash: i32,
    /// Where the message lies in the log.
    pub physical_offset: i64,
    /// Seconds from the file's begin to the message's store time, rounded down.
    pub seconds: i32,
    /// Number of the next older entry of the same slot; 0: none.
    pub previous: i32,
}

impl IndexEntry {
    /// Its length in bytes.
    pub const LEN: u32 = 20;

    /// Its bytes.
    #[must_use]
    pub fn encode(&self) -> [u8; Self::LEN as usize] {
        let mut out = [0; Self::LEN as usize];
        out[..4].copy_from_slice(&self.key_hash.to_be_bytes());
        out[4..12].copy_from_slice(&self.physical_offset.to_be_bytes());
        out[12..16].copy_from_slice(&self.seconds.to_be_bytes());
        out[16..].copy_from_slice(&self.previous.to_be_bytes());
        out
    }

    /// What these bytes say.
    #[must_use]
    pub fn decode(bytes: &[u8; Self::LEN as usize]) -> Self {
        let [h0, h1, h2, h3, a, b, c, d, e, f, g, h, s0, s1, s2, s3, previous @ ..] = *bytes;
        Self {
            key_hash: i32::from_be_bytes([h0, h1, h2, h3]),
            physical_offset: i64::from_be_bytes([a, b, c, d, e, f, g, h]),
            seconds: i32::from_be_bytes([s0, s1, s2, s3]),
            previous: i32::from_be_bytes(previous),
        }
    }

    /// Its slot among `slots`; `None` if no key has this hash.
    pub(super) fn slot(&self, slots: u32) -> Option<u32> {
        u32::try_from(self.key_hash).ok()?.checked_rem(slots)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_those_of_the_first_vector() {
        for (key, hash, slot) in [("U1", 0x7171_2873, 31), ("k1", 0x7171_25C9, 49)] {
            let found = KeyHash::of(b"TopicA", key.as_bytes());
            assert_eq!((found.get(), found.slot(100)), (hash, slot), "{key}");
        }
        assert_eq!(KeyHash::of(b"TopicA", b"k2").slot(100), 48);
    }

    #[test]
    fn c_27_two_keys_have_the_same_hash() {
        assert_eq!(KeyHash::of(b"TopicTest", b"Aa"), KeyHash::of(b"TopicTest", b"BB"));
    }

    #[test]
    fn bytes_that_are_not_utf_8_count_as_replacement_characters() {
        let replaced = KeyHash::of("\u{FFFD}".as_bytes(), "a\u{FFFD}".as_bytes());
        assert_eq!(KeyHash::of(b"\xFF", b"a\xFE"), replaced);
    }

    #[test]
    fn an_entry_is_twenty_bytes_big_endian() {
        let entry = IndexEntry { key_hash: 1, physical_offset: 2, seconds: 3, previous: 4 };
        let bytes = entry.encode();
        assert_eq!(bytes, [0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4]);
        assert_eq!(IndexEntry::decode(&bytes), entry);
    }
}
