//! The one who puts entries into an index file (`IndexFile.putKey`, spec 02 section 9.2).

use core::ops::Deref;

use super::entry::{IndexEntry, KeyHash};
use super::file::IndexFile;
use crate::segment::Cells;

/// The right to write to an index file; there is one per file. Dropping it gives it back.
#[derive(Debug)]
pub struct IndexWriter<C: Cells, F: Deref<Target = IndexFile<C>>> {
    file: F,
    /// Something may lie at the next number that nobody counts.
    unsettled: bool,
}

impl<C: Cells, F: Deref<Target = IndexFile<C>>> IndexWriter<C, F> {
    /// Takes the file for writing, and undoes the put in which its last writer died.
    ///
    /// # Errors
    /// [`ErrorKind::Busy`](crate::segment::ErrorKind::Busy) if it has a writer, or what the
    /// medium says.
    pub fn claim(file: F) -> Result<Self, C::Error> {
        file.claim()?;
        let mut writer = Self { file, unsettled: true };
        writer.settle()?;
        Ok(writer)
    }

    /// The file.
    pub fn file(&self) -> &F {
        &self.file
    }

    /// Puts a key of the message at `offset` (bytes in the log) that was stored at `store_time`
    /// (milliseconds since 1970). `false`: the file is full.
    ///
    /// # Errors
    /// What the medium says. Then the key is not there, and the same put may be tried again.
    pub fn put(&mut self, key: KeyHash, offset: u64, store_time: i64) -> Result<bool, C::Error> {
        let header = self.file.header();
        let geometry = self.file.geometry();
        if header.is_full(geometry) {
            return Ok(false);
        }
        self.settle()?;
        self.unsettled = true;
        let (number, slot) = (header.next_number().cast_signed(), key.slot(geometry.slots()));
        let before = self.file.slot(slot)?;
        let previous = if (1..number).contains(&before) { before } else { 0 };
        let offset = offset.cast_signed();
        let entry = IndexEntry {
            key_hash: key.get(),
            physical_offset: offset,
            seconds: header.seconds_to(store_time),
            previous,
        };
        // In this order, so that no chain ever leads to an entry that is not there.
        self.file.set_entry(number.cast_unsigned(), &entry)?;
        self.file.link(slot, number)?;
        self.file.set_header(header.behind_entry(offset, store_time, previous == 0))?;
        self.unsettled = false;
        Ok(true)
    }

    /// Takes back what a put has left that did not come as far as the header: else the next
    /// entry would take its number, and a slot would lead into another slot's chain.
    fn settle(&mut self) -> Result<(), C::Error> {
        let file = &*self.file;
        let number = file.header().next_number();
        if self.unsettled && number < file.geometry().entries() {
            let left = file.entry(number)?;
            if left != IndexEntry::default() {
                self.undo(number.cast_signed(), left)?;
            }
        }
        self.unsettled = false;
        Ok(())
    }

    fn undo(&self, number: i32, left: IndexEntry) -> Result<(), C::Error> {
        let file = &*self.file;
        if let Some(slot) = left.slot(file.geometry().slots())
            && file.slot(slot)? == number
        {
            let previous = if (1..number).contains(&left.previous) { left.previous } else { 0 };
            file.link(slot, previous)?;
        }
        file.set_entry(number.cast_unsigned(), &IndexEntry::default())
    }
}

impl<C: Cells, F: Deref<Target = IndexFile<C>>> Drop for IndexWriter<C, F> {
    fn drop(&mut self) {
        self.file.let_go();
    }
}
