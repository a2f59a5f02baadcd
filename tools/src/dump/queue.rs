//! A consume queue file: entries of 20 bytes.

use std::io;

use super::item::{Item, QueueEntry, TailOf};
use super::source::Source;
use super::{DumpOptions, Sink, folder};

/// Bytes of an entry.
const ENTRY_LEN: u64 = 20;

/// Where a queue file stands.
pub(super) struct Place<'a> {
    pub(super) topic: &'a str,
    pub(super) queue_id: i32,
    /// Topic, queue and name of the file.
    pub(super) file: &'a str,
    /// Position of its first byte in its series.
    pub(super) base: u64,
}

/// A file of a consume queue.
pub(super) fn file(
    options: &DumpOptions,
    place: &Place<'_>,
    source: &mut Source,
    sink: &mut Sink<'_>,
) -> io::Result<()> {
    let mut pos = 0;
    while let Some(entry) = source.bytes::<20>(pos)? {
        let [off @ .., _, _, _, _, _, _, _, _, _, _, _, _] = entry;
        let [_, _, _, _, _, _, _, _, size @ .., _, _, _, _, _, _, _, _] = entry;
        let [_, _, _, _, _, _, _, _, _, _, _, _, tags @ ..] = entry;
        let (off, size) = (i64::from_be_bytes(off), i32::from_be_bytes(size));
        if off < 0 || size <= 0 {
            break;
        }
        sink(&Item::QueueEntry(QueueEntry {
            topic: place.topic.to_owned(),
            queue_id: place.queue_id,
            i: (place.base + pos) / ENTRY_LEN,
            off,
            size,
            tags: i64::from_be_bytes(tags),
        }))?;
        pos += ENTRY_LEN;
    }
    if pos < source.len() {
        folder::tail(options, TailOf::Queue, place.file, source, pos, place.base, sink)?;
    }
    Ok(())
}
