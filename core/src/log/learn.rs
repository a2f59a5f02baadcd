//! Queue offsets from the log's own records: after raw bytes, and when a log is opened.

use super::fetch::{NoBytes, read_record};
use super::{CommitLog, LogWriter};
use crate::cause::{Cause, Refusal};
use crate::offsets::{QueueOffsets, TableFull};
use crate::prepare::stored_light_queues;
use crate::record::parse::{ParseError, Parsed, RecordView};
use crate::segment::{ErrorKind, Geometry, Readable, Segment, SegmentBackend, SegmentTable};
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
    /// The record at this offset is staged, or its end is: commit, and call again.
    NotVisible {
        /// Its offset in the log.
        offset: u64,
    },
    /// The medium does not lend its bytes, and the buffer is too short for the next record.
    Scratch {
        /// How many bytes it must have.
        needed: usize,
    },
    /// There is no segment for this offset.
    Missing {
        /// Offset in the log.
        offset: u64,
    },
    /// The table of queue offsets is full.
    TableFull(TableFull),
}

impl From<NoBytes> for LearnError {
    fn from(why: NoBytes) -> Self {
        match why {
            NoBytes::Scratch { needed } => Self::Scratch { needed },
            NoBytes::Medium { base, kind } => Self::Medium { base, kind },
        }
    }
}

/// Longer runs are cut into steps, so that the put lock is not held for long.
const RECORDS_A_STEP: u32 = 10_000;

/// TOTALSIZE and MAGICCODE of a record.
const HEAD_LEN: usize = 8;

impl<B: SegmentBackend, Q: QueueOffsets> LogWriter<B, Q> {
    /// Sets how far the tables know the log: its records from there on are still to be read.
    pub fn learn_from(&mut self, offset: u64) {
        self.learned = offset;
    }

    /// How far the tables know the log.
    pub fn learned(&self) -> u64 {
        self.learned
    }

    /// Reads the next records that the tables do not know yet, up to `end`, which is at or
    /// before the log's end: called with the put lock held.
    ///
    /// At most 10,000 records a call, so that the lock is not held for long: let it go between
    /// calls. `scratch` is where a medium that lends no view is read to; it must be as long as
    /// the longest record, and may be empty where views are lent.
    ///
    /// A driver whose put was refused with [`Cause::NotLearned`] commits the log if it is
    /// staged, calls this until it answers [`Learned::All`], and puts again.
    ///
    /// # Errors
    /// [`LearnError`]; what was read before it is known, and [`Self::learned`] says where it
    /// stopped. [`LearnError::NotVisible`] goes away with a commit, and [`LearnError::Scratch`]
    /// with a longer buffer.
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
        let Geometry { capacity, staged, .. } = segment.geometry();
        let base = segment.base();
        let at = u32::try_from(offset - base).unwrap_or(capacity);
        let asked = u32::try_from(end - base).unwrap_or(u32::MAX).min(capacity);
        let limit = segment.marks().visible(staged).min(asked);
        if at >= limit {
            return Err(LearnError::NotVisible { offset });
        }
        let bytes = match segment.view(at, limit - at) {
            Some(bytes) => bytes,
            None => read_record(&segment, at, limit - at, HEAD_LEN, scratch)?,
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
            Err(ParseError::Short { .. }) if limit < asked => {
                Err(LearnError::NotVisible { offset })
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

    /// Before raw bytes: learns what readers may see of those before them, so that the put that
    /// comes after a change of role has little left. Whatever stops it (a torn tail is normal
    /// here) stops that put, too, and is told there.
    pub(super) fn learn_ahead<T: SegmentTable<B::Segment>>(
        &mut self,
        log: &CommitLog<B::Segment, T>,
    ) {
        let _ = self.learn(log, self.files.end(), &mut []);
    }

    /// Before a message is put: learns what raw bytes have brought since the last one.
    pub(super) fn catch_up<T: SegmentTable<B::Segment>>(
        &mut self,
        log: &CommitLog<B::Segment, T>,
    ) -> Result<(), Refusal> {
        if self.learned == self.files.end() {
            return Ok(());
        }
        self.catch_up_slowly(log)
    }

    #[cold]
    fn catch_up_slowly<T: SegmentTable<B::Segment>>(
        &mut self,
        log: &CommitLog<B::Segment, T>,
    ) -> Result<(), Refusal> {
        let end = self.files.end();
        let learned = self.learn(log, end, &mut []);
        let not_learned = Cause::NotLearned { from: self.learned, end };
        let (status, cause) = match learned {
            Ok(Learned::All) => {
                // raw bytes may end inside a filler: what is written there would never be read
                self.files.skip_to(self.learned);
                return Ok(());
            }
            Err(LearnError::TableFull(TableFull { capacity })) => {
                (PutMessageStatus::UnknownError, Cause::QueueTableFull { capacity })
            }
            Err(LearnError::NoRecord { offset, .. }) => {
                (PutMessageStatus::ServiceNotAvailable, Cause::TornTail { offset })
            }
            // `learn` itself gets further with a buffer and in steps, or says why it does not
            Ok(Learned::UpTo(_)) | Err(_) => (PutMessageStatus::ServiceNotAvailable, not_learned),
        };
        Err(Refusal::new(status, cause))
    }
}
