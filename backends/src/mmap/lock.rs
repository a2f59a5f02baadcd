//! The `lock` file: one store per folder.
//!
//! It is locked by an open-file-description lock on its first byte. That excludes Java's POSIX
//! lock, every other process, and every other opener in this one, by whatever path he comes.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::vec::Vec;

use mqstore_core::segment::ErrorKind;

use super::make::{make_dirs, sync_dir};
use super::sys;
use crate::{BackendError, Reason};

/// Holds a folder for one store; dropping it lets go.
#[derive(Debug)]
pub struct FolderLock {
    file: File,
    /// The folders of the log, which another root may name, too.
    dirs: Vec<File>,
}

impl Drop for FolderLock {
    fn drop(&mut self) {
        // not by closing the file alone: a process that is just being started by another thread
        // has a copy of the descriptor until it runs, and would keep the lock
        self.dirs.iter().for_each(sys::unlock_whole);
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
            .custom_flags(sys::NO_SURPRISES)
            .open(&path)
            .and_then(sys::regular)
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
        Ok(Self { file, dirs: Vec::new() })
    }

    /// Takes a folder of the log, which is there, against stores with another root. Where the
    /// file system has no such locks, the root's has to do.
    pub(crate) fn take_dir(&mut self, dir: &Path) -> Result<(), BackendError> {
        const WHAT: &str = "locking a folder of the log";
        let failed = |e: &io::Error| BackendError::io(e, WHAT, dir);
        let opened = File::open(dir).map_err(|e| failed(&e))?;
        let id = |file: &File| file.metadata().map(|m| (m.dev(), m.ino()));
        let wanted = id(&opened).map_err(|e| failed(&e))?;
        // one folder may have two names in the settings
        if self.dirs.iter().any(|dir| id(dir).is_ok_and(|id| id == wanted)) {
            return Ok(());
        }
        match sys::lock_whole(&opened) {
            Err(e) if e.kind() == io::ErrorKind::WouldBlock => {
                return Err(BackendError::at(ErrorKind::Locked, WHAT, dir));
            }
            Err(_) => {}
            Ok(()) => self.dirs.push(opened),
        }
        Ok(())
    }
}
