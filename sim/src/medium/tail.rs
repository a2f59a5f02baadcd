//! The exclusive half of a segment: windows in memory of its own, which is brought to the
//! segment when it is published.

use std::sync::Arc;

use mqstore_core::segment::{ErrorKind, Geometry, Tail};

use super::SimError;
use super::segment::{Shared, SimSegment};
use crate::disk::FileRef;

/// Lets a file go when nobody can write to it any more.
pub(super) struct Written(pub(super) FileRef);

impl Drop for Written {
    fn drop(&mut self) {
        self.0.let_go();
    }
}

/// The exclusive half of a segment.
pub struct SimTail {
    shared: Arc<Shared>,
    /// The bytes from the published mark on, as far as windows were lent.
    ahead: Vec<u8>,
    published: u32,
    /// Where the buffer of a staged segment begins: it moves on when all it holds is committed.
    origin: u32,
    _written: Arc<Written>,
}

/// The halves of a segment that was just made or resumed.
pub(super) fn halves(shared: Arc<Shared>, written: Arc<Written>) -> (SimTail, SimSegment) {
    let end = shared.marks.published();
    let staged = shared.geometry.staged;
    let segment =
        SimSegment { shared: shared.clone(), _written: staged.then(|| Arc::clone(&written)) };
    let (published, origin) = (end, end);
    let tail = SimTail { shared, ahead: Vec::new(), published, origin, _written: written };
    (tail, segment)
}

impl SimTail {
    /// Whether the window that ends at `end` fits into the buffer, which may move for it.
    fn make_room(&mut self, end: u32, window_max: u32) -> Result<(), ErrorKind> {
        if end - self.published > window_max {
            return Err(ErrorKind::OutOfBounds);
        }
        if self.shared.geometry.staged && end - self.origin > window_max {
            if self.shared.marks.committed() < self.published {
                return Err(ErrorKind::Busy);
            }
            self.origin = self.published;
        }
        Ok(())
    }

    /// What a mapping does by itself: bytes of windows are in the system's memory, also those
    /// that were given up.
    fn spill(&self) {
        if !self.shared.geometry.staged && !self.ahead.is_empty() {
            let shared = &*self.shared;
            shared.process.store(&shared.file, &shared.name, self.published.into(), &self.ahead);
        }
    }
}

impl Tail for SimTail {
    type Error = SimError;

    fn window(&mut self, at: u32, len: u32) -> Result<&mut [u8], SimError> {
        const WHAT: &str = "lending a window";
        if self.shared.marks.stopped().is_some() {
            return Err(SimError::new(ErrorKind::Stopped, WHAT));
        }
        let Geometry { capacity, window_max, .. } = self.shared.geometry;
        let end = at.checked_add(len).filter(|end| at >= self.published && *end <= capacity);
        let outside = SimError::new(ErrorKind::OutOfBounds, WHAT);
        let end = end.ok_or(outside)?;
        if len == 0 {
            return Ok(&mut []);
        }
        self.make_room(end, window_max).map_err(SimError::during(WHAT))?;
        let (from, to) = ((at - self.published) as usize, (end - self.published) as usize);
        self.ahead.resize(to.max(self.ahead.len()), 0);
        self.ahead.get_mut(from..to).ok_or(outside)
    }

    fn publish(&mut self, end: u32) {
        let holds = end >= self.published && end <= self.shared.geometry.capacity;
        assert!(holds, "publish({end}) after {}", self.published);
        let lent = self.ahead.len().min((end - self.published) as usize);
        if self.shared.geometry.staged {
            let rest = self.ahead.split_off(lent);
            let bytes = std::mem::replace(&mut self.ahead, rest);
            self.shared.take(self.published, bytes);
        } else {
            self.spill();
            self.ahead.drain(..lent);
        }
        self.published = end;
        self.shared.marks.publish(end);
    }
}

impl Drop for SimTail {
    fn drop(&mut self) {
        self.spill();
    }
}
