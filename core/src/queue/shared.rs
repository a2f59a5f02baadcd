//! The shared half of a consume queue: its files, its bounds, and its entries by number
//! (spec 02 section 7, spec 06 sections 1.2 and 4).

use crate::log::CommitLog;
use crate::queue::read::{self, Run};
use crate::queue::{Cell, read::visible_end};
use crate::segment::{Segment, SegmentTable};
use crate::sync::{AtomicU64, Ordering};

/// Bytes of an entry.
const LEN: u64 = Cell::LEN as u64;

/// A consume queue for all who read and flush it.
///
/// Entries are numbered by their queue offset; entry `k` lies at byte 20 `k` of the series.
pub struct ConsumeQueue<S, T> {
    /// RocketMQ's `MappedFileQueue`: a queue is flushed by the same rules as the log.
    files: CommitLog<S, T>,
    /// `minLogicOffset`, bytes: what lies before it is not given out.
    min_logic: AtomicU64,
}

impl<S: Segment, T: SegmentTable<S>> ConsumeQueue<S, T> {
    /// A queue over these files, all of it flushed up to `end`, bytes; its minimum is 0 until it
    /// is corrected.
    pub fn new(table: T, end: u64) -> Self {
        Self { files: CommitLog::new(table, end), min_logic: AtomicU64::new(0) }
    }

    /// Its files as a series, in bytes: for commit and flush.
    pub const fn files(&self) -> &CommitLog<S, T> {
        &self.files
    }

    /// Its files.
    pub fn table(&self) -> &T {
        self.files.table()
    }

    /// The first entry that is given out (`getMinOffsetInQueue`); 0 for an untouched queue.
    pub fn min_offset(&self) -> u64 {
        self.min_logic.load(Ordering::Acquire) / LEN
    }

    /// Sets the first entry that is given out.
    pub fn set_min_offset(&self, entry: u64) {
        self.min_logic.store(entry.saturating_mul(LEN), Ordering::Release);
    }

    /// The number behind the last entry (`getMaxOffsetInQueue`); 0 without files.
    pub fn max_offset(&self) -> u64 {
        self.files.max_offset() / LEN
    }

    /// Entry `entry`; `None` before the minimum, behind the last one, and where its file is
    /// missing.
    ///
    /// # Errors
    /// What the medium says: then nothing is known about the entry.
    pub fn cell(&self, entry: u64) -> Result<Option<Cell>, S::Error> {
        if entry < self.min_offset() {
            return Ok(None);
        }
        self.any_cell(entry)
    }

    /// The same without a look at the minimum.
    pub(super) fn any_cell(&self, entry: u64) -> Result<Option<Cell>, S::Error> {
        match self.place_of(entry) {
            Some((file, at)) => read::cell_at(&file, at).map(Some),
            None => Ok(None),
        }
    }

    /// The entries from `entry` to the end of its file, never beyond (`getIndexBuffer`, spec 06
    /// section 1.3); `None` as with [`Self::cell`].
    pub fn run(&self, entry: u64) -> Option<Run<S>> {
        if entry < self.min_offset() {
            return None;
        }
        self.place_of(entry).map(|(file, at)| Run::new(file, at))
    }

    /// The first entry of the file behind that of `entry` (`rollNextFile`): where to go on when
    /// a file is missing. `None` where no entry can have that number, and without files.
    pub fn next_file(&self, entry: u64) -> Option<u64> {
        let capacity = self.table().last()?.geometry().capacity;
        let per_file = u64::from(capacity / Cell::LEN).max(1);
        entry.checked_add(per_file - entry % per_file)
    }

    /// The file that holds this entry, and where in it.
    fn place_of(&self, entry: u64) -> Option<(S, u32)> {
        let position = entry.checked_mul(LEN)?;
        let file = self.table().holding(position)?;
        let at = u32::try_from(position - file.base()).ok()?;
        (at < visible_end(&file)).then_some((file, at))
    }
}
