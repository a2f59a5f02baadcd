//! The `lock` file: one store per folder.
//!
//! It is locked by an open-file-description lock on its first byte. That excludes Java's POSIX
//! lock, every other process, and every other opener in this one, by whatever path he comes.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use mqstore_core::segment::ErrorKind;

use super::make::{make_dirs, sync_dir};
use super::sys;
use crate::{BackendError, Reason};

/// Holds a folder for one store; dropping it lets go.
#[derive(Debug)]
pub struct FolderLock {
    file: File,
}

impl Drop for FolderLock {
    fn drop(&mut self) {
        // not by closing the file alone: a process that is just being started by another thread
        // has a copy of the descriptor until it runs, and would keep the lock
        let _ = sys::unlock_first_byte(&self.file);
    }
}

/// What stands in the way of a folder: the system's words for it do not name what.
fn cannot_make(dir: &Path, error: &io::Error) -> BackendError {
    const WHAT: &str = "making the folder";
    let in_the_way = dir.ancestors().find(|p| p.metadata().is_ok_and(|found| !found.is_dir()));
    match in_the_way {
        Some(path) => BackendError::at(ErrorKind::Exists, WHAT, path)
            .because(Reason::Words("it is not a folder")),
        None => BackendError::io(error, WHAT, dir),
    }
}

impl FolderLock {
    /// Takes the folder. Nothing else is made before.
    pub(crate) fn take(root: &Path) -> Result<Self, BackendError> {
        let path = root.join("lock");
        let failed = |e: &io::Error| BackendError::io(e, "making the lock file", &path);
        make_dirs(root).map_err(|e| cannot_make(root, &e))?;
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(|e| failed(&e))?;
        sys::lock_first_byte(&file).map_err(|e| match e.raw_os_error() {
            Some(libc::EAGAIN | libc::EACCES) => {
                BackendError::at(ErrorKind::Locked, "locking the file", &path)
            }
            _ => failed(&e),
        })?;
        file.write_all_at(b"lock", 0)
            .and_then(|()| file.sync_all())
            .and_then(|()| sync_dir(root))
            .map_err(|e| failed(&e))?;
        Ok(Self { file })
    }
}
