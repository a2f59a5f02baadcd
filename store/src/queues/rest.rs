//! What is kept of a queue that holds no files.

use mqstore_core::queue::Cell;

/// What is kept of a queue that rests. All of it is durable.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Rest {
    /// The first entry that is given out.
    pub(super) min: u64,
    /// Where the next entry goes, bytes; 0 without files.
    pub(super) end: u64,
    /// End of the last record that has an entry, bytes in the log.
    pub(super) max_physical: Option<i64>,
    /// Where each file begins, in ascending order; `end` lies in the last one, or at its end.
    pub(super) bases: Box<[u64]>,
    /// Its extension, if it has one with files.
    pub(super) ext: Option<Box<ExtRest>>,
}

/// What is kept of an extension.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ExtRest {
    /// Where the next unit goes, bytes.
    pub(super) end: u64,
    /// Where each file begins.
    pub(super) bases: Box<[u64]>,
}

impl Rest {
    /// The number behind the last entry.
    pub(super) fn max(&self) -> u64 {
        self.end / u64::from(Cell::LEN)
    }
}

/// Where `end` lies in the file that begins at `base`.
pub(super) fn within(base: u64, end: u64) -> u32 {
    u32::try_from(end.saturating_sub(base)).unwrap_or(u32::MAX)
}
