//! A distribution of latencies as lines of text.

use hdrhistogram::Histogram;

use super::numbers::{nanos_text, thousands};

const WIDTH: f64 = 40.0;
const EIGHTHS: [char; 8] = [' ', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/// One line for each doubling of the latency, from the fastest to the slowest.
pub(crate) fn draw(latencies: &Histogram<u64>) -> String {
    let mut buckets = [0_u64; 64];
    for value in latencies.iter_recorded() {
        let power = value.value_iterated_to().max(1).ilog2() as usize;
        if let Some(bucket) = buckets.get_mut(power) {
            *bucket += value.count_since_last_iteration();
        }
    }
    let total = latencies.len();
    let most = buckets.iter().copied().max().unwrap_or(0).max(1) as f64;
    let first = buckets.iter().position(|b| *b > 0).unwrap_or(0);
    let last = buckets.iter().rposition(|b| *b > 0).unwrap_or(0);
    let mut out = String::new();
    let mut so_far = 0;
    for (power, bucket) in buckets.iter().enumerate().take(last + 1).skip(first) {
        so_far += bucket;
        let share = so_far as f64 * 100.0 / total.max(1) as f64;
        let bar = bar(*bucket as f64 / most * WIDTH);
        let below = nanos_text(2_u64.saturating_pow(power as u32 + 1));
        out += &format!("{below:>9} {bar:<40} {:>13} {share:>9.4} %\n", thousands(*bucket));
    }
    out
}

/// A bar of this length; never empty if there is anything to show.
fn bar(length: f64) -> String {
    if length <= 0.0 {
        return String::new();
    }
    let eighths = ((length * 8.0).round() as usize).max(1);
    let mut bar = "█".repeat(eighths / 8);
    if !eighths.is_multiple_of(8) {
        bar.extend(EIGHTHS.get(eighths % 8));
    }
    bar
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_doubling_has_a_line_and_the_last_one_is_everything() {
        let mut histogram = super::super::empty_histogram();
        histogram.record_n(100, 1000).unwrap();
        histogram.record_n(1_000, 1).unwrap();
        let text = draw(&histogram);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 4, "{text}");
        assert!(lines[0].contains(&"█".repeat(40)), "{text}");
        assert!(lines[3].contains('▏') && lines[3].ends_with("100.0000 %"), "{text}");
        assert_eq!(draw(&super::super::empty_histogram()).lines().count(), 1);
    }
}
