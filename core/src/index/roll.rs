//! What an index file takes over from the one before it, and what it is called (spec 02
//! section 9.4).

use super::header::IndexHeader;

/// The header of a file behind one with this header: its begin and end are the other's end, as
/// far as they are known.
///
/// RocketMQ computes the seconds of the new file's first entry from that begin, and only then
/// sets the begin to the entry's own time; so they may be off by the time in between. Bytes are
/// as RocketMQ's here; [`super::query`] knows that the first entry's time is the begin.
#[must_use]
pub fn inherited(before: Option<&IndexHeader>) -> IndexHeader {
    let (time, offset) = before.map_or((0, 0), |h| (h.end_timestamp, h.end_offset));
    IndexHeader {
        begin_timestamp: time.max(0),
        end_timestamp: time.max(0),
        begin_offset: offset.max(0),
        end_offset: offset.max(0),
        slot_count: 0,
        index_count: 0,
    }
}

/// The name of a file made at `local_time` (`yyyyMMddHHmmssSSS` as a number) behind the file
/// `last`.
///
/// Files are read in the order of their names, so names must ascend. RocketMQ opens the full
/// file again when two are made within a millisecond, or puts the new one among the old ones
/// when the clock steps back (also at the end of summer time); here the new name is one more
/// than the last in that case. Nobody reads a time from it.
#[must_use]
pub fn next_name(last: Option<u64>, local_time: u64) -> u64 {
    last.map_or(local_time, |last| local_time.max(last.saturating_add(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_ascend_whatever_the_clock_does() {
        assert_eq!(next_name(None, 20_240_101_120_000_000), 20_240_101_120_000_000);
        let last = 20_241_027_025_959_999;
        assert_eq!(next_name(Some(last), last), last + 1);
        assert_eq!(next_name(Some(last), 20_241_027_020_000_000), last + 1);
        assert_eq!(next_name(Some(last), last + 7), last + 7);
    }

    #[test]
    fn only_what_is_known_is_taken_over() {
        assert_eq!(inherited(None), IndexHeader::default());
        let before = IndexHeader { end_timestamp: -1, end_offset: 9, ..Default::default() };
        let expected = IndexHeader { begin_offset: 9, end_offset: 9, ..Default::default() };
        assert_eq!(inherited(Some(&before)), expected);
    }
}
