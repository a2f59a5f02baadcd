//! Where the log goes on behind damage, and whether that is certain enough to go there (spec 08
//! section 3, "which record counts behind a gap").
//!
//! Damage has candidates for what follows it: where its stored size leads if its size, magic
//! and stored offset hold, then the size in a queue entry that points at it; of a missing file,
//! the next one. What lies inside of the damage is never looked at. A candidate counts if the
//! entry at its own place points at it, or if an unbroken chain of records leads from it exactly
//! to the end that the log's writer vouches for. A record whose entry points elsewhere breaks
//! the chain: it is a copy.

use super::checked::{Checked, Why};
use super::fetch::Span;
use super::sink::{Dispatch, Entry};
use crate::record::parse::RecordView;

/// A damaged run of the log, which is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gap {
    /// Log offset of its first byte.
    pub from: u64,
    /// Where the log goes on.
    pub to: u64,
    /// What is wrong at its beginning.
    pub why: Why,
}

/// A candidate that is being looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Search {
    pub(super) gap: Gap,
    /// How far the chain behind it reaches.
    pub(super) at: u64,
    /// Whether the queues may know another candidate.
    pub(super) may_ask: bool,
}

/// What is known of a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It has to be looked at further.
    GoOn,
    /// The log goes on there.
    Counts,
    /// It does not count.
    No,
    /// The chain is whole as far as it can be seen.
    Wait,
}

impl Search {
    /// Begins with the candidate at `to`.
    pub(super) const fn new(from: u64, to: u64, why: Why) -> Self {
        Self { gap: Gap { from, to, why }, at: to, may_ask: false }
    }

    /// Begins with where the damaged record's stored size leads, if `len` could be read, else
    /// with what the queues know.
    pub(super) fn behind<D: Dispatch>(
        from: u64,
        len: Option<u32>,
        why: Why,
        sink: &mut D,
    ) -> Option<Self> {
        match len {
            Some(len) => {
                Some(Self { may_ask: true, ..Self::new(from, from + u64::from(len), why) })
            }
            None => Self::from_queues(from, why, sink),
        }
    }

    /// The next candidate, if this one does not count.
    pub(super) fn next<D: Dispatch>(&self, sink: &mut D) -> Option<Self> {
        let Gap { from, why, .. } = self.gap;
        if self.may_ask { Self::from_queues(from, why, sink) } else { None }
    }

    fn from_queues<D: Dispatch>(from: u64, why: Why, sink: &mut D) -> Option<Self> {
        let size = sink.size_at(from).filter(|size| *size > 0)?;
        Some(Self::new(from, from + u64::from(size), why))
    }

    /// Walks along the chain through `bytes`, which lie at the place where it has come to, for
    /// at most `left` records.
    pub(super) fn walk<D: Dispatch>(
        &mut self,
        span: &Span,
        mut bytes: &[u8],
        left: &mut u32,
        sink: &mut D,
    ) -> Verdict {
        while *left > 0 && !bytes.is_empty() {
            *left -= 1;
            let len = match Checked::at(self.at, bytes, span.room_at(self.at)) {
                Checked::Record(record) => match self.weigh(&record, sink) {
                    Verdict::GoOn => record.total_size(),
                    verdict => return verdict,
                },
                Checked::Blank => {
                    self.at = span.next_base();
                    return Verdict::GoOn;
                }
                Checked::Cut { .. } => return Verdict::Wait,
                Checked::Damaged { len: Some(len), .. } if self.at == self.gap.to => {
                    // the damaged run is longer
                    self.gap.to += u64::from(len);
                    len
                }
                Checked::Damaged { .. } => return Verdict::No,
            };
            self.at += u64::from(len);
            bytes = bytes.get(len as usize..).unwrap_or_default();
        }
        Verdict::GoOn
    }

    fn weigh<D: Dispatch>(&self, record: &RecordView<'_>, sink: &mut D) -> Verdict {
        if !record.is_dispatched() {
            return Verdict::GoOn;
        }
        match sink.entry(record) {
            Entry::Here if self.at == self.gap.to => Verdict::Counts,
            Entry::Here | Entry::Unknown => Verdict::GoOn,
            Entry::Elsewhere => Verdict::No,
        }
    }
}
