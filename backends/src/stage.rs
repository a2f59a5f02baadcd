//! Where in a buffer the windows of a staged segment lie, and which bytes a commit brings to
//! the medium.
//!
//! The buffer covers `[origin, origin + len)` of the segment. One as long as the segment begins
//! at 0 and stays there; a shorter one moves on when all it holds is committed, and is
//! [`ErrorKind::Busy`] until then.

use core::sync::atomic::{AtomicU32, Ordering};

use mqstore_core::segment::{ErrorKind, Marks};

/// The state of a segment's buffer; the bytes lie elsewhere.
#[derive(Debug)]
pub struct Stage {
    len: AtomicU32,
    /// Position in the segment of the buffer's first byte.
    origin: AtomicU32,
    /// How far windows were lent; nothing behind it was ever written.
    lent: AtomicU32,
}

/// Bytes that a commit brings to the medium.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    /// Their position in the segment.
    pub(crate) at: u32,
    /// Their position in the buffer.
    pub(crate) from: u32,
    /// How many they are.
    pub(crate) len: u32,
    /// How far the segment is committed with them.
    pub(crate) end: u32,
}

impl Stage {
    /// A buffer of `len` bytes for a segment that is written from `at` on.
    pub(crate) const fn new(len: u32, at: u32) -> Self {
        Self { len: AtomicU32::new(len), origin: AtomicU32::new(at), lent: AtomicU32::new(at) }
    }

    /// How long the buffer is.
    #[cfg(feature = "std")]
    pub(crate) fn len(&self) -> u32 {
        self.len.load(Ordering::Relaxed)
    }

    /// The same in a state that is used again; nobody may hold the old segment.
    pub(crate) fn restart(&self, len: u32, at: u32) {
        self.len.store(len, Ordering::Relaxed);
        self.origin.store(at, Ordering::Relaxed);
        self.lent.store(at, Ordering::Relaxed);
    }

    /// Where in the buffer the window `[at, end)` lies; called by the tail only, with `at` at
    /// or behind the published mark.
    ///
    /// The place never overlaps bytes that are published and not yet committed: those lie
    /// between `origin` and the published mark, and while there are any, `origin` stays.
    pub(crate) fn lend(&self, marks: &Marks, at: u32, end: u32) -> Result<u32, ErrorKind> {
        let len = self.len.load(Ordering::Relaxed);
        let mut origin = self.origin.load(Ordering::Relaxed);
        if end - origin > len {
            let published = marks.published();
            // the committer is done with the buffer before it says so by this mark
            if marks.committed() < published {
                return Err(ErrorKind::Busy);
            }
            if end - published > len {
                return Err(ErrorKind::OutOfBounds);
            }
            origin = published;
            self.origin.store(origin, Ordering::Relaxed);
        }
        self.lent.fetch_max(end, Ordering::Relaxed);
        Ok(at - origin)
    }

    /// What is to be brought to the medium so that everything below `end` is committed; `None`
    /// if it is. One committer at a time.
    pub(crate) fn run(&self, marks: &Marks, end: u32) -> Option<Run> {
        let at = marks.committed();
        // the tail sets `origin` and `lent` before it publishes: this load makes both visible,
        // and `origin` stays until what lies below the mark is committed
        let end = marks.published().min(end);
        if at >= end {
            return None;
        }
        let origin = self.origin.load(Ordering::Relaxed);
        let len = self.lent.load(Ordering::Relaxed).min(end).saturating_sub(at);
        Some(Run { at, from: at.saturating_sub(origin), len, end })
    }
}

#[cfg(test)]
mod tests {
    use mqstore_core::segment::OwnedMarks;

    use super::*;

    #[test]
    fn a_buffer_as_long_as_the_segment_is_never_busy() {
        let (stage, marks) = (Stage::new(100, 0), OwnedMarks::new(0));
        assert_eq!(stage.lend(&marks, 0, 60), Ok(0));
        marks.publish(60);
        assert_eq!(stage.lend(&marks, 60, 100), Ok(60));
        marks.publish(100);
        assert_eq!(stage.run(&marks, 100), Some(Run { at: 0, from: 0, len: 100, end: 100 }));
    }

    #[test]
    fn a_short_buffer_moves_on_when_all_is_committed_and_is_busy_before() {
        let (stage, marks) = (Stage::new(50, 0), OwnedMarks::new(0));
        assert_eq!(stage.lend(&marks, 0, 30), Ok(0));
        marks.publish(30);
        assert_eq!(stage.lend(&marks, 30, 60), Err(ErrorKind::Busy));
        let run = stage.run(&marks, 30);
        assert_eq!(run, Some(Run { at: 0, from: 0, len: 30, end: 30 }));
        marks.commit(30).unwrap();
        assert_eq!(stage.lend(&marks, 30, 60), Ok(0));
        marks.publish(60);
        assert_eq!(stage.run(&marks, 60), Some(Run { at: 30, from: 0, len: 30, end: 60 }));
    }

    #[test]
    fn what_was_published_without_being_lent_is_committed_without_being_copied() {
        let (stage, marks) = (Stage::new(50, 0), OwnedMarks::new(0));
        stage.lend(&marks, 0, 8).unwrap();
        marks.publish(200);
        assert_eq!(stage.run(&marks, 200), Some(Run { at: 0, from: 0, len: 8, end: 200 }));
        marks.commit(200).unwrap();
        assert_eq!(stage.run(&marks, 200), None);
    }
}
