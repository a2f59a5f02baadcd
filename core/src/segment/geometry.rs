//! Sizes of a segment and of the place it lives in.

/// Sizes and units of a segment, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Geometry {
    /// How many bytes the segment holds.
    pub capacity: u32,
    /// The longest window that can be lent at once.
    pub window_max: u32,
    /// Writes to the medium are whole multiples of this; what is appended in smaller pieces
    /// costs a whole one each time it is committed.
    pub write_unit: u32,
    /// What can be torn or lost together at a power cut (contract 3).
    pub persist_unit: u32,
    /// Whether bytes are staged in memory and have to be committed before they can be read or
    /// survive the process.
    pub staged: bool,
}

impl Geometry {
    /// A segment of `capacity` bytes that is written in place, with 4 KiB pages.
    #[must_use]
    pub const fn in_place(capacity: u32) -> Self {
        Self { capacity, window_max: capacity, write_unit: 1, persist_unit: 4096, staged: false }
    }

    /// The same with another unit of loss, such as a device's sector.
    #[must_use]
    pub const fn with_persist_unit(mut self, persist_unit: u32) -> Self {
        self.persist_unit = persist_unit;
        self
    }

    /// The same, but staged in memory first.
    #[must_use]
    pub const fn staged(capacity: u32, window_max: u32, write_unit: u32) -> Self {
        Self { capacity, window_max, write_unit, persist_unit: 4096, staged: true }
    }
}

/// How full a place is, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Space {
    /// All of it, without what is kept for the administrator.
    pub total: u64,
    /// What can still be used.
    pub free: u64,
}
