//! Segments of a pool: what keeps their memory, and how staged bytes reach it.

use core::sync::atomic::AtomicU32;

use mqstore_core::segment::{ErrorKind, Geometry, OwnedMarks};

use super::pool::{Pin, Pool};
use crate::BackendError;
use crate::region::Region;
use crate::segment::{Findings, Hold, Resumed, Writer};
use crate::stage::Stage;

/// A segment of a pool.
pub struct MemHold<R: Pool> {
    pin: Pin<R>,
    base: u64,
    geometry: Geometry,
    bytes: Region,
    /// The window memory, if it is not the bytes.
    buffer: Option<Region>,
}

impl<R: Pool> Clone for MemHold<R> {
    fn clone(&self) -> Self {
        Self { pin: self.pin.clone(), ..*self }
    }
}

/// Zeros the bytes of a file that was just made.
pub(crate) fn zero(bytes: Region) {
    // SAFETY: the extent belongs to no other file, and nobody is let into this one before its
    // maker is done: the slot says that it is written, or the table is still locked.
    unsafe { bytes.slice_mut(0, bytes.len()) }.fill(0);
}

/// The halves of a segment that has just been made or resumed, all marks at `end`.
///
/// The caller has set the slot's `written`, and `pin` is the only one or `end` the capacity:
/// nobody else writes, or reads what can be written.
pub(crate) fn halves<R: Pool>(
    pin: Pin<R>,
    base: u64,
    geometry: Geometry,
    extent: Region,
    end: u32,
) -> (Writer<MemHold<R>>, MemHold<R>) {
    let (bytes, rest) = extent.split(geometry.capacity);
    let buffer = geometry.staged.then_some(rest);
    if pin.is_alone() {
        pin.live().marks.restart(end);
        pin.live().stage.restart(rest.len(), end);
    } else {
        raise(&pin.live().marks, end);
    }
    let hold = MemHold { pin, base, geometry, bytes, buffer };
    // SAFETY: `written` is set by this caller only, and cleared when this writer (in place) or
    // all holders (staged) are gone: it is the only writer. The buffer lies behind the bytes in
    // the same extent, which the pin keeps.
    let tail = unsafe { Writer::new(hold.clone(), buffer.unwrap_or(bytes)) };
    (tail, hold)
}

/// Moves all marks up to `end`.
fn raise(marks: &OwnedMarks, end: u32) {
    marks.publish(end);
    // below the published mark neither can fail
    let _ = marks.commit(end);
    let _ = marks.flush(end, true);
}

// SAFETY: the pin keeps the extent, and with it the bytes and the marks, until the last clone
// is gone. The bytes are written by the writer of `halves` in place, and by `commit` when
// staged; the marks are moved by those, by `flush`, and by `raise` to a capacity behind which
// nothing can be written.
unsafe impl<R: Pool> Hold for MemHold<R> {
    type Error = BackendError;

    fn base(&self) -> u64 {
        self.base
    }

    fn geometry(&self) -> Geometry {
        self.geometry
    }

    fn marks(&self) -> &OwnedMarks {
        &self.pin.live().marks
    }

    fn bytes(&self) -> Option<Region> {
        Some(self.bytes)
    }

    fn stage(&self) -> Option<&Stage> {
        self.geometry.staged.then(|| &self.pin.live().stage)
    }

    fn fetch(&self, _: u32, _: &mut [u8]) -> Result<(), BackendError> {
        Err(ErrorKind::OutOfBounds.into())
    }

    fn commit(&self, end: u32) -> Result<u32, BackendError> {
        let live = self.pin.live();
        let _one = live.committing.lock();
        if let (Some(buffer), Some(run)) = (self.buffer, live.stage.run(&live.marks, end)) {
            if run.len > 0 {
                // SAFETY: staged bytes below the published mark, where the writer does not come
                let staged = unsafe { buffer.slice(run.from, run.len) };
                // SAFETY: behind the committed mark, where no reader looks; this is the only
                // committer, since it has the lock
                unsafe { self.bytes.slice_mut(run.at, run.len) }.copy_from_slice(staged);
            }
            // not past the published mark, by `run`
            let _ = live.marks.commit(run.end);
        }
        Ok(live.marks.committed())
    }

    fn flush(&self, end: u32) -> Result<u32, BackendError> {
        let marks = self.marks();
        let end = end.min(marks.visible(self.geometry.staged));
        // memory is as durable as it gets
        let _ = marks.flush(end, self.geometry.staged);
        Ok(marks.flushed())
    }

    fn prepare(&self, _: u32) -> Result<u32, BackendError> {
        Ok(self.geometry.capacity)
    }

    fn writer_is_gone(&self) {
        // staged bytes may still be committed: then the segment is written until all are gone
        if !self.geometry.staged {
            self.pin.pool().locked(|table| {
                if let Some(slot) = table.slots.get_mut(self.pin.slot()) {
                    slot.written = false;
                }
            });
        }
    }

    fn error(&self, kind: ErrorKind, what: &'static str) -> BackendError {
        BackendError::new(kind, what)
    }
}

/// A segment of a pool that was found.
pub struct MemFindings<R: Pool> {
    pub(crate) pin: Pin<R>,
    pub(crate) base: u64,
    /// Of segments of the series.
    pub(crate) geometry: Geometry,
    pub(crate) extent: Region,
}

// SAFETY: made with the table's lock held, when the slot said that nobody writes; and as long
// as this pin lives, `resume` lets nobody write what it shows.
unsafe impl<R: Pool> Findings for MemFindings<R> {
    type Hold = MemHold<R>;

    fn base(&self) -> u64 {
        self.base
    }

    fn geometry(&self) -> Geometry {
        self.geometry
    }

    fn bytes(&self) -> Option<Region> {
        Some(self.extent.split(self.geometry.capacity).0)
    }

    fn fetch(&self, _: u32, _: &mut [u8]) -> Result<(), BackendError> {
        Err(ErrorKind::OutOfBounds.into())
    }

    fn sync(&self) -> Result<(), BackendError> {
        // memory is as durable as it gets
        Ok(())
    }

    fn seal(self) -> MemHold<R> {
        let Self { pin, base, geometry, extent } = self;
        raise(&pin.live().marks, geometry.capacity);
        let geometry = Geometry::in_place(geometry.capacity);
        let bytes = extent.split(geometry.capacity).0;
        MemHold { pin, base, geometry, bytes, buffer: None }
    }

    fn resume(self, end: u32) -> Resumed<MemHold<R>> {
        let Self { pin, base, geometry, extent } = self;
        pin.pool().locked(|table| {
            let free = pin.is_alone() || end == geometry.capacity;
            match table.slots.get_mut(pin.slot()).filter(|s| free && !s.written) {
                Some(slot) => {
                    slot.written = true;
                    Ok(())
                }
                None => Err(BackendError::new(ErrorKind::Busy, "resuming a segment")),
            }
        })?;
        if let Some(len) = geometry.capacity.checked_sub(end) {
            // SAFETY: `written` was just set by this caller, and nobody reads at or behind
            // `end`: the pin is the only one, or there is nothing.
            unsafe { extent.slice_mut(end, len) }.fill(0);
        }
        Ok(halves(pin, base, geometry, extent, end))
    }

    fn error(&self, kind: ErrorKind, what: &'static str) -> BackendError {
        BackendError::new(kind, what)
    }
}

/// The words of a file of cells.
pub(crate) fn words<R: Pool>(_keeps: &Pin<R>, bytes: Region) -> &[AtomicU32] {
    // SAFETY: the pin keeps the extent, which starts at a multiple of 8 and is reached as words
    // only, from when its maker let go of the table's lock until nobody holds it.
    unsafe { bytes.words() }
}

/// Copies the start of a file of cells that nobody holds into a new one; under the table's lock.
pub(crate) fn copy_words(from: Region, to: Region) {
    let len = from.len().min(to.len());
    // SAFETY: both extents are alive, and nobody reaches either: the table is locked, the old
    // file is not held, and nobody has seen the new one yet.
    unsafe { to.slice_mut(0, len).copy_from_slice(from.slice(0, len)) };
}
