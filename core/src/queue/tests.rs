use std::collections::BTreeMap;
use std::vec;
use std::vec::Vec;

use super::*;
use crate::log::testing::{TestBackend, TestSegment};
use crate::observe::Observer;
use crate::segment::{
    ErrorKind, FixedTable, Found, Readable, Segment, SegmentBackend, SegmentTable,
};

/// 200 entries.
const FILE: u32 = 4000;

type Table = FixedTable<TestSegment, 8>;
type Queue = ConsumeQueue<TestSegment, Table>;

/// Keeps what it is told.
#[derive(Default)]
struct Heard {
    gaps: core::cell::RefCell<Vec<(u64, u64)>>,
    failed: core::cell::Cell<u32>,
}

impl Observer for Heard {
    fn queue_gap(&self, expected: u64, at: u64) {
        self.gaps.borrow_mut().push((expected, at));
    }

    fn create_failed(&self, _: u64, _: &dyn core::fmt::Display) {
        self.failed.set(self.failed.get() + 1);
    }

    fn write_failed(&self, _: u64, _: &dyn core::fmt::Display) {
        self.failed.set(self.failed.get() + 1);
    }
}

/// A queue whose records are 100 bytes long, one behind the other.
struct World {
    backend: TestBackend,
    queue: Queue,
    writer: QueueWriter<TestBackend>,
    heard: Heard,
    /// Where the next record lies in the log.
    log: i64,
}

const SIZE: i32 = 100;

impl World {
    fn new() -> Self {
        Self::with(TestBackend::new(FILE, false), 1000)
    }

    fn with(backend: TestBackend, log: i64) -> Self {
        let queue = ConsumeQueue::new(Table::new(), 0);
        let writer = QueueWriter::new(backend.clone());
        Self { backend, queue, writer, heard: Heard::default(), log }
    }

    /// A queue with `count` entries from 0 on.
    fn of(count: i64) -> Self {
        let mut w = Self::new();
        for k in 0..count {
            assert_eq!(w.put(k), Ok(Put::At { entry: k.cast_unsigned() }));
        }
        w
    }

    /// Puts the next record's entry.
    fn put(&mut self, queue_offset: i64) -> Result<Put, NotPut> {
        let cell = Cell { physical_offset: self.log, size: SIZE, tags_code: queue_offset };
        let put = self.writer.put(&self.queue, cell, queue_offset, &self.heard)?;
        self.log += i64::from(SIZE);
        Ok(put)
    }

    fn bounds(&self) -> (u64, u64) {
        (self.queue.min_offset(), self.queue.max_offset())
    }

    /// Overwrites bytes of a file behind everybody's back, as a crash does.
    fn scribble(&self, base: u64, at: u32, bytes: &[u8]) {
        self.backend.scribble(base, at as usize, bytes);
    }

    /// Opens the queue again: recovers, and cuts what lies at or behind `phy`.
    fn reopen(&mut self, phy: i64) {
        self.writer.let_go();
        let mut bases = Vec::new();
        self.backend.list(&mut |base| bases.push(base)).unwrap();
        let table = Table::new();
        let mut recovery = QueueRecovery::default();
        let mut end = None;
        for (i, base) in bases.iter().enumerate() {
            let found = self.backend.open(*base).unwrap();
            if end.is_some_and(|(_, at)| at < FILE) {
                self.backend.remove(*base).unwrap();
            } else if i >= files_to_skip(bases.len()) {
                end = match recovery.look_at(&found, &mut []).unwrap() {
                    Verdict::Full => Some((*base, FILE)),
                    Verdict::EndsAt(at) => Some((*base, at)),
                };
            }
        }
        let mut last = end.map(|(base, end)| {
            (base, FileEnd { end, max_physical: recovery.max_physical, max_ext: None })
        });
        if phy < i64::MAX {
            while let Some((base, _)) = last {
                let cut = cut_file(&self.backend.open(base).unwrap(), phy, &mut []).unwrap();
                if let Some(cut) = cut {
                    last = Some((base, cut));
                    break;
                }
                self.backend.remove(base).unwrap();
                last = bases.iter().rfind(|b| **b < base).map(|b| (*b, FileEnd::default()));
            }
        }
        self.writer = QueueWriter::new(self.backend.clone());
        if let Some((base, end)) = last {
            for b in bases.iter().filter(|b| **b < base) {
                table.push(self.backend.open(*b).unwrap().seal()).unwrap();
            }
            let halves = self.backend.open(base).unwrap().resume(end.end).unwrap();
            table.push(halves.1.clone()).unwrap();
            self.writer.resume(halves, end.max_physical);
        }
        self.queue = ConsumeQueue::new(table, 0);
    }
}

mod bounds;
mod put;
mod recover;
mod time;
