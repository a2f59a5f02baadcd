//! What a medium can complain about, in the few kinds that the store tells apart.

use core::fmt;

/// The kinds of failure the store decides on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(u8)]
pub enum ErrorKind {
    /// A range outside the segment, or not visible yet.
    OutOfBounds = 1,
    /// There is no such segment or file.
    NotFound,
    /// It is there already.
    Exists,
    /// The medium is full.
    NoSpace,
    /// The medium takes no writes.
    ReadOnly,
    /// Not now: a buffer has to be written first, or somebody else holds the segment.
    Busy,
    /// Somebody else has the store.
    Locked,
    /// It was not ready in time.
    TimedOut,
    /// The segment takes no more writes since a commit or flush failed.
    Stopped,
    /// A file has another length than the configuration says.
    WrongSize,
    /// Something lies among the files that does not belong there.
    Foreign,
    /// A name that the medium cannot carry.
    BadName,
    /// A size that the medium cannot carry.
    BadSize,
    /// The medium's own records are damaged.
    Corrupt,
    /// The caller may not do this.
    Denied,
    /// The device reported an error.
    Device,
    /// Too many open files or maps, or no memory.
    Exhausted,
    /// Anything else.
    Other,
}

impl ErrorKind {
    /// The kind with this number.
    pub(crate) const fn from_u8(n: u8) -> Self {
        match n {
            1 => Self::OutOfBounds,
            2 => Self::NotFound,
            3 => Self::Exists,
            4 => Self::NoSpace,
            5 => Self::ReadOnly,
            6 => Self::Busy,
            7 => Self::Locked,
            8 => Self::TimedOut,
            9 => Self::Stopped,
            10 => Self::WrongSize,
            11 => Self::Foreign,
            12 => Self::BadName,
            13 => Self::BadSize,
            14 => Self::Corrupt,
            15 => Self::Denied,
            16 => Self::Device,
            17 => Self::Exhausted,
            _ => Self::Other,
        }
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::OutOfBounds => "out of bounds",
            Self::NotFound => "not found",
            Self::Exists => "exists already",
            Self::NoSpace => "no space left",
            Self::ReadOnly => "read-only device",
            Self::Busy => "busy",
            Self::Locked => "locked by another opener",
            Self::TimedOut => "not ready in time",
            Self::Stopped => "stopped after a failed write or sync",
            Self::WrongSize => "wrong size",
            Self::Foreign => "foreign file",
            Self::BadName => "impossible name",
            Self::BadSize => "impossible size",
            Self::Corrupt => "corrupt",
            Self::Denied => "permission denied",
            Self::Device => "device error",
            Self::Exhausted => "out of file handles, maps or memory",
            Self::Other => "failed",
        })
    }
}

/// An error of a medium: its own words, and the kind.
///
/// It can be made from a kind, so that middleware can answer in the medium's place.
pub trait MediumError: fmt::Debug + fmt::Display + From<ErrorKind> {
    /// What the store makes of it.
    fn kind(&self) -> ErrorKind;

    /// The operating system's number, 0 if there is none.
    fn os_code(&self) -> i32 {
        0
    }
}

impl MediumError for ErrorKind {
    fn kind(&self) -> ErrorKind {
        *self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_comes_back_from_its_number() {
        for n in 1..=18 {
            assert_eq!(ErrorKind::from_u8(n) as u8, n);
        }
    }
}
