//! A medium that counts what is asked of it.

use mqstore_core::segment::ErrorKind;
use spin::Mutex;

use super::hook::{Call, Go, Hook, OPS, Op};
use super::hooked::Hooked;

/// A medium that counts.
pub type Traced<M, T> = Hooked<M, T>;

/// How often something was asked, and for how many bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Calls, failed ones included.
    pub calls: u64,
    /// Bytes they were about.
    pub bytes: u64,
}

/// The counts of a [`Traced`] medium; use it by reference or as an `Arc`.
#[derive(Debug)]
pub struct Trace {
    counts: Mutex<[Count; OPS]>,
}

impl Default for Trace {
    fn default() -> Self {
        Self::new()
    }
}

impl Trace {
    /// Nothing was asked yet.
    #[must_use]
    pub const fn new() -> Self {
        Self { counts: Mutex::new([Count { calls: 0, bytes: 0 }; OPS]) }
    }

    /// The count of one kind of call.
    #[must_use]
    pub fn count(&self, op: Op) -> Count {
        self.counts.lock().get(op as usize).copied().unwrap_or_default()
    }

    /// Begins anew.
    pub fn reset(&self) {
        *self.counts.lock() = [Count::default(); OPS];
    }
}

impl Hook for Trace {
    fn before(&self, call: &Call) -> Result<Go, ErrorKind> {
        if let Some(count) = self.counts.lock().get_mut(call.op as usize) {
            count.calls += 1;
            count.bytes += call.len;
        }
        Ok(Go::On)
    }
}
