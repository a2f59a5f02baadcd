//! A commit log file: records, the blank, and what lies behind.

use std::io;

use mqstore_core::record::layout::{BLANK_MAGIC_CODE, MESSAGE_MAGIC_CODE};

use super::item::{Item, TailOf};
use super::source::Source;
use super::{DumpOptions, Sink, folder, message};

/// How many records may still be shown.
pub(super) struct Budget(pub(super) Option<u64>);

impl Budget {
    fn spend(&mut self) {
        if let Some(left) = &mut self.0 {
            *left = left.saturating_sub(1);
        }
    }

    /// Whether nothing may be shown any more.
    pub(super) fn is_spent(&self) -> bool {
        self.0 == Some(0)
    }
}

/// Where a log file stands.
pub(super) struct LogPlace<'a> {
    pub(super) name: &'a str,
    /// Its path, as problems name it.
    pub(super) file: &'a str,
    /// Place of its first byte in the log.
    pub(super) base: u64,
    /// Whether later files hold something.
    pub(super) more: bool,
}

/// A commit log file.
pub(super) fn file(
    options: &DumpOptions,
    place: &LogPlace<'_>,
    source: &mut Source,
    budget: &mut Budget,
    sink: &mut Sink<'_>,
) -> io::Result<()> {
    let base = place.base;
    let from = options.from.unwrap_or(0);
    let (mut pos, mut ended) = (0, false);
    loop {
        let head = source.bytes::<8>(pos)?.and_then(|b| mqstore_core::record::parse::peek(&b));
        let Some((size, magic)) = head else { break };
        let off = base + pos;
        if magic == BLANK_MAGIC_CODE {
            let left = source.len() - pos;
            if off >= from {
                let to_file_end = i64::from(size) == left.cast_signed();
                sink(&Item::Blank { off, size, to_file_end })?;
            }
            (pos, ended) = (pos + 8, true);
            break;
        }
        let Some(len) = u32::try_from(size).ok().filter(|len| *len > 0) else { break };
        if magic != MESSAGE_MAGIC_CODE || u64::from(len) > source.len() - pos {
            break;
        }
        if off >= from {
            sink(&message::read(source, pos, off, len, options.record_sha)?)?;
            budget.spend();
            if budget.is_spent() {
                return Ok(());
            }
        }
        pos += u64::from(len);
    }
    if base + pos < from {
        return beyond_damage(options, place, source, pos, budget, sink);
    }
    if pos < source.len() {
        if !ended {
            no_record(place, source, pos, sink)?;
        }
        folder::tail(options, TailOf::CommitLog, place.name, source, pos, base, sink)?;
    }
    Ok(())
}

/// Says what is wrong with bytes that are neither record nor blank: nothing, if all that
/// follows is empty.
fn no_record(
    place: &LogPlace<'_>,
    source: &mut Source,
    pos: u64,
    sink: &mut Sink<'_>,
) -> io::Result<()> {
    let what = match source.first_non_zero(pos)? {
        Some(at) if at < pos + 8 => "no record, and not empty".to_owned(),
        Some(at) => format!("no record, and {} is not empty", place.base + at),
        None if place.more => "no record, and later files hold something".to_owned(),
        None => return Ok(()),
    };
    sink(&Item::Problem { file: place.file.to_owned(), at: place.base + pos, what })
}

/// The records end before the place that was asked for: looks there all the same.
fn beyond_damage(
    options: &DumpOptions,
    place: &LogPlace<'_>,
    source: &mut Source,
    pos: u64,
    budget: &mut Budget,
    sink: &mut Sink<'_>,
) -> io::Result<()> {
    let (from, base) = (options.from.unwrap_or(0), place.base);
    let what = format!("the records end here; what lies at {from} is shown without those between");
    sink(&Item::Problem { file: place.file.to_owned(), at: base + pos, what })?;
    let start = from - base;
    let Some(head) = source.bytes::<8>(start)? else { return Ok(()) };
    let is_record = |(size, magic): (i32, u32)| {
        let len = u64::try_from(size).unwrap_or(u64::MAX);
        (magic == MESSAGE_MAGIC_CODE && size > 0 && len <= source.len() - start)
            .then_some(size.cast_unsigned())
    };
    match mqstore_core::record::parse::peek(&head).and_then(is_record) {
        Some(len) => {
            sink(&message::read(source, start, from, len, options.record_sha)?)?;
            budget.spend();
        }
        None => folder::tail(options, TailOf::CommitLog, place.name, source, start, base, sink)?,
    }
    Ok(())
}
