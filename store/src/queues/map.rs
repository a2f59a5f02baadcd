//! Queues by topic and queue id: a hash table in parts, so that those who look a queue up do not
//! wait for one another, nor for long for one that makes a queue.

use core::hash::BuildHasher;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use hashbrown::{DefaultHashBuilder, HashTable};
use mqstore_core::prepare::LMQ_PREFIX;

use super::queue::Queue;
use super::rest::Rest;
use crate::engine::HostMedium;

/// Many times as many as there are cores.
const PARTS: usize = 64;

type Part<M> = HashTable<Arc<Queue<M>>>;

/// Queues by name.
pub(super) struct QueueMap<M: HostMedium> {
    parts: Box<[RwLock<Part<M>>]>,
    hasher: DefaultHashBuilder,
    /// How many are light queues.
    light: AtomicUsize,
}

impl<M: HostMedium> Default for QueueMap<M> {
    fn default() -> Self {
        let parts = (0..PARTS).map(|_| RwLock::default()).collect();
        Self { parts, hasher: DefaultHashBuilder::default(), light: AtomicUsize::new(0) }
    }
}

impl<M: HostMedium> QueueMap<M> {
    fn hash(&self, topic: &str, queue_id: i32) -> u64 {
        self.hasher.hash_one((topic, queue_id))
    }

    /// The part for this hash, by bits which the table in it uses last.
    #[expect(clippy::indexing_slicing, reason = "the remainder is below the number of parts")]
    fn part(&self, hash: u64) -> &RwLock<Part<M>> {
        &self.parts[(hash >> 32) as usize % PARTS]
    }

    /// The queue of this name.
    pub(super) fn find(&self, topic: &str, queue_id: i32) -> Option<Arc<Queue<M>>> {
        let hash = self.hash(topic, queue_id);
        read(self.part(hash)).find(hash, |q| q.is(topic, queue_id)).cloned()
    }

    /// The queue of this name; an empty one if there was none.
    pub(super) fn find_or_insert(&self, topic: &str, queue_id: i32) -> Arc<Queue<M>> {
        if let Some(queue) = self.find(topic, queue_id) {
            return queue;
        }
        self.insert(topic, queue_id, Rest::default())
    }

    /// Adds a queue that rests; answers the one that is there if there is one.
    pub(super) fn insert(&self, topic: &str, queue_id: i32, rest: Rest) -> Arc<Queue<M>> {
        let hash = self.hash(topic, queue_id);
        let mut part = write(self.part(hash));
        let rehash = |q: &Arc<Queue<M>>| self.hash(q.topic(), q.queue_id());
        let entry = part.entry(hash, |q| q.is(topic, queue_id), rehash);
        let queue = entry.or_insert_with(|| {
            self.light.fetch_add(usize::from(topic.starts_with(LMQ_PREFIX)), Ordering::Relaxed);
            Arc::new(Queue::resting(topic, queue_id, rest))
        });
        Arc::clone(queue.get())
    }

    /// Takes this very queue out.
    pub(super) fn remove(&self, queue: &Arc<Queue<M>>) {
        let hash = self.hash(queue.topic(), queue.queue_id());
        if let Ok(entry) = write(self.part(hash)).find_entry(hash, |q| Arc::ptr_eq(q, queue)) {
            let (gone, _) = entry.remove();
            let light = usize::from(gone.topic().starts_with(LMQ_PREFIX));
            self.light.fetch_sub(light, Ordering::Relaxed);
        }
    }

    /// All queues.
    pub(super) fn all(&self) -> Vec<Arc<Queue<M>>> {
        let mut all = Vec::new();
        for part in &self.parts {
            all.extend(read(part).iter().cloned());
        }
        all
    }

    /// How many of them are light queues.
    pub(super) fn light_queues(&self) -> usize {
        self.light.load(Ordering::Relaxed)
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.parts.iter().map(|part| read(part).len()).sum()
    }
}

fn read<T>(part: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    part.read().unwrap_or_else(PoisonError::into_inner)
}

fn write<T>(part: &RwLock<T>) -> RwLockWriteGuard<'_, T> {
    part.write().unwrap_or_else(PoisonError::into_inner)
}
