//! Reading an extension unit by its address.

use super::offset_of;
use super::unit::{Unit, stored_len};
use crate::log::CommitLog;
use crate::segment::{ErrorKind, Readable, Segment, SegmentTable};

/// Where a unit is stored; holds its file while it lives.
pub struct Stored<S> {
    file: S,
    at: u32,
    len: u32,
}

/// The length of the unit at byte `at` of a file of which `end` bytes may be read.
pub(super) fn len_at<R: Readable>(file: &R, at: u32, end: u32) -> Result<Option<u32>, R::Error> {
    let room = end.saturating_sub(at);
    if room < 2 {
        return Ok(None);
    }
    let mut head = [0; 2];
    match file.view(at, 2).and_then(|v| v.first_chunk()) {
        Some(lent) => head = *lent,
        None => file.read(at, &mut head)?,
    }
    Ok(stored_len(&head).filter(|len| *len <= room))
}

/// Looks for the unit with this address; `None` if it is no address, or there is no whole unit.
///
/// RocketMQ takes the first file for a missing one at offset 0, and gives a unit of another
/// entry out; here it is missing.
///
/// # Errors
/// What the medium says.
pub fn find<S: Segment, T: SegmentTable<S>>(
    files: &CommitLog<S, T>,
    address: i64,
) -> Result<Option<Stored<S>>, S::Error> {
    let Some(offset) = offset_of(address) else { return Ok(None) };
    let Some(file) = files.table().holding(offset) else { return Ok(None) };
    let at = u32::try_from(offset - file.base()).unwrap_or(u32::MAX);
    let end = file.marks().visible(file.geometry().staged);
    Ok(len_at(&file, at, end)?.map(|len| Stored { file, at, len }))
}

impl<S: Segment> Stored<S> {
    /// The unit. `scratch` is where a medium that lends nothing is read to:
    /// [`MAX_UNIT_LEN`](super::MAX_UNIT_LEN) bytes are enough for every unit.
    ///
    /// # Errors
    /// [`ErrorKind::BadSize`] if it is needed and too short, or what the medium says.
    pub fn unit<'a>(&'a self, scratch: &'a mut [u8]) -> Result<Option<Unit<'a>>, S::Error> {
        if let Some(bytes) = self.file.view(self.at, self.len) {
            return Ok(Unit::decode(bytes));
        }
        let Some(bytes) = scratch.get_mut(..self.len as usize) else {
            return Err(ErrorKind::BadSize.into());
        };
        self.file.read(self.at, bytes)?;
        Ok(Unit::decode(bytes))
    }
}
