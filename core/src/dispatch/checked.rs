//! What a step of dispatch meets at a place of the log
//! (`CommitLog.checkMessageAndReturnSize`, spec 03 section 3).

use core::fmt;

use crate::record::blank::BLANK_LEN;
use crate::record::layout::{MESSAGE_MAGIC_CODE, MIN_RECORD_LEN, PHYSICAL_OFFSET_AT};
use crate::record::parse::{ParseError, Parsed, RecordView, peek};

/// What lies at a place of the log.
#[derive(Clone, Copy, Debug)]
pub enum Checked<'a> {
    /// A record that belongs there; Java's (TOTALSIZE, true).
    Record(RecordView<'a>),
    /// The filler, or so few bytes that there is no room for one: the log goes on in the next
    /// file; Java's (0, true).
    Blank,
    /// The beginning of something that the bytes which may be looked at do not hold whole.
    /// Java's (-1, false), as is damage that it cannot measure.
    Cut {
        /// How many bytes it would take.
        need: usize,
    },
    /// No record that counts.
    Damaged {
        /// What is wrong.
        why: Why,
        /// Its length, if size, magic and stored offset hold; nothing else in it is believed. At
        /// the end of a file, where no record has room, the rest of the file.
        len: Option<u32>,
    },
}

/// Why a place of the log is damaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Why {
    /// There is no record, for this reason.
    NoRecord(ParseError),
    /// There is no file.
    Missing,
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoRecord(why) => why.fmt(f),
            Self::Missing => f.write_str("there is no file"),
        }
    }
}

impl<'a> Checked<'a> {
    /// What lies at `offset`, which is the beginning of `bytes`, with `room` bytes left in the
    /// file. The body's checksum is not looked at: reads do that.
    ///
    /// A record whose stored offset is not its place is none (spec 08 section 3, C-12).
    #[must_use]
    pub fn at(offset: u64, bytes: &'a [u8], room: u32) -> Self {
        if room < BLANK_LEN {
            return Self::Blank;
        }
        match RecordView::parse(bytes) {
            Ok(Parsed::Record(record)) if record.physical_offset() == offset => {
                Self::Record(record)
            }
            Ok(Parsed::Record(_)) => {
                Self::Damaged { why: Why::NoRecord(ParseError::PhysicalOffset), len: None }
            }
            Ok(Parsed::Blank { .. }) => Self::Blank,
            Err(ParseError::Short { need, .. }) if need <= room as usize => Self::Cut { need },
            Err(why) => Self::Damaged {
                why: Why::NoRecord(why),
                len: stored_len(offset, bytes, room).or_else(|| small_rest(room)),
            },
        }
    }

    /// Size and success as Java's parser gives them.
    ///
    /// Where a length inside of the record is wrong Java's size may be TOTALSIZE or -1, by what
    /// comes behind; this says -1.
    #[must_use]
    pub fn java(&self) -> (i32, bool) {
        let size = |size: u32| i32::try_from(size).unwrap_or(-1);
        match self {
            Self::Record(record) => (size(record.total_size()), true),
            Self::Blank => (0, true),
            Self::Damaged {
                why: Why::NoRecord(ParseError::SizeMismatch { stored, .. }), ..
            } => (size(*stored), false),
            Self::Cut { .. } | Self::Damaged { .. } => (-1, false),
        }
    }
}

/// The rest of a file in which only a filler can lie.
fn small_rest(room: u32) -> Option<u32> {
    ((room as usize) < MIN_RECORD_LEN).then_some(room)
}

/// TOTALSIZE, if it, MAGICCODE and PHYSICALOFFSET can be those of a record in this place.
fn stored_len(offset: u64, bytes: &[u8], room: u32) -> Option<u32> {
    let (size, magic) = peek(bytes)?;
    let stored = bytes.get(PHYSICAL_OFFSET_AT..).and_then(<[u8]>::first_chunk::<8>)?;
    let size = u32::try_from(size).ok()?;
    let holds = magic == MESSAGE_MAGIC_CODE
        && u64::from_be_bytes(*stored) == offset
        && size as usize >= MIN_RECORD_LEN
        && size <= room;
    holds.then_some(size)
}
