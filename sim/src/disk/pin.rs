//! An open file, and who writes to it.

use core::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

use super::names::FileId;

/// What keeps an open file: also one that has no name any more.
#[derive(Debug)]
pub(crate) struct Pin {
    pub(crate) id: FileId,
    /// Somebody has it for writing.
    claimed: AtomicBool,
}

/// An open file. Clones are the same one.
#[derive(Clone, Debug)]
pub struct FileRef(pub(crate) Arc<Pin>);

impl FileRef {
    pub(crate) fn new(id: FileId) -> Self {
        Self(Arc::new(Pin { id, claimed: AtomicBool::new(false) }))
    }

    /// Whether somebody has claimed it for writing.
    pub(crate) fn is_claimed(&self) -> bool {
        self.0.claimed.load(Ordering::Acquire)
    }

    /// Whether nobody else has it open.
    pub(crate) fn is_alone(&self) -> bool {
        Arc::strong_count(&self.0) == 1
    }

    /// Claims it for writing; false if somebody has already.
    pub(crate) fn claim(&self) -> bool {
        !self.0.claimed.swap(true, Ordering::AcqRel)
    }

    pub(crate) fn let_go(&self) {
        self.0.claimed.store(false, Ordering::Release);
    }
}
