//! The settings that puts read on their way and that may change while the store runs.

use core::sync::atomic::{
    AtomicBool, AtomicI32, AtomicI64, AtomicU32, AtomicU64, Ordering::Relaxed,
};

use mqstore_core::check::Limits;
use mqstore_core::gate::GateRules;
use mqstore_core::prepare::MultiDispatchRules;
use mqstore_core::status::{BrokerRole, FlushDiskType};

use crate::config::{Answers, MessageStoreConfig, MqstoreSettings};

/// One atomic per setting: a put never locks the configuration.
#[derive(Debug, Default)]
pub(crate) struct LiveRules {
    role: AtomicI32,
    page_cache_busy_millis: AtomicI64,
    max_message_size: AtomicU32,
    segment_size: AtomicU32,
    corrected: AtomicBool,
    enable_lmq: AtomicBool,
    enable_multi_dispatch: AtomicBool,
    sync_flush: AtomicBool,
    sync_flush_timeout: AtomicI64,
    timed_flush: AtomicBool,
    commit_least_bytes: AtomicU64,
}

impl LiveRules {
    pub(crate) fn new(config: &MessageStoreConfig, settings: &MqstoreSettings) -> Self {
        let rules = Self::default();
        rules.update(config, settings);
        rules
    }

    /// Takes over what has changed.
    pub(crate) fn update(&self, config: &MessageStoreConfig, settings: &MqstoreSettings) {
        let non_negative = |n: i32| u32::try_from(n).unwrap_or(0);
        self.role.store(config.broker_role as i32, Relaxed);
        self.page_cache_busy_millis.store(config.os_page_cache_busy_time_out_mills, Relaxed);
        self.max_message_size.store(non_negative(config.max_message_size), Relaxed);
        self.segment_size.store(non_negative(config.mapped_file_size_commit_log), Relaxed);
        self.corrected.store(settings.answers == Answers::Corrected, Relaxed);
        self.enable_lmq.store(config.enable_lmq, Relaxed);
        self.enable_multi_dispatch.store(config.enable_multi_dispatch, Relaxed);
        self.sync_flush.store(config.flush_disk_type == FlushDiskType::SyncFlush, Relaxed);
        self.sync_flush_timeout.store(i64::from(config.sync_flush_timeout), Relaxed);
        self.timed_flush.store(config.flush_commit_log_timed, Relaxed);
        let pages = u64::try_from(config.commit_commit_log_least_pages).unwrap_or(0);
        self.commit_least_bytes.store(pages * 4096, Relaxed);
    }

    pub(crate) fn role(&self) -> BrokerRole {
        BrokerRole::from_ordinal(self.role.load(Relaxed)).unwrap_or_default()
    }

    pub(crate) fn gate(&self) -> GateRules {
        GateRules {
            role: self.role(),
            page_cache_busy_millis: self.page_cache_busy_millis.load(Relaxed),
        }
    }

    pub(crate) fn limits(&self) -> Limits {
        Limits {
            max_message_size: self.max_message_size.load(Relaxed),
            segment_size: self.segment_size.load(Relaxed),
            refuse_empty_topic: self.corrected.load(Relaxed),
        }
    }

    pub(crate) fn multi_dispatch(&self) -> MultiDispatchRules {
        MultiDispatchRules {
            enable_lmq: self.enable_lmq.load(Relaxed),
            enable_multi_dispatch: self.enable_multi_dispatch.load(Relaxed),
            skip_retry_topics: self.corrected.load(Relaxed),
        }
    }

    pub(crate) fn sync_flush(&self) -> bool {
        self.sync_flush.load(Relaxed)
    }

    pub(crate) fn sync_flush_timeout(&self) -> i64 {
        self.sync_flush_timeout.load(Relaxed)
    }

    /// So many bytes wake the thread that commits (`commitCommitLogLeastPages`).
    pub(crate) fn commit_least_bytes(&self) -> u64 {
        self.commit_least_bytes.load(Relaxed)
    }

    /// Whether puts leave the flusher asleep (`flushCommitLogTimed`).
    pub(crate) fn timed_flush(&self) -> bool {
        self.timed_flush.load(Relaxed)
    }
}
