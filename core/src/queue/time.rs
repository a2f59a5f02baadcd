//! Searching a queue by store time: as RocketMQ 4.9.3 does, and as it should be
//! (spec 06 section 4.1, spec 08 section 2).
//!
//! `store_time` gives the store time of an entry's record, milliseconds since 1970, or `None`
//! if the record cannot be read. Entries before `phy_min`, the log's minimum, have expired.

use crate::queue::read::{cell_at, visible_end};
use crate::queue::{Cell, ConsumeQueue};
use crate::segment::{Segment, SegmentTable};

/// Bytes of an entry.
const LEN: u64 = Cell::LEN as u64;

/// The file in which 4.9.3 searches for time `t`: the first one whose own time is not before
/// it, else the last (`getMappedFileByTime`). The time of a file is that of its last
/// modification; where the medium has none, that of its [`newest`](super::newest) entry.
///
/// # Errors
/// What `file_time` says.
pub fn file_by_time<S: Segment, T: SegmentTable<S>, E>(
    queue: &ConsumeQueue<S, T>,
    t: i64,
    mut file_time: impl FnMut(&S) -> Result<Option<i64>, E>,
) -> Result<Option<S>, E> {
    let Some(mut file) = queue.table().first() else { return Ok(None) };
    loop {
        if file_time(&file)?.is_some_and(|time| time >= t) {
            return Ok(Some(file));
        }
        match queue.table().from(file.base() + u64::from(file.geometry().capacity)) {
            Some(next) => file = next,
            None => return Ok(Some(file)),
        }
    }
}

/// The entry that 4.9.3 finds for time `t` in this file: any of those at `t`, or else the
/// nearer of the two between which `t` lies, the earlier one if both are as near
/// (`getOffsetInQueueByTime`). Its steps are those of 4.9.3, for they say which one it is.
///
/// Answers 0 where a record cannot be read, and, where all entries have expired, 0 or the entry
/// before the file.
///
/// # Errors
/// What the medium says.
pub fn nearest<S: Segment, T: SegmentTable<S>>(
    queue: &ConsumeQueue<S, T>,
    file: &S,
    t: i64,
    phy_min: i64,
    mut store_time: impl FnMut(Cell) -> Option<i64>,
) -> Result<u64, S::Error> {
    let base = file.base();
    let first = base / LEN;
    let (mut low, end) = (queue.min_offset().saturating_sub(first), u64::from(visible_end(file)));
    if end == 0 {
        return Ok(0);
    }
    // one behind the last entry that is still looked at: RocketMQ's `high`, plus one
    let mut behind = end / LEN;
    let (mut left, mut right) = (None, None);
    while low < behind {
        let middle = low + (behind - 1 - low) / 2;
        // inside of the file, whose length is a u32
        let cell = cell_at(file, u32::try_from(middle * LEN).unwrap_or(u32::MAX))?;
        if cell.physical_offset < phy_min {
            low = middle + 1;
            continue;
        }
        let Some(time) = store_time(cell).filter(|time| *time >= 0) else { return Ok(0) };
        if time == t {
            return Ok(first + middle);
        }
        if time > t {
            behind = middle;
            right = Some((middle, time));
        } else {
            low = middle + 1;
            left = Some((middle, time));
        }
    }
    Ok(match (left, right) {
        (Some((_, l)), Some((at, r))) if t.abs_diff(l) > t.abs_diff(r) => first + at,
        (Some((at, _)), _) | (None, Some((at, _))) => first + at,
        // RocketMQ divides `base - 1` by 20
        (None, None) => base.saturating_sub(1) / LEN,
    })
}

/// The first entry whose store time is `t` or later; the maximum if there is none (C-34 to
/// C-36). Files' own times do not count (C-32).
///
/// Where the clock went back, it is one whose time is `t` or later behind one whose is not.
///
/// # Errors
/// What the medium says.
pub fn first_at_or_after<S: Segment, T: SegmentTable<S>>(
    queue: &ConsumeQueue<S, T>,
    t: i64,
    phy_min: i64,
    store_time: impl FnMut(Cell) -> Option<i64>,
) -> Result<u64, S::Error> {
    search(queue, phy_min, |time| time < t, store_time)
}

/// The last entry whose store time is `t` or earlier; the first live one if there is none
/// (C-36).
///
/// # Errors
/// What the medium says.
pub fn last_at_or_before<S: Segment, T: SegmentTable<S>>(
    queue: &ConsumeQueue<S, T>,
    t: i64,
    phy_min: i64,
    store_time: impl FnMut(Cell) -> Option<i64>,
) -> Result<u64, S::Error> {
    let later = search(queue, phy_min, |time| time <= t, store_time)?;
    let Some(before) = later.checked_sub(1) else { return Ok(later) };
    let live = queue.cell(before)?.is_some_and(|cell| !has_expired(&cell, phy_min));
    Ok(if live { before } else { later })
}

/// Whether there is no record for this entry any more, or never was.
fn has_expired(cell: &Cell, phy_min: i64) -> bool {
    cell.physical_offset < phy_min || *cell == Cell::FILLER
}

/// The first live entry that can be read and whose time is not `early`, else the maximum.
fn search<S: Segment, T: SegmentTable<S>>(
    queue: &ConsumeQueue<S, T>,
    phy_min: i64,
    early: impl Fn(i64) -> bool,
    mut store_time: impl FnMut(Cell) -> Option<i64>,
) -> Result<u64, S::Error> {
    let Some(first) = queue.table().first() else { return Ok(0) };
    let mut high = queue.max_offset();
    let mut found = high;
    let mut low = queue.min_offset().max(first.base() / LEN).min(high);
    while low < high {
        let middle = low + (high - low) / 2;
        // what cannot be read says nothing: its successors are asked
        let mut asked = middle;
        let mut is_early = None;
        while asked < high && is_early.is_none() {
            is_early = match queue.any_cell(asked)? {
                Some(cell) if has_expired(&cell, phy_min) => Some(true),
                Some(cell) => store_time(cell).map(&early),
                None => None,
            };
            asked += 1;
        }
        match is_early {
            Some(true) => low = asked,
            Some(false) => (found, high) = (asked - 1, middle),
            None => high = middle,
        }
    }
    Ok(found)
}
