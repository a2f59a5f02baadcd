//! Property strings, read as Java's decoder reads them (spec 02 section 4).
//!
//! `name 0x01 value 0x02 name 0x01 value ...`: a piece without 0x01, with an empty name or with
//! an empty value is dropped; of several pieces with one name the last one counts. Nothing is
//! ever malformed.

/// Between a name and its value (`NAME_VALUE_SEPARATOR`).
pub const NAME_VALUE_SEPARATOR: u8 = 0x01;
/// Between two properties (`PROPERTY_SEPARATOR`).
pub const PROPERTY_SEPARATOR: u8 = 0x02;

/// Index keys, separated by one space.
pub const PROPERTY_KEYS: &str = "KEYS";
/// The client's unique message id, also an index key.
pub const PROPERTY_UNIQ_CLIENT_MESSAGE_ID_KEYIDX: &str = "UNIQ_KEY";
/// Tags, of which the queue entry keeps the hash.
pub const PROPERTY_TAGS: &str = "TAGS";
/// Whether a put waits for flush and replica.
pub const PROPERTY_WAIT_STORE_MSG_OK: &str = "WAIT";
/// Delay level.
pub const PROPERTY_DELAY_TIME_LEVEL: &str = "DELAY";
/// Topic before the delay rewrite.
pub const PROPERTY_REAL_TOPIC: &str = "REAL_TOPIC";
/// Queue id before the delay rewrite.
pub const PROPERTY_REAL_QUEUE_ID: &str = "REAL_QID";
/// Names of the light queues that the message also goes to, separated by commas.
pub const PROPERTY_INNER_MULTI_DISPATCH: &str = "INNER_MULTI_DISPATCH";
/// The message's offsets in those queues, in the same order.
pub const PROPERTY_INNER_MULTI_QUEUE_OFFSET: &str = "INNER_MULTI_QUEUE_OFFSET";

/// The properties of a stored string, in its order, dropped pieces left out.
///
/// Names may repeat. Stored bytes need not be UTF-8.
#[must_use]
pub const fn entries(stored: &[u8]) -> Entries<'_> {
    Entries { stored, at: 0 }
}

/// The same over text.
pub fn text_entries(text: &str) -> impl Iterator<Item = (&str, &str)> {
    Spans { bytes: text.as_bytes(), at: 0 }.filter_map(|span| span.of_text(text))
}

/// The value that the decoded map would hold for `name`.
#[must_use]
pub fn find<'a>(stored: &'a [u8], name: &str) -> Option<&'a [u8]> {
    entries(stored).filter(|(n, _)| *n == name.as_bytes()).last().map(|(_, value)| value)
}

/// The same over text.
#[must_use]
pub fn find_text<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text_entries(text).filter(|(n, _)| *n == name).last().map(|(_, value)| value)
}

/// The pieces between separators, dropped ones and empty ones included.
pub(crate) fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    core::iter::from_fn(move || {
        let all = rest?;
        let end = find_byte(all.as_bytes(), PROPERTY_SEPARATOR);
        // A separator is one byte, so both parts are whole characters.
        rest = end.and_then(|end| all.get(end + 1..));
        Some(end.and_then(|end| all.get(..end)).unwrap_or(all))
    })
}

/// Whether `text` holds one of the two separators.
pub(crate) fn holds_separator(text: &str) -> bool {
    // Without an early exit this is a few vector instructions.
    text.bytes().fold(false, |seen, b| seen | matches!(b, 0x01 | 0x02))
}

/// Iterator of [`entries`]: names and values.
#[derive(Clone, Copy, Debug)]
pub struct Entries<'a> {
    stored: &'a [u8],
    at: usize,
}

impl<'a> Iterator for Entries<'a> {
    type Item = (&'a [u8], &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let mut spans = Spans { bytes: self.stored, at: self.at };
        let span = spans.next()?;
        self.at = spans.at;
        let name = self.stored.get(span.start..span.separator)?;
        let value = self.stored.get(span.separator + 1..span.end)?;
        Some((name, value))
    }
}

/// Where a property lies in its string.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    pub(super) start: usize,
    separator: usize,
    end: usize,
}

impl Span {
    /// Name and value in the text that the span was found in.
    pub(super) fn of_text(self, text: &str) -> Option<(&str, &str)> {
        Some((text.get(self.start..self.separator)?, text.get(self.separator + 1..self.end)?))
    }
}

/// The places of the properties that are not dropped.
pub(super) struct Spans<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Spans<'a> {
    /// Those from byte `at` on, which must be the start of a piece.
    pub(super) const fn from(text: &'a str, at: usize) -> Self {
        Self { bytes: text.as_bytes(), at }
    }
}

impl Iterator for Spans<'_> {
    type Item = Span;

    fn next(&mut self) -> Option<Span> {
        loop {
            let start = self.at;
            let rest = self.bytes.get(start..).filter(|rest| !rest.is_empty())?;
            let len = find_byte(rest, PROPERTY_SEPARATOR).unwrap_or(rest.len());
            self.at = start + len + 1;
            let piece = rest.get(..len).unwrap_or_default();
            if let Some(name) = find_byte(piece, NAME_VALUE_SEPARATOR)
                && name > 0
                && name + 1 < len
            {
                return Some(Span { start, separator: start + name, end: start + len });
            }
        }
    }
}

/// Index of the first `wanted`, eight bytes at a time.
fn find_byte(bytes: &[u8], wanted: u8) -> Option<usize> {
    const LOW: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let pattern = LOW * u64::from(wanted);
    let (words, tail) = bytes.as_chunks::<8>();
    for (i, word) in words.iter().enumerate() {
        // The lowest high bit that is set belongs to the first byte that became zero.
        let x = u64::from_le_bytes(*word) ^ pattern;
        let zero = x.wrapping_sub(LOW) & !x & HIGH;
        if zero != 0 {
            return Some(i * 8 + (zero.trailing_zeros() / 8) as usize);
        }
    }
    tail.iter().position(|b| *b == wanted).map(|i| words.len() * 8 + i)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::{String, ToString};
    use std::vec::Vec;

    fn decoded(text: &str) -> Vec<(&str, &str)> {
        text_entries(text).collect()
    }

    #[test]
    fn pieces_without_name_value_or_separator_are_dropped() {
        let text = "novalue\u{2}k\u{1}\u{2}\u{1}v\u{2}a\u{1}b\u{1}c\u{2}x\u{1}y";
        assert_eq!(decoded(text), [("a", "b\u{1}c"), ("x", "y")]);
        for empty in ["", "\u{2}", "\u{1}", "a", "\u{2}\u{2}\u{1}\u{2}", "a\u{1}", "\u{1}a"] {
            assert_eq!(decoded(empty), [], "{empty:?}");
        }
    }

    #[test]
    fn a_trailing_separator_is_accepted() {
        assert_eq!(decoded("a\u{1}b\u{2}"), [("a", "b")]);
        assert_eq!(decoded("a\u{1}b\u{2}c\u{1}d"), [("a", "b"), ("c", "d")]);
    }

    #[test]
    fn of_equal_names_the_last_one_counts() {
        let text = "TAGS\u{1}TagA\u{2}TAGS\u{1}TagB\u{2}TAGS\u{1}";
        assert_eq!(find_text(text, "TAGS"), Some("TagB"));
        assert_eq!(find(text.as_bytes(), "TAGS"), Some(&b"TagB"[..]));
        assert_eq!(find_text(text, "TAG"), None);
    }

    #[test]
    fn bytes_that_are_not_utf_8_can_be_read() {
        let stored = b"\xFF\x01\xFE\x02TAGS\x01\xC3";
        assert_eq!(entries(stored).count(), 2);
        assert_eq!(find(stored, "TAGS"), Some(&b"\xC3"[..]));
    }

    #[test]
    fn a_byte_is_found_at_every_place_and_never_where_it_is_not() {
        for len in 0..40 {
            let mut bytes = std::vec![0x03_u8; len];
            for (i, b) in bytes.iter_mut().enumerate() {
                // Neighbours of the wanted byte are where the word trick could go wrong.
                *b = [0x03, 0x00, 0x82, 0x01, 0xFF][i % 5];
            }
            assert_eq!(find_byte(&bytes, 2), None);
            for at in 0..len {
                let mut one = bytes.clone();
                one[at] = 2;
                assert_eq!(find_byte(&one, 2), Some(at), "{at} of {len}");
                one[len - 1] = 2;
                assert_eq!(find_byte(&one, 2), Some(at), "{at} of {len}");
            }
        }
    }

    #[test]
    fn pieces_are_those_of_a_split() {
        for text in ["", "a", "a\u{2}", "\u{2}a", "abc\u{1}defghijkl\u{2}\u{2}\u{e9}\u{1}x"] {
            let split: Vec<String> = text.split('\u{2}').map(ToString::to_string).collect();
            assert_eq!(pieces(text).collect::<Vec<_>>(), split, "{text:?}");
        }
    }
}
