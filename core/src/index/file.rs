//! One index file as readers see it: its header, and chains of entries from new to old
//! (`IndexFile.java`, spec 02 sections 9.2 and 9.5).

use core::sync::atomic::fence;

use super::entry::{IndexEntry, KeyHash};
use super::geometry::IndexGeometry;
use super::header::{IndexHeader, SharedHeader};
use crate::segment::{Cells, ErrorKind};
use crate::sync::{AtomicU8, Ordering};

/// An index file: any number of readers, and at most one [`IndexWriter`](super::IndexWriter).
#[derive(Debug)]
pub struct IndexFile<C> {
    cells: C,
    geometry: IndexGeometry,
    header: SharedHeader,
    /// 1: there is a writer.
    claimed: AtomicU8,
}

impl<C: Cells> IndexFile<C> {
    /// A file that is there.
    ///
    /// # Errors
    /// [`ErrorKind::WrongSize`] if it is too short for this geometry, or what the medium says.
    pub fn open(cells: C, geometry: IndexGeometry) -> Result<Self, C::Error> {
        if cells.len() < geometry.file_len() {
            return Err(ErrorKind::WrongSize.into());
        }
        let mut bytes = [0; IndexHeader::LEN as usize];
        cells.get(0, &mut bytes)?;
        Ok(Self::with_header(cells, geometry, IndexHeader::decode(&bytes)))
    }

    /// A file that was just made and holds only zeros, behind one with this
    /// [`inherited`](super::inherited) header.
    ///
    /// As in Java, the file's own count stays 0 until the first entry.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn create(cells: C, geometry: IndexGeometry, new: IndexHeader) -> Result<Self, C::Error> {
        if cells.len() < geometry.file_len() {
            return Err(ErrorKind::WrongSize.into());
        }
        let new = IndexHeader { slot_count: 0, index_count: 0, ..new };
        cells.set(0, &new.encode())?;
        Ok(Self::with_header(cells, geometry, new))
    }

    fn with_header(cells: C, geometry: IndexGeometry, header: IndexHeader) -> Self {
        let header = SharedHeader::new(header);
        Self { cells, geometry, header, claimed: AtomicU8::new(0) }
    }

    /// Numbers of slots and entries.
    pub fn geometry(&self) -> IndexGeometry {
        self.geometry
    }

    /// Its header; the count is at least 1.
    pub fn header(&self) -> IndexHeader {
        self.header.load()
    }

    /// Whether it takes no more entries.
    pub fn is_full(&self) -> bool {
        self.header().is_full(self.geometry)
    }

    /// Store time of the first entry, milliseconds since 1970.
    pub fn begin_timestamp(&self) -> i64 {
        self.header().begin_timestamp
    }

    /// Store time of the last entry, milliseconds since 1970.
    pub fn end_timestamp(&self) -> i64 {
        self.header().end_timestamp
    }

    /// Where the message of the first entry lies in the log.
    pub fn begin_offset(&self) -> i64 {
        self.header().begin_offset
    }

    /// Where the message of the last entry lies in the log. A file whose end is below the log's
    /// first byte holds nothing that can still be read, and may be removed.
    pub fn end_offset(&self) -> i64 {
        self.header().end_offset
    }

    /// Makes everything put so far durable.
    ///
    /// # Errors
    /// What the medium says.
    pub fn sync(&self) -> Result<(), C::Error> {
        self.cells.sync()
    }

    /// The entries that may have this key, from new to old.
    ///
    /// # Errors
    /// What the medium says.
    pub fn chain(&self, key: KeyHash) -> Result<Chain<'_, C>, C::Error> {
        let newest = self.slot(key.slot(self.geometry.slots()))?;
        // The slot before the count: a put that comes in between cannot make it look damaged.
        let header = self.header();
        let limit = header.next_number().min(self.geometry.entries() - 1);
        let newest = if header.has_entries() { newest } else { 0 };
        Ok(Chain { file: self, header, next: within(newest, limit) })
    }

    /// What a slot holds.
    pub(super) fn slot(&self, slot: u32) -> Result<i32, C::Error> {
        let mut bytes = [0; 4];
        self.cells.get(self.geometry.slot_at(slot), &mut bytes)?;
        // Pairs with the fence of `link`: whoever saw the number sees its entry.
        fence(Ordering::Acquire);
        Ok(i32::from_be_bytes(bytes))
    }

    /// The entry with this number.
    pub(super) fn entry(&self, number: u32) -> Result<IndexEntry, C::Error> {
        let mut bytes = [0; IndexEntry::LEN as usize];
        self.cells.get(self.geometry.entry_at(number), &mut bytes)?;
        Ok(IndexEntry::decode(&bytes))
    }

    pub(super) fn set_entry(&self, number: u32, entry: &IndexEntry) -> Result<(), C::Error> {
        self.cells.set(self.geometry.entry_at(number), &entry.encode())
    }

    /// Lets a slot point at an entry that has been written.
    pub(super) fn link(&self, slot: u32, number: i32) -> Result<(), C::Error> {
        fence(Ordering::Release);
        self.cells.set(self.geometry.slot_at(slot), &number.to_be_bytes())
    }

    /// Writes the header through and then shows it.
    pub(super) fn set_header(&self, header: IndexHeader) -> Result<(), C::Error> {
        self.cells.set(0, &header.encode())?;
        self.header.publish(header);
        Ok(())
    }

    /// Takes the place of the one writer.
    pub(super) fn claim(&self) -> Result<(), C::Error> {
        let free = self.claimed.compare_exchange(0, 1, Ordering::Acquire, Ordering::Relaxed);
        free.map(|_| ()).map_err(|_| ErrorKind::Busy.into())
    }

    pub(super) fn let_go(&self) {
        self.claimed.store(0, Ordering::Release);
    }
}

/// A number of an entry, if it is one: from 1 to `limit`.
fn within(number: i32, limit: u32) -> Option<u32> {
    u32::try_from(number).ok().filter(|n| (1..=limit).contains(n))
}

/// An entry with its number.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    /// Number of the entry.
    pub number: u32,
    /// The entry.
    pub entry: IndexEntry,
}

/// The entries of one slot, from new to old; other keys' entries may be among them.
///
/// It ends, whatever the file holds: each number is less than the one before it.
#[derive(Debug)]
pub struct Chain<'a, C> {
    file: &'a IndexFile<C>,
    header: IndexHeader,
    next: Option<u32>,
}

impl<C> Chain<'_, C> {
    /// The file's header when the chain began.
    pub fn header(&self) -> IndexHeader {
        self.header
    }
}

impl<C: Cells> Iterator for Chain<'_, C> {
    type Item = Result<Link, C::Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let number = self.next.take()?;
        let entry = match self.file.entry(number) {
            Ok(entry) => entry,
            Err(e) => return Some(Err(e)),
        };
        self.next = within(entry.previous, number - 1);
        Some(Ok(Link { number, entry }))
    }
}
