//! Finding the messages with a key (`IndexService.queryOffset`, spec 02 section 9.5, spec 06
//! section 4.2, spec 08 section 2).
//!
//! An entry knows 31 bits of its key's hash and whole seconds of its store time. RocketMQ's
//! answers stop there ([`by_hash`]); corrected ones look at the record itself ([`by_key`]).

use core::ops::Deref;

use super::entry::KeyHash;
use super::file::{IndexFile, Link};
use super::header::IndexHeader;
use super::keys::Keys;
use crate::record::parse::RecordView;
use crate::segment::Cells;

/// From when to when, both inclusive, in milliseconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// The first millisecond.
    pub begin: i64,
    /// The last millisecond.
    pub end: i64,
}

impl Window {
    /// All times.
    pub const OPEN: Self = Self { begin: i64::MIN, end: i64::MAX };

    /// Whether it has this time.
    #[must_use]
    pub const fn has(&self, time: i64) -> bool {
        self.begin <= time && time <= self.end
    }

    /// Whether RocketMQ looks into a file with this header (`isTimeMatched`).
    #[must_use]
    pub const fn overlaps(&self, file: &IndexHeader) -> bool {
        let (begin, end) = (file.begin_timestamp, file.end_timestamp);
        (self.begin < begin && self.end > end)
            || (begin <= self.begin && self.begin <= end)
            || (begin <= self.end && self.end <= end)
    }

    /// Whether the store time of this entry can lie in the window.
    fn may_have(&self, header: &IndexHeader, link: &Link) -> bool {
        let (first, last) = store_times(header, link);
        first <= self.end && self.begin <= last
    }
}

/// What a query found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueryOutcome {
    /// How many places have been filled, from new to old.
    pub found: usize,
    /// Store time of the last message in the index, milliseconds since 1970; 0 without files.
    pub last_update_timestamp: i64,
    /// Its place in the log; 0 without files.
    pub last_update_offset: i64,
}

/// As RocketMQ 4.9.3: places whose entries have this hash and a time in the window, by whole
/// seconds; other keys and doubles may be among them. At most as many as `out` has room for;
/// files come from new to old.
///
/// The caller limits `out` to `maxMsgsNumBatch`, and sorts.
///
/// # Errors
/// What the medium says.
pub fn by_hash<C, F>(
    files: impl IntoIterator<Item = F>,
    key: KeyHash,
    window: Window,
    out: &mut [u64],
) -> Result<QueryOutcome, C::Error>
where
    C: Cells,
    F: Deref<Target = IndexFile<C>>,
{
    let mut outcome = QueryOutcome::default();
    for (i, file) in files.into_iter().enumerate() {
        let header = file.header();
        outcome.note_newest(i, &header);
        if window.overlaps(&header) {
            hash_chain(&file, key, window, out, &mut outcome.found)?;
        }
        if header.begin_timestamp < window.begin || outcome.found >= out.len() {
            break;
        }
    }
    Ok(outcome)
}

fn hash_chain<C: Cells>(
    file: &IndexFile<C>,
    key: KeyHash,
    window: Window,
    out: &mut [u64],
    found: &mut usize,
) -> Result<(), C::Error> {
    let chain = file.chain(key)?;
    let begin = chain.header().begin_timestamp;
    for link in chain {
        let entry = link?.entry;
        let Some(place) = out.get_mut(*found) else { return Ok(()) };
        if entry.seconds < 0 {
            return Ok(());
        }
        let time = begin.wrapping_add(i64::from(entry.seconds) * 1000);
        if entry.key_hash == key.get() && window.has(time) {
            *place = entry.physical_offset.cast_unsigned();
            *found += 1;
        }
        if time < window.begin {
            return Ok(());
        }
    }
    Ok(())
}

/// Corrected answers: places of messages that `is_it` says yes to, each once. Of the files, only
/// whether the key's hash is there counts: after a clock went back, a file's times and the order
/// of its entries say nothing about the next message (C-33).
///
/// `is_it` reads the record at a place and asks [`record_matches`]; it says no if there is none.
/// At most as many as `out` has room for; files come from new to old.
///
/// # Errors
/// What the medium says.
pub fn by_key<C, F>(
    files: impl IntoIterator<Item = F>,
    key: KeyHash,
    window: Window,
    out: &mut [u64],
    mut is_it: impl FnMut(u64) -> bool,
) -> Result<QueryOutcome, C::Error>
where
    C: Cells,
    F: Deref<Target = IndexFile<C>>,
{
    let mut outcome = QueryOutcome::default();
    for (i, file) in files.into_iter().enumerate() {
        outcome.note_newest(i, &file.header());
        if outcome.found >= out.len() {
            break;
        }
        key_chain(&file, key, window, out, &mut outcome.found, &mut is_it)?;
    }
    Ok(outcome)
}

fn key_chain<C: Cells>(
    file: &IndexFile<C>,
    key: KeyHash,
    window: Window,
    out: &mut [u64],
    found: &mut usize,
    is_it: &mut impl FnMut(u64) -> bool,
) -> Result<(), C::Error> {
    let chain = file.chain(key)?;
    let header = chain.header();
    // A message that repeats its key is not read again to be refused again.
    let mut refused = None;
    for link in chain {
        let link = link?;
        let Some((taken, free)) = out.split_at_mut_checked(*found) else { return Ok(()) };
        let Some(place) = free.first_mut() else { return Ok(()) };
        if link.entry.key_hash != key.get() || !window.may_have(&header, &link) {
            continue;
        }
        let Ok(offset) = u64::try_from(link.entry.physical_offset) else { continue };
        if refused == Some(offset) || taken.contains(&offset) {
            continue;
        }
        if is_it(offset) {
            *place = offset;
            *found += 1;
        } else {
            refused = Some(offset);
        }
    }
    Ok(())
}

/// Whether a record has this topic and key and was stored in the window, to the millisecond.
#[must_use]
pub fn record_matches(record: &RecordView<'_>, topic: &[u8], key: &[u8], window: Window) -> bool {
    window.has(record.store_timestamp())
        && record.topic_bytes() == topic
        && Keys::of(record.properties_bytes()).any(|k| k == key)
}

/// The earliest and the latest store time that an entry can stand for.
///
/// The first entry's is the file's begin; its own seconds may count from the file before
/// ([`super::inherited`]). Both ends of the seconds stand for anything beyond them.
fn store_times(header: &IndexHeader, link: &Link) -> (i64, i64) {
    let begin = header.begin_timestamp;
    match link.entry.seconds {
        _ if begin <= 0 => (i64::MIN, i64::MAX),
        _ if link.number == 1 => (begin, begin),
        i32::MIN..0 => (i64::MIN, i64::MAX),
        0 => (i64::MIN, begin.saturating_add(999)),
        i32::MAX => (begin.saturating_add(i64::from(i32::MAX) * 1000), i64::MAX),
        seconds => {
            let first = begin.saturating_add(i64::from(seconds) * 1000);
            (first, first.saturating_add(999))
        }
    }
}

impl QueryOutcome {
    fn note_newest(&mut self, file: usize, header: &IndexHeader) {
        if file == 0 {
            self.last_update_timestamp = header.end_timestamp;
            self.last_update_offset = header.end_offset;
        }
    }
}
