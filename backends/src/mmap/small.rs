//! Small files of a folder, each replaced as a whole.
//!
//! The new content is written beside, synced, and renamed over the old one: at any time one of
//! the two is there. `delayOffset.json` gets its `.bak` before, as RocketMQ makes it.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::vec::Vec;

use mqstore_core::segment::SmallFile;

use super::config::FolderConfig;
use super::dirs::small_path;
use super::make::{make_dirs, sync_dir};
use super::sys;
use crate::BackendError;

/// The same path with something behind its name.
fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_os_string();
    name.push(suffix);
    name.into()
}

/// Reads a file; `None` if it is not there.
fn read(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let open = File::options().read(true).custom_flags(sys::NO_SURPRISES).open(path);
    let mut file = match open.and_then(sys::regular) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
        file => file?,
    };
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

/// Reads the start of a small file, and answers its length.
pub(crate) fn load(
    config: &FolderConfig,
    file: SmallFile,
    out: &mut [u8],
) -> Result<Option<usize>, BackendError> {
    let path = small_path(config, file);
    let mut bytes = read(&path);
    let usable = bytes.as_ref().is_ok_and(|b| b.as_ref().is_some_and(|b| !b.is_empty()));
    if matches!(file, SmallFile::DelayOffset) && !usable {
        // as RocketMQ does: missing, empty or unreadable
        bytes = read(&beside(&path, ".bak"));
    }
    let bytes = bytes.map_err(|e| BackendError::io(&e, "reading a small file", &path))?;
    Ok(bytes.map(|bytes| {
        for (out, byte) in out.iter_mut().zip(&bytes) {
            *out = *byte;
        }
        bytes.len()
    }))
}

/// Writes a file that nobody counts on yet.
fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // what a save that was cut short has left there, or whatever else
    match fs::remove_file(path) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e),
        _ => {}
    }
    let mut file = File::create_new(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// Replaces a small file.
pub(crate) fn save(
    config: &FolderConfig,
    file: SmallFile,
    bytes: &[u8],
) -> Result<(), BackendError> {
    let path = small_path(config, file);
    replace(&path, matches!(file, SmallFile::DelayOffset), bytes)
        .map_err(|e| BackendError::io(&e, "saving a small file", &path))
}

fn replace(path: &Path, keep_old: bool, bytes: &[u8]) -> io::Result<()> {
    let dir = path.parent().unwrap_or(Path::new("."));
    make_dirs(dir)?;
    let new = beside(path, ".tmp");
    write(&new, bytes)?;
    if keep_old && let Some(old) = read(path)? {
        // the old file stands while this one is written
        write(&beside(path, ".bak"), &old)?;
    }
    fs::rename(&new, path)?;
    sync_dir(dir)
}

/// Removes a small file, durably.
pub(crate) fn erase(config: &FolderConfig, file: SmallFile) -> Result<(), BackendError> {
    let path = small_path(config, file);
    if matches!(file, SmallFile::DelayOffset) {
        remove(&beside(&path, ".bak"))?;
    }
    remove(&path)
}

/// Removes a file, durably; one that is not there is no error.
pub(crate) fn remove(path: &Path) -> Result<(), BackendError> {
    let failed = |e: &io::Error| BackendError::io(e, "removing a file", path);
    match fs::remove_file(path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(()),
        removed => removed.map_err(|e| failed(&e))?,
    }
    path.parent().map_or(Ok(()), sync_dir).map_err(|e| failed(&e))
}

#[cfg(test)]
mod tests {
    use std::string::ToString;

    use super::*;

    fn config(dir: &tempfile::TempDir) -> FolderConfig {
        FolderConfig::new(dir.path().join("store"))
    }

    fn loaded(config: &FolderConfig, file: SmallFile) -> Option<std::string::String> {
        let mut out = [0; 100];
        let len = load(config, file, &mut out).unwrap()?;
        Some(std::string::String::from_utf8_lossy(&out[..len]).to_string())
    }

    #[test]
    fn delay_offsets_keep_the_version_before_and_fall_back_to_it() {
        let dir = tempfile::tempdir().unwrap();
        let config = config(&dir);
        save(&config, SmallFile::DelayOffset, b"one").unwrap();
        save(&config, SmallFile::DelayOffset, b"two").unwrap();
        let path = config.root.join("config/delayOffset.json");
        assert_eq!(fs::read(beside(&path, ".bak")).unwrap(), b"one");
        assert_eq!(loaded(&config, SmallFile::DelayOffset).unwrap(), "two");
        fs::write(&path, b"").unwrap();
        assert_eq!(loaded(&config, SmallFile::DelayOffset).unwrap(), "one");
        fs::remove_file(&path).unwrap();
        assert_eq!(loaded(&config, SmallFile::DelayOffset).unwrap(), "one");
    }

    #[test]
    fn nothing_stays_beside_a_saved_file() {
        let dir = tempfile::tempdir().unwrap();
        let config = config(&dir);
        save(&config, SmallFile::Abort, b"").unwrap();
        save(&config, SmallFile::State, b"state").unwrap();
        save(&config, SmallFile::Cut(7), b"cut").unwrap();
        let mut names: Vec<_> =
            fs::read_dir(&config.root).unwrap().map(|e| e.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["abort", "mqstore.cut-7", "mqstore.state"]);
    }

    #[test]
    fn a_save_that_was_cut_short_leaves_the_old_file() {
        let dir = tempfile::tempdir().unwrap();
        let config = config(&dir);
        save(&config, SmallFile::State, b"old").unwrap();
        fs::write(config.root.join("mqstore.state.tmp"), b"ne").unwrap();
        assert_eq!(loaded(&config, SmallFile::State).unwrap(), "old");
        save(&config, SmallFile::State, b"new").unwrap();
        assert_eq!(loaded(&config, SmallFile::State).unwrap(), "new");
    }
}
