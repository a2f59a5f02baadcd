//! How many slots and entries an index file has, and where they lie (spec 02 section 9).

use super::entry::IndexEntry;
use super::header::IndexHeader;

/// How many slots and entries each index file of a store has.
///
/// No file says so itself: reading one with other numbers than it was written with gives
/// nonsense, which its length may show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexGeometry {
    slots: u32,
    entries: u32,
}

impl IndexGeometry {
    /// RocketMQ's defaults: files of 420,000,040 bytes.
    pub const DEFAULT: Self = Self { slots: 5_000_000, entries: 20_000_000 };

    /// `maxHashSlotNum` slots and `maxIndexNum` entries. `None` if no key could be put: there
    /// must be a slot, and two entries, because entry 0 is never used; numbers are `int`s.
    ///
    /// Files may be larger than 2 GiB, at which RocketMQ's own arithmetic fails (C-29).
    #[must_use]
    pub const fn new(slots: u32, entries: u32) -> Option<Self> {
        let max = i32::MAX.cast_unsigned();
        if slots == 0 || slots > max || entries < 2 || entries > max {
            return None;
        }
        Some(Self { slots, entries })
    }

    /// Number of slots (`maxHashSlotNum`).
    #[must_use]
    pub const fn slots(&self) -> u32 {
        self.slots
    }

    /// Number of entries, entry 0 included (`maxIndexNum`).
    #[must_use]
    pub const fn entries(&self) -> u32 {
        self.entries
    }

    /// Length of a file in bytes.
    #[must_use]
    pub const fn file_len(&self) -> u64 {
        self.entry_at(self.entries)
    }

    /// Where a slot lies, in bytes from the start of the file.
    #[must_use]
    pub const fn slot_at(&self, slot: u32) -> u64 {
        IndexHeader::LEN as u64 + 4 * slot as u64
    }

    /// Where an entry lies, in bytes from the start of the file.
    #[must_use]
    pub const fn entry_at(&self, number: u32) -> u64 {
        self.slot_at(self.slots) + IndexEntry::LEN as u64 * number as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_file_has_the_documented_length() {
        assert_eq!(IndexGeometry::DEFAULT.file_len(), 420_000_040);
        assert_eq!(IndexGeometry::DEFAULT.slot_at(0), 40);
    }

    #[test]
    fn c_29_a_file_beyond_2_gib_has_room_for_its_last_entry() {
        let geometry = IndexGeometry::new(5_000_000, 120_000_000);
        assert_eq!(geometry.map(|g| g.file_len()), Some(2_420_000_040));
        assert_eq!(geometry.map(|g| g.entry_at(107_000_000)), Some(2_160_000_040));
    }

    #[test]
    fn a_geometry_that_takes_no_key_is_refused() {
        for (slots, entries) in [(0, 10), (1, 0), (1, 1), (1 << 31, 10), (10, 1 << 31)] {
            assert_eq!(IndexGeometry::new(slots, entries), None);
        }
        assert!(IndexGeometry::new(1, 2).is_some());
    }
}
