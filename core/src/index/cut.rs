//! Taking entries off the end of an index file whose tail is not to be trusted, or lies behind
//! the end of the log.
//!
//! Entries never change once they are written, so a file that was synced when it had `n` of them
//! has them after any crash. Its slots may point further: each is set back to the newest entry
//! below `n` of its own, for which all slots and those entries are read once, after a crash only.

use core::ops::Deref;

use super::entry::IndexEntry;
use super::file::IndexFile;
use super::header::IndexHeader;
use super::writer::IndexWriter;
use crate::segment::Cells;

/// Makes the file what it was when its header was `keep`, and durable.
///
/// It may be interrupted and done again: what a slot holds in between is never wrong for the
/// next try. Entries behind are zeroed as far as they follow each other without a gap; what a
/// power cut left behind a gap is overwritten by and by, and no chain leads there.
///
/// # Errors
/// What the medium says; do it again then before the file is used.
pub fn cut_to<C, F>(writer: &mut IndexWriter<C, F>, keep: &IndexHeader) -> Result<(), C::Error>
where
    C: Cells,
    F: Deref<Target = IndexFile<C>>,
{
    let file: &IndexFile<C> = writer.file();
    let geometry = file.geometry();
    let count = keep.next_number().min(geometry.entries());
    for number in 1..count {
        relink(file, number, count)?;
    }
    let slot_count = clear_slots(file, count)?;
    clear_entries(file, count)?;
    file.set_header(IndexHeader { slot_count, ..*keep })?;
    file.sync()
}

/// Lets the slot of an entry point at it, unless it points at a newer one that stays.
fn relink<C: Cells>(file: &IndexFile<C>, number: u32, count: u32) -> Result<(), C::Error> {
    let Some(slot) = file.entry(number)?.slot(file.geometry().slots()) else { return Ok(()) };
    let (number, count) = (number.cast_signed(), count.cast_signed());
    // Going from old to new, each slot ends at its newest entry, whatever it held.
    if (number..count).contains(&file.slot(slot)?) { Ok(()) } else { file.link(slot, number) }
}

/// Empties the slots of which no entry stays; answers how many are not empty.
fn clear_slots<C: Cells>(file: &IndexFile<C>, count: u32) -> Result<i32, C::Error> {
    let mut used = 0;
    for slot in 0..file.geometry().slots() {
        match file.slot(slot)? {
            0 => {}
            n if (1..count.cast_signed()).contains(&n) => used += 1,
            _ => file.link(slot, 0)?,
        }
    }
    Ok(used)
}

/// Zeroes the entries from `count` on up to the first that is zero, from back to front: when it
/// is interrupted, there is no gap before those that are left.
fn clear_entries<C: Cells>(file: &IndexFile<C>, count: u32) -> Result<(), C::Error> {
    let mut end = count;
    while end < file.geometry().entries() && file.entry(end)? != IndexEntry::default() {
        end += 1;
    }
    (count..end).rev().try_for_each(|number| file.set_entry(number, &IndexEntry::default()))
}

/// The header that a file has without the entries of messages at or behind `limit` (bytes in the
/// log), for [`cut_to`]; `None` if no entry is left, and the file is to be removed.
///
/// `time_of` reads the store time of the record at a place. Where it cannot, the end of the file
/// is known to the second, and rounded up.
///
/// # Errors
/// What the medium says.
pub fn header_below<C: Cells>(
    file: &IndexFile<C>,
    limit: u64,
    mut time_of: impl FnMut(u64) -> Option<i64>,
) -> Result<Option<IndexHeader>, C::Error> {
    let header = file.header();
    let mut last = None;
    for number in 1..header.next_number().min(file.geometry().entries()) {
        let entry = file.entry(number)?;
        match u64::try_from(entry.physical_offset) {
            Ok(offset) if offset < limit => last = Some((number, offset, entry.seconds)),
            _ => break,
        }
    }
    Ok(last.map(|(number, offset, seconds)| {
        let rounded = header.begin_timestamp.saturating_add(i64::from(seconds) * 1000 + 999);
        IndexHeader {
            end_timestamp: time_of(offset).unwrap_or(rounded),
            end_offset: offset.cast_signed(),
            index_count: number.cast_signed().saturating_add(1),
            ..header
        }
    }))
}
