//! A minimal group commit: every thread copies its record into a shared buffer, and one of
//! those who wait writes it with `pwrite` and `fdatasync` for all.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

use crate::args::Args;
use crate::samples::Samples;

const FILE_LEN: u64 = 256 << 20;

/// What the threads share.
#[derive(Default)]
struct Group {
    /// Records that wait for the next write.
    gathered: Vec<u8>,
    /// The buffer that the last leader has written, to be used again.
    spare: Vec<u8>,
    /// Records added now are durable once `durable` has reached this.
    epoch: u64,
    durable: u64,
    /// Somebody is writing.
    led: bool,
    /// Where the next write goes.
    at: u64,
}

struct Log {
    file: File,
    group: Mutex<Group>,
    written: Condvar,
}

/// Measures the group commit.
pub(crate) fn run(args: &Args, path: &Path) -> io::Result<Samples> {
    let group = Mutex::new(Group { epoch: 1, ..Group::default() });
    let log = Log { file: written_file(path)?, group, written: Condvar::new() };
    let mut all = Samples::new();
    let start = Instant::now();
    let ended: Vec<io::Result<Samples>> = thread::scope(|scope| {
        let workers: Vec<_> =
            (0..args.threads).map(|_| scope.spawn(|| writer(args, &log, start))).collect();
        let join = |w: thread::ScopedJoinHandle<'_, _>| {
            w.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        workers.into_iter().map(join).collect()
    });
    all.took = start.elapsed();
    for samples in ended {
        all.add(&samples?);
    }
    Ok(all)
}

/// A file whose blocks have been written once, so that a sync carries no metadata.
fn written_file(path: &Path) -> io::Result<File> {
    let file = File::create_new(path)?;
    let zeros = vec![0; 1 << 20];
    for at in (0..FILE_LEN).step_by(zeros.len()) {
        file.write_all_at(&zeros, at)?;
    }
    file.sync_all()?;
    Ok(file)
}

fn writer(args: &Args, log: &Log, begun: Instant) -> io::Result<Samples> {
    let mut samples = Samples::new();
    let body = vec![0x5A_u8; args.body];
    let mut record = vec![0x5A_u8; args.record];
    for _ in 0..args.calls() {
        let start = Instant::now();
        if args.limit.is_some_and(|limit| start - begun > limit) {
            break;
        }
        record[..4].copy_from_slice(&crc32fast::hash(&body).to_be_bytes());
        log.append(&record, args.batch)?;
        samples.record(start.elapsed());
    }
    Ok(samples)
}

impl Log {
    fn lock(&self) -> MutexGuard<'_, Group> {
        self.group.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Appends the record so many times, and returns when it is durable.
    fn append(&self, record: &[u8], times: u64) -> io::Result<()> {
        let mut group = self.lock();
        for _ in 0..times {
            group.gathered.extend_from_slice(record);
        }
        let mine = group.epoch;
        while group.durable < mine {
            if group.led {
                group = self.written.wait(group).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            group = self.lead(group)?;
        }
        Ok(())
    }

    /// Writes what has been gathered.
    fn lead<'a>(&'a self, mut group: MutexGuard<'a, Group>) -> io::Result<MutexGuard<'a, Group>> {
        let spare = core::mem::take(&mut group.spare);
        let mut bytes = core::mem::replace(&mut group.gathered, spare);
        let epoch = group.epoch;
        group.epoch += 1;
        group.led = true;
        if group.at + bytes.len() as u64 > FILE_LEN {
            group.at = 0;
        }
        let at = group.at;
        group.at += bytes.len() as u64;
        drop(group);

        let written = self.file.write_all_at(&bytes, at).and_then(|()| self.file.sync_data());

        let mut group = self.lock();
        group.led = false;
        self.written.notify_all();
        written?;
        bytes.clear();
        group.spare = bytes;
        group.durable = group.durable.max(epoch);
        Ok(group)
    }
}
