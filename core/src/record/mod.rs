//! The bytes of one commit log record: which fields it has, how it is written, how it is read.
//!
//! [`layout`] says where each field lies, [`parse`] reads a record without copying it, [`props`]
//! reads its property string, [`batch`] walks through what a client sends as a batch, [`blank`]
//! fills the rest of a file, and [`msgid`] names a record for the outside. Writing is done by
//! [`crate::prepare`], which knows a record's length before the put lock is taken and writes it
//! straight into its place under the lock.

pub mod batch;
pub mod blank;
pub(crate) mod decimal;
pub(crate) mod emit;
pub mod hash_order;
pub mod java_hash;
pub mod layout;
pub(crate) mod map_string;
pub mod msgid;
pub mod parse;
pub mod props;
pub mod sysflag;

/// What only the put lock can say about a record: its places and its time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stamp {
    /// Index in its consume queue; 0 for prepared and rolled back messages.
    pub queue_offset: i64,
    /// Position of its first byte in the log.
    pub physical_offset: u64,
    /// When it is stored, milliseconds since 1970.
    pub store_timestamp: i64,
}

/// Whether checksums ask the processor at run time what it has for them (feature `std`). Without
/// that only what the compiler was told of counts, and on x86 a table takes 5 to 12 times as long.
pub const CHECKSUM_ASKS_THE_PROCESSOR: bool = cfg!(feature = "std");

/// What goes into BODYCRC: the body's CRC-32 without its highest bit (spec 02 section 2).
///
/// 0 for an empty body.
#[must_use]
pub fn body_crc(body: &[u8]) -> u32 {
    crc32fast::hash(body) & 0x7FFF_FFFF
}

#[cfg(test)]
pub(crate) mod tests;
