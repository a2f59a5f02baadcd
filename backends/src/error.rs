//! What a medium of this crate says when something fails: the kind, what was tried, and where.

use core::fmt;
#[cfg(feature = "std")]
use std::{
    boxed::Box,
    io,
    path::{Path, PathBuf},
};

use mqstore_core::segment::{ErrorKind, MediumError};

/// What more there is to say than the kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Words.
    Words(&'static str),
    /// A file has another length than the setting says.
    Length {
        /// Its length in bytes.
        is: u64,
        /// What it should be.
        wanted: u64,
        /// The setting that says so, by its RocketMQ name.
        setting: &'static str,
    },
    /// A file's name is no multiple of the files' length.
    NoMultiple {
        /// The length in bytes.
        of: u64,
        /// The setting that says so, by its RocketMQ name.
        setting: &'static str,
    },
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const ASK: &str = "was the store made with another value?";
        match self {
            Self::Words(words) => f.write_str(words),
            Self::Length { is, wanted, setting } => {
                write!(f, "it has {is} bytes, and {setting} is {wanted}; {ASK}")
            }
            Self::NoMultiple { of, setting } => {
                write!(f, "its name is no multiple of {setting}, which is {of}; {ASK}")
            }
        }
    }
}

/// An error of a medium of this crate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackendError {
    kind: ErrorKind,
    what: &'static str,
    os: i32,
    reason: Option<Reason>,
    #[cfg(feature = "std")]
    path: Option<Box<Path>>,
}

impl BackendError {
    /// An error that concerns no file.
    #[must_use]
    pub const fn new(kind: ErrorKind, what: &'static str) -> Self {
        Self {
            kind,
            what,
            os: 0,
            reason: None,
            #[cfg(feature = "std")]
            path: None,
        }
    }

    /// The same error with more to say.
    #[must_use]
    pub fn because(mut self, reason: Reason) -> Self {
        self.reason = Some(reason);
        self
    }

    /// What was tried.
    #[must_use]
    pub fn what(&self) -> &'static str {
        self.what
    }
}

#[cfg(feature = "std")]
impl BackendError {
    /// An error that concerns this file or folder.
    #[must_use]
    pub fn at(kind: ErrorKind, what: &'static str, path: &Path) -> Self {
        Self { kind, what, os: 0, reason: None, path: Some(path.into()) }
    }

    /// What the operating system says about this file or folder.
    #[must_use]
    pub fn io(error: &io::Error, what: &'static str, path: &Path) -> Self {
        let os = error.raw_os_error().unwrap_or(0);
        Self { kind: kind_of(error), what, os, reason: None, path: Some(path.into()) }
    }

    /// The file or folder it concerns, if it concerns one.
    #[must_use]
    pub fn path(&self) -> Option<PathBuf> {
        self.path.as_deref().map(Path::to_path_buf)
    }
}

/// The store's kind for an error of the operating system.
#[cfg(feature = "std")]
pub(crate) fn kind_of(error: &io::Error) -> ErrorKind {
    match error.raw_os_error() {
        Some(libc::ENOSPC | libc::EDQUOT) => ErrorKind::NoSpace,
        Some(libc::EROFS) => ErrorKind::ReadOnly,
        Some(libc::ENOENT | libc::ENOTDIR) => ErrorKind::NotFound,
        Some(libc::EEXIST) => ErrorKind::Exists,
        Some(libc::EACCES | libc::EPERM) => ErrorKind::Denied,
        Some(libc::ENAMETOOLONG) => ErrorKind::BadName,
        Some(libc::EFBIG) => ErrorKind::BadSize,
        Some(libc::EISDIR) => ErrorKind::Foreign,
        Some(libc::EMFILE | libc::ENFILE | libc::ENOMEM) => ErrorKind::Exhausted,
        Some(libc::EIO | libc::ENXIO | libc::ENODEV | libc::ESTALE) => ErrorKind::Device,
        Some(_) => ErrorKind::Other,
        None => match error.kind() {
            io::ErrorKind::WriteZero | io::ErrorKind::UnexpectedEof => ErrorKind::Device,
            io::ErrorKind::StorageFull => ErrorKind::NoSpace,
            _ => ErrorKind::Other,
        },
    }
}

impl From<ErrorKind> for BackendError {
    fn from(kind: ErrorKind) -> Self {
        Self::new(kind, "")
    }
}

impl MediumError for BackendError {
    fn kind(&self) -> ErrorKind {
        self.kind
    }

    fn os_code(&self) -> i32 {
        self.os
    }
}

impl fmt::Display for BackendError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.what.is_empty() {
            write!(f, "{}: ", self.what)?;
        }
        #[cfg(feature = "std")]
        if let Some(path) = &self.path {
            write!(f, "{}: ", path.display())?;
        }
        fmt::Display::fmt(&self.kind, f)?;
        if self.os != 0 {
            write!(f, " (os error {})", self.os)?;
        }
        if let Some(reason) = self.reason {
            write!(f, ": {reason}")?;
        }
        Ok(())
    }
}

impl core::error::Error for BackendError {}

#[cfg(all(test, feature = "std"))]
mod tests {
    use std::string::ToString;

    use super::*;

    #[test]
    fn an_error_names_what_was_tried_and_where() {
        let os = io::Error::from_raw_os_error(libc::ENOSPC);
        let e = BackendError::io(&os, "making the segment", Path::new("/x/00"));
        assert_eq!(e.kind(), ErrorKind::NoSpace);
        assert_eq!(e.os_code(), libc::ENOSPC);
        assert_eq!(e.to_string(), "making the segment: /x/00: no space left (os error 28)");
    }

    #[test]
    fn an_error_made_from_a_kind_says_the_kind() {
        let e = BackendError::from(ErrorKind::Stopped);
        assert_eq!(e.to_string(), ErrorKind::Stopped.to_string());
    }
}
