//! Contract 1 and 2 under threads: one writer, readers, a committer and a flusher.
//!
//! Run them under Miri and under a thread sanitizer too: they are written so that a race would
//! be seen there.

use core::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use mqstore_core::segment::{
    ErrorKind, Medium, MediumError, Readable, Segment, SegmentBackend, Series, Tail,
};

use super::{CAPACITY, Rig, SegmentOf, TailOf, commit, expect_bytes, log, must, wait};

/// Bytes of each record: all equal, and not zero.
const RECORD: u32 = 64;

/// The byte that the record at `at` consists of.
fn byte_at(at: u32) -> u8 {
    (at / RECORD % 250) as u8 + 1
}

/// Checks every whole record that is visible; answers how many bytes are.
fn check<S: Segment>(segment: &S) -> u32 {
    let visible = segment.marks().visible(segment.geometry().staged);
    let mut copy = [0; RECORD as usize];
    for at in (0..visible).step_by(RECORD as usize) {
        let record = match segment.view(at, RECORD) {
            Some(record) => record,
            None => {
                must(segment.read(at, &mut copy));
                &copy[..]
            }
        };
        assert!(record.iter().all(|b| *b == byte_at(at)), "half of a record at {at}");
    }
    visible
}

/// Fills the segment, waiting for a committer when it has to.
fn write_all<T: Tail>(tail: &mut T) {
    for at in (0..CAPACITY).step_by(RECORD as usize) {
        loop {
            match tail.window(at, RECORD) {
                Ok(window) => {
                    window.fill(byte_at(at));
                    break;
                }
                Err(e) if e.kind() == ErrorKind::Busy => thread::yield_now(),
                Err(e) => panic!("no window at {at}: {e}"),
            }
        }
        tail.publish(at + RECORD);
    }
}

/// 1 and 2
pub fn readers_never_see_half_of_a_record<R: Rig>(rig: &R)
where
    TailOf<R>: Send,
    SegmentOf<R>: Send + Sync,
{
    let (mut tail, segment) = must(log(rig).create(0));
    thread::scope(|s| {
        for _ in 0..2 {
            let segment = segment.clone();
            s.spawn(move || while check(&segment) < CAPACITY {});
        }
        let committer = segment.clone();
        s.spawn(move || {
            while committer.marks().committed() < CAPACITY {
                commit(&committer);
                if !committer.geometry().staged {
                    break;
                }
                thread::yield_now();
            }
        });
        s.spawn(move || write_all(&mut tail));
    });
    assert_eq!(check(&segment), CAPACITY);
}

/// 1
pub fn a_flush_beside_the_writer_covers_whole_records_only<R: Rig>(rig: &R)
where
    TailOf<R>: Send,
    SegmentOf<R>: Send + Sync,
{
    let (mut tail, segment) = must(log(rig).create(0));
    thread::scope(|s| {
        for _ in 0..2 {
            let segment = segment.clone();
            s.spawn(move || {
                let mut before = 0;
                while before < CAPACITY {
                    commit(&segment);
                    let flushed = must(wait(|cx| segment.poll_flush(cx, CAPACITY)));
                    assert!(flushed >= before && flushed.is_multiple_of(RECORD), "{flushed}");
                    assert!(segment.marks().flushed() >= flushed);
                    before = flushed;
                    thread::yield_now();
                }
            });
        }
        s.spawn(move || write_all(&mut tail));
    });
    assert_eq!(segment.marks().flushed(), CAPACITY);
}

/// 2 and 8: what is read goes away only when the last reader does.
pub fn segments_come_and_go_beside_readers<R: Rig>(rig: &R)
where
    SegmentOf<R>: Send + Sync,
{
    let series = must(rig.medium().segments(Series::ConsumeQueue("t", 0), 512));
    let done = &AtomicBool::new(false);
    let (give, take) = std::sync::mpsc::sync_channel::<(SegmentOf<R>, u8)>(2);
    thread::scope(|s| {
        s.spawn(move || {
            while let Ok((segment, byte)) = take.recv() {
                expect_bytes(&segment, 0, &[byte; 256]);
                drop(segment);
            }
            done.store(true, Ordering::Release);
        });
        for round in 1..20 {
            let (mut tail, segment) = must(series.create(0));
            super::put(&mut tail, &segment, 0, &[round; 256]);
            commit(&segment);
            drop(tail);
            assert!(give.send((segment, round)).is_ok());
            must(series.remove(0));
        }
        drop(give);
    });
    assert!(done.load(Ordering::Acquire));
}
