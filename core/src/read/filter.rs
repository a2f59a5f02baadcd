//! Which messages a get asks for (`MessageFilter`, spec 06 section 1.6).

use super::source::Ext;
use crate::record::java_hash::java_hash;
use crate::record::parse::RecordView;
use crate::record::props::PROPERTY_TAGS;

/// Decides about a message, first by its queue entry, then by its record.
pub trait MessageFilter {
    /// Whether an entry with this tags code may be wanted (`isMatchedByConsumeQueue`); `None`:
    /// the code is not known. `ext` is what the queue's extension says of it.
    fn by_queue(&self, tags: Option<i64>, ext: Option<&Ext<'_>>) -> bool {
        let _ = (tags, ext);
        true
    }

    /// Whether a record is wanted (`isMatchedByCommitLog`).
    fn by_record(&self, record: &RecordView<'_>) -> bool {
        let _ = record;
        true
    }
}

/// Wants everything: a null filter.
#[derive(Clone, Copy, Debug, Default)]
pub struct All;

impl MessageFilter for All {}

/// How many hashes of tags are kept; of further tags they are taken anew for each entry.
const CODES: usize = 16;

/// The tags of a subscription: `*`, or names separated by `||`.
#[derive(Clone, Debug)]
pub struct TagFilter<'a> {
    expression: &'a str,
    /// Hashes of the first [`CODES`] names.
    codes: heapless::Vec<i32, CODES>,
    /// Whether there are more.
    more: bool,
    by_tag: bool,
}

impl<'a> TagFilter<'a> {
    /// As the broker filters: only hashes are compared, and the client sorts out what has another
    /// tag with an equal hash.
    ///
    /// As in `FilterAPI.buildSubscriptionData`, `*` and the empty expression want everything, and
    /// names are trimmed; without any name nothing is wanted.
    #[must_use]
    pub fn by_code(expression: &'a str) -> Self {
        let mut filter =
            Self { expression, codes: heapless::Vec::new(), more: false, by_tag: false };
        for name in names(expression) {
            filter.more |= filter.codes.push(java_hash(name)).is_err();
        }
        filter
    }

    /// The same, and then by the tag itself: for users who have no client to sort out.
    #[must_use]
    pub fn by_tag(expression: &'a str) -> Self {
        Self { by_tag: true, ..Self::by_code(expression) }
    }

    fn wants_all(&self) -> bool {
        matches!(self.expression, "" | "*")
    }
}

impl MessageFilter for TagFilter<'_> {
    #[expect(clippy::cast_possible_truncation, reason = "the low 32 bits, as in Java")]
    fn by_queue(&self, tags: Option<i64>, _: Option<&Ext<'_>>) -> bool {
        let Some(code) = tags.filter(|_| !self.wants_all()) else { return true };
        let code = code as i32;
        let late = || names(self.expression).skip(CODES).any(|name| java_hash(name) == code);
        self.codes.contains(&code) || self.more && late()
    }

    fn by_record(&self, record: &RecordView<'_>) -> bool {
        if !self.by_tag || self.wants_all() {
            return true;
        }
        let tags = record.property(PROPERTY_TAGS).unwrap_or_default();
        names(self.expression).any(|name| name.as_bytes() == tags)
    }
}

/// The names in an expression.
fn names(expression: &str) -> impl Iterator<Item = &str> {
    expression.split("||").map(|name| name.trim_matches(|c| c <= ' ')).filter(|n| !n.is_empty())
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use std::string::String;

    #[test]
    fn tags_are_compared_by_the_low_bits_of_their_hash() {
        let filter = TagFilter::by_code(" TagA ||TagB|| ");
        for (code, wanted) in [
            (0x0027_A807, true),
            (0x0027_A808, true),
            (0x0027_A809, false),
            (0x7_0027_A807, true),
            (0, false),
        ] {
            assert_eq!(filter.by_queue(Some(code), None), wanted, "{code:#x}");
        }
        assert!(filter.by_queue(None, None), "a code that is not known passes");
    }

    #[test]
    fn a_star_and_nothing_want_everything_and_no_names_want_nothing() {
        for (expression, wanted) in [("*", true), ("", true), ("||", false), (" ", false)] {
            assert_eq!(TagFilter::by_code(expression).by_queue(Some(5), None), wanted);
        }
        assert!(All.by_queue(Some(5), None));
    }

    #[test]
    fn any_number_of_tags_counts() {
        let many: String = (0..40).map(|i| std::format!("t{i}||")).collect();
        let filter = TagFilter::by_code(&many);
        for i in 0..41 {
            let code = i64::from(java_hash(&std::format!("t{i}")));
            assert_eq!(filter.by_queue(Some(code), None), i < 40, "t{i}");
        }
    }
}
