//! One file: what programs see of it, and what of that is durable.
//!
//! Only sectors that differ are kept twice, so a disk costs little more than its bytes, and a
//! power cut as much as there is unsynced.

use std::collections::{BTreeMap, BTreeSet};

use mqstore_core::segment::ErrorKind;

use crate::rng::Rng;

/// Bytes of a sector.
pub const SECTOR: usize = 512;

/// What a power cut can do to a sector of a file that was not synced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// Old, new, a part of each, or noise where old and new differ.
    Any,
    /// Each word of 4 bytes is old or new, as files of cells are promised.
    Words,
}

/// A sector that was written since it was synced.
struct Unsynced {
    /// What is durable.
    old: Box<[u8; SECTOR]>,
    /// A sync has failed, and the system counts the sector as clean: no later sync writes it.
    dropped: bool,
}

/// A file of whole bytes in sectors.
pub(crate) struct File {
    /// What programs see.
    bytes: Vec<u8>,
    /// How long it is after a cut, at least.
    durable_len: usize,
    unsynced: BTreeMap<usize, Unsynced>,
    /// Sectors that cannot be read.
    unreadable: BTreeSet<usize>,
    loss: Loss,
}

/// The sectors that `[from, to)` touches.
fn sectors(from: usize, to: usize) -> std::ops::Range<usize> {
    from / SECTOR..to.div_ceil(SECTOR)
}

impl File {
    /// A file of zeros whose length is not durable yet.
    pub(crate) fn new(len: usize, loss: Loss) -> Self {
        Self {
            bytes: vec![0; len],
            durable_len: 0,
            unsynced: BTreeMap::new(),
            unreadable: BTreeSet::new(),
            loss,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// How many sectors would be at stake if the power went.
    pub(crate) fn unsynced(&self) -> usize {
        self.unsynced.len()
    }

    pub(crate) fn grow(&mut self, len: usize) {
        self.bytes.resize(len.max(self.bytes.len()), 0);
    }

    pub(crate) fn read(&self, at: usize, out: &mut [u8]) -> Result<(), ErrorKind> {
        let end = at.checked_add(out.len()).ok_or(ErrorKind::OutOfBounds)?;
        let bytes = self.bytes.get(at..end).ok_or(ErrorKind::OutOfBounds)?;
        if self.unreadable.range(sectors(at, end)).next().is_some() {
            return Err(ErrorKind::Device);
        }
        out.copy_from_slice(bytes);
        Ok(())
    }

    /// Writes what programs see. Whether that has reached the disk is open until a sync.
    pub(crate) fn write(&mut self, at: usize, new: &[u8], rng: &mut Rng) -> Result<(), ErrorKind> {
        let end = at.checked_add(new.len()).ok_or(ErrorKind::OutOfBounds)?;
        if self.bytes.get(at..end).is_none() {
            return Err(ErrorKind::OutOfBounds);
        }
        for n in sectors(at, end) {
            let (from, to) = (at.max(n * SECTOR), end.min((n + 1) * SECTOR));
            let part = new.get(from - at..to - at).unwrap_or_default();
            let len = self.bytes.len().min((n + 1) * SECTOR) - n * SECTOR;
            if self.unreadable.contains(&n) {
                if part.len() < len {
                    // the rest of the sector would have to be read
                    return Err(ErrorKind::Device);
                }
                self.unreadable.remove(&n);
            }
            self.write_sector(n, from, part, rng);
        }
        Ok(())
    }

    fn write_sector(&mut self, n: usize, from: usize, part: &[u8], rng: &mut Rng) {
        let same = self.bytes.get(from..from + part.len()) == Some(part);
        if same && !self.unsynced.contains_key(&n) {
            return;
        }
        let now = self.sector(n);
        if let Some(place) = self.bytes.get_mut(from..from + part.len()) {
            place.copy_from_slice(part);
        }
        match self.unsynced.get_mut(&n) {
            // the system may write whatever it has to the disk at any time
            Some(s) if !s.dropped && rng.one_in(4) => s.old = now,
            Some(s) => s.dropped = false,
            None => {
                self.unsynced.insert(n, Unsynced { old: now, dropped: false });
            }
        }
    }

    /// The sector as programs see it, with zeros behind the end of the file.
    fn sector(&self, n: usize) -> Box<[u8; SECTOR]> {
        let mut out = Box::new([0; SECTOR]);
        let there = self.bytes.get(n * SECTOR..).unwrap_or_default();
        for (out, byte) in out.iter_mut().zip(there) {
            *out = *byte;
        }
        out
    }

    /// Makes the sectors of `[from, to)` durable, and the length.
    pub(crate) fn sync(&mut self, from: usize, to: usize) {
        let range = sectors(from, to.min(self.bytes.len()));
        self.unsynced.retain(|n, s| s.dropped || !range.contains(n));
        self.durable_len = self.bytes.len();
    }

    /// A sync has failed: the system forgets that some sectors have to be written.
    pub(crate) fn sync_failed(&mut self, rng: &mut Rng) {
        for s in self.unsynced.values_mut() {
            s.dropped |= rng.one_in(2);
        }
    }

    pub(crate) fn make_unreadable(&mut self, at: usize) {
        self.unreadable.insert(at / SECTOR);
    }

    /// Flips a bit for good, as a worn disk does.
    pub(crate) fn flip(&mut self, at: usize, bit: u8) {
        let mask = 1_u8.rotate_left(bit.into());
        if let Some(byte) = self.bytes.get_mut(at) {
            *byte ^= mask;
        }
        let old = self.unsynced.get_mut(&(at / SECTOR));
        if let Some(byte) = old.and_then(|s| s.old.get_mut(at % SECTOR)) {
            *byte ^= mask;
        }
    }

    /// The power goes: of `keep` in ten unsynced sectors the new bytes stay.
    pub(crate) fn cut(&mut self, rng: &mut Rng, keep: u64, noise_anywhere: bool) {
        for (n, s) in std::mem::take(&mut self.unsynced) {
            let mut left = s.old;
            let new = self.sector(n);
            let keep = if s.dropped { 0 } else { keep };
            match self.loss {
                Loss::Words => tear_words(&mut left, &new, rng, keep),
                Loss::Any if !s.dropped && rng.one_in(6) => {
                    tear(&mut left, &new, rng, noise_anywhere);
                }
                Loss::Any if rng.below(10) < keep => left = new,
                Loss::Any => {}
            }
            for (byte, left) in self.bytes.iter_mut().skip(n * SECTOR).zip(left.iter()) {
                *byte = *left;
            }
        }
        if self.durable_len < self.bytes.len() && rng.below(10) >= keep {
            self.bytes.truncate(self.durable_len);
        }
        self.durable_len = self.bytes.len();
    }
}

fn tear_words(left: &mut [u8; SECTOR], new: &[u8; SECTOR], rng: &mut Rng, keep: u64) {
    for (left, new) in left.chunks_mut(4).zip(new.chunks(4)) {
        if rng.below(10) < keep {
            left.copy_from_slice(new);
        }
    }
}

/// A sector of which only a part was written, or that was being written when the power went.
///
/// Where old and new agree it keeps its bytes, unless there can be noise anywhere: a file system
/// writes what programs share a sector with again and again, and relies on that.
fn tear(left: &mut [u8; SECTOR], new: &[u8; SECTOR], rng: &mut Rng, noise_anywhere: bool) {
    let differ = |at: &usize| left.get(*at) != new.get(*at);
    let (first, last) = ((0..SECTOR).find(differ), (0..SECTOR).rfind(differ));
    let (Some(first), Some(last)) = (first, last) else { return };
    if rng.one_in(2) {
        let split = first + rng.index(last - first + 1);
        let range = if rng.one_in(2) { 0..split } else { split..SECTOR };
        if let (Some(left), Some(new)) = (left.get_mut(range.clone()), new.get(range)) {
            left.copy_from_slice(new);
        }
        return;
    }
    let range = if noise_anywhere { 0..SECTOR } else { first..last + 1 };
    let mut noise = [0; SECTOR];
    rng.fill(&mut noise);
    for at in range {
        let same = left.get(at) == new.get(at);
        if let (Some(left), Some(noise), true) =
            (left.get_mut(at), noise.get(at), noise_anywhere || !same)
        {
            *left = *noise;
        }
    }
}
