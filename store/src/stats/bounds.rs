//! The histogram of how long puts take: 13 classes with RocketMQ's bounds.

use core::fmt::Write as _;

/// How many classes there are.
pub const BUCKETS: usize = 13;

/// RocketMQ's names of the classes.
pub const BUCKET_NAMES: [&str; BUCKETS] = [
    "[<=0ms]",
    "[0~10ms]",
    "[10~50ms]",
    "[50~100ms]",
    "[100~200ms]",
    "[200~500ms]",
    "[500ms~1s]",
    "[1~2s]",
    "[2~3s]",
    "[3~4s]",
    "[4~5s]",
    "[5~10s]",
    "[10s~]",
];

/// The first value, in ms, that belongs to the next class.
const ENDS: [i64; BUCKETS - 1] = [1, 10, 50, 100, 200, 500, 1000, 2000, 3000, 4000, 5000, 10_000];

/// The class of a put that took so many milliseconds.
#[inline]
#[must_use]
pub fn bucket(millis: i64) -> usize {
    // nearly every put is in the first or second: no binary search
    ENDS.iter().position(|end| millis < *end).unwrap_or(BUCKETS - 1)
}

/// A histogram as RocketMQ writes it: name and count of each class, a blank behind each.
#[must_use]
pub fn distribution_text(counts: &[u64; BUCKETS]) -> String {
    let mut text = String::new();
    for (name, count) in BUCKET_NAMES.iter().zip(counts) {
        // writing into a String cannot fail
        let _ = write!(text, "{name}:{count} ");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bounds_are_rocketmqs() {
        let mut counts = [0; BUCKETS];
        for millis in [
            -1, 0, 1, 9, 10, 49, 50, 100, 200, 500, 1000, 2000, 3000, 4000, 5000, 9999, 10_000,
            20_000,
        ] {
            counts[bucket(millis)] += 1;
        }
        // printed by StoreStatsService 4.9.3 for the same values
        assert_eq!(
            distribution_text(&counts),
            "[<=0ms]:2 [0~10ms]:2 [10~50ms]:2 [50~100ms]:1 [100~200ms]:1 [200~500ms]:1 \
             [500ms~1s]:1 [1~2s]:1 [2~3s]:1 [3~4s]:1 [4~5s]:1 [5~10s]:2 [10s~]:2 "
        );
        assert_eq!((bucket(i64::MIN), bucket(i64::MAX)), (0, 12));
    }
}
