//! The put lock of a host.
//!
//! Measured on two cores, a lock that lets everybody spin burns the core that makes pages
//! present, and one that puts everybody to sleep pays a wake-up per put. So one waits awake
//! and the rest sleep: whoever holds the lock lets go without a system call, and the one that
//! is awake takes over at once.

use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

use mqstore_core::lock::PutLock;

/// Turns of spinning before the processor is offered to others.
const SPINS: u32 = 200;
/// The one that waits awake has others stand back when it has waited this long.
const PATIENCE: Duration = Duration::from_millis(1);

/// Only ever tried, never waited for, so that letting go costs one store.
struct Tried<T>(Mutex<T>);

impl<T> Tried<T> {
    fn take(&self) -> Option<MutexGuard<'_, T>> {
        match self.0.try_lock() {
            Ok(guard) => Some(guard),
            // a put that panicked has published nothing, so what the lock guards is whole
            Err(TryLockError::Poisoned(e)) => Some(e.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    fn spin(&self) -> Option<MutexGuard<'_, T>> {
        for _ in 0..SPINS {
            if let Some(guard) = self.take() {
                return Some(guard);
            }
            core::hint::spin_loop();
        }
        None
    }
}

/// The put lock, as `useReentrantLockWhenPutMessage` chooses it.
pub(crate) struct StoreLock<T> {
    inner: Tried<T>,
    /// With the spin lock everybody waits awake.
    all_spin: bool,
    /// Somebody waits awake.
    spinner: AtomicBool,
    /// The one that waits awake has lost its patience: nobody else may take the lock.
    stand_back: AtomicBool,
    sleepers: AtomicU32,
    bed: Mutex<()>,
    alarm: Condvar,
}

impl<T> StoreLock<T> {
    pub(crate) fn new(value: T, mutex: bool) -> Self {
        Self {
            inner: Tried(Mutex::new(value)),
            all_spin: !mutex,
            spinner: AtomicBool::new(false),
            stand_back: AtomicBool::new(false),
            sleepers: AtomicU32::new(0),
            bed: Mutex::new(()),
            alarm: Condvar::new(),
        }
    }

    #[inline]
    fn acquire(&self) -> MutexGuard<'_, T> {
        if !self.stand_back.load(Ordering::Relaxed)
            && let Some(guard) = self.inner.take()
        {
            return guard;
        }
        if self.all_spin { self.spin_on() } else { self.take_turns() }
    }

    #[cold]
    fn spin_on(&self) -> MutexGuard<'_, T> {
        loop {
            if let Some(guard) = self.inner.spin() {
                return guard;
            }
            thread::yield_now();
        }
    }

    #[cold]
    fn take_turns(&self) -> MutexGuard<'_, T> {
        while self.spinner.swap(true, Ordering::SeqCst) {
            self.sleep();
        }
        let since = Instant::now();
        let guard = loop {
            if let Some(guard) = self.inner.spin() {
                break guard;
            }
            if since.elapsed() > PATIENCE {
                self.stand_back.store(true, Ordering::Relaxed);
            }
            thread::yield_now();
        };
        self.stand_back.store(false, Ordering::Relaxed);
        self.spinner.store(false, Ordering::SeqCst);
        if self.sleepers.load(Ordering::SeqCst) > 0 {
            // whoever is about to sleep has the bed until it does, and then hears the alarm
            drop(self.bed.lock().unwrap_or_else(PoisonError::into_inner));
            self.alarm.notify_one();
        }
        guard
    }

    /// Sleeps while somebody else waits awake.
    fn sleep(&self) {
        self.sleepers.fetch_add(1, Ordering::SeqCst);
        let mut bed = self.bed.lock().unwrap_or_else(PoisonError::into_inner);
        while self.spinner.load(Ordering::SeqCst) {
            bed = self.alarm.wait(bed).unwrap_or_else(PoisonError::into_inner);
        }
        drop(bed);
        self.sleepers.fetch_sub(1, Ordering::SeqCst);
    }
}

impl<T> PutLock<T> for StoreLock<T> {
    #[inline]
    fn with<R>(&self, f: impl FnOnce(&mut T) -> R) -> R {
        f(&mut self.acquire())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_is_left_asleep_and_one_at_a_time_is_inside() {
        for mutex in [true, false] {
            let lock = StoreLock::new(0u64, mutex);
            let inside = AtomicU32::new(0);
            thread::scope(|s| {
                for _ in 0..16 {
                    s.spawn(|| {
                        for n in 0..2000 {
                            lock.with(|count| {
                                assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                                *count += 1;
                                if n % 100 == 0 {
                                    thread::yield_now();
                                }
                                inside.fetch_sub(1, Ordering::SeqCst);
                            });
                        }
                    });
                }
            });
            assert_eq!(lock.with(|count| *count), 32_000);
        }
    }

    #[test]
    fn a_holder_that_panics_leaves_the_lock_to_the_others() {
        let lock = StoreLock::new(1, true);
        let panicked = thread::scope(|s| s.spawn(|| lock.with(|_| panic!("inside"))).join());
        assert!(panicked.is_err());
        assert_eq!(lock.with(|n| *n), 1);
    }
}
