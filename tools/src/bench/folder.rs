//! A folder to work in: fresh and empty at the start, gone at the end unless it is to stay.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::interrupt;
use crate::cli::CliError;

/// Removes the folder when it is dropped, or the process is interrupted, unless it was asked to
/// stay.
#[derive(Debug)]
pub(crate) struct WorkFolder {
    path: PathBuf,
    keep: bool,
}

impl WorkFolder {
    /// The folder that was given, which must be empty or not there yet; or a fresh one among
    /// the system's temporary files, whose name begins with `name`.
    ///
    /// # Errors
    /// [`CliError::Failed`] if something is in it already, or it cannot be made.
    pub(crate) fn new(given: Option<&Path>, name: &str, keep: bool) -> Result<Self, CliError> {
        let path = match given {
            Some(path) => path.to_owned(),
            None => std::env::temp_dir().join(format!("{name}-{}", std::process::id())),
        };
        let failed = |e: io::Error| CliError::Failed(format!("{}: {e}", path.display()));
        fs::create_dir_all(&path).map_err(failed)?;
        if fs::read_dir(&path).map_err(failed)?.next().is_some() {
            return Err(CliError::Failed(format!(
                "{} is not empty: name a folder that is, or one that is not there yet",
                path.display()
            )));
        }
        if !keep {
            interrupt::remove_too(&path).map_err(failed)?;
        }
        Ok(Self { path, keep })
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it stays when the work is done.
    pub(crate) const fn stays(&self) -> bool {
        self.keep
    }
}

impl Drop for WorkFolder {
    fn drop(&mut self) {
        if self.keep {
            return;
        }
        interrupt::forget(&self.path);
        if let Err(e) = fs::remove_dir_all(&self.path) {
            eprintln!("mqstore: {} could not be removed: {e}", self.path.display());
        }
    }
}

/// Every file below a folder, sorted.
///
/// # Errors
/// Whatever reading a folder says.
pub(crate) fn entries_in(folder: &Path) -> io::Result<Vec<(PathBuf, fs::Metadata)>> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            let metadata = entry.metadata()?;
            if metadata.is_dir() {
                folders.push(entry.path());
            } else {
                found.push((entry.path(), metadata));
            }
        }
    }
    found.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_with_something_in_it_is_refused_and_left_alone() {
        let parent = tempfile::tempdir().unwrap();
        let file = parent.path().join("mine");
        fs::write(&file, "x").unwrap();
        assert!(WorkFolder::new(Some(parent.path()), "t", false).is_err());
        assert_eq!(fs::read(&file).unwrap(), b"x");
    }

    #[test]
    fn it_goes_at_the_end_unless_it_is_kept() {
        let parent = tempfile::tempdir().unwrap();
        for keep in [false, true] {
            let path = parent.path().join("new/folder");
            let folder = WorkFolder::new(Some(&path), "t", keep).unwrap();
            fs::write(folder.path().join("data"), "x").unwrap();
            assert_eq!(entries_in(folder.path()).unwrap().len(), 1);
            drop(folder);
            assert_eq!(path.exists(), keep);
        }
    }
}
