//! The log as it lies on the disk, read past the store.

use std::sync::Arc;

use mqstore_core::record::parse::{Parsed, RecordView};
use mqstore_sim::SimDisk;

/// Bytes of a log file.
pub(crate) const SIZE: u32 = 8192;
/// Where the log's files lie.
const FOLDER: &str = "commitlog/";

/// Base and bytes of each log file.
pub(crate) fn files(disk: &Arc<SimDisk>) -> Vec<(u64, Vec<u8>)> {
    let process = disk.process();
    let names = process.names(FOLDER).unwrap();
    let file = |name: &String| {
        let file = process.open(name).unwrap().unwrap();
        let mut bytes = vec![0; usize::try_from(process.len(&file).unwrap()).unwrap()];
        process.read(&file, name, 0, &mut bytes).unwrap();
        (name[FOLDER.len()..].parse().unwrap(), bytes)
    };
    names.iter().map(file).collect()
}

/// `[at, at + len)` of the log, which lie in one file; `None` if that is not there, or
/// everything has stopped.
pub(crate) fn bytes_at(disk: &Arc<SimDisk>, at: u64, len: u32) -> Option<Vec<u8>> {
    let process = disk.process();
    let base = at - at % u64::from(SIZE);
    let name = format!("{FOLDER}{base:020}");
    let file = process.open(&name).ok()??;
    let mut bytes = vec![0; len as usize];
    process.read(&file, &name, at - base, &mut bytes).ok()?;
    Some(bytes)
}

/// Calls `visit` with each record of the log in turn.
pub(crate) fn each(files: &[(u64, Vec<u8>)], mut visit: impl FnMut(u64, RecordView<'_>)) {
    for (base, bytes) in files {
        let mut at = 0;
        while bytes.get(at..at + 8).is_some_and(|head| head != [0; 8]) {
            match RecordView::parse(&bytes[at..]) {
                Ok(Parsed::Record(record)) => {
                    visit(base + at as u64, record);
                    at += record.total_size() as usize;
                }
                _ => break,
            }
        }
    }
}
