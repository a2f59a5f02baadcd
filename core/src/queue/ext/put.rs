//! Storing extension units: behind the last one or, behind a mark, in the next file.

use core::fmt;

use super::address_of;
use super::unit::{END_MARK, Unit};
use crate::log::CommitLog;
use crate::log::open::{Open, refusal_kind};
use crate::observe::Observer;
use crate::segment::{ErrorKind, Halves, MediumError, SegmentBackend, SegmentTable};

/// RocketMQ tries so often; a try that ends a file is one, too.
const TRIES: u32 = 3;

/// Bytes that stay free behind the last unit of a file.
const END_LEN: u32 = 4;

/// Why a unit was not stored: its entry keeps the plain tags code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotStored {
    /// No unit, or none that fits into a file, is so long.
    TooLong,
    /// There are no addresses left.
    AddressesUsedUp,
    /// A file could not be made.
    CreateFailed {
        /// Its first byte in the series.
        base: u64,
        /// What the medium said.
        kind: ErrorKind,
    },
    /// The unit, or the mark at the end of a file, could not be written.
    WriteFailed {
        /// Where, bytes in the series.
        position: u64,
        /// What the medium said.
        kind: ErrorKind,
    },
    /// The writer has let go of its files and was not resumed.
    LetGo,
}

impl fmt::Display for NotStored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong => f.write_str("the extension unit is too long"),
            Self::AddressesUsedUp => f.write_str("the queue's extension has no addresses left"),
            Self::CreateFailed { base, kind } => {
                write!(f, "the extension file at {base} cannot be made: {kind}")
            }
            Self::WriteFailed { position, kind } => {
                write!(f, "the extension cannot be written at {position}: {kind}")
            }
            Self::LetGo => f.write_str("the queue's extension is not open for writing"),
        }
    }
}

impl core::error::Error for NotStored {}

/// The exclusive half of a queue's extension.
pub struct ExtWriter<B: SegmentBackend> {
    backend: B,
    /// The newest file of the table.
    current: Option<Open<B>>,
    /// A file that was made for a unit which could not be written.
    spare: Option<Open<B>>,
    /// It has had files, and holds them no more.
    let_go: bool,
}

impl<B: SegmentBackend> ExtWriter<B> {
    /// A writer for an extension without files.
    pub const fn new(backend: B) -> Self {
        Self { backend, current: None, spare: None, let_go: false }
    }

    /// Goes on in this file, which must be the newest one of the table.
    pub fn resume(&mut self, halves: Halves<B>) {
        self.current = Some(Open::new(halves));
        self.let_go = false;
    }

    /// Gives the files up; before the next unit the last one is opened and resumed again.
    pub fn let_go(&mut self) {
        self.let_go |= self.current.is_some();
        self.current = None;
        self.spare = None;
    }

    /// Where the next unit goes if it fits there, bytes; `None` without files.
    pub fn end(&self) -> Option<u64> {
        self.current.as_ref().map(Open::offset)
    }

    /// Stores a unit and answers its address.
    ///
    /// # Errors
    /// [`NotStored`]; a file may have been ended for it.
    pub fn put<T: SegmentTable<B::Segment>>(
        &mut self,
        files: &CommitLog<B::Segment, T>,
        unit: &Unit<'_>,
        observer: &impl Observer,
    ) -> Result<i64, NotStored> {
        if self.let_go {
            return Err(NotStored::LetGo);
        }
        let len = unit.byte_len().ok_or(NotStored::TooLong)?;
        if len > self.backend.geometry().capacity.saturating_sub(END_LEN) {
            return Err(NotStored::TooLong);
        }
        let end = self.end().unwrap_or(0);
        if end.checked_add(len.into()).and_then(address_of).is_none() {
            return Err(NotStored::AddressesUsedUp);
        }
        let mut last = Ok(end);
        for _ in 0..TRIES {
            last = self.try_to_put(files, unit, len, observer);
            match last {
                Ok(offset) => return address_of(offset).ok_or(NotStored::AddressesUsedUp),
                Err(NotStored::CreateFailed { .. }) => {}
                Err(e) => return Err(e),
            }
        }
        last.and(Err(NotStored::TooLong))
    }

    /// Ends the current file if the unit does not fit, and puts the unit; answers its offset.
    fn try_to_put<T: SegmentTable<B::Segment>>(
        &mut self,
        files: &CommitLog<B::Segment, T>,
        unit: &Unit<'_>,
        len: u32,
        observer: &impl Observer,
    ) -> Result<u64, NotStored> {
        if let Some(open) = self.current.as_mut() {
            if len <= open.room().saturating_sub(END_LEN) {
                let offset = open.offset();
                write(open, unit, len, observer)?;
                open.publish(len, 0);
                return Ok(offset);
            }
            end_file(open, observer)?;
        }
        self.put_in_next(files, unit, len, observer)
    }

    /// Puts the unit at the start of the next file.
    fn put_in_next<T: SegmentTable<B::Segment>>(
        &mut self,
        files: &CommitLog<B::Segment, T>,
        unit: &Unit<'_>,
        len: u32,
        observer: &impl Observer,
    ) -> Result<u64, NotStored> {
        let base = self.end().unwrap_or(0);
        let mut next = self.make(files, base, observer)?;
        let may = self.current.as_mut().map_or(Ok(()), |old| old.make_way_for(&next));
        let written = may.map_err(|refusal| NotStored::WriteFailed {
            position: base,
            kind: refusal_kind(&refusal),
        });
        if let Err(e) = written.and_then(|()| write(&mut next, unit, len, observer)) {
            self.spare = Some(next);
            return Err(e);
        }
        next.share(files.table());
        next.publish(len, 0);
        self.current = Some(next);
        Ok(base)
    }

    /// Makes the file at `base`, or takes the one that was made before.
    fn make<T: SegmentTable<B::Segment>>(
        &mut self,
        files: &CommitLog<B::Segment, T>,
        base: u64,
        observer: &impl Observer,
    ) -> Result<Open<B>, NotStored> {
        Open::make(&self.backend, &mut self.spare, files.table(), base, observer)
            .map_err(|kind| NotStored::CreateFailed { base, kind })
    }
}

/// The error for bytes that could not be written; the observer is told.
fn not_written(observer: &impl Observer, position: u64, e: &impl MediumError) -> NotStored {
    observer.write_failed(position, e);
    NotStored::WriteFailed { position, kind: e.kind() }
}

/// Writes a unit behind the last one, and does not publish it.
fn write<B: SegmentBackend>(
    open: &mut Open<B>,
    unit: &Unit<'_>,
    len: u32,
    observer: &impl Observer,
) -> Result<(), NotStored> {
    let position = open.offset();
    let window = open.window(len).map_err(|e| not_written(observer, position, &e))?;
    unit.encode(window);
    Ok(())
}

/// Writes the mark behind the last unit, and gives the rest of the file up.
fn end_file<B: SegmentBackend>(
    open: &mut Open<B>,
    observer: &impl Observer,
) -> Result<(), NotStored> {
    let position = open.offset();
    if open.room() >= END_LEN {
        open.write_raw(&END_MARK).map_err(|e| not_written(observer, position, &e))?;
    }
    open.publish_rest();
    Ok(())
}
