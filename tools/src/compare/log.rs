//! Comparing commit logs, byte by byte as far as bytes mean anything.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use mqstore_backends::BackendError;
use mqstore_core::record::layout::{BLANK_MAGIC_CODE, MESSAGE_MAGIC_CODE};
use mqstore_core::record::parse::peek;
use mqstore_core::segment::{Medium as _, Readable as _, SegmentBackend as _, Series};

use crate::replay::data::hex;
use crate::replay::trace::Trace;
use crate::replay::{Memory, Replayed};

/// Closes the store of a replay and reads the commit log that it leaves.
///
/// # Errors
/// What the store or its files say.
pub fn closed_log(replayed: Replayed, root: &Path, file_size: u32) -> Result<LogBytes, String> {
    if let Some(store) = &replayed.store {
        store.close().map_err(|e| e.to_string())?;
    }
    drop(replayed.store);
    match &replayed.memory {
        Some(memory) => LogBytes::of_memory(memory, file_size).map_err(|e| e.to_string()),
        None => LogBytes::read(root).map_err(|e| e.to_string()),
    }
}

/// The size of the log files of a trace.
#[must_use]
pub fn file_size_of(trace: &Trace) -> u32 {
    let size = trace.config().into_iter().rfind(|(name, _)| name == "mappedFileSizeCommitLog");
    size.and_then(|(_, size)| size.parse().ok()).unwrap_or(1 << 30)
}

/// The files of a commit log, each by the offset of its first byte.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LogBytes {
    /// Their bytes.
    pub files: BTreeMap<u64, Vec<u8>>,
}

/// A record or a blank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece<'a> {
    /// Where it begins.
    pub off: u64,
    /// Its size, as it says itself.
    pub size: u32,
    /// Its bytes; of a blank, only those that mean something.
    pub bytes: &'a [u8],
    /// Whether it is a blank.
    pub blank: bool,
}

impl LogBytes {
    /// Reads the commit log in a store's folder.
    ///
    /// # Errors
    /// Those of the folder, and a file whose name is no offset.
    pub fn read(root: &Path) -> io::Result<Self> {
        let mut files = BTreeMap::new();
        for entry in std::fs::read_dir(root.join("commitlog"))? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let base =
                name.parse().map_err(|_| io::Error::other(format!("{name} is no offset")))?;
            files.insert(base, std::fs::read(&path)?);
        }
        Ok(Self { files })
    }

    /// Reads the commit log in the memory of a store that is gone.
    ///
    /// # Errors
    /// Those of the memory.
    pub fn of_memory(memory: &Memory, file_size: u32) -> Result<Self, BackendError> {
        let series = memory.segments(Series::CommitLog, file_size)?;
        let mut bases = Vec::new();
        series.list(&mut |base| bases.push(base))?;
        let mut files = BTreeMap::new();
        for base in bases {
            let mut bytes = vec![0; file_size as usize];
            series.open(base)?.read(0, &mut bytes)?;
            files.insert(base, bytes);
        }
        Ok(Self { files })
    }

    /// The records and blanks from the beginning up to `end`, or to the first place where there
    /// is none.
    #[must_use]
    pub fn pieces(&self, end: u64) -> Vec<Piece<'_>> {
        let mut pieces = Vec::new();
        for (base, bytes) in &self.files {
            let mut pos = 0;
            while *base + (pos as u64) < end {
                let Some(piece) = piece(bytes, pos, *base) else { break };
                pieces.push(piece);
                pos += piece.size as usize;
            }
        }
        pieces
    }

    /// Compares with Java's log up to `end`. What lies in a blank behind its 8 bytes means
    /// nothing, and is passed over.
    ///
    /// # Errors
    /// Where the first difference is, with both records.
    pub fn compare(&self, java: &Self, end: u64) -> Result<(), String> {
        for (base, theirs) in java.files.iter().filter(|(base, _)| **base < end) {
            let Some(ours) = self.files.get(base) else {
                return Err(format!("file {base:020} is missing"));
            };
            if ours.len() != theirs.len() {
                let (ours, theirs) = (ours.len(), theirs.len());
                return Err(format!("file {base:020} has {ours} bytes, and in Java {theirs}"));
            }
            let upto = usize::try_from(end - base).unwrap_or(usize::MAX).min(theirs.len());
            compare_file(*base, ours, theirs, upto)?;
        }
        match self.files.keys().find(|base| **base < end && !java.files.contains_key(*base)) {
            Some(base) => Err(format!("file {base:020} is not there in Java")),
            None => Ok(()),
        }
    }
}

/// What begins at `pos` of the file at `base`.
fn piece(file: &[u8], pos: usize, base: u64) -> Option<Piece<'_>> {
    let rest = file.get(pos..)?;
    let (size, magic) = peek(rest)?;
    let size = u32::try_from(size).ok().filter(|size| *size > 0)?;
    let whole = rest.get(..size as usize)?;
    let off = base + pos as u64;
    match magic {
        MESSAGE_MAGIC_CODE => Some(Piece { off, size, bytes: whole, blank: false }),
        BLANK_MAGIC_CODE => Some(Piece { off, size, bytes: whole.get(..8)?, blank: true }),
        _ => None,
    }
}

/// Compares one file up to position `upto`, piece by piece as Java's file is made of them.
fn compare_file(base: u64, ours: &[u8], theirs: &[u8], upto: usize) -> Result<(), String> {
    let mut pos = 0;
    while pos < upto {
        // behind the last piece everything counts, up to `upto`
        let (len, counts) = match piece(theirs, pos, base) {
            Some(piece) => (piece.size as usize, piece.bytes.len()),
            None => (upto - pos, upto - pos),
        };
        let part = |bytes: &'_ [u8]| -> Vec<u8> {
            bytes.get(pos..(pos + counts).min(upto)).unwrap_or_default().to_vec()
        };
        let (a, b) = (part(ours), part(theirs));
        if a != b {
            let at = a.iter().zip(&b).position(|(x, y)| x != y).unwrap_or(0);
            return Err(format!(
                "log byte {} differs, in what begins at {}\n  java: {}\n  ours: {}",
                base + (pos + at) as u64,
                base + pos as u64,
                excerpt(&b, at),
                excerpt(&a, at),
            ));
        }
        pos += len;
    }
    Ok(())
}

/// The bytes around `at`.
fn excerpt(bytes: &[u8], at: usize) -> String {
    let from = at.saturating_sub(24);
    let to = (at + 40).min(bytes.len());
    format!("{} (from byte {from} of it)", hex(bytes.get(from..to).unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file of 64 bytes: a record of 40, a blank of 24 with something behind its 8 bytes.
    fn log(stale: u8, last: u8) -> LogBytes {
        let mut file = vec![0; 64];
        file[..4].copy_from_slice(&40_u32.to_be_bytes());
        file[4..8].copy_from_slice(&MESSAGE_MAGIC_CODE.to_be_bytes());
        file[39] = last;
        file[40..44].copy_from_slice(&24_u32.to_be_bytes());
        file[44..48].copy_from_slice(&BLANK_MAGIC_CODE.to_be_bytes());
        file[50] = stale;
        LogBytes { files: BTreeMap::from([(0, file)]) }
    }

    #[test]
    fn what_lies_in_a_blank_means_nothing() {
        assert_eq!(log(0, 1).compare(&log(9, 1), 64), Ok(()));
        assert_eq!(log(0, 1).pieces(64).iter().map(|p| p.size).collect::<Vec<_>>(), [40, 24]);
    }

    #[test]
    fn every_byte_of_a_record_counts_up_to_the_end() {
        assert!(log(0, 1).compare(&log(0, 2), 64).unwrap_err().contains("log byte 39"));
        assert_eq!(log(0, 1).compare(&log(0, 2), 39), Ok(()));
    }

    #[test]
    fn files_must_be_there_on_both_sides() {
        let none = LogBytes::default();
        assert!(none.compare(&log(0, 0), 64).unwrap_err().contains("missing"));
        assert!(log(0, 0).compare(&none, 64).unwrap_err().contains("not there in Java"));
        assert_eq!(log(0, 0).compare(&none, 0), Ok(()));
    }
}
