//! The one who indexes message after message and rolls to the next file (`IndexService`, spec
//! 02 sections 9.3 and 9.4).

use core::ops::Deref;

use super::entry::KeyHash;
use super::file::IndexFile;
use super::header::IndexHeader;
use super::keys::KeyedMessage;
use super::load::IndexMark;
use super::roll::{inherited, next_name};
use super::writer::IndexWriter;
use crate::segment::Cells;

/// Where the index files of a store are kept, so that readers find them.
pub trait IndexShelf {
    /// Their cells.
    type Cells: Cells;
    /// A file that is shared with readers.
    type File: Deref<Target = IndexFile<Self::Cells>>;

    /// The local time as `yyyyMMddHHmmssSSS`.
    fn local_time(&self) -> u64;

    /// Makes the file `name` with [`IndexFile::create`] and shows it to readers as the newest.
    /// `full` is the one before it: it is to be synced now (elsewhere; nobody waits for it), and
    /// then the checkpoint's `indexMsgTimestamp` becomes its end timestamp, which is durable
    /// with the checkpoint's next sync.
    ///
    /// # Errors
    /// What the medium says; then no file has been left behind.
    fn add(
        &mut self,
        name: u64,
        new: IndexHeader,
        full: Option<&Self::File>,
    ) -> Result<Self::File, ShelfError<Self>>;
}

/// The error of a shelf's cells.
pub type ShelfError<S> = <<S as IndexShelf>::Cells as Cells>::Error;

/// A file and its name.
type Named<S> = (u64, IndexWriter<<S as IndexShelf>::Cells, <S as IndexShelf>::File>);

/// What became of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Indexed {
    /// So many keys have been put.
    Put(u32),
    /// The index has it already.
    Already,
    /// Messages of its kind are not indexed.
    NotIndexed,
}

/// Puts the keys of message after message into the newest index file.
pub struct IndexBuilder<S: IndexShelf> {
    last: Option<Named<S>>,
    /// Name of the newest file there is, in use or not.
    newest_name: Option<u64>,
}

impl<S: IndexShelf> IndexBuilder<S> {
    /// Goes on in the newest file that is in use. `newest_name` is the greatest name of any
    /// index file there is, also of those which are not in use.
    ///
    /// # Errors
    /// Those of [`IndexWriter::claim`].
    pub fn resume(
        last: Option<(u64, S::File)>,
        newest_name: Option<u64>,
    ) -> Result<Self, ShelfError<S>> {
        let claim = |(name, file)| IndexWriter::claim(file).map(|writer| (name, writer));
        let newest_name = newest_name.max(last.as_ref().map(|(name, _)| *name));
        Ok(Self { last: last.map(claim).transpose()?, newest_name })
    }

    /// Indexes a message; messages come in the order of the log.
    ///
    /// As in Java the next file is made as soon as a message of whatever kind comes by and the
    /// newest is full, or there is none.
    ///
    /// # Errors
    /// What the medium says. Then the same message may be tried again: those of its keys that
    /// have been put are then there twice, which does no harm ([`KeyedMessage::is_below`]). Who
    /// does not try again leaves its keys out.
    pub fn index(
        &mut self,
        shelf: &mut S,
        message: &KeyedMessage<'_>,
    ) -> Result<Indexed, ShelfError<S>> {
        let end = self.writer(shelf)?.file().end_offset();
        if message.is_below(end) {
            return Ok(Indexed::Already);
        }
        if !message.is_indexed() {
            return Ok(Indexed::NotIndexed);
        }
        let mut put = 0;
        for key in message.hashes() {
            self.put(shelf, key, message)?;
            put += 1;
        }
        Ok(Indexed::Put(put))
    }

    /// What there is now, to be kept in `mqstore.state` with the position up to which messages
    /// have been indexed; [`super::load`] says in which order.
    #[must_use]
    pub fn mark(&self) -> Option<IndexMark> {
        self.last.as_ref().map(|(name, w)| IndexMark { name: *name, header: w.file().header() })
    }

    fn put(
        &mut self,
        shelf: &mut S,
        key: KeyHash,
        message: &KeyedMessage<'_>,
    ) -> Result<(), ShelfError<S>> {
        let (offset, time) = (message.physical_offset, message.store_timestamp);
        // A file that has just been made has room for at least one.
        while !self.writer(shelf)?.put(key, offset, time)? {}
        Ok(())
    }

    /// A writer whose file is not full.
    fn writer(
        &mut self,
        shelf: &mut S,
    ) -> Result<&mut IndexWriter<S::Cells, S::File>, ShelfError<S>> {
        let last = match self.last.take() {
            Some((name, writer)) if !writer.file().is_full() => (name, writer),
            full => self.roll(shelf, full)?,
        };
        Ok(&mut self.last.insert(last).1)
    }

    fn roll(&mut self, shelf: &mut S, full: Option<Named<S>>) -> Result<Named<S>, ShelfError<S>> {
        let file = full.as_ref().map(|(_, writer)| writer.file());
        let new = inherited(file.map(|file| file.header()).as_ref());
        let name = next_name(self.newest_name, shelf.local_time());
        let added = shelf.add(name, new, file).and_then(IndexWriter::claim);
        match added {
            Ok(writer) => {
                self.newest_name = Some(name);
                Ok((name, writer))
            }
            Err(e) => {
                self.last = full;
                Err(e)
            }
        }
    }
}
