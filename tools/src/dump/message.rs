//! A message of the commit log, read as `MessageDecoder.decode` reads it, but without trusting
//! any length in it.

use core::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::io;

use mqstore_core::record::layout;
use mqstore_core::record::msgid::MessageId;
use mqstore_core::record::props::text_entries;
use sha2::{Digest as _, Sha256};

use super::item::{Item, Message};
use super::java_text;
use super::source::Source;
use crate::replay::data::hex;

/// Reads the fields of a record one after the other, and never past its end.
struct Cursor<'s> {
    source: &'s mut Source,
    at: u64,
    end: u64,
}

/// Why a record cannot be decoded.
enum Bad {
    Io(io::Error),
    Why(String),
}

impl From<io::Error> for Bad {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl Cursor<'_> {
    fn skip(&mut self, n: u64, what: &str) -> Result<u64, Bad> {
        let at = self.at;
        if self.end - at < n {
            let left = self.end - at;
            return Err(Bad::Why(format!("{what}: {n} bytes wanted, and {left} left")));
        }
        self.at += n;
        Ok(at)
    }

    fn take<const N: usize>(&mut self, what: &str) -> Result<[u8; N], Bad> {
        let at = self.skip(N as u64, what)?;
        self.source.bytes(at)?.ok_or_else(|| Bad::Why(format!("{what}: the file has been cut")))
    }

    fn int(&mut self, what: &str) -> Result<i32, Bad> {
        self.take(what).map(i32::from_be_bytes)
    }

    fn long(&mut self, what: &str) -> Result<i64, Bad> {
        self.take(what).map(i64::from_be_bytes)
    }

    /// At most 32767 bytes.
    fn text(&mut self, len: u16, what: &str) -> Result<String, Bad> {
        let at = self.skip(u64::from(len), what)?;
        let mut bytes = vec![0; usize::from(len)];
        self.source.copy(at, &mut bytes)?;
        Ok(java_text::decode(&bytes))
    }

    fn host(&mut self, len: usize, what: &str) -> Result<SocketAddr, Bad> {
        let ip = if len == layout::HOST_V4_LEN {
            IpAddr::V4(Ipv4Addr::from(self.take::<4>(what)?))
        } else {
            IpAddr::V6(Ipv6Addr::from(self.take::<16>(what)?)).to_canonical()
        };
        let port = self.int(what)?;
        let port =
            u16::try_from(port).map_err(|_| Bad::Why(format!("{what}: {port} is no port")))?;
        Ok(SocketAddr::new(ip, port))
    }
}

/// The record of `size` bytes at position `pos` of a file; `off` is its place in the log.
pub(super) fn read(
    source: &mut Source,
    pos: u64,
    off: u64,
    size: u32,
    sha: bool,
) -> io::Result<Item> {
    let end = pos + u64::from(size);
    let decoded = decode(&mut Cursor { source, at: pos, end }, off, size, sha);
    let sha256 = if sha { Some(source.sha256(pos, end)?) } else { None };
    match decoded {
        Ok(mut message) => {
            message.sha256 = sha256;
            Ok(Item::Message(Box::new(message)))
        }
        Err(Bad::Io(error)) => Err(error),
        Err(Bad::Why(why)) => {
            let body_crc = source.int(pos + layout::BODY_CRC_AT as u64)?.unwrap_or(0);
            Ok(Item::Undecoded { off, size, body_crc, why, sha256 })
        }
    }
}

fn decode(c: &mut Cursor<'_>, off: u64, size: u32, sha: bool) -> Result<Message, Bad> {
    c.skip(8, "TOTALSIZE and MAGICCODE")?;
    let body_crc = c.int("BODYCRC")?;
    let queue_id = c.int("QUEUEID")?;
    let flag = c.int("FLAG")?;
    let queue_offset = c.long("QUEUEOFFSET")?;
    let physical_offset = c.long("PHYSICALOFFSET")?;
    let sys_flag = c.int("SYSFLAG")?;
    let born_timestamp = c.long("BORNTIMESTAMP")?;
    let born_host = c.host(layout::born_host_len(sys_flag), "BORNHOST")?;
    let store_timestamp = c.long("STORETIMESTAMP")?;
    let store_host = c.host(layout::store_host_len(sys_flag), "STOREHOST")?;
    let reconsume_times = c.int("RECONSUMETIMES")?;
    let prepared_transaction_offset = c.long("PREPARED TRANSACTION OFFSET")?;
    let body_len = c.int("BODY LENGTH")?;
    let (crc, body_sha256) = body(c, body_len, sha)?;
    let [topic_len] = c.take("TOPIC LENGTH")?.map(u8::cast_signed);
    let len =
        u16::try_from(topic_len).map_err(|_| Bad::Why(format!("TOPIC LENGTH {topic_len}")))?;
    let topic = c.text(len, "TOPIC")?;
    let properties_len = i16::from_be_bytes(c.take("PROPERTIES LENGTH")?);
    let properties_raw = c.text(u16::try_from(properties_len).unwrap_or(0), "PROPERTIES")?;
    Ok(Message {
        off,
        size,
        body_crc,
        crc_ok: body_crc == crc,
        queue_id,
        flag,
        queue_offset,
        physical_offset,
        sys_flag,
        born_timestamp,
        born_host,
        store_timestamp,
        store_host,
        reconsume_times,
        prepared_transaction_offset,
        body_len,
        body_sha256,
        topic,
        topic_len,
        properties_len,
        properties: sorted(&properties_raw),
        properties_raw,
        msg_id: MessageId::new(&store_host, physical_offset.cast_unsigned()).to_string(),
        size_ok: c.at == c.end,
        sha256: None,
    })
}

/// Checksum of the body, and its SHA-256 if asked for. A negative length counts as 0.
fn body(c: &mut Cursor<'_>, len: i32, sha: bool) -> Result<(i32, Option<String>), Bad> {
    let at = c.skip(u64::try_from(len).unwrap_or(0), "BODY")?;
    let (mut crc, mut hash) = (crc32fast::Hasher::new(), Sha256::new());
    let end = c.at;
    c.source.each(at, end, |_, piece| {
        crc.update(piece);
        if sha {
            hash.update(piece);
        }
    })?;
    let crc = (crc.finalize() & 0x7FFF_FFFF).cast_signed();
    Ok((crc, sha.then(|| hex(&hash.finalize()))))
}

/// The decoded map: of equal names the last, in the order in which Java sorts strings.
fn sorted(raw: &str) -> Vec<(String, String)> {
    let mut entries: Vec<(usize, &str, &str)> =
        text_entries(raw).enumerate().map(|(i, (name, value))| (i, name, value)).collect();
    entries.sort_by(|a, b| java_text::compare(a.1, b.1).then(b.0.cmp(&a.0)));
    entries.dedup_by(|later, kept| later.1 == kept.1);
    entries.into_iter().map(|(_, name, value)| (name.to_owned(), value.to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::sorted;

    #[test]
    fn of_equal_names_the_last_one_counts() {
        let raw = "b\u{1}1\u{2}a\u{1}2\u{2}b\u{1}3\u{2}empty\u{1}\u{2}noise";
        let pairs: Vec<_> = sorted(raw);
        assert_eq!(pairs, [("a".into(), "2".into()), ("b".into(), "3".into())]);
    }
}
