//! RocketMQ's own settings: all 77 fields of `MessageStoreConfig.java` (spec 02 section 12).

use mqstore_core::delay::DEFAULT_LEVELS;
use mqstore_core::status::{BrokerRole, FlushDiskType};

use super::derived::{home, under};
use super::error::ConfigError;
use super::table::Use::{Never, NotYet, Used};
use super::table::{Settings as _, settings};

settings! {
    /// RocketMQ's settings of a store, with its names, types and defaults. Sizes are bytes,
    /// times milliseconds unless a field says otherwise.
    ///
    /// Every value of its type can be written into a field; [`MessageStoreConfig::validate`]
    /// says whether a store can be opened with them.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct MessageStoreConfig(home) {
        /// Root of everything except the commit log.
        store_path_root_dir: String = under(home, "store"),
        "storePathRootDir", fixed, ANY, Used("the store's folder");

        /// Commit log folder, or several with a comma between them.
        store_path_commit_log: String = under(&under(home, "store"), "commitlog"),
        "storePathCommitLog", fixed, ANY, Used("the log's folder");

        /// More commit log folders, which are read but get no new files.
        read_only_commit_log_store_paths: Option<String> = None,
        "readOnlyCommitLogStorePaths", fixed, ANY, Used("the log's folders");

        /// Size of a commit log file, bytes.
        mapped_file_size_commit_log: i32 = 1 << 30,
        "mappedFileSizeCommitLog", fixed, LOG_FILE_MIN..=INT, Used("the log");

        /// Size of a consume queue file, bytes; rounded up to a multiple of 20.
        mapped_file_size_consume_queue: i32 = 6_000_000,
        "mappedFileSizeConsumeQueue", fixed, 1..=QUEUE_FILE_MAX, NotYet(QUEUES);

        /// Whether consume queues have extension units.
        enable_consume_queue_ext: bool = false,
        "enableConsumeQueueExt", fixed, ANY, NotYet(QUEUES);

        /// Size of a file of extension units, bytes.
        mapped_file_size_consume_queue_ext: i32 = 48 << 20,
        "mappedFileSizeConsumeQueueExt", fixed, EXT_FILE_MIN..=INT, NotYet(QUEUES);

        /// Length of a filter bitmap in an extension unit, bits.
        bit_map_length_consume_queue_ext: i32 = 64,
        "bitMapLengthConsumeQueueExt", fixed, 0..=INT, NotYet(QUEUES);

        /// Period of the asynchronous flush, ms.
        flush_interval_commit_log: i32 = 500,
        "flushIntervalCommitLog", live, 0..=INT, Used("the flusher");

        /// Period of the commit with the write buffer pool, ms.
        commit_interval_commit_log: i32 = 200,
        "commitIntervalCommitLog", live, 0..=INT, Used("the committer");

        /// Whether puts wait for their lock asleep instead of spinning.
        use_reentrant_lock_when_put_message: bool = true,
        "useReentrantLockWhenPutMessage", fixed, ANY, Used("the put lock");

        /// Whether the asynchronous flush sleeps a fixed period and ignores wake-ups.
        flush_commit_log_timed: bool = true,
        "flushCommitLogTimed", live, ANY, Used("the flusher");

        /// Period of the consume queues' flush, ms.
        flush_interval_consume_queue: i32 = 1000,
        "flushIntervalConsumeQueue", live, 0..=INT, NotYet(QUEUES);

        /// Period of cleaning, ms.
        clean_resource_interval: i32 = 10_000,
        "cleanResourceInterval", fixed, 1..=INT, NotYet(CLEANING);

        /// Pause between two deletions of commit log files, ms.
        delete_commit_log_files_interval: i32 = 100,
        "deleteCommitLogFilesInterval", live, 0..=INT, NotYet(CLEANING);

        /// Pause after a queue has lost files, ms.
        delete_consume_queue_files_interval: i32 = 100,
        "deleteConsumeQueueFilesInterval", live, 0..=INT, NotYet(CLEANING);

        /// How long after its removal a file that is still read is forced away, ms.
        destroy_maped_file_interval_forcibly: i32 = 120_000,
        "destroyMapedFileIntervalForcibly", live, 0..=INT,
        Never("memory that somebody still reads is never taken away");

        /// Pause before the first file, stuck in deletion, is deleted again, ms.
        redelete_hanged_file_interval: i32 = 120_000,
        "redeleteHangedFileInterval", live, 0..=INT, NotYet(CLEANING);

        /// Local hours in which expired files are deleted, 00 to 23, with `;` between them.
        delete_when: String = "04".to_owned(),
        "deleteWhen", live, ANY, NotYet(CLEANING);

        /// Disk use that triggers cleaning, percent; below 10 counts as 10, above 95 as 95.
        disk_max_used_space_ratio: i32 = 75,
        "diskMaxUsedSpaceRatio", live, 0..=100, NotYet(CLEANING);

        /// How long a commit log file is kept, hours.
        file_reserved_time: i32 = 72,
        "fileReservedTime", live, 0..=INT, NotYet(CLEANING);

        /// Nothing.
        put_msg_index_hight_water: i32 = 600_000,
        "putMsgIndexHightWater", fixed, ANY_INT, Never("not used by RocketMQ 4.9.3 either");

        /// Largest record, and largest batch, bytes.
        max_message_size: i32 = 4 << 20,
        "maxMessageSize", live, 1..=INT, Used("checks of messages");

        /// Whether recovery verifies the checksums of bodies.
        check_crc_on_recover: bool = true,
        "checkCRCOnRecover", fixed, ANY, NotYet(RECOVERY);

        /// Dirty pages of 4 KiB that an asynchronous flush needs.
        flush_commit_log_least_pages: i32 = 4,
        "flushCommitLogLeastPages", live, 0..=INT, Used("the flusher");

        /// Dirty pages of 4 KiB that a commit needs.
        commit_commit_log_least_pages: i32 = 4,
        "commitCommitLogLeastPages", live, 0..=INT, Used("the committer");

        /// Pages of 4 KiB between two syncs while a new file is warmed.
        flush_least_pages_when_warm_maped_file: i32 = 4096,
        "flushLeastPagesWhenWarmMapedFile", fixed, 0..=INT,
        Never("pages are made present without writing to them, so there is nothing to sync");

        /// Dirty pages of 4 KiB that a flush of a queue needs.
        flush_consume_queue_least_pages: i32 = 2,
        "flushConsumeQueueLeastPages", live, 0..=INT, NotYet(QUEUES);

        /// At least this often a flush looks at no pages, ms.
        flush_commit_log_thorough_interval: i32 = 10_000,
        "flushCommitLogThoroughInterval", live, 0..=INT, Used("the flusher");

        /// At least this often a commit looks at no pages, ms.
        commit_commit_log_thorough_interval: i32 = 200,
        "commitCommitLogThoroughInterval", live, 0..=INT, Used("the committer");

        /// At least this often the queues' flush looks at no pages and writes the checkpoint,
        /// ms.
        flush_consume_queue_thorough_interval: i32 = 60_000,
        "flushConsumeQueueThoroughInterval", live, 0..=INT, NotYet(QUEUES);

        /// Limit of one pull of messages in memory, bytes.
        max_transfer_bytes_on_message_in_memory: i32 = 256 << 10,
        "maxTransferBytesOnMessageInMemory", live, 0..=INT, NotYet(READS);

        /// Limit of one pull of messages in memory, messages.
        max_transfer_count_on_message_in_memory: i32 = 32,
        "maxTransferCountOnMessageInMemory", live, 0..=INT, NotYet(READS);

        /// Limit of one pull of messages on disk, bytes.
        max_transfer_bytes_on_message_in_disk: i32 = 64 << 10,
        "maxTransferBytesOnMessageInDisk", live, 0..=INT, NotYet(READS);

        /// Limit of one pull of messages on disk, messages.
        max_transfer_count_on_message_in_disk: i32 = 8,
        "maxTransferCountOnMessageInDisk", live, 0..=INT, NotYet(READS);

        /// Share of the machine's memory that counts as holding messages, percent.
        access_message_in_memory_max_ratio: i32 = 40,
        "accessMessageInMemoryMaxRatio", live, 0..=100, NotYet(READS);

        /// Whether index files are built.
        message_index_enable: bool = true,
        "messageIndexEnable", live, ANY, NotYet(INDEX);

        /// Slots of an index file.
        max_hash_slot_num: i32 = 5_000_000,
        "maxHashSlotNum", fixed, 1..=INT, NotYet(INDEX);

        /// Entries of an index file.
        max_index_num: i32 = 20_000_000,
        "maxIndexNum", fixed, 1..=INT, NotYet(INDEX);

        /// Limit of the results of a query by key.
        max_msgs_num_batch: i32 = 64,
        "maxMsgsNumBatch", live, 0..=INT, NotYet(INDEX);

        /// Whether recovery after a crash also goes by the index's checkpoint time.
        message_index_safe: bool = false,
        "messageIndexSafe", fixed, ANY, NotYet(RECOVERY);

        /// Port for replication.
        ha_listen_port: i32 = 10_912,
        "haListenPort", fixed, 0..=65_535, NotYet(REPLICATION);

        /// Heartbeat of replication, ms.
        ha_send_heartbeat_interval: i32 = 5000,
        "haSendHeartbeatInterval", live, 0..=INT, NotYet(REPLICATION);

        /// A replication connection silent for so long is closed, ms.
        ha_housekeeping_interval: i32 = 20_000,
        "haHousekeepingInterval", live, 0..=INT, NotYet(REPLICATION);

        /// Largest chunk of replication, bytes.
        ha_transfer_batch_size: i32 = 32 << 10,
        "haTransferBatchSize", live, 1..=INT, NotYet(REPLICATION);

        /// Master to replicate from, `host:port`.
        ha_master_address: Option<String> = None,
        "haMasterAddress", live, ANY, NotYet(REPLICATION);

        /// A slave that lags further behind counts as not available, bytes.
        ha_slave_fallbehind_max: i32 = 256 << 20,
        "haSlaveFallbehindMax", live, 0..=INT, NotYet(REPLICATION);

        /// ASYNC_MASTER, SYNC_MASTER or SLAVE.
        broker_role: BrokerRole = BrokerRole::AsyncMaster,
        "brokerRole", live, ANY, Used("the gates");

        /// SYNC_FLUSH or ASYNC_FLUSH.
        flush_disk_type: FlushDiskType = FlushDiskType::AsyncFlush,
        "flushDiskType", live, ANY, Used("puts and the flusher");

        /// How long a put waits for a synchronous flush, ms.
        sync_flush_timeout: i32 = 5000,
        "syncFlushTimeout", live, 0..=INT, Used("puts");

        /// How long a put waits for a slave, ms.
        slave_timeout: i32 = 3000,
        "slaveTimeout", live, 0..=INT, NotYet(REPLICATION);

        /// Delays of the levels from 1 on, such as `1s 5m 2h 1d`.
        message_delay_level: String = DEFAULT_LEVELS.to_owned(),
        "messageDelayLevel", fixed, ANY, Used("puts of delayed messages");

        /// Period of writing `delayOffset.json`, ms.
        flush_delay_offset_interval: i64 = 10_000,
        "flushDelayOffsetInterval", fixed, 1..=i64::MAX, NotYet(DELIVERY);

        /// Whether files are deleted before their time when the disk is nearly full.
        clean_file_forcibly_enable: bool = true,
        "cleanFileForciblyEnable", live, ANY, NotYet(CLEANING);

        /// Whether new commit log files are touched and locked in memory before their use.
        warm_maped_file_enable: bool = false,
        "warmMapedFileEnable", fixed, ANY,
        NotYet("comes with files made ahead; mqstore.preparedBytes warms without it");

        /// Whether a slave also corrects the offsets of pulls.
        offset_check_in_slave: bool = false,
        "offsetCheckInSlave", live, ANY, NotYet(READS);

        /// Whether the stacks of all threads are dumped when the put lock is held over 1 s.
        debug_lock_enable: bool = false,
        "debugLockEnable", live, ANY,
        Never("dumps a Java machine's stacks; a refusal says how long the lock was held");

        /// Whether only what lies below the confirm offset is dispatched.
        duplication_enable: bool = false,
        "duplicationEnable", fixed, ANY, NotYet(REPLICATION);

        /// Whether it is recorded how far reads lag behind.
        disk_fall_recorded: bool = true,
        "diskFallRecorded", live, ANY, NotYet(READS);

        /// A put lock held for longer counts as a busy page cache, ms.
        os_page_cache_busy_time_out_mills: i64 = 1000,
        "osPageCacheBusyTimeOutMills", live, 0..=i64::MAX, Used("the gates");

        /// Limit of the results of a query, if its sender names none.
        default_query_max_num: i32 = 32,
        "defaultQueryMaxNum", live, 0..=INT, Never("the broker uses it, not the store");

        /// Whether puts go through buffers in memory before they reach the file.
        transient_store_pool_enable: bool = false,
        "transientStorePoolEnable", fixed, ANY, Used("the log's write buffers");

        /// Buffers in the pool, each as long as a commit log file.
        transient_store_pool_size: i32 = 5,
        "transientStorePoolSize", fixed, 0..=INT, Used("the log's write buffers");

        /// Whether a new file is refused while all buffers of the pool are in use.
        fast_fail_if_no_buffer_in_store_pool: bool = false,
        "fastFailIfNoBufferInStorePool", fixed, ANY, Used("the log's write buffers");

        /// Whether the log is DLedger's.
        enable_dleger_commit_log: bool = false,
        "enableDLegerCommitLog", fixed, ANY,
        Never("there is no DLedger here; true is refused when a store is opened");

        /// DLedger's group.
        dleger_group: Option<String> = None,
        "dLegerGroup", fixed, ANY, Never(DLEDGER);

        /// DLedger's peers.
        dleger_peers: Option<String> = None,
        "dLegerPeers", fixed, ANY, Never(DLEDGER);

        /// This peer in DLedger's group.
        dleger_self_id: Option<String> = None,
        "dLegerSelfId", fixed, ANY, Never(DLEDGER);

        /// The peer that DLedger makes its leader if it can.
        preferred_leader_id: Option<String> = None,
        "preferredLeaderId", fixed, ANY, Never(DLEDGER);

        /// Whether DLedger pushes in batches; Java's setter calls it `enableBatchPush`.
        is_enable_batch_push: bool = false,
        "isEnableBatchPush", fixed, ANY, Never(DLEDGER);

        /// Whether delayed delivery is counted in the broker's statistics.
        enable_schedule_message_stats: bool = true,
        "enableScheduleMessageStats", live, ANY, NotYet(DELIVERY);

        /// Whether names with the prefix `%LMQ%` are light queues.
        enable_lmq: bool = false,
        "enableLmq", live, ANY, Used("light queues");

        /// Whether a message can go to light queues in addition to its own.
        enable_multi_dispatch: bool = false,
        "enableMultiDispatch", live, ANY, Used("light queues");

        /// Light queues beyond this number are not read.
        max_lmq_consume_queue_num: i32 = 20_000,
        "maxLmqConsumeQueueNum", live, 0..=INT, NotYet(READS);

        /// Whether delayed messages are delivered without waiting for each put.
        enable_schedule_async_deliver: bool = false,
        "enableScheduleAsyncDeliver", fixed, ANY, NotYet(DELIVERY);

        /// Deliveries under way for each delay level at most, messages.
        schedule_async_deliver_max_pending_limit: i32 = 2000,
        "scheduleAsyncDeliverMaxPendingLimit", live, 0..=INT, NotYet(DELIVERY);

        /// Failed deliveries of a message before its delay level waits for it.
        schedule_async_deliver_max_resend_num2_blocked: i32 = 3,
        "scheduleAsyncDeliverMaxResendNum2Blocked", live, 0..=INT, NotYet(DELIVERY);
    }
}

/// The range of what is no number, and of numbers that are not looked at.
const ANY: core::ops::RangeInclusive<i64> = i64::MIN..=i64::MAX;
const ANY_INT: core::ops::RangeInclusive<i64> = i32::MIN as i64..=INT;
const INT: i64 = i32::MAX as i64;
/// The smallest record takes 91 bytes and a file ends in 8 more: below this hardly a message
/// fits, and somebody has probably thought of another unit.
const LOG_FILE_MIN: i64 = 1024;
/// The largest multiple of 20 that Java's `int` can hold.
const QUEUE_FILE_MAX: i64 = 2_147_483_640;
/// One unit without a bitmap, and the mark at the end of the file.
const EXT_FILE_MIN: i64 = 24;

const CLEANING: &str = "comes with cleaning";
const DELIVERY: &str = "comes with delayed delivery";
const DLEDGER: &str = "there is no DLedger here";
const INDEX: &str = "comes with index files";
const QUEUES: &str = "comes with consume queues";
const READS: &str = "comes with the read path";
const RECOVERY: &str = "comes with recovery";
const REPLICATION: &str = "comes with replication";

impl Default for MessageStoreConfig {
    /// RocketMQ's defaults; both paths are empty if this user's home is not known.
    fn default() -> Self {
        Self::with_home(&home())
    }
}

impl MessageStoreConfig {
    /// Sets a value by its Java name. As long as the commit log lies in `commitlog` below the
    /// root, it follows a change of `storePathRootDir`.
    ///
    /// Unlike Java, which passes over what it cannot read, this takes only `true` and `false`
    /// for a boolean, and only whole numbers within their range.
    ///
    /// # Errors
    /// [`ConfigError`] for an unknown name or a value that is not allowed: nothing has changed.
    pub fn set(&mut self, name: &str, text: &str) -> Result<(), ConfigError> {
        if name == "storePathRootDir" {
            self.set_root(text);
            return Ok(());
        }
        self.set_text(name, text)
    }

    /// As [`MessageStoreConfig::set`], for a store that runs.
    ///
    /// # Errors
    /// Also [`ConfigError::NotLive`] if the value would change and only counts when a store is
    /// opened.
    pub fn set_live(&mut self, name: &str, text: &str) -> Result<(), ConfigError> {
        self.set_text_live(name, text)
    }
}
