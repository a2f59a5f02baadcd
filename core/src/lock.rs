//! The put lock: who holds it may append.

use crate::sync::{AtomicI64, Ordering};

/// A lock that is used by handing it what to do, so that spin locks, mutexes of an operating
/// system and a simulator's own all look the same.
pub trait PutLock<T> {
    /// Runs `f` with nobody else inside.
    fn with<R>(&self, f: impl FnOnce(&mut T) -> R) -> R;
}

/// A spin lock (`useReentrantLockWhenPutMessage=false`), also for machines without an
/// operating system.
#[derive(Debug)]
pub struct SpinLock<T> {
    inner: spin::Mutex<T>,
}

impl<T> SpinLock<T> {
    /// A free lock around `value`.
    pub const fn new(value: T) -> Self {
        Self { inner: spin::Mutex::new(value) }
    }
}

impl<T> PutLock<T> for SpinLock<T> {
    fn with<R>(&self, f: impl FnOnce(&mut T) -> R) -> R {
        f(&mut self.inner.lock())
    }
}

/// Since when the holder of the put lock has been inside: RocketMQ's `beginTimeInLock`.
///
/// RocketMQ calls the page cache busy when that is longer than `osPageCacheBusyTimeOutMills`
/// (spec 01 section 1.3).
#[derive(Debug, Default)]
pub struct TimeInLock {
    /// Milliseconds since 1970; 0: nobody is inside.
    begin: AtomicI64,
}

/// Longer than this is not believed: the clock has been set.
const NOT_BELIEVED_MILLIS: i64 = 10_000_000;

impl TimeInLock {
    /// Nobody is inside.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The holder has come in at `now`.
    pub fn enter(&self, now: i64) {
        self.begin.store(now, Ordering::Relaxed);
    }

    /// The holder leaves.
    pub fn leave(&self) {
        self.begin.store(0, Ordering::Relaxed);
    }

    /// The holder has come in at `now`, and leaves when the answer is dropped, also by a panic:
    /// nobody would ever get past a gate that takes a dead holder for a slow one.
    #[must_use]
    pub fn inside(&self, now: i64) -> Inside<'_> {
        self.enter(now);
        Inside(self)
    }

    /// Whether somebody is inside, without asking the time.
    pub fn is_held(&self) -> bool {
        self.begin.load(Ordering::Relaxed) != 0
    }

    /// How long the holder has been inside, in milliseconds, never negative
    /// (`lockTimeMills`).
    pub fn held_millis(&self, now: i64) -> i64 {
        match self.begin.load(Ordering::Relaxed) {
            0 => 0,
            begin => now.saturating_sub(begin).max(0),
        }
    }

    /// How long the holder has been inside if that is more than `limit_millis`
    /// (`isOSPageCacheBusy`).
    pub fn busy(&self, now: i64, limit_millis: i64) -> Option<i64> {
        let held = self.held_millis(now);
        (held > limit_millis && held < NOT_BELIEVED_MILLIS).then_some(held)
    }
}

/// Somebody is inside as long as this lives; see [`TimeInLock::inside`].
#[derive(Debug)]
pub struct Inside<'a>(&'a TimeInLock);

impl Drop for Inside<'_> {
    fn drop(&mut self) {
        self.0.leave();
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn busy_begins_one_millisecond_behind_the_limit_and_ends_before_ten_thousand_seconds() {
        let t = TimeInLock::new();
        assert_eq!(t.busy(5_000_000_000, 1000), None, "nobody inside");
        t.enter(1_000_000);
        assert_eq!(t.busy(1_001_000, 1000), None);
        assert_eq!(t.busy(1_001_001, 1000), Some(1001));
        assert_eq!(t.busy(1_000_000 + 9_999_999, 1000), Some(9_999_999));
        assert_eq!(t.busy(1_000_000 + 10_000_000, 1000), None);
        assert_eq!(t.busy(900_000, 1000), None, "clock stepped back");
        assert_eq!(t.held_millis(900_000), 0);
        t.leave();
        assert_eq!(t.busy(1_001_001, 1000), None);
    }

    #[test]
    fn the_spin_lock_lets_one_in_at_a_time() {
        let lock = SpinLock::new(0u64);
        std::thread::scope(|s| {
            for _ in 0..4 {
                s.spawn(|| {
                    for _ in 0..1000 {
                        lock.with(|n| *n += 1);
                    }
                });
            }
        });
        assert_eq!(lock.with(|n| *n), 4000);
    }
}
