//! Reading a record where it lies, without copying it (`CommitLog.checkMessageAndReturnSize`,
//! spec 03 section 3).
//!
//! Whatever the bytes are, this answers with a record, a filler, or what is wrong with them; no
//! length is used before it is known to lie inside the bytes.

use core::fmt;
use core::net::SocketAddr;
use core::str::Utf8Error;

use super::layout::{self, BLANK_MAGIC_CODE, MESSAGE_MAGIC_CODE, MIN_RECORD_LEN};
use super::msgid::{MessageId, read_host};
use super::{props, sysflag};

/// What lies at a place in the log.
#[derive(Clone, Copy, Debug)]
pub enum Parsed<'a> {
    /// A message.
    Record(RecordView<'a>),
    /// The filler at the end of a file: the log goes on in the next one.
    Blank {
        /// Its stored size: the bytes left in the file. Java never looks at it.
        size: i32,
    },
}

/// Why bytes are not a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParseError {
    /// The bytes end too early.
    Short {
        /// Bytes there are.
        have: usize,
        /// Bytes there would have to be.
        need: usize,
    },
    /// Neither a message nor a filler begins here.
    Magic(u32),
    /// TOTALSIZE is less than any record has.
    Size(i32),
    /// BODY LENGTH leaves no room for the other parts.
    BodyLength(i32),
    /// TOPIC LENGTH is negative, or leaves no room for the other parts.
    TopicLength(i8),
    /// TOTALSIZE is not what the parts add up to.
    SizeMismatch {
        /// TOTALSIZE.
        stored: u32,
        /// What the parts add up to.
        computed: u32,
    },
    /// PHYSICALOFFSET is not the place of the record. Never found by [`RecordView::parse`],
    /// which does not know the place.
    PhysicalOffset,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Short { have, need } => write!(f, "{have} bytes where {need} are needed"),
            Self::Magic(magic) => write!(f, "no record begins here: magic code {magic:08x}"),
            Self::Size(size) => write!(f, "record size {size} is impossible"),
            Self::BodyLength(len) => write!(f, "body length {len} does not fit into the record"),
            Self::TopicLength(len) => write!(f, "topic length {len} is impossible"),
            Self::SizeMismatch { stored, computed } => {
                write!(f, "record size {stored}, but its parts have {computed} bytes")
            }
            Self::PhysicalOffset => f.write_str("the record belongs to another place"),
        }
    }
}

impl core::error::Error for ParseError {}

/// TOTALSIZE and MAGICCODE, if there are 8 bytes.
#[must_use]
pub fn peek(bytes: &[u8]) -> Option<(i32, u32)> {
    let (size, rest) = bytes.split_first_chunk::<4>()?;
    let magic = rest.first_chunk::<4>()?;
    Some((i32::from_be_bytes(*size), u32::from_be_bytes(*magic)))
}

/// A record where it lies.
///
/// Its lengths are consistent; nothing is said about its contents. In particular its place
/// ([`Self::physical_offset`]) and its checksum ([`Self::body_crc_ok`]) are for the caller to
/// compare.
#[derive(Clone, Copy)]
pub struct RecordView<'a> {
    /// The whole record, and nothing else.
    bytes: &'a [u8],
    body_at: usize,
    topic_len_at: usize,
    properties_len_at: usize,
}

impl<'a> RecordView<'a> {
    /// Reads what lies at the beginning of `bytes`, which reach as far as may be looked.
    ///
    /// As in Java, a negative length of body or properties counts as 0.
    ///
    /// # Errors
    /// [`ParseError`] for anything else than a whole record or a filler.
    pub fn parse(bytes: &'a [u8]) -> Result<Parsed<'a>, ParseError> {
        let (size, magic) = peek(bytes).ok_or(ParseError::Short { have: bytes.len(), need: 8 })?;
        match magic {
            MESSAGE_MAGIC_CODE => Self::parse_message(bytes, size).map(Parsed::Record),
            BLANK_MAGIC_CODE => Ok(Parsed::Blank { size }),
            other => Err(ParseError::Magic(other)),
        }
    }

    fn parse_message(bytes: &'a [u8], size: i32) -> Result<Self, ParseError> {
        let stored = u32::try_from(size).map_err(|_| ParseError::Size(size))?;
        let need = usize::try_from(stored).map_err(|_| ParseError::Size(size))?;
        if need < MIN_RECORD_LEN {
            return Err(ParseError::Size(size));
        }
        let bytes = bytes.get(..need).ok_or(ParseError::Short { have: bytes.len(), need })?;

        let sys_flag = i32::from_be_bytes(read(bytes, layout::SYS_FLAG_AT));
        let fixed = layout::fixed_len(sys_flag);
        let mismatch = |computed: usize| ParseError::SizeMismatch {
            stored,
            computed: u32::try_from(computed).unwrap_or(u32::MAX),
        };
        // What the three lengths may add up to.
        let room = need.checked_sub(fixed).ok_or(mismatch(fixed))?;
        let body_at = fixed - 3;
        let body_len = i32::from_be_bytes(read(bytes, body_at - 4));
        let body = usize::try_from(body_len.max(0)).unwrap_or(usize::MAX);
        let room = room.checked_sub(body).ok_or(ParseError::BodyLength(body_len))?;

        let topic_len_at = body_at + body;
        let topic_len = i8::from_be_bytes(read(bytes, topic_len_at));
        let topic = usize::try_from(topic_len).map_err(|_| ParseError::TopicLength(topic_len))?;
        let room = room.checked_sub(topic).ok_or(ParseError::TopicLength(topic_len))?;

        let properties_len_at = topic_len_at + 1 + topic;
        let properties = i16::from_be_bytes(read(bytes, properties_len_at)).max(0);
        if usize::from(properties.unsigned_abs()) != room {
            return Err(mismatch(need - room + usize::from(properties.unsigned_abs())));
        }
        Ok(Self { bytes, body_at, topic_len_at, properties_len_at })
    }

    /// The record's bytes.
    #[must_use]
    pub const fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// TOTALSIZE: its length in bytes.
    #[must_use]
    pub fn total_size(&self) -> u32 {
        u32::from_be_bytes(self.read(layout::TOTAL_SIZE_AT))
    }

    /// BODYCRC as stored.
    #[must_use]
    pub fn body_crc(&self) -> u32 {
        u32::from_be_bytes(self.read(layout::BODY_CRC_AT))
    }

    /// Whether BODYCRC is the body's checksum. An empty body has none to compare, as in Java.
    #[must_use]
    pub fn body_crc_ok(&self) -> bool {
        let body = self.body();
        body.is_empty() || super::body_crc(body) == self.body_crc()
    }

    /// QUEUEID, after a delay rewrite.
    #[must_use]
    pub fn queue_id(&self) -> i32 {
        i32::from_be_bytes(self.read(layout::QUEUE_ID_AT))
    }

    /// FLAG: the user's own.
    #[must_use]
    pub fn flag(&self) -> i32 {
        i32::from_be_bytes(self.read(layout::FLAG_AT))
    }

    /// QUEUEOFFSET: index in the consume queue; 0 for prepared and rolled back messages.
    #[must_use]
    pub fn queue_offset(&self) -> i64 {
        i64::from_be_bytes(self.read(layout::QUEUE_OFFSET_AT))
    }

    /// PHYSICALOFFSET: where the record belongs. A negative one shows as a huge one.
    #[must_use]
    pub fn physical_offset(&self) -> u64 {
        u64::from_be_bytes(self.read(layout::PHYSICAL_OFFSET_AT))
    }

    /// SYSFLAG: bits of [`sysflag`].
    #[must_use]
    pub fn sys_flag(&self) -> i32 {
        i32::from_be_bytes(self.read(layout::SYS_FLAG_AT))
    }

    /// The transaction field of SYSFLAG.
    #[must_use]
    pub fn tran_type(&self) -> i32 {
        sysflag::tran_type(self.sys_flag())
    }

    /// Whether it has a queue offset and gets a queue entry.
    #[must_use]
    pub fn is_dispatched(&self) -> bool {
        sysflag::is_dispatched(self.sys_flag())
    }

    /// BORNTIMESTAMP, milliseconds since 1970.
    #[must_use]
    pub fn born_timestamp(&self) -> i64 {
        i64::from_be_bytes(self.read(layout::BORN_TIMESTAMP_AT))
    }

    /// BORNHOST; of a port that no socket can have, the lower 16 bits.
    #[must_use]
    pub fn born_host(&self) -> SocketAddr {
        self.host(layout::BORN_HOST_AT, layout::born_host_len(self.sys_flag()))
    }

    /// STORETIMESTAMP, milliseconds since 1970.
    #[must_use]
    pub fn store_timestamp(&self) -> i64 {
        i64::from_be_bytes(self.read(layout::store_timestamp_at(self.sys_flag())))
    }

    /// STOREHOST; of a port that no socket can have, the lower 16 bits.
    #[must_use]
    pub fn store_host(&self) -> SocketAddr {
        let at = layout::store_timestamp_at(self.sys_flag()) + 8;
        self.host(at, layout::store_host_len(self.sys_flag()))
    }

    /// RECONSUMETIMES.
    #[must_use]
    pub fn reconsume_times(&self) -> i32 {
        i32::from_be_bytes(self.read(self.body_at - 16))
    }

    /// PREPARED TRANSACTION OFFSET.
    #[must_use]
    pub fn prepared_transaction_offset(&self) -> i64 {
        i64::from_be_bytes(self.read(self.body_at - 12))
    }

    /// BODY.
    #[must_use]
    pub fn body(&self) -> &'a [u8] {
        self.bytes.get(self.body_at..self.topic_len_at).unwrap_or_default()
    }

    /// TOPIC as stored.
    #[must_use]
    pub fn topic_bytes(&self) -> &'a [u8] {
        self.bytes.get(self.topic_len_at + 1..self.properties_len_at).unwrap_or_default()
    }

    /// TOPIC, if it is UTF-8.
    ///
    /// # Errors
    /// [`Utf8Error`]: no writer makes such a topic.
    pub fn topic(&self) -> Result<&'a str, Utf8Error> {
        core::str::from_utf8(self.topic_bytes())
    }

    /// PROPERTIES as stored.
    #[must_use]
    pub fn properties_bytes(&self) -> &'a [u8] {
        self.bytes.get(self.properties_len_at + 2..).unwrap_or_default()
    }

    /// The value of a property, as the decoded map would hold it.
    #[must_use]
    pub fn property(&self, name: &str) -> Option<&'a [u8]> {
        props::find(self.properties_bytes(), name)
    }

    /// Its offset message id, made from what is stored.
    #[must_use]
    pub fn message_id(&self) -> MessageId {
        MessageId::new(&self.store_host(), self.physical_offset())
    }

    fn read<const N: usize>(&self, at: usize) -> [u8; N] {
        read(self.bytes, at)
    }

    fn host(&self, at: usize, len: usize) -> SocketAddr {
        let bytes = self.bytes.get(at..at + len).unwrap_or_default();
        // The lengths are those of hosts, so this always reads one.
        read_host(bytes).unwrap_or(crate::message::local_host(0))
    }
}

impl fmt::Debug for RecordView<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecordView")
            .field("physical_offset", &self.physical_offset())
            .field("total_size", &self.total_size())
            .field("topic", &self.topic())
            .field("queue_id", &self.queue_id())
            .field("queue_offset", &self.queue_offset())
            .finish_non_exhaustive()
    }
}

/// `N` bytes at `at`, which have been checked to be there.
fn read<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    bytes.get(at..).and_then(<[u8]>::first_chunk::<N>).copied().unwrap_or([0; N])
}

#[cfg(test)]
mod tests;
