//! A medium in memory, without std and without an allocator.
//!
//! A [`MemPool`] is the memory; a [`MemMedium`] is a store's way to it. The pool outlives the
//! medium, so that closing and opening again can be tried:
//!
//! ```
//! use mqstore_backends::mem::{MemMedium, MemPool};
//! use mqstore_core::segment::{Medium, Readable, SegmentBackend, Series, Tail};
//!
//! # fn main() -> Result<(), mqstore_backends::BackendError> {
//! let mut memory = [0; 4096];
//! let pool = MemPool::<8>::new(&mut memory);
//! let log = MemMedium::new(&pool).segments(Series::CommitLog, 1024)?;
//! let (mut tail, segment) = log.create(0)?;
//! tail.window(0, 5)?.copy_from_slice(b"hello");
//! tail.publish(5);
//! assert_eq!(segment.view(0, 5), Some(&b"hello"[..]));
//! # Ok(())
//! # }
//! ```

#[expect(unsafe_code, reason = "hands out raw memory of a pool; see its proofs")]
mod arena;
mod cells;
#[expect(unsafe_code, reason = "gives raw memory of a pool to segments; see its proofs")]
mod hold;
mod pool;
mod segments;
mod small;
mod table;

pub use cells::MemCells;
#[cfg(feature = "std")]
pub use pool::HeapPool;
pub use pool::{MemPool, PoolHandle};
pub use segments::MemSegments;

use core::sync::atomic::Ordering;

use mqstore_core::segment::{
    CellsFile, ErrorKind, Geometry, Medium, QueueSeries, Series, SmallFile, Space,
};

use self::table::{Key, kind_of_queues};
use crate::BackendError;

/// A store's files in a pool.
#[derive(Clone)]
pub struct MemMedium<R> {
    pool: R,
    /// Length of each log segment's buffer; 0: written in place.
    stage: u32,
}

impl<R: PoolHandle> MemMedium<R> {
    /// A medium whose segments are written in place.
    pub const fn new(pool: R) -> Self {
        Self { pool, stage: 0 }
    }

    /// A medium whose log segments are staged in buffers of `stage` bytes, and have to be
    /// committed before they can be read. All other series are written in place.
    pub const fn staged(pool: R, stage: u32) -> Self {
        Self { pool, stage }
    }
}

/// Files that a heap medium has room for.
#[cfg(feature = "std")]
const HEAP_FILES: usize = 1024;

#[cfg(feature = "std")]
impl MemMedium<std::sync::Arc<HeapPool>> {
    /// A medium of its own with room for `bytes` bytes and 1024 files.
    #[must_use]
    pub fn heap(bytes: usize) -> Self {
        Self::new(std::sync::Arc::new(HeapPool::new(bytes, HEAP_FILES)))
    }
}

/// Holds a pool for one store.
pub struct MemLock<R: PoolHandle> {
    pool: R,
}

impl<R: PoolHandle> Drop for MemLock<R> {
    fn drop(&mut self) {
        self.pool.owned().store(false, Ordering::Release);
    }
}

impl<R: PoolHandle> Medium for MemMedium<R> {
    type Error = BackendError;
    type Segments = MemSegments<R>;
    type Cells = MemCells<R>;
    type Lock = MemLock<R>;

    fn lock(&self) -> Result<MemLock<R>, BackendError> {
        if self.pool.owned().swap(true, Ordering::AcqRel) {
            return Err(BackendError::new(ErrorKind::Locked, "taking the store"));
        }
        Ok(MemLock { pool: self.pool.clone() })
    }

    fn segments(&self, series: Series<'_>, size: u32) -> Result<MemSegments<R>, BackendError> {
        const WHAT: &str = "choosing a series";
        let key = Key::of_series(series).map_err(|kind| BackendError::new(kind, WHAT))?;
        if size == 0 || size.checked_add(self.stage).is_none() {
            return Err(BackendError::new(ErrorKind::BadSize, WHAT));
        }
        let geometry = if self.stage > 0 && matches!(series, Series::CommitLog) {
            Geometry::staged(size, self.stage.min(size), 1)
        } else {
            Geometry::in_place(size)
        };
        Ok(MemSegments::new(self.pool.clone(), key, geometry))
    }

    fn queues(
        &self,
        kind: QueueSeries,
        visit: &mut dyn FnMut(&str, i32),
    ) -> Result<(), BackendError> {
        let kind = kind_of_queues(kind);
        let mut from = 0;
        // the table is not locked while somebody looks
        while let Some((at, key)) = self.pool.locked(|table| table.next_series(kind, from)) {
            visit(&key.topic, key.queue_id);
            from = at + 1;
        }
        Ok(())
    }

    fn remove_series(&self, series: Series<'_>) -> Result<(), BackendError> {
        let key = Key::of_series(series)?;
        self.pool.locked(|table| table.unname_series(&key));
        Ok(())
    }

    fn cells(&self, file: CellsFile, size: u64) -> Result<MemCells<R>, BackendError> {
        MemCells::open(&self.pool, &Key::of_cells(file), size)
    }

    fn cells_len(&self, file: CellsFile) -> Result<Option<u64>, BackendError> {
        let key = Key::of_cells(file);
        Ok(self
            .pool
            .locked(|table| table.find(&key).map(|slot| u64::from(table.region_of(slot).len()))))
    }

    fn index_files(&self, visit: &mut dyn FnMut(u64)) -> Result<(), BackendError> {
        let series = Key::of_cells(CellsFile::Index(0));
        let mut least = 0;
        while let Some(name) = self.pool.locked(|table| table.next_number(&series, least)) {
            visit(name);
            let Some(next) = name.checked_add(1) else { break };
            least = next;
        }
        Ok(())
    }

    fn remove_cells(&self, file: CellsFile) -> Result<(), BackendError> {
        let key = Key::of_cells(file);
        self.pool.locked(|table| {
            if let Some(slot) = table.find(&key) {
                table.unname(slot);
            }
        });
        Ok(())
    }

    fn load(&self, file: SmallFile, out: &mut [u8]) -> Result<Option<usize>, BackendError> {
        Ok(small::load(&self.pool, file, out))
    }

    fn save(&self, file: SmallFile, bytes: &[u8]) -> Result<(), BackendError> {
        small::save(&self.pool, file, bytes)
    }

    fn erase(&self, file: SmallFile) -> Result<(), BackendError> {
        small::erase(&self.pool, file);
        Ok(())
    }

    fn space(&self, _: Series<'_>) -> Result<Space, BackendError> {
        Ok(self.pool.locked(|table| Space { total: table.arena.len() as u64, free: table.free() }))
    }
}
