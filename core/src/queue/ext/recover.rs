//! Where an extension ends, and what of it is not needed (spec 03 section 7.5).

use super::get::len_at;
use super::offset_of;
use crate::segment::Readable;

/// Where the units of a file end, bytes from its start. Only the **last** file is looked at: the
/// ones before it are full, and RocketMQ, which looks at all of them, cuts nothing there.
///
/// A mark at the end is no unit: the next one decides again whether it fits.
///
/// # Errors
/// What the medium says: an unreadable place is no end.
pub fn find_end<R: Readable>(file: &R) -> Result<u32, R::Error> {
    let capacity = file.geometry().capacity;
    let mut end = 0;
    while let Some(len) = len_at(file, end, capacity)? {
        end += len;
    }
    Ok(end)
}

/// The offset behind the unit with this address, at which the series is cut if no entry points
/// further (`truncateByMaxAddress`): of the file that holds it. `None` if it is no address, or
/// no whole unit of this file: nothing is cut then.
///
/// # Errors
/// What the medium says; then nothing may be cut.
pub fn end_behind<R: Readable>(file: &R, address: i64) -> Result<Option<u64>, R::Error> {
    let Some(offset) = offset_of(address) else { return Ok(None) };
    let capacity = file.geometry().capacity;
    let Some(Ok(at)) = offset.checked_sub(file.base()).map(u32::try_from) else {
        return Ok(None);
    };
    Ok(len_at(file, at, capacity)?.map(|len| offset + u64::from(len)))
}

/// Whether a file that ends at `end`, bytes in the series, lies wholly before the unit to which
/// the queue's first entry points, and may be removed (`truncateByMinAddress`). One that ends
/// just there stays, as in RocketMQ.
#[must_use]
pub fn is_not_needed(end: u64, min_address: i64) -> bool {
    offset_of(min_address).is_some_and(|offset| end < offset)
}
