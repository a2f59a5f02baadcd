//! Where each field of a record lies, and how long a record is (spec 02 section 1).
//!
//! ```text
//!  0           4           8           12          16          20                      28
//!  +-----------+-----------+-----------+-----------+-----------+-----------------------+
//!  | TOTALSIZE | MAGICCODE | BODYCRC   | QUEUEID   | FLAG      | QUEUEOFFSET           |
//!  +-----------+-----------+-----------+-----------+-----------+-----------------------+
//!  28                      36          40                      48
//!  +-----------------------+-----------+-----------------------+---------- - -
//!  | PHYSICALOFFSET        | SYSFLAG   | BORNTIMESTAMP         | BORNHOST     B = 8 or 20
//!  +-----------------------+-----------+-----------------------+---------- - -
//!  48+B                    56+B                       56+B+S      60+B+S                  68+B+S
//!  +-----------------------+------------------- - - --+-----------+-----------------------+
//!  | STORETIMESTAMP        | STOREHOST   S = 8 or 20  | RECONSUME | PREPARED OFFSET       |
//!  +-----------------------+------------------- - - --+-----------+-----------------------+
//!  68+B+S      72+B+S      +n                +t                +p
//!  +-----------+-------- - +---+-------- - - +------+--------- - - +
//!  | BODY LEN  | BODY      | t | TOPIC       | p    | PROPERTIES   |
//!  +-----------+-------- - +---+-------- - - +------+--------- - - +
//! ```
//!
//! All numbers are big-endian and signed. Lengths: n 4 bytes, t 1 byte, p 2 bytes.

use super::sysflag::{BORNHOST_V6_FLAG, STOREHOSTADDRESS_V6_FLAG};

/// Marks a message (`MESSAGE_MAGIC_CODE`).
pub const MESSAGE_MAGIC_CODE: u32 = 0xDAA3_20A7;
/// Marks the filler at the end of a file (`BLANK_MAGIC_CODE`).
pub const BLANK_MAGIC_CODE: u32 = 0xCBD4_3194;

/// Position of TOTALSIZE.
pub const TOTAL_SIZE_AT: usize = 0;
/// Position of MAGICCODE.
pub const MAGIC_CODE_AT: usize = 4;
/// Position of BODYCRC.
pub const BODY_CRC_AT: usize = 8;
/// Position of QUEUEID.
pub const QUEUE_ID_AT: usize = 12;
/// Position of FLAG.
pub const FLAG_AT: usize = 16;
/// Position of QUEUEOFFSET.
pub const QUEUE_OFFSET_AT: usize = 20;
/// Position of PHYSICALOFFSET.
pub const PHYSICAL_OFFSET_AT: usize = 28;
/// Position of SYSFLAG.
pub const SYS_FLAG_AT: usize = 36;
/// Position of BORNTIMESTAMP.
pub const BORN_TIMESTAMP_AT: usize = 40;
/// Position of BORNHOST; what follows depends on its length.
pub const BORN_HOST_AT: usize = 48;

/// Bytes of an IPv4 address and port in a record.
pub const HOST_V4_LEN: usize = 8;
/// Bytes of an IPv6 address and port in a record.
pub const HOST_V6_LEN: usize = 20;
/// Bytes of all fields that are always there, without the two hosts.
pub const FIXED_LEN: usize = 75;
/// Bytes of the shortest record: IPv4 hosts, nothing else.
pub const MIN_RECORD_LEN: usize = FIXED_LEN + 2 * HOST_V4_LEN;

/// Longest topic: its length is one signed byte.
pub const TOPIC_LEN_MAX: usize = 127;
/// Longest property string: its length is a signed 16-bit number.
pub const PROPERTIES_LEN_MAX: usize = 32767;
/// Bytes that must stay free behind a record, so that a filler always fits.
pub const END_FILE_MIN_BLANK_LENGTH: u32 = 8;

/// Bytes of BORNHOST.
#[must_use]
pub const fn born_host_len(sys_flag: i32) -> usize {
    if sys_flag & BORNHOST_V6_FLAG == 0 { HOST_V4_LEN } else { HOST_V6_LEN }
}

/// Bytes of STOREHOST.
#[must_use]
pub const fn store_host_len(sys_flag: i32) -> usize {
    if sys_flag & STOREHOSTADDRESS_V6_FLAG == 0 { HOST_V4_LEN } else { HOST_V6_LEN }
}

/// Position of STORETIMESTAMP.
#[must_use]
pub const fn store_timestamp_at(sys_flag: i32) -> usize {
    BORN_HOST_AT + born_host_len(sys_flag)
}

/// Bytes of everything except body, topic and properties: 91, 103 or 115.
#[must_use]
pub const fn fixed_len(sys_flag: i32) -> usize {
    FIXED_LEN + born_host_len(sys_flag) + store_host_len(sys_flag)
}

/// Bytes of a whole record (`CommitLog.calMsgLength`); parts in bytes.
#[must_use]
pub const fn record_len(sys_flag: i32, body: usize, topic: usize, properties: usize) -> u64 {
    fixed_len(sys_flag) as u64 + body as u64 + topic as u64 + properties as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_four_host_combinations_have_their_lengths() {
        assert_eq!([0, 0x10, 0x20, 0x30].map(fixed_len), [91, 103, 103, 115]);
        assert_eq!([0, 0x10, 0x20, 0x30].map(store_timestamp_at), [56, 68, 56, 68]);
        assert_eq!(record_len(0x30, 2, 6, 0), 123);
        assert_eq!(MIN_RECORD_LEN, 91);
    }
}
