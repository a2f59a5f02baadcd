//! What the criterion benchmarks share: messages, and stores that never take much disk.
#![warn(clippy::unwrap_used)]

mod rig;

pub use rig::Rig;

use mqstore::{BatchBody, Message, Properties};

/// Lengths of the bodies that are measured, in bytes.
pub const BODIES: [usize; 3] = [100, 1024, 4096];

/// Bytes that do not compress.
#[must_use]
pub fn body(len: usize) -> Vec<u8> {
    let mut state = 42_u64;
    let next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 56) as u8
    };
    core::iter::repeat_with(next).take(len).collect()
}

/// A message as a producer sends it.
#[must_use]
pub fn message(body: &[u8]) -> Message<'_> {
    Message {
        born_timestamp: 1_700_000_000_000,
        properties: Properties::Text("TAGS\u{1}TagA"),
        ..Message::new("bench-topic-0", 1, body)
    }
}

/// So many messages in the encoding of a client's batch.
#[must_use]
pub fn encoded_batch(count: usize, body: &[u8]) -> BatchBody {
    let mut out = BatchBody::new();
    for _ in 0..count {
        // a few kilobytes can be encoded
        let _ = out.push(0, body, "TAGS\u{1}TagA");
    }
    out
}
