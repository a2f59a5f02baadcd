//! A series of segment files in one or more folders.

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
use crate::BackendError;
use crate::segment::{Discovered, Pinned, Writer};

/// A series of segment files.
pub struct FolderSegments {
    dirs: Dirs,
    capacity: u32,
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
        staging: Option<Staging>,
        read_only: bool,
    ) -> Self {
        Self { dirs, capacity, staging, read_only }
    }

    /// The name of the segment at `base`, if there can be one.
    fn name(&self, base: u64, what: &'static str) -> Result<std::string::String, BackendError> {
        let capacity = u64::from(self.capacity);
        if base.is_multiple_of(capacity) && base.checked_add(capacity).is_some() {
            return Ok(segment_name(base));
        }
        Err(BackendError::new(ErrorKind::OutOfBounds, what))
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
        if metadata.len() != u64::from(self.capacity) {
            return Err(BackendError::at(ErrorKind::WrongSize, OPENING, &path));
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
                let base = number_of(name, 20);
                let base = base.filter(|b| b.is_multiple_of(u64::from(self.capacity)));
                // one base in two folders: nobody knows which of them counts
                match base.filter(|b| !bases.contains(b)) {
                    Some(base) => bases.push(base),
                    None => {
                        let path = dir.join(name);
                        return Err(BackendError::at(ErrorKind::Foreign, LISTING, &path));
                    }
                }
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
