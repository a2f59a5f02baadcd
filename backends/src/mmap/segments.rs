//! A series of segment files in one or more folders.

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::vec::Vec;

use mqstore_core::segment::{ErrorKind, Geometry, Halves, SegmentBackend};

use super::config::Staging;
use super::dirs::{Dirs, each_name, number_of, segment_name};
use super::hold::{FileFindings, FileHold, Parts, halves, stage};
use super::make::{make_file, sync_dir};
use super::map::Map;
use super::transient::Buffer;
use crate::segment::{Discovered, Pinned, Writer};
use crate::{BackendError, Reason};

/// A series of segment files.
pub struct FolderSegments {
    dirs: Dirs,
    capacity: u32,
    /// The setting that says the capacity.
    setting: &'static str,
    staging: Option<Staging>,
    read_only: bool,
}

const MAKING: &str = "making a segment";
const OPENING: &str = "opening a segment";
const REMOVING: &str = "removing a segment";
const LISTING: &str = "listing segments";

impl FolderSegments {
    pub(crate) fn new(
        dirs: Dirs,
        capacity: u32,
        setting: &'static str,
        staging: Option<Staging>,
        read_only: bool,
    ) -> Self {
        Self { dirs, capacity, setting, staging, read_only }
    }

    /// The name of the segment at `base`, if there can be one.
    fn name(&self, base: u64, what: &'static str) -> Result<std::string::String, BackendError> {
        let capacity = u64::from(self.capacity);
        if base.is_multiple_of(capacity) && base.checked_add(capacity).is_some() {
            return Ok(segment_name(base));
        }
        Err(BackendError::new(ErrorKind::OutOfBounds, what))
    }

    /// Where the segment of this name begins; or why it is none.
    fn base_of(&self, name: &OsStr) -> Result<u64, Reason> {
        let of = u64::from(self.capacity);
        match number_of(name, 20) {
            None => Err(Reason::Words("its name is not an offset of 20 digits")),
            Some(base) if base.is_multiple_of(of) => Ok(base),
            Some(_) => Err(Reason::NoMultiple { of, setting: self.setting }),
        }
    }

    fn path(&self, base: u64, what: &'static str) -> Result<PathBuf, BackendError> {
        let name = self.name(base, what)?;
        self.dirs.find(&name).ok_or_else(|| {
            let dir = self.dirs.writable().first().cloned().unwrap_or_default();
            BackendError::at(ErrorKind::NotFound, what, &dir.join(&name))
        })
    }

    fn check_writable(&self, what: &'static str) -> Result<(), BackendError> {
        if self.read_only {
            return Err(BackendError::new(ErrorKind::ReadOnly, what));
        }
        Ok(())
    }

    /// A buffer to stage the next segment in, if it is to be staged.
    fn buffer(&self) -> Result<Option<Buffer>, BackendError> {
        let Some(staging) = &self.staging else { return Ok(None) };
        match staging.pool.take() {
            None if staging.fail_fast => {
                Err(BackendError::new(ErrorKind::Exhausted, "taking a buffer of the pool"))
            }
            buffer => Ok(buffer),
        }
    }

    fn make(&self, path: PathBuf, base: u64) -> Result<Halves<Self>, BackendError> {
        // before the file, so that nothing is left behind without one
        let buffer = self.buffer()?;
        let failed = |e: &io::Error| BackendError::io(e, MAKING, &path);
        let file = make_file(&path, u64::from(self.capacity)).map_err(|e| failed(&e))?;
        let made = Map::of_made(&file, self.capacity).map_err(|e| failed(&e)).and_then(|map| {
            let staging = self.staging.as_ref().zip(buffer);
            let staged = staging.map(|(staging, b)| stage(staging, b, file, &path, 0));
            let staged = staged.transpose().map_err(|e| failed(&e))?;
            let parts = Parts { path: path.clone(), base, capacity: self.capacity };
            halves(map, parts, staged, 0)
        });
        match made {
            Ok((tail, hold)) => Ok((tail, Pinned::new(hold))),
            Err(e) => {
                let _ = unlink(&path);
                Err(e)
            }
        }
    }
}

/// Lies in a folder that is the root of a file system.
const MOUNT_POINTS_OWN: &str = "lost+found";

/// Takes a file's name away, durably.
fn unlink(path: &Path) -> io::Result<()> {
    fs::remove_file(path)?;
    path.parent().map_or(Ok(()), sync_dir)
}

impl SegmentBackend for FolderSegments {
    type Error = BackendError;
    type Tail = Writer<FileHold>;
    type Segment = Pinned<FileHold>;
    type Found = Discovered<FileFindings>;

    fn geometry(&self) -> Geometry {
        match &self.staging {
            Some(s) => {
                let window_max = s.pool.buffer_len().min(self.capacity);
                Geometry::staged(self.capacity, window_max, 1)
            }
            None => Geometry::in_place(self.capacity),
        }
    }

    fn create(&self, base: u64) -> Result<Halves<Self>, BackendError> {
        self.check_writable(MAKING)?;
        let name = self.name(base, MAKING)?;
        if let Some(there) = self.dirs.find(&name) {
            return Err(BackendError::at(ErrorKind::Exists, MAKING, &there));
        }
        let number = base / u64::from(self.capacity);
        let dir = self.dirs.for_new(number).ok_or(ErrorKind::NotFound)?;
        self.make(dir.join(name), base)
    }

    fn open(&self, base: u64) -> Result<Self::Found, BackendError> {
        let path = self.path(base, OPENING)?;
        let failed = |e: &io::Error| BackendError::io(e, OPENING, &path);
        let file: File = OpenOptions::new()
            .read(true)
            .write(!self.read_only)
            .open(&path)
            .map_err(|e| failed(&e))?;
        let metadata = file.metadata().map_err(|e| failed(&e))?;
        if !metadata.is_file() {
            return Err(BackendError::at(ErrorKind::Foreign, OPENING, &path));
        }
        let (is, wanted, setting) = (metadata.len(), u64::from(self.capacity), self.setting);
        if is != wanted {
            let reason = Reason::Length { is, wanted, setting };
            return Err(BackendError::at(ErrorKind::WrongSize, OPENING, &path).because(reason));
        }
        if self.read_only {
            let parts = Parts { path, base, capacity: self.capacity };
            return Ok(Discovered::new(FileFindings::foreign(file, parts)));
        }
        let map = Map::of_found(&file, self.capacity).map_err(|e| failed(&e))?;
        let busy = || BackendError::at(ErrorKind::Busy, OPENING, &path);
        let map = map.ok_or_else(busy)?;
        let parts = Parts { path, base, capacity: self.capacity };
        Ok(Discovered::new(FileFindings::mapped(map, file, parts, self.staging.clone())))
    }

    fn remove(&self, base: u64) -> Result<(), BackendError> {
        self.check_writable(REMOVING)?;
        let path = self.path(base, REMOVING)?;
        unlink(&path).map_err(|e| BackendError::io(&e, REMOVING, &path))
    }

    fn list(&self, visit: &mut dyn FnMut(u64)) -> Result<(), BackendError> {
        let mut bases = Vec::new();
        for dir in self.dirs.all() {
            each_name(dir, &mut |name| {
                if name == MOUNT_POINTS_OWN {
                    return Ok(());
                }
                let base = self.base_of(name).and_then(|base| match bases.contains(&base) {
                    // nobody knows which of them counts
                    true => Err(Reason::Words("there is one of this name in another folder")),
                    false => Ok(base),
                });
                bases.push(base.map_err(|reason| {
                    let error = BackendError::at(ErrorKind::Foreign, LISTING, &dir.join(name));
                    error.because(reason)
                })?);
                Ok(())
            })?;
        }
        bases.sort_unstable();
        bases.into_iter().for_each(visit);
        Ok(())
    }
}

/// Removes every segment of these folders, and the folders.
pub(crate) fn remove_all(dirs: &Dirs) -> Result<(), BackendError> {
    for dir in dirs.writable() {
        let failed = |e: &io::Error| BackendError::io(e, "removing a series", dir);
        let mut any = false;
        each_name(dir, &mut |name| {
            any = true;
            if number_of(name, 20).is_some() {
                fs::remove_file(dir.join(name)).map_err(|e| failed(&e))?;
            }
            Ok(())
        })?;
        if any {
            sync_dir(dir).map_err(|e| failed(&e))?;
        }
        // a folder that holds something else stays
        if fs::remove_dir(dir).is_ok()
            && let Some(above) = dir.parent()
        {
            sync_dir(above).map_err(|e| failed(&e))?;
        }
    }
    Ok(())
}
