//! Writing a record straight into its place: each byte once, none twice.

use core::net::{IpAddr, SocketAddr};

use super::Stamp;
use super::layout::{self, MESSAGE_MAGIC_CODE};
use super::sysflag::{BORNHOST_V6_FLAG, STOREHOSTADDRESS_V6_FLAG};

/// The room that was given to a record is not as long as the record.
///
/// That is a mistake of whoever asked for the room, and nothing in it may be published.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WrongRoom;

/// Everything of a record that is known before the put lock, but for the properties.
pub(crate) struct Head<'a> {
    pub(crate) body_crc: u32,
    pub(crate) queue_id: i32,
    pub(crate) flag: i32,
    pub(crate) sys_flag: i32,
    pub(crate) born_timestamp: i64,
    pub(crate) born_host: SocketAddr,
    pub(crate) store_host: SocketAddr,
    pub(crate) reconsume_times: i32,
    pub(crate) prepared_transaction_offset: i64,
    pub(crate) body: &'a [u8],
    pub(crate) topic: &'a str,
}

impl Head<'_> {
    /// Writes a record but for its properties, for which `properties_len` bytes are left; `out`
    /// has the length of the whole record. Answers the room for the properties.
    ///
    /// The hosts must be the canonical ones that `sys_flag` was made for.
    #[inline]
    pub(crate) fn write<'o>(
        &self,
        stamp: &Stamp,
        properties_len: u16,
        out: &'o mut [u8],
    ) -> Result<&'o mut [u8], WrongRoom> {
        let total_size = u32::try_from(out.len()).map_err(|_| WrongRoom)?;
        let (fixed, rest) = split::<{ layout::BORN_HOST_AT }>(out)?;
        set(fixed, layout::TOTAL_SIZE_AT, total_size.to_be_bytes());
        set(fixed, layout::MAGIC_CODE_AT, MESSAGE_MAGIC_CODE.to_be_bytes());
        set(fixed, layout::BODY_CRC_AT, self.body_crc.to_be_bytes());
        set(fixed, layout::QUEUE_ID_AT, self.queue_id.to_be_bytes());
        set(fixed, layout::FLAG_AT, self.flag.to_be_bytes());
        set(fixed, layout::QUEUE_OFFSET_AT, stamp.queue_offset.to_be_bytes());
        set(fixed, layout::PHYSICAL_OFFSET_AT, stamp.physical_offset.to_be_bytes());
        set(fixed, layout::SYS_FLAG_AT, self.sys_flag.to_be_bytes());
        set(fixed, layout::BORN_TIMESTAMP_AT, self.born_timestamp.to_be_bytes());

        let rest = write_host(&self.born_host, rest)?;
        let (time, rest) = split::<8>(rest)?;
        *time = stamp.store_timestamp.to_be_bytes();
        let rest = write_host(&self.store_host, rest)?;

        let (tail, rest) = split::<16>(rest)?;
        let body_len = u32::try_from(self.body.len()).map_err(|_| WrongRoom)?;
        set(tail, 0, self.reconsume_times.to_be_bytes());
        set(tail, 4, self.prepared_transaction_offset.to_be_bytes());
        set(tail, 12, body_len.to_be_bytes());

        let rest = write_bytes(self.body, rest)?;
        let (topic_len, rest) = split::<1>(rest)?;
        *topic_len = [u8::try_from(self.topic.len()).map_err(|_| WrongRoom)?];
        let rest = write_bytes(self.topic.as_bytes(), rest)?;
        let (len, rest) = split::<2>(rest)?;
        *len = properties_len.to_be_bytes();
        if rest.len() == usize::from(properties_len) { Ok(rest) } else { Err(WrongRoom) }
    }
}

/// The two IPv6 bits of SYSFLAG as the addresses want them, whatever the caller had set.
pub(crate) fn sys_flag_of(sys_flag: i32, born: &SocketAddr, store: &SocketAddr) -> i32 {
    let mut flag = sys_flag & !(BORNHOST_V6_FLAG | STOREHOSTADDRESS_V6_FLAG);
    if born.is_ipv6() {
        flag |= BORNHOST_V6_FLAG;
    }
    if store.is_ipv6() {
        flag |= STOREHOSTADDRESS_V6_FLAG;
    }
    flag
}

/// The address as Java would have it: an IPv4 address mapped into IPv6 is an IPv4 address.
pub(crate) fn canonical(host: &SocketAddr) -> SocketAddr {
    match host.ip() {
        IpAddr::V4(_) => *host,
        IpAddr::V6(ip) => SocketAddr::new(ip.to_canonical(), host.port()),
    }
}

/// Writes address and port; answers what is left of `out`.
pub(crate) fn write_host<'o>(
    host: &SocketAddr,
    out: &'o mut [u8],
) -> Result<&'o mut [u8], WrongRoom> {
    let port = u32::from(host.port()).to_be_bytes();
    match host {
        SocketAddr::V4(host) => {
            let (to, rest) = split::<{ layout::HOST_V4_LEN }>(out)?;
            set(to, 0, host.ip().octets());
            set(to, 4, port);
            Ok(rest)
        }
        SocketAddr::V6(host) => {
            let (to, rest) = split::<{ layout::HOST_V6_LEN }>(out)?;
            set(to, 0, host.ip().octets());
            set(to, 16, port);
            Ok(rest)
        }
    }
}

/// Copies `bytes` to the front of `out`; answers what is left of it.
#[inline]
pub(crate) fn write_bytes<'o>(bytes: &[u8], out: &'o mut [u8]) -> Result<&'o mut [u8], WrongRoom> {
    let (to, rest) = out.split_at_mut_checked(bytes.len()).ok_or(WrongRoom)?;
    to.copy_from_slice(bytes);
    Ok(rest)
}

/// Writes one byte to the front of `out`; answers what is left of it.
#[inline]
pub(crate) fn write_byte(byte: u8, out: &mut [u8]) -> Result<&mut [u8], WrongRoom> {
    let (to, rest) = out.split_first_mut().ok_or(WrongRoom)?;
    *to = byte;
    Ok(rest)
}

#[inline]
fn split<const N: usize>(out: &mut [u8]) -> Result<(&mut [u8; N], &mut [u8]), WrongRoom> {
    out.split_first_chunk_mut::<N>().ok_or(WrongRoom)
}

/// Sets `N` bytes at `at`, which is a constant wherever this is called.
#[inline(always)]
fn set<const N: usize>(out: &mut [u8], at: usize, bytes: [u8; N]) {
    if let Some(place) = out.get_mut(at..).and_then(<[u8]>::first_chunk_mut::<N>) {
        *place = bytes;
    }
}
