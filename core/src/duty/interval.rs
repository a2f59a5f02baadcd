//! When the log is committed and flushed in the background: RocketMQ's `CommitRealTimeService`
//! and `FlushRealTimeService` (spec 04 sections 6.3 and 6.4).

/// The settings of one of the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Intervals {
    /// Dirty pages needed (`flushCommitLogLeastPages`, `commitCommitLogLeastPages`).
    pub least_pages: u32,
    /// Regardless of pages at least this often, milliseconds (`...ThoroughInterval`).
    pub thorough_millis: i64,
}

/// How many dirty pages make a flush due now.
#[derive(Clone, Copy, Debug, Default)]
pub struct FlushEvery {
    last_thorough: i64,
}

impl FlushEvery {
    /// The least number of dirty pages for the round at `now`; 0: everything is due.
    ///
    /// A clock that stepped back makes the round thorough, rather than putting it off.
    pub fn least_pages(&mut self, now: i64, rules: &Intervals) -> u32 {
        let elapsed = now.saturating_sub(self.last_thorough);
        if elapsed >= rules.thorough_millis || elapsed < 0 {
            self.last_thorough = now;
            return 0;
        }
        rules.least_pages
    }
}

/// How many dirty pages make a commit due now.
#[derive(Clone, Copy, Debug, Default)]
pub struct CommitEvery {
    last_commit: i64,
}

impl CommitEvery {
    /// The least number of dirty pages for the round at `now`; 0: everything is due.
    pub fn least_pages(&mut self, now: i64, rules: &Intervals) -> u32 {
        let elapsed = now.saturating_sub(self.last_commit);
        if elapsed >= rules.thorough_millis || elapsed < 0 {
            self.last_commit = now;
            return 0;
        }
        rules.least_pages
    }

    /// The round has moved something, and ended at `now`.
    pub fn moved(&mut self, now: i64) {
        self.last_commit = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: Intervals = Intervals { least_pages: 4, thorough_millis: 10_000 };

    #[test]
    fn a_flush_is_thorough_once_in_the_interval() {
        let mut f = FlushEvery::default();
        assert_eq!(f.least_pages(1_000_000, &RULES), 0, "the first round is");
        assert_eq!(f.least_pages(1_009_999, &RULES), 4);
        assert_eq!(f.least_pages(1_010_000, &RULES), 0);
        assert_eq!(f.least_pages(1_010_001, &RULES), 4);
    }

    #[test]
    fn a_clock_that_steps_back_does_not_put_the_flush_off() {
        let mut f = FlushEvery::default();
        f.least_pages(1_000_000, &RULES);
        assert_eq!(f.least_pages(500_000, &RULES), 0);
        assert_eq!(f.least_pages(500_001, &RULES), 4);
    }

    #[test]
    fn a_commit_counts_its_interval_from_the_last_one_that_moved_something() {
        let mut c = CommitEvery::default();
        let rules = Intervals { least_pages: 4, thorough_millis: 200 };
        assert_eq!(c.least_pages(1000, &rules), 0);
        c.moved(1100);
        assert_eq!(c.least_pages(1299, &rules), 4);
        assert_eq!(c.least_pages(1300, &rules), 0);
    }
}
