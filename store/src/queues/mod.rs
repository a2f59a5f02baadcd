//! All consume queues of a store: found by topic and queue id, open only while somebody uses
//! them (spec 02 section 7, spec 04 section 10).
//!
//! A queue is *awake*, with its files mapped, or it *rests*: then it holds no map and no
//! descriptor, and its bounds are a few numbers in memory. It wakes when an entry is read or put,
//! and is laid to rest when nobody has touched it for a while. So a store may have 100,000
//! queues, of which most are idle: one that rests costs less than [`RESTING_BYTES`] bytes, its
//! name and list of files included.
//!
//! Locks, in the order in which they are taken: the one of who flushes, the mutex over a queue's
//! exclusive half, its state, a part of the map, the lists of awake and of dirty queues. A reader
//! takes two of them for a moment, shared: part of the map, and state.

mod clean;
mod error;
mod flush;
mod idle;
mod look;
mod map;
mod open;
mod parallel;
mod put;
mod queue;
mod remove;
mod rest;
mod settle;
mod wake;

use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mqstore_core::queue::Cell;

use self::map::QueueMap;
use self::queue::{Bounds, Queue};
use crate::engine::HostMedium;

/// More bytes than a queue costs that rests, has one file, and a name of 32 bytes.
pub(crate) const RESTING_BYTES: usize = 256;

/// What all queues of a store have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct QueueSettings {
    /// Bytes of a file, whole entries.
    file_size: u32,
    /// Bytes of an extension's file; `None`: there are no extensions (`enableConsumeQueueExt`).
    ext_file_size: Option<u32>,
    /// The minimum of a queue is right also where all of its first file has expired (C-23).
    corrected: bool,
    /// About so many queues are awake at once. Each holds a map per file, and a process may have
    /// 65,530 of them on Linux.
    awake_max: usize,
}

impl QueueSettings {
    /// For files of `mapped_file_size` bytes (`mappedFileSizeConsumeQueue`), rounded up to whole
    /// entries.
    pub(crate) fn new(mapped_file_size: u32) -> Self {
        let len = Cell::LEN;
        let most = u32::MAX - u32::MAX % len;
        let file_size = mapped_file_size.max(1).checked_next_multiple_of(len).unwrap_or(most);
        Self { file_size, ext_file_size: None, corrected: false, awake_max: 16_384 }
    }

    /// With extensions in files of so many bytes (`mappedFileSizeConsumeQueueExt`).
    pub(crate) const fn with_ext(mut self, file_size: u32) -> Self {
        self.ext_file_size = Some(file_size);
        self
    }

    /// Whether bounds are corrected (spec 08 section 2).
    pub(crate) const fn corrected(mut self, corrected: bool) -> Self {
        self.corrected = corrected;
        self
    }

    /// How many queues are awake at once.
    pub(crate) const fn awake_max(mut self, queues: usize) -> Self {
        self.awake_max = queues;
        self
    }
}

/// All consume queues of a store.
pub(crate) struct Queues<M: HostMedium> {
    medium: Arc<M>,
    settings: QueueSettings,
    map: QueueMap<M>,
    /// Those that hold files.
    awake: Mutex<Vec<Arc<Queue<M>>>>,
    /// Those with entries that are not durable.
    dirty: Mutex<Vec<Arc<Queue<M>>>>,
    /// One flushes at a time: a round that finds nothing to do is not done before another one
    /// that has taken all of it.
    flushing: Mutex<()>,
    /// Counts the rounds of [`Queues::rest_idle`].
    tick: AtomicU32,
    /// Store time of the newest message that is in all of its queues; 0: none yet.
    dispatched: AtomicI64,
}

impl<M: HostMedium> Queues<M> {
    /// No queues yet.
    pub(crate) fn new(medium: Arc<M>, settings: QueueSettings) -> Self {
        Self {
            medium,
            settings,
            map: QueueMap::default(),
            awake: Mutex::default(),
            dirty: Mutex::default(),
            flushing: Mutex::default(),
            tick: AtomicU32::new(0),
            dispatched: AtomicI64::new(0),
        }
    }

    /// The queue, if there is one: for readers, to whom an unknown queue is an empty one.
    pub(crate) fn find(&self, topic: &str, queue_id: i32) -> Option<Arc<Queue<M>>> {
        self.map.find(topic, queue_id)
    }

    /// The queue; one that was not there is made, in memory only (`findConsumeQueue`).
    pub(crate) fn find_or_make(&self, topic: &str, queue_id: i32) -> Arc<Queue<M>> {
        self.map.find_or_insert(topic, queue_id)
    }

    /// The bounds of a queue; those of an untouched one are 0 (spec 06 section 1.2). Wakes
    /// nothing.
    pub(crate) fn bounds(&self, topic: &str, queue_id: i32) -> Bounds {
        self.find(topic, queue_id).map_or_else(Bounds::default, |queue| queue.bounds())
    }

    /// How many queues there are.
    pub(crate) fn len(&self) -> usize {
        self.map.len()
    }

    /// How many light queues there are (`lmqConsumeQueueNum`), for `maxLmqConsumeQueueNum`.
    pub(crate) fn light_queues(&self) -> usize {
        self.map.light_queues()
    }

    /// How many of them hold files.
    pub(crate) fn awake(&self) -> usize {
        lock(&self.awake).len()
    }

    /// Shows each queue, in any order; no lock is held meanwhile.
    pub(crate) fn each(&self, mut visit: impl FnMut(&Arc<Queue<M>>)) {
        self.map.all().iter().for_each(&mut visit);
    }

    /// Store time of the newest message that is in all of its queues; 0: none yet.
    pub(crate) fn dispatched(&self) -> i64 {
        self.dispatched.load(Ordering::Acquire)
    }
}

/// Nothing in here panics half way, so what a poisoned lock guards is whole.
fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
