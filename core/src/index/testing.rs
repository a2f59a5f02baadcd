//! Cells in a vector, and files made of them, for the tests of the index.

use core::cell::{Cell, RefCell};
use std::rc::Rc;
use std::vec;
use std::vec::Vec;

use super::builder::IndexShelf;
use super::*;
use crate::segment::{Cells, ErrorKind};

/// Cells in memory that can be told to fail.
#[derive(Clone, Debug)]
pub(super) struct VecCells {
    pub(super) bytes: Rc<RefCell<Vec<u8>>>,
    /// So many more writes succeed.
    pub(super) writes: Rc<Cell<u32>>,
}

impl VecCells {
    pub(super) fn new(len: u64) -> Self {
        let bytes = vec![0; usize::try_from(len).unwrap()];
        Self { bytes: Rc::new(RefCell::new(bytes)), writes: Rc::new(Cell::new(u32::MAX)) }
    }
}

impl Cells for VecCells {
    type Error = ErrorKind;

    fn len(&self) -> u64 {
        self.bytes.borrow().len() as u64
    }

    fn get(&self, at: u64, out: &mut [u8]) -> Result<(), ErrorKind> {
        assert!(at.is_multiple_of(4) && out.len().is_multiple_of(4));
        let (at, bytes) = (usize::try_from(at).unwrap(), self.bytes.borrow());
        out.copy_from_slice(bytes.get(at..at + out.len()).ok_or(ErrorKind::OutOfBounds)?);
        Ok(())
    }

    fn set(&self, at: u64, new: &[u8]) -> Result<(), ErrorKind> {
        assert!(at.is_multiple_of(4) && new.len().is_multiple_of(4));
        let left = self.writes.get().checked_sub(1).ok_or(ErrorKind::Device)?;
        self.writes.set(left);
        let (at, mut bytes) = (usize::try_from(at).unwrap(), self.bytes.borrow_mut());
        let place = bytes.get_mut(at..at + new.len()).ok_or(ErrorKind::OutOfBounds)?;
        place.copy_from_slice(new);
        Ok(())
    }

    fn sync(&self) -> Result<(), ErrorKind> {
        Ok(())
    }
}

pub(super) type File = Rc<IndexFile<VecCells>>;
pub(super) type Writer = IndexWriter<VecCells, File>;

pub(super) fn geometry(slots: u32, entries: u32) -> IndexGeometry {
    IndexGeometry::new(slots, entries).unwrap()
}

/// A new file and its cells.
pub(super) fn new_file(geometry: IndexGeometry, new: IndexHeader) -> (File, VecCells) {
    let cells = VecCells::new(geometry.file_len());
    (Rc::new(IndexFile::create(cells.clone(), geometry, new).unwrap()), cells)
}

/// The file that a process finds there which knows nothing of the one before it.
pub(super) fn reopen(cells: &VecCells, geometry: IndexGeometry) -> File {
    cells.writes.set(u32::MAX);
    Rc::new(IndexFile::open(cells.clone(), geometry).unwrap())
}

/// Files in memory, from old to new.
pub(super) struct Shelf {
    pub(super) geometry: IndexGeometry,
    pub(super) files: Vec<(u64, File, VecCells)>,
    pub(super) now: u64,
    /// So many more files cannot be made.
    pub(super) failures: u32,
    /// End timestamps of files that became full.
    pub(super) full: Vec<i64>,
}

impl Shelf {
    pub(super) fn new(slots: u32, entries: u32) -> Self {
        let geometry = geometry(slots, entries);
        let (files, full) = (Vec::new(), Vec::new());
        Self { geometry, files, now: 20_240_101_120_000_000, failures: 0, full }
    }

    /// The files from new to old.
    pub(super) fn newest_first(&self) -> impl Iterator<Item = File> {
        self.files.iter().rev().map(|(_, file, _)| Rc::clone(file))
    }
}

impl IndexShelf for Shelf {
    type Cells = VecCells;
    type File = File;

    fn local_time(&self) -> u64 {
        self.now
    }

    fn add(&mut self, name: u64, new: IndexHeader, full: Option<&File>) -> Result<File, ErrorKind> {
        if let Some(left) = self.failures.checked_sub(1) {
            self.failures = left;
            return Err(ErrorKind::NoSpace);
        }
        self.full.extend(full.map(|file| file.end_timestamp()));
        let (file, cells) = new_file(self.geometry, new);
        self.files.push((name, Rc::clone(&file), cells));
        Ok(file)
    }
}
