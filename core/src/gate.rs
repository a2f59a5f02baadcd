//! May a message be written now? Four gates, in RocketMQ's order (spec 01 section 1.1).

use crate::cause::{Cause, Refusal};
use crate::clock::Clock;
use crate::flags::{Reason, RunningFlags};
use crate::lock::TimeInLock;
use crate::observe::{EveryNth, Observer};
use crate::status::{BrokerRole, PutMessageStatus};
use crate::sync::{AtomicI64, Ordering};

/// Of refusals by role or flags, the first is told and then each 50,000th.
const TOLD_ONCE_IN: u64 = 50_000;

/// What the gates look at that configuration may change while the store runs.
#[derive(Clone, Copy, Debug)]
pub struct GateRules {
    /// `brokerRole`
    pub role: BrokerRole,
    /// `osPageCacheBusyTimeOutMills`
    pub page_cache_busy_millis: i64,
}

/// The gates of one store.
#[derive(Debug)]
pub struct Gates {
    /// Readable, writeable, and why not.
    pub flags: RunningFlags,
    /// Since when the put lock has been held.
    pub time_in_lock: TimeInLock,
    /// `i64::MIN`: open; else since when the store has been shut, 0 if it was never open.
    shut_since: AtomicI64,
    /// RocketMQ's `printTimes`.
    print_times: EveryNth,
}

const OPEN: i64 = i64::MIN;

impl Default for Gates {
    fn default() -> Self {
        Self::new()
    }
}

impl Gates {
    /// Shut, until [`Gates::open`].
    #[must_use]
    pub fn new() -> Self {
        Self {
            flags: RunningFlags::new(),
            time_in_lock: TimeInLock::new(),
            shut_since: AtomicI64::new(0),
            print_times: EveryNth::new(TOLD_ONCE_IN),
        }
    }

    /// Lets puts in: the last step of opening a store.
    pub fn open(&self) {
        self.shut_since.store(OPEN, Ordering::Release);
    }

    /// Shuts gate 1; answers whether it was open. The first step of closing a store.
    pub fn shut(&self, now: i64) -> bool {
        self.shut_since
            .compare_exchange(OPEN, now.max(0), Ordering::AcqRel, Ordering::Acquire)
            .is_ok()
    }

    /// Whether gate 1 is open.
    pub fn is_open(&self) -> bool {
        self.shut_since.load(Ordering::Acquire) == OPEN
    }

    /// Asks all four gates.
    ///
    /// # Errors
    /// `SERVICE_NOT_AVAILABLE` when shut, a slave, or not writeable; `OS_PAGECACHE_BUSY` when
    /// the holder of the put lock has been inside for too long.
    #[inline]
    pub fn check(
        &self,
        rules: &GateRules,
        clock: &impl Clock,
        observer: &impl Observer,
    ) -> Result<(), Refusal> {
        if !self.is_open() {
            return Err(self.refuse_shut(observer));
        }
        if rules.role == BrokerRole::Slave {
            return Err(self.refuse(Cause::RoleSlave, observer));
        }
        if !self.flags.is_writeable() {
            return Err(self.refuse_flags(observer));
        }
        self.print_times.reset();
        if self.time_in_lock.is_held()
            && let Some(held_millis) =
                self.time_in_lock.busy(clock.now(), rules.page_cache_busy_millis)
        {
            let cause = Cause::PageCacheBusy { held_millis };
            return Err(Refusal::new(PutMessageStatus::OsPageCacheBusy, cause));
        }
        Ok(())
    }

    #[cold]
    fn refuse_shut(&self, observer: &impl Observer) -> Refusal {
        let since = match self.shut_since.load(Ordering::Acquire) {
            OPEN => 0,
            since => since,
        };
        let refusal =
            Refusal::new(PutMessageStatus::ServiceNotAvailable, Cause::Shutdown { since });
        observer.refused(&refusal, 0);
        refusal
    }

    #[cold]
    fn refuse_flags(&self, observer: &impl Observer) -> Refusal {
        // cleared between the two looks: it was by hand, then, or a disk that has room again
        let (reason, since) = self.flags.first_reason().unwrap_or((Reason::ByHand, 0));
        self.refuse(Cause::NotWriteable { reason, since }, observer)
    }

    #[cold]
    fn refuse(&self, cause: Cause, observer: &impl Observer) -> Refusal {
        let refusal = Refusal::new(PutMessageStatus::ServiceNotAvailable, cause);
        if let Some(before) = self.print_times.hit() {
            observer.refused(&refusal, before);
        }
        refusal
    }
}

#[cfg(all(test, not(loom)))]
mod tests;
