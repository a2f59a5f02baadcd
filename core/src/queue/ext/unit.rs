//! The bytes of an extension unit.
//!
//! ```text
//! 0   2  length of the unit: 20 + that of the bitmap
//! 2   8  tags code
//! 10  8  store time of the message, milliseconds since 1970
//! 18  2  length of the bitmap
//! 20  b  bitmap of the filters that may match
//! ```

/// Bytes of a unit without a bitmap.
pub const MIN_UNIT_LEN: u32 = 20;

/// Bytes of the longest unit.
pub const MAX_UNIT_LEN: u32 = i16::MAX as u32;

/// Stands where a unit does not fit any more.
pub(super) const END_MARK: [u8; 2] = (-1_i16).to_be_bytes();

/// An extension unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unit<'a> {
    /// Hash of the tags, or time of delivery: what the entry would hold itself.
    pub tags_code: i64,
    /// Store time of the message, milliseconds since 1970.
    pub store_time: i64,
    /// The filters' bitmap; may be empty.
    pub bitmap: &'a [u8],
}

impl<'a> Unit<'a> {
    /// Its length in bytes; `None` if no unit is so long.
    #[must_use]
    pub fn byte_len(&self) -> Option<u32> {
        let bitmap = u32::try_from(self.bitmap.len()).ok()?;
        bitmap.checked_add(MIN_UNIT_LEN).filter(|len| *len <= MAX_UNIT_LEN)
    }

    /// Writes it to `out`, which has exactly its length.
    pub(super) fn encode(&self, out: &mut [u8]) {
        let short = |n: usize| u16::try_from(n).unwrap_or(u16::MAX).to_be_bytes();
        let len = short(out.len());
        let Some((head, bitmap)) = out.split_first_chunk_mut::<{ MIN_UNIT_LEN as usize }>() else {
            return;
        };
        head[..2].copy_from_slice(&len);
        head[2..10].copy_from_slice(&self.tags_code.to_be_bytes());
        head[10..18].copy_from_slice(&self.store_time.to_be_bytes());
        head[18..].copy_from_slice(&short(bitmap.len()));
        bitmap.copy_from_slice(self.bitmap);
    }

    /// The unit that these bytes begin with; `None` if they do not begin with a whole one.
    #[must_use]
    pub fn decode(bytes: &'a [u8]) -> Option<Self> {
        let len = stored_len(bytes)?;
        let (head, rest) = bytes.get(..len as usize)?.split_first_chunk::<20>()?;
        let [_, _, t0, t1, t2, t3, t4, t5, t6, t7, s @ .., b0, b1] = *head;
        let bitmap = i16::from_be_bytes([b0, b1]);
        Some(Self {
            tags_code: i64::from_be_bytes([t0, t1, t2, t3, t4, t5, t6, t7]),
            store_time: i64::from_be_bytes(s),
            // below 1: none
            bitmap: rest.get(..usize::try_from(bitmap).unwrap_or(0))?,
        })
    }
}

/// What the first bytes of a unit say about its length; `None` if there is no unit: zeros, the
/// mark of the end, or damage.
pub(super) fn stored_len(bytes: &[u8]) -> Option<u32> {
    let len = i16::from_be_bytes(*bytes.first_chunk()?);
    u32::try_from(len).ok().filter(|len| *len >= MIN_UNIT_LEN)
}
