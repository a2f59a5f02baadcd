//! The index from keys to messages: hash tables in files of fixed size (spec 02 section 9).
//!
//! ```text
//! index/20240101120000000      40 bytes   header: times and offsets of first and last entry
//!                         4 x slots       number of the newest entry of each chain; 0: none
//!                        20 x entries     hash, place in the log, seconds, next older entry
//! ```
//!
//! [`keys`] says which keys a message has, [`IndexBuilder`] puts them where they belong and
//! rolls to the next file, [`query`] walks the chains, and [`load`] decides which files an open
//! may go on with; [`cut`] takes out of a file what a crash may have left in it.
//!
//! # One writer, many readers
//!
//! Readers take no lock. A put writes the entry, then the slot, then the header: whoever finds a
//! number in a slot finds its entry, and a process that dies in between leaves an entry that
//! nobody counts yet, which the next writer undoes ([`IndexWriter`]). A power cut may keep any
//! of these words and lose others; therefore a file is only gone on with up to what was synced.

mod builder;
pub mod cut;
mod entry;
mod file;
mod geometry;
mod header;
pub mod keys;
pub mod load;
pub mod query;
mod roll;
mod writer;

pub use builder::{IndexBuilder, IndexShelf, Indexed, ShelfError};
pub use entry::{IndexEntry, KeyHash};
pub use file::{Chain, IndexFile, Link};
pub use geometry::IndexGeometry;
pub use header::IndexHeader;
pub use roll::{inherited, next_name};
pub use writer::IndexWriter;

#[cfg(all(test, not(loom)))]
#[expect(clippy::unwrap_used, reason = "a test's own cells")]
mod testing;
#[cfg(all(test, not(loom)))]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests;
