//! The filler behind the last record of a file (spec 01 section 5.4, spec 02 section 1.1).

use super::layout::{BLANK_MAGIC_CODE, END_FILE_MIN_BLANK_LENGTH};

/// Bytes that are written; the rest of the file stays what it is.
pub const BLANK_LEN: u32 = END_FILE_MIN_BLANK_LENGTH;

/// Writes the filler to the first [`BLANK_LEN`] bytes of `out`; `remaining` is the number of
/// bytes left in the file, the filler included.
///
/// A shorter `out` stays as it is: there is no such filler.
pub fn write(out: &mut [u8], remaining: u32) {
    if let Some((size, rest)) = out.split_first_chunk_mut::<4>()
        && let Some(magic) = rest.first_chunk_mut::<4>()
    {
        *size = remaining.to_be_bytes();
        *magic = BLANK_MAGIC_CODE.to_be_bytes();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_filler_of_the_java_store_is_reproduced() {
        let mut out = [0xFF; 9];
        write(&mut out, 8192 - 326);
        assert_eq!(out, [0x00, 0x00, 0x1E, 0xBA, 0xCB, 0xD4, 0x31, 0x94, 0xFF]);
        let mut short = [0xFF; 7];
        write(&mut short, 7);
        assert_eq!(short, [0xFF; 7]);
    }
}
