use std::path::Path;
use std::sync::Arc;

use mqstore_backends::mem::{HeapPool, MemMedium};
use mqstore_backends::mmap::{FolderConfig, FolderMedium};
use mqstore_core::queue::{Cell, Put};
use tempfile::TempDir;

use super::error::QueueError;
use super::open::{Done, FoundQueues, LogBounds};
use super::queue::Bounds;
use super::{QueueSettings, Queues};
use crate::engine::HostMedium;

mod clean;
mod dispatch;
mod flush;
mod idle;
mod many;
mod model;
mod opening;
mod put;

/// 200 entries.
const FILE: u32 = 4000;

/// Length of each record.
const SIZE: i32 = 100;

type Mem = MemMedium<Arc<HeapPool>>;

fn mem() -> Mem {
    MemMedium::heap(4 << 20)
}

fn folder(at: &TempDir) -> FolderMedium {
    FolderMedium::open(FolderConfig::new(at.path()))
}

fn temp() -> TempDir {
    tempfile::tempdir().unwrap()
}

fn settings() -> QueueSettings {
    QueueSettings::new(FILE)
}

fn queues<M: HostMedium>(medium: M) -> Queues<M> {
    Queues::new(Arc::new(medium), settings())
}

/// The entry of the record at this log offset.
fn cell(physical_offset: i64) -> Cell {
    Cell { physical_offset, size: SIZE, tags_code: physical_offset * 7 }
}

impl<M: HostMedium> Queues<M> {
    /// Puts the entry for this queue offset of a record whose place is 100 times it.
    fn put_nth(&self, topic: &str, queue_id: i32, k: i64) -> Result<Put, QueueError> {
        self.put(topic, queue_id, cell(k * i64::from(SIZE)), k, None)
    }

    fn fill(&self, topic: &str, queue_id: i32, ks: std::ops::Range<i64>) {
        for k in ks {
            let entry = k.cast_unsigned();
            assert_eq!(self.put_nth(topic, queue_id, k), Ok(Put::At { entry }));
        }
    }

    fn cell_of(&self, topic: &str, queue_id: i32, k: u64) -> Option<Cell> {
        let open = self.open(&self.find(topic, queue_id)?).unwrap()?;
        open.entries.cell(k).map_err(|e| e.to_string()).unwrap()
    }

    /// Flushes everything, and lays all queues to rest.
    fn rest_all(&self) {
        self.flush(0).unwrap();
        self.rest_idle(0);
        assert_eq!(self.awake(), 0);
    }
}

fn bounds(min: u64, max: u64) -> Bounds {
    Bounds { min, max }
}

/// Opens what is there, with a log that is whole up to `end`.
fn reopen<M: HostMedium>(medium: M, end: u64) -> Queues<M> {
    let found = FoundQueues::look(Arc::new(medium), settings()).unwrap();
    let (queues, reports) = found.settle(log(0, end), false).unwrap();
    assert_eq!(reports, []);
    queues
}

fn log(min: u64, end: u64) -> LogBounds {
    LogBounds { min: Some(min), end }
}

/// The file of a queue at this base.
fn file_of(root: &Path, topic: &str, queue_id: i32, base: u64) -> std::path::PathBuf {
    root.join("consumequeue").join(topic).join(queue_id.to_string()).join(format!("{base:020}"))
}
