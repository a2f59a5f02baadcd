//! What can go wrong when a store is opened, flushed or closed.

use std::io;

use mqstore_core::segment::{ErrorKind, MediumError};

use crate::config::ConfigError;

/// A store that could not be opened. Nothing has been changed, except that folders and the
/// lock file may have been made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// A setting is out of range, or two do not go together.
    #[error("configuration: {0}")]
    Config(#[from] ConfigError),
    /// Another process, or another opener in this one, has the store.
    #[error("the store is locked: {0}")]
    Locked(String),
    /// The medium said no.
    #[error("{what}: {error}")]
    Medium {
        /// What was being done.
        what: &'static str,
        /// The kind of failure.
        kind: ErrorKind,
        /// The medium's words.
        error: String,
    },
    /// What lies in the log is not as a store leaves it.
    #[error("the commit log is damaged at {offset}: {why}")]
    Damaged {
        /// Position in the log, in bytes.
        offset: u64,
        /// What is wrong there.
        why: String,
    },
    /// A log file is missing between others.
    #[error("commit log files for {from} to {to} are missing")]
    Missing {
        /// First missing byte.
        from: u64,
        /// First byte there is again.
        to: u64,
    },
    /// A thread could not be started.
    #[error("a thread could not be started: {0}")]
    Thread(#[from] io::Error),
}

impl OpenError {
    /// What the medium said while `what` was being done.
    pub(crate) fn medium(what: &'static str, error: &impl MediumError) -> Self {
        match error.kind() {
            ErrorKind::Locked => Self::Locked(error.to_string()),
            kind => Self::Medium { what, kind, error: error.to_string() },
        }
    }
}

/// The log could not be made durable; the store takes no more writes.
#[derive(Clone, Debug, thiserror::Error)]
#[error("the commit log cannot be flushed beyond {flushed_where}: {error}")]
pub struct FlushFailure {
    /// Everything below is durable.
    pub flushed_where: u64,
    /// The kind of failure.
    pub kind: ErrorKind,
    /// The medium's words.
    pub error: String,
}
