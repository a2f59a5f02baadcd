//! Opening the store that a trace runs on.

use std::sync::Arc;

use mqstore::config::{Backend, MessageStoreConfig};
use mqstore::{Store, StoreClock, StoreOptions};
use mqstore_backends::mem::{HeapPool, MemMedium};

use super::{ReplayError, ReplayOptions};

/// A medium in memory that outlives its store.
pub type Memory = MemMedium<Arc<HeapPool>>;

/// Room for the smaller files of a store in memory.
const MEMORY_BYTES: usize = 64 << 20;

/// A store, and the memory it lies in if it does.
pub(super) struct Opened {
    pub(super) store: Store,
    pub(super) memory: Option<Memory>,
}

/// Opens the store of a trace with these settings of its `open` line.
pub(super) fn open(
    options: &ReplayOptions,
    of_trace: &[(String, String)],
    clock: StoreClock,
) -> Result<Opened, ReplayError> {
    let config = config(options, of_trace)?;
    let file_size = usize::try_from(config.mapped_file_size_commit_log).unwrap_or(0);
    let opening = StoreOptions::with_config(config).settings(options.settings.clone()).clock(clock);
    let (store, memory) = if options.settings.backend == Backend::Mem {
        let memory = MemMedium::heap(file_size.saturating_mul(3).saturating_add(MEMORY_BYTES));
        (opening.open_on(memory.clone()), Some(memory))
    } else {
        (opening.open(), None)
    };
    Ok(Opened { store: store.map_err(ReplayError::Open)?, memory })
}

/// The trace's settings, then the command line's; those of the broker are not the store's.
fn config(
    options: &ReplayOptions,
    of_trace: &[(String, String)],
) -> Result<MessageStoreConfig, ReplayError> {
    let mut config = MessageStoreConfig::default();
    config.set_root(&options.root.to_string_lossy());
    for (name, value) in of_trace.iter().chain(&options.config) {
        if name.starts_with("broker.") {
            continue;
        }
        config.set(name, value).map_err(|e| ReplayError::Usage(e.to_string()))?;
    }
    Ok(config)
}
