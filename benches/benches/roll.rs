//! Puts into log files of 64 KiB, so that going on in the next file is what costs.

use core::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use mqstore_benches::{Rig, body, message};

const FILE_SIZE: u64 = 64 << 10;
const BUDGET: u64 = 32 << 20;

fn roll(c: &mut Criterion) {
    for backend in ["mem", "mmap"] {
        let mut group = c.benchmark_group(format!("roll/{backend}"));
        // 57 records of 1 KiB to a file, or 3 of 20 KiB
        for len in [1024, 20 << 10] {
            let mut rig = Rig::new(env!("CARGO_TARGET_TMPDIR").into(), backend, FILE_SIZE, BUDGET);
            let body = body(len);
            let message = message(&body);
            group.throughput(Throughput::Elements(1));
            group.bench_function(format!("{len}"), |b| {
                b.iter_custom(|times| rig.put(times, black_box(&message)));
            });
        }
        group.finish();
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20).without_plots();
    targets = roll
}
criterion_main!(benches);
