//! Small files in a pool.

use mqstore_core::segment::{ErrorKind, SmallFile};

use super::pool::Pool;
use super::table::Key;
use crate::BackendError;

/// Reads the start of a small file, and answers its length.
pub(crate) fn load<R: Pool>(pool: &R, file: SmallFile, out: &mut [u8]) -> Option<usize> {
    let key = Key::of_small(file);
    pool.locked(|table| {
        let slot = table.find(&key)?;
        let bytes = table.small(slot)?;
        for (out, byte) in out.iter_mut().zip(bytes.iter()) {
            *out = *byte;
        }
        Some(bytes.len())
    })
}

/// Replaces a small file. The new one is whole before the old one goes.
pub(crate) fn save<R: Pool>(pool: &R, file: SmallFile, bytes: &[u8]) -> Result<(), BackendError> {
    const WHAT: &str = "saving a small file";
    let key = Key::of_small(file);
    let too_big = BackendError::new(ErrorKind::NoSpace, WHAT);
    let len = u32::try_from(bytes.len()).map_err(|_| too_big)?;
    let saved = pool.locked(|table| {
        let old = table.find(&key);
        let new = table.make(key, len, 0)?;
        if let Some(to) = table.small(new) {
            to.copy_from_slice(bytes);
        }
        if let Some(old) = old {
            table.unname(old);
        }
        Ok(())
    });
    saved.map_err(|kind| BackendError::new(kind, WHAT))
}

/// Removes a small file, if it is there.
pub(crate) fn erase<R: Pool>(pool: &R, file: SmallFile) {
    let key = Key::of_small(file);
    pool.locked(|table| {
        if let Some(slot) = table.find(&key) {
            table.unname(slot);
        }
    });
}
