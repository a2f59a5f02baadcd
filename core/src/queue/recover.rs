//! Where a queue that was found ends (spec 03 sections 7.2 and 7.3), as steps over its files.
//!
//! The driver opens the files, asks here about each, and seals, resumes or removes it. What lies
//! behind the end is made zero by [`Found::resume`](crate::segment::Found::resume); before
//! anything is cut, the driver lowers what `mqstore.state` promises (spec 08 section 1).
//!
//! Two things differ from RocketMQ. A file whose first entry is empty gets no made-up entry of
//! size 0 (the defect of spec 03 section 7.3). And fillers do not say where a record ends:
//! RocketMQ takes 2,147,483,647 from a queue that holds nothing else, and would leave every
//! message of the log's first 2 GiB out of it.

use crate::queue::Cell;
use crate::queue::ext::is_address;
use crate::queue::read::Cells;
use crate::segment::Readable;

/// RocketMQ looks at so many files of each queue.
const FILES_LOOKED_AT: usize = 3;

/// Where the entries of a file end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileEnd {
    /// Bytes of the file that hold entries.
    pub end: u32,
    /// End of the last record that has an entry, bytes in the log; fillers do not count.
    pub max_physical: Option<i64>,
    /// The last tags code that is an address of an extension unit.
    pub max_ext: Option<i64>,
}

/// Looks for the first place without an entry, or with one at or behind `below` of the log.
///
/// `scratch` is where a medium that lends nothing is read to; it may be empty.
///
/// # Errors
/// What the medium says: an unreadable place is no end.
pub fn find_end<R: Readable>(
    file: &R,
    below: i64,
    scratch: &mut [u8],
) -> Result<FileEnd, R::Error> {
    let capacity = file.geometry().capacity;
    let mut found = FileEnd::default();
    for cell in Cells::new(file, 0, capacity - capacity % Cell::LEN, scratch) {
        let cell = cell?;
        if !cell.is_valid() || cell.physical_offset >= below {
            break;
        }
        found.end += Cell::LEN;
        if cell != Cell::FILLER {
            found.max_physical = Some(cell.physical_offset.saturating_add(cell.size.into()));
        }
        if is_address(cell.tags_code) {
            found.max_ext = Some(cell.tags_code);
        }
    }
    Ok(found)
}

/// How many of a queue's files a recovery need not look at: they are full.
#[must_use]
pub const fn files_to_skip(files: usize) -> usize {
    files.saturating_sub(FILES_LOOKED_AT)
}

/// What to do with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is full: ask about the next one. The last of all is resumed at its end.
    Full,
    /// The queue ends in it, at this byte of the file: it is resumed there, and what is behind
    /// it is removed.
    EndsAt(u32),
}

/// What the files that were looked at have said, in ascending order (`ConsumeQueue.recover`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueueRecovery {
    /// End of the last record that has an entry, bytes in the log; for
    /// [`QueueWriter::resume`](super::QueueWriter::resume).
    pub max_physical: Option<i64>,
    /// The last address of an extension unit: behind it the extension is cut.
    pub max_ext: Option<i64>,
}

impl QueueRecovery {
    /// Looks at the next file.
    ///
    /// # Errors
    /// What the medium says; then nothing may be cut.
    pub fn look_at<R: Readable>(
        &mut self,
        file: &R,
        scratch: &mut [u8],
    ) -> Result<Verdict, R::Error> {
        let found = find_end(file, i64::MAX, scratch)?;
        self.max_physical = found.max_physical.or(self.max_physical);
        self.max_ext = found.max_ext.or(self.max_ext);
        let capacity = file.geometry().capacity;
        let full = found.end == capacity - capacity % Cell::LEN;
        Ok(if full { Verdict::Full } else { Verdict::EndsAt(found.end) })
    }
}

/// Decides about the **last** file of a queue whose log was cut at `phy`
/// (`truncateDirtyLogicFiles`): where it ends now, or `None` if nothing of it stays. It is
/// removed then, and the one before it is asked about.
///
/// # Errors
/// What the medium says; then nothing may be cut.
pub fn cut_file<R: Readable>(
    file: &R,
    phy: i64,
    scratch: &mut [u8],
) -> Result<Option<FileEnd>, R::Error> {
    find_end(file, phy, scratch).map(|found| (found.end > 0).then_some(found))
}
