//! What a get answers: from the entries of a queue to messages, a status and the next offset
//! (spec 06 section 1).
//!
//! In order: [`gate`](ReadGate) may refuse to answer at all, [`Bounds`] answers what needs no
//! look at a message, and [`Get`] is fed with the entries from the asked offset on, asks a
//! [`MessageFilter`] and a [`Source`], and says which records to take. Nothing here holds a
//! record or knows where entries lie.

mod bounds;
mod filter;
mod gate;
mod limit;
mod scan;
mod source;

pub use bounds::{Bounds, BoundsRules, NoScan, live_min};
pub use filter::{All, MessageFilter, TagFilter};
pub use gate::{NoAnswer, ReadGate};
pub use limit::{BatchLimit, memory_share};
pub use scan::{Ask, Get, GetResult, Offered, Passed};
pub use source::{Ext, Found, Pinned, Source, locate, whole};

#[cfg(all(test, not(loom)))]
#[expect(clippy::unwrap_used, reason = "tests and what they are made of")]
mod tests;
