//! The growing list of a log's segments.

use std::collections::VecDeque;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use mqstore_core::segment::{Readable, Segment, SegmentTable, TableFull};

/// Segments in ascending order; a reader takes a clone and leaves.
pub(crate) struct GrowingTable<S> {
    segments: RwLock<VecDeque<S>>,
}

impl<S> Default for GrowingTable<S> {
    fn default() -> Self {
        Self { segments: RwLock::new(VecDeque::new()) }
    }
}

impl<S: Segment> GrowingTable<S> {
    /// Nothing in here panics half way, so what a poisoned lock guards is whole.
    fn read(&self) -> RwLockReadGuard<'_, VecDeque<S>> {
        self.segments.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, VecDeque<S>> {
        self.segments.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<S: Segment> GrowingTable<S> {
    /// Where each segment starts.
    pub(crate) fn bases(&self) -> Vec<u64> {
        self.read().iter().map(Readable::base).collect()
    }
}

/// The place of the first segment that ends behind `offset`.
fn place_of<S: Segment>(segments: &VecDeque<S>, offset: u64) -> usize {
    segments.partition_point(|s| s.base() + u64::from(s.geometry().capacity) <= offset)
}

impl<S: Segment> SegmentTable<S> for GrowingTable<S> {
    fn push(&self, segment: S) -> Result<(), TableFull> {
        self.write().push_back(segment);
        Ok(())
    }

    fn has_room(&self) -> bool {
        true
    }

    fn first(&self) -> Option<S> {
        self.read().front().cloned()
    }

    fn last(&self) -> Option<S> {
        self.read().back().cloned()
    }

    fn holding(&self, offset: u64) -> Option<S> {
        let segments = self.read();
        segments.get(place_of(&segments, offset)).filter(|s| s.base() <= offset).cloned()
    }

    fn from(&self, offset: u64) -> Option<S> {
        let segments = self.read();
        segments.iter().skip(place_of(&segments, offset)).find(|s| s.base() >= offset).cloned()
    }

    fn len(&self) -> usize {
        self.read().len()
    }

    fn pop_first(&self) -> Option<S> {
        self.write().pop_front()
    }

    fn pop_last(&self) -> Option<S> {
        self.write().pop_back()
    }
}
