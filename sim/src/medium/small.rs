//! Small files on a simulated disk, each replaced as a whole, with the steps that a folder
//! takes: written beside, synced, renamed over the old one.

use mqstore_core::segment::{ErrorKind, SmallFile};

use super::paths;
use crate::disk::{Loss, Process};

type Answer<T> = Result<T, ErrorKind>;

/// Reads a file; `None` if it is not there.
fn read(process: &Process, name: &str) -> Answer<Option<Vec<u8>>> {
    let Some(file) = process.open(name)? else { return Ok(None) };
    let len = usize::try_from(process.len(&file)?).map_err(|_| ErrorKind::BadSize)?;
    let mut bytes = vec![0; len];
    process.read(&file, name, 0, &mut bytes)?;
    Ok(Some(bytes))
}

/// Reads the start of a small file, and answers its length.
pub(super) fn load(process: &Process, file: SmallFile, out: &mut [u8]) -> Answer<Option<usize>> {
    let name = paths::of_small(file);
    let mut bytes = read(process, &name);
    let usable = bytes.as_ref().is_ok_and(|b| b.as_ref().is_some_and(|b| !b.is_empty()));
    if matches!(file, SmallFile::DelayOffset) && !usable {
        bytes = read(process, &format!("{name}.bak"));
    }
    Ok(bytes?.map(|bytes| {
        for (out, byte) in out.iter_mut().zip(&bytes) {
            *out = *byte;
        }
        bytes.len()
    }))
}

/// Writes a file that nobody counts on yet.
fn write(process: &Process, name: &str, bytes: &[u8]) -> Answer<()> {
    match process.remove(name) {
        // what a save that was cut short has left there
        Ok(()) | Err(ErrorKind::NotFound) => {}
        Err(e) => return Err(e),
    }
    let file = process.create(bytes.len() as u64, Loss::Any)?;
    process.link(&file, name)?;
    process.write_all(&file, name, 0, bytes)?;
    process.sync_all(&file, name)
}

/// Replaces a small file.
pub(super) fn save(process: &Process, file: SmallFile, bytes: &[u8]) -> Answer<()> {
    let name = paths::of_small(file);
    let new = format!("{name}.tmp");
    write(process, &new, bytes)?;
    if matches!(file, SmallFile::DelayOffset)
        && let Some(old) = read(process, &name)?
    {
        // the old file stands while this one is written
        write(process, &format!("{name}.bak"), &old)?;
    }
    process.rename(&new, &name)?;
    process.sync_name(&name)
}

/// Removes a small file, durably.
pub(super) fn erase(process: &Process, file: SmallFile) -> Answer<()> {
    let name = paths::of_small(file);
    if matches!(file, SmallFile::DelayOffset) {
        remove(process, &format!("{name}.bak"))?;
    }
    remove(process, &name)
}

/// Removes a file, durably; one that is not there is no error.
pub(super) fn remove(process: &Process, name: &str) -> Answer<()> {
    match process.remove(name) {
        Err(ErrorKind::NotFound) => return Ok(()),
        removed => removed?,
    }
    process.sync_name(name)
}
