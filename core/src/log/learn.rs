//! Queue offsets from the log's own records: after raw bytes, and when a log is opened.

use super::{CommitLog, LogWriter};
use crate::cause::{Cause, Refusal};
use crate::offsets::{QueueOffsets, TableFull};
use crate::prepare::stored_light_queues;
use crate::record::parse::{ParseError, Parsed, RecordView};
use crate::segment::{ErrorKind, MediumError, Readable, SegmentBackend, SegmentTable};
use crate::status::PutMessageStatus;

/// How far the records of a log have been read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Learned {
    /// Up to the end that was asked for.
    All,
    /// Up to this offset; call again.
    UpTo(u64),
}

/// Why the records of a log cannot be read on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LearnError {
    /// What lies there is no record, for this reason.
    NoRecord {
        /// Its offset in the log.
        offset: u64,
        /// What is wrong with it.
        why: ParseError,
    },
    /// The medium answered with this.
    Medium {
        /// Offset of the segment.
        base: u64,
        /// The kind of failure.
        kind: ErrorKind,
    },
    /// There is no segment for this offset.
    Missing {
        /// Offset in the log.
        offset: u64,
    },
    /// The table of queue offsets is full.
    TableFull(TableFull),
}

/// Longer runs are cut into steps, so that the put lock is not held for long.
const RECORDS_A_STEP: u32 = 10_000;

impl<B: SegmentBackend, Q: QueueOffsets> LogWriter<B, Q> {
    /// Sets how far the tables know the log: its records from there on are still to be read.
    pub fn learn_from(&mut self, offset: u64) {
        self.learned = offset;
    }

    /// How far the tables know the log.
    pub fn learned(&self) -> u64 {
        self.learned
    }

    /// Reads the next records that the tables do not know yet, up to `end`.
    ///
    /// `scratch` is where bytes of a medium that is not memory are read to; it must be as long
    /// as the longest record.
    ///
    /// # Errors
    /// [`LearnError`]; what was read before it is known.
    pub fn learn<T: SegmentTable<B::Segment>>(
        &mut self,
        log: &CommitLog<B::Segment, T>,
        end: u64,
        scratch: &mut [u8],
    ) -> Result<Learned, LearnError> {
        for _ in 0..RECORDS_A_STEP {
            if self.learned >= end {
                return Ok(Learned::All);
            }
            self.learned = self.learn_one(log, end, scratch)?;
        }
        Ok(Learned::UpTo(self.learned))
    }

    /// Reads the record at the learned position; answers the position behind it.
    fn learn_one<T: SegmentTable<B::Segment>>(
        &mut self,
        log: &CommitLog<B::Segment, T>,
        end: u64,
        scratch: &mut [u8],
    ) -> Result<u64, LearnError> {
        let offset = self.learned;
        let segment = log.table().holding(offset).ok_or(LearnError::Missing { offset })?;
        let base = segment.base();
        let capacity = segment.geometry().capacity;
        let at = u32::try_from(offset - base).unwrap_or(capacity);
        let limit = u32::try_from(end - base).unwrap_or(u32::MAX).min(capacity);
        let bytes = match segment.view(at, limit - at) {
            Some(bytes) => bytes,
            None => {
                let len = scratch.len().min((limit - at) as usize);
                let out = scratch.get_mut(..len).unwrap_or_default();
                segment.read(at, out).map_err(|e| LearnError::Medium { base, kind: e.kind() })?;
                out
            }
        };
        match RecordView::parse(bytes) {
            Ok(Parsed::Blank { .. }) => Ok(base + u64::from(capacity)),
            Ok(Parsed::Record(record)) => {
                if record.physical_offset() != offset {
                    return Err(LearnError::NoRecord { offset, why: ParseError::PhysicalOffset });
                }
                self.learn_record(&record).map_err(LearnError::TableFull)?;
                Ok(offset + u64::from(record.total_size()))
            }
            Err(why) => Err(LearnError::NoRecord { offset, why }),
        }
    }

    fn learn_record(&mut self, record: &RecordView<'_>) -> Result<(), TableFull> {
        if !record.is_dispatched() {
            return Ok(());
        }
        let Ok(topic) = core::str::from_utf8(record.topic_bytes()) else { return Ok(()) };
        self.queues.raise(topic, record.queue_id(), record.queue_offset().saturating_add(1))?;
        for (q, queue_offset) in stored_light_queues(record, self.multi_dispatch) {
            let table = if q.is_lmq { &mut self.light_queues } else { &mut self.queues };
            table.raise(q.name, q.queue_id, queue_offset.saturating_add(1))?;
        }
        Ok(())
    }

    /// Before a message is put: learns what raw bytes have brought since the last one.
    pub(super) fn catch_up<T: SegmentTable<B::Segment>>(
        &mut self,
        log: &CommitLog<B::Segment, T>,
    ) -> Result<(), Refusal> {
        let end = self.files.end();
        if self.learned == end {
            return Ok(());
        }
        self.catch_up_slowly(log, end)?;
        // raw bytes may end inside a filler: what is written there would never be read
        self.files.skip_to(self.learned);
        Ok(())
    }

    #[cold]
    fn catch_up_slowly<T: SegmentTable<B::Segment>>(
        &mut self,
        log: &CommitLog<B::Segment, T>,
        end: u64,
    ) -> Result<(), Refusal> {
        loop {
            match self.learn(log, end, &mut []) {
                Ok(Learned::All) => return Ok(()),
                Ok(Learned::UpTo(_)) => {}
                Err(LearnError::TableFull(full)) => {
                    let cause = Cause::QueueTableFull { capacity: full.capacity };
                    return Err(Refusal::new(PutMessageStatus::UnknownError, cause));
                }
                Err(_) => {
                    let cause = Cause::TornTail { offset: self.learned };
                    return Err(Refusal::new(PutMessageStatus::ServiceNotAvailable, cause));
                }
            }
        }
    }
}
