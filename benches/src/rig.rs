//! A store that is replaced by a fresh one, outside the measured time, before it gets large.

use core::time::Duration;
use std::path::PathBuf;
use std::time::Instant;

use mqstore::config::{MessageStoreConfig, MqstoreSettings};
use mqstore::{Message, PutMessageResult, Store, StoreOptions};
use tempfile::TempDir;

/// How a store is made, and the one there is.
pub struct Rig {
    parent: PathBuf,
    backend: &'static str,
    file_size: u64,
    budget: u64,
    current: Option<(Store, TempDir)>,
}

impl Rig {
    /// Stores in folders below `parent`, on `backend`, with log files of `file_size` bytes;
    /// none gets larger than `budget` bytes by much.
    #[must_use]
    pub const fn new(parent: PathBuf, backend: &'static str, file_size: u64, budget: u64) -> Self {
        Self { parent, backend, file_size, budget, current: None }
    }

    /// Puts a message so many times, and answers how long that took.
    ///
    /// # Panics
    /// If a store does not open or refuses the message.
    pub fn put(&mut self, times: u64, message: &Message<'_>) -> Duration {
        self.repeat(times, |store| store.put(message))
    }

    /// Does something so many times to a store, and answers how long that took.
    ///
    /// # Panics
    /// If a store does not open or refuses a message.
    pub fn repeat(&mut self, times: u64, put: impl Fn(&Store) -> PutMessageResult) -> Duration {
        let mut took = Duration::ZERO;
        let mut left = times;
        while left > 0 {
            let store = self.store();
            let (end, mut done) = (store.status().written_offset, 0);
            let mut written = 0;
            let start = Instant::now();
            while done < left && end + written < self.budget {
                let result = put(&store);
                match &result.append {
                    Some(append) => written += u64::from(append.wrote_bytes),
                    None => panic!("refused: {result:?}"),
                }
                done += 1;
            }
            took += start.elapsed();
            left -= done;
            if left > 0 {
                self.current = None;
            }
        }
        took
    }

    fn store(&mut self) -> Store {
        if let Some((store, _)) = &self.current
            && store.status().written_offset < self.budget
        {
            return store.clone();
        }
        // the full one goes before the next one takes disk
        self.current = None;
        match self.open() {
            Ok((store, folder)) => self.current.insert((store, folder)).0.clone(),
            Err(e) => panic!("the store does not open: {e}"),
        }
    }

    fn open(&self) -> Result<(Store, TempDir), Box<dyn core::error::Error>> {
        let folder = tempfile::tempdir_in(&self.parent)?;
        let mut config = MessageStoreConfig::default();
        config.set_root(&folder.path().to_string_lossy());
        config.set("mappedFileSizeCommitLog", &self.file_size.to_string())?;
        let mut settings = MqstoreSettings::default();
        settings.set("mqstore.backend", self.backend)?;
        Ok((StoreOptions::with_config(config).settings(settings).open()?, folder))
    }
}
