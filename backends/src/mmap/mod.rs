//! A folder with mapped files, as RocketMQ lays them out.
//!
//! # What is taken for granted
//!
//! Mapped bytes are lent as slices, which is sound as long as nobody else changes the files:
//! within this process that is seen to (each file is mapped once, and has one writer), between
//! processes the lock file sees to it. So take [`Medium::lock`] before anything else. A process
//! that writes without the lock, or shortens a file, breaks this as it would break RocketMQ.
//!
//! [`FolderMedium::open_read_only`] takes no lock, so nothing is mapped: views are never lent
//! and reads go through the kernel, beside whoever is writing. Such bytes may be half of one
//! record and half of another; what is read has to be checked as after a crash.

pub mod access;
mod cells;
mod config;
mod dirs;
#[expect(unsafe_code, reason = "gives mapped memory to segments; see its proofs")]
mod hold;
mod lock;
mod make;
#[expect(unsafe_code, reason = "mapped memory; see its proofs")]
mod map;
mod populate;
mod segments;
mod small;
#[expect(unsafe_code, reason = "calls the operating system; see its proofs")]
mod sys;
mod transient;

pub use cells::FolderCells;
pub use config::{AccessOf, FolderConfig, Staging};
pub use lock::FolderLock;
pub use segments::FolderSegments;
pub use transient::TransientPool;

use std::fs;
use std::io;
use std::sync::Arc;
use std::vec::Vec;

use mqstore_core::segment::{CellsFile, ErrorKind, Medium, QueueSeries, Series, SmallFile, Space};

use self::dirs::{Dirs, each_name, number_of};
use crate::BackendError;

/// The files of one store in its folders.
#[derive(Clone, Debug)]
pub struct FolderMedium {
    config: Arc<FolderConfig>,
    read_only: bool,
}

impl FolderMedium {
    /// A store's folders, to be written after [`Medium::lock`]. Makes nothing yet.
    #[must_use]
    pub fn open(config: FolderConfig) -> Self {
        Self { config: Arc::new(config), read_only: false }
    }

    /// The same to be looked at: nothing is locked, made or changed, and somebody else may be
    /// writing.
    #[must_use]
    pub fn open_read_only(config: FolderConfig) -> Self {
        Self { config: Arc::new(config), read_only: true }
    }

    fn check_writable(&self, what: &'static str) -> Result<(), BackendError> {
        if self.read_only {
            return Err(BackendError::at(ErrorKind::ReadOnly, what, &self.config.root));
        }
        Ok(())
    }
}

impl Medium for FolderMedium {
    type Error = BackendError;
    type Segments = FolderSegments;
    type Cells = FolderCells;
    type Lock = FolderLock;

    fn lock(&self) -> Result<FolderLock, BackendError> {
        self.check_writable("taking the lock")?;
        let mut lock = FolderLock::take(&self.config.root)?;
        // as RocketMQ does, so that there is something to ask for its space
        let queues = dirs::queue_root(&self.config, QueueSeries::ConsumeQueue);
        let log = Dirs::of(&self.config, Series::CommitLog)?;
        for dir in log.writable().iter().chain([&queues]) {
            make::make_dirs(dir).map_err(|e| BackendError::io(&e, "making a folder", dir))?;
        }
        for dir in log.writable() {
            lock.take_dir(dir)?;
        }
        Ok(lock)
    }

    fn segments(&self, series: Series<'_>, size: u32) -> Result<FolderSegments, BackendError> {
        let dirs = Dirs::of(&self.config, series)?;
        // RocketMQ's sizes are Java's ints
        if size == 0 || i32::try_from(size).is_err() {
            return Err(BackendError::new(ErrorKind::BadSize, "choosing a series"));
        }
        let staging = match series {
            Series::CommitLog if !self.read_only => self.config.staging.clone(),
            _ => None,
        };
        let setting = match series {
            Series::CommitLog => "mappedFileSizeCommitLog",
            Series::ConsumeQueue(..) => "mappedFileSizeConsumeQueue",
            Series::ConsumeQueueExt(..) => "mappedFileSizeConsumeQueueExt",
        };
        Ok(FolderSegments::new(dirs, size, setting, staging, self.read_only))
    }

    fn queues(
        &self,
        kind: QueueSeries,
        visit: &mut dyn FnMut(&str, i32),
    ) -> Result<(), BackendError> {
        let root = dirs::queue_root(&self.config, kind);
        each_name(&root, &mut |topic| {
            let dir = root.join(topic);
            // like RocketMQ, what is no queue is passed over
            let Some(topic) = topic.to_str().filter(|_| dir.is_dir()) else { return Ok(()) };
            each_name(&dir, &mut |id| {
                if let Some(id) = id.to_str().and_then(|id| id.parse().ok()) {
                    visit(topic, id);
                }
                Ok(())
            })
        })
    }

    fn remove_series(&self, series: Series<'_>) -> Result<(), BackendError> {
        self.check_writable("removing a series")?;
        let dirs = Dirs::of(&self.config, series)?;
        segments::remove_all(&dirs)?;
        if !matches!(series, Series::CommitLog)
            && let Some(topic) = dirs.writable().first().and_then(|dir| dir.parent())
        {
            // stays if the topic has other queues
            let _ = fs::remove_dir(topic);
        }
        Ok(())
    }

    fn cells(&self, file: CellsFile, size: u64) -> Result<FolderCells, BackendError> {
        let path = dirs::cells_path(&self.config, file);
        if self.read_only {
            return FolderCells::open_read_only(&path);
        }
        FolderCells::open(&path, size)
    }

    fn cells_len(&self, file: CellsFile) -> Result<Option<u64>, BackendError> {
        let path = dirs::cells_path(&self.config, file);
        match fs::metadata(&path) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
            found => found
                .map(|metadata| Some(metadata.len()))
                .map_err(|e| BackendError::io(&e, "looking at a file of cells", &path)),
        }
    }

    fn index_files(&self, visit: &mut dyn FnMut(u64)) -> Result<(), BackendError> {
        let mut names = Vec::new();
        each_name(&dirs::index_dir(&self.config), &mut |name| {
            names.extend(number_of(name, 17));
            Ok(())
        })?;
        names.sort_unstable();
        names.into_iter().for_each(visit);
        Ok(())
    }

    fn remove_cells(&self, file: CellsFile) -> Result<(), BackendError> {
        self.check_writable("removing a file of cells")?;
        small::remove(&dirs::cells_path(&self.config, file))
    }

    fn load(&self, file: SmallFile, out: &mut [u8]) -> Result<Option<usize>, BackendError> {
        small::load(&self.config, file, out)
    }

    fn save(&self, file: SmallFile, bytes: &[u8]) -> Result<(), BackendError> {
        self.check_writable("saving a small file")?;
        small::save(&self.config, file, bytes)
    }

    fn erase(&self, file: SmallFile) -> Result<(), BackendError> {
        self.check_writable("removing a small file")?;
        small::erase(&self.config, file)
    }

    fn space(&self, series: Series<'_>) -> Result<Space, BackendError> {
        let dirs = match series {
            Series::CommitLog => Dirs::of(&self.config, series)?.writable().to_vec(),
            Series::ConsumeQueue(..) => {
                std::vec![dirs::queue_root(&self.config, QueueSeries::ConsumeQueue)]
            }
            Series::ConsumeQueueExt(..) => {
                std::vec![dirs::queue_root(&self.config, QueueSeries::ConsumeQueueExt)]
            }
        };
        let space_of = |dir| {
            sys::space(dir).map_err(|e| BackendError::io(&e, "asking for the space left", dir))
        };
        // of several folders the one with most room counts
        let mut most: Option<Space> = None;
        for dir in &dirs {
            let space = space_of(dir)?;
            if most.is_none_or(|m| is_emptier(space, m)) {
                most = Some(space);
            }
        }
        most.ok_or(BackendError::new(ErrorKind::NotFound, "asking for the space left"))
    }
}

fn is_emptier(a: Space, b: Space) -> bool {
    u128::from(a.free) * u128::from(b.total) > u128::from(b.free) * u128::from(a.total)
}
