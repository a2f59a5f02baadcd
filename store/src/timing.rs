//! The time a put needs, and the time it is stamped with, at the price of a few nanoseconds.

use core::sync::atomic::{AtomicI64, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use mqstore_backends::os;
use mqstore_core::clock::Clock;

use crate::clock::{StoreClock, wall_nanos};

/// Started when a put comes in; exact to a few milliseconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stopwatch(i64);

impl Stopwatch {
    pub(crate) fn start() -> Self {
        Self(os::coarse_monotonic_millis())
    }

    /// Milliseconds since then.
    pub(crate) fn millis(&self) -> i64 {
        os::coarse_monotonic_millis() - self.0
    }
}

/// The clock of the gates: whether the lock is held for too long is a question of seconds.
pub(crate) struct GateClock<'a>(pub(crate) &'a StoreClock);

impl Clock for GateClock<'_> {
    fn now(&self) -> i64 {
        match self.0 {
            StoreClock::System => os::coarse_wall_millis(),
            StoreClock::Manual(clock) => clock.millis(),
        }
    }
}

/// The clock that puts are stamped with, exact to the millisecond.
///
/// Asking the operating system costs as much as copying a small message. So it is asked once a
/// millisecond: until the present one is over, by the processor's own count, the last answer
/// still holds. Used under the put lock only.
pub(crate) struct StampClock {
    clock: StoreClock,
    /// How many of the processor's ticks a millisecond has; 0: it has none.
    ticks_a_milli: u64,
    /// The count when the system was asked last.
    asked_at: AtomicU64,
    /// For how many ticks its answer holds.
    holds: AtomicU64,
    millis: AtomicI64,
}

const NANOS_A_MILLI: u64 = 1_000_000;
/// How long the processor's count is measured against the system's clock.
const MEASURED: Duration = Duration::from_millis(2);

impl StampClock {
    pub(crate) fn new(clock: StoreClock) -> Self {
        let ticks_a_milli = match clock {
            StoreClock::System => measure().unwrap_or(0),
            StoreClock::Manual(_) => 0,
        };
        Self {
            clock,
            ticks_a_milli,
            asked_at: AtomicU64::new(0),
            holds: AtomicU64::new(0),
            millis: AtomicI64::new(0),
        }
    }

    #[cold]
    fn ask(&self, ticks: u64) -> i64 {
        let nanos = wall_nanos();
        let left = NANOS_A_MILLI - nanos % NANOS_A_MILLI;
        let millis = i64::try_from(nanos / NANOS_A_MILLI).unwrap_or(i64::MAX);
        self.asked_at.store(ticks, Relaxed);
        self.holds.store(self.ticks_a_milli.saturating_mul(left) / NANOS_A_MILLI, Relaxed);
        self.millis.store(millis, Relaxed);
        millis
    }
}

impl Clock for StampClock {
    #[inline]
    fn now(&self) -> i64 {
        if self.ticks_a_milli == 0 {
            return self.clock.now();
        }
        let ticks = os::ticks().unwrap_or(0);
        // a count that went back wraps, and the system is asked
        if ticks.wrapping_sub(self.asked_at.load(Relaxed)) < self.holds.load(Relaxed) {
            return self.millis.load(Relaxed);
        }
        self.ask(ticks)
    }
}

/// Ticks of the processor in a millisecond.
fn measure() -> Option<u64> {
    let (start, ticks) = (Instant::now(), os::ticks()?);
    std::thread::sleep(MEASURED);
    let (nanos, ticks) = (start.elapsed().as_nanos(), os::ticks()?.checked_sub(ticks)?);
    let a_milli = u128::from(ticks) * u128::from(NANOS_A_MILLI) / nanos.max(1);
    u64::try_from(a_milli).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamps_never_leave_the_systems_clock() {
        let clock = StampClock::new(StoreClock::System);
        let end = Instant::now() + Duration::from_millis(300);
        let (mut asked, mut worst) = (0u64, 0);
        while Instant::now() < end {
            let before = StoreClock::System.now();
            let stamp = clock.now();
            let after = StoreClock::System.now();
            // a thread that is stopped between two looks sees a later time, never an earlier
            worst = worst.max(before - stamp).max(stamp - after);
            asked += 1;
        }
        assert!(asked > 1000);
        assert!(worst <= 1, "{worst} ms off");
    }

    #[test]
    fn a_manual_clock_is_asked_every_time() {
        let manual = crate::clock::ManualClock::new(5);
        let clock = StampClock::new(StoreClock::Manual(manual.clone()));
        assert_eq!(clock.now(), 5);
        manual.set(3);
        assert_eq!(clock.now(), 3);
    }
}
