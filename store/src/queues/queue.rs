//! One queue: its name, and whether it rests or is awake.

use std::sync::atomic::{AtomicBool, AtomicU32};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use mqstore_core::log::CommitLog;
use mqstore_core::queue::ext::ExtWriter;
use mqstore_core::queue::{ConsumeQueue, QueueWriter};
use mqstore_core::segment::Medium;

use super::error::Name;
use super::lock;
use super::rest::Rest;
use crate::engine::{HostMedium, SegmentOf};
use crate::table::GrowingTable;

/// A series of a queue's files for all who read and flush it.
type Series<M> = CommitLog<SegmentOf<M>, GrowingTable<SegmentOf<M>>>;

/// The shared half of a queue's entries.
pub(super) type Entries<M> = ConsumeQueue<SegmentOf<M>, GrowingTable<SegmentOf<M>>>;

/// The shared half of a queue that is awake. Whoever reads its entries keeps it for as long as
/// that takes: the queue does not rest before everybody has let go.
pub(crate) struct OpenQueue<M: HostMedium> {
    /// Its entries.
    pub(crate) entries: Entries<M>,
    /// The units of its extension, if there are extensions.
    pub(crate) ext: Option<Series<M>>,
}

/// The exclusive half of a queue that is awake.
pub(super) struct Writing<M: HostMedium> {
    pub(super) entries: QueueWriter<<M as Medium>::Segments>,
    pub(super) ext: Option<ExtWriter<<M as Medium>::Segments>>,
    /// The last put failed: what was made for it is kept, and so the queue does not rest.
    pub(super) failed: bool,
}

/// The queue offsets that a queue has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Bounds {
    /// The first entry that is given out.
    pub(crate) min: u64,
    /// The number behind the last entry.
    pub(crate) max: u64,
}

/// Whether a queue holds its files.
pub(super) enum State<M: HostMedium> {
    Resting(Rest),
    Awake(Arc<OpenQueue<M>>),
    /// It was removed, and another one may have its name.
    Removed,
}

/// A consume queue.
pub(crate) struct Queue<M: HostMedium> {
    topic: Box<str>,
    queue_id: i32,
    /// When somebody last used it, in rounds of `Queues::rest_idle`.
    pub(super) touched: AtomicU32,
    /// It is in the list of those to flush.
    pub(super) dirty: AtomicBool,
    state: RwLock<State<M>>,
    /// There exactly while the queue is awake; only who has this lock changes the state.
    writing: Mutex<Option<Box<Writing<M>>>>,
}

impl<M: HostMedium> Queue<M> {
    /// A queue that rests.
    pub(super) fn resting(topic: &str, queue_id: i32, rest: Rest) -> Self {
        Self {
            topic: topic.into(),
            queue_id,
            touched: AtomicU32::new(0),
            dirty: AtomicBool::new(false),
            state: RwLock::new(State::Resting(rest)),
            writing: Mutex::new(None),
        }
    }

    /// Its topic.
    pub(crate) fn topic(&self) -> &str {
        &self.topic
    }

    /// Its queue id.
    pub(crate) fn queue_id(&self) -> i32 {
        self.queue_id
    }

    pub(super) fn name(&self) -> Name<'_> {
        Name { topic: &self.topic, queue_id: self.queue_id }
    }

    pub(super) fn is(&self, topic: &str, queue_id: i32) -> bool {
        self.queue_id == queue_id && *self.topic == *topic
    }

    /// The offsets that it has; wakes nothing.
    pub(crate) fn bounds(&self) -> Bounds {
        match &*self.state() {
            State::Resting(rest) => Bounds { min: rest.min, max: rest.max() },
            State::Awake(open) => {
                Bounds { min: open.entries.min_offset(), max: open.entries.max_offset() }
            }
            State::Removed => Bounds::default(),
        }
    }

    /// End of the last record that has an entry, bytes in the log; `None` without one
    /// (`getMaxPhysicOffset`). Waits for a put.
    pub(crate) fn max_physical(&self) -> Option<i64> {
        let writing = self.writing();
        match (&*self.state(), writing.as_deref()) {
            (State::Resting(rest), _) => rest.max_physical,
            (State::Awake(_), Some(writing)) => writing.entries.max_physical(),
            _ => None,
        }
    }

    /// Whether it holds its files.
    pub(crate) fn is_awake(&self) -> bool {
        matches!(*self.state(), State::Awake(_))
    }

    /// Its shared half, if it is awake.
    pub(super) fn opened(&self) -> Option<Arc<OpenQueue<M>>> {
        match &*self.state() {
            State::Awake(open) => Some(Arc::clone(open)),
            _ => None,
        }
    }

    pub(super) fn state(&self) -> RwLockReadGuard<'_, State<M>> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn state_mut(&self) -> RwLockWriteGuard<'_, State<M>> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// The exclusive half.
    pub(super) fn writing(&self) -> MutexGuard<'_, Option<Box<Writing<M>>>> {
        lock(&self.writing)
    }

    /// The exclusive half, unless somebody has it.
    pub(super) fn try_writing(&self) -> Option<MutexGuard<'_, Option<Box<Writing<M>>>>> {
        self.writing.try_lock().ok()
    }
}
