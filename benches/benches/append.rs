//! A whole put through a store, in memory and on mapped files, one writer.

use core::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use mqstore::MessageBatch;
use mqstore_benches::{BODIES, Rig, body, encoded_batch, message};

const FILE_SIZE: u64 = 32 << 20;
/// What a store in memory has room for, with the files that are made ahead.
const BUDGET: u64 = 128 << 20;

fn append(c: &mut Criterion) {
    for backend in ["mem", "mmap"] {
        let mut group = c.benchmark_group(format!("append/{backend}"));
        for len in BODIES {
            let mut rig = Rig::new(env!("CARGO_TARGET_TMPDIR").into(), backend, FILE_SIZE, BUDGET);
            let body = body(len);
            let message = message(&body);
            group.throughput(Throughput::Elements(1));
            group.bench_function(format!("{len}"), |b| {
                b.iter_custom(|times| rig.put(times, black_box(&message)));
            });
        }
        let mut rig = Rig::new(env!("CARGO_TARGET_TMPDIR").into(), backend, FILE_SIZE, BUDGET);
        let encoded = encoded_batch(16, &body(1024));
        let batch =
            MessageBatch { head: mqstore::Message::new("bench-topic-0", 1, encoded.as_bytes()) };
        group.throughput(Throughput::Elements(16));
        group.bench_function("batch of 16, 1024", |b| {
            b.iter_custom(|times| rig.repeat(times, |store| store.put_batch(black_box(&batch))));
        });
        group.finish();
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20).without_plots();
    targets = append
}
criterion_main!(benches);
