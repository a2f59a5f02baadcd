//! Closing a store, flushing it by hand, changing its settings, and looking at it.

use std::sync::{MutexGuard, PoisonError, RwLockReadGuard};

use mqstore_core::cause::{Cause, Refusal};
use mqstore_core::clock::Clock;
use mqstore_core::flags::Reason;
use mqstore_core::lock::PutLock;
use mqstore_core::offsets::QueueOffsets;
use mqstore_core::segment::{ErrorKind, MediumError, SegmentTable, SmallFile};
use mqstore_core::status::{BrokerRole, PutMessageStatus};

use super::services::{self, Services};
use super::{Engine, HostMedium};
use crate::config::{ConfigError, MessageStoreConfig, MqstoreSettings};
use crate::error::FlushFailure;
use crate::events::LogLines;
use crate::stats::PutTotals;
use crate::status::StoreStatus;

/// A flush that has not got there after so many rounds never will.
const FLUSH_ROUNDS: u32 = 100_000;

impl<M: HostMedium> Engine<M> {
    pub(super) fn services(&self) -> MutexGuard<'_, Services> {
        self.services.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Shuts the gates, makes everything durable, and lets the store go. Whoever closes while
    /// somebody else does waits, and gets the same answer.
    pub(crate) fn close(&self) -> Result<(), FlushFailure> {
        let first = self.gates.shut(self.clock.now());
        if !first && services::is_service() {
            // the one who closes waits for this thread
            return Ok(());
        }
        let mut closed = self.closed.lock().unwrap_or_else(PoisonError::into_inner);
        closed.get_or_insert_with(|| self.close_once()).clone()
    }

    fn close_once(&self) -> Result<(), FlushFailure> {
        // whoever is in the lock gets done; whoever comes later is refused
        self.lock.with(|guarded| guarded.closed = true);
        let flushed = self.flush();
        self.flush.stop();
        std::mem::take(&mut *self.services()).stop();
        let closed = flushed.and_then(|_| self.leave_clean());
        self.let_go();
        *self.owner.lock().unwrap_or_else(PoisonError::into_inner) = None;
        closed
    }

    /// Gives every segment up, so that whoever opens the store next may write where this one
    /// did; what it looked like at the end is kept.
    fn let_go(&self) {
        let last = self.status();
        let _alone = self.in_use.write().unwrap_or_else(PoisonError::into_inner);
        *self.last_status.lock().unwrap_or_else(PoisonError::into_inner) = Some(last);
        self.lock.with(|guarded| guarded.writer.let_go());
        while self.log.table().pop_last().is_some() {}
    }

    /// The last writes of a close that has flushed everything: the checkpoint, and the abort
    /// file, which stays when the store was not writeable.
    fn leave_clean(&self) -> Result<(), FlushFailure> {
        let failed = |e: &M::Error| FlushFailure {
            flushed_where: self.log.flushed_where(),
            kind: e.kind(),
            error: e.to_string(),
        };
        self.checkpoint.flush().map_err(|e| failed(&e))?;
        if self.gates.flags.is_writeable() {
            self.medium.erase(SmallFile::Abort).map_err(|e| failed(&e))?;
        }
        Ok(())
    }

    /// Makes everything put so far durable.
    pub(crate) fn flush(&self) -> Result<u64, FlushFailure> {
        let flushed = self.flush_all();
        self.flush.tell();
        flushed
    }

    fn flush_all(&self) -> Result<u64, FlushFailure> {
        let end = self.log.written_offset();
        let mut flushed = 0;
        for _ in 0..FLUSH_ROUNDS {
            flushed = self.flush_round(0, None)?;
            if flushed >= end {
                return Ok(flushed);
            }
            // another flush is under way
            std::thread::yield_now();
        }
        let error = format!("the flush does not reach {end}");
        Err(FlushFailure { flushed_where: flushed, kind: ErrorKind::Other, error })
    }

    /// Appends raw bytes as a slave does.
    pub(crate) fn append_raw(&self, offset: u64, bytes: &[u8]) -> Result<u64, Refusal> {
        if !self.gates.is_open() {
            let cause = Cause::Shutdown { since: self.now() };
            return Err(Refusal::new(PutMessageStatus::ServiceNotAvailable, cause));
        }
        let stopped = |(r, _): &(Reason, i64)| matches!(r, Reason::LogStopped(_));
        if let Some((reason, since)) = self.gates.flags.reasons().find(stopped) {
            let cause = Cause::NotWriteable { reason, since };
            return Err(Refusal::new(PutMessageStatus::ServiceNotAvailable, cause));
        }
        let appended =
            self.in_lock(|writer| Ok(writer.append_raw(&self.log, offset, bytes, &LogLines)?));
        let appended = appended.map_err(|not| not.refusal)?;
        self.flush.wake();
        Ok(appended)
    }

    /// The store's clock.
    pub(crate) fn now(&self) -> i64 {
        self.clock.now()
    }

    /// The settings in force.
    pub(crate) fn config(&self) -> (MessageStoreConfig, MqstoreSettings) {
        self.config.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Changes a setting that may change while the store runs.
    pub(crate) fn set(&self, name: &str, value: &str) -> Result<(), ConfigError> {
        let mut guard = self.config.write().unwrap_or_else(PoisonError::into_inner);
        let (mut config, mut settings) = guard.clone();
        if name.starts_with("mqstore.") {
            settings.set_live(name, value)?;
        } else {
            config.set_live(name, value)?;
            config.validate()?;
            super::open::check_window(self.geometry, &config)?;
        }
        self.rules.update(&config, &settings);
        *guard = (config, settings);
        drop(guard);
        if self.rules.role() != BrokerRole::Slave {
            self.lock.with(|g| g.writer.set_multi_dispatch(self.rules.multi_dispatch()));
        }
        Ok(())
    }

    /// Messages and bytes put.
    pub(super) fn put_totals(&self) -> PutTotals {
        self.totals.get()
    }

    /// How long the put lock has been held, milliseconds (`lockTimeMills`), and whether that
    /// makes puts refused (`isOSPageCacheBusy`). Takes no lock.
    pub(crate) fn lock_time(&self) -> (i64, bool) {
        let now = self.now();
        let busy_millis = self.rules.gate().page_cache_busy_millis;
        let time_in_lock = &self.gates.time_in_lock;
        (time_in_lock.held_millis(now), time_in_lock.busy(now, busy_millis).is_some())
    }

    /// A snapshot; of a closed store, the last one.
    pub(crate) fn status(&self) -> StoreStatus {
        let last = self.last_status.lock().unwrap_or_else(PoisonError::into_inner).clone();
        last.unwrap_or_else(|| self.status_now())
    }

    /// To be held as long as segments of the log are.
    pub(super) fn using_segments(&self) -> RwLockReadGuard<'_, ()> {
        self.in_use.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn status_now(&self) -> StoreStatus {
        let _using = self.using_segments();
        let table = self.log.table();
        // before this waits for the lock itself
        let (lock_time_millis, os_page_cache_busy) = self.lock_time();
        let (mut queues, mut light_queues) = (Vec::new(), Vec::new());
        let mut totals = crate::stats::TopicTotals::default();
        self.lock.with(|guarded| {
            guarded.writer.queues().each(&mut |topic, queue_id, state| {
                queues.push((topic.to_owned(), queue_id, state.next));
                totals.add(topic, state.put_times, state.put_size);
            });
            guarded.writer.light_queues().each(&mut |name, queue_id, state| {
                light_queues.push((name.to_owned(), queue_id, state.next));
            });
        });
        queues.sort();
        light_queues.sort();
        StoreStatus {
            min_phy_offset: self
                .log
                .min_offset()
                .map_or(-1, |o| i64::try_from(o).unwrap_or(i64::MAX)),
            max_phy_offset: self.log.max_offset(),
            written_offset: self.log.written_offset(),
            committed_where: self.log.committed_where(),
            flushed_where: self.log.flushed_where(),
            commit_log_files: table.bases(),
            lock_time_millis,
            os_page_cache_busy,
            queues,
            light_queues,
            checkpoint: self.checkpoint.times(),
            stats: self.stats.snapshot(&totals),
        }
    }
}
