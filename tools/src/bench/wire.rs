//! The client's encoding of a batch, as producers make it (`MessageDecoder.encodeMessages`).

/// One message of a batch.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Inner<'a> {
    /// The user's own flag.
    pub(crate) flag: i32,
    /// The payload.
    pub(crate) body: &'a [u8],
    /// The property string, at most 32767 bytes.
    pub(crate) properties: &'a str,
}

/// Appends one message to an encoded batch. Size, magic code and checksum are 0 but for the
/// size: stores pass over all three. A part that is longer than its length field can say makes a
/// torn batch, which stores refuse.
pub(crate) fn encode(inner: Inner<'_>, out: &mut Vec<u8>) {
    let len = |n: usize| i32::try_from(n).unwrap_or(i32::MAX).to_be_bytes();
    let properties = i16::try_from(inner.properties.len()).unwrap_or(i16::MAX);
    out.extend_from_slice(&len(22 + inner.body.len() + inner.properties.len()));
    out.extend_from_slice(&[0; 8]);
    out.extend_from_slice(&inner.flag.to_be_bytes());
    out.extend_from_slice(&len(inner.body.len()));
    out.extend_from_slice(inner.body);
    out.extend_from_slice(&properties.to_be_bytes());
    out.extend_from_slice(inner.properties.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use mqstore_core::record::batch::inners;

    #[test]
    fn the_store_reads_what_is_encoded() {
        let mut bytes = Vec::new();
        encode(Inner { flag: 5, body: b"b1", properties: "KEYS\u{1}K1" }, &mut bytes);
        encode(Inner { flag: -1, body: b"", properties: "" }, &mut bytes);
        let read: Vec<_> = inners(&bytes).map(Result::unwrap).collect();
        assert_eq!(
            (read[0].flag, read[0].body, read[0].properties),
            (5, &b"b1"[..], &b"KEYS\x01K1"[..])
        );
        assert_eq!((read[1].flag, read[1].body, read.len()), (-1, &b""[..], 2));
    }
}
