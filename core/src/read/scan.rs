//! The scan of a get: entry by entry, what to take and what to pass (spec 06 sections 1.3
//! and 1.4).

use super::bounds::Bounds;
use super::filter::MessageFilter;
use super::limit::BatchLimit;
use super::source::{Found, Source, whole};
use crate::queue::Cell;
use crate::status::GetMessageStatus;

/// What a get asks for, and what it depends on.
#[derive(Clone, Copy, Debug)]
pub struct Ask {
    /// The queue offset to begin at; inside of `bounds`.
    pub offset: i64,
    /// At most so many messages; not negative.
    pub max_msg_nums: i32,
    /// The queue's bounds.
    pub bounds: Bounds,
    /// The log's end (`getMaxOffset`).
    pub log_end: i64,
    /// Length of a log file in bytes.
    pub log_file: u32,
    /// How much may be taken.
    pub limit: BatchLimit,
    /// How many bytes at the log's end count as being in memory: [`super::memory_share`].
    pub memory: i64,
    /// Whether bodies are compared with their checksums (`verifyReads`).
    pub verify: bool,
}

/// A get on its way through a queue.
#[derive(Clone, Debug)]
pub struct Get {
    ask: Ask,
    status: GetMessageStatus,
    /// Entries that are done with.
    passed: u32,
    taken: (u32, u64),
    commercial: u32,
    /// Records below have been removed with their file.
    skip_below: Option<i64>,
    /// Log offset of the entry that was looked at last.
    last_looked: Option<i64>,
    removed: u32,
    damaged: u32,
}

/// What is to be done about an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offered<S> {
    /// Its record is part of the answer.
    Taken(S),
    /// It is left out; offer the next one.
    Passed(Passed),
    /// The answer is full: offer no more.
    Full,
    /// Its record may not be seen yet: offer no more.
    NotVisible,
}

/// Why an entry is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passed {
    /// The filter does not want it.
    Unwanted,
    /// Its record has been removed.
    Removed,
    /// Its record is damaged: to be named.
    Damaged,
}

/// The answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GetResult {
    /// What was found.
    pub status: GetMessageStatus,
    /// Where to go on (`nextBeginOffset`).
    pub next_begin_offset: i64,
    /// The queue's bounds.
    pub bounds: Bounds,
    /// Number of records.
    pub messages: u32,
    /// Their bytes (`bufferTotalSize`).
    pub bytes: u64,
    /// Number of 64 KiB pieces begun, record by record (`msgCount4Commercial`).
    pub commercial: u32,
    /// What comes next is no longer in memory (`suggestPullingFromSlave`).
    pub suggest_pulling_from_slave: bool,
    /// How many bytes the log's end is ahead, for `recordDiskFallBehindSize`; `None` if no entry
    /// was looked at.
    pub fall_behind: Option<i64>,
    /// Entries whose record has been removed.
    pub removed: u32,
    /// Entries whose record is damaged.
    pub damaged: u32,
}

/// Entries with a tags code up to this have the address of an extension unit in its place.
const EXT_ADDRESS_MAX: i64 = i32::MIN as i64 - 1;
/// Bytes of entries that are looked at whatever is asked for.
const LOOK_BYTES: i32 = 16_000;
/// `BrokerStatsManager.SIZE_PER_COUNT`
const COMMERCIAL_BYTES: u32 = 64 * 1024;

impl Get {
    /// Begins a get that [`Bounds::check`] has let pass.
    #[must_use]
    pub const fn new(ask: Ask) -> Self {
        Self {
            ask,
            status: GetMessageStatus::NoMatchedMessage,
            passed: 0,
            taken: (0, 0),
            commercial: 0,
            skip_below: None,
            last_looked: None,
            removed: 0,
            damaged: 0,
        }
    }

    /// How many entries may be offered, where a segment of the queue has `units`: a get looks at
    /// 800 or as many as are asked for, and never into the next segment.
    #[must_use]
    pub fn room(&self, units: u32) -> u32 {
        // Java's arithmetic, for a huge number of messages, too
        let bytes = self.ask.max_msg_nums.wrapping_mul(20).max(LOOK_BYTES).unsigned_abs();
        let units = i64::from(units.max(1));
        let in_segment = units - self.ask.offset.rem_euclid(units);
        bytes.div_ceil(Cell::LEN).min(u32::try_from(in_segment).unwrap_or(u32::MAX))
    }

    /// Looks at the next entry.
    pub fn offer<S: Source>(
        &mut self,
        cell: Cell,
        filter: &impl MessageFilter,
        source: &mut S,
    ) -> Offered<S::Slice> {
        let at = cell.physical_offset;
        self.last_looked = Some(at);
        if self.skip_below.is_some_and(|below| at < below) {
            return self.pass(Passed::Removed);
        }
        let in_disk = self.ask.log_end.saturating_sub(at) > self.ask.memory;
        if self.ask.limit.is_full(self.ask.max_msg_nums, self.taken, cell.size, in_disk) {
            return Offered::Full;
        }
        if !wants(cell.tags_code, filter, source) {
            return self.unwanted();
        }
        if cell == Cell::FILLER {
            return self.gone(Passed::Removed);
        }
        // before anything is held: there are entries of any content (spec 06 section 1.8)
        let (Ok(place), Ok(size)) = (u64::try_from(at), u32::try_from(cell.size)) else {
            return self.gone(Passed::Damaged);
        };
        match source.record(place, size) {
            Found::Present(slice) => self.weigh(slice, place, size, filter),
            Found::Removed => {
                let file = i64::from(self.ask.log_file.max(1));
                self.skip_below = Some(at.saturating_add(file - at % file));
                self.gone(Passed::Removed)
            }
            Found::Damaged => self.gone(Passed::Damaged),
            Found::NotVisible => self.stop(),
        }
    }

    /// The answer, after the last entry.
    #[must_use]
    pub fn finish(&self) -> GetResult {
        let behind = self.last_looked.map(|at| self.ask.log_end.saturating_sub(at));
        GetResult {
            status: self.status,
            next_begin_offset: self.ask.offset.saturating_add(i64::from(self.passed)),
            bounds: self.ask.bounds,
            messages: self.taken.0,
            bytes: self.taken.1,
            commercial: self.commercial,
            suggest_pulling_from_slave: behind.is_some_and(|behind| behind > self.ask.memory),
            fall_behind: behind,
            removed: self.removed,
            damaged: self.damaged,
        }
    }

    /// Decides about bytes that are there.
    fn weigh<S: AsRef<[u8]>>(
        &mut self,
        slice: S,
        place: u64,
        size: u32,
        filter: &impl MessageFilter,
    ) -> Offered<S> {
        let Some(record) = whole(slice.as_ref(), place, size, self.ask.verify) else {
            return self.gone(Passed::Damaged);
        };
        if !filter.by_record(&record) {
            return self.unwanted();
        }
        self.passed += 1;
        self.taken = (self.taken.0 + 1, self.taken.1 + u64::from(size));
        self.commercial += size.div_ceil(COMMERCIAL_BYTES);
        self.status = GetMessageStatus::Found;
        self.skip_below = None;
        Offered::Taken(slice)
    }

    fn pass<S>(&mut self, why: Passed) -> Offered<S> {
        self.passed += 1;
        match why {
            Passed::Unwanted => {}
            Passed::Removed => self.removed += 1,
            Passed::Damaged => self.damaged += 1,
        }
        Offered::Passed(why)
    }

    fn unwanted<S>(&mut self) -> Offered<S> {
        self.unless_found(GetMessageStatus::NoMatchedMessage);
        self.pass(Passed::Unwanted)
    }

    fn gone<S>(&mut self, why: Passed) -> Offered<S> {
        self.unless_found(GetMessageStatus::MessageWasRemoving);
        self.pass(why)
    }

    /// The queue ends here, as far as readers may see: a consumer waits for what comes.
    fn stop<S>(&mut self) -> Offered<S> {
        if self.passed == 0 {
            self.status = GetMessageStatus::OffsetOverflowOne;
        }
        Offered::NotVisible
    }

    fn unless_found(&mut self, status: GetMessageStatus) {
        if self.taken.0 == 0 {
            self.status = status;
        }
    }
}

/// Whether the filter wants an entry with this tags code, which may be an address.
fn wants<S: Source>(code: i64, filter: &impl MessageFilter, source: &mut S) -> bool {
    if code > EXT_ADDRESS_MAX {
        return filter.by_queue(Some(code), None);
    }
    match source.ext(code) {
        Some(ext) => filter.by_queue(Some(ext.tags_code), Some(&ext)),
        None => filter.by_queue(None, None),
    }
}

impl GetResult {
    /// The answer of a get that looks at no message.
    #[must_use]
    pub const fn no_scan(answer: super::bounds::NoScan, bounds: Bounds) -> Self {
        Self {
            status: answer.status,
            next_begin_offset: answer.next,
            bounds,
            messages: 0,
            bytes: 0,
            commercial: 0,
            suggest_pulling_from_slave: false,
            fall_behind: None,
            removed: 0,
            damaged: 0,
        }
    }
}
