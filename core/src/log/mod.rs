//! The commit log over any medium: one writer under the put lock, and a shared half for all
//! who read, commit and flush.

mod append;
pub(crate) mod fetch;
mod flush;
mod learn;
pub(crate) mod open;
mod place;
mod raw;

pub use append::{Appended, NotAppended};
pub use flush::{FlushError, Step};
pub use learn::{LearnError, Learned};

use core::marker::PhantomData;

use self::place::Files;
use crate::offsets::QueueOffsets;
use crate::prepare::MultiDispatchRules;
use crate::segment::{Halves, Segment, SegmentBackend, SegmentTable};
use crate::sync::{AtomicI64, AtomicU64, Ordering};

/// The shared half of a commit log (RocketMQ's `MappedFileQueue`): its segments, and how far it
/// is committed and flushed.
pub struct CommitLog<S, T> {
    table: T,
    /// Everything below is durable.
    flushed_where: AtomicU64,
    /// Everything below has reached the medium.
    committed_where: AtomicU64,
    /// Store time of the last record of the last thorough flush; 0: none.
    store_timestamp: AtomicI64,
    segments: PhantomData<fn() -> S>,
}

impl<S: Segment, T: SegmentTable<S>> CommitLog<S, T> {
    /// A log over these segments, all of them committed and flushed up to `end`.
    pub fn new(table: T, end: u64) -> Self {
        Self {
            table,
            flushed_where: AtomicU64::new(end),
            committed_where: AtomicU64::new(end),
            store_timestamp: AtomicI64::new(0),
            segments: PhantomData,
        }
    }

    /// Its segments.
    pub fn table(&self) -> &T {
        &self.table
    }

    /// Offset of the first byte there still is; `None` without segments (`getMinOffset`, which
    /// answers -1 then).
    pub fn min_offset(&self) -> Option<u64> {
        self.table.first().map(|s| s.base())
    }

    /// How far readers may look (`getMaxOffset`); 0 without segments.
    pub fn max_offset(&self) -> u64 {
        self.table
            .last()
            .map_or(0, |s| s.base() + u64::from(s.marks().visible(s.geometry().staged)))
    }

    /// How far records are written, committed or not (`getMaxWrotePosition`).
    pub fn written_offset(&self) -> u64 {
        self.table.last().map_or(0, |s| s.base() + u64::from(s.marks().published()))
    }

    /// Everything below is durable (`flushedWhere`).
    pub fn flushed_where(&self) -> u64 {
        self.flushed_where.load(Ordering::Acquire)
    }

    /// Everything below has reached the medium (`committedWhere`).
    pub fn committed_where(&self) -> u64 {
        self.committed_where.load(Ordering::Acquire)
    }

    /// Bytes written but not durable, true from the first moment (`howMuchFallBehind` of the
    /// flush).
    pub fn not_flushed(&self) -> u64 {
        self.written_offset().saturating_sub(self.flushed_where())
    }

    /// Store time of the newest record that the last thorough flush covered, milliseconds since
    /// 1970; 0: none yet. This is what goes into the checkpoint.
    pub fn store_timestamp(&self) -> i64 {
        self.store_timestamp.load(Ordering::Acquire)
    }
}

/// The exclusive half of a commit log: it lives under the put lock.
pub struct LogWriter<B: SegmentBackend, Q> {
    files: Files<B>,
    /// `topicQueueTable`
    queues: Q,
    /// `lmqTopicQueueTable`
    light_queues: Q,
    /// Up to here the two tables know the records of the log.
    learned: u64,
    /// How records that name light queues are counted.
    multi_dispatch: MultiDispatchRules,
    /// Messages put, and bytes of their records.
    put_totals: (u64, u64),
}

impl<B: SegmentBackend, Q: QueueOffsets> LogWriter<B, Q> {
    /// A writer for a log without records, with these tables for queues and light queues.
    pub fn new(backend: B, queues: Q, light_queues: Q) -> Self {
        let multi_dispatch = MultiDispatchRules::default();
        Self {
            files: Files::new(backend),
            queues,
            light_queues,
            learned: 0,
            multi_dispatch,
            put_totals: (0, 0),
        }
    }

    /// Sets how records that name light queues are counted when they are learned from the log.
    pub fn set_multi_dispatch(&mut self, rules: MultiDispatchRules) {
        self.multi_dispatch = rules;
    }

    /// Goes on in this segment, which must be the newest one of the log's table.
    pub fn resume(&mut self, halves: Halves<B>) {
        self.files.resume(halves);
    }

    /// Gives the segments up, after the last write: whoever opens the log next may write.
    pub fn let_go(&mut self) {
        self.files.let_go();
    }

    /// Where the next record goes if it fits there; 0 for an empty log.
    pub fn end(&self) -> u64 {
        self.files.end()
    }

    /// The next offsets of queues.
    pub fn queues(&mut self) -> &mut Q {
        &mut self.queues
    }

    /// The next offsets of light queues.
    pub fn light_queues(&mut self) -> &mut Q {
        &mut self.light_queues
    }

    /// Where the segments are made.
    pub fn backend(&self) -> &B {
        &self.files.backend
    }
}

#[cfg(all(test, not(loom)))]
#[expect(clippy::unwrap_used, reason = "a test's own backend")]
pub(crate) mod testing;
#[cfg(all(test, not(loom)))]
#[expect(clippy::unwrap_used, reason = "tests and what they are made of")]
mod tests;
