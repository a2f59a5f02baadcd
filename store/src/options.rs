//! How a store is opened.

use std::path::{Path, PathBuf};

use mqstore_backends::mem::MemMedium;
use mqstore_backends::mmap::{FolderConfig, FolderMedium, Staging, TransientPool};
use mqstore_backends::over::Ahead;
use mqstore_core::segment::ErrorKind;
use mqstore_core::status::FlushDiskType;

use crate::clock::StoreClock;
use crate::config::{
    Backend, ConfigError, Loaded, MessageStoreConfig, MqstoreSettings, load_file, load_properties,
    not_yet_used,
};
use crate::engine::{Engine, HostMedium, Opening};
use crate::error::OpenError;
use crate::store::Store;

/// Settings, clock and medium of a store that is to be opened.
#[derive(Clone, Debug, Default)]
pub struct StoreOptions {
    config: MessageStoreConfig,
    settings: MqstoreSettings,
    clock: StoreClock,
    /// A folder whose name is no UTF-8 cannot be a setting.
    unnameable: Option<PathBuf>,
    /// What is logged when the store is opened: it may be a typing mistake.
    doubts: Vec<String>,
}

/// Memory of a store with the backend `mem`, in bytes.
const HEAP_BYTES: usize = 256 << 20;
/// A log file takes at most a quarter of it: one is written, one is made ahead, and the rest of
/// the store needs room, too.
const HEAP_FILE_MAX: usize = HEAP_BYTES / 4;
/// With synchronous flush, records wait in buffers of at most this many bytes.
const SYNC_BUFFER: u32 = 32 << 20;
/// One for the file that is written, one for the file made ahead, and one for the file before
/// it, whose last bytes may not be committed yet.
const SYNC_BUFFERS: usize = 3;

impl StoreOptions {
    /// A store in this folder, with RocketMQ's defaults.
    #[must_use]
    pub fn new(folder: impl AsRef<Path>) -> Self {
        let mut options = Self::default();
        match folder.as_ref().to_str() {
            Some(root) => options.config.set_root(root),
            None => options.unnameable = Some(folder.as_ref().to_owned()),
        }
        options
    }

    /// A store with these settings, which name its folders.
    #[must_use]
    pub fn with_config(config: MessageStoreConfig) -> Self {
        Self { config, ..Self::default() }
    }

    /// A store with the settings of a broker's properties file, RocketMQ's and `mqstore.*`.
    ///
    /// Keys of the broker are passed over. One that looks like a mistyped setting is logged as a
    /// warning when the store is opened; [`crate::config::load_file`] shows all of them.
    ///
    /// # Errors
    /// [`ConfigError`] if the file cannot be read, or for the first value that is not allowed.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self, ConfigError> {
        let path = path.as_ref();
        let named = |doubt| format!("{}: {doubt}", path.display());
        load_file(path).map(|loaded| Self::from_loaded(loaded, named))
    }

    /// The same with a properties text.
    ///
    /// # Errors
    /// [`ConfigError`] for the first value that is not allowed.
    pub fn from_properties(text: &str) -> Result<Self, ConfigError> {
        load_properties(text).map(|loaded| Self::from_loaded(loaded, |doubt| doubt))
    }

    fn from_loaded(loaded: Loaded, named: impl Fn(String) -> String) -> Self {
        let Loaded { config, settings, ignored } = loaded;
        let doubts = ignored.iter().filter_map(|key| key.warning().map(&named)).collect();
        Self { config, settings, doubts, ..Self::default() }
    }

    /// Our own settings.
    #[must_use]
    pub fn settings(mut self, settings: MqstoreSettings) -> Self {
        self.settings = settings;
        self
    }

    /// Changes one setting by its name, RocketMQ's or `mqstore.*`.
    ///
    /// # Errors
    /// [`ConfigError`] for an unknown name or a wrong value.
    pub fn set(mut self, name: &str, value: &str) -> Result<Self, ConfigError> {
        if name.starts_with(MqstoreSettings::PREFIX) {
            self.settings.set(name, value)?;
        } else {
            self.config.set(name, value)?;
        }
        Ok(self)
    }

    /// Where store times come from.
    #[must_use]
    pub fn clock(mut self, clock: StoreClock) -> Self {
        self.clock = clock;
        self
    }

    /// Opens the store on the medium that the settings name.
    ///
    /// # Errors
    /// [`OpenError`]: no record has been touched then; folders and the lock file may have been
    /// made.
    pub fn open(self) -> Result<Store, OpenError> {
        if let Some(folder) = &self.unnameable {
            return Err(OpenError::Medium {
                what: "naming the folder",
                kind: ErrorKind::BadName,
                error: format!("{} is not UTF-8", folder.display()),
            });
        }
        self.config.validate()?;
        self.settings.validate()?;
        match self.settings.backend.clone() {
            Backend::Mmap => {
                let medium = FolderMedium::open(self.folders()?);
                let each_put_commits = !self.config.transient_store_pool();
                self.open_with(Ahead::new(medium), each_put_commits)
            }
            Backend::Mem => {
                self.check_fits_in_memory()?;
                self.open_on(MemMedium::heap(HEAP_BYTES))
            }
            Backend::Block(_) => Err(OpenError::Medium {
                what: "choosing the backend",
                kind: ErrorKind::Other,
                error: "raw block devices are not supported yet".to_owned(),
            }),
        }
    }

    /// Opens the store on a medium of the caller's.
    ///
    /// Where that stages the log in memory, a thread commits it as with
    /// `transientStorePoolEnable`: with asynchronous flush, a put is answered when its record
    /// lies in the buffer.
    ///
    /// # Errors
    /// [`OpenError`]: no record has been touched then; folders and the lock file may have been
    /// made.
    pub fn open_on<M: HostMedium>(self, medium: M) -> Result<Store, OpenError> {
        self.open_with(medium, false)
    }

    fn open_with<M: HostMedium>(
        self,
        medium: M,
        each_put_commits: bool,
    ) -> Result<Store, OpenError> {
        let Self { config, settings, clock, doubts, .. } = self;
        for doubt in doubts.into_iter().chain(not_yet_used(&config, &settings)) {
            log::warn!(target: "mqstore", "{doubt}");
        }
        let opening = Opening { config, settings, clock, medium, each_put_commits };
        Ok(Store::new(Box::new(Engine::open(opening)?)))
    }

    fn check_fits_in_memory(&self) -> Result<(), ConfigError> {
        let size = usize::try_from(self.config.mapped_file_size_commit_log).unwrap_or(usize::MAX);
        if size <= HEAP_FILE_MAX {
            return Ok(());
        }
        let why = format!(
            "with mqstore.backend = mem a log file has at most {HEAP_FILE_MAX} bytes, a quarter \
             of the memory"
        );
        Err(self.config.bad_value("mappedFileSizeCommitLog", &why))
    }

    /// The folders that the settings name.
    fn folders(&self) -> Result<FolderConfig, OpenError> {
        let splitter = &self.settings.multi_path_splitter;
        let paths = |list: Vec<String>| list.into_iter().map(PathBuf::from).collect();
        let mut folders = FolderConfig::new(&self.config.store_path_root_dir);
        folders.commit_log_dirs = paths(self.config.commit_log_paths(splitter));
        folders.read_only_commit_log_dirs = paths(self.config.read_only_commit_log_paths(splitter));
        folders.staging = self.staging()?;
        Ok(folders)
    }

    /// How log files are staged: in the transient pool, if it is on; in small buffers with
    /// synchronous flush, where each group of records is one write and one sync.
    fn staging(&self) -> Result<Option<Staging>, OpenError> {
        let size = u32::try_from(self.config.mapped_file_size_commit_log).unwrap_or(0);
        let pool = |count, len| {
            TransientPool::new(count, len).map_err(|e| OpenError::Medium {
                what: "making the buffers of the log",
                kind: ErrorKind::Exhausted,
                error: e.to_string(),
            })
        };
        if self.config.transient_store_pool() {
            let count = usize::try_from(self.config.transient_store_pool_size).unwrap_or(0);
            let mut staging = Staging::new(pool(count, size)?);
            staging.fail_fast = self.config.fast_fail_if_no_buffer_in_store_pool;
            return Ok(Some(staging));
        }
        if self.config.flush_disk_type == FlushDiskType::SyncFlush {
            let largest = u32::try_from(self.config.max_message_size).unwrap_or(0);
            let len = SYNC_BUFFER.max(largest.saturating_mul(2)).min(size);
            let mut staging = Staging::new(pool(SYNC_BUFFERS, len)?);
            staging.resumed = true;
            staging.written_ahead = true;
            return Ok(Some(staging));
        }
        Ok(None)
    }
}
