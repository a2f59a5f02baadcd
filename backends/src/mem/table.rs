//! Which file lies where in a pool: a fixed table of slots, under one lock.

use core::sync::atomic::{AtomicU32, Ordering};

use heapless::String;
use mqstore_core::segment::{
    CellsFile, ErrorKind, Geometry, OwnedMarks, QueueSeries, Series, SmallFile,
};
use spin::Mutex;

use super::arena::{ALIGN, Arena};
use crate::region::Region;
use crate::stage::Stage;

/// The longest topic, in bytes, as on a file system.
pub(crate) const NAME_MAX: usize = 255;

/// What kind of file it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    CommitLog,
    ConsumeQueue,
    ConsumeQueueExt,
    Checkpoint,
    Index,
    Abort,
    DelayOffset,
    State,
    Cut,
}

/// The name of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Key {
    pub(crate) kind: Kind,
    pub(crate) topic: String<NAME_MAX>,
    pub(crate) queue_id: i32,
    /// A segment's base, an index file's name, a cut's offset.
    pub(crate) number: u64,
}

impl Key {
    const fn plain(kind: Kind, number: u64) -> Self {
        Self { kind, topic: String::new(), queue_id: 0, number }
    }

    /// The first segment of a series.
    pub(crate) fn of_series(series: Series<'_>) -> Result<Self, ErrorKind> {
        let (kind, topic, queue_id) = match series {
            Series::CommitLog => return Ok(Self::plain(Kind::CommitLog, 0)),
            Series::ConsumeQueue(topic, id) => (Kind::ConsumeQueue, topic, id),
            Series::ConsumeQueueExt(topic, id) => (Kind::ConsumeQueueExt, topic, id),
        };
        let bad = matches!(topic, "" | "." | "..") || topic.contains(['/', '\0']);
        match String::try_from(topic) {
            Ok(topic) if !bad => Ok(Self { kind, topic, queue_id, number: 0 }),
            _ => Err(ErrorKind::BadName),
        }
    }

    pub(crate) const fn of_cells(file: CellsFile) -> Self {
        match file {
            CellsFile::Checkpoint => Self::plain(Kind::Checkpoint, 0),
            CellsFile::Index(name) => Self::plain(Kind::Index, name),
        }
    }

    pub(crate) const fn of_small(file: SmallFile) -> Self {
        match file {
            SmallFile::Abort => Self::plain(Kind::Abort, 0),
            SmallFile::DelayOffset => Self::plain(Kind::DelayOffset, 0),
            SmallFile::State => Self::plain(Kind::State, 0),
            SmallFile::Cut(offset) => Self::plain(Kind::Cut, offset),
        }
    }

    /// Another file of the same series.
    pub(crate) fn with_number(&self, number: u64) -> Self {
        Self { number, ..self.clone() }
    }

    /// Whether both are of one series.
    pub(crate) fn same_series(&self, other: &Self) -> bool {
        self.kind == other.kind && self.queue_id == other.queue_id && self.topic == other.topic
    }
}

/// The kind of a queue's segments.
pub(crate) const fn kind_of_queues(kind: QueueSeries) -> Kind {
    match kind {
        QueueSeries::ConsumeQueue => Kind::ConsumeQueue,
        QueueSeries::ConsumeQueueExt => Kind::ConsumeQueueExt,
    }
}

/// One file, or room for one.
pub(crate) struct Slot {
    /// `None`: free.
    pub(crate) key: Option<Key>,
    /// Where its extent starts.
    pub(crate) at: usize,
    /// How long the extent is: the file, and what it needs beside.
    len: usize,
    /// How long the file is.
    pub(crate) size: u32,
    /// It has not been removed.
    pub(crate) named: bool,
    /// A segment that has a writer, or staged bytes.
    pub(crate) written: bool,
}

impl Slot {
    pub(crate) const FREE: Self =
        Self { key: None, at: 0, len: 0, size: 0, named: false, written: false };

    fn is(&self, key: &Key) -> bool {
        self.named && self.key.as_ref() == Some(key)
    }

    pub(crate) fn is_small(&self) -> bool {
        let small = [Kind::Abort, Kind::DelayOffset, Kind::State, Kind::Cut];
        self.key.as_ref().is_some_and(|k| small.contains(&k.kind))
    }
}

/// What of a slot is reached without the lock, by those who hold it.
pub struct Live {
    pub(crate) holders: AtomicU32,
    pub(crate) marks: OwnedMarks,
    pub(crate) stage: Stage,
    /// One committer at a time.
    pub(crate) committing: Mutex<()>,
}

impl Live {
    pub(crate) fn new() -> Self {
        Self {
            holders: AtomicU32::new(0),
            marks: OwnedMarks::new(0),
            stage: Stage::new(0, 0),
            committing: Mutex::new(()),
        }
    }

    fn is_held(&self) -> bool {
        // pairs with the release in `Pin::drop`: what the last holder did to the bytes is over
        self.holders.load(Ordering::Acquire) > 0
    }
}

/// The table of a pool while its lock is held.
pub struct Locked<'p> {
    pub(crate) slots: &'p mut [Slot],
    pub(crate) live: &'p [Live],
    pub(crate) arena: &'p Arena<'p>,
}

impl Locked<'_> {
    /// The file of this name.
    pub(crate) fn find(&self, key: &Key) -> Option<usize> {
        self.slots.iter().position(|s| s.is(key))
    }

    /// Names a new file of `size` bytes with `beside` more behind it, which nobody holds.
    pub(crate) fn make(&mut self, key: Key, size: u32, beside: u32) -> Result<usize, ErrorKind> {
        let round = |n: u32| (n as usize).checked_next_multiple_of(ALIGN);
        let len = round(size).zip(round(beside)).and_then(|(a, b)| a.checked_add(b));
        let len = len.ok_or(ErrorKind::NoSpace)?;
        let slot = self.slots.iter().position(|s| s.key.is_none()).ok_or(ErrorKind::NoSpace)?;
        let at = self.first_fit(len).ok_or(ErrorKind::NoSpace)?;
        if let Some(s) = self.slots.get_mut(slot) {
            *s = Slot { key: Some(key), at, len, size, named: true, written: false };
        }
        Ok(slot)
    }

    /// The lowest place where `len` bytes are free.
    fn first_fit(&self, len: usize) -> Option<usize> {
        let mut at = 0_usize;
        loop {
            let end = at.checked_add(len).filter(|end| *end <= self.arena.len())?;
            let taken = self.slots.iter().filter(|s| s.key.is_some() && s.len > 0);
            // the extent that reaches furthest of those in the way
            match taken.filter(|s| s.at < end && s.at + s.len > at).map(|s| s.at + s.len).max() {
                None => return Some(at),
                Some(behind) => at = behind,
            }
        }
    }

    /// Takes the name away; the bytes go with the last holder.
    pub(crate) fn unname(&mut self, slot: usize) {
        if let Some(s) = self.slots.get_mut(slot) {
            s.named = false;
        }
        self.reclaim(slot);
    }

    /// Gives back what nobody holds any more.
    pub(crate) fn reclaim(&mut self, slot: usize) {
        let held = self.live.get(slot).is_none_or(Live::is_held);
        if let Some(s) = self.slots.get_mut(slot).filter(|_| !held) {
            s.written = false;
            if !s.named {
                *s = Slot::FREE;
            }
        }
    }

    /// Whether anybody holds the file in this slot.
    pub(crate) fn is_held(&self, slot: usize) -> bool {
        self.live.get(slot).is_some_and(Live::is_held)
    }

    /// The bytes of the file in this slot.
    pub(crate) fn region_of(&self, slot: usize) -> Region {
        let (at, size) = self.slots.get(slot).map_or((0, 0), |s| (s.at, s.size));
        self.arena.region(at, size)
    }

    /// Bytes that belong to no file.
    pub(crate) fn free(&self) -> u64 {
        let used: usize = self.slots.iter().filter(|s| s.key.is_some()).map(|s| s.len).sum();
        (self.arena.len() - used) as u64
    }
}

impl Locked<'_> {
    /// The least number from `least` on of a file of this series.
    pub(crate) fn next_number(&self, series: &Key, least: u64) -> Option<u64> {
        let named = self.slots.iter().filter(|s| s.named).filter_map(|s| s.key.as_ref());
        named.filter(|k| k.same_series(series) && k.number >= least).map(|k| k.number).min()
    }

    /// The first file of each series, one after the other: the one in a slot behind `from`.
    pub(crate) fn next_series(&self, kind: Kind, from: usize) -> Option<(usize, Key)> {
        let named = |s: &Slot| s.named.then(|| s.key.clone()).flatten();
        let of_kind = |(at, s): (usize, &Slot)| Some((at, named(s).filter(|k| k.kind == kind)?));
        self.slots.iter().enumerate().skip(from).filter_map(of_kind).find(|(at, key)| {
            let before = self.slots.iter().take(*at).filter_map(named);
            !before.into_iter().any(|k| k.same_series(key))
        })
    }

    /// The extent of a segment and its sizes: `wanted`, if there is room for the buffer.
    pub(crate) fn extent_for(
        &self,
        slot: usize,
        wanted: Geometry,
        beside: u32,
    ) -> (Region, Geometry) {
        let len = wanted.capacity + beside;
        let (at, room) = self.slots.get(slot).map_or((0, 0), |s| (s.at, s.len));
        if room >= len as usize {
            return (self.arena.region(at, len), wanted);
        }
        (self.arena.region(at, wanted.capacity), Geometry::in_place(wanted.capacity))
    }

    /// Removes every file of this series.
    pub(crate) fn unname_series(&mut self, series: &Key) {
        for slot in 0..self.slots.len() {
            let named = self.slots.get(slot).filter(|s| s.named).and_then(|s| s.key.as_ref());
            if named.is_some_and(|k| k.same_series(series)) {
                self.unname(slot);
            }
        }
    }
}
