//! Reading a segment from front to back: lent where the medium is memory, else through a buffer
//! that holds a part of it.

use mqstore_core::segment::Readable;

use crate::error::OpenError;

/// The buffer holds so many bytes, or the longest record that was asked for.
const BUFFER: u32 = 64 << 10;

/// A segment, and the part of it that was read last.
pub(super) struct Reading<'a, R> {
    segment: &'a R,
    capacity: u32,
    /// Where the buffer begins.
    at: u32,
    buffer: Vec<u8>,
}

impl<'a, R: Readable> Reading<'a, R> {
    pub(super) fn new(segment: &'a R) -> Self {
        let capacity = segment.geometry().capacity;
        Self { segment, capacity, at: 0, buffer: Vec::new() }
    }

    /// Bytes from `at` on: at least `least` of them, unless the segment ends before that.
    pub(super) fn from(&mut self, at: u32, least: usize) -> Result<&[u8], OpenError> {
        let rest = self.capacity.saturating_sub(at);
        if let Some(lent) = self.segment.view(at, rest) {
            return Ok(lent);
        }
        let least = least.min(rest as usize);
        let skip = at.checked_sub(self.at).map_or(usize::MAX, |skip| skip as usize);
        let held = self.buffer.len().saturating_sub(skip);
        if skip > self.buffer.len() || held < least {
            self.fill(at, least.max(BUFFER as usize).min(rest as usize))?;
            return Ok(&self.buffer);
        }
        Ok(self.buffer.get(skip..).unwrap_or_default())
    }

    fn fill(&mut self, at: u32, len: usize) -> Result<(), OpenError> {
        self.at = at;
        self.buffer.clear();
        self.buffer.resize(len, 0);
        let read = self.segment.read(at, &mut self.buffer);
        read.map_err(|e| OpenError::medium("reading the commit log", &e))
    }

    /// Where the first byte from `at` on lies that is not zero.
    pub(super) fn first_non_zero(&mut self, at: u32) -> Result<Option<u32>, OpenError> {
        let mut at = at;
        while at < self.capacity {
            let bytes = self.from(at, 1)?;
            if let Some(n) = bytes.iter().position(|b| *b != 0) {
                return Ok(Some(at + u32::try_from(n).unwrap_or(u32::MAX)));
            }
            at += u32::try_from(bytes.len()).unwrap_or(u32::MAX);
        }
        Ok(None)
    }
}
