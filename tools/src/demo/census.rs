//! Counts what lies in a log, reading nothing but its files.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use mqstore_core::delay::SCHEDULE_TOPIC;
use mqstore_core::record::parse::{Parsed, RecordView};
use mqstore_core::record::sysflag::{
    TRANSACTION_COMMIT_TYPE, TRANSACTION_PREPARED_TYPE, TRANSACTION_ROLLBACK_TYPE,
};

use crate::cli::CliError;

/// So many records are shown as text, and then the first one of each kind.
const SHOWN: usize = 3;

/// Records and their bytes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sum {
    pub(super) records: u64,
    pub(super) bytes: u64,
}

/// What lies in a log.
#[derive(Debug, Default)]
pub(super) struct Census {
    /// Records of each kind.
    pub(super) kinds: BTreeMap<&'static str, Sum>,
    /// Records of each topic, as stored.
    pub(super) topics: BTreeMap<String, Sum>,
    /// Fillers at the ends of files.
    pub(super) fillers: u64,
    pub(super) bad_checksums: u64,
    /// The first records, as text.
    pub(super) first: Vec<String>,
    /// Why reading ended too early, if it did.
    pub(super) damage: Option<String>,
}

impl Census {
    /// Reads all log files below a store's folder.
    ///
    /// # Errors
    /// [`CliError::Failed`] if a file cannot be read at all.
    pub(super) fn of(folder: &Path) -> Result<Self, CliError> {
        let mut census = Self::default();
        for path in log_files(folder)? {
            // a file is as long as the demo makes it: 256 MiB
            let bytes = fs::read(&path)
                .map_err(|e| CliError::Failed(format!("{}: {e}", path.display())))?;
            let name = path.file_name().map(|n| n.to_string_lossy()).unwrap_or_default();
            let base = name.parse().unwrap_or(0);
            if !census.read(base, &bytes) {
                break;
            }
        }
        Ok(census)
    }

    /// How many records there are.
    pub(super) fn records(&self) -> u64 {
        self.kinds.values().map(|s| s.records).sum()
    }

    /// Reads one file; false if the log ends in it.
    fn read(&mut self, base: u64, bytes: &[u8]) -> bool {
        let mut at = 0;
        while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
            if rest.iter().take(8).all(|b| *b == 0) {
                return false;
            }
            match RecordView::parse(rest) {
                Ok(Parsed::Blank { .. }) => {
                    self.fillers += 1;
                    return true;
                }
                Ok(Parsed::Record(record)) => {
                    self.count(&record);
                    at += record.bytes().len();
                }
                Err(e) => {
                    self.damage = Some(format!("at {}: {e}", base + at as u64));
                    return false;
                }
            }
        }
        true
    }

    fn count(&mut self, record: &RecordView<'_>) {
        let len = u64::from(record.total_size());
        let topic = String::from_utf8_lossy(record.topic_bytes());
        let kind = match record.tran_type() {
            TRANSACTION_PREPARED_TYPE => "prepared",
            TRANSACTION_COMMIT_TYPE => "committed",
            TRANSACTION_ROLLBACK_TYPE => "rolled back",
            _ if topic == SCHEDULE_TOPIC => "delayed",
            _ => "plain",
        };
        let new = !self.kinds.contains_key(kind);
        let sum = self.kinds.entry(kind).or_default();
        *sum = Sum { records: sum.records + 1, bytes: sum.bytes + len };
        // a topic is asked for by reference first: a million names need not be made
        if let Some(sum) = self.topics.get_mut(topic.as_ref()) {
            *sum = Sum { records: sum.records + 1, bytes: sum.bytes + len };
        } else {
            self.topics.insert(topic.clone().into_owned(), Sum { records: 1, bytes: len });
        }
        self.bad_checksums += u64::from(!record.body_crc_ok());
        if new || self.first.len() < SHOWN {
            self.first.push(one_line(record, kind, &topic));
        }
    }
}

fn one_line(record: &RecordView<'_>, kind: &str, topic: &str) -> String {
    let (offset, queue) = (record.physical_offset(), record.queue_id());
    let (at, body) = (record.queue_offset(), record.body().len());
    let properties = String::from_utf8_lossy(record.properties_bytes());
    let properties = properties.replace('\u{1}', "=").replace('\u{2}', " ");
    format!("{offset:>8} {kind:<11} {topic}/{queue} #{at} body {body} B {properties}")
        .trim_end()
        .to_owned()
}

fn log_files(folder: &Path) -> Result<Vec<PathBuf>, CliError> {
    let folder = folder.join("commitlog");
    let failed = |e| CliError::Failed(format!("{}: {e}", folder.display()));
    let entries = fs::read_dir(&folder).map_err(failed)?;
    let mut files: Vec<PathBuf> = entries.flatten().map(|e| e.path()).collect();
    files.retain(|p| p.file_name().is_some_and(|n| n.len() == 20));
    files.sort();
    Ok(files)
}
