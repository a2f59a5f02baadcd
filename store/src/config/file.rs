//! A broker's properties file: which of its keys are the store's, and which are not.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use super::error::{ConfigError, shown};
use super::mqstore::MqstoreSettings;
use super::nearest::nearest;
use super::properties::{Entry, parse_properties};
use super::rocketmq::MessageStoreConfig;
use super::table::Settings as _;

/// A key of a properties file that is not the store's: the broker's, or a typing mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ignored {
    /// The key.
    pub name: String,
    /// Its value.
    pub value: String,
    /// The line it stands in, from 1.
    pub line: usize,
    /// A setting of the store that differs from the key in a letter or two.
    pub nearest: Option<&'static str>,
}

/// What a properties file says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Loaded {
    /// RocketMQ's settings.
    pub config: MessageStoreConfig,
    /// The `mqstore.*` settings.
    pub settings: MqstoreSettings,
    /// Every key that is neither.
    pub ignored: Vec<Ignored>,
}

/// Reads a properties text: a broker's file as it is, with `mqstore.*` keys or without. Of keys
/// that occur more than once the last one counts.
///
/// Other than Java's broker, which would write its log below the user's home then, the commit
/// log goes into `commitlog` below `storePathRootDir` if only that is set.
///
/// # Errors
/// [`ConfigError`] for the first value that is not allowed, or an unknown `mqstore.*` key.
/// Whether the values go together is found out by [`MessageStoreConfig::validate`].
pub fn load_properties(text: &str) -> Result<Loaded, ConfigError> {
    let mut loaded = Loaded::default();
    let entries = last_of_each(parse_properties(text)?);
    let is_root = |entry: &&Entry| entry.key == "storePathRootDir";
    // first, because the log's folder depends on it
    for entry in entries.iter().filter(is_root) {
        loaded.config.set(&entry.key, &entry.value)?;
    }
    for entry in entries.iter().filter(|e| !is_root(e)) {
        loaded.take(entry)?;
    }
    Ok(loaded)
}

/// Reads a properties file as [`load_properties`] does. One that is not UTF-8 is taken for
/// ISO-8859-1, as by Java.
///
/// # Errors
/// Also [`ConfigError::Unreadable`].
pub fn load_file(path: impl AsRef<Path>) -> Result<Loaded, ConfigError> {
    let path = path.as_ref();
    let bytes = fs::read(path)
        .map_err(|e| ConfigError::Unreadable { path: path.to_owned(), error: e.to_string() })?;
    load_properties(&decode(bytes))
}

fn decode(bytes: Vec<u8>) -> String {
    // the first 256 characters of Unicode are those of ISO-8859-1
    String::from_utf8(bytes).unwrap_or_else(|e| e.as_bytes().iter().map(|b| *b as char).collect())
}

/// The last entry of each key, in the order of the text.
fn last_of_each(mut entries: Vec<Entry>) -> Vec<Entry> {
    let mut seen = HashSet::new();
    entries.reverse();
    entries.retain(|entry| seen.insert(entry.key.clone()));
    entries.reverse();
    entries
}

impl Ignored {
    /// A sentence about a key that looks like a mistyped setting; `None` if it does not.
    #[must_use]
    pub fn warning(&self) -> Option<String> {
        let Self { name, line, nearest, .. } = self;
        let near = (*nearest)?;
        let name = shown(name);
        Some(format!("line {line}: '{name}' is no setting of the store; did you mean '{near}'?"))
    }
}

impl Loaded {
    fn take(&mut self, entry: &Entry) -> Result<(), ConfigError> {
        if entry.key.starts_with(MqstoreSettings::PREFIX) {
            return self.settings.set(&entry.key, &entry.value);
        }
        match self.config.set(&entry.key, &entry.value) {
            Err(ConfigError::UnknownName { .. }) => {
                self.ignored.push(Ignored {
                    name: entry.key.clone(),
                    value: entry.value.clone(),
                    line: entry.line,
                    nearest: nearest(&entry.key, MessageStoreConfig::names(), 2),
                });
                Ok(())
            }
            taken => taken,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::value::{Answers, Backend};
    use super::*;

    const BROKER: &str = "\
# a broker as it is
brokerClusterName = DefaultCluster
brokerName=broker-a
brokerId=0
deleteWhen=04
fileReservedTime=48
brokerRole=SYNC_MASTER
flushDiskType=ASYNC_FLUSH
storePathRootDir=/data/rmq
fileReservedTime=24
enableBatchPush=true
flushDiskTyp=SYNC_FLUSH
mqstore.answers=rocketmq-4.9.3
mqstore.backend=block:/dev/nvme0n1
";

    #[test]
    fn a_brokers_file_is_read_as_it_is() {
        let loaded = load_properties(BROKER).unwrap();
        let config = &loaded.config;
        assert_eq!(config.broker_role.java_name(), "SYNC_MASTER");
        assert_eq!(config.file_reserved_time, 24);
        assert_eq!(config.store_path_root_dir, "/data/rmq");
        assert_eq!(config.store_path_commit_log, "/data/rmq/commitlog");
        assert!(config.is_enable_batch_push);
        assert_eq!(loaded.settings.answers, Answers::Rocketmq493);
        assert_eq!(loaded.settings.backend, Backend::Block("/dev/nvme0n1".to_owned()));
        let names: Vec<_> = loaded.ignored.iter().map(|i| (&*i.name, i.line, i.nearest)).collect();
        assert_eq!(
            names,
            [
                ("brokerClusterName", 2, None),
                ("brokerName", 3, None),
                ("brokerId", 4, None),
                ("flushDiskTyp", 12, Some("flushDiskType")),
            ]
        );
    }

    #[test]
    fn a_commit_log_that_is_set_stays_where_it_is_whatever_comes_first() {
        for text in [
            "storePathRootDir=/a\nstorePathCommitLog=/b",
            "storePathCommitLog=/b\nstorePathRootDir=/a",
        ] {
            let config = load_properties(text).unwrap().config;
            assert_eq!(config.store_path_commit_log, "/b");
        }
        let home = MessageStoreConfig::default().store_path_commit_log;
        let text = format!("storePathCommitLog={home}\nstorePathRootDir=/a");
        let config = load_properties(&text).unwrap().config;
        assert_eq!(config.store_path_commit_log, home);
    }

    #[test]
    fn only_the_last_of_several_values_has_to_be_right() {
        let config = load_properties("slaveTimeout=x\nslaveTimeout=1").unwrap().config;
        assert_eq!(config.slave_timeout, 1);
    }

    #[test]
    fn a_wrong_value_and_an_unknown_key_of_ours_are_errors() {
        let said = |text| load_properties(text).unwrap_err().to_string();
        assert_eq!(
            said("a=1\nflushCommitLogTimed=yes"),
            "flushCommitLogTimed = 'yes': must be true or false"
        );
        assert_eq!(
            said("mqstore.answer=corrected"),
            "there is no setting 'mqstore.answer'; did you mean 'mqstore.answers'?"
        );
        assert_eq!(
            said("mqstore.backend=block:"),
            "mqstore.backend = 'block:': must be mmap, mem or block:PATH"
        );
        assert_eq!(said("\n\\u12=1"), "line 2: \\u must be followed by four hexadecimal digits");
    }

    #[test]
    fn a_file_that_is_not_utf_8_is_iso_8859_1() {
        assert_eq!(decode(b"gr\xfc\xdf".to_vec()), "gr\u{fc}\u{df}");
        assert_eq!(decode("gr\u{fc}\u{df}".as_bytes().to_vec()), "gr\u{fc}\u{df}");
    }

    #[test]
    fn a_file_is_read_or_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("broker.conf");
        fs::write(&path, "maxMessageSize=65536\nnamesrvAddr=a:1;b:2").unwrap();
        let Loaded { config, ignored, .. } = load_file(&path).unwrap();
        assert_eq!(config.max_message_size, 65_536);
        assert_eq!(ignored[0].value, "a:1;b:2");
        let gone = folder.path().join("gone.conf");
        let error = load_file(&gone).unwrap_err();
        assert!(error.to_string().contains("gone.conf: "), "{error}");
    }
}
