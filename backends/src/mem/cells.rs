//! Files of cells in a pool.

use mqstore_core::segment::{Cells, ErrorKind};

use super::hold::{words, zero};
use super::pool::{Pin, Pool};
use super::table::Key;
use crate::BackendError;
use crate::region::{Region, get_words, set_words};

/// A file of cells in memory.
pub struct MemCells<R: Pool> {
    pin: Pin<R>,
    bytes: Region,
}

impl<R: Pool> Clone for MemCells<R> {
    fn clone(&self) -> Self {
        Self { pin: self.pin.clone(), bytes: self.bytes }
    }
}

impl<R: Pool> MemCells<R> {
    /// Opens the file of this name, made or lengthened to `size`.
    pub(crate) fn open(pool: &R, key: &Key, size: u64) -> Result<Self, BackendError> {
        let size = u32::try_from(size).ok().filter(|n| n.is_multiple_of(4));
        let size = size.ok_or(BackendError::new(ErrorKind::BadSize, WHAT))?;
        let opened = pool.locked(|table| {
            let old = table.find(key);
            let len = old.and_then(|o| table.slots.get(o)).map_or(0, |s| s.size);
            let slot = match old {
                Some(slot) if len >= size => slot,
                old => {
                    let new = table.make(key.clone(), size, 0)?;
                    let bytes = table.region_of(new);
                    zero(bytes);
                    if let Some(old) = old {
                        if table.is_held(old) {
                            table.unname(new);
                            return Err(ErrorKind::Busy);
                        }
                        super::hold::copy_words(table.region_of(old), bytes);
                        table.unname(old);
                    }
                    new
                }
            };
            Ok(Self { bytes: table.region_of(slot), pin: Pin::new(pool, table, slot) })
        });
        opened.map_err(|kind| BackendError::new(kind, WHAT))
    }
}

const WHAT: &str = "opening a file of cells";

impl<R: Pool> Cells for MemCells<R> {
    type Error = BackendError;

    fn len(&self) -> u64 {
        u64::from(self.bytes.len())
    }

    fn get(&self, at: u64, out: &mut [u8]) -> Result<(), BackendError> {
        let words = words(&self.pin, self.bytes);
        get_words(words, at, out).ok_or(BackendError::new(ErrorKind::OutOfBounds, "reading cells"))
    }

    fn set(&self, at: u64, bytes: &[u8]) -> Result<(), BackendError> {
        let words = words(&self.pin, self.bytes);
        set_words(words, at, bytes)
            .ok_or(BackendError::new(ErrorKind::OutOfBounds, "writing cells"))
    }

    fn sync(&self) -> Result<(), BackendError> {
        Ok(())
    }
}
