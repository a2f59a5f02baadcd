//! Mapped files, and which of them this process writes.
//!
//! Two mappings of one file are the same memory at two addresses. So that a writer and a reader
//! never meet there unseen, every segment file is mapped once in a process, found again by
//! device and inode, and known to be written or not.

use core::ptr::NonNull;
use core::sync::atomic::{AtomicBool, AtomicU32, Ordering, fence};
use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use memmap2::{MmapOptions, MmapRaw};

use crate::region::Region;

/// Device and inode.
type Id = (u64, u64);

/// Every segment that is mapped.
static MAPS: Mutex<BTreeMap<Id, Weak<Map>>> = Mutex::new(BTreeMap::new());

fn maps() -> MutexGuard<'static, BTreeMap<Id, Weak<Map>>> {
    MAPS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A segment's file in memory.
pub(crate) struct Map {
    raw: MmapRaw,
    id: Id,
    /// A tail lives, or staged bytes may still be committed. Changed with the table locked.
    written: AtomicBool,
}

/// The whole of a mapping.
fn region(raw: &MmapRaw) -> Option<Region> {
    let start = NonNull::new(raw.as_mut_ptr())?;
    let len = u32::try_from(raw.len()).ok()?;
    // SAFETY: the mapping is that long, and initialised as files are. It stays until `raw` is
    // dropped, which all who get the region keep; that nobody shortens the file is the lock
    // file's business (see the module `mmap`).
    Some(unsafe { Region::new(start, len) })
}

fn map_file(file: &File, len: u32) -> io::Result<MmapRaw> {
    MmapOptions::new().len(len as usize).map_raw(file)
}

impl Map {
    /// Maps a file that was just made, to be written.
    pub(crate) fn of_made(file: &File, len: u32) -> io::Result<Arc<Self>> {
        let id = id_of(file)?;
        let raw = map_file(file, len)?;
        let map = Arc::new(Self { raw, id, written: AtomicBool::new(true) });
        maps().insert(id, Arc::downgrade(&map));
        Ok(map)
    }

    /// Maps a file that was found, or answers the map there is; `None` if it is written.
    pub(crate) fn of_found(file: &File, len: u32) -> io::Result<Option<Arc<Self>>> {
        let id = id_of(file)?;
        let mut table = maps();
        // what is upgraded here is dropped with the table unlocked: see `drop`
        if let Some(map) = table.get(&id).and_then(Weak::upgrade) {
            let free = !map.written.load(Ordering::Acquire) && map.raw.len() == len as usize;
            drop(table);
            return Ok(free.then_some(map));
        }
        let raw = map_file(file, len)?;
        let map = Arc::new(Self { raw, id, written: AtomicBool::new(false) });
        table.insert(id, Arc::downgrade(&map));
        Ok(Some(map))
    }

    /// Claims the map for a writer behind `end`; false if it has one, or somebody else reads
    /// there.
    pub(crate) fn claim(self: &Arc<Self>, end: u32) -> bool {
        let _table = maps();
        // nobody else comes to it but through the table, or by a clone of what he has
        let alone = Arc::strong_count(self) == 1;
        // what the last reader did comes before what the writer does
        fence(Ordering::Acquire);
        let free = alone || end as usize == self.raw.len();
        free && !self.written.swap(true, Ordering::AcqRel)
    }

    /// The writer is gone.
    pub(crate) fn let_go(&self) {
        let _table = maps();
        self.written.store(false, Ordering::Release);
    }

    /// All bytes.
    pub(crate) fn region(&self) -> Option<Region> {
        region(&self.raw)
    }

    /// The mapping, for the system's calls.
    pub(crate) fn raw(&self) -> &MmapRaw {
        &self.raw
    }
}

impl Drop for Map {
    fn drop(&mut self) {
        let mut table = maps();
        // a newer map of the same file may stand there by now
        if table.get(&self.id).is_some_and(|map| core::ptr::eq(map.as_ptr(), self)) {
            table.remove(&self.id);
        }
    }
}

fn id_of(file: &File) -> io::Result<Id> {
    let metadata = file.metadata()?;
    Ok((metadata.dev(), metadata.ino()))
}

/// A file of cells in memory.
pub(crate) struct WordMap(MmapRaw);

impl WordMap {
    pub(crate) fn of(file: &File, len: u32) -> io::Result<Self> {
        map_file(file, len).map(Self)
    }

    /// Its words.
    pub(crate) fn words(&self) -> &[AtomicU32] {
        // SAFETY: a mapping starts at a page, lives as long as `self`, and is reached in this
        // process as words only.
        region(&self.0).map_or(&[], |all| unsafe { all.words() })
    }

    /// Makes everything durable.
    pub(crate) fn sync(&self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Private memory that is staged in.
pub(crate) struct Anonymous(MmapRaw);

impl Anonymous {
    /// `len` zeros.
    pub(crate) fn new(len: u32) -> io::Result<Self> {
        Ok(Self(MmapOptions::new().len(len as usize).map_anon()?.into()))
    }

    /// All bytes.
    pub(crate) fn region(&self) -> Option<Region> {
        region(&self.0)
    }

    /// The mapping, for the system's calls.
    pub(crate) fn raw(&self) -> &MmapRaw {
        &self.0
    }
}
