//! What follows from the settings: folders, and the values that Java's getters bend.

use std::env;
use std::path::Path;

use mqstore_core::status::BrokerRole;

use super::mqstore::MqstoreSettings;
use super::rocketmq::MessageStoreConfig;
use super::table::Settings as _;

/// Bytes of an entry of a consume queue.
const QUEUE_ENTRY: i32 = 20;

/// This user's home, as far as it can be written down in a properties file.
pub(super) fn home() -> String {
    env::home_dir().and_then(|home| home.into_os_string().into_string().ok()).unwrap_or_default()
}

/// A folder below another one; none below one that is not known.
pub(super) fn under(folder: &str, name: &str) -> String {
    if folder.is_empty() {
        return String::new();
    }
    Path::new(folder).join(name).to_string_lossy().into_owned()
}

impl MessageStoreConfig {
    /// Sets the root. As long as the commit log lies in `commitlog` below it, it follows; a
    /// folder that was set to something else stays.
    pub fn set_root(&mut self, root: &str) {
        let follows = self.store_path_commit_log == under(&self.store_path_root_dir, "commitlog");
        root.clone_into(&mut self.store_path_root_dir);
        if follows {
            self.derive_paths();
        }
    }

    /// Puts the commit log into `commitlog` below the root.
    pub fn derive_paths(&mut self) {
        self.store_path_commit_log = under(&self.store_path_root_dir, "commitlog");
    }

    /// The folders of the commit log that get new files, each once. `splitter` is
    /// [`super::MqstoreSettings::multi_path_splitter`].
    #[must_use]
    pub fn commit_log_paths(&self, splitter: &str) -> Vec<String> {
        split(&self.store_path_commit_log, splitter)
    }

    /// The folders of the commit log that are only read, each once.
    #[must_use]
    pub fn read_only_commit_log_paths(&self, splitter: &str) -> Vec<String> {
        split(self.read_only_commit_log_store_paths.as_deref().unwrap_or_default(), splitter)
    }

    /// Size of a consume queue file as it is, bytes: a multiple of 20
    /// (`getMappedFileSizeConsumeQueue`).
    #[must_use]
    pub fn consume_queue_file_size(&self) -> i32 {
        let entries = i64::from(self.mapped_file_size_consume_queue).max(1) + 19;
        let largest = i32::MAX / QUEUE_ENTRY;
        i32::try_from(entries / i64::from(QUEUE_ENTRY)).map_or(largest, |n| n.min(largest))
            * QUEUE_ENTRY
    }

    /// Disk use that triggers cleaning, percent from 10 to 95 (`getDiskMaxUsedSpaceRatio`).
    #[must_use]
    pub fn disk_max_used_space_percent(&self) -> i32 {
        self.disk_max_used_space_ratio.clamp(10, 95)
    }

    /// Whether puts go through the write buffer pool: if it is enabled, and not on a slave.
    ///
    /// Java's `isTransientStorePoolEnable` also turns the pool off, without a word, for
    /// synchronous flush; here the two work together.
    #[must_use]
    pub fn transient_store_pool(&self) -> bool {
        self.transient_store_pool_enable && self.broker_role != BrokerRole::Slave
    }

    /// Length of an index file, bytes (spec 02 section 9).
    #[must_use]
    pub fn index_file_size(&self) -> u64 {
        let count = |n: i32| u64::try_from(n).unwrap_or(0);
        40 + 4 * count(self.max_hash_slot_num) + 20 * count(self.max_index_num)
    }

    /// The local hours in which expired files are deleted. What is no hour is left out, and
    /// refused by [`MessageStoreConfig::validate`].
    #[must_use]
    pub fn delete_hours(&self) -> Vec<u8> {
        self.delete_when.trim_end_matches(';').split(';').filter_map(hour).collect()
    }
}

/// A sentence that names the settings somebody has changed and that do nothing yet; `None` if
/// there are none.
pub(crate) fn not_yet_used(
    config: &MessageStoreConfig,
    settings: &MqstoreSettings,
) -> Option<String> {
    let mut names = config.set_in_vain(&MessageStoreConfig::default());
    names.extend(settings.set_in_vain(&MqstoreSettings::default()));
    let verb = if names.len() == 1 { "does" } else { "do" };
    (!names.is_empty()).then(|| format!("{} {verb} nothing yet", names.join(", ")))
}

/// An hour of the day.
pub(super) fn hour(text: &str) -> Option<u8> {
    text.trim().parse().ok().filter(|hour| *hour < 24)
}

/// The parts between splitters, each once; empty ones at the end do not count, as in Java.
fn split(paths: &str, splitter: &str) -> Vec<String> {
    let paths = paths.trim();
    let mut parts: Vec<String> = Vec::new();
    if splitter.is_empty() {
        parts.push(paths.to_owned());
    }
    for part in paths.split(splitter).filter(|_| !splitter.is_empty()) {
        if !parts.iter().any(|known| known == part) {
            parts.push(part.to_owned());
        }
    }
    while parts.last().is_some_and(String::is_empty) {
        parts.pop();
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use mqstore_core::status::FlushDiskType;

    #[test]
    fn the_size_of_a_queue_file_is_rounded_up_to_a_multiple_of_20() {
        let mut config = MessageStoreConfig::default();
        for (set, is) in [
            (6_000_000, 6_000_000),
            (1, 20),
            (20, 20),
            (21, 40),
            (2000, 2000),
            (2_147_483_640, 2_147_483_640),
            (i32::MAX, 2_147_483_640),
            (0, 20),
            (-5, 20),
            (i32::MIN, 20),
        ] {
            config.mapped_file_size_consume_queue = set;
            assert_eq!(config.consume_queue_file_size(), is, "{set}");
        }
    }

    #[test]
    fn the_disk_ratio_is_clamped_to_10_to_95() {
        let mut config = MessageStoreConfig::default();
        for (set, is) in [(75, 75), (9, 10), (96, 95), (i32::MIN, 10), (i32::MAX, 95)] {
            config.disk_max_used_space_ratio = set;
            assert_eq!(config.disk_max_used_space_percent(), is);
        }
    }

    #[test]
    fn the_pool_works_with_either_flush_and_not_on_a_slave() {
        let mut config = MessageStoreConfig::default();
        assert!(!config.transient_store_pool());
        config.transient_store_pool_enable = true;
        assert!(config.transient_store_pool());
        config.flush_disk_type = FlushDiskType::SyncFlush;
        assert!(config.transient_store_pool());
        config.broker_role = BrokerRole::Slave;
        assert!(!config.transient_store_pool());
    }

    #[test]
    fn the_commit_log_follows_the_root_until_it_is_set() {
        let mut config = MessageStoreConfig::default();
        config.set_root("/a");
        assert_eq!(config.store_path_commit_log, "/a/commitlog");
        config.set("storePathRootDir", "/b/").unwrap();
        assert_eq!(config.store_path_commit_log, "/b/commitlog");
        config.set("storePathCommitLog", "/fast").unwrap();
        config.set("storePathRootDir", "/c").unwrap();
        assert_eq!(config.store_path_commit_log, "/fast");
        config.derive_paths();
        assert_eq!(config.store_path_commit_log, "/c/commitlog");
    }

    #[test]
    fn several_folders_are_split_and_each_counts_once() {
        let several = "/a,/b,/a,,".to_owned();
        let mut config =
            MessageStoreConfig { store_path_commit_log: several, ..Default::default() };
        assert_eq!(config.commit_log_paths(","), ["/a", "/b"]);
        assert_eq!(config.commit_log_paths(":"), ["/a,/b,/a,,"]);
        assert_eq!(config.commit_log_paths(""), ["/a,/b,/a,,"]);
        assert!(config.read_only_commit_log_paths(",").is_empty());
        config.read_only_commit_log_store_paths = Some("/old".to_owned());
        assert_eq!(config.read_only_commit_log_paths(","), ["/old"]);
    }

    #[test]
    fn an_index_file_has_a_header_slots_and_entries() {
        assert_eq!(MessageStoreConfig::default().index_file_size(), 420_000_040);
    }

    #[test]
    fn settings_that_do_nothing_yet_are_named_once_they_are_changed() {
        let (mut config, mut settings) = <(MessageStoreConfig, MqstoreSettings)>::default();
        config.set_root("/a");
        config.flush_disk_type = FlushDiskType::SyncFlush;
        assert_eq!(not_yet_used(&config, &settings), None);
        config.file_reserved_time = 24;
        let one = "fileReservedTime does nothing yet";
        assert_eq!(not_yet_used(&config, &settings).as_deref(), Some(one));
        config.delete_when = "05".to_owned();
        settings.disk_space_warning_percent = 80;
        let three = "deleteWhen, fileReservedTime, mqstore.diskSpaceWarningPercent do nothing yet";
        assert_eq!(not_yet_used(&config, &settings).as_deref(), Some(three));
    }

    #[test]
    fn the_hours_of_deletion_are_read() {
        let mut config = MessageStoreConfig::default();
        assert_eq!(config.delete_hours(), [4]);
        config.delete_when = "04;23;".to_owned();
        assert_eq!(config.delete_hours(), [4, 23]);
    }
}
