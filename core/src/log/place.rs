//! Where the next bytes of the log go: into the current segment or, with a filler behind the
//! last record, into the next one (spec 01 section 5, spec 04 section 1).

use super::CommitLog;
use crate::cause::{Cause, Refusal};
use crate::observe::Observer;
use crate::record::blank;
use crate::segment::{
    ErrorKind, Halves, MediumError, Readable, Segment, SegmentBackend, SegmentTable, Tail,
};
use crate::status::PutMessageStatus;

/// The writer's view of the log's segments.
pub(super) struct Files<B: SegmentBackend> {
    pub(super) backend: B,
    pub(super) current: Option<Open<B>>,
    /// The next segment, made but not used, because the put that wanted it failed behind that.
    spare: Option<Open<B>>,
}

/// A segment that takes records.
pub(super) struct Open<B: SegmentBackend> {
    tail: B::Tail,
    segment: B::Segment,
    base: u64,
    capacity: u32,
    /// The published mark.
    end: u32,
}

impl<B: SegmentBackend> Open<B> {
    fn new((tail, segment): Halves<B>) -> Self {
        let (base, capacity) = (segment.base(), segment.geometry().capacity);
        let end = segment.marks().published();
        Self { tail, segment, base, capacity, end }
    }

    pub(super) fn offset(&self) -> u64 {
        self.base + u64::from(self.end)
    }

    pub(super) fn room(&self) -> u32 {
        self.capacity - self.end
    }

    /// Whether a record of `len` bytes fits and leaves room for the filler.
    fn fits(&self, len: u32) -> bool {
        len.checked_add(blank::BLANK_LEN).is_some_and(|need| need <= self.room())
    }

    /// Lends the next `len` bytes.
    fn window(&mut self, len: u32) -> Result<&mut [u8], <B::Tail as Tail>::Error> {
        self.tail.window(self.end, len)
    }

    /// Copies raw bytes to the place of the next record.
    fn write_raw(&mut self, bytes: &[u8]) -> Result<(), <B::Tail as Tail>::Error> {
        self.window(len_of(bytes))?.copy_from_slice(bytes);
        Ok(())
    }

    /// Publishes `len` more bytes, the newest of them stored at `at`.
    fn publish(&mut self, len: u32, at: i64) {
        if at != 0 {
            self.segment.marks().set_store_timestamp(at);
        }
        self.end += len;
        self.tail.publish(self.end);
    }
}

/// The refusal for a window that was not lent.
pub(super) fn not_written(kind: ErrorKind) -> Refusal {
    match kind {
        ErrorKind::Busy => Refusal::new(PutMessageStatus::OsPageCacheBusy, Cause::Backpressure),
        ErrorKind::Stopped => {
            Refusal::new(PutMessageStatus::ServiceNotAvailable, Cause::WriteFailed(kind))
        }
        kind => Refusal::new(PutMessageStatus::UnknownError, Cause::WriteFailed(kind)),
    }
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
        if let Some(open) = self.current.as_mut()
            && open.room() > 0
            && open.base + u64::from(open.capacity) == offset
        {
            open.publish(open.room(), 0);
        }
    }

    /// Puts `len` bytes, written by `emit`, at the end of the log, and publishes them.
    ///
    /// `emit` gets their offset in the log. Answers that offset, and whether a new segment was
    /// begun. Nothing has moved when this refuses: a segment that was made for it is kept for
    /// the next put.
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
            let window = open.window(len).map_err(|e| {
                observer.write_failed(offset, &e);
                not_written(e.kind())
            })?;
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
        if !next.fits(len) {
            self.spare = Some(next);
            return Err(not_written(ErrorKind::OutOfBounds));
        }
        // both windows come before either is published, so that a refusal moves nothing
        let written = write_over_the_border(self.current.as_mut(), &mut next, len, emit);
        if let Err(e) = written {
            observer.write_failed(base, &e);
            self.spare = Some(next);
            return Err(not_written(e.kind()));
        }
        if let Some(old) = self.current.as_mut().filter(|o| o.room() > 0) {
            // the filler's bytes belong to no message
            old.publish(old.room(), 0);
        }
        share(log, &next);
        next.publish(len, at);
        self.go_on_in(next, observer);
        Ok((base, true))
    }

    /// Makes the segment at `base`, or takes the one that was made before.
    pub(super) fn make<T: SegmentTable<B::Segment>>(
        &mut self,
        log: &CommitLog<B::Segment, T>,
        base: u64,
        observer: &impl Observer,
    ) -> Result<Open<B>, Refusal> {
        if !log.table().has_room() {
            return Err(create_failed(ErrorKind::Exhausted));
        }
        if let Some(spare) = self.spare.take_if(|s| s.base == base) {
            return Ok(spare);
        }
        self.backend.create(base).map(Open::new).map_err(|e| {
            observer.create_failed(base, &e);
            create_failed(e.kind())
        })
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
        if let Err(e) = next.write_raw(bytes) {
            observer.write_failed(base, &e);
            self.spare = Some(next);
            return Err(not_written(e.kind()));
        }
        share(log, &next);
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
        open.write_raw(bytes).map_err(|e| {
            observer.write_failed(offset, &e);
            not_written(e.kind())
        })?;
        open.publish(len_of(bytes), 0);
        Ok(())
    }
}

/// Shares a segment with the readers of the log; [`Files::make`] has asked for room.
fn share<B: SegmentBackend, T: SegmentTable<B::Segment>>(
    log: &CommitLog<B::Segment, T>,
    open: &Open<B>,
) {
    let pushed = log.table().push(open.segment.clone());
    debug_assert!(pushed.is_ok(), "only the writer pushes");
}

/// Longer than any segment is refused by the window.
fn len_of(bytes: &[u8]) -> u32 {
    u32::try_from(bytes.len()).unwrap_or(u32::MAX)
}

/// The refusal for a segment that could not be made.
fn create_failed(kind: ErrorKind) -> Refusal {
    Refusal::new(PutMessageStatus::CreateMapedFileFailed, Cause::CreateFailed(kind))
}

/// Writes the record into the next segment and the filler behind the old one's last record.
fn write_over_the_border<B: SegmentBackend>(
    old: Option<&mut Open<B>>,
    next: &mut Open<B>,
    len: u32,
    emit: impl FnOnce(u64, &mut [u8]),
) -> Result<(), <B::Tail as Tail>::Error> {
    let base = next.base;
    emit(base, next.window(len)?);
    if let Some(old) = old.filter(|o| o.room() >= blank::BLANK_LEN) {
        let room = old.room();
        blank::write(old.window(blank::BLANK_LEN)?, room);
    }
    Ok(())
}
