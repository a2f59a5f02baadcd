//! What becomes of an entry that is put into a queue.

use core::fmt;

use crate::segment::ErrorKind;

/// What became of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Put {
    /// It was put.
    At {
        /// Under this queue offset; another one than its own only where entries before it are
        /// missing, and then the observer was told.
        entry: u64,
    },
    /// Its record is not behind the last one of the queue: it was put before.
    AlreadyThere,
    /// Its queue offset has an entry already; it was left out, as RocketMQ does.
    Behind,
}

/// Why an entry was not put; nothing has moved, and it may be tried again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotPut {
    /// The file could not be made.
    CreateFailed {
        /// Its first byte in the queue.
        base: u64,
        /// What the medium said.
        kind: ErrorKind,
    },
    /// The entry could not be written, or a filler before it.
    WriteFailed {
        /// Where, bytes in the queue.
        position: u64,
        /// What the medium said; [`ErrorKind::Stopped`] lasts until the queue is opened again.
        kind: ErrorKind,
    },
    /// No queue has room for this queue offset.
    OffsetTooLarge,
    /// The writer has let go of its files and was not resumed.
    LetGo,
}

impl fmt::Display for NotPut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CreateFailed { base, kind } => {
                write!(f, "the queue file at {base} cannot be made: {kind}")
            }
            Self::WriteFailed { position, kind } => {
                write!(f, "the queue cannot be written at {position}: {kind}")
            }
            Self::OffsetTooLarge => f.write_str("the queue offset is too large for any queue"),
            Self::LetGo => f.write_str("the queue is not open for writing"),
        }
    }
}

impl core::error::Error for NotPut {}
