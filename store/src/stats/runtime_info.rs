//! The statistics as texts, under the names RocketMQ's tools look for.

use std::collections::BTreeMap;

use super::bounds::{BUCKETS, distribution_text};
use super::java_double::java_double;
use super::samples::Rates;
use super::topics::PutTotals;

/// Texts by name.
pub type RuntimeInfo = BTreeMap<&'static str, String>;

/// What the texts are made from.
pub(super) struct Source {
    pub(super) now_millis: i64,
    pub(super) booted_millis: i64,
    pub(super) totals: PutTotals,
    pub(super) failed: u64,
    pub(super) longest_put_millis: i64,
    pub(super) longest_get_millis: i64,
    pub(super) distribution: [u64; BUCKETS],
    pub(super) put: Rates,
    pub(super) found: Rates,
    pub(super) missed: Rates,
    pub(super) transferred: Rates,
}

impl Source {
    /// The 15 texts of `StoreStatsService.getRuntimeInfo`, with two differences: before the
    /// first put the total is 0, where Java says 1; and in the first minute the histogram is
    /// that of the puts so far, where Java says `null`.
    pub(super) fn write(&self) -> RuntimeInfo {
        let PutTotals { times, size } = self.totals;
        BTreeMap::from([
            ("bootTimestamp", self.booted_millis.to_string()),
            ("runtime", runtime(self.now_millis.saturating_sub(self.booted_millis))),
            ("putMessageEntireTimeMax", self.longest_put_millis.to_string()),
            ("putMessageTimesTotal", times.to_string()),
            ("putMessageFailedTimes", self.failed.to_string()),
            ("putMessageSizeTotal", size.to_string()),
            ("putMessageDistributeTime", distribution_text(&self.distribution)),
            ("putMessageAverageSize", java_double(size as f64 / times.max(1) as f64)),
            // nothing is ever buffered in Java either
            ("dispatchMaxBuffer", "0".to_owned()),
            ("getMessageEntireTimeMax", self.longest_get_millis.to_string()),
            ("putTps", rates(&self.put)),
            ("getFoundTps", rates(&self.found)),
            ("getMissTps", rates(&self.missed)),
            ("getTotalTps", total(&self.found, &self.missed)),
            ("getTransferedTps", rates(&self.transferred)),
        ])
    }
}

/// Three rates with blanks between them; a rate that is not known yet is empty.
fn rates(rates: &Rates) -> String {
    rates.0.map(|rate| rate.map_or_else(String::new, java_double)).join(" ")
}

/// The sums of two times three rates; a rate that is not known yet counts as 0.
fn total(found: &Rates, missed: &Rates) -> String {
    let mut sums = found.0.map(Option::unwrap_or_default);
    for (sum, missed) in sums.iter_mut().zip(missed.0) {
        *sum += missed.unwrap_or_default();
    }
    sums.map(java_double).join(" ")
}

fn runtime(millis: i64) -> String {
    let seconds = millis / 1000;
    let (days, hours) = (seconds / 86_400, seconds % 86_400 / 3600);
    let (minutes, seconds) = (seconds % 3600 / 60, seconds % 60);
    format!(
        "[ {} days, {hours} hours, {minutes} minutes, {seconds} seconds ]",
        with_thousands(days)
    )
}

/// As Java's `MessageFormat` writes numbers: `1,234`.
fn with_thousands(number: i64) -> String {
    let digits = number.unsigned_abs().to_string();
    let mut text = if number < 0 { "-".to_owned() } else { String::new() };
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::{StoreStats, distribution_text};
    use super::*;

    #[test]
    fn the_texts_are_javas() {
        let stats = StoreStats::booted_at(1_689_363_935_476);
        for millis in [
            -1, 0, 1, 9, 10, 49, 50, 100, 200, 500, 1000, 2000, 3000, 4000, 5000, 9999, 10_000,
            20_000,
        ] {
            stats.put_took(millis, true);
        }
        let ran = (1234 * 86_400 + 4 * 3600 + 2 * 60 + 7) * 1000 + 500;
        let info = stats.runtime_info(1_689_363_935_476 + ran, PutTotals { times: 3, size: 1000 });
        let distribution = "[<=0ms]:2 [0~10ms]:2 [10~50ms]:2 [50~100ms]:1 [100~200ms]:1 \
             [200~500ms]:1 [500ms~1s]:1 [1~2s]:1 [2~3s]:1 [3~4s]:1 [4~5s]:1 [5~10s]:2 [10s~]:2 ";
        // printed by StoreStatsService 4.9.3
        let java = [
            ("bootTimestamp", "1689363935476"),
            ("dispatchMaxBuffer", "0"),
            ("getFoundTps", "  "),
            ("getMessageEntireTimeMax", "0"),
            ("getMissTps", "  "),
            ("getTotalTps", "0.0 0.0 0.0"),
            ("getTransferedTps", "  "),
            ("putMessageAverageSize", "333.3333333333333"),
            ("putMessageDistributeTime", distribution),
            ("putMessageEntireTimeMax", "20000"),
            ("putMessageFailedTimes", "0"),
            ("putMessageSizeTotal", "1000"),
            ("putMessageTimesTotal", "3"),
            ("putTps", "  "),
            ("runtime", "[ 1,234 days, 4 hours, 2 minutes, 7 seconds ]"),
        ];
        let ours: Vec<_> = info.iter().map(|(k, v)| (*k, v.as_str())).collect();
        assert_eq!(ours, java);
    }

    #[test]
    fn rates_appear_as_samples_come_in() {
        let stats = StoreStats::default();
        for second in 0..=10 {
            stats.get_took(0, second % 2 == 0, 4);
            let totals = PutTotals { times: second * 100, size: 0 };
            assert_eq!(stats.sample(1000 * second as i64, totals), None);
        }
        let info = stats.runtime_info(10_000, PutTotals::default());
        assert_eq!(info["putTps"], "100.0  ");
        assert_eq!(info["getFoundTps"], "0.5  ");
        assert_eq!(info["getMissTps"], "0.5  ");
        assert_eq!(info["getTotalTps"], "1.0 0.0 0.0");
        assert_eq!(info["getTransferedTps"], "4.0  ");
        assert_eq!(info["bootTimestamp"], "0");
        assert_eq!(info["putMessageTimesTotal"], "0");
        assert_eq!(info["putMessageAverageSize"], "0.0");
    }

    #[test]
    fn a_full_minute_replaces_the_puts_so_far() {
        let stats = StoreStats::default();
        stats.put_took(5, true);
        assert_eq!(stats.sample(0, PutTotals::default()), None);
        let minute = stats.sample(60_001, PutTotals::default()).unwrap();
        assert_eq!(minute.puts, 1);
        stats.put_took(5, true);
        let mut counts = [0; BUCKETS];
        counts[1] = 1;
        let info = stats.runtime_info(60_002, PutTotals::default());
        assert_eq!(info["putMessageDistributeTime"], distribution_text(&counts));
    }

    #[test]
    fn no_time_makes_it_panic() {
        for (booted, now) in [(i64::MIN, i64::MAX), (i64::MAX, i64::MIN), (0, -1), (5, 5)] {
            let stats = StoreStats::booted_at(booted);
            let info = stats.runtime_info(now, PutTotals { times: u64::MAX, size: u64::MAX });
            assert_eq!(info.len(), 15);
        }
        assert_eq!(with_thousands(i64::MIN), "-9,223,372,036,854,775,808");
    }
}
