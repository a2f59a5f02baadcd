//! What was found as lines for people: one for each record, one for each queue.

use std::io::{self, Write};

use mqstore_core::record::sysflag;

use super::item::{Checkpoint, IndexHeader, Item, Message, QueueEntry, Tail, TailOf};
use super::java_text::address;
use super::time::utc;

/// Longest piece of a property or text that is shown.
const SHOWN: usize = 60;

/// Writes lines for people; remembers what it has to sum up.
pub struct TextLines<W> {
    out: W,
    /// Whether queue and index entries have lines of their own.
    entries: bool,
    queue: Option<QueueSum>,
    /// Entries of the index file under way.
    indexed: u64,
    /// What was wrong.
    problems: u64,
}

/// The entries of one queue file.
struct QueueSum {
    first: QueueEntry,
    last: QueueEntry,
    count: u64,
}

impl<W: Write> TextLines<W> {
    /// Lines to `out`; with `entries`, also one for each queue and index entry.
    pub fn new(out: W, entries: bool) -> Self {
        Self { out, entries, queue: None, indexed: 0, problems: 0 }
    }

    /// Writes the line or lines of an item.
    ///
    /// # Errors
    /// Those of the output.
    pub fn item(&mut self, item: &Item) -> io::Result<()> {
        if !matches!(item, Item::QueueEntry(_) | Item::IndexEntry(_)) {
            self.sums()?;
        }
        match item {
            Item::Store { abort, lock } => self.store(*abort, lock.as_deref()),
            Item::Checkpoint(found) => self.checkpoint(found),
            Item::File { path, size, .. } => writeln!(self.out, "\n{path}  {size} bytes"),
            Item::Message(m) => self.message(m),
            Item::Undecoded { off, size, why, .. } => {
                self.wrong(&format!("{off:>12} {size:>7}  cannot be decoded: {why}"))
            }
            Item::Blank { off, size, to_file_end: true } => {
                writeln!(self.out, "{off:>12} {size:>7}  blank to the file's end")
            }
            Item::Blank { off, size, .. } => self.wrong(&format!(
                "{off:>12} {size:>7}  blank whose size is not the rest of the file"
            )),
            Item::Tail(found) => self.tail(found),
            Item::QueueEntry(entry) => self.queue_entry(entry),
            Item::ExtUnit(u) => writeln!(
                self.out,
                "{:>12} {:>7}  tags code {}  stored {}  {} bytes of bit map",
                u.addr,
                u.size,
                u.tags,
                utc(u.store_time),
                u.bit_map_size
            ),
            Item::ExtEnd { addr } => writeln!(self.out, "{addr:>12}          end of the file"),
            Item::Index(header) => self.index(header),
            Item::IndexEntry(e) => {
                self.indexed += 1;
                if !self.entries {
                    return Ok(());
                }
                writeln!(
                    self.out,
                    "{:>12}  hash {:>10}  log {}  +{} s  before it {}{}",
                    e.i,
                    e.key_hash,
                    e.off,
                    e.time_diff,
                    e.prev,
                    if e.beyond_count { "  (not counted by the header)" } else { "" }
                )
            }
            Item::Config { file, text } => {
                writeln!(self.out, "\nconfig/{file}  {}", shown(text))
            }
            Item::Unreadable { file, why } => self.wrong(&format!("{file} cannot be read: {why}")),
            Item::Problem { file, at, what } => self.wrong(&format!("{file} at {at}: {what}")),
        }
    }

    /// Writes what is left to be said; answers how many things were wrong.
    ///
    /// # Errors
    /// Those of the output.
    pub fn finish(mut self) -> io::Result<u64> {
        self.sums()?;
        self.out.flush()?;
        Ok(self.problems)
    }

    fn wrong(&mut self, what: &str) -> io::Result<()> {
        self.problems += 1;
        writeln!(self.out, "! {what}")
    }

    fn store(&mut self, abort: bool, lock: Option<&str>) -> io::Result<()> {
        let abort =
            if abort { "is there: the store is open, or was not closed" } else { "is not there" };
        writeln!(self.out, "abort file   {abort}")?;
        match lock {
            Some(text) => writeln!(self.out, "lock file    \"{}\"", shown(text)),
            None => writeln!(self.out, "lock file    is not there"),
        }
    }

    fn checkpoint(&mut self, found: &Checkpoint) -> io::Result<()> {
        match (found.size, found.times) {
            (None, _) => writeln!(self.out, "checkpoint   is not there"),
            (Some(size), None) => self.wrong(&format!("checkpoint has only {size} bytes")),
            (_, Some([log, queues, index])) => writeln!(
                self.out,
                "checkpoint   log {}  queues {}  index {}{}",
                utc(log),
                utc(queues),
                utc(index),
                if found.rest_zero { "" } else { "  (bytes behind them are not zero)" }
            ),
        }
    }

    fn message(&mut self, m: &Message) -> io::Result<()> {
        write!(
            self.out,
            "{:>12} {:>7}  {}/{} @{}  {}  {} bytes",
            m.off,
            m.size,
            shown(&m.topic),
            m.queue_id,
            m.queue_offset,
            utc(m.store_timestamp),
            m.body_len
        )?;
        match sysflag::tran_type(m.sys_flag) {
            4 => write!(self.out, "  prepared")?,
            8 => write!(self.out, "  commit")?,
            12 => write!(self.out, "  rollback")?,
            _ => {}
        }
        for (name, value) in &m.properties {
            write!(self.out, "  {}={}", shown(name), shown(value))?;
        }
        writeln!(self.out, "  from {}  {}", address(&m.born_host), m.msg_id)?;
        if !m.crc_ok {
            self.wrong(&format!("{:>12} its body does not have its checksum", m.off))?;
        }
        if m.physical_offset.cast_unsigned() != m.off {
            let says = m.physical_offset;
            self.wrong(&format!("{:>12} it says that it lies at {says}", m.off))?;
        }
        if !m.size_ok {
            self.wrong(&format!("{:>12} its parts do not add up to its size", m.off))?;
        }
        Ok(())
    }

    fn tail(&mut self, t: &Tail) -> io::Result<()> {
        let Some(at) = t.first_non_zero else {
            return writeln!(self.out, "{:>12} {:>7}  zeros", t.from, t.len);
        };
        let what = format!("{:>12} {:>7}  behind the end, not zero from {at} on", t.from, t.len);
        match t.of {
            // nobody reads what lies behind a blank; what is no record is a problem of its own
            TailOf::CommitLog => writeln!(self.out, "{what}"),
            TailOf::Queue | TailOf::Ext => self.wrong(&what),
        }
    }

    fn queue_entry(&mut self, entry: &QueueEntry) -> io::Result<()> {
        if self.entries {
            let QueueEntry { i, off, size, tags, .. } = entry;
            return writeln!(self.out, "{i:>12}  log {off}  {size} bytes  tags code {tags}");
        }
        match &mut self.queue {
            Some(sum) => {
                sum.last = entry.clone();
                sum.count += 1;
            }
            None => {
                let (first, last) = (entry.clone(), entry.clone());
                self.queue = Some(QueueSum { first, last, count: 1 });
            }
        }
        Ok(())
    }

    fn sums(&mut self) -> io::Result<()> {
        if let Some(QueueSum { first, last, count }) = self.queue.take() {
            writeln!(
                self.out,
                "{:>12} entries  offsets {} to {}  log {} to {}",
                count, first.i, last.i, first.off, last.off
            )?;
        }
        if self.indexed > 0 {
            writeln!(self.out, "{:>12} entries", self.indexed)?;
            self.indexed = 0;
        }
        Ok(())
    }

    fn index(&mut self, header: &IndexHeader) -> io::Result<()> {
        if let Some(f) = &header.fields {
            writeln!(
                self.out,
                "             stored {} to {}  log {} to {}  next entry {} of {}  {} of {} slots used",
                utc(f.begin_timestamp),
                utc(f.end_timestamp),
                f.begin_phy_offset,
                f.end_phy_offset,
                f.index_count,
                f.index_num,
                f.slots.len(),
                f.slot_num
            )?;
        }
        if !header.size_ok {
            self.wrong(
                "its length is not that of the settings (--config maxHashSlotNum=.. maxIndexNum=..)",
            )?;
        }
        Ok(())
    }
}

/// A text without control characters, cut if it is long.
fn shown(text: &str) -> String {
    let cut = text.char_indices().nth(SHOWN).map(|(at, _)| at);
    let head = cut.and_then(|at| text.get(..at)).unwrap_or(text);
    let mut shown: String =
        head.chars().map(|c| if c.is_control() { '\u{FFFD}' } else { c }).collect();
    if cut.is_some() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_and_odd_texts_are_shortened_and_cleaned() {
        assert_eq!(shown("a\u{1}b\n"), "a\u{FFFD}b\u{FFFD}");
        assert_eq!(shown(&"é".repeat(61)), format!("{}…", "é".repeat(60)));
        assert_eq!(shown(&"é".repeat(60)), "é".repeat(60));
    }
}
