//! One record made and written: single and in a batch, with the body's checksum and without.

use core::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use mqstore::{Message, MessageBatch};
use mqstore_benches::{BODIES, body, encoded_batch, message};
use mqstore_core::check::Limits;
use mqstore_core::delay::DelayLevels;
use mqstore_core::prepare::{MultiDispatchRules, PreparedBatch, prepare, prepare_batch};
use mqstore_core::record::Stamp;
use mqstore_core::record::batch::BatchItem;
use mqstore_core::record::hash_order::OrderRoom;

const STAMP: Stamp =
    Stamp { queue_offset: 7, physical_offset: 1 << 32, store_timestamp: 1_700_000_000_001 };

/// `prepare` takes the checksum and measures, `emit` writes; a put does both.
fn single(c: &mut Criterion) {
    let (levels, limits) = (DelayLevels::default(), Limits::default());
    let rules = MultiDispatchRules::default();
    for len in BODIES {
        let mut group = c.benchmark_group(format!("encode/single/{len}"));
        let body = body(len);
        let message = message(&body);
        let mut room = OrderRoom::<256>::new();
        let mut out = vec![0; 8192];
        group.throughput(Throughput::Bytes(len as u64));
        group.bench_function("with checksum", |b| {
            b.iter(|| {
                let message = black_box(&message);
                let prepared = prepare(message, &levels, &limits, rules, &mut room)
                    .expect("the message is legal");
                let record = &mut out[..prepared.record_len() as usize];
                prepared.emit(&STAMP, record);
                black_box(record);
            });
        });
        let prepared =
            prepare(&message, &levels, &limits, rules, &mut room).expect("the message is legal");
        let record = &mut out[..prepared.record_len() as usize];
        group.bench_function("without", |b| {
            b.iter(|| {
                black_box(&prepared).emit(&STAMP, record);
                black_box(&*record);
            });
        });
        group.bench_function("checksum alone", |b| {
            b.iter(|| mqstore_core::record::body_crc(black_box(&body)));
        });
        group.finish();
    }
}

fn emit_batch(prepared: &PreparedBatch<'_>, records: &mut [u8]) {
    let Stamp { queue_offset, physical_offset, store_timestamp } = STAMP;
    prepared.emit(queue_offset, physical_offset, store_timestamp, records);
}

fn batch(c: &mut Criterion) {
    let limits = Limits::default();
    let mut group = c.benchmark_group("encode/batch of 16");
    group.throughput(Throughput::Elements(16));
    for len in BODIES {
        let encoded = encoded_batch(16, &body(len));
        let batch = MessageBatch { head: Message::new("bench-topic-0", 1, encoded.as_bytes()) };
        let mut items = [BatchItem::default(); 16];
        let mut room = OrderRoom::<256>::new();
        let mut out = vec![0; 128 << 10];
        group.bench_function(format!("{len} with checksums"), |b| {
            b.iter(|| {
                let batch = black_box(&batch);
                let prepared = prepare_batch(batch, &limits, &mut items, &mut room)
                    .expect("the message is legal");
                let records = &mut out[..prepared.total_len() as usize];
                emit_batch(&prepared, records);
                black_box(records);
            });
        });
        let prepared =
            prepare_batch(&batch, &limits, &mut items, &mut room).expect("the message is legal");
        let records = &mut out[..prepared.total_len() as usize];
        group.bench_function(format!("{len} without"), |b| {
            b.iter(|| {
                emit_batch(black_box(&prepared), records);
                black_box(&*records);
            });
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(30).without_plots();
    targets = single, batch
}
criterion_main!(benches);
