//! The checkpoint: up to which store time log, queues and index are durable (spec 02 section
//! 10).

use core::sync::atomic::{AtomicI64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use mqstore_core::segment::Cells;

/// Length of the file, bytes.
pub(crate) const CHECKPOINT_LEN: u64 = 4096;

/// What is used of it.
const TIMES_LEN: usize = 24;

/// A recovery begins so much before the earlier of two times, ms.
const SAFETY_MILLIS: i64 = 3000;

/// Three store times, milliseconds since 1970, 0 if nothing is known. They are changed in memory
/// and reach the file with [`StoreCheckpoint::flush`].
#[derive(Debug)]
pub(crate) struct StoreCheckpoint<C> {
    cells: C,
    physic: AtomicI64,
    logics: AtomicI64,
    index: AtomicI64,
    /// The file has one writer at a time.
    writing: Mutex<()>,
}

impl<C: Cells> StoreCheckpoint<C> {
    /// One whose file was just made: nothing is known.
    pub(crate) fn new(cells: C) -> Self {
        Self::with_times(cells, [0; 3])
    }

    /// One whose file was there.
    pub(crate) fn load(cells: C) -> Result<Self, C::Error> {
        let mut bytes = [0; TIMES_LEN];
        cells.get(0, &mut bytes)?;
        let mut times = [0; 3];
        for (time, bytes) in times.iter_mut().zip(bytes.as_chunks().0) {
            *time = i64::from_be_bytes(*bytes);
        }
        Ok(Self::with_times(cells, times))
    }

    fn with_times(cells: C, [physic, logics, index]: [i64; 3]) -> Self {
        Self {
            cells,
            physic: AtomicI64::new(physic),
            logics: AtomicI64::new(logics),
            index: AtomicI64::new(index),
            writing: Mutex::new(()),
        }
    }

    /// The times of log, queues and index.
    pub(crate) fn times(&self) -> [i64; 3] {
        [&self.physic, &self.logics, &self.index].map(|time| time.load(Relaxed))
    }

    /// The log is durable up to a message stored then.
    pub(crate) fn set_physic(&self, timestamp: i64) {
        self.physic.store(timestamp, Relaxed);
    }

    /// Writes all three times, and makes them durable.
    pub(crate) fn flush(&self) -> Result<(), C::Error> {
        let _writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let mut bytes = [0; TIMES_LEN];
        for (bytes, time) in bytes.as_chunks_mut().0.iter_mut().zip(self.times()) {
            *bytes = time.to_be_bytes();
        }
        self.cells.set(0, &bytes)?;
        self.cells.sync()
    }
}

#[cfg_attr(
    not(test),
    expect(dead_code, reason = "for recovery, the queues and the index, which come later")
)]
impl<C: Cells> StoreCheckpoint<C> {
    /// The queues are durable up to a message stored then.
    pub(crate) fn set_logics(&self, timestamp: i64) {
        self.logics.store(timestamp, Relaxed);
    }

    /// The index is durable up to a message stored then.
    pub(crate) fn set_index(&self, timestamp: i64) {
        self.index.store(timestamp, Relaxed);
    }

    /// Messages stored before this are durable in log and queues (`getMinTimestamp`).
    pub(crate) fn min_timestamp(&self) -> i64 {
        let [physic, logics, _] = self.times();
        before(physic.min(logics))
    }

    /// Messages stored before this are durable in the index, too (`getMinTimestampIndex`).
    pub(crate) fn min_timestamp_index(&self) -> i64 {
        let [_, _, index] = self.times();
        self.min_timestamp().min(index)
    }

    /// As [`StoreCheckpoint::min_timestamp`], where a time later than now counts as 0: no
    /// message can have been stored then.
    pub(crate) fn trusted_min_timestamp(&self, now: i64) -> i64 {
        let [physic, logics, _] = self.times().map(|time| if time > now { 0 } else { time });
        before(physic.min(logics))
    }
}

fn before(timestamp: i64) -> i64 {
    timestamp.saturating_sub(SAFETY_MILLIS).max(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mqstore_core::segment::ErrorKind;
    use std::sync::Arc;

    /// A file in memory: what was written, and what of it was synced.
    #[derive(Clone, Debug, Default)]
    struct MemCells(Arc<Mutex<(Vec<u8>, Vec<u8>)>>);

    impl MemCells {
        fn of(bytes: &[u8]) -> Self {
            let mut file = vec![0; CHECKPOINT_LEN as usize];
            file[..bytes.len()].copy_from_slice(bytes);
            Self(Arc::new(Mutex::new((file.clone(), file))))
        }

        fn synced(&self) -> Vec<u8> {
            self.0.lock().unwrap().1.clone()
        }
    }

    impl Cells for MemCells {
        type Error = ErrorKind;

        fn len(&self) -> u64 {
            self.0.lock().unwrap().0.len() as u64
        }

        fn get(&self, at: u64, out: &mut [u8]) -> Result<(), ErrorKind> {
            let file = self.0.lock().unwrap();
            let found = file.0.get(at as usize..at as usize + out.len());
            out.copy_from_slice(found.ok_or(ErrorKind::OutOfBounds)?);
            Ok(())
        }

        fn set(&self, at: u64, bytes: &[u8]) -> Result<(), ErrorKind> {
            let mut file = self.0.lock().unwrap();
            let place = file.0.get_mut(at as usize..at as usize + bytes.len());
            place.ok_or(ErrorKind::OutOfBounds)?.copy_from_slice(bytes);
            Ok(())
        }

        fn sync(&self) -> Result<(), ErrorKind> {
            let mut file = self.0.lock().unwrap();
            file.1 = file.0.clone();
            Ok(())
        }
    }

    #[test]
    fn times_reach_the_file_only_with_flush_big_endian_at_0_8_and_16() {
        let cells = MemCells::of(&[]);
        let checkpoint = StoreCheckpoint::new(cells.clone());
        checkpoint.set_physic(0x0000_01a2_284b_2a8d);
        checkpoint.set_logics(2);
        checkpoint.set_index(-1);
        assert_eq!(cells.synced(), vec![0; 4096]);
        checkpoint.flush().unwrap();
        let synced = cells.synced();
        assert_eq!(synced.len(), 4096);
        assert_eq!(synced[..8], [0, 0, 1, 0xa2, 0x28, 0x4b, 0x2a, 0x8d]);
        assert_eq!(synced[8..16], [0, 0, 0, 0, 0, 0, 0, 2]);
        assert_eq!(synced[16..24], [0xff; 8]);
        assert_eq!(synced[24..], [0; 4072]);
        let again = StoreCheckpoint::load(cells).unwrap();
        assert_eq!(again.times(), [0x0000_01a2_284b_2a8d, 2, -1]);
    }

    #[test]
    fn a_file_that_was_not_there_says_nothing() {
        let checkpoint = StoreCheckpoint::new(MemCells::of(&[0xff; 24]));
        assert_eq!(checkpoint.times(), [0; 3]);
        assert_eq!((checkpoint.min_timestamp(), checkpoint.min_timestamp_index()), (0, 0));
    }

    #[test]
    fn a_file_that_is_too_short_is_an_error() {
        let cells = MemCells(Arc::new(Mutex::new((vec![0; 16], Vec::new()))));
        assert_eq!(StoreCheckpoint::load(cells).unwrap_err(), ErrorKind::OutOfBounds);
    }

    #[test]
    fn the_earlier_of_two_times_less_three_seconds_counts() {
        let checkpoint = StoreCheckpoint::new(MemCells::of(&[]));
        for ([physic, logics, index], min, min_index) in [
            ([10_000, 20_000, 30_000], 7000, 7000),
            ([20_000, 10_000, 5000], 7000, 5000),
            ([3001, 3000, 9], 0, 0),
            ([2999, 9999, 9], 0, 0),
            ([3005, 9999, -4], 5, -4),
            ([i64::MIN, i64::MAX, i64::MIN], 0, i64::MIN),
            ([i64::MAX, i64::MAX, i64::MAX], i64::MAX - 3000, i64::MAX - 3000),
        ] {
            checkpoint.set_physic(physic);
            checkpoint.set_logics(logics);
            checkpoint.set_index(index);
            assert_eq!(checkpoint.min_timestamp(), min);
            assert_eq!(checkpoint.min_timestamp_index(), min_index);
        }
    }

    #[test]
    fn a_time_later_than_now_can_be_left_out() {
        let checkpoint = StoreCheckpoint::new(MemCells::of(&[]));
        checkpoint.set_physic(10_000);
        checkpoint.set_logics(20_000);
        assert_eq!(checkpoint.trusted_min_timestamp(20_000), 7000);
        assert_eq!(checkpoint.trusted_min_timestamp(19_999), 0);
        assert_eq!(checkpoint.trusted_min_timestamp(i64::MIN), 0);
    }
}
