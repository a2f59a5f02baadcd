//! Why a put was refused, in words an operator can act on: RocketMQ's status says less.

use core::fmt;

use crate::flags::Reason;
use crate::segment::ErrorKind;
use crate::status::PutMessageStatus;

/// The reason behind a status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cause {
    /// Gate 1: the store is not open, or is closing.
    Shutdown {
        /// Since when, milliseconds since 1970; 0: it was never opened.
        since: i64,
    },
    /// Gate 2: the store is a slave and takes only raw bytes from its master.
    RoleSlave,
    /// Gate 3: the store is not writeable.
    NotWriteable {
        /// What holds it back; of several the one that came first.
        reason: Reason,
        /// Since when, milliseconds since 1970.
        since: i64,
    },
    /// Gate 4: the put lock has been held for too long.
    PageCacheBusy {
        /// How long the holder has been inside, milliseconds.
        held_millis: i64,
    },
    /// The message breaks a limit.
    Illegal(Illegal),
    /// The next log file could not be made.
    CreateFailed(ErrorKind),
    /// The bytes could not be written to their place.
    WriteFailed(ErrorKind),
    /// The medium has no room for the bytes yet: let the commit duty run and put again.
    Backpressure,
    /// The table of queue offsets has no room for another queue.
    QueueTableFull {
        /// How many queues it holds.
        capacity: usize,
    },
    /// A queue of the message has no offsets left. Only a log with made-up offsets in it, or a
    /// made-up list of them in a message, leads there: nobody counts that far.
    QueueOffsetsUsedUp {
        /// The offset that the queue's next message would get.
        next: i64,
    },
    /// Stored, but the flush did not come in time.
    FlushTimeout,
    /// Stored, but the flush failed; whether the message survives a power cut is not known.
    FlushFailed(ErrorKind),
    /// Stored, but no slave is connected, or none is close enough.
    NoSlave,
    /// Stored, but the slave did not acknowledge in time.
    SlaveTimeout,
    /// Raw bytes do not continue the log.
    NotContinuous {
        /// Where the log ends.
        expected: u64,
    },
    /// The log has no file for these raw bytes, or they do not fit into it.
    DoesNotFit,
    /// The log ends in the middle of a record that came as raw bytes.
    TornTail {
        /// Where that record begins.
        offset: u64,
    },
    /// Raw bytes have not been read yet, because the medium does not lend them or has not
    /// committed them, or because there are too many for one put: commit, call
    /// [`LogWriter::learn`](crate::log::LogWriter::learn) with a buffer, put again.
    NotLearned {
        /// Where the bytes begin that have not been read.
        from: u64,
        /// Where the log ends.
        end: u64,
    },
}

/// Which limit a message breaks, where, and by how much.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Illegal {
    /// The topic is longer than 127 bytes.
    TopicTooLong {
        /// Its length in bytes.
        bytes: usize,
    },
    /// The topic is empty (with corrected answers only).
    TopicEmpty,
    /// The topic cannot be the name of a folder: `.`, `..`, or it holds `/` or NUL.
    TopicName,
    /// The name of a light queue cannot be the name of a folder, or is longer than 255 bytes.
    LightQueueName {
        /// Its place in the list, from 0.
        index: usize,
    },
    /// The properties are longer than 32767.
    PropertiesTooLong {
        /// Their length in bytes.
        bytes: usize,
    },
    /// A name or value of the property map holds U+0001 or U+0002.
    PropertySeparator {
        /// The entry's place in the map, from 0.
        index: usize,
    },
    /// `DELAY` is not a decimal 32-bit integer.
    DelayNotANumber,
    /// The record is longer than `maxMessageSize`.
    RecordTooLong {
        /// Its length in bytes.
        bytes: u64,
        /// The limit.
        limit: u64,
    },
    /// The record, or the batch as a whole, is longer than a log file can hold.
    LargerThanFile {
        /// Its length in bytes.
        bytes: u64,
        /// The largest length that fits.
        limit: u64,
    },
    /// The encoded batch is longer than `maxMessageSize`.
    BatchTooLong {
        /// Its length in bytes.
        bytes: u64,
        /// The limit.
        limit: u64,
    },
    /// The batch holds more messages than there is room to prepare.
    BatchTooMany {
        /// How many there may be.
        limit: usize,
    },
    /// A batch may be neither delayed nor part of a transaction.
    BatchTransaction,
    /// A batch may not be delayed.
    BatchDelayed,
    /// The encoded batch ends in the middle of a message, or holds a negative length.
    BatchTorn {
        /// Position in the encoded batch at which it stops making sense, in bytes.
        at: usize,
    },
    /// Properties of a message and of its batch are longer than 32767 bytes together.
    BatchPropertiesTooLong {
        /// The message's place in the batch, from 0.
        index: usize,
        /// The length of the sum, in bytes.
        bytes: usize,
    },
    /// The properties outgrew 32767 bytes, or the record its limit, when the offsets of the
    /// light queues were added.
    MultiDispatchTooLong,
}

/// A put that was not answered with `PUT_OK`: RocketMQ's status, and the cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// What RocketMQ would answer.
    pub status: PutMessageStatus,
    /// Why.
    pub cause: Cause,
}

impl Refusal {
    /// This status for this cause.
    #[must_use]
    pub const fn new(status: PutMessageStatus, cause: Cause) -> Self {
        Self { status, cause }
    }

    /// `MESSAGE_ILLEGAL` because of this limit.
    #[must_use]
    pub const fn illegal(why: Illegal) -> Self {
        Self::new(PutMessageStatus::MessageIllegal, Cause::Illegal(why))
    }
}

impl fmt::Display for Illegal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::TopicTooLong { bytes } => write!(f, "topic has {bytes} bytes, limit 127"),
            Self::TopicEmpty => f.write_str("topic is empty"),
            Self::TopicName => f.write_str("topic is '.', '..', or holds '/' or NUL"),
            Self::LightQueueName { index } => write!(
                f,
                "light queue {index} has a name over 255 bytes, is '.' or '..', or holds '/' or NUL"
            ),
            Self::PropertiesTooLong { bytes } => {
                write!(f, "properties have {bytes} bytes, limit 32767")
            }
            Self::PropertySeparator { index } => {
                write!(f, "property {index} holds U+0001 or U+0002 in its name or value")
            }
            Self::DelayNotANumber => f.write_str("DELAY is not a 32-bit decimal number"),
            Self::RecordTooLong { bytes, limit } => {
                write!(f, "record has {bytes} bytes, maxMessageSize is {limit}")
            }
            Self::LargerThanFile { bytes, limit } => {
                write!(f, "{bytes} bytes do not fit into a log file, which holds {limit}")
            }
            Self::BatchTooLong { bytes, limit } => {
                write!(f, "batch has {bytes} bytes, maxMessageSize is {limit}")
            }
            Self::BatchTooMany { limit } => {
                write!(f, "batch has more messages than the {limit} there is room for")
            }
            Self::BatchTransaction => f.write_str("a batch cannot be part of a transaction"),
            Self::BatchDelayed => f.write_str("a batch cannot be delayed"),
            Self::BatchTorn { at } => write!(f, "encoded batch is malformed at byte {at}"),
            Self::BatchPropertiesTooLong { index, bytes } => write!(
                f,
                "properties of message {index} and of the batch have {bytes} bytes, limit 32767"
            ),
            Self::MultiDispatchTooLong => {
                f.write_str("message is too long with the offsets of its light queues")
            }
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Shutdown { since: 0 } => f.write_str("the store is not open"),
            Self::Shutdown { since } => write!(f, "the store has been shut down since {since}"),
            Self::RoleSlave => f.write_str("the store is a slave"),
            Self::NotWriteable { reason, since } => {
                write!(f, "not writeable since {since}: {reason}")
            }
            Self::PageCacheBusy { held_millis } => {
                write!(f, "busy: the put lock has been held for {held_millis} ms")
            }
            Self::Illegal(why) => write!(f, "illegal message: {why}"),
            Self::CreateFailed(kind) => write!(f, "the next log file cannot be made: {kind}"),
            Self::WriteFailed(kind) => write!(f, "the log cannot be written: {kind}"),
            Self::Backpressure => f.write_str("the medium takes no more bytes for now"),
            Self::QueueTableFull { capacity } => {
                write!(f, "the queue table is full: {capacity} queues")
            }
            Self::QueueOffsetsUsedUp { next } => {
                write!(f, "a queue has no offsets left behind {next}")
            }
            Self::FlushTimeout => f.write_str("stored, but not flushed in time"),
            Self::FlushFailed(kind) => write!(f, "stored, but the flush failed: {kind}"),
            Self::NoSlave => f.write_str("stored, but no slave is available"),
            Self::SlaveTimeout => f.write_str("stored, but no slave acknowledged in time"),
            Self::NotContinuous { expected } => {
                write!(f, "raw bytes do not continue the log, which ends at {expected}")
            }
            Self::TornTail { offset } => {
                write!(f, "the log ends in the middle of the record at {offset}")
            }
            Self::NotLearned { from, end } => {
                write!(f, "raw bytes from {from} to {end} have not been read yet")
            }
            Self::DoesNotFit => f.write_str("raw bytes do not fit into one log file"),
        }
    }
}

impl core::error::Error for Cause {}
impl core::error::Error for Illegal {}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.status.java_name(), self.cause)
    }
}

impl core::error::Error for Refusal {}
