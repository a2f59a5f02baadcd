//! The client's encoding of a batch (`MessageDecoder.encodeMessage`, spec 02 section 5).
//!
//! Messages follow each other without count or padding. Of each, the store takes flag, body and
//! properties; size, magic code and checksum are whatever the client has written.

use super::layout::PROPERTIES_LEN_MAX;
use super::props::PROPERTY_SEPARATOR;
use crate::cause::Illegal;

/// Position of FLAG behind the three fields that are ignored.
const FLAG_AT: usize = 12;
/// Position of BODY LENGTH.
const BODY_LEN_AT: usize = 16;
/// Position of BODY.
const BODY_AT: usize = 20;

/// One message of an encoded batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inner<'a> {
    /// The user's own flag.
    pub flag: i32,
    /// The payload.
    pub body: &'a [u8],
    /// The property string, which need not be UTF-8.
    pub properties: &'a [u8],
}

impl Inner<'_> {
    /// How long it is when encoded, in bytes.
    ///
    /// # Errors
    /// [`Illegal::RecordTooLong`] for a body, and [`Illegal::PropertiesTooLong`] for properties,
    /// longer than their length field can say.
    pub fn encoded_len(&self) -> Result<usize, Illegal> {
        let (body, properties) = (self.body.len(), self.properties.len());
        if properties > PROPERTIES_LEN_MAX {
            return Err(Illegal::PropertiesTooLong { bytes: properties });
        }
        let limit = i32::MAX as usize - BODY_AT - 2 - PROPERTIES_LEN_MAX;
        if body > limit {
            let (bytes, limit) = (body as u64, limit as u64);
            return Err(Illegal::RecordTooLong { bytes, limit });
        }
        Ok(BODY_AT + body + 2 + properties)
    }

    /// Encodes it at the beginning of `out` and answers its length; `None` if it does not fit
    /// there, or is longer than can be encoded. Magic code and checksum are 0: stores pass over
    /// them.
    pub fn encode(&self, out: &mut [u8]) -> Option<usize> {
        let len = self.encoded_len().ok()?;
        let (head, rest) = out.get_mut(..len)?.split_first_chunk_mut::<BODY_AT>()?;
        head.fill(0);
        // none of the three is longer than its field, by `encoded_len`
        head[..4].copy_from_slice(&(len as u32).to_be_bytes());
        head[FLAG_AT..BODY_LEN_AT].copy_from_slice(&self.flag.to_be_bytes());
        head[BODY_LEN_AT..].copy_from_slice(&(self.body.len() as u32).to_be_bytes());
        let (body, rest) = rest.split_at_mut(self.body.len());
        body.copy_from_slice(self.body);
        let (properties_len, properties) = rest.split_at_mut(2);
        properties_len.copy_from_slice(&(self.properties.len() as u16).to_be_bytes());
        properties.copy_from_slice(self.properties);
        Some(len)
    }

    /// Whether a separator must be put between its properties and those of the batch.
    pub(crate) fn needs_separator(&self, batch_properties_len: usize) -> bool {
        batch_properties_len > 0
            && self.properties.last().is_some_and(|last| *last != PROPERTY_SEPARATOR)
    }
}

/// What is remembered of one message of a batch until it is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BatchItem {
    /// The body's checksum, as stored.
    pub(crate) body_crc: u32,
    /// Length of its record, in bytes.
    pub(crate) record_len: u32,
}

/// How many messages an encoded batch holds.
///
/// # Errors
/// [`Illegal::BatchTorn`] if it ends in the middle of one, or holds a negative length.
pub fn count(encoded: &[u8]) -> Result<usize, Illegal> {
    let mut count = 0;
    for inner in inners(encoded) {
        inner?;
        count += 1;
    }
    Ok(count)
}

/// The messages of an encoded batch; behind an error there are none.
#[must_use]
pub const fn inners(encoded: &[u8]) -> Inners<'_> {
    Inners { encoded, at: 0 }
}

/// Iterator of [`inners`].
#[derive(Clone, Debug)]
pub struct Inners<'a> {
    encoded: &'a [u8],
    at: usize,
}

impl<'a> Iterator for Inners<'a> {
    type Item = Result<Inner<'a>, Illegal>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.at >= self.encoded.len() {
            return None;
        }
        let read = self.read();
        if read.is_err() {
            self.at = self.encoded.len();
        }
        Some(read)
    }
}

impl<'a> Inners<'a> {
    fn read(&mut self) -> Result<Inner<'a>, Illegal> {
        let start = self.at;
        let flag = i32::from_be_bytes(self.field(start + FLAG_AT)?);
        let body_len = i32::from_be_bytes(self.field(start + BODY_LEN_AT)?);
        let torn = Illegal::BatchTorn { at: start + BODY_LEN_AT };
        let body_len = usize::try_from(body_len).map_err(|_| torn)?;
        let (body, end) = self.part(start + BODY_AT, body_len)?;
        let properties_len = i16::from_be_bytes(self.field(end)?);
        let torn = Illegal::BatchTorn { at: end };
        let properties_len = usize::try_from(properties_len).map_err(|_| torn)?;
        let (properties, end) = self.part(end + 2, properties_len)?;
        self.at = end;
        Ok(Inner { flag, body, properties })
    }

    /// `N` bytes at `at`.
    fn field<const N: usize>(&self, at: usize) -> Result<[u8; N], Illegal> {
        let bytes = self.encoded.get(at..).and_then(<[u8]>::first_chunk::<N>);
        bytes.copied().ok_or(Illegal::BatchTorn { at })
    }

    /// `len` bytes at `at`, and where they end.
    fn part(&self, at: usize, len: usize) -> Result<(&'a [u8], usize), Illegal> {
        let end = at.checked_add(len).ok_or(Illegal::BatchTorn { at })?;
        let bytes = self.encoded.get(at..end).ok_or(Illegal::BatchTorn { at })?;
        Ok((bytes, end))
    }
}

#[cfg(test)]
mod tests;
