//! What `dump` finds, one kind of thing each.

use core::net::SocketAddr;

/// One thing in a store's folder.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Item {
    /// The folder as a whole: always the first.
    Store {
        /// Whether the abort file is there.
        abort: bool,
        /// What the lock file says, if there is one.
        lock: Option<String>,
    },
    /// The checkpoint file.
    Checkpoint(Checkpoint),
    /// A file whose contents follow.
    File {
        /// Its path below the store's folder.
        path: String,
        /// Its length in bytes.
        size: u64,
        /// Its SHA-256, if asked for.
        sha256: Option<String>,
    },
    /// A message of the commit log.
    Message(Box<Message>),
    /// What looks like a message of the commit log but cannot be decoded.
    Undecoded {
        /// Its place in the log.
        off: u64,
        /// Its size, as it says itself.
        size: u32,
        /// Its checksum field.
        body_crc: i32,
        /// Why it cannot be decoded.
        why: String,
        /// SHA-256 of its bytes, if asked for.
        sha256: Option<String>,
    },
    /// The filler at the end of a commit log file.
    Blank {
        /// Its place in the log.
        off: u64,
        /// Its size, as it says itself.
        size: i32,
        /// Whether that is the rest of the file.
        to_file_end: bool,
    },
    /// What lies behind the last record, entry or unit of a file.
    Tail(Tail),
    /// An entry of a consume queue.
    QueueEntry(QueueEntry),
    /// A unit of an extended consume queue.
    ExtUnit(ExtUnit),
    /// The mark behind the last unit of a file of an extended consume queue.
    ExtEnd {
        /// Its address.
        addr: u64,
    },
    /// The header of an index file.
    Index(Box<IndexHeader>),
    /// An entry of an index file.
    IndexEntry(IndexEntry),
    /// A file in `config`.
    Config {
        /// Its name.
        file: String,
        /// Its text.
        text: String,
    },
    /// A file or folder that could not be read.
    Unreadable {
        /// Its path below the store's folder.
        file: String,
        /// What the operating system says.
        why: String,
    },
    /// Something is not as a store leaves it.
    Problem {
        /// The file, below the store's folder.
        file: String,
        /// Where: a position in its series, or 0.
        at: u64,
        /// What.
        what: String,
    },
}

/// The checkpoint file: times in milliseconds since 1970.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Checkpoint {
    /// Its length; `None`: there is none.
    pub size: Option<u64>,
    /// The times of log, queues and index, if it is long enough.
    pub times: Option<[i64; 3]>,
    /// Whether all behind them is zero.
    pub rest_zero: bool,
}

/// A message of the commit log, as Java's decoder reads it.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// Its place in the log.
    pub off: u64,
    /// TOTALSIZE.
    pub size: u32,
    /// BODYCRC.
    pub body_crc: i32,
    /// Whether that is the body's checksum.
    pub crc_ok: bool,
    /// QUEUEID.
    pub queue_id: i32,
    /// FLAG.
    pub flag: i32,
    /// QUEUEOFFSET.
    pub queue_offset: i64,
    /// PHYSICALOFFSET.
    pub physical_offset: i64,
    /// SYSFLAG.
    pub sys_flag: i32,
    /// BORNTIMESTAMP.
    pub born_timestamp: i64,
    /// BORNHOST.
    pub born_host: SocketAddr,
    /// STORETIMESTAMP.
    pub store_timestamp: i64,
    /// STOREHOST.
    pub store_host: SocketAddr,
    /// RECONSUMETIMES.
    pub reconsume_times: i32,
    /// PREPARED TRANSACTION OFFSET.
    pub prepared_transaction_offset: i64,
    /// BODY LENGTH.
    pub body_len: i32,
    /// SHA-256 of the body, if asked for.
    pub body_sha256: Option<String>,
    /// TOPIC.
    pub topic: String,
    /// TOPIC LENGTH.
    pub topic_len: i8,
    /// PROPERTIES LENGTH.
    pub properties_len: i16,
    /// PROPERTIES.
    pub properties_raw: String,
    /// The properties as a map, sorted as Java sorts strings.
    pub properties: Vec<(String, String)>,
    /// The offset message id.
    pub msg_id: String,
    /// Whether the parts add up to TOTALSIZE.
    pub size_ok: bool,
    /// SHA-256 of the record, if asked for.
    pub sha256: Option<String>,
}

/// Which kind of file a [`Tail`] belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TailOf {
    /// A commit log file.
    CommitLog,
    /// A consume queue file.
    Queue,
    /// A file of an extended consume queue.
    Ext,
}

/// What lies behind the last whole thing of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Tail {
    /// The kind of file.
    pub of: TailOf,
    /// The file's name, of a queue file with its topic and queue.
    pub file: String,
    /// Where it begins, in its series.
    pub from: u64,
    /// How long it is.
    pub len: u64,
    /// The first byte of it that is not zero.
    pub first_non_zero: Option<u64>,
    /// SHA-256 of it, if it is not all zeros and it was asked for.
    pub sha256: Option<String>,
}

/// An entry of a consume queue.
#[derive(Clone, Debug, PartialEq)]
pub struct QueueEntry {
    /// Topic, from the folder's name.
    pub topic: String,
    /// Queue, from the folder's name.
    pub queue_id: i32,
    /// Its queue offset.
    pub i: u64,
    /// Where its message lies in the log.
    pub off: i64,
    /// How long that is.
    pub size: i32,
    /// Its tags code.
    pub tags: i64,
}

impl QueueEntry {
    /// Where its unit lies in the extended queue, if the tags code says so.
    #[must_use]
    pub fn ext_addr(&self) -> Option<i64> {
        const MAX_ADDR: i64 = i32::MIN as i64 - 1;
        (self.tags <= MAX_ADDR).then(|| self.tags.wrapping_sub(i64::MIN))
    }
}

/// A unit of an extended consume queue.
#[derive(Clone, Debug, PartialEq)]
pub struct ExtUnit {
    /// Topic, from the folder's name.
    pub topic: String,
    /// Queue, from the folder's name.
    pub queue_id: i32,
    /// Its address.
    pub addr: u64,
    /// Its size.
    pub size: i16,
    /// Its tags code.
    pub tags: i64,
    /// Store time of its message.
    pub store_time: i64,
    /// Length of its bit map.
    pub bit_map_size: i16,
    /// Its bit map.
    pub bit_map: Vec<u8>,
}

/// The header of an index file.
#[derive(Clone, Debug, PartialEq)]
pub struct IndexHeader {
    /// The file's name.
    pub file: String,
    /// Whether the file has the length that the settings give it.
    pub size_ok: bool,
    /// The rest of it, if the file is long enough.
    pub fields: Option<IndexFields>,
}

/// The fields of an index header.
#[derive(Clone, Debug, PartialEq)]
pub struct IndexFields {
    /// Store time of the first message.
    pub begin_timestamp: i64,
    /// Store time of the last message.
    pub end_timestamp: i64,
    /// Place of the first message in the log.
    pub begin_phy_offset: i64,
    /// Place of the last message in the log.
    pub end_phy_offset: i64,
    /// Slots in use, as the header says.
    pub hash_slot_count: i32,
    /// Number of the next entry, as the header says.
    pub index_count: i32,
    /// Slots there are.
    pub slot_num: u32,
    /// Entries there can be.
    pub index_num: u32,
    /// Each slot in use with its newest entry.
    pub slots: Vec<(u32, i32)>,
}

/// An entry of an index file.
#[derive(Clone, Debug, PartialEq)]
pub struct IndexEntry {
    /// Its number.
    pub i: u32,
    /// Hash of the key.
    pub key_hash: i32,
    /// Where its message lies in the log.
    pub off: i64,
    /// Seconds since the file's begin.
    pub time_diff: i32,
    /// The entry before it in its slot.
    pub prev: i32,
    /// Whether the header does not count it.
    pub beyond_count: bool,
}
