//! The store's clock: the system's, or one that a test or a trace moves by hand.

use core::sync::atomic::{AtomicI64, Ordering};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use mqstore_core::clock::Clock;

/// Where store times come from, milliseconds since 1970.
#[derive(Clone, Debug, Default)]
pub enum StoreClock {
    /// The system's wall clock.
    #[default]
    System,
    /// Stands still until it is moved.
    Manual(ManualClock),
}

/// A clock that is moved by hand; clones move together.
#[derive(Clone, Debug, Default)]
pub struct ManualClock(Arc<AtomicI64>);

impl ManualClock {
    /// A clock that shows `millis` since 1970.
    #[must_use]
    pub fn new(millis: i64) -> Self {
        Self(Arc::new(AtomicI64::new(millis)))
    }

    /// Sets it; backwards is allowed.
    pub fn set(&self, millis: i64) {
        self.0.store(millis, Ordering::SeqCst);
    }

    /// Moves it by `millis` and answers what it shows then.
    pub fn advance(&self, millis: i64) -> i64 {
        self.0.fetch_add(millis, Ordering::SeqCst).wrapping_add(millis)
    }

    /// What it shows.
    #[must_use]
    pub fn millis(&self) -> i64 {
        self.0.load(Ordering::SeqCst)
    }
}

impl Clock for StoreClock {
    #[inline]
    fn now(&self) -> i64 {
        match self {
            Self::System => system_millis(),
            Self::Manual(clock) => clock.millis(),
        }
    }
}

/// The system's wall clock; before 1970 counts as 0.
pub(crate) fn system_millis() -> i64 {
    i64::try_from(wall_nanos() / 1_000_000).unwrap_or(i64::MAX)
}

/// The same in nanoseconds.
pub(crate) fn wall_nanos() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}
