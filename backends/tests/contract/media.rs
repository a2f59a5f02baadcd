//! Fresh media of every kind.

use std::sync::Arc;

use mqstore_backends::mmap::{FolderConfig, FolderMedium, Staging, TransientPool};
use tempfile::TempDir;

use super::{HeapPool, MemMedium};

/// A medium in memory.
pub(crate) type Mem = MemMedium<Arc<HeapPool>>;

fn heap() -> Arc<HeapPool> {
    Arc::new(HeapPool::new(1 << 20, 64))
}

/// Memory, written in place.
pub(crate) fn mem() -> Mem {
    MemMedium::new(heap())
}

/// Memory, the log staged in buffers of `stage` bytes.
pub(crate) fn mem_staged(stage: u32) -> Mem {
    MemMedium::staged(heap(), stage)
}

/// Staging in `n` buffers of `len` bytes, also after a resume.
pub(crate) fn pool(n: usize, len: u32) -> Staging {
    let mut staging = Staging::new(TransientPool::new(n, len).unwrap());
    staging.resumed = true;
    staging
}

/// A folder of its own, with or without staging.
pub(crate) fn folder(staging: Option<Staging>) -> (FolderMedium, TempDir) {
    let dir = tempfile::tempdir().unwrap();
    let mut config = FolderConfig::new(dir.path().join("store"));
    config.staging = staging;
    (FolderMedium::open(config), dir)
}
