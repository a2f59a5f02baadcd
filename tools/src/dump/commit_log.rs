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

/// A commit log file whose first byte is byte `base` of the log.
pub(super) fn file(
    options: &DumpOptions,
    name: &str,
    source: &mut Source,
    base: u64,
    budget: &mut Budget,
    sink: &mut Sink<'_>,
) -> io::Result<()> {
    let from = options.from.unwrap_or(0);
    let mut pos = 0;
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
            pos += 8;
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
        return beyond_damage(options, name, source, base, pos, budget, sink);
    }
    if pos < source.len() {
        folder::tail(options, TailOf::CommitLog, name, source, pos, base, sink)?;
    }
    Ok(())
}

/// The records end before the place that was asked for: looks there all the same.
fn beyond_damage(
    options: &DumpOptions,
    name: &str,
    source: &mut Source,
    base: u64,
    pos: u64,
    budget: &mut Budget,
    sink: &mut Sink<'_>,
) -> io::Result<()> {
    let from = options.from.unwrap_or(0);
    let what = format!("the records end here; what lies at {from} is shown without those between");
    sink(&Item::Problem { file: format!("commitlog/{name}"), at: base + pos, what })?;
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
        None => folder::tail(options, TailOf::CommitLog, name, source, start, base, sink)?,
    }
    Ok(())
}
