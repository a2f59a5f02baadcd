//! The segments of a log, for everybody who reads, commits or flushes them.

use heapless::Deque;
use spin::RwLock;

use crate::segment::{Readable, Segment};

/// No room for one more segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableFull;

/// The list of a log's segments in ascending order, without gaps between neighbours except
/// where files are missing. Readers take a clone and leave.
pub trait SegmentTable<S: Segment> {
    /// Adds the newest segment.
    ///
    /// # Errors
    /// [`TableFull`] if there is no room; the segment is not added then.
    fn push(&self, segment: S) -> Result<(), TableFull>;

    /// Whether one more can be pushed.
    fn has_room(&self) -> bool;

    /// The oldest segment.
    fn first(&self) -> Option<S>;

    /// The newest segment.
    fn last(&self) -> Option<S>;

    /// The segment that holds `offset`.
    fn holding(&self, offset: u64) -> Option<S>;

    /// The first segment that starts at or behind `offset`.
    fn from(&self, offset: u64) -> Option<S>;

    /// How many there are.
    fn len(&self) -> usize;

    /// Whether there is none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Takes the oldest segment out.
    fn pop_first(&self) -> Option<S>;

    /// Takes the newest segment out.
    fn pop_last(&self) -> Option<S>;
}

/// A table of at most `N` segments, without an allocator.
pub struct FixedTable<S, const N: usize> {
    segments: RwLock<Deque<S, N>>,
}

impl<S, const N: usize> Default for FixedTable<S, N> {
    fn default() -> Self {
        Self { segments: RwLock::new(Deque::new()) }
    }
}

impl<S, const N: usize> FixedTable<S, N> {
    /// An empty table.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

/// Whether `offset` lies inside this segment.
fn holds<S: Readable>(segment: &S, offset: u64) -> bool {
    offset >= segment.base() && offset - segment.base() < u64::from(segment.geometry().capacity)
}

impl<S: Segment, const N: usize> SegmentTable<S> for FixedTable<S, N> {
    fn push(&self, segment: S) -> Result<(), TableFull> {
        self.segments.write().push_back(segment).map_err(|_| TableFull)
    }

    fn has_room(&self) -> bool {
        !self.segments.read().is_full()
    }

    fn first(&self) -> Option<S> {
        self.segments.read().front().cloned()
    }

    fn last(&self) -> Option<S> {
        self.segments.read().back().cloned()
    }

    fn holding(&self, offset: u64) -> Option<S> {
        self.segments.read().iter().find(|s| holds(*s, offset)).cloned()
    }

    fn from(&self, offset: u64) -> Option<S> {
        self.segments.read().iter().find(|s| s.base() >= offset).cloned()
    }

    fn len(&self) -> usize {
        self.segments.read().len()
    }

    fn pop_first(&self) -> Option<S> {
        self.segments.write().pop_front()
    }

    fn pop_last(&self) -> Option<S> {
        self.segments.write().pop_back()
    }
}
