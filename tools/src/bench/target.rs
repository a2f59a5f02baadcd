//! The store that is measured.

use core::time::Duration;
use std::thread;
use std::time::Instant;

use mqstore::config::{ConfigError, MessageStoreConfig, MqstoreSettings};
use mqstore::{OpenError, Store, StoreOptions};

use super::folder::WorkFolder;
use super::options::Options;
use crate::cli::CliError;

/// Opens a store with these options.
///
/// # Errors
/// [`CliError::Usage`] for a setting that does not exist or has a wrong value,
/// [`CliError::Failed`] if the store does not open.
pub(crate) fn open(options: &Options, folder: &WorkFolder) -> Result<Store, CliError> {
    let mut config = MessageStoreConfig::default();
    let mut settings = MqstoreSettings::default();
    let mut set = |name: &str, value: &str| -> Result<(), CliError> {
        let set = if name.starts_with(MqstoreSettings::PREFIX) {
            settings.set(name, value)
        } else {
            config.set(name, value)
        };
        set.map_err(|e: ConfigError| CliError::Usage(e.to_string()))
    };
    set("storePathRootDir", &folder.path().to_string_lossy())?;
    set("mqstore.backend", options.backend)?;
    set("flushDiskType", if options.sync { "SYNC_FLUSH" } else { "ASYNC_FLUSH" })?;
    set("transientStorePoolEnable", if options.pool { "true" } else { "false" })?;
    set("mappedFileSizeCommitLog", &options.file_size().to_string())?;
    for (name, value) in &options.config {
        set(name, value)?;
    }
    let opening = StoreOptions::with_config(config).settings(settings);
    opening.open().map_err(|e| match e {
        OpenError::Config(e) => CliError::Usage(e.to_string()),
        e => {
            let place = folder.path().display();
            CliError::Failed(format!("the store in {place} does not open: {e}"))
        }
    })
}

/// Waits until readers can see everything that was put, which with the transient pool takes a
/// commit; false if it does not come.
pub(crate) fn drained(store: &Store) -> bool {
    let start = Instant::now();
    loop {
        let status = store.status();
        if status.max_phy_offset >= status.written_offset {
            return true;
        }
        if start.elapsed() > Duration::from_secs(600) {
            return false;
        }
        thread::sleep(Duration::from_millis(1));
    }
}
