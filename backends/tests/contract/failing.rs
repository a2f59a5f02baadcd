//! Media that fail: the rules about failures.

use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::fs::File;
use std::io;
use std::sync::Arc;

use mqstore_backends::contract::{CAPACITY, Rig, failure};
use mqstore_backends::mmap::access::Access;
use mqstore_backends::over::{Ahead, Fault, FaultPlan, Faulty, Op};
use mqstore_core::segment::{ErrorKind, Medium};

use super::media::{folder, mem, mem_staged, pool};

/// A rig that fails by a plan, and what it needs.
type FaultyRig<M, K> = (Faulty<M, Arc<FaultPlan>>, K);

fn faulty<M: Medium, K>((medium, keep): (M, K)) -> (FaultyRig<M, K>, Arc<FaultPlan>) {
    let plan = Arc::new(FaultPlan::new());
    ((Faulty::new(medium, plan.clone()), keep), plan)
}

fn flush_fails<M: Medium, K>(rig: (M, K)) {
    let (rig, plan) = faulty(rig);
    let fail = || assert!(plan.fail_next(Op::Flush, ErrorKind::Device));
    failure::a_segment_whose_flush_failed_takes_no_more(&rig, fail, ErrorKind::Device);
}

#[test]
fn a_segment_whose_flush_failed_takes_no_more() {
    flush_fails((mem(), ()));
    flush_fails((mem_staged(1024), ()));
    flush_fails(folder(None));
    flush_fails(folder(Some(pool(2, CAPACITY))));
}

fn commit_fails<M: Medium, K>(rig: (M, K)) {
    let (rig, plan) = faulty(rig);
    let fail = || assert!(plan.fail_next(Op::Commit, ErrorKind::NoSpace));
    failure::a_segment_whose_commit_failed_takes_no_more(&rig, fail, ErrorKind::NoSpace);
}

#[test]
fn a_segment_whose_commit_failed_takes_no_more() {
    commit_fails((mem_staged(1024), ()));
    commit_fails(folder(Some(pool(2, CAPACITY))));
}

fn create_fails<R: Rig>(rig: &R, plan: &FaultPlan, fault: Fault) {
    let fail = || assert!(plan.add(fault));
    failure::a_create_that_fails_leaves_nothing_and_the_next_one_works(
        rig,
        fail,
        ErrorKind::NoSpace,
    );
}

#[test]
fn a_create_that_fails_before_or_after_the_file_is_there_leaves_nothing() {
    let before = Fault::new(Op::Create, ErrorKind::NoSpace);
    for fault in [before, before.after()] {
        let (rig, plan) = faulty((mem(), ()));
        create_fails(&rig, &plan, fault);
        let (rig, plan) = faulty(folder(None));
        create_fails(&rig, &plan, fault);
        let (rig, plan) = faulty(folder(Some(pool(2, CAPACITY))));
        create_fails(&rig, &plan, fault);
        let (rig, plan) = faulty(folder(None));
        create_fails(&(Ahead::new(rig.0), rig.1), &plan, fault);
    }
}

/// A file on a disk that can be broken.
struct Bad {
    file: File,
    broken: Arc<Broken>,
}

#[derive(Default)]
struct Broken {
    write: AtomicBool,
    /// So many writes take nothing.
    full: AtomicU32,
    sync: AtomicBool,
}

impl Access for Bad {
    fn write_at(&self, at: u64, bytes: &[u8]) -> io::Result<usize> {
        if self.broken.write.swap(false, Ordering::Relaxed) {
            return Err(io::Error::from_raw_os_error(libc::EIO));
        }
        if self.broken.full.load(Ordering::Relaxed) > 0 {
            self.broken.full.fetch_sub(1, Ordering::Relaxed);
            return Ok(0);
        }
        // never more than seven bytes at once
        Access::write_at(&self.file, at, &bytes[..bytes.len().min(7)])
    }

    fn sync(&self) -> io::Result<()> {
        if self.broken.sync.swap(false, Ordering::Relaxed) {
            return Err(io::Error::from_raw_os_error(libc::EROFS));
        }
        Access::sync(&self.file)
    }
}

fn on_a_bad_disk() -> ((impl Medium, tempfile::TempDir), Arc<Broken>) {
    let broken = Arc::new(Broken::default());
    let mut staging = pool(2, CAPACITY);
    let theirs = broken.clone();
    staging.access = Arc::new(move |file| Box::new(Bad { file, broken: theirs.clone() }));
    (folder(Some(staging)), broken)
}

#[test]
fn a_disk_that_fails_to_write_stops_the_segment() {
    let (rig, broken) = on_a_bad_disk();
    let fail = || broken.write.store(true, Ordering::Relaxed);
    failure::a_segment_whose_commit_failed_takes_no_more(&rig, fail, ErrorKind::Device);
}

#[test]
fn a_disk_that_takes_nothing_twice_in_a_row_stops_the_segment() {
    let (rig, broken) = on_a_bad_disk();
    let fail = || broken.full.store(2, Ordering::Relaxed);
    failure::a_segment_whose_commit_failed_takes_no_more(&rig, fail, ErrorKind::Device);
}

#[test]
fn a_disk_that_turns_read_only_stops_the_segment() {
    let (rig, broken) = on_a_bad_disk();
    let fail = || broken.sync.store(true, Ordering::Relaxed);
    failure::a_segment_whose_flush_failed_takes_no_more(&rig, fail, ErrorKind::ReadOnly);
}

#[test]
fn writes_that_take_seven_bytes_each_bring_everything_to_the_file() {
    let (rig, _) = on_a_bad_disk();
    mqstore_backends::contract::marks::a_full_segment_takes_its_last_byte_and_no_more(&rig);
}
