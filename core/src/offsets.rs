//! Which offset the next message of a queue gets (`topicQueueTable`, spec 01 section 8).

use heapless::index_map::FnvIndexMap;

/// No room for one more queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableFull {
    /// How many queues the table holds.
    pub capacity: usize,
}

/// A queue in a table: found once, then used without looking it up again.
///
/// Valid until a queue is removed from the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueSlot(pub usize);

/// What a table remembers of one queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueueState {
    /// The offset of the next message.
    pub next: i64,
    /// Messages put since the store was opened (`putMessageTopicTimesTotal`).
    pub put_times: u64,
    /// Bytes of their records (`putMessageTopicSizeTotal`).
    pub put_size: u64,
    /// The message that is being put names it as a light queue and has not moved it yet; means
    /// nothing before and after.
    pub named: bool,
}

/// The next offset of each queue; used only under the put lock.
///
/// A table of fixed capacity ([`FixedOffsets`]) serves machines without an allocator, a
/// growing one the hosts.
pub trait QueueOffsets {
    /// Finds the queue, and enters it with offset 0 if it is new.
    ///
    /// # Errors
    /// [`TableFull`]: then nothing has changed.
    fn enter(&mut self, topic: &str, queue_id: i32) -> Result<QueueSlot, TableFull>;

    /// What is known of a queue that was entered.
    fn state(&self, slot: QueueSlot) -> QueueState;

    /// Sets what is known of a queue that was entered.
    fn set_state(&mut self, slot: QueueSlot, state: QueueState);

    /// The next offset of a queue, if it was entered.
    fn find(&self, topic: &str, queue_id: i32) -> Option<QueueState>;

    /// Shows every queue, in any order.
    fn each(&self, visit: &mut dyn FnMut(&str, i32, QueueState));

    /// Takes a queue out.
    fn remove(&mut self, topic: &str, queue_id: i32);

    /// Takes every queue out.
    fn clear(&mut self);

    /// Raises the next offset of a queue to `next`, entering the queue if it is new.
    ///
    /// # Errors
    /// [`TableFull`]: then nothing has changed.
    fn raise(&mut self, topic: &str, queue_id: i32, next: i64) -> Result<(), TableFull> {
        let slot = self.enter(topic, queue_id)?;
        let mut state = self.state(slot);
        state.next = state.next.max(next);
        self.set_state(slot, state);
        Ok(())
    }
}

/// The longest name of a queue's topic: a light queue's.
const NAME_MAX: usize = 255;

type Key = (heapless::String<NAME_MAX>, i32);

/// A table of at most `N` queues (a power of two), without an allocator.
#[derive(Default)]
pub struct FixedOffsets<const N: usize> {
    /// Where each queue's state lies in `states`.
    slots: FnvIndexMap<Key, usize, N>,
    states: heapless::Vec<QueueState, N>,
}

impl<const N: usize> FixedOffsets<N> {
    /// An empty table.
    #[must_use]
    pub const fn new() -> Self {
        Self { slots: FnvIndexMap::new(), states: heapless::Vec::new() }
    }
}

fn key(topic: &str, queue_id: i32) -> Option<Key> {
    Some((heapless::String::try_from(topic).ok()?, queue_id))
}

impl<const N: usize> QueueOffsets for FixedOffsets<N> {
    fn enter(&mut self, topic: &str, queue_id: i32) -> Result<QueueSlot, TableFull> {
        let full = TableFull { capacity: N };
        let key = key(topic, queue_id).ok_or(full)?;
        if let Some(&slot) = self.slots.get(&key) {
            return Ok(QueueSlot(slot));
        }
        let slot = self.states.len();
        self.states.push(QueueState::default()).map_err(|_| full)?;
        self.slots.insert(key, slot).map_err(|_| full)?;
        Ok(QueueSlot(slot))
    }

    fn state(&self, slot: QueueSlot) -> QueueState {
        self.states.get(slot.0).copied().unwrap_or_default()
    }

    fn set_state(&mut self, slot: QueueSlot, state: QueueState) {
        if let Some(known) = self.states.get_mut(slot.0) {
            *known = state;
        }
    }

    fn find(&self, topic: &str, queue_id: i32) -> Option<QueueState> {
        let slot = self.slots.get(&key(topic, queue_id)?)?;
        self.states.get(*slot).copied()
    }

    fn each(&self, visit: &mut dyn FnMut(&str, i32, QueueState)) {
        for ((topic, queue_id), slot) in &self.slots {
            visit(topic, *queue_id, self.state(QueueSlot(*slot)));
        }
    }

    fn remove(&mut self, topic: &str, queue_id: i32) {
        let Some(gone) = key(topic, queue_id).and_then(|k| self.slots.swap_remove(&k)) else {
            return;
        };
        // the last state moves into the gap
        let last = self.states.len().saturating_sub(1);
        self.states.swap_remove(gone);
        for slot in self.slots.values_mut().filter(|slot| **slot == last) {
            *slot = gone;
        }
    }

    fn clear(&mut self) {
        self.slots.clear();
        self.states.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_queue_begins_at_0_and_keeps_its_slot() {
        let mut t: FixedOffsets<4> = FixedOffsets::new();
        let a = t.enter("A", 0).unwrap();
        let b = t.enter("A", 1).unwrap();
        assert_ne!(a, b);
        t.set_state(a, QueueState { next: 7, ..Default::default() });
        assert_eq!(t.enter("A", 0), Ok(a));
        assert_eq!(t.find("A", 0).unwrap().next, 7);
        assert_eq!(t.find("A", 1).unwrap().next, 0);
        assert_eq!(t.find("B", 0), None);
    }

    #[test]
    fn a_full_table_says_so_and_forgets_nothing() {
        let mut t: FixedOffsets<2> = FixedOffsets::new();
        t.raise("A", 0, 3).unwrap();
        t.raise("B", 0, 4).unwrap();
        assert_eq!(t.enter("C", 0), Err(TableFull { capacity: 2 }));
        assert_eq!(t.enter("A", 0), Ok(QueueSlot(0)));
        let long = "x".repeat(256);
        assert_eq!(t.enter(&long, 0), Err(TableFull { capacity: 2 }));
        let mut seen = 0;
        t.each(&mut |_, _, s| seen += s.next);
        assert_eq!(seen, 7);
    }

    #[test]
    fn raising_never_lowers() {
        let mut t: FixedOffsets<2> = FixedOffsets::new();
        t.raise("A", 0, 9).unwrap();
        t.raise("A", 0, 3).unwrap();
        assert_eq!(t.find("A", 0).unwrap().next, 9);
    }

    #[test]
    fn removing_a_queue_leaves_the_others_as_they_were() {
        let mut t: FixedOffsets<4> = FixedOffsets::new();
        for (i, name) in ["A", "B", "C"].into_iter().enumerate() {
            t.raise(name, 0, i as i64 + 1).unwrap();
        }
        t.remove("A", 0);
        t.remove("A", 0);
        assert_eq!(t.find("A", 0), None);
        assert_eq!(t.find("B", 0).unwrap().next, 2);
        assert_eq!(t.find("C", 0).unwrap().next, 3);
        t.raise("D", 0, 9).unwrap();
        assert_eq!(t.find("C", 0).unwrap().next, 3);
    }
}
