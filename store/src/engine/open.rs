//! Opening a store: lock first, look at what is there, mark it as open, start the threads, and
//! only then let puts in (spec 03 section 1).

use std::sync::{Arc, Mutex, RwLock};

use mqstore_core::clock::Clock;
use mqstore_core::delay::DelayLevels;
use mqstore_core::gate::Gates;
use mqstore_core::log::{CommitLog, LogWriter};
use mqstore_core::segment::{CellsFile, Geometry, Medium, SegmentBackend, Series, SmallFile};

use super::bell::Bell;
use super::lock::StoreLock;
use super::reopen::{self, Reopened};
use super::rules::LiveRules;
use super::services::Services;
use super::{Commits, Engine, Guarded, HostMedium, Shared};
use crate::checkpoint::{CHECKPOINT_LEN, StoreCheckpoint};
use crate::clock::StoreClock;
use crate::config::{ConfigError, MessageStoreConfig, MqstoreSettings};
use crate::error::OpenError;
use crate::offsets::GrowingOffsets;
use crate::stats::{SharedTotals, StoreStats};
use crate::timing::StampClock;

/// Everything a store is opened with.
pub(crate) struct Opening<M> {
    pub(crate) config: MessageStoreConfig,
    pub(crate) settings: MqstoreSettings,
    pub(crate) clock: StoreClock,
    pub(crate) medium: M,
    /// Where the log is staged: each put commits what it has written, and no thread does.
    pub(crate) each_put_commits: bool,
}

impl<M: HostMedium> Engine<M> {
    /// Opens a store.
    pub(crate) fn open(opening: Opening<M>) -> Result<Shared<M>, OpenError> {
        let Opening { config, settings, clock, medium, each_put_commits } = opening;
        config.validate()?;
        settings.validate()?;
        let delay_levels = DelayLevels::parse(&config.message_delay_level)
            .map_err(|e| config.bad_value("messageDelayLevel", &e.to_string()))?;
        // before anything is read that another process may be changing
        let owner = medium.lock().map_err(|e| OpenError::medium("taking the lock", &e))?;
        let rules = LiveRules::new(&config, &settings);

        let size = u32::try_from(config.mapped_file_size_commit_log).unwrap_or(0);
        let files = medium
            .segments(Series::CommitLog, size)
            .map_err(|e| OpenError::medium("opening the commit log", &e))?;
        let geometry = files.geometry();
        check_window(geometry, &config)?;
        let commits = match geometry.staged {
            false => Commits::Nothing,
            true if each_put_commits => Commits::EachPut,
            true => Commits::ByThread,
        };
        let Reopened { table, halves, end } = reopen::commit_log(&files, left_open(&medium)?)?;
        let log = CommitLog::new(table, end);
        let mut writer =
            LogWriter::new(files, GrowingOffsets::default(), GrowingOffsets::default());
        writer.set_multi_dispatch(rules.multi_dispatch());
        if let Some(halves) = halves {
            writer.resume(halves);
        }
        reopen::learn_queue_offsets(&mut writer, &log, end)?;

        let checkpoint = open_checkpoint(&medium)?;
        medium
            .save(SmallFile::Abort, &[])
            .map_err(|e| OpenError::medium("making the abort file", &e))?;

        let mutex = config.use_reentrant_lock_when_put_message;
        let engine = Arc::new(Self {
            gates: Gates::new(),
            log,
            lock: StoreLock::new(Guarded { writer, closed: false }, mutex),
            rules,
            delay_levels,
            geometry,
            commits,
            commit_bell: Bell::default(),
            totals: SharedTotals::default(),
            flush: super::flush::FlushDesk::new(end),
            stats: StoreStats::booted_at(clock.now()),
            stamps: StampClock::new(clock.clone()),
            clock,
            checkpoint,
            config: RwLock::new((config, settings)),
            last_status: Mutex::default(),
            services: Mutex::new(Services::default()),
            closed: Mutex::default(),
            in_use: RwLock::default(),
            medium,
            owner: Mutex::new(Some(owner)),
        });
        *engine.services() = Services::start(&engine)?;
        engine.gates.open();
        Ok(engine)
    }
}

/// Whether whoever had the store last did not close it.
fn left_open<M: Medium>(medium: &M) -> Result<bool, OpenError> {
    let abort = medium.load(SmallFile::Abort, &mut []);
    Ok(abort.map_err(|e| OpenError::medium("looking for the abort file", &e))?.is_some())
}

/// The medium must be able to lend a window for whatever the limits let through.
pub(super) fn check_window(
    geometry: Geometry,
    config: &MessageStoreConfig,
) -> Result<(), ConfigError> {
    let Geometry { capacity, window_max, .. } = geometry;
    let longest = u32::try_from(config.max_message_size).unwrap_or(0).min(capacity);
    if window_max < longest {
        let why = format!("the medium takes records of at most {window_max} bytes");
        return Err(config.bad_value("maxMessageSize", &why));
    }
    Ok(())
}

/// The checkpoint: its times count only if the file was there.
fn open_checkpoint<M: Medium>(medium: &M) -> Result<StoreCheckpoint<M::Cells>, OpenError> {
    let failed = |e: &M::Error| OpenError::medium("opening the checkpoint", e);
    let existed = medium.cells_len(CellsFile::Checkpoint).map_err(|e| failed(&e))?.is_some();
    let cells = medium.cells(CellsFile::Checkpoint, CHECKPOINT_LEN).map_err(|e| failed(&e))?;
    if existed {
        StoreCheckpoint::load(cells).map_err(|e| failed(&e))
    } else {
        Ok(StoreCheckpoint::new(cells))
    }
}
