//! The commit log of a folder that holds one already: every record is read, and the end is
//! where the records end. Whatever is not as a store leaves it is refused with its place;
//! nothing is cut.

use mqstore_core::log::{CommitLog, LearnError, Learned, LogWriter};
use mqstore_core::record::parse::{ParseError, Parsed, RecordView};
use mqstore_core::segment::{Found, Halves, MediumError, Segment, SegmentBackend, SegmentTable};

use super::reading::Reading;
use crate::error::OpenError;
use crate::offsets::GrowingOffsets;
use crate::table::GrowingTable;

/// A log that was found.
pub(super) struct Reopened<B: SegmentBackend> {
    pub(super) table: GrowingTable<B::Segment>,
    /// The segment that is written next; `None` for an empty log.
    pub(super) halves: Option<Halves<B>>,
    /// Where the next record goes.
    pub(super) end: u64,
}

/// As many bytes as say what begins there.
const SHORTEST: usize = 8;

fn medium(e: &impl MediumError) -> OpenError {
    OpenError::medium("reading the commit log", e)
}

fn damaged(offset: u64, why: impl ToString) -> OpenError {
    OpenError::Damaged { offset, why: why.to_string() }
}

/// Opens every log file and finds the end.
///
/// What a process left that did not close the store may still lie in the system's memory only:
/// it is made durable first, for it counts as flushed from here on.
pub(super) fn commit_log<B: SegmentBackend>(
    files: &B,
    left_open: bool,
) -> Result<Reopened<B>, OpenError> {
    let bases = bases(files)?;
    let table = GrowingTable::default();
    let capacity = files.geometry().capacity;
    let mut bases = bases.into_iter().peekable();
    while let Some(base) = bases.next() {
        let found = files.open(base).map_err(|e| medium(&e))?;
        match records_end(&found, base)? {
            Ended::Full => {
                if left_open {
                    found.sync().map_err(|e| medium(&e))?;
                }
                // with no file behind it the next put makes one
                table_push(&table, found.seal());
            }
            Ended::At(at) => {
                zeros_behind(&found, base, at)?;
                for spare in bases {
                    remove_spare(files, spare)?;
                }
                let (tail, segment) = found.resume(at).map_err(|e| medium(&e))?;
                table_push(&table, segment.clone());
                return Ok(Reopened {
                    table,
                    halves: Some((tail, segment)),
                    end: base + u64::from(at),
                });
            }
        }
        if bases.peek().is_none() {
            // the last file is full: go on behind it, with nothing left in it
            let (tail, segment) = reopen_full(files, base, capacity)?;
            table.pop_last();
            table_push(&table, segment.clone());
            let end = base + u64::from(capacity);
            return Ok(Reopened { table, halves: Some((tail, segment)), end });
        }
    }
    Ok(Reopened { table, halves: None, end: 0 })
}

fn table_push<S: Segment>(table: &GrowingTable<S>, segment: S) {
    // a growing table takes every segment
    let _ = table.push(segment);
}

fn reopen_full<B: SegmentBackend>(
    files: &B,
    base: u64,
    capacity: u32,
) -> Result<Halves<B>, OpenError> {
    let found = files.open(base).map_err(|e| medium(&e))?;
    found.resume(capacity).map_err(|e| medium(&e))
}

/// The bases of all files, which must follow each other.
fn bases<B: SegmentBackend>(files: &B) -> Result<Vec<u64>, OpenError> {
    let mut bases = Vec::new();
    files.list(&mut |base| bases.push(base)).map_err(|e| medium(&e))?;
    let size = u64::from(files.geometry().capacity);
    for (a, b) in bases.iter().zip(bases.iter().skip(1)) {
        if a + size != *b {
            return Err(OpenError::Missing { from: a + size, to: *b });
        }
    }
    Ok(bases)
}

/// How the records of a file end.
enum Ended {
    /// With a filler, or with the file.
    Full,
    /// Before this position, behind which there is no record.
    At(u32),
}

/// Reads the records of one file.
fn records_end<F: Found>(found: &F, base: u64) -> Result<Ended, OpenError> {
    let capacity = found.geometry().capacity;
    let mut reading = Reading::new(found);
    let (mut at, mut least) = (0, SHORTEST);
    while at < capacity {
        let bytes = reading.from(at, least)?;
        if bytes.iter().take(8).all(|b| *b == 0) {
            return Ok(Ended::At(at));
        }
        let offset = base + u64::from(at);
        let record = match RecordView::parse(bytes) {
            // a part of a segment was read, and the record goes on behind it
            Err(ParseError::Short { have, need })
                if need > least && have < (capacity - at) as usize =>
            {
                least = need;
                continue;
            }
            Err(e) => return Err(damaged(offset, e)),
            Ok(Parsed::Blank { .. }) => return Ok(Ended::Full),
            Ok(Parsed::Record(record)) => record,
        };
        if record.physical_offset() != offset {
            return Err(damaged(offset, "the record belongs to another place"));
        }
        if !record.body_crc_ok() {
            return Err(damaged(offset, "the body does not fit its checksum"));
        }
        at += record.total_size();
        least = SHORTEST;
    }
    Ok(Ended::Full)
}

/// Refuses when anything but zeros lies behind the last record.
fn zeros_behind<F: Found>(found: &F, base: u64, at: u32) -> Result<(), OpenError> {
    match Reading::new(found).first_non_zero(at)? {
        None => Ok(()),
        Some(at) => Err(damaged(base + u64::from(at), "there are bytes behind the last record")),
    }
}

/// Removes a file that was made ahead and not used; refuses if it holds anything.
fn remove_spare<B: SegmentBackend>(files: &B, base: u64) -> Result<(), OpenError> {
    let found = files.open(base).map_err(|e| medium(&e))?;
    zeros_behind(&found, base, 0)?;
    drop(found);
    files.remove(base).map_err(|e| medium(&e))
}

/// Takes the next offset of every queue from the records.
pub(super) fn learn_queue_offsets<B: SegmentBackend>(
    writer: &mut LogWriter<B, GrowingOffsets>,
    log: &CommitLog<B::Segment, GrowingTable<B::Segment>>,
    end: u64,
) -> Result<(), OpenError> {
    writer.learn_from(log.min_offset().unwrap_or(0));
    // what a medium lends no views of is read through this
    let mut scratch = Vec::new();
    loop {
        match writer.learn(log, end, &mut scratch) {
            Ok(Learned::All) => return Ok(()),
            Ok(Learned::UpTo(_)) => {}
            Err(LearnError::Scratch { needed }) => scratch.resize(needed, 0),
            Err(LearnError::NoRecord { offset, why }) => return Err(damaged(offset, why)),
            Err(LearnError::Missing { offset }) => {
                return Err(OpenError::Missing { from: offset, to: end });
            }
            Err(e) => {
                return Err(damaged(writer.learned(), format!("queue offsets: {e:?}")));
            }
        }
    }
}
