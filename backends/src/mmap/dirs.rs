//! Names: which series lies in which folders, and which file in them a segment is.

use std::ffi::OsStr;
use std::format;
use std::io;
use std::path::{Path, PathBuf};
use std::string::ToString;
use std::vec;
use std::vec::Vec;

use mqstore_core::segment::{CellsFile, ErrorKind, QueueSeries, Series, SmallFile};

use super::config::FolderConfig;
use super::sys;
use crate::BackendError;

/// A folder of the log that is fuller than this gets no new files
/// (`diskSpaceCleanForciblyRatio`).
const FULL_PERCENT: u64 = 85;

/// The folders of one series.
#[derive(Clone, Debug)]
pub(crate) struct Dirs {
    /// New files go there; never empty.
    writable: Vec<PathBuf>,
    /// Files are looked for there, too.
    read_only: Vec<PathBuf>,
}

impl Dirs {
    /// The folders of this series.
    pub(crate) fn of(config: &FolderConfig, series: Series<'_>) -> Result<Self, BackendError> {
        let (kind, topic, queue_id) = match series {
            Series::CommitLog => return Ok(Self::of_log(config)),
            Series::ConsumeQueue(topic, id) => (QueueSeries::ConsumeQueue, topic, id),
            Series::ConsumeQueueExt(topic, id) => (QueueSeries::ConsumeQueueExt, topic, id),
        };
        let bad = matches!(topic, "" | "." | "..") || topic.contains(['/', '\0']);
        if bad || topic.len() > 255 {
            return Err(BackendError::new(ErrorKind::BadName, "choosing a queue's folder"));
        }
        let dir = queue_root(config, kind).join(topic).join(queue_id.to_string());
        Ok(Self { writable: vec![dir], read_only: Vec::new() })
    }

    fn of_log(config: &FolderConfig) -> Self {
        let mut writable = config.commit_log_dirs.clone();
        if writable.is_empty() {
            writable.push(config.root.join("commitlog"));
        }
        writable.sort();
        writable.dedup();
        let mut read_only = config.read_only_commit_log_dirs.clone();
        read_only.retain(|dir| !writable.contains(dir));
        Self { writable, read_only }
    }

    /// All folders.
    pub(crate) fn all(&self) -> impl Iterator<Item = &PathBuf> {
        self.writable.iter().chain(&self.read_only)
    }

    /// Those that get new files.
    pub(crate) fn writable(&self) -> &[PathBuf] {
        &self.writable
    }

    /// The folder for the new file of this number: RocketMQ's `paths[number mod count]`, of
    /// those that are not nearly full, if there are such.
    pub(crate) fn for_new(&self, number: u64) -> Option<&PathBuf> {
        if let [only] = &self.writable[..] {
            return Some(only);
        }
        let roomy: Vec<_> = self.writable.iter().filter(|dir| !is_nearly_full(dir)).collect();
        let candidates = if roomy.is_empty() { self.writable.iter().collect() } else { roomy };
        let at = number.checked_rem(candidates.len() as u64)?;
        candidates.get(usize::try_from(at).ok()?).copied()
    }

    /// Where the file of this name lies.
    pub(crate) fn find(&self, name: &str) -> Option<PathBuf> {
        self.all().map(|dir| dir.join(name)).find(|path| path.symlink_metadata().is_ok())
    }
}

/// A folder whose usage is not known counts as not full.
fn is_nearly_full(dir: &Path) -> bool {
    sys::space(dir).is_ok_and(|s| {
        // RocketMQ rounds the percentage up
        (s.total - s.free).saturating_mul(100).div_ceil(s.total.max(1)) > FULL_PERCENT
    })
}

/// The folder that holds all queues of a kind.
pub(crate) fn queue_root(config: &FolderConfig, kind: QueueSeries) -> PathBuf {
    config.root.join(match kind {
        QueueSeries::ConsumeQueue => "consumequeue",
        QueueSeries::ConsumeQueueExt => "consumequeue_ext",
    })
}

/// The folder of the index files.
pub(crate) fn index_dir(config: &FolderConfig) -> PathBuf {
    config.root.join("index")
}

/// A file of cells.
pub(crate) fn cells_path(config: &FolderConfig, file: CellsFile) -> PathBuf {
    match file {
        CellsFile::Checkpoint => config.root.join("checkpoint"),
        CellsFile::Index(name) => index_dir(config).join(format!("{name:017}")),
    }
}

/// A small file.
pub(crate) fn small_path(config: &FolderConfig, file: SmallFile) -> PathBuf {
    match file {
        SmallFile::Abort => config.root.join("abort"),
        SmallFile::DelayOffset => config.root.join("config").join("delayOffset.json"),
        SmallFile::State => config.root.join("mqstore.state"),
        SmallFile::Cut(offset) => config.root.join(format!("mqstore.cut-{offset}")),
    }
}

/// A segment's file name: 20 digits.
pub(crate) fn segment_name(base: u64) -> std::string::String {
    format!("{base:020}")
}

/// The number of a name of exactly `digits` digits.
pub(crate) fn number_of(name: &OsStr, digits: usize) -> Option<u64> {
    let name = name.to_str().filter(|n| n.len() == digits)?;
    name.bytes().all(|b| b.is_ascii_digit()).then(|| name.parse().ok()).flatten()
}

/// Shows the name of everything in a folder; one that is not there is empty.
pub(crate) fn each_name(
    dir: &Path,
    visit: &mut dyn FnMut(&OsStr) -> Result<(), BackendError>,
) -> Result<(), BackendError> {
    let failed = |e: &io::Error| BackendError::io(e, "listing a folder", dir);
    let entries = match dir.read_dir() {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries.map_err(|e| failed(&e))?,
    };
    for entry in entries {
        visit(&entry.map_err(|e| failed(&e))?.file_name())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_segment_is_named_by_twenty_digits_and_nothing_else_is_a_segment() {
        assert_eq!(segment_name(1_073_741_824), "00000000001073741824");
        assert_eq!(number_of(OsStr::new("00000000001073741824"), 20), Some(1_073_741_824));
        for name in ["0000000000000000000", "+0000000000000000000", "0000000000000000000a"] {
            assert_eq!(number_of(OsStr::new(name), 20), None, "{name}");
        }
        assert_eq!(number_of(OsStr::new("99999999999999999999"), 20), None);
    }

    #[test]
    fn files_go_to_the_folders_in_turn_in_the_order_of_their_names() {
        let mut config = FolderConfig::new("/none");
        config.commit_log_dirs = vec!["/none/b".into(), "/none/a".into(), "/none/c".into()];
        config.read_only_commit_log_dirs = vec!["/none/r".into(), "/none/a".into()];
        let dirs = Dirs::of(&config, Series::CommitLog).unwrap();
        let at = |n| dirs.for_new(n).unwrap().to_str().unwrap().to_string();
        assert_eq!([at(0), at(1), at(2), at(3)], ["/none/a", "/none/b", "/none/c", "/none/a"]);
        assert_eq!(dirs.all().count(), 4);
    }

    #[test]
    fn a_topic_that_cannot_be_a_folder_is_a_bad_name() {
        let config = FolderConfig::new("/none");
        let long = "x".repeat(256);
        for topic in ["", ".", "..", "a/b", "a\0b", &long] {
            let dirs = Dirs::of(&config, Series::ConsumeQueue(topic, 0));
            assert_eq!(dirs.err(), Some(BackendError::new(ErrorKind::BadName, WHAT)), "{topic}");
        }
    }

    const WHAT: &str = "choosing a queue's folder";
}
