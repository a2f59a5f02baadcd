//! Whether the store may be read and written, and what holds it back (spec 04 section 11).

use core::fmt;

use crate::segment::ErrorKind;
use crate::sync::{AtomicI64, AtomicU8, AtomicU32, Ordering};

/// One reason for which a store is not writeable. Each is set, shown and cleared by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// Somebody has made it not writeable by hand.
    ByHand,
    /// A consume queue could not be written.
    LogicsQueueError,
    /// An index file could not be made.
    IndexFileError,
    /// The disk is full.
    DiskFull,
    /// The log could not be committed or flushed; it takes no more writes until the store is
    /// opened again.
    LogStopped(ErrorKind),
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ByHand => f.write_str("made not writeable by hand"),
            Self::LogicsQueueError => f.write_str("a consume queue cannot be written"),
            Self::IndexFileError => f.write_str("an index file cannot be made"),
            Self::DiskFull => f.write_str("the disk is full"),
            Self::LogStopped(kind) => write!(f, "the log could not be flushed: {kind}"),
        }
    }
}

const NOT_READABLE: u32 = 1;
const NOT_WRITEABLE: u32 = 1 << 1;
const WRITE_LOGICS_QUEUE_ERROR: u32 = 1 << 2;
const WRITE_INDEX_FILE_ERROR: u32 = 1 << 3;
const DISK_FULL: u32 = 1 << 4;
/// Ours, and not shown among RocketMQ's bits.
const LOG_STOPPED: u32 = 1 << 31;

const NOT_CQ_WRITEABLE_BITS: u32 =
    NOT_WRITEABLE | WRITE_LOGICS_QUEUE_ERROR | WRITE_INDEX_FILE_ERROR;
const NOT_WRITEABLE_BITS: u32 = NOT_CQ_WRITEABLE_BITS | DISK_FULL | LOG_STOPPED;

/// The reasons a put may be refused for, in the order of [`RunningFlags::since`].
const REASON_BITS: [u32; 5] =
    [NOT_WRITEABLE, WRITE_LOGICS_QUEUE_ERROR, WRITE_INDEX_FILE_ERROR, DISK_FULL, LOG_STOPPED];

/// RocketMQ's `RunningFlags`, in memory only, and since when each has been set.
///
/// Unlike there, making the store not writeable by hand counts also while another reason holds.
#[derive(Debug)]
pub struct RunningFlags {
    bits: AtomicU32,
    /// Since when each of [`REASON_BITS`] has been set, milliseconds since 1970.
    since: [AtomicI64; 5],
    stopped: AtomicU8,
}

impl Default for RunningFlags {
    fn default() -> Self {
        Self::new()
    }
}

impl RunningFlags {
    /// Readable and writeable.
    #[must_use]
    pub fn new() -> Self {
        Self {
            bits: AtomicU32::new(0),
            since: core::array::from_fn(|_| AtomicI64::new(0)),
            stopped: AtomicU8::new(0),
        }
    }

    /// RocketMQ's bits (`getFlagBits`): 1 not readable, 2 not writeable by hand, 4 queue error,
    /// 8 index error, 16 disk full.
    pub fn flag_bits(&self) -> i32 {
        (self.load() & !LOG_STOPPED).cast_signed()
    }

    /// Whether messages may be read.
    pub fn is_readable(&self) -> bool {
        self.load() & NOT_READABLE == 0
    }

    /// Whether messages may be put.
    #[inline]
    pub fn is_writeable(&self) -> bool {
        self.load() & NOT_WRITEABLE_BITS == 0
    }

    /// Whether consume queues may be written; a full disk does not matter here.
    pub fn is_cq_writeable(&self) -> bool {
        self.load() & NOT_CQ_WRITEABLE_BITS == 0
    }

    /// Makes the store readable; answers whether it was.
    pub fn get_and_make_readable(&self) -> bool {
        self.clear(NOT_READABLE) & NOT_READABLE == 0
    }

    /// Makes the store not readable; answers whether it was readable.
    pub fn get_and_make_not_readable(&self) -> bool {
        self.bits.fetch_or(NOT_READABLE, Ordering::AcqRel) & NOT_READABLE == 0
    }

    /// Takes back what was set by hand; answers whether the store was writeable.
    pub fn get_and_make_writeable(&self) -> bool {
        self.clear(NOT_WRITEABLE) & NOT_WRITEABLE_BITS == 0
    }

    /// Makes the store not writeable by hand; answers whether it was writeable.
    pub fn get_and_make_not_writeable(&self, now: i64) -> bool {
        self.set(NOT_WRITEABLE, now) & NOT_WRITEABLE_BITS == 0
    }

    /// Says that the disk is full; answers whether it was not before.
    pub fn get_and_make_disk_full(&self, now: i64) -> bool {
        self.set(DISK_FULL, now) & DISK_FULL == 0
    }

    /// Says that the disk has room; answers whether it had before.
    pub fn get_and_make_disk_ok(&self) -> bool {
        self.clear(DISK_FULL) & DISK_FULL == 0
    }

    /// Says that a consume queue cannot be written.
    pub fn make_logics_queue_error(&self, now: i64) {
        self.set(WRITE_LOGICS_QUEUE_ERROR, now);
    }

    /// Says that consume queues can be written again.
    pub fn clear_logics_queue_error(&self) {
        self.clear(WRITE_LOGICS_QUEUE_ERROR);
    }

    /// Says that no index file can be made.
    pub fn make_index_file_error(&self, now: i64) {
        self.set(WRITE_INDEX_FILE_ERROR, now);
    }

    /// Says that index files can be made again.
    pub fn clear_index_file_error(&self) {
        self.clear(WRITE_INDEX_FILE_ERROR);
    }

    /// Says that the log takes no more writes, for good.
    pub fn stop_log(&self, why: ErrorKind, now: i64) {
        let _ = self.stopped.compare_exchange(0, why as u8, Ordering::AcqRel, Ordering::Acquire);
        self.set(LOG_STOPPED, now);
    }

    /// Each reason that holds, with since when, milliseconds since 1970.
    pub fn reasons(&self) -> impl Iterator<Item = (Reason, i64)> + '_ {
        let bits = self.load();
        (0..REASON_BITS.len()).filter(move |&i| bits & REASON_BITS[i] != 0).map(|i| {
            let reason = match i {
                0 => Reason::ByHand,
                1 => Reason::LogicsQueueError,
                2 => Reason::IndexFileError,
                3 => Reason::DiskFull,
                _ => Reason::LogStopped(ErrorKind::from_u8(self.stopped.load(Ordering::Acquire))),
            };
            (reason, self.since[i].load(Ordering::Acquire))
        })
    }

    /// The reason that came first, if the store is not writeable.
    pub fn first_reason(&self) -> Option<(Reason, i64)> {
        self.reasons().min_by_key(|&(_, since)| since)
    }

    fn load(&self) -> u32 {
        self.bits.load(Ordering::Acquire)
    }

    /// Sets a reason; when it was not set before, since now. Answers the bits before.
    fn set(&self, bit: u32, now: i64) -> u32 {
        if self.load() & bit == 0 {
            for (b, since) in REASON_BITS.iter().zip(&self.since) {
                if *b == bit {
                    since.store(now, Ordering::Release);
                }
            }
        }
        self.bits.fetch_or(bit, Ordering::AcqRel)
    }

    fn clear(&self, bit: u32) -> u32 {
        self.bits.fetch_and(!bit, Ordering::AcqRel)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn each_reason_is_shown_by_itself_and_cleared_only_by_its_own_check() {
        type Step = (fn(&RunningFlags), Reason, Option<fn(&RunningFlags)>);
        let steps: [Step; 5] = [
            (
                |f| {
                    f.get_and_make_not_writeable(1);
                },
                Reason::ByHand,
                Some(|f| {
                    f.get_and_make_writeable();
                }),
            ),
            (
                |f| f.make_logics_queue_error(2),
                Reason::LogicsQueueError,
                Some(RunningFlags::clear_logics_queue_error),
            ),
            (
                |f| f.make_index_file_error(3),
                Reason::IndexFileError,
                Some(RunningFlags::clear_index_file_error),
            ),
            (
                |f| {
                    f.get_and_make_disk_full(4);
                },
                Reason::DiskFull,
                Some(|f| {
                    f.get_and_make_disk_ok();
                }),
            ),
            (|f| f.stop_log(ErrorKind::Device, 5), Reason::LogStopped(ErrorKind::Device), None),
        ];
        for (i, (set_a, a, clear_a)) in steps.iter().enumerate() {
            for (set_b, b, _) in steps.iter().skip(i + 1) {
                let f = RunningFlags::new();
                set_b(&f);
                set_a(&f);
                assert_eq!(f.reasons().count(), 2, "{a:?} with {b:?}");
                assert!(!f.is_writeable());
                if let Some(clear) = clear_a {
                    clear(&f);
                    let left: std::vec::Vec<_> = f.reasons().map(|(r, _)| r).collect();
                    assert_eq!(left, [*b], "after {a:?} was cleared");
                    assert!(!f.is_writeable());
                }
            }
        }
    }

    #[test]
    fn the_bits_are_those_of_rocketmq() {
        let f = RunningFlags::new();
        assert!(f.get_and_make_not_readable());
        assert!(f.get_and_make_not_writeable(7));
        f.make_logics_queue_error(7);
        f.make_index_file_error(7);
        assert!(f.get_and_make_disk_full(7));
        assert!(!f.get_and_make_disk_full(7));
        f.stop_log(ErrorKind::Device, 7);
        assert_eq!(f.flag_bits(), 31);
        assert!(!f.get_and_make_disk_ok());
        assert!(!f.get_and_make_readable());
        assert_eq!(f.flag_bits(), 14);
    }

    #[test]
    fn a_full_disk_does_not_keep_consume_queues_from_being_written() {
        let f = RunningFlags::new();
        f.get_and_make_disk_full(1);
        assert!(!f.is_writeable());
        assert!(f.is_cq_writeable());
        f.make_index_file_error(1);
        assert!(!f.is_cq_writeable());
    }

    #[test]
    fn the_reason_that_is_told_is_the_one_that_came_first() {
        let f = RunningFlags::new();
        f.get_and_make_disk_full(200);
        f.make_index_file_error(100);
        f.get_and_make_disk_full(50);
        assert_eq!(f.first_reason(), Some((Reason::IndexFileError, 100)));
    }
}
