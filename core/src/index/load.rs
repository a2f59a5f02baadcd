//! Which index files an open goes on with, and from where in the log keys are put again (spec 03
//! section 8, spec 08).
//!
//! RocketMQ syncs an index file only once it is full. After a crash it deletes the others, and
//! puts again only the keys of those messages that it happens to read for other reasons; the
//! rest is lost. Here nothing is lost, and that takes this:
//!
//! 1. **A mark.** `mqstore.state` holds, beside the position P, an [`IndexMark`]: name and header
//!    of the newest index file, taken between two messages by the one who indexes
//!    ([`super::IndexBuilder::mark`]) when all messages below P were indexed. Then every index
//!    file that was written to since the mark before is synced, then the state is saved. What is
//!    put in between does no harm.
//! 2. **After a crash**, files older than the marked one are whole. The marked one is cut back to
//!    its mark ([`super::cut`]), newer ones are removed, and the keys of all messages from P on
//!    are put again.
//! 3. **Without a mark that counts** (Java was here, or the state is lost) files are judged by
//!    RocketMQ's checkpoint as RocketMQ does; but keys are put again from where the files that
//!    stay end, so that those of the deleted ones are not lost.
//!
//! Keys must be put again in the order of the log and before new ones, else the new ones' place
//! makes the index skip the old ones. So the dispatch begins at [`Decisions::rebuild_from`] if
//! that is earlier than where the queues begin; queues skip what they have. Until P is saved the
//! next time, the old mark stays true: whoever crashes again does it again.

use super::geometry::IndexGeometry;
use super::header::IndexHeader;

/// Name and header of the newest index file at some moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexMark {
    /// Its name.
    pub name: u64,
    /// Its header.
    pub header: IndexHeader,
}

impl IndexMark {
    /// Its length in `mqstore.state`, in bytes.
    pub const LEN: u32 = 8 + IndexHeader::LEN;

    /// Its bytes: the name, then the header. No mark is written as zeros.
    #[must_use]
    pub fn encode(mark: Option<&Self>) -> [u8; Self::LEN as usize] {
        let mut out = [0; Self::LEN as usize];
        if let Some(mark) = mark {
            out[..8].copy_from_slice(&mark.name.to_be_bytes());
            out[8..].copy_from_slice(&mark.header.encode());
        }
        out
    }

    /// What these bytes say.
    #[must_use]
    pub fn decode(bytes: &[u8; Self::LEN as usize]) -> Option<Self> {
        let (name, header) = bytes.split_first_chunk::<8>()?;
        let name = u64::from_be_bytes(*name);
        let header = IndexHeader::decode(header.first_chunk()?);
        (name != 0).then_some(Self { name, header })
    }
}

/// What `mqstore.state` says about the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Durable {
    /// P: the keys of all messages below are durable; bytes in the log.
    pub position: u64,
    /// The newest index file then; `None`: there was none.
    pub mark: Option<IndexMark>,
}

/// What an open knows before it looks at the index files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Situation {
    /// There was no `abort` file.
    pub clean: bool,
    /// `indexMsgTimestamp` of the checkpoint, milliseconds since 1970; 0 if it does not count.
    pub index_timestamp: i64,
    /// What `mqstore.state` says, if it counts.
    pub durable: Option<Durable>,
    /// First byte there is in the log.
    pub log_begin: u64,
    /// End of the log, found by its recovery.
    pub log_end: u64,
    /// Numbers of slots and entries.
    pub geometry: IndexGeometry,
}

/// An index file that was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FoundIndex {
    /// Its name.
    pub name: u64,
    /// Its length in bytes, before anybody lengthens it.
    pub len: u64,
    /// Its header; zeros if it is too short for one.
    pub header: IndexHeader,
}

/// What to do with an index file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Use it as it is.
    Keep,
    /// Cut it back to this header with [`super::cut::cut_to`].
    CutTo(IndexHeader),
    /// Take out what lies at or behind this place in the log, with
    /// [`super::cut::header_below`]: the log has lost those messages, and others come there.
    /// First cut it to the header, if there is one.
    CutBelow(u64, Option<IndexHeader>),
    /// Remove it: all that it held will be put again, or is of messages that are gone.
    Drop,
    /// Leave it alone and do not use it: it was written with other numbers of slots or entries.
    /// To be named in the report.
    Ignore,
}

/// Judges index files, from old to new.
#[derive(Clone, Debug)]
pub struct Decisions {
    situation: Situation,
    /// Where the messages of the last file that stays end.
    kept_end: Option<u64>,
    /// Where those of the first file that does not stay begin.
    lost_begin: Option<u64>,
    /// Something is missing behind the last file that stays.
    lost: bool,
    /// A file was not whole: what comes behind it cannot stay, for it could not be filled up.
    hole: bool,
    /// The marked file was there.
    mark_seen: bool,
}

impl Decisions {
    /// Nothing is judged yet.
    #[must_use]
    pub const fn new(situation: Situation) -> Self {
        let (kept_end, lost_begin) = (None, None);
        Self { situation, kept_end, lost_begin, lost: false, hole: false, mark_seen: false }
    }

    /// What to do with the next file; names ascend.
    pub fn judge(&mut self, found: &FoundIndex) -> Verdict {
        let verdict = self.trust(found);
        let kept = match verdict {
            Verdict::Keep => found.header,
            Verdict::CutTo(header) => header,
            _ => {
                self.lose(&found.header);
                return verdict;
            }
        };
        let limit = self.situation.log_end;
        let end = u64::try_from(kept.end_offset).unwrap_or(0);
        (self.kept_end, self.lost, self.lost_begin) = (Some(end.min(limit)), false, None);
        if end < limit || (end == 0 && !kept.has_entries()) {
            return verdict;
        }
        let nothing_below = u64::try_from(kept.begin_offset).is_ok_and(|begin| begin >= limit);
        if nothing_below || !kept.has_entries() {
            return Verdict::Drop;
        }
        let first = if let Verdict::CutTo(header) = verdict { Some(header) } else { None };
        Verdict::CutBelow(limit, first)
    }

    /// From where in the log keys are to be put again; `None`: the index has them all.
    #[must_use]
    pub fn rebuild_from(&self) -> Option<u64> {
        let s = &self.situation;
        let from = match s.durable {
            _ if s.clean => self.lost.then(|| self.end_of_kept()),
            Some(Durable { position, mark: None }) => Some(position),
            Some(Durable { position, mark: Some(_) }) if self.mark_seen => Some(position),
            Some(Durable { mark: Some(mark), .. }) => {
                let begin = u64::try_from(mark.header.begin_offset).unwrap_or(0);
                Some(self.kept_end.unwrap_or(begin))
            }
            None => Some(self.end_of_kept()),
        };
        from.map(|from| from.clamp(s.log_begin, s.log_end.max(s.log_begin)))
    }

    /// What is known of this file, the end of the log left aside.
    fn trust(&mut self, found: &FoundIndex) -> Verdict {
        let s = self.situation;
        if found.len < u64::from(IndexHeader::LEN) {
            return Verdict::Drop;
        }
        if found.len != s.geometry.file_len() {
            return Verdict::Ignore;
        }
        if s.clean {
            return Verdict::Keep;
        }
        match s.durable {
            Some(durable) => self.trust_by_mark(found, durable.mark),
            None => {
                let synced = found.header.end_timestamp <= s.index_timestamp;
                self.hole |= !synced || !found.header.is_full(s.geometry);
                if self.hole { Verdict::Drop } else { Verdict::Keep }
            }
        }
    }

    fn trust_by_mark(&mut self, found: &FoundIndex, mark: Option<IndexMark>) -> Verdict {
        let Some(mark) = mark else { return Verdict::Drop };
        if found.name < mark.name {
            return Verdict::Keep;
        }
        // Counts only grow, also in a file that a power cut has torn.
        if found.name > mark.name || found.header.next_number() < mark.header.next_number() {
            return Verdict::Drop;
        }
        self.mark_seen = true;
        // Nothing can have been put into a full one since.
        let whole = mark.header.is_full(self.situation.geometry) && found.header == mark.header;
        if whole { Verdict::Keep } else { Verdict::CutTo(mark.header) }
    }

    fn lose(&mut self, header: &IndexHeader) {
        if !self.lost {
            self.lost = true;
            // Half of a torn one is older: it is too low, or else above the end.
            let known = header.has_entries() && header.begin_offset <= header.end_offset;
            self.lost_begin = u64::try_from(header.begin_offset).ok().filter(|_| known);
        }
    }

    /// Where the keys end that are there. The message at the end may lack some of its keys.
    fn end_of_kept(&self) -> u64 {
        self.kept_end.or(self.lost_begin).unwrap_or(self.situation.log_begin)
    }
}
