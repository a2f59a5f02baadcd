//! Settings that RocketMQ does not have: the `mqstore.*` keys.

use super::error::ConfigError;
use super::table::Use::{NotYet, Used};
use super::table::{Settings as _, settings};
use super::value::{Answers, Backend};

/// How far ahead of the writer pages are made present unless it is set, bytes.
pub const PREPARED_BYTES_DEFAULT: i64 = 64 << 20;

settings! {
    /// Settings that RocketMQ does not have. In a properties file their names begin with
    /// `mqstore.`, and Java's broker passes over them.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct MqstoreSettings(_home) {
        /// Whose answers are given where RocketMQ's can be improved on: `rocketmq-4.9.3` or
        /// `corrected`.
        answers: Answers = Answers::Corrected,
        "mqstore.answers", live, ANY, Used("checks, light queues, readers");

        /// Where the bytes live: `mmap`, `mem` or `block:PATH`.
        backend: Backend = Backend::Mmap,
        "mqstore.backend", fixed, ANY, Used("opening by configuration");

        /// Whether checksums are checked when records are handed out.
        verify_reads: bool = true,
        "mqstore.verifyReads", live, ANY, NotYet("comes with the read path");

        /// How far ahead of the writer pages are made present, bytes; 0 turns it off.
        prepared_bytes: i64 = PREPARED_BYTES_DEFAULT,
        "mqstore.preparedBytes", fixed, 0..=u32::MAX as i64, Used("the log's warmer");

        /// What separates several folders in one path
        /// (Java: system property `rocketmq.broker.multiPathSplitter`).
        multi_path_splitter: String = ",".to_owned(),
        "mqstore.multiPathSplitter", fixed, ANY, Used("the log's folders");

        /// Disk use in percent above which puts are refused
        /// (Java: system property `rocketmq.broker.diskSpaceWarningLevelRatio`, 0.90).
        disk_space_warning_percent: i32 = 90,
        "mqstore.diskSpaceWarningPercent", live, 1..=100, NotYet("comes with cleaning");

        /// Disk use in percent above which files are deleted before their time
        /// (Java: system property `rocketmq.broker.diskSpaceCleanForciblyRatio`, 0.85).
        disk_space_clean_forcibly_percent: i32 = 85,
        "mqstore.diskSpaceCleanForciblyPercent", live, 1..=100, NotYet("comes with cleaning");
    }
}

/// No number, or any.
const ANY: core::ops::RangeInclusive<i64> = i64::MIN..=i64::MAX;

impl Default for MqstoreSettings {
    fn default() -> Self {
        Self::with_home("")
    }
}

impl MqstoreSettings {
    /// What the names begin with.
    pub const PREFIX: &'static str = "mqstore.";

    /// Sets a value by its name, such as `mqstore.answers`.
    ///
    /// # Errors
    /// [`ConfigError`] for an unknown name or a value that is not allowed: nothing has changed.
    pub fn set(&mut self, name: &str, text: &str) -> Result<(), ConfigError> {
        self.set_text(name, text)
    }

    /// As [`MqstoreSettings::set`], for a store that runs.
    ///
    /// # Errors
    /// Also [`ConfigError::NotLive`] if the value would change and only counts when a store is
    /// opened.
    pub fn set_live(&mut self, name: &str, text: &str) -> Result<(), ConfigError> {
        self.set_text_live(name, text)
    }

    /// Whether every value is allowed.
    ///
    /// # Errors
    /// [`ConfigError`] for the first one that is not.
    pub fn validate(&self) -> Result<(), ConfigError> {
        self.check_ranges()?;
        if self.multi_path_splitter.is_empty() {
            return Err(ConfigError::bad("mqstore.multiPathSplitter", "", "must not be empty"));
        }
        if let Backend::Block(path) = &self.backend
            && path.is_empty()
        {
            let text = self.get("mqstore.backend").unwrap_or_default();
            return Err(ConfigError::bad("mqstore.backend", text, "must name a path"));
        }
        Ok(())
    }
}
