//! The store's threads: each runs one duty of core until the store is closed (spec 04 sections
//! 4, 6 and 7).

use core::sync::atomic::{AtomicBool, Ordering};
use std::cell::Cell;
use std::io;
use std::sync::{Arc, Weak};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use mqstore_core::clock::Clock;
use mqstore_core::duty::{CommitEvery, FlushEvery, Intervals, WarmAhead, WarmStep};
use mqstore_core::segment::{Readable, Segment, SegmentTable};

use super::{Commits, Engine, HostMedium, Shared};
use crate::config::MessageStoreConfig;
use crate::stats::Minute;

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

thread_local! {
    /// Set on the store's own threads.
    static SERVICE: Cell<bool> = const { Cell::new(false) };
}

/// Whether this is one of a store's own threads.
pub(super) fn is_service() -> bool {
    SERVICE.get()
}

impl Services {
    /// Starts what the configuration asks for.
    pub(super) fn start<M: HostMedium>(engine: &Shared<M>) -> io::Result<Self> {
        let mut services = Self::default();
        let (_, settings) = engine.config();
        services.spawn("mqstore-flush", engine, |e, _| flusher(e))?;
        if engine.commits == Commits::ByThread {
            services.spawn("mqstore-commit", engine, committer)?;
            engine.commit_bell.set(services.threads.last().map(JoinHandle::thread));
        }
        if settings.prepared_bytes > 0 {
            let lead = u32::try_from(settings.prepared_bytes).unwrap_or(u32::MAX);
            services.spawn("mqstore-warm", engine, move |e, stop| warmer(e, stop, lead))?;
        }
        services.spawn("mqstore-watch", engine, watcher)?;
        Ok(services)
    }

    fn spawn<M: HostMedium>(
        &mut self,
        name: &str,
        engine: &Shared<M>,
        run: impl FnOnce(&Weak<Engine<M>>, &AtomicBool) + Send + 'static,
    ) -> io::Result<()> {
        let (engine, stopping) = (Arc::downgrade(engine), Arc::clone(&self.stopping));
        let body = move || {
            SERVICE.set(true);
            run(&engine, &stopping);
        };
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
    if let Some(e) = engine.upgrade() {
        e.flush.i_am_the_flusher();
    }
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
            if !e.flush.lead(false, None, &|deadline| e.flush_for_all(deadline)) {
                // whose time is over is told so, however long that flush takes
                e.flush.settle(e.log.flushed_where());
                thread::yield_now();
            }
            e.flush.tell();
            continue;
        }
        let rules = intervals(
            config.flush_commit_log_least_pages,
            config.flush_commit_log_thorough_interval,
        );
        let pages = every.least_pages(e.clock.now(), &rules);
        let now_written = e.log.written_offset();
        let pages = pages_due(pages, written, now_written);
        written = now_written;
        // a failure has told the desk, and stopped the log
        let _ = e.flush_round(pages, None);
        e.flush.tell();
    }
}

/// How many dirty pages this round asks for, with the log written up to `before` in the last
/// round and up to `now` in this one.
///
/// To flush the page that is being written stalls the writer for as long as the disk takes. It
/// is flushed when the log is quiet, and by a thorough round when the writer has not left it
/// for a round; else the next round finds it behind the writer.
fn pages_due(pages: u32, before: u64, now: u64) -> u32 {
    const PAGE: u64 = 4096;
    if now == before {
        0
    } else if now / PAGE == before / PAGE {
        pages
    } else {
        pages.max(1)
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
        e.commit_bell.heard();
        if let Ok(true) = e.commit_round(pages, None) {
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

/// `StoreStatsService`, and `FlushDiskWatcher`: lets asynchronous puts go whose time is over
/// while the flusher waits for the disk.
fn watcher<M: HostMedium>(engine: &Weak<Engine<M>>, stopping: &AtomicBool) {
    let mut next_sample = Instant::now();
    while !stopping.load(Ordering::Acquire) {
        let Some(e) = engine.upgrade() else { return };
        let now = Instant::now();
        if now >= next_sample {
            next_sample = now + STATS_PAUSE;
            if let Some(minute) = e.stats.sample(e.clock.now(), e.put_totals()) {
                let Minute { puts, distribution } = minute;
                log::info!(target: "mqstore", "{puts} puts in the last minute: {distribution}");
            }
        }
        let pause = e.flush.expire().unwrap_or(STATS_PAUSE);
        e.flush.tell();
        drop(e);
        thread::park_timeout(pause.min(next_sample.saturating_duration_since(Instant::now())));
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

#[cfg(test)]
mod tests {
    use super::pages_due;

    #[test]
    fn the_page_under_the_writers_hands_is_flushed_only_when_he_rests_on_it() {
        assert_eq!(pages_due(4, 5000, 5000), 0, "a quiet log");
        assert_eq!(pages_due(0, 5000, 6000), 0, "a thorough round, the same page");
        assert_eq!(pages_due(0, 5000, 9000), 1, "a thorough round, whole pages behind him");
        assert_eq!(pages_due(4, 5000, 9000), 4);
        assert_eq!(pages_due(4, 5000, 6000), 4);
    }
}
