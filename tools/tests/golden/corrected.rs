//! What is expected where this store does better than Java on purpose (spec 08 section 4).
//!
//! The lines and logs in `corrected/` come from the Java store, too: it was given the same trace
//! without what is refused here, or with what it should have made of it.

use mqstore_tools::compare::log::LogBytes;
use mqstore_tools::json::Object;
use mqstore_tools::replay::data::hex;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::support::parse_lines;

/// The corrected expectation of one case.
#[derive(Default)]
pub(crate) struct Corrected {
    /// Lines instead of Java's.
    answers: Vec<Object>,
    /// The whole log instead of Java's.
    log: Vec<Object>,
}

impl Corrected {
    pub(crate) fn of(case: &str) -> Self {
        let text = match case {
            "h-topic-bytes" => include_str!("corrected/h-topic-bytes.jsonl"),
            "g-oversize" => include_str!("corrected/g-oversize.jsonl"),
            "b-ipv6-flag-mismatch" => include_str!("corrected/b-ipv6-flag-mismatch.jsonl"),
            "g-slave-append" => include_str!("corrected/g-slave-append.jsonl"),
            _ => return Self::default(),
        };
        let (log, answers) = parse_lines(text).into_iter().partition(|o| o.contains_key("t"));
        Self { answers, log }
    }

    /// The answer to operation `i`, if it is not Java's.
    pub(crate) fn line(&self, i: usize) -> Option<Object> {
        self.answers.iter().find(|o| number(o, "i") == i as u64).cloned()
    }

    /// Compares the log with its corrected form; false if it has none.
    pub(crate) fn compare_log(&self, case: &str, log: &LogBytes, end: u64) -> bool {
        if self.log.is_empty() {
            return false;
        }
        let pieces = log.pieces(end);
        assert_eq!(pieces.len(), self.log.len(), "{case}: records and blanks");
        for (piece, expected) in pieces.iter().zip(&self.log) {
            let off = piece.off;
            assert_eq!(off, number(expected, "off"), "{case}");
            assert_eq!(u64::from(piece.size), number(expected, "size"), "{case} at {off}");
            if !piece.blank {
                let sha256 = expected.get("sha256").and_then(Value::as_str);
                let ours = hex(&Sha256::digest(piece.bytes));
                assert_eq!(Some(ours.as_str()), sha256, "{case} at {off}");
            }
        }
        true
    }

    /// Changes Java's bytes to the better ones where only single fields differ.
    pub(crate) fn patch(&self, case: &str, java: &mut LogBytes) {
        if case == "g-slave-append" {
            // QUEUEOFFSET of the first message behind the raw bytes: 229 messages are there
            let file = java.files.get_mut(&45056).unwrap();
            let at = 45169 - 45056 + 20;
            assert_eq!(file[at..at + 8], 0_u64.to_be_bytes());
            file[at..at + 8].copy_from_slice(&229_u64.to_be_bytes());
        }
    }
}

fn number(o: &Object, field: &str) -> u64 {
    o.get(field).and_then(Value::as_u64).unwrap_or(u64::MAX)
}
