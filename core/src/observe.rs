//! What the store tells about itself while it works.

use core::fmt;

use crate::cause::Refusal;

/// Takes the store's events; every method does nothing unless it is overridden.
///
/// Called on the thread on which the thing happens, some under the put lock: be quick.
pub trait Observer {
    /// A put was refused by a gate. Of refusals by role and flags only the first and every
    /// 50,000th are told, with the number of those before (spec 01 section 1.2).
    fn refused(&self, refusal: &Refusal, before: u64) {
        let _ = (refusal, before);
    }

    /// The log has gone on in a new segment, which starts at `base`.
    fn rolled(&self, base: u64) {
        let _ = base;
    }

    /// The segment at `base` could not be made.
    fn create_failed(&self, base: u64, error: &dyn fmt::Display) {
        let _ = (base, error);
    }

    /// A record could not be written at `offset`.
    fn write_failed(&self, offset: u64, error: &dyn fmt::Display) {
        let _ = (offset, error);
    }

    /// The log could not be committed or flushed beyond `offset` and takes no more writes.
    fn flush_failed(&self, offset: u64, error: &dyn fmt::Display) {
        let _ = (offset, error);
    }

    /// A queue's entry for `expected` was put behind its last one, at `at`, because entries
    /// between the two are missing; both are queue offsets (spec 04 section 10).
    fn queue_gap(&self, expected: u64, at: u64) {
        let _ = (expected, at);
    }

    /// An append held the put lock for this long.
    fn slow_append(&self, millis: i64) {
        let _ = millis;
    }
}

/// Hears nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {}

/// Lets the first of many equal events through, and every `n`-th after it.
#[derive(Debug)]
pub struct EveryNth {
    count: crate::sync::AtomicU64,
    n: u64,
}

impl EveryNth {
    /// Lets event 0, `n`, 2`n`, … through.
    #[must_use]
    pub fn new(n: u64) -> Self {
        Self { count: crate::sync::AtomicU64::new(0), n: n.max(1) }
    }

    /// Counts one event; says how many came before it if it is to be told.
    pub fn hit(&self) -> Option<u64> {
        let before = self.count.fetch_add(1, crate::sync::Ordering::Relaxed);
        before.is_multiple_of(self.n).then_some(before)
    }

    /// How many events have come since the last reset.
    pub fn count(&self) -> u64 {
        self.count.load(crate::sync::Ordering::Relaxed)
    }

    /// Begins anew; cheap when nothing has come.
    pub fn reset(&self) {
        if self.count() != 0 {
            self.count.store(0, crate::sync::Ordering::Relaxed);
        }
    }
}
