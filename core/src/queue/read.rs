//! Entries one after the other, without a copy where the medium lends its bytes, through the
//! caller's buffer elsewhere.

use crate::queue::Cell;
use crate::segment::{Readable, Segment};

/// Bytes of an entry.
const LEN: usize = Cell::LEN as usize;

/// The entry at byte `at` of a file.
pub(super) fn cell_at<R: Readable>(file: &R, at: u32) -> Result<Cell, R::Error> {
    let mut bytes = [0; LEN];
    match file.view(at, Cell::LEN).and_then(|v| v.first_chunk()) {
        Some(lent) => bytes = *lent,
        None => file.read(at, &mut bytes)?,
    }
    Ok(Cell::decode(&bytes))
}

/// Up to where a file holds whole entries which readers may see, in bytes.
pub(super) fn visible_end<S: Segment>(file: &S) -> u32 {
    let end = file.marks().visible(file.geometry().staged);
    end - end % Cell::LEN
}

/// The last entry of a file that readers may see. Where the medium knows no times of its files,
/// the store time of this entry's record is one.
///
/// # Errors
/// What the medium says.
pub fn newest<S: Segment>(file: &S) -> Result<Option<Cell>, S::Error> {
    visible_end(file).checked_sub(Cell::LEN).map(|at| cell_at(file, at)).transpose()
}

/// The entries of one file from a given one on; holds the file while it lives.
pub struct Run<S> {
    file: S,
    at: u32,
    end: u32,
}

impl<S: Segment> Run<S> {
    /// The entries of `file` from byte `at` to those last seen now.
    pub(super) fn new(file: S, at: u32) -> Self {
        let end = visible_end(&file);
        Self { file, at, end }
    }

    /// How many entries.
    pub const fn len(&self) -> u32 {
        (self.end - self.at) / Cell::LEN
    }

    /// Whether there is none.
    pub const fn is_empty(&self) -> bool {
        self.end == self.at
    }

    /// At most so many of them.
    #[must_use]
    pub fn at_most(mut self, entries: u32) -> Self {
        let len = entries.saturating_mul(Cell::LEN);
        self.end = self.at.saturating_add(len).min(self.end);
        self
    }

    /// Their bytes, where the medium lends them.
    pub fn bytes(&self) -> Option<&[u8]> {
        self.file.view(self.at, self.end - self.at)
    }

    /// The entries, one after the other. `scratch` is where a medium that lends nothing is read
    /// to, as many whole entries at once as fit; it may be empty.
    pub fn cells<'a>(&'a self, scratch: &'a mut [u8]) -> Cells<'a, S> {
        Cells::new(&self.file, self.at, self.end, scratch)
    }
}

/// Entries of a file in order; ends behind the first error.
pub struct Cells<'a, R> {
    file: &'a R,
    /// All of them, where the medium lends them.
    lent: Option<&'a [u8]>,
    /// What has been read ahead lies in `scratch[from..filled]`.
    scratch: &'a mut [u8],
    from: usize,
    filled: usize,
    /// What has not been read yet, bytes in the file.
    at: u32,
    end: u32,
}

impl<'a, R: Readable> Cells<'a, R> {
    /// The entries in `[at, end)` of a file.
    pub(super) fn new(file: &'a R, at: u32, end: u32, scratch: &'a mut [u8]) -> Self {
        let lent = file.view(at, end - at);
        Self { file, lent, scratch, from: 0, filled: 0, at, end }
    }

    /// Takes the next entry from the buffer, which is filled first if it is used up.
    fn next_copied(&mut self) -> Result<Option<Cell>, R::Error> {
        if self.from == self.filled {
            if self.at >= self.end {
                return Ok(None);
            }
            if self.scratch.len() < LEN {
                return self.next_unbuffered().map(Some);
            }
            self.fill()?;
        }
        let next = self.scratch.get(self.from..self.filled).and_then(|b| b.first_chunk());
        self.from += LEN;
        Ok(next.map(Cell::decode))
    }

    fn next_unbuffered(&mut self) -> Result<Cell, R::Error> {
        let cell = cell_at(self.file, self.at)?;
        self.at += Cell::LEN;
        Ok(cell)
    }

    fn fill(&mut self) -> Result<(), R::Error> {
        let room = self.scratch.len() - self.scratch.len() % LEN;
        let len = room.min((self.end - self.at) as usize);
        if let Some(out) = self.scratch.get_mut(..len) {
            self.file.read(self.at, out)?;
        }
        (self.from, self.filled) = (0, len);
        // no more than `end - at`
        self.at += u32::try_from(len).unwrap_or(0);
        Ok(())
    }
}

impl<R: Readable> Iterator for Cells<'_, R> {
    type Item = Result<Cell, R::Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(bytes) = self.lent {
            let (next, rest) = bytes.split_first_chunk()?;
            self.lent = Some(rest);
            return Some(Ok(Cell::decode(next)));
        }
        let next = self.next_copied();
        if next.is_err() {
            (self.at, self.from) = (self.end, self.filled);
        }
        next.transpose()
    }
}
