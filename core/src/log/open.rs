//! The segment that takes records: its two halves, and how far it is written.

use crate::cause::{Cause, Refusal};
use crate::observe::Observer;
use crate::record::blank;
use crate::segment::{
    ErrorKind, Geometry, Halves, MediumError, Readable, Segment, SegmentBackend, SegmentTable, Tail,
};
use crate::status::PutMessageStatus;

/// A segment that takes records.
pub(crate) struct Open<B: SegmentBackend> {
    tail: B::Tail,
    pub(crate) segment: B::Segment,
    pub(crate) base: u64,
    pub(crate) capacity: u32,
    staged: bool,
    /// The published mark.
    end: u32,
}

/// What the tail of a backend answers with.
type TailError<B> = <<B as SegmentBackend>::Tail as Tail>::Error;

impl<B: SegmentBackend> Open<B> {
    pub(crate) fn new((tail, segment): Halves<B>) -> Self {
        let Geometry { capacity, staged, .. } = segment.geometry();
        let (base, end) = (segment.base(), segment.marks().published());
        Self { tail, segment, base, capacity, staged, end }
    }

    /// The segment at `base`: the one that was made before and not used, or a new one. What goes
    /// wrong is told to the observer; a table without room is [`ErrorKind::Exhausted`].
    pub(crate) fn make<T: SegmentTable<B::Segment>>(
        backend: &B,
        spare: &mut Option<Self>,
        table: &T,
        base: u64,
        observer: &impl Observer,
    ) -> Result<Self, ErrorKind> {
        if !table.has_room() {
            return Err(ErrorKind::Exhausted);
        }
        if let Some(spare) = spare.take_if(|s| s.base == base) {
            return Ok(spare);
        }
        backend.create(base).map(Self::new).map_err(|e| {
            observer.create_failed(base, &e);
            e.kind()
        })
    }

    /// Shares the segment with readers; [`Open::make`] has asked for room.
    pub(crate) fn share<T: SegmentTable<B::Segment>>(&self, table: &T) {
        let pushed = table.push(self.segment.clone());
        debug_assert!(pushed.is_ok(), "only the writer pushes");
    }

    pub(crate) fn offset(&self) -> u64 {
        self.base + u64::from(self.end)
    }

    pub(crate) fn room(&self) -> u32 {
        self.capacity - self.end
    }

    /// Whether a record of `len` bytes fits and leaves room for the filler.
    pub(crate) fn fits(&self, len: u32) -> bool {
        len.checked_add(blank::BLANK_LEN).is_some_and(|need| need <= self.room())
    }

    /// Lends the next `len` bytes.
    pub(crate) fn window(&mut self, len: u32) -> Result<&mut [u8], TailError<B>> {
        self.tail.window(self.end, len)
    }

    /// Copies raw bytes to the place of the next record.
    pub(crate) fn write_raw(&mut self, bytes: &[u8]) -> Result<(), TailError<B>> {
        self.window(len_of(bytes))?.copy_from_slice(bytes);
        Ok(())
    }

    /// Writes the filler's head behind the last record, if there is room for it.
    pub(crate) fn write_filler(&mut self) -> Result<(), TailError<B>> {
        let room = self.room();
        if room >= blank::BLANK_LEN {
            blank::write(self.window(blank::BLANK_LEN)?, room);
        }
        Ok(())
    }

    /// Publishes `len` more bytes, the newest of them stored at `at`.
    pub(crate) fn publish(&mut self, len: u32, at: i64) {
        if at != 0 {
            self.segment.marks().set_store_timestamp(at);
        }
        self.end += len;
        self.tail.publish(self.end);
    }

    /// Publishes the filler, whose bytes belong to no message.
    pub(crate) fn publish_rest(&mut self) {
        if self.room() > 0 {
            self.publish(self.room(), 0);
        }
    }

    /// Whether bytes in `next` may count from now on; else this one has to be committed first,
    /// with its filler, which has been written: a kill forgets what is only staged, and keeps
    /// what is written in place behind it.
    ///
    /// # Errors
    /// [`Cause::Backpressure`]: let the commit duty run and put again. The filler is published
    /// then, so that it can be committed, too. [`Cause::WriteFailed`] if a commit or flush has
    /// failed here: a file without room lends no window that would say so.
    pub(crate) fn make_way_for(&mut self, next: &Self) -> Result<(), Refusal> {
        if self.segment.marks().stopped().is_some() {
            return Err(not_written(ErrorKind::Stopped));
        }
        if !self.staged || next.staged {
            return Ok(());
        }
        self.publish_rest();
        if self.segment.marks().committed() < self.capacity {
            return Err(not_written(ErrorKind::Busy));
        }
        Ok(())
    }
}

/// The refusal for bytes that cannot be written.
pub(crate) fn not_written(kind: ErrorKind) -> Refusal {
    match kind {
        ErrorKind::Busy => Refusal::new(PutMessageStatus::OsPageCacheBusy, Cause::Backpressure),
        ErrorKind::Stopped => {
            Refusal::new(PutMessageStatus::ServiceNotAvailable, Cause::WriteFailed(kind))
        }
        kind => Refusal::new(PutMessageStatus::UnknownError, Cause::WriteFailed(kind)),
    }
}

/// The medium's failure behind a refusal of [`Open::make_way_for`], for those who answer no puts.
pub(crate) fn refusal_kind(refusal: &Refusal) -> ErrorKind {
    match refusal.cause {
        Cause::WriteFailed(kind) => kind,
        _ => ErrorKind::Busy,
    }
}

/// Longer than any segment is refused by the window.
pub(crate) fn len_of(bytes: &[u8]) -> u32 {
    u32::try_from(bytes.len()).unwrap_or(u32::MAX)
}
