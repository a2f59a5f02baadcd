//! One entry of a consume queue: 20 bytes that point into the log (spec 02 section 7).

/// One entry of a consume queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cell {
    /// PHYSICALOFFSET of the record.
    pub physical_offset: i64,
    /// TOTALSIZE of the record, in bytes.
    pub size: i32,
    /// Hash of the tags, time of delivery, or address of an extension unit.
    pub tags_code: i64,
}

impl Cell {
    /// Its length in bytes.
    pub const LEN: u32 = 20;

    /// Stands for an entry before the first one of a queue.
    pub const FILLER: Self = Self { physical_offset: 0, size: i32::MAX, tags_code: 0 };

    /// Its bytes.
    #[must_use]
    pub fn encode(self) -> [u8; Self::LEN as usize] {
        let mut out = [0; Self::LEN as usize];
        out[..8].copy_from_slice(&self.physical_offset.to_be_bytes());
        out[8..12].copy_from_slice(&self.size.to_be_bytes());
        out[12..].copy_from_slice(&self.tags_code.to_be_bytes());
        out
    }

    /// What these bytes say.
    #[must_use]
    pub fn decode(bytes: &[u8; Self::LEN as usize]) -> Self {
        let [a, b, c, d, e, f, g, h, s0, s1, s2, s3, rest @ ..] = *bytes;
        Self {
            physical_offset: i64::from_be_bytes([a, b, c, d, e, f, g, h]),
            size: i32::from_be_bytes([s0, s1, s2, s3]),
            tags_code: i64::from_be_bytes(rest),
        }
    }

    /// Whether an entry has been written here.
    #[must_use]
    pub const fn is_valid(&self) -> bool {
        self.physical_offset >= 0 && self.size > 0
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_twenty_bytes_big_endian() {
        let cell = Cell { physical_offset: 0x0102_0304, size: 0x99, tags_code: -2 };
        let bytes = cell.encode();
        assert_eq!(bytes[..12], [0, 0, 0, 0, 1, 2, 3, 4, 0, 0, 0, 0x99]);
        assert_eq!(bytes[12..], (-2_i64).to_be_bytes());
        assert_eq!(Cell::decode(&bytes), cell);
    }

    #[test]
    fn zeros_are_no_entry_and_a_filler_is_one() {
        assert!(!Cell::decode(&[0; 20]).is_valid());
        assert!(Cell::FILLER.is_valid());
        assert!(!Cell { physical_offset: -1, size: 1, tags_code: 0 }.is_valid());
    }
}
