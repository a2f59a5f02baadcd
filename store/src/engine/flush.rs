//! The desk where puts wait until the log is durable.
//!
//! A put that waits does not hand the flush to another thread: the first to come leads, and
//! flushes for everybody who has come by then. The others sleep until the leader is done; one
//! of those it did not cover leads next. Where more than one waits, the leader first gathers
//! as many as there were the last time, for a moment: a sync costs as much for one as for
//! sixteen.

use core::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use core::time::Duration;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::{self, ThreadId};
use std::time::Instant;

use mqstore_core::duty::{GroupCommit, GroupFull, Outcome, WaitList, Waiter};
use mqstore_core::segment::ErrorKind;

/// Told once how the wait has ended.
pub(crate) type OnOutcome = Box<dyn FnOnce(Outcome) + Send>;

/// Flushes what is written by now; gives up at the deadline if the medium is not done by then.
pub(crate) type Flush<'a> = &'a dyn Fn(Option<Instant>);

/// A leader gathers others for at most this long.
const GATHER: Duration = Duration::from_micros(200);
/// After a flush that took longer than this, puts leave the lead to the flusher's thread, so
/// that they can keep their own time.
const SLOW_FLUSH: Duration = Duration::from_millis(100);

/// A growing list of those who wait.
#[derive(Default)]
struct Waiting(Vec<Waiter<OnOutcome>>);

impl WaitList for Waiting {
    type Token = OnOutcome;

    fn push(&mut self, waiter: Waiter<OnOutcome>) -> Result<(), GroupFull> {
        self.0.push(waiter);
        Ok(())
    }

    fn get(&self, at: usize) -> Option<&Waiter<OnOutcome>> {
        self.0.get(at)
    }

    fn take(&mut self, at: usize) -> Option<Waiter<OnOutcome>> {
        (at < self.0.len()).then(|| self.0.swap_remove(at))
    }
}

#[derive(Default)]
struct Desk {
    /// Asynchronous puts.
    group: GroupCommit<Waiting>,
    /// Those whose wait has ended, and who have not been told yet.
    ended: Vec<(OnOutcome, Outcome)>,
    /// The failure after which nothing becomes durable any more.
    failed: Option<ErrorKind>,
    /// Somebody has asked for a round.
    woken: bool,
    /// Nobody flushes any more.
    stopped: bool,
}

/// Where puts and flushes meet.
pub(crate) struct FlushDesk {
    desk: Mutex<Desk>,
    /// Wakes the flusher's thread.
    wake: Condvar,
    /// Wakes those who wait for a leader.
    done: Condvar,
    /// How far the log is durable.
    durable: AtomicU64,
    /// Somebody flushes.
    led: AtomicBool,
    /// How many puts wait, the leader included.
    waiting: AtomicU32,
    /// How many waited the last time.
    gathered: AtomicU32,
    /// The last flush was slow.
    slow: AtomicBool,
    /// A round has been asked for since the flusher last looked.
    asked: AtomicBool,
    /// The flusher's thread.
    flusher: OnceLock<ThreadId>,
    /// Deadlines are milliseconds since then.
    since: Instant,
}

impl FlushDesk {
    /// A desk of a log that is durable up to `durable`.
    pub(crate) fn new(durable: u64) -> Self {
        Self {
            desk: Mutex::default(),
            wake: Condvar::new(),
            done: Condvar::new(),
            durable: AtomicU64::new(durable),
            led: AtomicBool::new(false),
            waiting: AtomicU32::new(0),
            gathered: AtomicU32::new(1),
            slow: AtomicBool::new(false),
            asked: AtomicBool::new(false),
            flusher: OnceLock::new(),
            since: Instant::now(),
        }
    }

    fn desk(&self) -> MutexGuard<'_, Desk> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn millis(&self) -> i64 {
        i64::try_from(self.since.elapsed().as_millis()).unwrap_or(i64::MAX)
    }

    /// Called once by the flusher's thread.
    pub(crate) fn i_am_the_flusher(&self) {
        let _ = self.flusher.set(thread::current().id());
    }

    /// Whether this put may flush by itself: not when flushes have become slow, unless nobody
    /// else would, because a completion puts on the flusher's own thread.
    fn may_lead(&self) -> bool {
        !self.slow.load(Ordering::Relaxed) || self.flusher.get() == Some(&thread::current().id())
    }

    /// Asks the flusher's thread for a round without waiting for it. Cheap when one has been
    /// asked for already.
    pub(crate) fn wake(&self) {
        if !self.asked.swap(true, Ordering::AcqRel) {
            self.desk().woken = true;
            self.wake.notify_one();
        }
    }

    /// Waits until the log is durable up to `target`, at most `timeout` milliseconds, and
    /// flushes it with `flush` if nobody does. Only a put that itself flushes on a device that
    /// has just become slow waits longer.
    pub(crate) fn wait(&self, target: u64, timeout: i64, flush: Flush<'_>) -> Outcome {
        self.waiting.fetch_add(1, Ordering::AcqRel);
        let outcome = self.wait_inside(target, timeout, flush);
        self.waiting.fetch_sub(1, Ordering::AcqRel);
        outcome
    }

    fn wait_inside(&self, target: u64, timeout: i64, flush: Flush<'_>) -> Outcome {
        let timeout = Duration::from_millis(u64::try_from(timeout).unwrap_or(0));
        let deadline = Instant::now() + timeout;
        loop {
            if self.durable.load(Ordering::Acquire) >= target {
                return Outcome::Durable;
            }
            if self.may_lead() {
                if self.lead(true, Some(deadline), flush) {
                    if let Some(kind) = self.failed_before(target) {
                        return Outcome::Failed(kind);
                    }
                    let durable = self.durable.load(Ordering::Acquire) >= target;
                    if !durable && Instant::now() >= deadline {
                        // the flusher's thread goes on with what the medium has begun
                        self.wake();
                        return Outcome::TimedOut;
                    }
                    continue;
                }
            } else {
                self.wake();
            }
            let desk = self.desk();
            if self.durable.load(Ordering::Acquire) >= target {
                return Outcome::Durable;
            }
            if let Some(kind) = desk.failed {
                return Outcome::Failed(kind);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() || desk.stopped {
                return Outcome::TimedOut;
            }
            // a leader that ends does so under the desk's lock: nobody misses it
            if self.led.load(Ordering::Acquire) || self.slow.load(Ordering::Relaxed) {
                drop(self.done.wait_timeout(desk, left));
            }
        }
    }

    fn failed_before(&self, target: u64) -> Option<ErrorKind> {
        let failed = self.desk().failed?;
        (self.durable.load(Ordering::Acquire) < target).then_some(failed)
    }

    /// Flushes for everybody, unless somebody does already. `flush` tells the desk how it went
    /// by [`FlushDesk::settle`] or [`FlushDesk::fail`].
    pub(crate) fn lead(&self, gather: bool, deadline: Option<Instant>, flush: Flush<'_>) -> bool {
        if self.led.swap(true, Ordering::AcqRel) {
            return false;
        }
        if gather {
            self.gather();
        }
        self.gathered.store(self.waiting.load(Ordering::Acquire), Ordering::Relaxed);
        let start = Instant::now();
        flush(deadline);
        self.slow.store(start.elapsed() > SLOW_FLUSH, Ordering::Relaxed);
        let desk = self.desk();
        self.led.store(false, Ordering::Release);
        let ended = !desk.ended.is_empty();
        drop(desk);
        self.done.notify_all();
        if ended {
            // a put that leads does not run what others want to do
            self.wake();
        }
        true
    }

    /// Lets others come, as many as the last time, for a moment.
    fn gather(&self) {
        let wanted = self.gathered.load(Ordering::Relaxed);
        if wanted <= 1 && self.waiting.load(Ordering::Acquire) <= 1 {
            return;
        }
        let start = Instant::now();
        while self.waiting.load(Ordering::Acquire) < wanted && start.elapsed() < GATHER {
            thread::yield_now();
        }
    }

    /// Tells `done` once when the log is durable up to `target`, or how else the wait has ended.
    pub(crate) fn wait_then(&self, target: u64, timeout: i64, done: OnOutcome) {
        let mut done = Some(done);
        let known = {
            let mut desk = self.desk();
            let flushed = self.durable.load(Ordering::Acquire);
            if flushed >= target {
                Some(Outcome::Durable)
            } else if let Some(kind) = desk.failed {
                Some(Outcome::Failed(kind))
            } else if desk.stopped {
                Some(Outcome::TimedOut)
            } else {
                let deadline = self.millis().saturating_add(timeout);
                if let Some(token) = done.take() {
                    // the list grows, so there is room
                    let _ = desk.group.submit(Waiter { target, deadline, token }, flushed);
                }
                None
            }
        };
        match (known, done) {
            (Some(outcome), Some(done)) => done(outcome),
            _ => self.wake(),
        }
    }

    /// The flusher's wait: until a round is asked for, the next deadline, or `millis` have
    /// passed. Answers false once the desk has been stopped.
    pub(crate) fn next_round(&self, millis: u64) -> bool {
        let mut desk = self.desk();
        if !desk.woken && !desk.stopped {
            let until_deadline = desk
                .group
                .next_deadline()
                .map_or(u64::MAX, |d| u64::try_from(d - self.millis()).unwrap_or(0));
            let wait = Duration::from_millis(millis.min(until_deadline));
            let waited = self.wake.wait_timeout(desk, wait);
            desk = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        desk.woken = false;
        self.asked.store(false, Ordering::Release);
        !desk.stopped
    }

    /// The log is durable up to `flushed`: lets everybody go whom that covers, and whose time
    /// is over.
    pub(crate) fn settle(&self, flushed: u64) {
        self.durable.fetch_max(flushed, Ordering::AcqRel);
        let now = self.millis();
        let mut desk = self.desk();
        let Desk { group, ended, .. } = &mut *desk;
        group.settle(flushed, now, |done, outcome| ended.push((done, outcome)));
        drop(desk);
        self.done.notify_all();
    }

    /// Lets those go whose time is over, and answers how long the next one still has.
    pub(crate) fn expire(&self) -> Option<Duration> {
        let now = self.millis();
        let next = self.desk().group.next_deadline()?;
        if next <= now {
            self.settle(self.durable.load(Ordering::Acquire));
        }
        let next = self.desk().group.next_deadline()?;
        Some(Duration::from_millis(u64::try_from(next - now).unwrap_or(0).max(1)))
    }

    /// The log cannot be flushed beyond `flushed`: lets everybody go, now and from now on.
    pub(crate) fn fail(&self, flushed: u64, why: ErrorKind) {
        self.durable.fetch_max(flushed, Ordering::AcqRel);
        let mut desk = self.desk();
        desk.failed.get_or_insert(why);
        let Desk { group, ended, .. } = &mut *desk;
        group.fail(flushed, why, |done, outcome| ended.push((done, outcome)));
        drop(desk);
        self.done.notify_all();
    }

    /// Tells those whose wait has ended, with nothing of ours held: they may put, flush, or
    /// drop the last handle of the store.
    pub(crate) fn tell(&self) {
        loop {
            let ended = std::mem::take(&mut self.desk().ended);
            if ended.is_empty() {
                return;
            }
            for (done, outcome) in ended {
                // one that panics costs itself only: the thread serves all the others, too
                if catch_unwind(AssertUnwindSafe(|| done(outcome))).is_err() {
                    log::error!(target: "mqstore", "the completion of a put has panicked");
                }
            }
        }
    }

    /// Stops the flusher's thread. Whoever still waits is let go by [`FlushDesk::settle`]
    /// before.
    pub(crate) fn stop(&self) {
        self.desk().stopped = true;
        self.wake.notify_all();
        self.done.notify_all();
    }
}
