//! The counters themselves: what puts and gets touch on their way.

use core::sync::atomic::{AtomicI64, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::bounds::{BUCKETS, bucket};
use super::runtime_info::{self, RuntimeInfo};
use super::samples::{Minute, Sample, Samples};
use super::snapshot::PutStats;
use super::topics::{PutTotals, TopicTotals};

/// The counters of one store. A clone counts into the same ones.
#[derive(Clone, Debug, Default)]
pub struct StoreStats(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    puts: Puts,
    gets: Gets,
    slow: Mutex<Slow>,
}

/// 15 words, alone in their cache lines: a put touches nothing else here.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Puts {
    distribution: [AtomicU64; BUCKETS],
    longest_millis: AtomicI64,
    failed: AtomicU64,
}

#[derive(Debug, Default)]
#[repr(align(128))]
struct Gets {
    found: AtomicU64,
    missed: AtomicU64,
    transferred: AtomicU64,
    longest_millis: AtomicI64,
}

/// What is touched once a second.
#[derive(Debug, Default)]
struct Slow {
    samples: Samples,
    booted_millis: Option<i64>,
}

impl StoreStats {
    /// The counters of a store that was opened at this time, milliseconds since 1970. Those of
    /// [`StoreStats::default`] count the first sample's time as the opening.
    #[must_use]
    pub fn booted_at(now_millis: i64) -> Self {
        let stats = Self::default();
        stats.slow().booted_millis = Some(now_millis);
        stats
    }

    /// Counts a put that reached the log's own checks: how long it took
    /// (`putMessageEntireTimeMax`, `putMessageDistributeTime`), and whether it was answered with
    /// `PUT_OK` (`putMessageFailedTimes`).
    #[inline]
    pub fn put_took(&self, millis: i64, ok: bool) {
        let puts = &self.0.puts;
        if let Some(count) = puts.distribution.get(bucket(millis)) {
            count.fetch_add(1, Relaxed);
        }
        raise(&puts.longest_millis, millis);
        if !ok {
            puts.failed.fetch_add(1, Relaxed);
        }
    }

    /// Counts a get: how long it took (`getMessageEntireTimeMax`), whether it found anything
    /// (`getMessageTimesTotalFound`, `getMessageTimesTotalMiss`), and how many messages it hands
    /// out (`getMessageTransferedMsgCount`).
    #[inline]
    pub fn get_took(&self, millis: i64, found: bool, transferred: u64) {
        let gets = &self.0.gets;
        let times = if found { &gets.found } else { &gets.missed };
        times.fetch_add(1, Relaxed);
        if transferred > 0 {
            gets.transferred.fetch_add(transferred, Relaxed);
        }
        raise(&gets.longest_millis, millis);
    }

    /// Takes a sample: to be called once a second with the time and the totals of puts. Answers
    /// the line for the log when a minute is over (RocketMQ's `[PAGECACHERT]`).
    pub fn sample(&self, now_millis: i64, totals: PutTotals) -> Option<Minute> {
        let gets = &self.0.gets;
        let sample = Sample {
            at_millis: now_millis,
            put: totals.times,
            found: gets.found.load(Relaxed),
            missed: gets.missed.load(Relaxed),
            transferred: gets.transferred.load(Relaxed),
        };
        let counts = self.distribution();
        let mut slow = self.slow();
        slow.booted_millis.get_or_insert(now_millis);
        slow.samples.push(sample, &counts)
    }

    /// The counters, with the totals of puts.
    #[must_use]
    pub fn snapshot(&self, totals: &TopicTotals) -> PutStats {
        let (puts, gets) = (&self.0.puts, &self.0.gets);
        let slow = self.slow();
        let topics = totals.iter().map(|(topic, t)| (topic.to_owned(), t.times, t.size));
        PutStats {
            put_message_times_total: totals.sum().times,
            put_message_size_total: totals.sum().size,
            put_message_failed_times: puts.failed.load(Relaxed),
            put_message_entire_time_max: puts.longest_millis.load(Relaxed),
            put_message_distribute_time: self.distribution(),
            put_tps: slow.samples.rates(|s| s.put),
            topics: topics.collect(),
            get_message_times_total_found: gets.found.load(Relaxed),
            get_message_times_total_miss: gets.missed.load(Relaxed),
            get_message_transfered_msg_count: gets.transferred.load(Relaxed),
            get_message_entire_time_max: gets.longest_millis.load(Relaxed),
        }
    }

    /// RocketMQ's `getRuntimeInfo`, as far as its statistics are in it: names and texts for its
    /// tools.
    #[must_use]
    pub fn runtime_info(&self, now_millis: i64, totals: PutTotals) -> RuntimeInfo {
        let (puts, gets) = (&self.0.puts, &self.0.gets);
        let counts = self.distribution();
        let slow = self.slow();
        let samples = &slow.samples;
        runtime_info::Source {
            now_millis,
            booted_millis: slow.booted_millis.unwrap_or(now_millis),
            totals,
            failed: puts.failed.load(Relaxed),
            longest_put_millis: puts.longest_millis.load(Relaxed),
            longest_get_millis: gets.longest_millis.load(Relaxed),
            distribution: samples.last_minute(&counts),
            put: samples.rates(|s| s.put),
            found: samples.rates(|s| s.found),
            missed: samples.rates(|s| s.missed),
            transferred: samples.rates(|s| s.transferred),
        }
        .write()
    }

    fn distribution(&self) -> [u64; BUCKETS] {
        self.0.puts.distribution.each_ref().map(|count| count.load(Relaxed))
    }

    fn slow(&self) -> MutexGuard<'_, Slow> {
        self.0.slow.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[inline]
fn raise(longest: &AtomicI64, millis: i64) {
    // nearly always only a load
    if millis > longest.load(Relaxed) {
        longest.fetch_max(millis, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_put_is_counted_with_its_time_and_its_failure() {
        let stats = StoreStats::default();
        stats.clone().put_took(7, true);
        stats.put_took(12_000, false);
        stats.put_took(-3, true);
        let mut totals = TopicTotals::default();
        totals.add("A", 2, 300);
        let seen = stats.snapshot(&totals);
        assert_eq!(seen.put_message_failed_times, 1);
        assert_eq!(seen.put_message_entire_time_max, 12_000);
        assert_eq!(seen.put_message_distribute_time, [1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
        assert_eq!((seen.put_message_times_total, seen.put_message_size_total), (2, 300));
        assert_eq!(seen.topics, [("A".to_owned(), 2, 300)]);
    }

    #[test]
    fn a_get_is_counted_as_found_or_missed() {
        let stats = StoreStats::default();
        stats.get_took(3, true, 32);
        stats.get_took(9, false, 0);
        let seen = stats.snapshot(&TopicTotals::default());
        assert_eq!(seen.get_message_times_total_found, 1);
        assert_eq!(seen.get_message_times_total_miss, 1);
        assert_eq!(seen.get_message_transfered_msg_count, 32);
        assert_eq!(seen.get_message_entire_time_max, 9);
    }

    #[test]
    fn puts_touch_two_cache_lines_of_their_own() {
        assert_eq!((size_of::<Puts>(), align_of::<Puts>()), (128, 128));
    }
}
