//! Writers in a closed loop, each call timed.

use core::time::Duration;
use std::panic::resume_unwind;
use std::sync::Barrier;
use std::thread::{self, ScopedJoinHandle};
use std::time::Instant;

use hdrhistogram::Histogram;
use mqstore::{PutMessageStatus, Store};

use super::interrupt::stand_still_if_interrupted;
use super::options::Options;
use super::source::Source;
use crate::cli::CliError;

/// A writer that is refused so often in a row gives up: nothing is measured any more.
const PATIENCE: u32 = 1000;

/// When the writers stop.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Until {
    /// After so many calls of all of them together.
    Calls(u64),
    /// After this time.
    Time(Duration),
}

/// A store under load.
pub(crate) struct Load<'a> {
    pub(crate) store: &'a Store,
    pub(crate) options: &'a Options,
}

/// What the writers have done.
#[derive(Clone, Debug)]
pub(crate) struct Done {
    pub(crate) messages: u64,
    pub(crate) stored_bytes: u64,
    pub(crate) failed: u64,
    pub(crate) last_failure: Option<String>,
    pub(crate) took: Duration,
    /// Nanoseconds of each call.
    pub(crate) latencies: Histogram<u64>,
}

/// One nanosecond to a minute, to three digits.
pub(crate) fn empty_histogram() -> Histogram<u64> {
    match Histogram::new_with_bounds(1, 60_000_000_000, 3) {
        Ok(histogram) => histogram,
        Err(e) => unreachable!("these bounds are legal: {e}"),
    }
}

impl Done {
    fn new() -> Self {
        Self {
            messages: 0,
            stored_bytes: 0,
            failed: 0,
            last_failure: None,
            took: Duration::ZERO,
            latencies: empty_histogram(),
        }
    }

    fn add(&mut self, other: Self) {
        self.messages += other.messages;
        self.stored_bytes += other.stored_bytes;
        self.failed += other.failed;
        self.last_failure = other.last_failure.or(self.last_failure.take());
        // all have the same bounds
        let _ = self.latencies.add(&other.latencies);
    }
}

impl Load<'_> {
    /// Lets all writers run.
    ///
    /// # Errors
    /// [`CliError::Failed`] if a thread cannot be started.
    pub(crate) fn run(&self, until: Until) -> Result<Done, CliError> {
        let threads = self.options.threads;
        let barrier = Barrier::new(threads + 1);
        let mut all = Done::new();
        thread::scope(|scope| {
            let writers: Vec<ScopedJoinHandle<'_, Done>> = (0..threads as u64)
                .map(|id| {
                    let barrier = &barrier;
                    scope.spawn(move || {
                        let source = Source::new(self.options, id);
                        barrier.wait();
                        self.write(source, self.share(until, id))
                    })
                })
                .collect();
            barrier.wait();
            let start = Instant::now();
            for writer in writers {
                all.add(writer.join().unwrap_or_else(|panic| resume_unwind(panic)));
            }
            all.took = start.elapsed();
        });
        Ok(all)
    }

    /// What one of the writers has to do.
    fn share(&self, until: Until, id: u64) -> Until {
        let threads = self.options.threads as u64;
        match until {
            Until::Calls(n) => Until::Calls(n / threads + u64::from(id < n % threads)),
            time @ Until::Time(_) => time,
        }
    }

    fn write(&self, mut source: Source, until: Until) -> Done {
        let mut done = Done::new();
        let (calls, time) = match until {
            Until::Calls(n) => (n, None),
            Until::Time(time) => (u64::MAX, Some(time)),
        };
        let begun = Instant::now();
        let mut in_a_row = 0;
        for n in 0..calls {
            stand_still_if_interrupted();
            source.make(n);
            let start = Instant::now();
            let result = source.put(self.store);
            let end = Instant::now();
            let nanos = u64::try_from((end - start).as_nanos()).unwrap_or(u64::MAX);
            done.latencies.saturating_record(nanos);
            match &result.append {
                Some(append) if result.status == PutMessageStatus::PutOk => {
                    in_a_row = 0;
                    done.messages += u64::from(append.msg_num);
                    done.stored_bytes += u64::from(append.wrote_bytes);
                }
                _ => {
                    (done.failed, in_a_row) = (done.failed + 1, in_a_row + 1);
                    let cause = result.cause.map(|c| format!(": {c}")).unwrap_or_default();
                    done.last_failure = Some(format!("{}{cause}", result.status.java_name()));
                    thread::sleep(Duration::from_millis(1));
                }
            }
            if in_a_row == PATIENCE || time.is_some_and(|time| end - begun >= time) {
                break;
            }
        }
        done
    }
}
