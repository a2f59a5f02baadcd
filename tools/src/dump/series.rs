//! The files of the commit log as a series: how long each should be, and which are missing.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::source::Source;

/// What is known of a file before its records are read.
struct LogFile {
    len: u64,
    /// Whether anything stands at its start. A store makes its next file ahead, all zeros.
    begun: bool,
}

/// The files of the log by their first byte's place in it.
pub(super) struct LogSeries {
    files: BTreeMap<u64, LogFile>,
    /// How long each of them should be, if that is known.
    size: Option<u64>,
}

/// The place in its series of a file's first byte, which is its name.
pub(super) fn base_of(path: &Path) -> Option<u64> {
    let name = path.file_name()?.to_str()?;
    name.parse::<i64>().ok().and_then(|n| u64::try_from(n).ok())
}

impl LogSeries {
    /// Looks at the lengths and first bytes of these files. `size` is their length by the
    /// settings; without it, the files themselves have to tell.
    pub(super) fn of(paths: &[PathBuf], size: Option<u64>) -> Self {
        let mut files = BTreeMap::new();
        for path in paths {
            // what cannot be read is said where it is shown
            let (Some(base), Ok(mut source)) = (base_of(path), Source::open(path)) else {
                continue;
            };
            let begun = !matches!(source.bytes::<8>(0), Ok(None | Some([0, 0, 0, 0, 0, 0, 0, 0])));
            files.insert(base, LogFile { len: source.len(), begun });
        }
        let size = size.or_else(|| usual_size(&files));
        Self { files, size }
    }

    /// Whether the log goes on behind the file at `base`.
    pub(super) fn more(&self, base: u64) -> bool {
        self.behind(base).any(|(_, file)| file.begun)
    }

    fn behind(&self, base: u64) -> impl Iterator<Item = (&u64, &LogFile)> {
        self.files.range(base..).filter(move |(b, _)| **b > base)
    }

    /// Sentences about the length and the place of the file at `base`.
    pub(super) fn wrong_with(&self, base: u64, len: u64) -> Vec<String> {
        let mut wrong = Vec::new();
        let Some(size) = self.size else { return wrong };
        if let Some((before, _)) = self.files.range(..base).next_back() {
            let due = before.saturating_add(size);
            if due < base {
                wrong.push(format!("files are missing before it: those for {due} to {base}"));
            }
        }
        if !base.is_multiple_of(size) {
            wrong.push(format!("its name is no multiple of the length of log files, {size}"));
        }
        if len != size {
            wrong.push(format!(
                "its length is {len}, and that of log files {size} (mappedFileSizeCommitLog)"
            ));
        }
        wrong
    }
}

/// The length that most files have; of several, the one that the names are apart, or the
/// longest. One file alone does not tell whether its length is right.
fn usual_size(files: &BTreeMap<u64, LogFile>) -> Option<u64> {
    if files.len() < 2 {
        return None;
    }
    let mut lengths = BTreeMap::<u64, usize>::new();
    for file in files.values().filter(|f| f.len > 0) {
        *lengths.entry(file.len).or_default() += 1;
    }
    let bases: Vec<u64> = files.keys().copied().collect();
    let apart = bases.windows(2).filter_map(|w| w.last()?.checked_sub(*w.first()?)).min();
    lengths.iter().max_by_key(|(len, n)| (**n, apart == Some(**len), **len)).map(|(len, _)| *len)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usual(files: &[(u64, u64)]) -> Option<u64> {
        let file = |len| LogFile { len, begun: true };
        usual_size(&files.iter().map(|(base, len)| (*base, file(*len))).collect())
    }

    #[test]
    fn the_usual_size_is_that_of_most_files_or_the_one_the_names_are_apart() {
        assert_eq!(usual(&[(0, 100)]), None);
        assert_eq!(usual(&[(0, 100), (100, 7), (200, 100)]), Some(100));
        assert_eq!(usual(&[(0, 7), (100, 100)]), Some(100));
        assert_eq!(usual(&[(0, 100), (100, 300)]), Some(100));
        assert_eq!(usual(&[(0, 100), (300, 100)]), Some(100));
        assert_eq!(usual(&[(0, 0), (100, 0)]), None);
    }
}
