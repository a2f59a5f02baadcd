//! The first entry of a queue whose record is still in the log (spec 02 section 7.3).
//!
//! Physical offsets of a queue only grow, so it is found by halving; fillers, whose offset is 0,
//! come first. What is no entry at all counts as live while halving, so that a hole left by
//! damage never hides the entries before it.

use crate::queue::read::{cell_at, visible_end};
use crate::queue::{Cell, ConsumeQueue, newest};
use crate::segment::{Segment, SegmentTable};

/// The first live entry of a queue, or of its first file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Live {
    /// This entry; the extension's units before that of its tags code are not needed any more.
    From(u64, Cell),
    /// There is none: all entries have expired.
    Nothing,
    /// There are no files.
    NoFiles,
}

/// The first entry of this file whose physical offset is at or behind `phy_min`.
fn first_live_in<S: Segment>(file: &S, phy_min: i64) -> Result<Option<(u64, Cell)>, S::Error> {
    let count = visible_end(file) / Cell::LEN;
    let (mut low, mut high) = (0, count);
    while low < high {
        let middle = low + (high - low) / 2;
        let cell = cell_at(file, middle * Cell::LEN)?;
        if cell.is_valid() && cell.physical_offset < phy_min {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    for k in low..count {
        let cell = cell_at(file, k * Cell::LEN)?;
        if cell.physical_offset >= phy_min {
            return Ok(Some((file.base() / u64::from(Cell::LEN) + u64::from(k), cell)));
        }
    }
    Ok(None)
}

impl<S: Segment, T: SegmentTable<S>> ConsumeQueue<S, T> {
    /// Sets the minimum to the first entry of the **first file** whose record is at or behind
    /// `phy_min`, the log's minimum or -1 (`correctMinOffset`). Where there is none it stays
    /// as it was; [`Self::hide_expired`] does better.
    ///
    /// # Errors
    /// What the medium says; the minimum stays as it was.
    pub fn correct_min_offset(&self, phy_min: i64) -> Result<Live, S::Error> {
        let Some(first) = self.table().first() else { return Ok(Live::NoFiles) };
        let Some((entry, cell)) = first_live_in(&first, phy_min)? else {
            return Ok(Live::Nothing);
        };
        self.set_min_offset(entry);
        Ok(Live::From(entry, cell))
    }

    /// Sets the minimum to the first live entry of all files; where all have expired, to the
    /// maximum, which the next message gets (C-23).
    ///
    /// # Errors
    /// What the medium says; the minimum stays as it was.
    pub fn hide_expired(&self, phy_min: i64) -> Result<Live, S::Error> {
        // an entry that comes during the search is not hidden
        let max = self.max_offset();
        let live = self.first_live(phy_min)?;
        match live {
            Live::From(entry, _) => self.set_min_offset(entry),
            Live::Nothing => self.set_min_offset(max),
            Live::NoFiles => {}
        }
        Ok(live)
    }

    /// Whether the oldest file holds only expired entries and may be removed, which the last file
    /// never may (`deleteExpiredFileByOffset`, spec 04 section 12.3).
    ///
    /// # Errors
    /// What the medium says: then nothing is removed.
    pub fn oldest_file_has_expired(&self, phy_min: i64) -> Result<bool, S::Error> {
        let Some(first) = self.table().first() else { return Ok(false) };
        if self.table().last().is_none_or(|last| last.base() == first.base()) {
            return Ok(false);
        }
        Ok(newest(&first)?.is_some_and(|cell| cell.physical_offset < phy_min))
    }

    /// The first entry of all files whose record is at or behind `phy_min`: where a reader goes
    /// on whose entry has expired before the minimum was corrected (C-24).
    ///
    /// # Errors
    /// What the medium says.
    pub fn first_live(&self, phy_min: i64) -> Result<Live, S::Error> {
        let Some(mut file) = self.table().first() else { return Ok(Live::NoFiles) };
        loop {
            if let Some((entry, cell)) = first_live_in(&file, phy_min)? {
                return Ok(Live::From(entry, cell));
            }
            match self.table().from(file.base() + u64::from(file.geometry().capacity)) {
                Some(next) => file = next,
                None => return Ok(Live::Nothing),
            }
        }
    }
}
