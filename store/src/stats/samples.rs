//! What was counted in each of the last 600 seconds, and the rates that follow from it.

use std::collections::VecDeque;

use super::bounds::{BUCKETS, distribution_text};

/// RocketMQ keeps one more than it has seconds, to have both ends.
const SAMPLES_MAX: usize = 601;

/// Every so often the histogram starts anew, ms.
const MINUTE_MILLIS: i64 = 60_000;

/// The counts at one time.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sample {
    pub(super) at_millis: i64,
    pub(super) put: u64,
    pub(super) found: u64,
    pub(super) missed: u64,
    pub(super) transferred: u64,
}

/// Calls per second over the last 10, 60 and 600 samples; `None` until there are so many.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rates(pub [Option<f64>; 3]);

/// What RocketMQ logs every minute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Minute {
    /// Puts of this minute.
    pub puts: u64,
    /// How long they took, as RocketMQ writes it.
    pub distribution: String,
}

/// The samples of one store.
#[derive(Debug, Default)]
pub(super) struct Samples {
    kept: VecDeque<Sample>,
    /// When the minute began, and what the histogram was then.
    minute: Option<(i64, [u64; BUCKETS])>,
    last_minute: Option<[u64; BUCKETS]>,
}

impl Samples {
    /// Keeps one more sample; answers the histogram's minute if one is over.
    pub(super) fn push(&mut self, sample: Sample, counts: &[u64; BUCKETS]) -> Option<Minute> {
        if self.kept.len() >= SAMPLES_MAX {
            self.kept.pop_front();
        }
        self.kept.push_back(sample);
        let now = sample.at_millis;
        let (began, base) = *self.minute.get_or_insert((now, [0; BUCKETS]));
        // a clock that was set back begins a new minute, too
        if (0..=MINUTE_MILLIS).contains(&now.saturating_sub(began)) {
            return None;
        }
        let of_minute = difference(counts, &base);
        self.minute = Some((now, *counts));
        self.last_minute = Some(of_minute);
        let distribution = distribution_text(&of_minute);
        let puts = of_minute.iter().fold(0, |sum: u64, count| sum.saturating_add(*count));
        Some(Minute { puts, distribution })
    }

    /// The histogram of the last full minute; of all puts so far while there is none.
    pub(super) fn last_minute(&self, counts: &[u64; BUCKETS]) -> [u64; BUCKETS] {
        self.last_minute.unwrap_or(*counts)
    }

    /// The rates of one of the counts.
    pub(super) fn rates(&self, count: fn(&Sample) -> u64) -> Rates {
        Rates([10, 60, 600].map(|seconds| self.rate(seconds, count)))
    }

    fn rate(&self, seconds: usize, count: fn(&Sample) -> u64) -> Option<f64> {
        let last = self.kept.back()?;
        let before = self.kept.get(self.kept.len().checked_sub(seconds + 1)?)?;
        let millis = last.at_millis.checked_sub(before.at_millis).filter(|ms| *ms > 0)?;
        let calls = count(last).saturating_sub(count(before));
        Some(calls as f64 / millis as f64 * 1000.0)
    }
}

fn difference(counts: &[u64; BUCKETS], base: &[u64; BUCKETS]) -> [u64; BUCKETS] {
    let mut difference = *counts;
    for (count, base) in difference.iter_mut().zip(base) {
        *count = count.saturating_sub(*base);
    }
    difference
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(at_millis: i64, put: u64) -> Sample {
        Sample { at_millis, put, ..Sample::default() }
    }

    #[test]
    fn a_rate_is_there_once_there_is_one_sample_more_than_seconds() {
        let mut samples = Samples::default();
        assert_eq!(samples.rates(|s| s.put), Rates([None; 3]));
        for second in 0..10 {
            samples.push(sample(second * 1000, second as u64 * 5), &[0; BUCKETS]);
        }
        assert_eq!(samples.rates(|s| s.put), Rates([None; 3]));
        samples.push(sample(10_000, 50), &[0; BUCKETS]);
        assert_eq!(samples.rates(|s| s.put), Rates([Some(5.0), None, None]));
        assert_eq!(samples.rates(|s| s.found), Rates([Some(0.0), None, None]));
    }

    #[test]
    fn six_hundred_and_one_samples_are_kept() {
        let mut samples = Samples::default();
        for second in 0..5000 {
            // 1 a second for a long time, then 7
            let put = if second < 4400 { second } else { 4400 + (second - 4400) * 7 };
            samples.push(sample(second * 1000, put as u64), &[0; BUCKETS]);
        }
        assert_eq!(samples.kept.len(), 601);
        let Rates([ten, sixty, six_hundred]) = samples.rates(|s| s.put);
        assert_eq!((ten, sixty), (Some(7.0), Some(7.0)));
        // 4194 in 600 s, with Java's rounding
        assert_eq!(six_hundred, Some(6.989_999_999_999_999));
    }

    #[test]
    fn a_clock_that_stands_still_or_goes_back_gives_no_rate() {
        let mut samples = Samples::default();
        for step in 0..20 {
            samples.push(sample(1000 - step, 1), &[0; BUCKETS]);
        }
        assert_eq!(samples.rates(|s| s.put), Rates([None; 3]));
        for at in [i64::MIN, i64::MAX, 0, i64::MIN] {
            samples.push(sample(at, u64::MAX), &[u64::MAX; BUCKETS]);
            let _ = samples.rates(|s| s.put);
        }
    }

    #[test]
    fn the_histogram_starts_anew_when_more_than_a_minute_is_over() {
        let mut samples = Samples::default();
        let mut counts = [0; BUCKETS];
        counts[1] = 3;
        assert_eq!(samples.push(sample(1000, 3), &counts), None);
        assert_eq!(samples.last_minute(&counts)[1], 3);
        assert_eq!(samples.push(sample(61_000, 3), &counts), None);
        counts[12] = 2;
        let minute = samples.push(sample(61_001, 5), &counts).unwrap();
        assert_eq!(minute.puts, 5);
        assert!(minute.distribution.starts_with("[<=0ms]:0 [0~10ms]:3 "));
        assert!(minute.distribution.ends_with("[5~10s]:0 [10s~]:2 "));
        counts[1] = 4;
        assert_eq!(samples.last_minute(&counts)[1], 3);
        let minute = samples.push(sample(121_002, 6), &counts).unwrap();
        assert_eq!(minute.puts, 1);
    }
}
