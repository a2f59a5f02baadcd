//! What the contract promises about power cuts, asked of the simulated medium without a store.

use core::task::{Context, Poll, Waker};
use std::sync::Arc;

use mqstore_core::segment::{
    Cells, CellsFile, Found, Medium, Readable, Segment, SegmentBackend, Series, SmallFile, Tail,
};
use mqstore_sim::{DiskOptions, MediumOptions, Rng, SimDisk, SimError, SimMedium};

const SIZE: u32 = 4096;
const SEEDS: u64 = 400;

fn options(seed: u64) -> MediumOptions {
    let (stage, polls) = ([0, 1000, SIZE][(seed % 3) as usize], seed % 4);
    MediumOptions { stage, polls, views: seed.is_multiple_of(2), rewrite: true, sync_names: true }
}

fn world(seed: u64) -> (Arc<SimDisk>, SimMedium) {
    let disk = SimDisk::new(seed, DiskOptions::default());
    let medium = SimMedium::new(&disk, options(seed));
    (disk, medium)
}

fn again(disk: &Arc<SimDisk>, seed: u64) -> SimMedium {
    disk.power_cut(&mut Rng::new(seed));
    SimMedium::new(disk, options(seed))
}

/// As a loop without threads asks.
fn wait<T>(mut poll: impl FnMut(&mut Context<'_>) -> Poll<T>) -> T {
    let mut cx = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(value) = poll(&mut cx) {
            return value;
        }
    }
}

/// The byte at each place of the log.
fn byte_at(at: u32) -> u8 {
    (at % 251) as u8 + 1
}

/// Appends at random until the disk stops or the segment is full.
fn append(
    tail: &mut impl Tail<Error = SimError>,
    segment: &impl Segment<Error = SimError>,
    rng: &mut Rng,
) {
    loop {
        let at = segment.marks().published();
        let len = u32::try_from(rng.between(1, 200)).unwrap();
        match tail.window(at, len) {
            Ok(window) => window.iter_mut().zip(at..).for_each(|(b, at)| *b = byte_at(at)),
            Err(_) if at > 0 && wait(|cx| segment.poll_commit(cx, at)).is_err() => return,
            Err(_) if at + len > SIZE => return,
            Err(_) => continue,
        }
        tail.publish(at + len);
        let upto = u32::try_from(rng.below(u64::from(at + len) + 1)).unwrap();
        if rng.one_in(3) && wait(|cx| segment.poll_commit(cx, upto)).is_err() {
            return;
        }
        if rng.one_in(4) && wait(|cx| segment.poll_flush(cx, upto)).is_err() {
            return;
        }
    }
}

/// 3, and 10: over several lives, each of which goes on at its flushed mark.
fn lives(seed: u64) -> (u32, u64) {
    let (disk, mut medium) = world(seed);
    let (mut rng, mut flushed) = (Rng::new(!seed), 0);
    let (mut tail, mut segment) =
        medium.segments(Series::CommitLog, SIZE).unwrap().create(0).unwrap();
    for life in 0..4 {
        disk.stop_after(rng.between(1, 40));
        append(&mut tail, &segment, &mut rng);
        flushed = segment.marks().flushed();
        medium = again(&disk, seed + life);
        let series = medium.segments(Series::CommitLog, SIZE).unwrap();
        let found = series.open(0).unwrap();
        let mut bytes = vec![0; flushed as usize];
        found.read(0, &mut bytes).unwrap();
        assert!(bytes.iter().zip(0..).all(|(b, at)| *b == byte_at(at)), "seed {seed}");
        drop((tail, segment, found));
        drop(series.open(0).unwrap().resume(flushed).unwrap());
        medium = again(&disk, seed + life);
        let series = medium.segments(Series::CommitLog, SIZE).unwrap();
        let found = series.open(0).unwrap();
        let mut bytes = vec![1; (SIZE - flushed) as usize];
        found.read(flushed, &mut bytes).unwrap();
        assert!(bytes.iter().all(|b| *b == 0), "seed {seed}: bytes came back");
        (tail, segment) = found.resume(flushed).unwrap();
    }
    drop((tail, segment));
    (flushed, disk.fingerprint())
}

#[test]
fn bytes_below_the_flushed_mark_stay_and_zeros_behind_a_resume_do() {
    let far: u32 = (0..SEEDS).map(|seed| lives(seed).0).sum();
    assert!(u64::from(far) > SEEDS * 500, "{far}");
}

#[test]
fn the_same_seed_is_the_same_life_of_a_medium() {
    for seed in 0..12 {
        assert_eq!(lives(seed), lives(seed));
        assert_ne!(lives(seed).1, lives(seed + 12).1);
    }
}

#[test]
fn a_segment_that_was_being_made_is_whole_or_not_there() {
    let (mut there, mut gone) = (0, 0);
    for seed in 0..SEEDS {
        let (disk, medium) = world(seed);
        let series = medium.segments(Series::ConsumeQueue("t", 0), SIZE).unwrap();
        disk.stop_after(seed % 6);
        let made = series.create(0).is_ok();
        let series = again(&disk, seed).segments(Series::ConsumeQueue("t", 0), SIZE).unwrap();
        let Ok(found) = series.open(0) else {
            assert!(!made, "seed {seed}");
            gone += 1;
            continue;
        };
        there += 1;
        let mut bytes = vec![1; SIZE as usize];
        found.read(0, &mut bytes).unwrap();
        assert!(bytes.iter().all(|b| *b == 0));
    }
    assert!(there > 50 && gone > 50, "{there} {gone}");
}

#[test]
fn a_small_file_is_the_old_one_or_the_new_one_whole() {
    let (mut old, mut new) = (0, 0);
    for seed in 0..SEEDS {
        let (disk, medium) = world(seed);
        let file = [SmallFile::State, SmallFile::DelayOffset][(seed % 2) as usize];
        medium.save(file, &[1; 700]).unwrap();
        disk.stop_after(seed % 15);
        let saved = medium.save(file, &[2; 900]).is_ok();
        let mut out = [0; 900];
        let len = again(&disk, seed).load(file, &mut out).unwrap().unwrap();
        if out[0] == 2 {
            assert!(len == 900 && out == [2; 900], "seed {seed}");
            new += 1;
        } else {
            assert!(!saved && len == 700 && out[..700] == [1; 700], "seed {seed}");
            old += 1;
        }
    }
    assert!(old > 50 && new > 50, "{old} {new}");
}

#[test]
fn each_word_of_cells_is_old_or_new_and_what_was_synced_is_there() {
    let mut mixed = 0;
    for seed in 0..SEEDS {
        let (disk, medium) = world(seed);
        let cells = medium.cells(CellsFile::Checkpoint, 4096).unwrap();
        cells.set(0, &[1; 1024]).unwrap();
        cells.sync().unwrap();
        cells.set(0, &[2; 512]).unwrap();
        let cells = again(&disk, seed).cells(CellsFile::Checkpoint, 4096).unwrap();
        let mut out = [0; 1024];
        cells.get(0, &mut out).unwrap();
        assert!(out[..512].chunks(4).all(|w| w == [1; 4] || w == [2; 4]), "seed {seed}");
        assert_eq!(out[512..], [1; 512], "seed {seed}");
        mixed += usize::from(out[..512].contains(&1) && out[..512].contains(&2));
    }
    assert!(mixed > 50, "{mixed}");
}

/// Whoever made it may have died when the name was there and not durable yet.
#[test]
fn a_segment_that_is_resumed_keeps_its_name_unless_the_name_is_not_synced_again() {
    let lost = |sync_names: bool| {
        let lost = |seed: &u64| {
            let (disk, medium) = world(*seed);
            // created, synced, linked, and then not durable
            disk.stop_after(3);
            assert!(medium.segments(Series::CommitLog, SIZE).unwrap().create(0).is_err());
            disk.kill();
            let medium = SimMedium::new(&disk, MediumOptions { sync_names, ..options(*seed) });
            let found = medium.segments(Series::CommitLog, SIZE).unwrap().open(0).unwrap();
            let (mut tail, segment) = found.resume(0).unwrap();
            tail.window(0, 5).unwrap().copy_from_slice(b"hello");
            tail.publish(5);
            wait(|cx| segment.poll_commit(cx, 5)).unwrap();
            assert_eq!(wait(|cx| segment.poll_flush(cx, 5)), Ok(5));
            again(&disk, *seed).segments(Series::CommitLog, SIZE).unwrap().open(0).is_err()
        };
        (0..SEEDS).filter(lost).count()
    };
    assert_eq!(lost(true), 0);
    assert!(lost(false) > 50);
}
