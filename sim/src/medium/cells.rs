//! Files of cells on a simulated disk: stored through a mapping, word by word.

use std::sync::Arc;

use mqstore_core::segment::{Cells, ErrorKind};

use super::{SimError, make_file};
use crate::disk::{FileRef, Loss, Process};

/// A file of cells.
#[derive(Clone)]
pub struct SimCells {
    process: Process,
    file: FileRef,
    name: Arc<str>,
    len: u64,
}

impl SimCells {
    /// Opens the file of this name, made or lengthened to `size`.
    pub(super) fn open(process: &Process, name: String, size: u64) -> Result<Self, SimError> {
        const WHAT: &str = "opening a file of cells";
        if !size.is_multiple_of(4) {
            return Err(SimError::new(ErrorKind::BadSize, WHAT));
        }
        Self::try_open(process, name, size).map_err(SimError::during(WHAT))
    }

    fn try_open(process: &Process, name: String, size: u64) -> Result<Self, ErrorKind> {
        let file = match process.open(&name)? {
            None => make_file(process, &name, size, Loss::Words)?,
            Some(file) => {
                if process.len(&file)? < size {
                    process.grow(&file, size)?;
                    process.sync_all(&file, &name)?;
                }
                // whoever made it may have died before its name was durable
                process.sync_name(&name)?;
                file
            }
        };
        let len = process.len(&file)?;
        Ok(Self { process: process.clone(), file, name: name.into(), len })
    }

    fn check(&self, at: u64, len: usize, what: &'static str) -> Result<(), SimError> {
        let end = at.checked_add(len as u64).filter(|end| *end <= self.len);
        if end.is_none() || !at.is_multiple_of(4) || !len.is_multiple_of(4) {
            return Err(SimError::new(ErrorKind::OutOfBounds, what));
        }
        Ok(())
    }
}

impl Cells for SimCells {
    type Error = SimError;

    fn len(&self) -> u64 {
        self.len
    }

    fn get(&self, at: u64, out: &mut [u8]) -> Result<(), SimError> {
        const WHAT: &str = "reading cells";
        self.check(at, out.len(), WHAT)?;
        self.process.read(&self.file, &self.name, at, out).map_err(SimError::during(WHAT))
    }

    fn set(&self, at: u64, bytes: &[u8]) -> Result<(), SimError> {
        self.check(at, bytes.len(), "writing cells")?;
        self.process.store(&self.file, &self.name, at, bytes);
        Ok(())
    }

    fn sync(&self) -> Result<(), SimError> {
        self.process.sync_all(&self.file, &self.name).map_err(SimError::during("syncing cells"))
    }
}
