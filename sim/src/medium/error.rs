//! What the simulated medium complains about.

use core::fmt;

use mqstore_core::segment::{ErrorKind, MediumError};

/// A failure of a simulated medium: its kind, and what was being done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SimError {
    kind: ErrorKind,
    what: &'static str,
}

impl SimError {
    pub(crate) const fn new(kind: ErrorKind, what: &'static str) -> Self {
        Self { kind, what }
    }

    /// For `map_err`.
    pub(crate) const fn during(what: &'static str) -> impl Fn(ErrorKind) -> Self {
        move |kind| Self { kind, what }
    }
}

impl From<ErrorKind> for SimError {
    fn from(kind: ErrorKind) -> Self {
        Self::new(kind, "simulated")
    }
}

impl fmt::Display for SimError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.what, self.kind)
    }
}

impl core::error::Error for SimError {}

impl MediumError for SimError {
    fn kind(&self) -> ErrorKind {
        self.kind
    }
}
