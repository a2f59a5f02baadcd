//! When a dispatch that failed is tried again: 30 times, a second apart, then with the error
//! flag set (spec 04 section 10).
//!
//! Java then leaves the entry out, so that the message is not found until a later recovery.
//! Here the record is not left behind: it is tried on, and a success takes the flag away.

/// The tries of one record. The driver says what time it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Retry {
    failures: u32,
    last: i64,
}

/// What follows from a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failed {
    /// Try again after [`Retry::wait`].
    Again,
    /// This was the last try that counts: raise the error flag (`makeLogicsQueueError`), and go
    /// on trying.
    GaveUp,
}

impl Retry {
    /// Tries before the error flag is raised.
    pub const TRIES: u32 = 30;
    /// Time between two of them, in milliseconds.
    pub const PAUSE_MILLIS: i64 = 1000;

    /// Nothing has failed yet.
    #[must_use]
    pub const fn new() -> Self {
        Self { failures: 0, last: 0 }
    }

    /// How long to wait before the next try, in milliseconds; `now` is milliseconds on any clock.
    /// A clock that is set back makes no wait longer.
    #[must_use]
    pub fn wait(&self, now: i64) -> i64 {
        if self.failures == 0 {
            return 0;
        }
        let due = self.last.saturating_add(Self::PAUSE_MILLIS);
        due.saturating_sub(now).clamp(0, Self::PAUSE_MILLIS)
    }

    /// A try has failed.
    pub fn failed(&mut self, now: i64) -> Failed {
        self.failures = self.failures.saturating_add(1);
        self.last = now;
        if self.failures == Self::TRIES { Failed::GaveUp } else { Failed::Again }
    }

    /// A try has succeeded; says whether the flag had been raised, and is to be cleared.
    pub fn succeeded(&mut self) -> bool {
        let raised = self.has_given_up();
        *self = Self::new();
        raised
    }

    /// Whether the flag is raised.
    #[must_use]
    pub const fn has_given_up(&self) -> bool {
        self.failures >= Self::TRIES
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn the_thirtieth_failure_raises_the_flag_and_the_tries_go_on() {
        let mut retry = Retry::new();
        for i in 1..30 {
            assert_eq!(retry.failed(i * 1000), Failed::Again, "try {i}");
        }
        assert_eq!(retry.failed(30_000), Failed::GaveUp);
        assert_eq!(retry.failed(31_000), Failed::Again);
        assert!(retry.has_given_up());
        assert!(retry.succeeded(), "the flag is to be cleared");
        assert_eq!(retry, Retry::new());
    }

    #[test]
    fn tries_are_a_second_apart_whatever_the_clock_does() {
        let mut retry = Retry::new();
        assert_eq!(retry.wait(5), 0);
        retry.failed(5000);
        assert_eq!(retry.wait(5000), 1000);
        assert_eq!(retry.wait(5999), 1);
        assert_eq!(retry.wait(6000), 0);
        assert_eq!(retry.wait(i64::MIN), 1000);
        assert_eq!(retry.wait(i64::MAX), 0);
        assert!(!retry.succeeded());
        assert_eq!(retry.wait(5000), 0);
    }
}
