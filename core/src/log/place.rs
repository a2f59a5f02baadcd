//! Where the next bytes of the log go: into the current segment or, with a filler behind the
//! last record, into the next one (spec 01 section 5, spec 04 section 1).
//!
//! # The order at a border between two files
//!
//! 1. The next file is made, and asked for the record's window, which is given up again: what
//!    it refuses, it refuses here.
//! 2. The filler's head is written behind the old file's last record. The old file is the one
//!    that may have been stopped meanwhile; a refusal leaves no byte anywhere.
//! 3. The next file lends the window once more, and the record is written.
//! 4. The filler is published, then the next file is shared and the record published.
//!
//! A refusal in step 3, which nobody expects, leaves a filler's head behind the published mark.
//! That counts for nothing, the next record overwrites it, and to whoever finds it after a crash
//! it says what is true: the log goes on in the next file. A record that was refused would be
//! worse: a later put would be acknowledged in front of it.
//!
//! Bytes that are written in place survive a kill of the process, staged ones do not before they
//! are committed. So where the old file is staged and the next one is not (the pool has no
//! buffer left), step 2 publishes the filler at once, and the put is refused as
//! [`Cause::Backpressure`] until all of the old file is committed: else a kill would leave zeros,
//! which is how a log ends, before records that were acknowledged.

use super::CommitLog;
use super::open::{Open, len_of, not_written};
use crate::cause::{Cause, Refusal};
use crate::observe::Observer;
use crate::segment::{ErrorKind, Halves, MediumError, SegmentBackend, SegmentTable};
use crate::status::PutMessageStatus;

/// The writer's view of the log's segments.
pub(super) struct Files<B: SegmentBackend> {
    pub(super) backend: B,
    /// The newest segment of the log's table.
    pub(super) current: Option<Open<B>>,
    /// The next segment, made but not used, because the put that wanted it failed behind that.
    spare: Option<Open<B>>,
}

/// The refusal for a window that was not lent; the observer is told.
fn told(observer: &impl Observer, offset: u64, e: &impl MediumError) -> Refusal {
    observer.write_failed(offset, e);
    not_written(e.kind())
}

impl<B: SegmentBackend> Files<B> {
    pub(super) fn new(backend: B) -> Self {
        Self { backend, current: None, spare: None }
    }

    /// Goes on in this segment, which must be the newest one of the log's table.
    pub(super) fn resume(&mut self, halves: Halves<B>) {
        self.current = Some(Open::new(halves));
    }

    /// Gives the segments up.
    pub(super) fn let_go(&mut self) {
        self.current = None;
        self.spare = None;
    }

    /// Where the next record goes if it fits there; 0 for an empty log.
    pub(super) fn end(&self) -> u64 {
        self.current.as_ref().map_or(0, Open::offset)
    }

    /// Gives the rest of the current segment up if `offset` is where the next one begins: there
    /// lies the rest of a filler, whose bytes belong to no message.
    pub(super) fn skip_to(&mut self, offset: u64) {
        let open = self.current.as_mut();
        if let Some(open) = open.filter(|o| o.base + u64::from(o.capacity) == offset) {
            open.publish_rest();
        }
    }

    /// Puts `len` bytes, written by `emit`, at the end of the log, and publishes them.
    ///
    /// `emit` gets their offset in the log. Answers that offset, and whether a new segment was
    /// begun. Nothing has moved when this refuses, but perhaps the end of the log over the
    /// filler of a staged segment; a segment that was made for it is kept for the next put.
    pub(super) fn place<T: SegmentTable<B::Segment>>(
        &mut self,
        log: &CommitLog<B::Segment, T>,
        len: u32,
        at: i64,
        observer: &impl Observer,
        emit: impl FnOnce(u64, &mut [u8]),
    ) -> Result<(u64, bool), Refusal> {
        if let Some(open) = self.current.as_mut().filter(|o| o.fits(len)) {
            let offset = open.offset();
            let window = open.window(len).map_err(|e| told(observer, offset, &e))?;
            emit(offset, window);
            open.publish(len, at);
            return Ok((offset, false));
        }
        self.place_in_next(log, len, at, observer, emit)
    }

    /// The same, in the next segment; the current one gets its filler.
    #[cold]
    fn place_in_next<T: SegmentTable<B::Segment>>(
        &mut self,
        log: &CommitLog<B::Segment, T>,
        len: u32,
        at: i64,
        observer: &impl Observer,
        emit: impl FnOnce(u64, &mut [u8]),
    ) -> Result<(u64, bool), Refusal> {
        let base = self.current.as_ref().map_or(0, |o| o.base + u64::from(o.capacity));
        let mut next = self.make(log, base, observer)?;
        if let Err(refusal) = self.write_over_the_border(&mut next, len, observer, emit) {
            self.spare = Some(next);
            return Err(refusal);
        }
        if let Some(old) = self.current.as_mut() {
            old.publish_rest();
        }
        next.share(log.table());
        next.publish(len, at);
        self.go_on_in(next, observer);
        Ok((base, true))
    }

    /// Writes the filler behind the current segment's last record, and the record into the next
    /// one; see the order in the file's head.
    fn write_over_the_border(
        &mut self,
        next: &mut Open<B>,
        len: u32,
        observer: &impl Observer,
        emit: impl FnOnce(u64, &mut [u8]),
    ) -> Result<(), Refusal> {
        if !next.fits(len) {
            return Err(not_written(ErrorKind::OutOfBounds));
        }
        let base = next.base;
        if let Some(old) = self.current.as_mut() {
            next.window(len).map_err(|e| told(observer, base, &e))?;
            old.write_filler().map_err(|e| told(observer, old.offset(), &e))?;
            old.make_way_for(next)?;
        }
        emit(base, next.window(len).map_err(|e| told(observer, base, &e))?);
        Ok(())
    }

    /// Makes the segment at `base`, or takes the one that was made before.
    pub(super) fn make<T: SegmentTable<B::Segment>>(
        &mut self,
        log: &CommitLog<B::Segment, T>,
        base: u64,
        observer: &impl Observer,
    ) -> Result<Open<B>, Refusal> {
        Open::make(&self.backend, &mut self.spare, log.table(), base, observer)
            .map_err(create_failed)
    }

    /// Writes raw bytes into the segment at `base`, which becomes the current one.
    pub(super) fn place_raw_in_next<T: SegmentTable<B::Segment>>(
        &mut self,
        log: &CommitLog<B::Segment, T>,
        base: u64,
        bytes: &[u8],
        observer: &impl Observer,
    ) -> Result<(), Refusal> {
        let mut next = self.make(log, base, observer)?;
        let may = self.current.as_mut().map_or(Ok(()), |old| old.make_way_for(&next));
        let written =
            may.and_then(|()| next.write_raw(bytes).map_err(|e| told(observer, base, &e)));
        if let Err(refusal) = written {
            self.spare = Some(next);
            return Err(refusal);
        }
        next.share(log.table());
        next.publish(len_of(bytes), 0);
        self.go_on_in(next, observer);
        Ok(())
    }

    /// Makes `open` the current segment; it must have been pushed to the table.
    fn go_on_in(&mut self, open: Open<B>, observer: &impl Observer) {
        let base = open.base;
        self.backend.announce(base + u64::from(open.capacity));
        self.current = Some(open);
        observer.rolled(base);
    }

    /// Writes raw bytes at the end of the current segment and publishes them.
    pub(super) fn place_raw(
        open: &mut Open<B>,
        bytes: &[u8],
        observer: &impl Observer,
    ) -> Result<(), Refusal> {
        let offset = open.offset();
        open.write_raw(bytes).map_err(|e| told(observer, offset, &e))?;
        open.publish(len_of(bytes), 0);
        Ok(())
    }
}

/// The refusal for a segment that could not be made.
fn create_failed(kind: ErrorKind) -> Refusal {
    Refusal::new(PutMessageStatus::CreateMapedFileFailed, Cause::CreateFailed(kind))
}
