//! One record of a medium that lends no bytes, copied into a caller's buffer.

use crate::record::layout::MESSAGE_MAGIC_CODE;
use crate::record::parse::peek;
use crate::segment::{ErrorKind, MediumError, Readable};

/// Why there are no bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoBytes {
    /// The buffer is too short: it must have so many bytes.
    Scratch { needed: usize },
    /// What the medium says.
    Medium { base: u64, kind: ErrorKind },
}

/// Reads what lies at `at`, with `room` visible bytes from there, into `scratch`: a whole record
/// if there is one, else its first `head` bytes, which say what is wrong. Never more: the rest of
/// a file may be long.
pub(crate) fn read_record<'a, R: Readable>(
    segment: &R,
    at: u32,
    room: u32,
    head: usize,
    scratch: &'a mut [u8],
) -> Result<&'a [u8], NoBytes> {
    let room = room as usize;
    let head_len = room.min(head);
    let head = read_to(segment, at, head_len, scratch)?;
    let len = match peek(head) {
        Some((size, MESSAGE_MAGIC_CODE)) => usize::try_from(size).unwrap_or(0),
        _ => 0,
    };
    if len <= head_len || len > room {
        return Ok(scratch.get(..head_len).unwrap_or_default());
    }
    read_to(segment, at, len, scratch)
}

/// Reads `len` bytes at `at` into the beginning of `scratch`.
fn read_to<'a, R: Readable>(
    segment: &R,
    at: u32,
    len: usize,
    scratch: &'a mut [u8],
) -> Result<&'a [u8], NoBytes> {
    let out = scratch.get_mut(..len).ok_or(NoBytes::Scratch { needed: len })?;
    let failed = |kind| NoBytes::Medium { base: segment.base(), kind };
    segment.read(at, out).map_err(|e| failed(e.kind()))?;
    Ok(out)
}
