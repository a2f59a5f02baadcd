//! Bytes of a segment for a reader that goes from record to record: lent where the medium lends
//! them, else one record at a time through a buffer.

use crate::record::layout::{MESSAGE_MAGIC_CODE, MIN_RECORD_LEN};
use crate::record::parse::peek;
use crate::segment::{ErrorKind, Geometry, MediumError, Segment};

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

/// Why there are no bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoBytes {
    /// The buffer is too short: it must have so many bytes.
    Scratch { needed: usize },
    /// What the medium says.
    Medium { base: u64, kind: ErrorKind },
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
            None => self.read_one(segment, scratch),
        }
    }

    /// Never more than a record: the rest of a file may be long.
    fn read_one<'a, S: Segment>(
        &self,
        segment: &S,
        scratch: &'a mut [u8],
    ) -> Result<&'a [u8], NoBytes> {
        let room = self.len() as usize;
        let head_len = room.min(MIN_RECORD_LEN);
        let head = self.read_to(segment, head_len, scratch)?;
        let len = match peek(head) {
            Some((size, MESSAGE_MAGIC_CODE)) => usize::try_from(size).unwrap_or(0),
            _ => 0,
        };
        if len <= head_len || len > room {
            return Ok(scratch.get(..head_len).unwrap_or_default());
        }
        self.read_to(segment, len, scratch)
    }

    fn read_to<'a, S: Segment>(
        &self,
        segment: &S,
        len: usize,
        scratch: &'a mut [u8],
    ) -> Result<&'a [u8], NoBytes> {
        let out = scratch.get_mut(..len).ok_or(NoBytes::Scratch { needed: len })?;
        let failed = |kind| NoBytes::Medium { base: self.base, kind };
        segment.read(self.at, out).map_err(|e| failed(e.kind()))?;
        Ok(out)
    }
}
