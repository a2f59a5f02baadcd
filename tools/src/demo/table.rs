//! The table of rates and latencies.

use core::time::Duration;

use hdrhistogram::Histogram;
use mqstore::{PutMessageResult, PutMessageStatus};

use crate::bench::{empty_histogram, nanos_text, thousands};

/// One kind of work.
pub(super) struct Row {
    name: &'static str,
    /// Messages that were answered with `PUT_OK`.
    pub(super) messages: u64,
    latencies: Histogram<u64>,
    /// How long it took, if not as long as the whole table.
    pub(super) took: Option<Duration>,
}

impl Row {
    pub(super) fn new(name: &'static str) -> Self {
        Self { name, messages: 0, latencies: empty_histogram(), took: None }
    }

    /// Counts a put.
    pub(super) fn record(&mut self, latency: Duration, result: &PutMessageResult) {
        self.latencies.saturating_record(u64::try_from(latency.as_nanos()).unwrap_or(u64::MAX));
        if result.status == PutMessageStatus::PutOk {
            self.messages += result.append.as_ref().map_or(0, |a| u64::from(a.msg_num));
        }
    }

    /// Takes over what another writer has counted.
    pub(super) fn add(&mut self, other: &Self) {
        self.messages += other.messages;
        // all have the same bounds
        let _ = self.latencies.add(&other.latencies);
    }

    fn line(&self, took: Duration) -> String {
        let seconds = self.took.unwrap_or(took).as_secs_f64().max(1e-9);
        let rate = thousands((self.messages as f64 / seconds) as u64);
        let at = |q| nanos_text(self.latencies.value_at_quantile(q));
        let (p50, p99, p999, max) = (at(0.5), at(0.99), at(0.999), at(1.0));
        let (name, messages) = (self.name, thousands(self.messages));
        format!("{name:<32} {messages:>11} {rate:>11} {p50:>9} {p99:>9} {p999:>9} {max:>9}\n")
    }
}

/// All rows; and their sum, if they ran side by side.
pub(super) fn draw(rows: &[Row], took: Duration) -> String {
    let mut out = format!(
        "{:<32} {:>11} {:>11} {:>9} {:>9} {:>9} {:>9}\n",
        "kind", "messages", "messages/s", "p50", "p99", "p99.9", "max"
    );
    let mut all = Row::new("all together");
    for row in rows {
        out += &row.line(took);
        all.add(row);
    }
    if rows.iter().all(|r| r.took.is_none()) {
        out += &all.line(took);
    }
    out
}
