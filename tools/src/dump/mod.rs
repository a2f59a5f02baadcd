//! Looks into a store's folder: every record, blank, queue entry, index entry, and what is wrong.
//!
//! Nothing is changed and no lock is taken, so this works beside a running store, and on what a
//! crash or a failing disk has left. Files are read in small pieces; no length that stands in a
//! file decides how much memory is used or how long this runs.

pub mod cli;
mod commit_log;
mod ext;
mod folder;
mod index;
pub mod item;
mod java_text;
mod json;
mod message;
mod queue;
mod series;
mod source;
mod text;
mod time;

use std::io;
use std::path::PathBuf;

use item::Item;

pub use json::to_json;
pub use text::TextLines;

/// What to look at, and how closely.
#[derive(Clone, Debug)]
pub struct DumpOptions {
    /// The store's folder.
    pub root: PathBuf,
    /// The folders of its commit log; empty: `commitlog` in the store's folder.
    pub commit_log: Vec<PathBuf>,
    /// Length of its files (`mappedFileSizeCommitLog`); `None`: what most of them have.
    pub log_file_size: Option<u64>,
    /// Slots of an index file (`maxHashSlotNum`).
    pub index_slots: u32,
    /// Entries of an index file (`maxIndexNum`).
    pub index_entries: u32,
    /// Whether to name each file by its SHA-256.
    pub file_sha: bool,
    /// Whether to name records and what lies behind ends by their SHA-256.
    pub record_sha: bool,
    /// Only the commit log, from the first record at or behind this offset.
    pub from: Option<u64>,
    /// Only the commit log, and at most so many records of it.
    pub limit: Option<u64>,
}

impl DumpOptions {
    /// Everything in this folder, with RocketMQ's default settings.
    #[must_use]
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self {
            root: root.into(),
            commit_log: Vec::new(),
            log_file_size: None,
            index_slots: 5_000_000,
            index_entries: 20_000_000,
            file_sha: true,
            record_sha: true,
            from: None,
            limit: None,
        }
    }

    /// Takes over what a setting says about files; others count for nothing here.
    ///
    /// # Errors
    /// A sentence that names a setting whose value is no number.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        let number = || value.parse().map_err(|_| format!("{name} cannot be '{value}'"));
        match name {
            "maxHashSlotNum" => self.index_slots = number()?,
            "mappedFileSizeCommitLog" => {
                self.log_file_size = Some(u64::from(number()?)).filter(|n| *n > 0);
            }
            "maxIndexNum" => self.index_entries = number()?,
            "storePathCommitLog" => self.commit_log = value.split(',').map(PathBuf::from).collect(),
            _ => {}
        }
        Ok(())
    }

    /// Whether there is a store to be shown.
    ///
    /// # Errors
    /// A sentence: the folder cannot be read, or nothing in it is a store's.
    pub fn find_store(&self) -> Result<(), String> {
        let root = self.root.display();
        let entries = std::fs::read_dir(&self.root).map_err(|e| format!("{root}: {e}"))?;
        let (mut store, mut log) = (!self.commit_log.is_empty(), false);
        for entry in entries {
            let name = entry.map_err(|e| format!("{root}: {e}"))?.file_name();
            let name = name.to_string_lossy();
            store |= ["commitlog", "consumequeue", "checkpoint", "abort"].contains(&&*name);
            log |= name.len() == 20 && name.bytes().all(|b| b.is_ascii_digit());
        }
        match (store, log) {
            (true, _) => Ok(()),
            (_, true) => Err(format!(
                "no store in {root}: its files are named like those of a log; a store's folder is \
                 the one that holds 'commitlog'"
            )),
            _ => Err(format!("no store in {root}: no commitlog, consumequeue or checkpoint")),
        }
    }
}

/// Gets what is found, in the order of the files.
pub type Sink<'a> = dyn FnMut(&Item) -> io::Result<()> + 'a;

/// Shows everything in the folder to `sink`.
///
/// # Errors
/// Only those of `sink`: what cannot be read is an item, too.
pub fn dump(options: &DumpOptions, sink: &mut Sink<'_>) -> io::Result<()> {
    folder::all(options, sink)
}
