//! How far a segment is written, committed and flushed.

use core::ops::Deref;

use crate::segment::ErrorKind;
use crate::sync::{AtomicI64, AtomicU8, AtomicU32, Ordering};

/// Three positions in one segment, in bytes from its start; each only grows.
///
/// 32 bits each, so that machines without 64-bit atomics need no lock for them.
/// The writer moves `published` with a release store; whoever loads it with acquire sees all
/// bytes below it. Whoever sees a segment can read its marks; only its medium, which has them
/// as [`OwnedMarks`], can move them.
#[derive(Debug)]
pub struct Marks {
    published: AtomicU32,
    committed: AtomicU32,
    flushed: AtomicU32,
    /// 0, or the kind of the failure that stopped the segment.
    stopped: AtomicU8,
    /// Store time of the newest record, milliseconds since 1970; 0: none.
    store_timestamp: AtomicI64,
}

/// A mark that would break the order of the marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MarkError;

impl Marks {
    /// How far records are complete (RocketMQ's `wrotePosition`).
    pub fn published(&self) -> u32 {
        self.published.load(Ordering::Acquire)
    }

    /// How far they have reached the medium (`committedPosition`); only counts when staged.
    pub fn committed(&self) -> u32 {
        self.committed.load(Ordering::Acquire)
    }

    /// How far they survive a power cut (`flushedPosition`).
    pub fn flushed(&self) -> u32 {
        self.flushed.load(Ordering::Acquire)
    }

    /// How far readers may look (`getReadPosition`).
    pub fn visible(&self, staged: bool) -> u32 {
        if staged { self.committed() } else { self.published() }
    }

    /// Stops the segment for good because of this failure; the first one stays.
    pub fn stop(&self, why: ErrorKind) {
        let _ = self.stopped.compare_exchange(0, why as u8, Ordering::AcqRel, Ordering::Acquire);
    }

    /// The failure that stopped the segment, if one did.
    pub fn stopped(&self) -> Option<ErrorKind> {
        match self.stopped.load(Ordering::Acquire) {
            0 => None,
            n => Some(ErrorKind::from_u8(n)),
        }
    }

    /// Store time of the newest record, milliseconds since 1970; 0 if nothing is known.
    pub fn store_timestamp(&self) -> i64 {
        self.store_timestamp.load(Ordering::Relaxed)
    }

    /// Sets the store time of the newest record.
    pub fn set_store_timestamp(&self, millis: i64) {
        self.store_timestamp.store(millis, Ordering::Relaxed);
    }
}

/// The marks of a segment with the right to move them. A medium keeps them to itself and shows
/// [`Marks`]: what it lends to readers hangs on them, so nobody else may move them.
#[derive(Debug)]
pub struct OwnedMarks(Marks);

impl Deref for OwnedMarks {
    type Target = Marks;

    fn deref(&self) -> &Marks {
        &self.0
    }
}

impl OwnedMarks {
    /// All three at `at`.
    #[must_use]
    pub fn new(at: u32) -> Self {
        Self(Marks {
            published: AtomicU32::new(at),
            committed: AtomicU32::new(at),
            flushed: AtomicU32::new(at),
            stopped: AtomicU8::new(0),
            store_timestamp: AtomicI64::new(0),
        })
    }

    /// Begins anew with all three at `at`: for another segment in the same place, once nobody
    /// holds the old one.
    pub fn restart(&self, at: u32) {
        self.0.stopped.store(0, Ordering::Relaxed);
        self.0.store_timestamp.store(0, Ordering::Relaxed);
        self.0.flushed.store(at, Ordering::Relaxed);
        self.0.committed.store(at, Ordering::Relaxed);
        self.0.published.store(at, Ordering::Release);
    }

    /// The writer's step; called only by the [`super::Tail`].
    pub fn publish(&self, end: u32) {
        debug_assert!(end >= self.0.published.load(Ordering::Relaxed));
        self.0.published.store(end, Ordering::Release);
    }

    /// The committer's step: never back, never past what is published.
    ///
    /// # Errors
    /// [`MarkError`] for a mark past the published one; nothing moves then.
    pub fn commit(&self, end: u32) -> Result<(), MarkError> {
        if end > self.published() {
            return Err(MarkError);
        }
        raise(&self.0.committed, end);
        Ok(())
    }

    /// The flusher's step: never back, never past what is visible.
    ///
    /// # Errors
    /// [`MarkError`] for a mark past the visible one; nothing moves then.
    pub fn flush(&self, end: u32, staged: bool) -> Result<(), MarkError> {
        if end > self.visible(staged) {
            return Err(MarkError);
        }
        raise(&self.0.flushed, end);
        Ok(())
    }
}

/// Moves a mark up to `end`, unless it is there already.
///
/// Not by `fetch_max`: the thread sanitizer does not see what that synchronizes.
fn raise(mark: &AtomicU32, end: u32) {
    let up = |now| (end > now).then_some(end);
    // refused where the mark is as far already
    let _ = mark.fetch_update(Ordering::AcqRel, Ordering::Acquire, up);
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn flushed_never_passes_committed_and_committed_never_passes_published() {
        let m = OwnedMarks::new(0);
        assert_eq!(m.commit(1), Err(MarkError));
        assert_eq!(m.flush(1, false), Err(MarkError));
        m.publish(10);
        assert_eq!(m.flush(10, true), Err(MarkError), "staged bytes are not visible yet");
        assert_eq!(m.commit(8), Ok(()));
        assert_eq!(m.flush(8, true), Ok(()));
        assert_eq!((m.published(), m.committed(), m.flushed()), (10, 8, 8));
    }

    #[test]
    fn marks_never_go_back() {
        let m = OwnedMarks::new(0);
        m.publish(10);
        m.commit(10).unwrap();
        m.commit(3).unwrap();
        m.flush(10, true).unwrap();
        m.flush(2, true).unwrap();
        assert_eq!((m.committed(), m.flushed()), (10, 10));
    }

    #[test]
    fn the_first_failure_is_the_one_that_is_told() {
        let m = OwnedMarks::new(0);
        assert_eq!(m.stopped(), None);
        m.stop(ErrorKind::Device);
        m.stop(ErrorKind::NoSpace);
        assert_eq!(m.stopped(), Some(ErrorKind::Device));
    }
}
