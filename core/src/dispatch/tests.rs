//! Logs as a writer leaves them, dispatched into a list.

use std::collections::BTreeMap;
use std::string::{String, ToString};
use std::vec;
use std::vec::Vec;

use super::*;
use crate::check::Limits;
use crate::clock::At;
use crate::delay::{DelayLevels, SCHEDULE_TOPIC};
use crate::lock::TimeInLock;
use crate::log::testing::{TestBackend, TestSegment};
use crate::log::{CommitLog, LogWriter};
use crate::message::{Message, Properties};
use crate::observe::Silent;
use crate::offsets::FixedOffsets;
use crate::prepare::{self, MultiDispatchRules};
use crate::record::hash_order::OrderRoom;
use crate::record::parse::{ParseError, RecordView};
use crate::segment::{FixedTable, SegmentTable};

mod damage;
mod request;
mod walk;

const NOW: i64 = 1_700_000_000_000;

const LMQ: MultiDispatchRules =
    MultiDispatchRules { enable_lmq: true, enable_multi_dispatch: true, skip_retry_topics: false };

/// A log and its writer.
struct World {
    backend: TestBackend,
    log: CommitLog<TestSegment, FixedTable<TestSegment, 16>>,
    writer: LogWriter<TestBackend, FixedOffsets<16>>,
    limits: Limits,
    rules: Rules,
}

impl World {
    fn new() -> Self {
        Self::with(TestBackend::new(4096, false))
    }

    fn with(backend: TestBackend) -> Self {
        let writer = LogWriter::new(backend.clone(), FixedOffsets::new(), FixedOffsets::new());
        Self {
            backend,
            log: CommitLog::new(FixedTable::new(), 0),
            writer,
            limits: Limits { segment_size: 4096, ..Limits::default() },
            rules: Rules { multi: LMQ, ..Rules::default() },
        }
    }

    fn put(&mut self, message: &Message<'_>) {
        let mut room: OrderRoom = OrderRoom::new();
        let levels = DelayLevels::default();
        let prepared =
            prepare::prepare(message, &levels, &self.limits, self.rules.multi, &mut room).unwrap();
        let held = TimeInLock::new();
        self.writer.append(&self.log, &prepared, &At(NOW), &held, &Silent).unwrap();
    }

    /// `R(n)` of the cases: topic `TopicTest`, queue 0, a body of n bytes, 100 + n in the log.
    fn put_r(&mut self, n: usize) {
        self.put(&Message::new("TopicTest", 0, &vec![7; n]));
    }

    /// The log's bytes from one place in a new log, changed: as a damaged medium gives them.
    fn damaged(&self, change: impl FnOnce(&mut Vec<u8>)) -> Self {
        let end = self.log.max_offset() as usize;
        let mut bytes = Vec::new();
        for base in (0..end as u64).step_by(4096) {
            bytes.extend(self.backend.bytes(base));
        }
        bytes.truncate(end);
        change(&mut bytes);
        let mut w = Self::new();
        w.raw(0, &bytes);
        w
    }

    /// Raw bytes, file by file.
    fn raw(&mut self, offset: u64, bytes: &[u8]) {
        let mut at = offset;
        let mut rest = bytes;
        while !rest.is_empty() {
            let here = rest.len().min((4096 - at % 4096) as usize);
            let (head, tail) = rest.split_at(here);
            at = self.writer.append_raw(&self.log, at, head, &Silent).unwrap();
            rest = tail;
        }
    }

    fn step(&self, reput: &mut Reput, sink: &mut Sink) -> Step<&'static str> {
        reput.step(&self.log, self.log.max_offset(), &mut [], &self.rules, sink)
    }
}

/// What has been heard.
#[derive(Default)]
struct Sink {
    /// Name, queue id, queue offset, log offset.
    queued: Vec<(String, i32, i64, u64)>,
    indexed: Vec<u64>,
    /// Name, queue id, next offset.
    arrived: Vec<(String, i32, i64)>,
    gaps: Vec<Gap>,
    jumps: Vec<(u64, u64)>,
    no_queue: Vec<u64>,
    /// Max physical offset of each queue, as the queue knows it.
    ends: BTreeMap<(String, i32), u64>,
    /// Refuses the queue entry, or the index entry, of the record there.
    refuse_queue: Option<u64>,
    refuse_index: Option<u64>,
    /// What the queues knew before.
    entries: BTreeMap<(i32, i64), (u64, u32)>,
    sizes: BTreeMap<u64, u32>,
}

impl Sink {
    fn offsets(&self) -> Vec<u64> {
        self.queued.iter().map(|q| q.3).collect()
    }
}

impl Dispatch for Sink {
    type Error = &'static str;

    fn queue(&mut self, request: &DispatchRequest<'_>) -> Result<(), Self::Error> {
        if self.refuse_queue == Some(request.physical_offset) {
            return Err("no queue");
        }
        let end = request.physical_offset + u64::from(request.size);
        for t in request.targets() {
            let known = self.ends.entry((t.name.to_string(), t.queue_id)).or_default();
            if !request.is_below(*known) {
                *known = end;
                let entry = (t.name.to_string(), t.queue_id, t.queue_offset);
                self.queued.push((entry.0, entry.1, entry.2, request.physical_offset));
            }
        }
        Ok(())
    }

    fn index(&mut self, request: &DispatchRequest<'_>) -> Result<(), Self::Error> {
        if self.refuse_index == Some(request.physical_offset) {
            return Err("no index");
        }
        self.indexed.push(request.physical_offset);
        Ok(())
    }

    fn arrived(&mut self, a: &Arrival<'_>) {
        self.arrived.push((a.topic.to_string(), a.queue_id, a.next_offset));
    }

    fn entry(&mut self, record: &RecordView<'_>) -> Entry {
        match self.entries.get(&(record.queue_id(), record.queue_offset())) {
            Some(at) if *at == (record.physical_offset(), record.total_size()) => Entry::Here,
            Some(_) => Entry::Elsewhere,
            None => Entry::Unknown,
        }
    }

    fn size_at(&mut self, offset: u64) -> Option<u32> {
        self.sizes.get(&offset).copied()
    }

    fn skipped(&mut self, gap: &Gap) {
        self.gaps.push(*gap);
    }

    fn no_queue(&mut self, request: &DispatchRequest<'_>) {
        self.no_queue.push(request.physical_offset);
    }

    fn jumped(&mut self, from: u64, to: u64) {
        self.jumps.push((from, to));
    }
}

/// A property string from `name=value;...`.
fn properties(text: &str) -> String {
    text.replace('=', "\u{1}").replace(';', "\u{2}")
}
