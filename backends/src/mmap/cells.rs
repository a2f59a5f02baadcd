//! Files of cells in a folder: the checkpoint and index files.

use core::sync::atomic::{AtomicBool, Ordering};
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mqstore_core::segment::{Cells, ErrorKind};

use super::make::{make_file, make_real};
use super::map::WordMap;
use super::sys;
use crate::BackendError;
use crate::region::{get_words, set_words};

/// Where the cells are.
enum Source {
    Mapped(WordMap),
    /// Somebody else may be writing them, or even shorten the file: read through the kernel.
    Foreign(File),
}

struct Inner {
    source: Source,
    path: PathBuf,
    len: u64,
    /// A sync has failed; the next one could succeed without having written anything.
    failed: AtomicBool,
}

/// A file of cells.
#[derive(Clone)]
pub struct FolderCells(Arc<Inner>);

const OPENING: &str = "opening a file of cells";
const SYNCING: &str = "syncing a file of cells";

impl FolderCells {
    /// Opens the file, made or lengthened to `size`.
    pub(crate) fn open(path: &Path, size: u64) -> Result<Self, BackendError> {
        let failed = |e: &io::Error| BackendError::io(e, OPENING, path);
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).custom_flags(sys::NO_SURPRISES);
        let found = match options.open(path).and_then(sys::regular) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => None,
            found => Some(found.map_err(|e| failed(&e))?),
        };
        let (file, len) = match found {
            None => (make_file(path, size).map_err(|e| failed(&e))?, size),
            Some(file) => {
                let old = file.metadata().map_err(|e| failed(&e))?.len();
                let len = old.max(size);
                // its holes, too: a write to one on a full disk would kill the process
                make_real(&file, old, len).map_err(|e| failed(&e))?;
                file.sync_all().map_err(|e| failed(&e))?;
                (file, len)
            }
        };
        let words = u32::try_from(len).ok().filter(|n| *n > 0 && n.is_multiple_of(4));
        let len_u32 = words.ok_or_else(|| BackendError::at(ErrorKind::BadSize, OPENING, path))?;
        let map = WordMap::of(&file, len_u32).map_err(|e| failed(&e))?;
        Ok(Self::new(Source::Mapped(map), path, len))
    }

    /// Opens a file that is there, and of which nothing may be changed.
    pub(crate) fn open_read_only(path: &Path) -> Result<Self, BackendError> {
        let failed = |e: &io::Error| BackendError::io(e, OPENING, path);
        let file = File::open(path).map_err(|e| failed(&e))?;
        let len = file.metadata().map_err(|e| failed(&e))?.len();
        Ok(Self::new(Source::Foreign(file), path, len))
    }

    fn new(source: Source, path: &Path, len: u64) -> Self {
        let (path, failed) = (path.to_path_buf(), AtomicBool::new(false));
        Self(Arc::new(Inner { source, path, len, failed }))
    }

    fn error(&self, kind: ErrorKind, what: &'static str) -> BackendError {
        BackendError::at(kind, what, &self.0.path)
    }
}

impl Cells for FolderCells {
    type Error = BackendError;

    fn len(&self) -> u64 {
        self.0.len
    }

    fn get(&self, at: u64, out: &mut [u8]) -> Result<(), BackendError> {
        const WHAT: &str = "reading cells";
        let bad = || self.error(ErrorKind::OutOfBounds, WHAT);
        match &self.0.source {
            Source::Mapped(map) => get_words(map.words(), at, out).ok_or_else(bad),
            Source::Foreign(file) => {
                let end = at.checked_add(out.len() as u64);
                let aligned = at.is_multiple_of(4) && out.len().is_multiple_of(4);
                end.filter(|end| aligned && *end <= self.0.len).ok_or_else(bad)?;
                file.read_exact_at(out, at).map_err(|e| BackendError::io(&e, WHAT, &self.0.path))
            }
        }
    }

    fn set(&self, at: u64, bytes: &[u8]) -> Result<(), BackendError> {
        const WHAT: &str = "writing cells";
        match &self.0.source {
            Source::Mapped(map) => set_words(map.words(), at, bytes)
                .ok_or_else(|| self.error(ErrorKind::OutOfBounds, WHAT)),
            Source::Foreign(_) => Err(self.error(ErrorKind::ReadOnly, WHAT)),
        }
    }

    fn sync(&self) -> Result<(), BackendError> {
        let Source::Mapped(map) = &self.0.source else { return Ok(()) };
        if self.0.failed.load(Ordering::Acquire) {
            return Err(self.error(ErrorKind::Stopped, SYNCING));
        }
        map.sync().map_err(|e| {
            self.0.failed.store(true, Ordering::Release);
            BackendError::io(&e, SYNCING, &self.0.path)
        })
    }
}
