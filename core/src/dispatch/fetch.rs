//! Bytes of a segment for a reader that goes from record to record: lent where the medium lends
//! them, else one record at a time through a buffer.

use crate::log::fetch::{NoBytes, read_record};
use crate::record::layout::MIN_RECORD_LEN;
use crate::segment::{Geometry, Segment};

/// Which part of a segment may be looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    /// Log offset of the segment.
    base: u64,
    /// Its length, in bytes.
    capacity: u32,
    /// Where the asked place lies in it.
    at: u32,
    /// How far it may be looked at.
    end: u32,
}

impl Span {
    /// The part of `segment`, which holds `offset`, that is visible and below `limit`.
    pub(super) fn of<S: Segment>(segment: &S, offset: u64, limit: u64) -> Self {
        let Geometry { capacity, staged, .. } = segment.geometry();
        let base = segment.base();
        let inside = |o: u64| u32::try_from(o.saturating_sub(base)).unwrap_or(capacity);
        let end = segment.marks().visible(staged).min(inside(limit)).min(capacity);
        Self { base, capacity, at: inside(offset), end }
    }

    /// Bytes that may be looked at.
    pub(super) fn len(&self) -> u32 {
        self.end.saturating_sub(self.at)
    }

    /// Bytes left in the file from this log offset on, which lies in it.
    pub(super) fn room_at(&self, offset: u64) -> u32 {
        let at = u32::try_from(offset.saturating_sub(self.base)).unwrap_or(self.capacity);
        self.capacity.saturating_sub(at)
    }

    /// Log offset of the next file.
    pub(super) fn next_base(&self) -> u64 {
        self.base + u64::from(self.capacity)
    }

    /// The bytes of the span; where the medium lends none, the first record of it, or what is
    /// enough to see what is wrong with it.
    pub(super) fn bytes<'a, S: Segment>(
        &self,
        segment: &'a S,
        scratch: &'a mut [u8],
    ) -> Result<&'a [u8], NoBytes> {
        match segment.view(self.at, self.len()) {
            Some(bytes) => Ok(bytes),
            None => read_record(segment, self.at, self.len(), MIN_RECORD_LEN, scratch),
        }
    }
}
