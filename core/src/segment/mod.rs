//! The border between the store and the place where its bytes live.
//!
//! One [`Medium`] carries *all* files of a store: the commit log, the consume queues and their
//! extensions (series of equal segments, [`SegmentBackend`]), index files and the checkpoint
//! (fixed cells, [`Cells`]), and the small files that are replaced as a whole
//! ([`SmallFile`]). A folder with mapped files, a raw device and a simulated disk are three
//! media; nothing above this border knows which one it has. Faults come from below it, too: a
//! failing disk is a medium that answers with errors.
//!
//! # The contract of a segment
//!
//! Tested for every medium by the contract suite of `mqstore-backends`.
//!
//! 1. `flushed <= committed <= published`, and each only grows. Where nothing is staged, bytes
//!    count as committed when they are published. *Visible* to readers is what is committed.
//! 2. Bytes below the published mark never change, and a view of them stays valid as long as
//!    the [`Segment`] it came from or any clone of it lives, also after
//!    [`SegmentBackend::remove`].
//! 3. A crash keeps all bytes below the flushed mark, and the segment's name with them, also
//!    where they share a unit with bytes that were just being written. Of bytes behind the
//!    flushed mark, each [`Geometry::persist_unit`] may be old, new, or anything at all; but
//!    never what another segment once had in that place.
//! 4. [`Tail::window`] hands out a place at or behind the published mark. Nothing that is
//!    written there counts before [`Tail::publish`]; a window that is given up leaves bytes
//!    behind which the next window over that place overwrites.
//! 5. A window that ends further than [`Geometry::window_max`] behind the published mark, or
//!    past the capacity, is [`ErrorKind::OutOfBounds`], never a panic. A window of 0 bytes is
//!    allowed.
//! 6. After a commit or flush that failed, both answer with an error until the segment is
//!    opened again, its marks stay where they were, and no window is handed out
//!    ([`ErrorKind::Stopped`]). Trying again could report pages as durable which the kernel
//!    has already dropped.
//! 7. [`SegmentBackend::create`] makes the capacity real: later writes inside the segment
//!    never run out of space. A fresh segment reads as zeros. A create that fails leaves no
//!    segment behind.
//! 8. One [`Tail`] per segment, and one segment per base. While a tail lives, or of a staged
//!    segment any clone, [`SegmentBackend::open`] of its base is [`ErrorKind::Busy`]; and
//!    [`Found::resume`] is, while anybody else still reads bytes at or behind its `end`.
//! 9. A commit or flush is `Ready` when it has come as far as it was asked to, or has failed.
//!    Else it has been started and is `Pending`, and wakes the one who asked last when asking
//!    again is worth it, from whatever thread. Whoever stops asking has cancelled nothing. A
//!    medium may also do its work inside the call and never be `Pending`; one that is driven by
//!    a loop without threads may be asked with [`Waker::noop`](core::task::Waker::noop) over
//!    and over.
//! 10. What [`Found::resume`] answers with has durable bytes below its `end` and durable zeros
//!     behind it: records that a cut has taken away carry the right offset, and would come back
//!     behind the next ones.

mod error;
mod geometry;
mod marks;
mod table;

pub use error::{ErrorKind, MediumError};
pub use geometry::{Geometry, Space};
pub use marks::{MarkError, Marks, OwnedMarks};
pub use table::{FixedTable, SegmentTable, TableFull};

use core::task::{Context, Poll};

/// The exclusive half of a segment: whoever has it may append. It lives under the put lock.
pub trait Tail {
    /// What can go wrong.
    type Error: MediumError;

    /// Lends `[at, at + len)` for writing; `at` is at or behind the published mark. The bytes
    /// hold zeros or whatever was left there.
    ///
    /// # Errors
    /// [`ErrorKind::OutOfBounds`] (contract 5), [`ErrorKind::Stopped`] (contract 6),
    /// [`ErrorKind::Busy`] when a staged medium has no free buffer: nothing is lost, commit and
    /// ask again.
    fn window(&mut self, at: u32, len: u32) -> Result<&mut [u8], Self::Error>;

    /// Everything below `end` is final from here on and may be read (staged: committed).
    /// `end` never goes back and never passes the capacity. What is published without having
    /// been lent (behind a filler's head) holds zeros or what was left there.
    fn publish(&mut self, end: u32);
}

/// What a reader may ask of a segment.
pub trait Readable {
    /// What can go wrong.
    type Error: MediumError;

    /// Offset of the segment's first byte in its series.
    fn base(&self) -> u64;

    /// Sizes and units.
    fn geometry(&self) -> Geometry;

    /// Borrows `[at, at + len)` if the medium is memory and all of it is visible.
    /// `None` means: use [`Readable::read`].
    fn view(&self, at: u32, len: u32) -> Option<&[u8]>;

    /// Copies `[at, at + out.len())`.
    ///
    /// # Errors
    /// [`ErrorKind::OutOfBounds`] if not all of it is visible, or what the medium says.
    fn read(&self, at: u32, out: &mut [u8]) -> Result<(), Self::Error>;
}

/// The shared half of a segment: for readers, the committer and the flusher.
///
/// A clone pins the bytes; dropping the last one gives the memory back.
pub trait Segment: Readable + Clone {
    /// How far the segment is written, committed and flushed.
    fn marks(&self) -> &Marks;

    /// Brings staged bytes below `end`, which are published, to the medium, and answers how far
    /// it got: `end`, or further (contract 9). A medium without staging answers the published
    /// mark.
    ///
    /// # Errors
    /// Contract 6.
    fn poll_commit(&self, cx: &mut Context<'_>, end: u32) -> Poll<Result<u32, Self::Error>>;

    /// Makes bytes below `end`, which are visible, durable, the segment's name included, and
    /// answers how far it got: `end`, or further (contract 9).
    ///
    /// # Errors
    /// Contract 6.
    fn poll_flush(&self, cx: &mut Context<'_>, end: u32) -> Poll<Result<u32, Self::Error>>;

    /// Makes writing to `[.., upto)` cheap ahead of the writer (pages present) and answers how
    /// far that holds. Only a hint: an error or a short answer loses nothing.
    ///
    /// # Errors
    /// What the medium says.
    fn prepare(&self, upto: u32) -> Result<u32, Self::Error> {
        let _ = upto;
        Ok(self.geometry().capacity)
    }
}

/// A segment found on the medium, before anybody writes to it. Both ways on consume it, so
/// that no view of what is not yet known to be whole outlives the check.
///
/// All bytes are visible, and read as they are.
pub trait Found: Readable {
    /// The exclusive half.
    type Tail: Tail<Error = Self::Error>;
    /// The shared half.
    type Segment: Segment<Error = Self::Error>;

    /// Makes what was found durable: a process that died may have left it in the system's
    /// memory. To be called before it is sealed, unless the store was closed properly.
    ///
    /// # Errors
    /// What the medium says; nothing that was found may count as durable then.
    fn sync(&self) -> Result<(), Self::Error>;

    /// A full segment, read only from now on: all marks at the capacity.
    fn seal(self) -> Self::Segment;

    /// The segment that is written next: all marks at `end` (contract 10).
    ///
    /// # Errors
    /// What the medium says, for example when it is read-only; then nothing is resumed.
    fn resume(self, end: u32) -> Result<(Self::Tail, Self::Segment), Self::Error>;
}

/// The two halves of a new or resumed segment of a backend.
pub type Halves<B> = (<B as SegmentBackend>::Tail, <B as SegmentBackend>::Segment);

/// A series of equal segments, each named by the offset of its first byte
/// (RocketMQ's `MappedFileQueue`).
pub trait SegmentBackend {
    /// What can go wrong.
    type Error: MediumError;
    /// The exclusive half.
    type Tail: Tail<Error = Self::Error>;
    /// The shared half.
    type Segment: Segment<Error = Self::Error>;
    /// A segment that was found.
    type Found: Found<Error = Self::Error, Tail = Self::Tail, Segment = Self::Segment>;

    /// Sizes and units of every segment of the series.
    fn geometry(&self) -> Geometry;

    /// Makes the segment that starts at `base`, a multiple of the capacity.
    ///
    /// # Errors
    /// [`ErrorKind::NoSpace`], [`ErrorKind::Exists`], [`ErrorKind::ReadOnly`],
    /// [`ErrorKind::TimedOut`] if it is made elsewhere and not ready in time, or what the
    /// medium says (contract 7).
    fn create(&self, base: u64) -> Result<Halves<Self>, Self::Error>
    where
        Self: Sized;

    /// Opens the segment that starts at `base`.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`], [`ErrorKind::WrongSize`], or what the medium says.
    fn open(&self, base: u64) -> Result<Self::Found, Self::Error>;

    /// Removes the segment that starts at `base`; whoever still holds it reads on.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`], or what the medium says.
    fn remove(&self, base: u64) -> Result<(), Self::Error>;

    /// Shows the base of each segment, in ascending order.
    ///
    /// # Errors
    /// What the medium says; [`ErrorKind::Foreign`] where something lies among the segments
    /// that is none.
    fn list(&self, visit: &mut dyn FnMut(u64)) -> Result<(), Self::Error>;

    /// A hint that the segment at `base` is asked for next, and perhaps the one behind it.
    fn announce(&self, base: u64) {
        let _ = base;
    }
}

/// A file of fixed size that is written in place in units of 4 bytes: an index file or the
/// checkpoint. One writer, many readers; a reader may see some words old and some new. A crash
/// keeps what was there at the last [`Cells::sync`]; each word written since is old or new,
/// and on a medium without such small units the others of its unit stay as they were.
pub trait Cells: Clone {
    /// What can go wrong.
    type Error: MediumError;

    /// Its size in bytes.
    fn len(&self) -> u64;

    /// Whether it holds nothing.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Copies `[at, at + out.len())`; both are multiples of 4.
    ///
    /// # Errors
    /// [`ErrorKind::OutOfBounds`], or what the medium says.
    fn get(&self, at: u64, out: &mut [u8]) -> Result<(), Self::Error>;

    /// Writes `bytes` at `at`; both are multiples of 4.
    ///
    /// # Errors
    /// [`ErrorKind::OutOfBounds`], or what the medium says.
    fn set(&self, at: u64, bytes: &[u8]) -> Result<(), Self::Error>;

    /// Makes everything written so far durable.
    ///
    /// # Errors
    /// What the medium says.
    fn sync(&self) -> Result<(), Self::Error>;
}

/// A series of segments of a store (spec 02 section 11).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Series<'a> {
    /// `commitlog`
    CommitLog,
    /// `consumequeue/<topic>/<queue id>`
    ConsumeQueue(&'a str, i32),
    /// `consumequeue_ext/<topic>/<queue id>`
    ConsumeQueueExt(&'a str, i32),
}

/// Which kind of queue series to walk through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueSeries {
    /// `consumequeue`
    ConsumeQueue,
    /// `consumequeue_ext`
    ConsumeQueueExt,
}

/// A file of cells of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CellsFile {
    /// `checkpoint`
    Checkpoint,
    /// `index/<17 digits>`: when it was made, as local time `yyyyMMddHHmmssSSS`.
    Index(u64),
}

/// A small file of a store that is always replaced as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SmallFile {
    /// `abort`: empty; present while the store is open for writing.
    Abort,
    /// `config/delayOffset.json`, with its `.bak`.
    DelayOffset,
    /// `mqstore.state`: what the store knows beyond RocketMQ's checkpoint.
    State,
    /// `mqstore.cut-<offset>`: what a recovery has cut off there.
    Cut(u64),
}

/// The place where all files of one store live.
pub trait Medium {
    /// What can go wrong.
    type Error: MediumError;
    /// A series of segments.
    type Segments: SegmentBackend<Error = Self::Error>;
    /// A file of cells.
    type Cells: Cells<Error = Self::Error>;
    /// Holds the store for this process; dropping it lets go.
    type Lock;

    /// Takes the store for writing, against every other process and every other opener in
    /// this one. Nothing else may be changed before, and what was read before does not count:
    /// a medium with a directory of its own reads it here.
    ///
    /// # Errors
    /// [`ErrorKind::Locked`] if somebody else has it, or what the medium says.
    fn lock(&self) -> Result<Self::Lock, Self::Error>;

    /// The series with segments of `size` bytes. Makes nothing yet.
    ///
    /// # Errors
    /// [`ErrorKind::BadName`] for a topic that cannot be stored, [`ErrorKind::BadSize`] for a
    /// size that the medium cannot carry, or what the medium says.
    fn segments(&self, series: Series<'_>, size: u32) -> Result<Self::Segments, Self::Error>;

    /// Shows topic and queue id of each queue there is, in any order.
    ///
    /// # Errors
    /// What the medium says.
    fn queues(
        &self,
        kind: QueueSeries,
        visit: &mut dyn FnMut(&str, i32),
    ) -> Result<(), Self::Error>;

    /// Removes a series with all its segments.
    ///
    /// # Errors
    /// What the medium says; a series that is not there is no error.
    fn remove_series(&self, series: Series<'_>) -> Result<(), Self::Error>;

    /// Makes a file of cells, zero-filled, its space real; or opens the one that is there,
    /// lengthened to `size`.
    ///
    /// # Errors
    /// [`ErrorKind::NoSpace`], or what the medium says. A failed create leaves nothing behind.
    fn cells(&self, file: CellsFile, size: u64) -> Result<Self::Cells, Self::Error>;

    /// The length of a file of cells, or `None` if it is not there.
    ///
    /// # Errors
    /// What the medium says.
    fn cells_len(&self, file: CellsFile) -> Result<Option<u64>, Self::Error>;

    /// Shows the name of each index file, in ascending order.
    ///
    /// # Errors
    /// What the medium says.
    fn index_files(&self, visit: &mut dyn FnMut(u64)) -> Result<(), Self::Error>;

    /// Removes a file of cells.
    ///
    /// # Errors
    /// What the medium says; a file that is not there is no error.
    fn remove_cells(&self, file: CellsFile) -> Result<(), Self::Error>;

    /// Reads the start of a small file into `out` and answers its whole length, or `None` if
    /// it is not there.
    ///
    /// # Errors
    /// What the medium says.
    fn load(&self, file: SmallFile, out: &mut [u8]) -> Result<Option<usize>, Self::Error>;

    /// Replaces a small file: after a crash it is the old one or the new one, whole; after
    /// this returns, the new one.
    ///
    /// # Errors
    /// What the medium says; then the old one is still there.
    fn save(&self, file: SmallFile, bytes: &[u8]) -> Result<(), Self::Error>;

    /// Removes a small file, durably.
    ///
    /// # Errors
    /// What the medium says; a file that is not there is no error.
    fn erase(&self, file: SmallFile) -> Result<(), Self::Error>;

    /// How full the place is that carries this series.
    ///
    /// # Errors
    /// What the medium says: then nothing is known, and nothing may be concluded.
    fn space(&self, series: Series<'_>) -> Result<Space, Self::Error>;
}
