//! What can be seen of an open store from outside.

use crate::stats::PutStats;

/// A snapshot of an open store. Positions are log offsets in bytes, times milliseconds.
#[derive(Clone, Debug)]
pub struct StoreStatus {
    /// Start of the oldest file; -1 without files (`getMinPhyOffset`).
    pub min_phy_offset: i64,
    /// How far readers may look (`getMaxPhyOffset`).
    pub max_phy_offset: u64,
    /// How far records are written, committed or not.
    pub written_offset: u64,
    /// How far they have reached the medium.
    pub committed_where: u64,
    /// How far they survive a power cut.
    pub flushed_where: u64,
    /// Start of each log file.
    pub commit_log_files: Vec<u64>,
    /// How long the holder of the put lock has been inside (`lockTimeMills`).
    pub lock_time_millis: i64,
    /// Whether that is too long (`isOSPageCacheBusy`).
    pub os_page_cache_busy: bool,
    /// Topic, queue id and next offset of each queue (`topicQueueTable`), sorted.
    pub queues: Vec<(String, i32, i64)>,
    /// The same for light queues (`lmqTopicQueueTable`).
    pub light_queues: Vec<(String, i32, i64)>,
    /// The checkpoint's three times: log, queues, index.
    pub checkpoint: [i64; 3],
    /// Counters of puts, with Java's names.
    pub stats: PutStats,
}
