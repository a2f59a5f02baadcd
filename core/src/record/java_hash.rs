//! Java's string hash, on which queue entries and index keys depend (spec 02 section 6).

/// `String.hashCode()`: over UTF-16 units, wrapping.
#[must_use]
pub fn java_hash(text: &str) -> i32 {
    continue_java_hash(0, text)
}

/// The hash of a text whose first part has the hash `so_far`.
///
/// Index keys are `topic + "#" + key`; so no such text need be put together to hash it.
#[must_use]
pub fn continue_java_hash(so_far: i32, text: &str) -> i32 {
    // Bytes, as long as they are ASCII: far cheaper than decoding units.
    let ascii = text.bytes().take_while(u8::is_ascii).count();
    let (head, tail) = text.split_at_checked(ascii).unwrap_or((text, ""));
    let hash = head.bytes().fold(so_far, |h, b| step(h, u16::from(b)));
    tail.encode_utf16().fold(hash, step)
}

/// `String.hashCode()` of stored bytes, which need not be UTF-8: what is not becomes U+FFFD.
#[must_use]
pub fn java_hash_bytes(bytes: &[u8]) -> i32 {
    bytes.utf8_chunks().fold(0, |hash, chunk| {
        let hash = continue_java_hash(hash, chunk.valid());
        if chunk.invalid().is_empty() { hash } else { step(hash, 0xFFFD) }
    })
}

/// The tags code of a message that is not delayed: 0 without tags, else the sign-extended hash
/// of all of `tags` (spec 02 section 7.1).
#[must_use]
pub fn tags_code(tags: Option<&[u8]>) -> i64 {
    tags.map_or(0, |tags| i64::from(java_hash_bytes(tags)))
}

const fn step(hash: i32, unit: u16) -> i32 {
    hash.wrapping_mul(31).wrapping_add(unit as i32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_of_the_specification_hold() {
        assert_eq!(java_hash("TagA"), 0x0027_A807);
        assert_eq!(java_hash("TopicA#U1"), 0x8E8E_D78D_u32 as i32);
        assert_eq!(java_hash(""), 0);
        // C-53: the tags code of "A".
        assert_eq!(tags_code(Some(b"A")), 65);
        assert_eq!(tags_code(Some(b"")), 0);
        assert_eq!(tags_code(None), 0);
    }

    #[test]
    fn characters_outside_the_first_plane_count_as_two_units() {
        // U+1F600 is D83D DE00.
        let by_hand = 0xD83D_i32.wrapping_mul(31).wrapping_add(0xDE00);
        assert_eq!(java_hash("\u{1F600}"), by_hand);
        assert_eq!(java_hash("a\u{1F600}"), java_hash_bytes("a\u{1F600}".as_bytes()));
    }

    #[test]
    fn a_hash_can_be_taken_in_parts() {
        let whole = java_hash("T\u{fc}#key");
        let parts = continue_java_hash(continue_java_hash(java_hash("T\u{fc}"), "#"), "key");
        assert_eq!(whole, parts);
    }

    #[test]
    fn bytes_that_are_not_utf_8_count_as_replacement_characters() {
        assert_eq!(java_hash_bytes(b"a\xFFb"), java_hash("a\u{FFFD}b"));
        assert_eq!(tags_code(Some(b"\xFF")), 0xFFFD);
    }
}
