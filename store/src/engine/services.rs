//! The store's threads: each runs one duty of core until the store is closed (spec 04 sections
//! 4, 6 and 7).

use core::sync::atomic::{AtomicBool, Ordering};
use core::task::Poll;
use std::io;
use std::sync::{Arc, Weak};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use mqstore_core::clock::Clock;
use mqstore_core::duty::{CommitEvery, FlushEvery, Intervals, WarmAhead, WarmStep};
use mqstore_core::lock::PutLock;
use mqstore_core::log::{FlushError, Step};
use mqstore_core::observe::Observer;
use mqstore_core::segment::{MediumError, Readable, Segment, SegmentTable};

use super::{Engine, HostMedium, Shared};
use crate::config::MessageStoreConfig;
use crate::error::FlushFailure;
use crate::events::LogLines;
use crate::stats::{Minute, PutTotals};

/// The running threads.
#[derive(Default)]
pub(super) struct Services {
    threads: Vec<JoinHandle<()>>,
    stopping: Arc<AtomicBool>,
}

/// With synchronous flush, puts that do not wait are flushed this often, milliseconds.
const SYNC_ROUND_MILLIS: u64 = 10;
/// How often the warmer looks while the log grows, and while it does not.
const WARM_BUSY: Duration = Duration::from_millis(1);
const WARM_IDLE: Duration = Duration::from_millis(50);
/// The statistics take a sample this often.
const STATS_PAUSE: Duration = Duration::from_secs(1);
/// Pages are made present in steps of this many bytes.
const WARM_STEP: u32 = 1 << 20;
/// The same where they are also written and synced, which should not come often.
const WARM_SYNCED_STEP: u32 = 16 << 20;

impl Services {
    /// Starts what the configuration asks for.
    pub(super) fn start<M: HostMedium>(engine: &Shared<M>) -> io::Result<Self> {
        let mut services = Self::default();
        let (config, settings) = engine.config();
        services.spawn("mqstore-flush", engine, |e, _| flusher(e))?;
        if config.transient_store_pool() {
            services.spawn("mqstore-commit", engine, committer)?;
        }
        if settings.prepared_bytes > 0 {
            let lead = u32::try_from(settings.prepared_bytes).unwrap_or(u32::MAX);
            services.spawn("mqstore-warm", engine, move |e, stop| warmer(e, stop, lead))?;
        }
        services.spawn("mqstore-stats", engine, statistician)?;
        Ok(services)
    }

    fn spawn<M: HostMedium>(
        &mut self,
        name: &str,
        engine: &Shared<M>,
        run: impl FnOnce(&Weak<Engine<M>>, &AtomicBool) + Send + 'static,
    ) -> io::Result<()> {
        let (engine, stopping) = (Arc::downgrade(engine), Arc::clone(&self.stopping));
        let body = move || run(&engine, &stopping);
        self.threads.push(thread::Builder::new().name(name.into()).spawn(body)?);
        Ok(())
    }

    /// Tells every thread to end, and waits for them.
    pub(super) fn stop(self) {
        self.stopping.store(true, Ordering::Release);
        let me = thread::current().id();
        for thread in self.threads {
            thread.thread().unpark();
            // a completion that drops the last handle of a store runs on one of them
            if thread.thread().id() != me && thread.join().is_err() {
                log::error!(target: "mqstore", "one of the store's threads has panicked");
            }
        }
    }
}

impl<M: HostMedium> Engine<M> {
    /// Flushes what is due; with `least_pages` 0 everything. A failure stops the log.
    pub(super) fn flush_round(&self, least_pages: u32) -> Result<u64, FlushFailure> {
        loop {
            if least_pages == 0 {
                // without staging it only follows the written position
                self.commit_round(0)?;
            }
            match self.log.poll_flush(least_pages) {
                Poll::Pending => thread::yield_now(),
                Poll::Ready(Ok(Step::Moved)) => {}
                Poll::Ready(Ok(Step::Nothing)) => break,
                Poll::Ready(Err(e)) => return Err(self.log_stopped(&e)),
            }
        }
        let timestamp = self.log.store_timestamp();
        if timestamp > 0 {
            self.checkpoint.set_physic(timestamp);
        }
        Ok(self.log.flushed_where())
    }

    /// Flushes everything written so far, and tells the desk.
    pub(super) fn flush_for_all(&self) {
        // a failure has told the desk already
        if let Ok(flushed) = self.flush_round(0) {
            self.flush.settle(flushed);
        }
    }

    /// Commits what is due; answers whether anything moved.
    pub(super) fn commit_round(&self, least_pages: u32) -> Result<bool, FlushFailure> {
        let mut moved = false;
        loop {
            match self.log.poll_commit(least_pages) {
                Poll::Pending => thread::yield_now(),
                Poll::Ready(Ok(Step::Moved)) => moved = true,
                Poll::Ready(Ok(Step::Nothing)) => return Ok(moved),
                Poll::Ready(Err(e)) => return Err(self.log_stopped(&e)),
            }
        }
    }

    /// A commit or flush has failed: no more writes, and everybody who waits is told.
    fn log_stopped<E: MediumError>(&self, e: &FlushError<E>) -> FlushFailure {
        let flushed_where = self.log.flushed_where();
        LogLines.flush_failed(flushed_where, &e.error);
        self.gates.flags.stop_log(e.kind(), self.clock.now());
        self.flush.fail(flushed_where, e.kind());
        FlushFailure { flushed_where, kind: e.kind(), error: e.error.to_string() }
    }
}

fn intervals(least_pages: i32, thorough_millis: i32) -> Intervals {
    Intervals {
        least_pages: u32::try_from(least_pages).unwrap_or(0),
        thorough_millis: i64::from(thorough_millis),
    }
}

/// `GroupCommitService` and `FlushRealTimeService` in one: which of the two it is may change
/// while the store runs.
fn flusher<M: HostMedium>(engine: &Weak<Engine<M>>) {
    let mut every = FlushEvery::default();
    let mut written = 0;
    loop {
        let Some(e) = engine.upgrade() else { return };
        let (config, _) = e.config();
        let sync = e.rules.sync_flush();
        let pause = if sync { SYNC_ROUND_MILLIS } else { flush_interval(&config) };
        if !e.flush.next_round(pause) {
            return;
        }
        if e.rules.sync_flush() {
            // a put that leads flushes for this round, too
            if !e.flush.lead(false, &|| e.flush_for_all()) {
                thread::yield_now();
            }
            e.flush.tell();
            continue;
        }
        let rules = intervals(
            config.flush_commit_log_least_pages,
            config.flush_commit_log_thorough_interval,
        );
        let mut pages = every.least_pages(e.clock.now(), &rules);
        let now_written = e.log.written_offset();
        if now_written == written {
            // the log is quiet: what lies in its last page is flushed, too
            pages = 0;
        }
        written = now_written;
        if let Ok(flushed) = e.flush_round(pages) {
            e.flush.settle(flushed);
        }
        e.flush.tell();
    }
}

fn flush_interval(config: &MessageStoreConfig) -> u64 {
    u64::try_from(config.flush_interval_commit_log).unwrap_or(0).max(1)
}

/// `CommitRealTimeService`
fn committer<M: HostMedium>(engine: &Weak<Engine<M>>, stopping: &AtomicBool) {
    let mut every = CommitEvery::default();
    while !stopping.load(Ordering::Acquire) {
        let Some(e) = engine.upgrade() else { return };
        let (config, _) = e.config();
        let rules = intervals(
            config.commit_commit_log_least_pages,
            config.commit_commit_log_thorough_interval,
        );
        let pages = every.least_pages(e.clock.now(), &rules);
        if let Ok(true) = e.commit_round(pages) {
            every.moved(e.clock.now());
            if !e.rules.timed_flush() {
                e.flush.wake();
            }
        }
        let pause = u64::try_from(config.commit_interval_commit_log).unwrap_or(0).max(1);
        drop(e);
        thread::park_timeout(Duration::from_millis(pause));
    }
}

/// `StoreStatsService`
fn statistician<M: HostMedium>(engine: &Weak<Engine<M>>, stopping: &AtomicBool) {
    while !stopping.load(Ordering::Acquire) {
        let Some(e) = engine.upgrade() else { return };
        let (times, size) = e.lock.with(|guarded| guarded.writer.put_totals());
        if let Some(minute) = e.stats.sample(e.clock.now(), PutTotals { times, size }) {
            let Minute { puts, distribution } = minute;
            log::info!(target: "mqstore", "{puts} puts in the last minute: {distribution}");
        }
        drop(e);
        thread::park_timeout(STATS_PAUSE);
    }
}

/// Keeps pages present ahead of the writer.
fn warmer<M: HostMedium>(engine: &Weak<Engine<M>>, stopping: &AtomicBool, lead: u32) {
    // the segment that is warmed, how far it is, and how far the writer was
    let (mut base, mut done, mut written) = (None, 0, 0);
    while !stopping.load(Ordering::Acquire) {
        let Some(e) = engine.upgrade() else { return };
        let mut pause = WARM_IDLE;
        if let Some(segment) = e.log.table().last() {
            if base != Some(segment.base()) {
                (base, done) = (Some(segment.base()), 0);
            }
            let staged = segment.geometry().staged;
            let step = if staged { WARM_SYNCED_STEP } else { WARM_STEP };
            match (WarmAhead { lead, step }).step(&segment, done) {
                WarmStep::UpTo(reached) => {
                    done = reached;
                    pause = Duration::ZERO;
                }
                WarmStep::Ahead => {}
                WarmStep::Unable => done = segment.geometry().capacity,
            }
            let now_written = segment.base() + u64::from(segment.marks().published());
            if pause != Duration::ZERO && now_written != written {
                pause = WARM_BUSY;
            }
            written = now_written;
        }
        drop(e);
        if pause != Duration::ZERO {
            thread::park_timeout(pause);
        }
    }
}
