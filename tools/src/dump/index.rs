//! An index file: header, slots, entries.

use std::io;

use super::item::{IndexEntry, IndexFields, IndexHeader, Item};
use super::source::Source;
use super::{DumpOptions, Sink};

/// Bytes of the header.
const HEADER_LEN: u64 = 40;
/// Bytes of an entry.
const ENTRY_LEN: u64 = 20;

/// An index file with this name.
pub(super) fn file(
    options: &DumpOptions,
    name: &str,
    source: &mut Source,
    sink: &mut Sink<'_>,
) -> io::Result<()> {
    let (slots, entries) = (u64::from(options.index_slots), u64::from(options.index_entries));
    let size_ok = source.len() == HEADER_LEN + slots * 4 + entries * ENTRY_LEN;
    let fields = fields(options, source)?;
    let count = fields.as_ref().map(|f| f.index_count.max(1));
    sink(&Item::Index(Box::new(IndexHeader { file: name.to_owned(), size_ok, fields })))?;
    let Some(count) = count else { return Ok(()) };

    let first = HEADER_LEN + 4 * slots;
    for i in 0..options.index_entries {
        let Some(entry) = source.bytes::<20>(first + u64::from(i) * ENTRY_LEN)? else { break };
        let beyond_count = i64::from(i) >= i64::from(count);
        if entry == [0; 20] && (i == 0 || beyond_count) {
            continue;
        }
        let at = first + u64::from(i) * ENTRY_LEN;
        let (Some(key_hash), Some(off), Some(time_diff), Some(prev)) =
            (source.int(at)?, source.long(at + 4)?, source.int(at + 12)?, source.int(at + 16)?)
        else {
            break;
        };
        sink(&Item::IndexEntry(IndexEntry { i, key_hash, off, time_diff, prev, beyond_count }))?;
    }
    Ok(())
}

fn fields(options: &DumpOptions, source: &mut Source) -> io::Result<Option<IndexFields>> {
    let Some(header) = source.bytes::<40>(0)? else { return Ok(None) };
    let long = |at: usize| {
        header.get(at..).and_then(|b| b.first_chunk()).map_or(0, |b| i64::from_be_bytes(*b))
    };
    let int = |at: usize| {
        header.get(at..).and_then(|b| b.first_chunk()).map_or(0, |b| i32::from_be_bytes(*b))
    };
    Ok(Some(IndexFields {
        begin_timestamp: long(0),
        end_timestamp: long(8),
        begin_phy_offset: long(16),
        end_phy_offset: long(24),
        hash_slot_count: int(32),
        index_count: int(36),
        slot_num: options.index_slots,
        index_num: options.index_entries,
        slots: used_slots(options, source)?,
    }))
}

/// Each slot that is not empty: as many as the file really holds, whatever its header says.
fn used_slots(options: &DumpOptions, source: &mut Source) -> io::Result<Vec<(u32, i32)>> {
    let mut used = Vec::new();
    for slot in 0..options.index_slots {
        match source.int(HEADER_LEN + 4 * u64::from(slot))? {
            Some(0) => {}
            Some(entry) => used.push((slot, entry)),
            None => break,
        }
    }
    Ok(used)
}
