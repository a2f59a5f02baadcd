//! A bell that wakes one thread, and costs next to nothing when it has rung already.

use core::sync::atomic::{AtomicBool, Ordering};
use std::sync::OnceLock;
use std::thread::Thread;

/// Rung by many, heard by one.
#[derive(Default)]
pub(super) struct Bell {
    rung: AtomicBool,
    hears: OnceLock<Thread>,
}

impl Bell {
    /// Says who hears it.
    pub(super) fn set(&self, thread: Option<&Thread>) {
        if let Some(thread) = thread {
            let _ = self.hears.set(thread.clone());
        }
    }

    /// Wakes the one who hears it, unless that has been done since he last [`heard`](Self::heard).
    pub(super) fn ring(&self) {
        if !self.rung.load(Ordering::Relaxed)
            && !self.rung.swap(true, Ordering::AcqRel)
            && let Some(thread) = self.hears.get()
        {
            thread.unpark();
        }
    }

    /// Called by the one who hears it, before he looks at what there is to do.
    pub(super) fn heard(&self) {
        self.rung.swap(false, Ordering::AcqRel);
    }
}
