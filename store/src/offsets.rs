//! The growing table of queue offsets: one look-up by borrowed name under the put lock.

use core::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};
use mqstore_core::offsets::{QueueOffsets, QueueSlot, QueueState, TableFull};

struct Queue {
    topic: Box<str>,
    queue_id: i32,
    state: QueueState,
}

/// A table that grows with the number of queues.
#[derive(Default)]
pub(crate) struct GrowingOffsets {
    /// Places in `queues`, found by topic and queue id.
    slots: HashTable<usize>,
    queues: Vec<Queue>,
    hasher: DefaultHashBuilder,
}

impl GrowingOffsets {
    fn hash(&self, topic: &str, queue_id: i32) -> u64 {
        self.hasher.hash_one((topic, queue_id))
    }

    fn slot(&self, topic: &str, queue_id: i32) -> Option<usize> {
        let same = |&at: &usize| {
            self.queues.get(at).is_some_and(|q| q.queue_id == queue_id && *q.topic == *topic)
        };
        self.slots.find(self.hash(topic, queue_id), same).copied()
    }
}

impl QueueOffsets for GrowingOffsets {
    fn enter(&mut self, topic: &str, queue_id: i32) -> Result<QueueSlot, TableFull> {
        if let Some(at) = self.slot(topic, queue_id) {
            return Ok(QueueSlot(at));
        }
        let at = self.queues.len();
        let hash = self.hash(topic, queue_id);
        self.queues.push(Queue { topic: topic.into(), queue_id, state: QueueState::default() });
        let Self { slots, queues, hasher } = self;
        slots.insert_unique(hash, at, |&at| {
            queues.get(at).map_or(0, |q| hasher.hash_one((&*q.topic, q.queue_id)))
        });
        Ok(QueueSlot(at))
    }

    fn state(&self, slot: QueueSlot) -> QueueState {
        self.queues.get(slot.0).map_or_else(QueueState::default, |q| q.state)
    }

    fn set_state(&mut self, slot: QueueSlot, state: QueueState) {
        if let Some(queue) = self.queues.get_mut(slot.0) {
            queue.state = state;
        }
    }

    fn find(&self, topic: &str, queue_id: i32) -> Option<QueueState> {
        self.queues.get(self.slot(topic, queue_id)?).map(|q| q.state)
    }

    fn each(&self, visit: &mut dyn FnMut(&str, i32, QueueState)) {
        for q in &self.queues {
            visit(&q.topic, q.queue_id, q.state);
        }
    }

    fn remove(&mut self, topic: &str, queue_id: i32) {
        let Some(gone) = self.slot(topic, queue_id) else { return };
        let hash = self.hash(topic, queue_id);
        if let Ok(entry) = self.slots.find_entry(hash, |&at| at == gone) {
            entry.remove();
        }
        self.queues.swap_remove(gone);
        // the last queue has moved into the gap
        if let Some(moved) = self.queues.get(gone) {
            let (hash, last) = (self.hash(&moved.topic, moved.queue_id), self.queues.len());
            if let Some(at) = self.slots.find_mut(hash, |&at| at == last) {
                *at = gone;
            }
        }
    }

    fn clear(&mut self) {
        self.slots.clear();
        self.queues.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_growing_table_behaves_like_the_fixed_one() {
        use mqstore_core::offsets::FixedOffsets;
        let (mut grow, mut fixed) = (GrowingOffsets::default(), FixedOffsets::<64>::new());
        let mut seed = 7u64;
        for _ in 0..5000 {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let topic = format!("T{}", (seed >> 33) % 8);
            let queue_id = i32::try_from((seed >> 40) % 6).unwrap_or(0);
            match (seed >> 50) % 8 {
                0 => {
                    grow.remove(&topic, queue_id);
                    fixed.remove(&topic, queue_id);
                }
                n => {
                    let next = i64::try_from(n * 10).unwrap_or(0);
                    grow.raise(&topic, queue_id, next).unwrap();
                    fixed.raise(&topic, queue_id, next).unwrap();
                }
            }
            assert_eq!(grow.find(&topic, queue_id), fixed.find(&topic, queue_id));
        }
        let (mut a, mut b) = (Vec::new(), Vec::new());
        grow.each(&mut |t, q, s| a.push((t.to_string(), q, s.next)));
        fixed.each(&mut |t, q, s| b.push((t.to_string(), q, s.next)));
        a.sort();
        b.sort();
        assert_eq!(a, b);
    }
}
