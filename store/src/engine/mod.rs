//! The store over one medium: core's logic, put together with threads, locks and a clock.

mod bell;
mod catch_up;
mod close;
mod flush;
mod lock;
mod open;
mod put;
mod reading;
mod reopen;
mod rounds;
mod rules;
mod services;

use std::sync::{Arc, Mutex, RwLock};

use mqstore_core::delay::DelayLevels;
use mqstore_core::gate::Gates;
use mqstore_core::log::{CommitLog, LogWriter};
use mqstore_core::segment::{Geometry, Medium, SegmentBackend};

use self::bell::Bell;
use self::flush::FlushDesk;
use self::lock::StoreLock;
use self::rules::LiveRules;
use self::services::Services;
use crate::checkpoint::StoreCheckpoint;
use crate::clock::StoreClock;
use crate::config::{MessageStoreConfig, MqstoreSettings};
use crate::error::FlushFailure;
use crate::offsets::GrowingOffsets;
use crate::stats::{SharedTotals, StoreStats};
use crate::status::StoreStatus;
use crate::table::GrowingTable;
use crate::timing::StampClock;

pub(crate) use self::open::Opening;
pub(crate) use self::put::Completion;

/// What a host's threads need of a medium. Whatever is a [`Medium`] and can be shared between
/// threads is one.
pub trait HostMedium:
    Medium<
        Error: Send + Sync + 'static,
        Segments: SegmentBackend<Tail: Send, Segment: Send + Sync> + Send + Sync,
        Cells: Send + Sync,
        Lock: Send,
    > + Send
    + Sync
    + 'static
{
}

impl<M> HostMedium for M where
    M: Medium<
            Error: Send + Sync + 'static,
            Segments: SegmentBackend<Tail: Send, Segment: Send + Sync> + Send + Sync,
            Cells: Send + Sync,
            Lock: Send,
        > + Send
        + Sync
        + 'static
{
}

/// A segment of this medium's log.
pub(crate) type SegmentOf<M> = <<M as Medium>::Segments as SegmentBackend>::Segment;

/// The exclusive half of this medium's log.
pub(crate) type Writer<M> = LogWriter<<M as Medium>::Segments, GrowingOffsets>;

/// What the put lock guards.
pub(crate) struct Guarded<M: HostMedium> {
    writer: Writer<M>,
    /// Set under the lock by `close`: whoever comes in later is refused, so that nothing is
    /// accepted behind the last flush.
    closed: bool,
}

/// Who brings staged bytes of the log to the medium.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Commits {
    /// Nothing is staged.
    Nothing,
    /// Each put: bytes are staged so that a flush of many is one write, and what is
    /// acknowledged survives the end of the process all the same.
    EachPut,
    /// A thread, as with the transient pool: what lies in a buffer goes with the process.
    ByThread,
}

/// A store over one medium.
pub(crate) struct Engine<M: HostMedium> {
    pub(crate) gates: Gates,
    log: CommitLog<SegmentOf<M>, GrowingTable<SegmentOf<M>>>,
    lock: StoreLock<Guarded<M>>,
    rules: LiveRules,
    clock: StoreClock,
    /// Used under the put lock.
    stamps: StampClock,
    delay_levels: DelayLevels,
    /// Of each segment of the log.
    geometry: Geometry,
    commits: Commits,
    /// Wakes the thread that commits.
    commit_bell: Bell,
    /// What has been put, for those who look on.
    totals: SharedTotals,
    flush: FlushDesk,
    stats: StoreStats,
    checkpoint: StoreCheckpoint<M::Cells>,
    config: RwLock<(MessageStoreConfig, MqstoreSettings)>,
    /// What the store looked like when it was closed.
    last_status: Mutex<Option<StoreStatus>>,
    services: Mutex<Services>,
    /// How the store was closed; locked while that is being done.
    closed: Mutex<Option<Result<(), FlushFailure>>>,
    /// Read by whoever holds segments of the log for a moment, written by the one that gives
    /// them all up: behind a close nobody has one.
    in_use: RwLock<()>,
    medium: M,
    /// Keeps others out until the store is dropped.
    owner: Mutex<Option<M::Lock>>,
}

/// Shared by the store's handle and its threads.
pub(crate) type Shared<M> = Arc<Engine<M>>;
