//! How much one get takes (`isTheBatchFull`, spec 06 section 1.5).

/// The limits of one get; an administrator may change them between two gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchLimit {
    /// Bytes of records in memory (`maxTransferBytesOnMessageInMemory`).
    pub bytes_in_memory: i32,
    /// Number of records in memory (`maxTransferCountOnMessageInMemory`).
    pub count_in_memory: i32,
    /// Bytes of records on disk (`maxTransferBytesOnMessageInDisk`).
    pub bytes_in_disk: i32,
    /// Number of records on disk (`maxTransferCountOnMessageInDisk`).
    pub count_in_disk: i32,
}

impl Default for BatchLimit {
    fn default() -> Self {
        Self {
            bytes_in_memory: 262_144,
            count_in_memory: 32,
            bytes_in_disk: 65_536,
            count_in_disk: 8,
        }
    }
}

impl BatchLimit {
    /// Whether a record of `size` bytes is too much, with `taken` records of `bytes` bytes taken
    /// and at most `max_msg_nums` asked for. Never before there is one, so that a record of any
    /// size can be had.
    #[must_use]
    pub fn is_full(
        &self,
        max_msg_nums: i32,
        (taken, bytes): (u32, u64),
        size: i32,
        in_disk: bool,
    ) -> bool {
        if taken == 0 {
            return false;
        }
        let (max_bytes, max_count) = match in_disk {
            true => (self.bytes_in_disk, self.count_in_disk),
            false => (self.bytes_in_memory, self.count_in_memory),
        };
        let (taken, max_bytes) = (i64::from(taken), i64::from(max_bytes));
        let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
        taken >= i64::from(max_msg_nums)
            || bytes.saturating_add(i64::from(size)) > max_bytes
            || taken >= i64::from(max_count)
    }
}

/// How many bytes at the end of the log count as being in memory: `ratio` percent
/// (`accessMessageInMemoryMaxRatio`, 40) of the machine's memory in bytes, reckoned as Java does.
#[must_use]
#[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "as in Java")]
pub fn memory_share(total_memory: i64, ratio: i32) -> i64 {
    (total_memory as f64 * (f64::from(ratio) / 100.0)) as i64
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn the_first_record_always_fits() {
        let tiny = BatchLimit { bytes_in_memory: 10, count_in_memory: 0, ..BatchLimit::default() };
        assert!(!tiny.is_full(0, (0, 0), i32::MAX, false));
        assert!(tiny.is_full(32, (1, 1), 1, false));
    }

    #[test]
    fn each_limit_counts_by_where_the_record_is() {
        let limit = BatchLimit::default();
        assert!(!limit.is_full(64, (31, 1000), 100, false));
        assert!(limit.is_full(64, (32, 1000), 100, false));
        assert!(limit.is_full(31, (31, 1000), 100, false));
        assert!(!limit.is_full(64, (7, 1000), 100, true));
        assert!(limit.is_full(64, (8, 1000), 100, true));
        assert!(!limit.is_full(64, (1, 262_044), 100, false));
        assert!(limit.is_full(64, (1, 262_045), 100, false));
        assert!(!limit.is_full(64, (1, 65_436), 100, true));
        assert!(limit.is_full(64, (1, 65_437), 100, true));
    }

    #[test]
    fn the_share_of_memory_is_reckoned_in_floating_point() {
        assert_eq!(memory_share(8 << 30, 40), 3_435_973_836);
        assert_eq!(memory_share(1000, 0), 0);
    }
}
