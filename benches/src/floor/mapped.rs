//! A record copied into a mapped file whose pages are all present: memory speed, no kernel.

use core::hint::black_box;
use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::Barrier;
use std::thread;
use std::time::Instant;

use memmap2::MmapMut;

use crate::args::Args;
use crate::samples::Samples;

/// Far beyond any cache, and below what makes the kernel write while we measure.
const FILE_MAX: usize = 512 << 20;
const PAGE: usize = 4096;

/// Each thread writes round and round in a part of the file that is its own, so that nothing is
/// shared: no store can be faster.
pub(crate) fn run(args: &Args, path: &Path) -> io::Result<Samples> {
    let wanted = args.count.saturating_mul(args.record as u64).max(16 << 20);
    let len =
        usize::try_from(wanted).unwrap_or(FILE_MAX).min(FILE_MAX).max(args.record * args.threads);
    let file = written_file(path, len)?;
    // SAFETY: the file was just made under a name of our own, and nobody else changes it.
    let mut map = unsafe { MmapMut::map_mut(&file)? };
    map.iter_mut().step_by(PAGE).for_each(|byte| *byte = 1);

    let start_line = Barrier::new(args.threads + 1);
    let mut all = Samples::new();
    thread::scope(|scope| {
        let parts = map.chunks_mut(len / args.threads).take(args.threads);
        let workers: Vec<_> = parts
            .map(|part| {
                let start_line = &start_line;
                scope.spawn(move || {
                    start_line.wait();
                    fill(args, part)
                })
            })
            .collect();
        start_line.wait();
        let start = Instant::now();
        for worker in workers {
            match worker.join() {
                Ok(samples) => all.add(&samples),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        all.took = start.elapsed();
    });
    Ok(all)
}

/// A file of zeros that have really been written.
fn written_file(path: &Path, len: usize) -> io::Result<File> {
    let mut options = OpenOptions::new();
    let mut file = options.read(true).write(true).create_new(true).open(path)?;
    let zeros = vec![0; 1 << 20];
    let mut left = len;
    while left > 0 {
        let n = left.min(zeros.len());
        file.write_all(zeros.get(..n).unwrap_or_default())?;
        left -= n;
    }
    // nothing of this is to be written while we measure
    file.sync_all()?;
    Ok(file)
}

fn fill(args: &Args, part: &mut [u8]) -> Samples {
    let mut samples = Samples::new();
    let body = vec![0x5A_u8; args.body];
    let mut record = vec![0x5A_u8; args.record];
    let mut at = 0;
    let begun = Instant::now();
    for _ in 0..args.calls() {
        let start = Instant::now();
        if args.limit.is_some_and(|limit| start - begun > limit) {
            break;
        }
        for _ in 0..args.batch {
            let checksum = crc32fast::hash(black_box(&body));
            record[..4].copy_from_slice(&checksum.to_be_bytes());
            if at + args.record > part.len() {
                at = 0;
            }
            part[at..at + args.record].copy_from_slice(black_box(&record));
            at += args.record;
        }
        samples.record(start.elapsed());
    }
    black_box(part);
    samples
}
