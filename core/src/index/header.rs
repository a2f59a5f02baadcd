//! The 40 bytes at the head of an index file, and the copy of them in memory that readers see
//! (spec 02 section 9.1).

use super::geometry::IndexGeometry;
use crate::sync::{AtomicI64, AtomicU32, Ordering};

/// The header of an index file.
///
/// Offsets are bytes in the log, times milliseconds since 1970. They are what the file says: of
/// a damaged file they may be anything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IndexHeader {
    /// Store time of the first entry; before there is one, what the file before it left.
    pub begin_timestamp: i64,
    /// Store time of the last entry.
    pub end_timestamp: i64,
    /// Place of the message of the first entry.
    pub begin_offset: i64,
    /// Place of the message of the last entry.
    pub end_offset: i64,
    /// Slots that are not empty.
    pub slot_count: i32,
    /// Number of the next entry. A file without entries may say 0, and means 1.
    pub index_count: i32,
}

impl IndexHeader {
    /// Its length in bytes.
    pub const LEN: u32 = 40;

    /// Its bytes.
    #[must_use]
    pub fn encode(&self) -> [u8; Self::LEN as usize] {
        let mut out = [0; Self::LEN as usize];
        out[..8].copy_from_slice(&self.begin_timestamp.to_be_bytes());
        out[8..16].copy_from_slice(&self.end_timestamp.to_be_bytes());
        out[16..24].copy_from_slice(&self.begin_offset.to_be_bytes());
        out[24..32].copy_from_slice(&self.end_offset.to_be_bytes());
        out[32..36].copy_from_slice(&self.slot_count.to_be_bytes());
        out[36..].copy_from_slice(&self.index_count.to_be_bytes());
        out
    }

    /// What these bytes say.
    #[must_use]
    pub fn decode(bytes: &[u8; Self::LEN as usize]) -> Self {
        let long = |at: usize| {
            bytes.get(at..).and_then(|b| b.first_chunk()).map_or(0, |b| i64::from_be_bytes(*b))
        };
        let int = |at: usize| {
            bytes.get(at..).and_then(|b| b.first_chunk()).map_or(0, |b| i32::from_be_bytes(*b))
        };
        Self {
            begin_timestamp: long(0),
            end_timestamp: long(8),
            begin_offset: long(16),
            end_offset: long(24),
            slot_count: int(32),
            index_count: int(36),
        }
    }

    /// Number of the next entry, at least 1: a count of 0 or less means 1.
    #[must_use]
    pub fn next_number(&self) -> u32 {
        self.index_count.max(1).cast_unsigned()
    }

    /// Whether a file of this geometry takes no more entries.
    #[must_use]
    pub fn is_full(&self, geometry: IndexGeometry) -> bool {
        self.next_number() >= geometry.entries()
    }

    /// Whether there is at least one entry.
    #[must_use]
    pub fn has_entries(&self) -> bool {
        self.next_number() > 1
    }

    /// Seconds from the begin to `store_time`, as an entry keeps them: 0 while there is no
    /// begin, and held to what a non-negative `int` can say.
    #[must_use]
    pub fn seconds_to(&self, store_time: i64) -> i32 {
        if self.begin_timestamp <= 0 {
            return 0;
        }
        let seconds = store_time.wrapping_sub(self.begin_timestamp) / 1000;
        i32::try_from(seconds.max(0)).unwrap_or(i32::MAX)
    }

    /// The header behind one more entry.
    #[must_use]
    pub(super) fn behind_entry(mut self, offset: i64, store_time: i64, new_slot: bool) -> Self {
        let number = self.next_number();
        if number <= 1 {
            self.begin_offset = offset;
            self.begin_timestamp = store_time;
        }
        self.slot_count = self.slot_count.wrapping_add(i32::from(new_slot));
        self.index_count = number.cast_signed().saturating_add(1);
        self.end_offset = offset;
        self.end_timestamp = store_time;
        self
    }
}

/// A header in memory: one writes it, many read it.
///
/// Readers do not look at the file's own: half of a time could be old and half new there.
#[derive(Debug)]
pub(super) struct SharedHeader {
    begin_timestamp: AtomicI64,
    end_timestamp: AtomicI64,
    begin_offset: AtomicI64,
    end_offset: AtomicI64,
    slot_count: AtomicU32,
    index_count: AtomicU32,
}

impl SharedHeader {
    pub(super) fn new(header: IndexHeader) -> Self {
        Self {
            begin_timestamp: AtomicI64::new(header.begin_timestamp),
            end_timestamp: AtomicI64::new(header.end_timestamp),
            begin_offset: AtomicI64::new(header.begin_offset),
            end_offset: AtomicI64::new(header.end_offset),
            slot_count: AtomicU32::new(header.slot_count.cast_unsigned()),
            index_count: AtomicU32::new(header.next_number()),
        }
    }

    /// Shows a new header. The count comes last: who sees it sees the begin, too.
    pub(super) fn publish(&self, header: IndexHeader) {
        self.begin_timestamp.store(header.begin_timestamp, Ordering::Relaxed);
        self.end_timestamp.store(header.end_timestamp, Ordering::Relaxed);
        self.begin_offset.store(header.begin_offset, Ordering::Relaxed);
        self.end_offset.store(header.end_offset, Ordering::Relaxed);
        self.slot_count.store(header.slot_count.cast_unsigned(), Ordering::Relaxed);
        self.index_count.store(header.next_number(), Ordering::Release);
    }

    /// The header as of now; its end may already be that of the entry behind its count.
    pub(super) fn load(&self) -> IndexHeader {
        let index_count = self.index_count.load(Ordering::Acquire).cast_signed();
        IndexHeader {
            begin_timestamp: self.begin_timestamp.load(Ordering::Relaxed),
            end_timestamp: self.end_timestamp.load(Ordering::Relaxed),
            begin_offset: self.begin_offset.load(Ordering::Relaxed),
            end_offset: self.end_offset.load(Ordering::Relaxed),
            slot_count: self.slot_count.load(Ordering::Relaxed).cast_signed(),
            index_count,
        }
    }
}
