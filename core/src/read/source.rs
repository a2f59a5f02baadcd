//! Where a get finds what entries point at, and what lies there.

use crate::log::CommitLog;
use crate::record::parse::{Parsed, RecordView};
use crate::segment::{Segment, SegmentTable};

/// What there is of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found<S> {
    /// Its bytes.
    Present(S),
    /// They have been removed.
    Removed,
    /// They cannot be read, or no record can lie there.
    Damaged,
    /// They are not yet written, or readers may not see them yet.
    NotVisible,
}

/// What the extension of a queue says of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ext<'a> {
    /// The tags code, in whose place the entry has the unit's address.
    pub tags_code: i64,
    /// STORETIMESTAMP of the record, milliseconds since 1970.
    pub store_timestamp: i64,
    /// The filter's bits, if there are any.
    pub bits: Option<&'a [u8]>,
}

/// Reads what entries point at. A closure that finds records is one, for a queue without an
/// extension.
pub trait Source {
    /// A record's bytes; dropping it gives them back.
    type Slice: AsRef<[u8]>;

    /// The bytes of `[physical_offset, physical_offset + size)` of the log.
    fn record(&mut self, physical_offset: u64, size: u32) -> Found<Self::Slice>;

    /// The unit of the queue's extension with this address.
    fn ext(&mut self, address: i64) -> Option<Ext<'_>> {
        let _ = address;
        None
    }
}

impl<S: AsRef<[u8]>, F: FnMut(u64, u32) -> Found<S>> Source for F {
    type Slice = S;

    fn record(&mut self, physical_offset: u64, size: u32) -> Found<S> {
        self(physical_offset, size)
    }
}

/// A range of the log, held for as long as this lives.
#[derive(Clone, Debug)]
pub struct Pinned<S> {
    /// The segment it lies in.
    pub segment: S,
    /// Where it begins in the segment.
    pub at: u32,
    /// Its length in bytes.
    pub len: u32,
}

impl<S: Segment> Pinned<S> {
    /// Its bytes, if the medium lends them.
    #[must_use]
    pub fn view(&self) -> Option<&[u8]> {
        self.segment.view(self.at, self.len)
    }
}

/// Looks for a range of the log, which must lie in one segment; readers may see what is below
/// `limit`. A damaged record is found: only its bytes tell.
///
/// Offset 0 is an offset like any other: once its segment is gone it is removed. Java reads the
/// first segment there is instead, and hands out another record (spec 06 section 1.8).
pub fn locate<S: Segment, T: SegmentTable<S>>(
    log: &CommitLog<S, T>,
    limit: u64,
    physical_offset: u64,
    size: u32,
) -> Found<Pinned<S>> {
    let end = physical_offset.saturating_add(u64::from(size));
    let Some(segment) = log.table().holding(physical_offset) else {
        let is_behind = physical_offset >= log.max_offset();
        return if is_behind { Found::NotVisible } else { Found::Removed };
    };
    let geometry = segment.geometry();
    let visible = segment.base() + u64::from(segment.marks().visible(geometry.staged));
    if end > segment.base() + u64::from(geometry.capacity) {
        return Found::Damaged;
    }
    if end > visible.min(limit) {
        return Found::NotVisible;
    }
    let at = u32::try_from(physical_offset - segment.base()).unwrap_or(u32::MAX);
    Found::Present(Pinned { segment, at, len: size })
}

/// The record of `size` bytes that belongs to this place of the log, if `bytes` are it; with
/// `verify` its body is compared with its checksum, too. What is none is damage, and is never
/// handed out (C-13).
#[must_use]
pub fn whole(bytes: &[u8], place: u64, size: u32, verify: bool) -> Option<RecordView<'_>> {
    let Ok(Parsed::Record(record)) = RecordView::parse(bytes) else { return None };
    let is_it = record.total_size() == size && record.physical_offset() == place;
    (is_it && (!verify || record.body_crc_ok())).then_some(record)
}
