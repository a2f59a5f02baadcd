//! Whether a store can be opened with these settings.

use mqstore_core::delay::DelayLevels;

use super::derived::hour;
use super::error::ConfigError;
use super::rocketmq::MessageStoreConfig;
use super::table::Settings as _;

impl MessageStoreConfig {
    /// Whether every value is allowed, and all of them together.
    ///
    /// # Errors
    /// [`ConfigError`] for the first value that is not, or the first two that do not go
    /// together.
    pub fn validate(&self) -> Result<(), ConfigError> {
        self.check_ranges()?;
        self.check_paths()?;
        self.check_texts()?;
        self.check_together()
    }

    /// An error for a value that somebody else has found to be wrong. `name` is the Java name.
    #[must_use]
    pub fn bad_value(&self, name: &str, why: &str) -> ConfigError {
        match Self::row(name) {
            Ok(row) => ConfigError::bad(row.name, self.text_of(row.name).unwrap_or_default(), why),
            Err(unknown) => unknown,
        }
    }

    fn check_paths(&self) -> Result<(), ConfigError> {
        for (name, path) in [
            ("storePathRootDir", &self.store_path_root_dir),
            ("storePathCommitLog", &self.store_path_commit_log),
        ] {
            if path.trim().is_empty() {
                return Err(self.bad_value(name, "must name a folder"));
            }
            if path.contains('\0') {
                return Err(self.bad_value(name, "must not hold a NUL character"));
            }
        }
        Ok(())
    }

    fn check_texts(&self) -> Result<(), ConfigError> {
        // Java's split drops what is empty at the end
        let hours = self.delete_when.trim_end_matches(';');
        if !hours.split(';').all(|text| hour(text).is_some()) {
            let allowed = "must be hours from 00 to 23 with ';' between them";
            return Err(self.bad_value("deleteWhen", allowed));
        }
        DelayLevels::parse(&self.message_delay_level)
            .map(drop)
            .map_err(|e| self.bad_value("messageDelayLevel", &e.to_string()))
    }

    fn check_together(&self) -> Result<(), ConfigError> {
        if self.enable_dleger_commit_log {
            let why = "there is no DLedger here: messages would not be replicated";
            return Err(self.bad_value("enableDLegerCommitLog", why));
        }
        if self.transient_store_pool_enable && self.transient_store_pool_size < 1 {
            let why = "a pool without buffers takes no messages";
            return Err(self.conflict("transientStorePoolEnable", "transientStorePoolSize", why));
        }
        if self.index_file_size() > i32::MAX as u64 {
            let why = "an index file of 40 + 4 * slots + 20 * entries bytes would be longer than \
                       2147483647";
            return Err(self.conflict("maxHashSlotNum", "maxIndexNum", why));
        }
        Ok(())
    }

    fn conflict(&self, first: &str, second: &str, why: &'static str) -> ConfigError {
        let shown = |name: &str| format!("{name} = {}", self.text_of(name).unwrap_or_default());
        ConfigError::Conflict { first: shown(first), second: shown(second), why }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config() -> MessageStoreConfig {
        let mut config = MessageStoreConfig::default();
        config.set_root("/store");
        config
    }

    /// What `validate` says after `change`.
    fn said(change: impl FnOnce(&mut MessageStoreConfig)) -> String {
        let mut config = config();
        change(&mut config);
        config.validate().unwrap_err().to_string()
    }

    #[test]
    fn the_defaults_are_valid() {
        assert_eq!(config().validate(), Ok(()));
    }

    #[test]
    fn sizes_that_no_store_can_have_are_named_with_their_limits() {
        assert_eq!(
            said(|c| c.mapped_file_size_commit_log = 0),
            "mappedFileSizeCommitLog = '0': must be a whole number from 1024 to 2147483647"
        );
        assert_eq!(
            said(|c| c.max_message_size = -1),
            "maxMessageSize = '-1': must be a whole number from 1 to 2147483647"
        );
        assert_eq!(
            said(|c| c.mapped_file_size_consume_queue = i32::MAX),
            "mappedFileSizeConsumeQueue = '2147483647': must be a whole number from 1 to \
             2147483640"
        );
        assert_eq!(
            said(|c| c.flush_interval_commit_log = i32::MIN),
            "flushIntervalCommitLog = '-2147483648': must be a whole number from 0 to 2147483647"
        );
        assert_eq!(
            said(|c| c.ha_listen_port = 65_536),
            "haListenPort = '65536': must be a whole number from 0 to 65535"
        );
    }

    #[test]
    fn the_files_of_the_golden_traces_are_large_enough() {
        let mut config = config();
        config.mapped_file_size_commit_log = 4096;
        config.mapped_file_size_consume_queue = 200;
        config.mapped_file_size_consume_queue_ext = 104;
        config.max_message_size = 1000;
        config.max_hash_slot_num = 7;
        config.max_index_num = 30;
        assert_eq!(config.validate(), Ok(()));
    }

    #[test]
    fn no_number_makes_it_panic() {
        for row in MessageStoreConfig::ROWS.iter().filter(|r| matches!(r.java_type, "int" | "long"))
        {
            for extreme in [i32::MIN, -1, 0, 1, i32::MAX] {
                let mut config = config();
                let _ = config.set(row.name, &extreme.to_string());
                let _ = (config.validate(), config.fields(), config.consume_queue_file_size());
            }
        }
        let mut config = config();
        config.max_hash_slot_num = i32::MIN;
        config.max_index_num = i32::MAX;
        assert!(config.validate().is_err());
        assert_eq!(config.index_file_size(), 40 + 20 * 2_147_483_647);
    }

    #[test]
    fn an_index_file_must_not_be_longer_than_java_can_map() {
        assert_eq!(
            said(|c| c.max_index_num = 200_000_000),
            "maxHashSlotNum = 5000000 does not go with maxIndexNum = 200000000: an index file of \
             40 + 4 * slots + 20 * entries bytes would be longer than 2147483647"
        );
    }

    #[test]
    fn dledger_a_pool_without_buffers_and_wrong_texts_are_refused() {
        assert!(said(|c| c.enable_dleger_commit_log = true).contains("no DLedger"));
        let empty_pool = |c: &mut MessageStoreConfig| {
            c.transient_store_pool_enable = true;
            c.transient_store_pool_size = 0;
        };
        assert_eq!(
            said(empty_pool),
            "transientStorePoolEnable = true does not go with transientStorePoolSize = 0: a pool \
             without buffers takes no messages"
        );
        for wrong in ["", "24", "4;x", ";4", "-1", "4,5"] {
            let text = said(|c| c.delete_when = wrong.to_owned());
            assert_eq!(
                text,
                format!(
                    "deleteWhen = '{wrong}': must be hours from 00 to 23 with ';' between them"
                )
            );
        }
        assert_eq!(
            said(|c| c.message_delay_level = "1s 2x".to_owned()),
            "messageDelayLevel = '1s 2x': delay level 2, '2x', is no number with s, m, h or d"
        );
        assert_eq!(
            said(|c| c.store_path_root_dir.clear()),
            "storePathRootDir = '': must name a folder"
        );
        assert!(said(|c| c.store_path_commit_log.push('\0')).contains("NUL"));
    }

    #[test]
    fn an_error_of_somebody_else_names_setting_and_value() {
        assert_eq!(
            config().bad_value("messageDelayLevel", "why").to_string(),
            "messageDelayLevel = '1s 5s 10s 30s 1m 2m 3m 4m 5m 6m 7m 8m 9m 10m 20m 30m 1h 2h': why"
        );
        assert_eq!(
            config().bad_value("nothing", "why").to_string(),
            "there is no setting 'nothing'"
        );
    }
}
