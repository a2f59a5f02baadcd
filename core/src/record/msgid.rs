//! Offset message ids: where a record lies, as text (`MessageDecoder.createMessageId`, spec 01
//! section 9).

use core::fmt;
use core::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use super::emit::{canonical, write_host};
use super::layout::{HOST_V4_LEN, HOST_V6_LEN};

/// Bytes behind the host: the physical offset.
const OFFSET_LEN: usize = 8;
/// Characters of the longest id.
const ID_LEN_MAX: usize = 2 * (HOST_V6_LEN + OFFSET_LEN);

/// Uppercase hex of store host, port (4 bytes) and physical offset: 32 characters, or 56 with an
/// IPv6 host.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MessageId(heapless::String<ID_LEN_MAX>);

impl MessageId {
    /// The id of the record at this offset of the log of this broker.
    #[must_use]
    pub fn new(store_host: &SocketAddr, physical_offset: u64) -> Self {
        let mut bytes = [0; HOST_V6_LEN + OFFSET_LEN];
        let host = canonical(store_host);
        let host_len = if host.is_ipv6() { HOST_V6_LEN } else { HOST_V4_LEN };
        if let Ok(rest) = write_host(&host, &mut bytes)
            && let Some(offset) = rest.first_chunk_mut::<OFFSET_LEN>()
        {
            *offset = physical_offset.to_be_bytes();
        }
        let mut id = heapless::String::new();
        for byte in bytes.iter().take(host_len + OFFSET_LEN) {
            for half in [byte >> 4, byte & 15] {
                let digit = if half < 10 { b'0' + half } else { b'A' + half - 10 };
                // The string has room for every digit of the longest id.
                let _ = id.push(char::from(digit));
            }
        }
        Self(id)
    }

    /// Its characters.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Reads an id back: store host and physical offset. Lower case is accepted, as in Java.
    ///
    /// `None` for anything that is no id; of a port that no socket can have, the lower 16 bits
    /// are taken.
    #[must_use]
    pub fn parse(text: &str) -> Option<(SocketAddr, u64)> {
        let mut bytes = [0_u8; HOST_V6_LEN + OFFSET_LEN];
        let bytes = bytes.get_mut(..text.len() / 2).filter(|_| text.len().is_multiple_of(2))?;
        let (pairs, _) = text.as_bytes().as_chunks::<2>();
        for (byte, [high, low]) in bytes.iter_mut().zip(pairs) {
            let digit = |c: u8| char::from(c).to_digit(16);
            *byte = u8::try_from(digit(*high)? * 16 + digit(*low)?).ok()?;
        }
        let (host, offset) = bytes.split_last_chunk::<OFFSET_LEN>()?;
        Some((read_host(host)?, u64::from_be_bytes(*offset)))
    }
}

/// Reads a stored host of 8 or 20 bytes; of its port, the lower 16 bits.
pub(super) fn read_host(bytes: &[u8]) -> Option<SocketAddr> {
    let (ip, port) = bytes.split_last_chunk::<4>()?;
    let ip = match ip.len() {
        4 => IpAddr::V4(Ipv4Addr::from(*ip.first_chunk::<4>()?)),
        16 => IpAddr::V6(Ipv6Addr::from(*ip.first_chunk::<16>()?)),
        _ => return None,
    };
    let [_, _, high, low] = *port;
    Some(SocketAddr::new(ip, u16::from_be_bytes([high, low])))
}

impl fmt::Display for MessageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl AsRef<str> for MessageId {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_that_of_the_java_store() {
        let host = "127.0.0.1:10911".parse().unwrap();
        let id = MessageId::new(&host, 0x86);
        assert_eq!(id.as_str(), "7F00000100002A9F0000000000000086");
        assert_eq!(MessageId::parse(id.as_str()), Some((host, 0x86)));
        assert_eq!(MessageId::parse("7f00000100002a9f0000000000000086"), Some((host, 0x86)));
    }

    #[test]
    fn an_ipv6_host_makes_it_longer() {
        let host = "[2001:db8::2]:10911".parse().unwrap();
        let id = MessageId::new(&host, u64::MAX);
        assert_eq!(id.as_str(), "20010DB800000000000000000000000200002A9FFFFFFFFFFFFFFFFF");
        assert_eq!(MessageId::parse(id.as_str()), Some((host, u64::MAX)));
        let mapped = "[::ffff:9.8.7.6]:5".parse().unwrap();
        assert_eq!(MessageId::new(&mapped, 1).as_str(), "09080706000000050000000000000001");
    }

    #[test]
    fn what_is_no_id_is_not_read() {
        let id = "20010DB800000000000000000000000200002A9FFFFFFFFFFFFFFFFF";
        for len in 0..id.len() {
            let read = MessageId::parse(&id[..len]);
            assert_eq!(read.is_some(), len == 32, "{len}");
        }
        for bad in ["7F00000100002A9F000000000000008G", "+F00000100002A9F0000000000000086"] {
            assert_eq!(MessageId::parse(bad), None);
        }
        assert_eq!(MessageId::parse(&std::format!("{id}00")), None);
        assert_eq!(MessageId::parse("\u{e9}F00000100002A9F000000000000008"), None);
    }
}
