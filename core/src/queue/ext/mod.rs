//! The extension of a consume queue: what does not fit into an entry, for filters
//! (spec 02 section 8); off by default.
//!
//! An entry points to its unit by an address in place of the tags code. Units lie one behind the
//! other in a series of files of their own; where the next one does not fit, a mark of -1 ends
//! the file. The series is a [`CommitLog`](crate::log::CommitLog), which knows nothing of units.

mod address;
mod get;
mod put;
mod recover;
mod unit;

pub use address::{MAX_ADDRESS, MAX_OFFSET, address_of, is_address, offset_of};
pub use get::{Stored, find};
pub use put::{ExtWriter, NotStored};
pub use recover::{end_behind, find_end, is_not_needed};
pub use unit::{MAX_UNIT_LEN, MIN_UNIT_LEN, Unit};

#[cfg(all(test, not(loom)))]
#[expect(clippy::unwrap_used, reason = "tests and what they are made of")]
mod tests;
