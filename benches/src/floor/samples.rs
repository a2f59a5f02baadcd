//! What the floor has measured.

use core::time::Duration;

use hdrhistogram::Histogram;
use serde_json::json;

use crate::args::{Args, Mode};

/// Latencies of all calls, and how long they took together.
pub(crate) struct Samples {
    latencies: Histogram<u64>,
    pub(crate) took: Duration,
}

impl Samples {
    pub(crate) fn new() -> Self {
        Self { latencies: empty(), took: Duration::ZERO }
    }

    pub(crate) fn record(&mut self, latency: Duration) {
        self.latencies.saturating_record(u64::try_from(latency.as_nanos()).unwrap_or(u64::MAX));
    }

    /// Takes over what another thread has measured.
    pub(crate) fn add(&mut self, other: &Self) {
        // all histograms have the same bounds
        let _ = self.latencies.add(&other.latencies);
    }

    /// One line of JSON with the field names of the stores' benchmarks.
    pub(crate) fn line(&self, args: &Args) -> String {
        let seconds = self.took.as_secs_f64().max(1e-9);
        let messages = self.latencies.len() * args.batch;
        let micros = |q: f64| round(self.latencies.value_at_quantile(q) as f64 / 1e3);
        json!({
            "bench": match args.mode { Mode::Mapped => "floor-mapped", Mode::Group => "floor-group" },
            "threads": args.threads,
            "bodyBytes": args.body,
            "recordBytes": args.record,
            "batch": args.batch,
            "msgs": messages,
            "seconds": round(seconds),
            "msgsPerSec": (messages as f64 / seconds).round(),
            "p50us": micros(0.5),
            "p99us": micros(0.99),
            "p999us": micros(0.999),
            "maxus": micros(1.0),
        })
        .to_string()
    }
}

fn empty() -> Histogram<u64> {
    match Histogram::new_with_bounds(1, 60_000_000_000, 3) {
        Ok(histogram) => histogram,
        Err(e) => unreachable!("these bounds are legal: {e}"),
    }
}

fn round(x: f64) -> f64 {
    (x * 100.0).round() / 100.0
}
