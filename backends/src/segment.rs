//! Tail, segment and found segment over memory: the contract of the border, implemented once
//! for every medium whose bytes are memory.
//!
//! # Why this is sound
//!
//! Each segment has memory that readers look at (its *bytes*) and memory that the tail writes
//! to (its *window memory*): the bytes themselves or, when staged, a buffer.
//!
//! - There is one [`Writer`] per segment ([`Writer::new`]). It lends windows only at or behind
//!   the published mark, and one at a time, because a window borrows the writer. The mark moves
//!   only in [`Tail::publish`], which borrows the writer too: no window is alive then.
//! - Readers get slices only below the visible mark: published, or committed when staged.
//! - In place, windows and slices are therefore disjoint. When staged they lie in different
//!   memory; the committer reads the buffer only below the published mark, and writes to the
//!   bytes only behind the committed one, which it moves afterwards.
//! - The marks are [`OwnedMarks`](mqstore_core::segment::OwnedMarks) of the medium: nobody
//!   above the border can move them.
//! - A [`Discovered`] segment shows all bytes, because nobody writes: it is not opened while
//!   there is a writer, and no writer is made while others read what it could write
//!   ([`Findings::resume`]).

use core::task::{Context, Poll};

use mqstore_core::segment::{
    ErrorKind, Found, Geometry, Marks, MediumError, OwnedMarks, Readable, Segment, Tail,
};

use crate::region::Region;
use crate::stage::Stage;

/// Keeps one segment's memory in place as long as it or a clone of it lives.
///
/// # Safety
/// - `bytes`, if there are any, stay the same and valid as long as a clone of this lives, and
///   nobody writes to them but the segment's [`Writer`] in place, or `commit` when staged.
/// - `marks` are this segment's own; nobody moves them but the [`Writer`], `commit` and `flush`.
/// - `geometry().staged` says whether there is a `stage`, and neither ever changes.
pub unsafe trait Hold: Clone {
    /// What can go wrong.
    type Error: MediumError;

    /// Offset of the segment's first byte.
    fn base(&self) -> u64;
    /// Sizes and units.
    fn geometry(&self) -> Geometry;
    /// The segment's marks.
    fn marks(&self) -> &OwnedMarks;
    /// What readers look at; `None` if it is not memory.
    fn bytes(&self) -> Option<Region>;
    /// The state of the buffer, if the segment is staged.
    fn stage(&self) -> Option<&Stage>;
    /// Copies bytes that are visible, where they are not memory.
    fn fetch(&self, at: u32, out: &mut [u8]) -> Result<(), Self::Error>;
    /// Brings staged bytes below `end` to the medium, moves the mark, and answers it.
    fn commit(&self, end: u32) -> Result<u32, Self::Error>;
    /// Makes visible bytes below `end` durable, moves the mark, and answers it.
    fn flush(&self, end: u32) -> Result<u32, Self::Error>;
    /// Makes writing below `upto` cheap.
    fn prepare(&self, upto: u32) -> Result<u32, Self::Error>;
    /// The writer is gone.
    fn writer_is_gone(&self);
    /// An error that says where this segment lies.
    fn error(&self, kind: ErrorKind, what: &'static str) -> Self::Error;
}

/// The exclusive half of a segment in memory.
pub struct Writer<H: Hold> {
    hold: H,
    window: Region,
    /// The published mark, which only this moves.
    published: u32,
    capacity: u32,
    window_max: u32,
}

impl<H: Hold> Writer<H> {
    /// The writer of this segment, with its window memory.
    ///
    /// # Safety
    /// It is the only one of the segment, until `writer_is_gone` is called. `window` is the
    /// whole of the hold's bytes or, when staged, a buffer of the length that the stage knows,
    /// which nobody else writes to, and which stays valid until all of the segment is
    /// committed or `hold` is dropped.
    pub(crate) unsafe fn new(hold: H, window: Region) -> Self {
        let published = hold.marks().published();
        let Geometry { capacity, window_max, .. } = hold.geometry();
        Self { hold, window, published, capacity, window_max }
    }
}

impl<H: Hold> Drop for Writer<H> {
    fn drop(&mut self) {
        self.hold.writer_is_gone();
    }
}

impl<H: Hold> Tail for Writer<H> {
    type Error = H::Error;

    fn window(&mut self, at: u32, len: u32) -> Result<&mut [u8], H::Error> {
        const WHAT: &str = "lending a window";
        if self.hold.marks().stopped().is_some() {
            return Err(self.hold.error(ErrorKind::Stopped, WHAT));
        }
        let end = at.checked_add(len).filter(|end| *end <= self.capacity);
        let Some(end) = end.filter(|_| at >= self.published && len <= self.window_max) else {
            return Err(self.hold.error(ErrorKind::OutOfBounds, WHAT));
        };
        if len == 0 {
            return Ok(&mut []);
        }
        let place = match self.hold.stage() {
            None => at,
            Some(stage) => stage
                .lend(self.hold.marks(), at, end)
                .map_err(|kind| self.hold.error(kind, WHAT))?,
        };
        // SAFETY: at or behind the published mark, where no reader and no committer looks; this
        // is the only writer, and it stays borrowed as long as the window lives. A buffer is
        // still there, because a window of at least one byte means that not all is published.
        Ok(unsafe { self.window.slice_mut(place, len) })
    }

    fn publish(&mut self, end: u32) {
        // a mark that goes back would let the next window change what readers hold
        let holds = end >= self.published && end <= self.capacity;
        assert!(holds, "publish({end}) after {} of {}", self.published, self.capacity);
        self.published = end;
        self.hold.marks().publish(end);
    }
}

/// The shared half of a segment in memory.
#[derive(Clone)]
pub struct Pinned<H: Hold> {
    hold: H,
}

impl<H: Hold> Pinned<H> {
    pub(crate) fn new(hold: H) -> Self {
        Self { hold }
    }
}

impl<H: Hold> Readable for Pinned<H> {
    type Error = H::Error;

    fn base(&self) -> u64 {
        self.hold.base()
    }

    fn geometry(&self) -> Geometry {
        self.hold.geometry()
    }

    fn view(&self, at: u32, len: u32) -> Option<&[u8]> {
        let bytes = self.hold.bytes()?;
        let visible = self.hold.marks().visible(self.hold.geometry().staged);
        at.checked_add(len).filter(|end| *end <= visible)?;
        // SAFETY: below the visible mark nobody writes, and the hold keeps the bytes valid.
        Some(unsafe { bytes.slice(at, len) })
    }

    fn read(&self, at: u32, out: &mut [u8]) -> Result<(), H::Error> {
        if self.hold.bytes().is_none() {
            let visible = self.hold.marks().visible(self.hold.geometry().staged);
            check_range(&self.hold, at, out, visible)?;
            return self.hold.fetch(at, out);
        }
        let len = u32::try_from(out.len()).ok();
        match len.and_then(|len| self.view(at, len)) {
            Some(bytes) => {
                out.copy_from_slice(bytes);
                Ok(())
            }
            None => Err(self.hold.error(ErrorKind::OutOfBounds, READING)),
        }
    }
}

const READING: &str = "reading a segment";

/// Complains when `[at, at + out.len())` goes beyond `limit`.
fn check_range<H: Hold>(hold: &H, at: u32, out: &[u8], limit: u32) -> Result<(), H::Error> {
    let end = u32::try_from(out.len()).ok().and_then(|len| at.checked_add(len));
    match end.filter(|end| *end <= limit) {
        Some(_) => Ok(()),
        None => Err(hold.error(ErrorKind::OutOfBounds, READING)),
    }
}

impl<H: Hold> Segment for Pinned<H> {
    fn marks(&self) -> &Marks {
        self.hold.marks()
    }

    fn poll_commit(&self, _: &mut Context<'_>, end: u32) -> Poll<Result<u32, H::Error>> {
        if self.hold.marks().stopped().is_some() {
            return Poll::Ready(Err(self.hold.error(ErrorKind::Stopped, "committing")));
        }
        if !self.hold.geometry().staged {
            return Poll::Ready(Ok(self.hold.marks().published()));
        }
        Poll::Ready(self.hold.commit(end))
    }

    fn poll_flush(&self, _: &mut Context<'_>, end: u32) -> Poll<Result<u32, H::Error>> {
        if self.hold.marks().stopped().is_some() {
            return Poll::Ready(Err(self.hold.error(ErrorKind::Stopped, "flushing")));
        }
        Poll::Ready(self.hold.flush(end))
    }

    fn prepare(&self, upto: u32) -> Result<u32, H::Error> {
        self.hold.prepare(upto.min(self.hold.geometry().capacity))
    }
}

/// A segment that was found and is not written to.
///
/// # Safety
/// As long as a value of the type lives, the segment has no writer, and nobody writes to the
/// bytes of `hold`.
pub unsafe trait Findings {
    /// What keeps the segment in place once it is sealed or resumed.
    type Hold: Hold;

    /// Offset of the segment's first byte.
    fn base(&self) -> u64;
    /// Sizes and units.
    fn geometry(&self) -> Geometry;
    /// All of the segment; `None` if it is not memory.
    fn bytes(&self) -> Option<Region>;
    /// Copies bytes of the segment, where they are not memory.
    fn fetch(&self, at: u32, out: &mut [u8]) -> Result<(), ErrorOf<Self>>;
    /// Makes all of it durable.
    fn sync(&self) -> Result<(), ErrorOf<Self>>;
    /// All marks at the capacity.
    fn seal(self) -> Self::Hold;
    /// All marks at `end`, durable zeros behind it; fails while anybody else reads at or behind it.
    fn resume(self, end: u32) -> Resumed<Self::Hold>;
    /// An error that says where this segment lies.
    fn error(&self, kind: ErrorKind, what: &'static str) -> ErrorOf<Self>;
}

/// The writer of a segment, and what else holds it.
pub(crate) type Resumed<H> = Result<(Writer<H>, H), <H as Hold>::Error>;

/// What can go wrong with a segment that was found.
pub(crate) type ErrorOf<F> = <<F as Findings>::Hold as Hold>::Error;

/// A segment that was found in memory, before anybody writes to it.
pub struct Discovered<F: Findings> {
    findings: F,
}

impl<F: Findings> Discovered<F> {
    pub(crate) fn new(findings: F) -> Self {
        Self { findings }
    }
}

impl<F: Findings> Readable for Discovered<F> {
    type Error = ErrorOf<F>;

    fn base(&self) -> u64 {
        self.findings.base()
    }

    fn geometry(&self) -> Geometry {
        self.findings.geometry()
    }

    fn view(&self, at: u32, len: u32) -> Option<&[u8]> {
        let bytes = self.findings.bytes()?;
        at.checked_add(len).filter(|end| *end <= bytes.len())?;
        // SAFETY: nobody writes as long as the findings live, which keep the bytes valid.
        Some(unsafe { bytes.slice(at, len) })
    }

    fn read(&self, at: u32, out: &mut [u8]) -> Result<(), ErrorOf<F>> {
        let capacity = self.findings.geometry().capacity;
        let len = u32::try_from(out.len()).ok();
        let fits = len.and_then(|len| at.checked_add(len)).is_some_and(|end| end <= capacity);
        match len.filter(|_| fits) {
            None => Err(self.findings.error(ErrorKind::OutOfBounds, READING)),
            Some(len) => match self.view(at, len) {
                Some(bytes) => {
                    out.copy_from_slice(bytes);
                    Ok(())
                }
                None => self.findings.fetch(at, out),
            },
        }
    }
}

impl<F: Findings> Found for Discovered<F> {
    type Tail = Writer<F::Hold>;
    type Segment = Pinned<F::Hold>;

    fn sync(&self) -> Result<(), ErrorOf<F>> {
        self.findings.sync()
    }

    fn seal(self) -> Pinned<F::Hold> {
        Pinned::new(self.findings.seal())
    }

    fn resume(self, end: u32) -> Result<(Self::Tail, Self::Segment), ErrorOf<F>> {
        if end > self.findings.geometry().capacity {
            return Err(self.findings.error(ErrorKind::OutOfBounds, "resuming a segment"));
        }
        let (tail, hold) = self.findings.resume(end)?;
        Ok((tail, Pinned::new(hold)))
    }
}
