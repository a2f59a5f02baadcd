//! Totals of puts, summed up over topics when somebody looks.

use core::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::collections::BTreeMap;

/// Messages put, and the bytes of their records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PutTotals {
    /// Messages (`putMessageTimesTotal`).
    pub times: u64,
    /// Bytes (`putMessageSizeTotal`).
    pub size: u64,
}

impl PutTotals {
    fn add(&mut self, other: Self) {
        self.times = self.times.wrapping_add(other.times);
        self.size = self.size.wrapping_add(other.size);
    }
}

/// Totals that the put lock's holder tells, so that whoever looks on need not take the lock.
#[derive(Debug, Default)]
pub(crate) struct SharedTotals {
    times: AtomicU64,
    size: AtomicU64,
}

impl SharedTotals {
    /// Told under the put lock; the two are not read together.
    pub(crate) fn publish(&self, (times, size): (u64, u64)) {
        self.times.store(times, Relaxed);
        self.size.store(size, Relaxed);
    }

    pub(crate) fn get(&self) -> PutTotals {
        PutTotals { times: self.times.load(Relaxed), size: self.size.load(Relaxed) }
    }
}

/// Totals of each topic.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TopicTotals {
    topics: BTreeMap<String, PutTotals>,
    sum: PutTotals,
}

impl TopicTotals {
    /// Adds what was put into one queue of a topic.
    pub fn add(&mut self, topic: &str, times: u64, size: u64) {
        if times == 0 && size == 0 {
            return;
        }
        let totals = PutTotals { times, size };
        self.sum.add(totals);
        match self.topics.get_mut(topic) {
            Some(known) => known.add(totals),
            None => {
                self.topics.insert(topic.to_owned(), totals);
            }
        }
    }

    /// Over all topics.
    #[must_use]
    pub const fn sum(&self) -> PutTotals {
        self.sum
    }

    /// Each topic that was put to, in the order of names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, PutTotals)> {
        self.topics.iter().map(|(topic, totals)| (topic.as_str(), *totals))
    }
}

impl<T: AsRef<str>> FromIterator<(T, u64, u64)> for TopicTotals {
    /// From topic, messages and bytes of each queue.
    fn from_iter<I: IntoIterator<Item = (T, u64, u64)>>(queues: I) -> Self {
        let mut totals = Self::default();
        for (topic, times, size) in queues {
            totals.add(topic.as_ref(), times, size);
        }
        totals
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_queues_of_a_topic_are_summed_up() {
        let totals: TopicTotals =
            [("B", 1, 100), ("A", 2, 300), ("B", 4, 500), ("C", 0, 0)].into_iter().collect();
        assert_eq!(totals.sum(), PutTotals { times: 7, size: 900 });
        let topics: Vec<_> = totals.iter().collect();
        let a = PutTotals { times: 2, size: 300 };
        assert_eq!(topics, [("A", a), ("B", PutTotals { times: 5, size: 600 })]);
    }
}
