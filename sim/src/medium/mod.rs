//! The store's files on a simulated disk, kept as a folder keeps them: each file whole before
//! it has a name, each name durable before it counts.
//!
//! Nothing here hands a window of the disk itself out: the tail of a segment has memory of its
//! own, and [`publish`](mqstore_core::segment::Tail::publish) stores it through the mapping
//! that a folder would lend. So there is no unsafe code, and no view of bytes that change.

mod cells;
mod error;
mod found;
mod paths;
mod segment;
mod series;
mod small;
mod tail;

pub use cells::SimCells;
pub use error::SimError;
pub use found::SimFound;
pub use segment::SimSegment;
pub use series::SimSegments;
pub use tail::SimTail;

use std::sync::Arc;

use mqstore_core::segment::{
    CellsFile, ErrorKind, Geometry, Medium, QueueSeries, Series, SmallFile, Space,
};

use crate::disk::{Process, SECTOR, SimDisk};

/// How a medium uses its disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MediumOptions {
    /// The log is staged in buffers of so many bytes; 0: it is written in place.
    pub stage: u32,
    /// A commit or flush is pending for at most so many polls, drawn anew for each.
    pub polls: u64,
    /// Found and sealed segments lend views, of a copy.
    pub views: bool,
    /// What was found is written again before it is synced: a sync that failed before may have
    /// left bytes that the system shows and counts as clean. A folder does not do that.
    pub rewrite: bool,
    /// The name of what was found is made durable, too: whoever made it may have died before.
    /// A folder does not do that.
    pub sync_names: bool,
}

impl Default for MediumOptions {
    fn default() -> Self {
        Self { stage: 0, polls: 0, views: true, rewrite: true, sync_names: true }
    }
}

/// A medium over a simulated disk, as one process sees it.
#[derive(Clone)]
pub struct SimMedium {
    process: Process,
    options: MediumOptions,
}

impl SimMedium {
    /// The medium of a process that starts now, and ends with the next kill or power cut.
    #[must_use]
    pub fn new(disk: &Arc<SimDisk>, options: MediumOptions) -> Self {
        Self { process: disk.process(), options }
    }
}

/// Holds the disk for one store.
pub struct SimLock(Process);

impl Drop for SimLock {
    fn drop(&mut self) {
        self.0.disown();
    }
}

impl Medium for SimMedium {
    type Error = SimError;
    type Segments = SimSegments;
    type Cells = SimCells;
    type Lock = SimLock;

    fn lock(&self) -> Result<SimLock, SimError> {
        self.process.own().map_err(SimError::during("taking the store"))?;
        Ok(SimLock(self.process.clone()))
    }

    fn segments(&self, series: Series<'_>, size: u32) -> Result<SimSegments, SimError> {
        const WHAT: &str = "choosing a series";
        let folder = paths::of_series(series).map_err(SimError::during(WHAT))?;
        if size == 0 {
            return Err(SimError::new(ErrorKind::BadSize, WHAT));
        }
        let stage = self.options.stage;
        let geometry = match series {
            Series::CommitLog if stage > 0 => Geometry::staged(size, stage.min(size), 1),
            _ => Geometry::in_place(size),
        };
        let geometry = geometry.with_persist_unit(u32::try_from(SECTOR).unwrap_or(1));
        Ok(SimSegments::new(self.clone(), folder, geometry))
    }

    fn queues(&self, kind: QueueSeries, visit: &mut dyn FnMut(&str, i32)) -> Result<(), SimError> {
        let names = self.process.names(paths::of_queues(kind))?;
        let mut queues: Vec<_> = names.iter().filter_map(|n| paths::queue_of(n, kind)).collect();
        queues.dedup();
        queues.into_iter().for_each(|(topic, id)| visit(topic, id));
        Ok(())
    }

    fn remove_series(&self, series: Series<'_>) -> Result<(), SimError> {
        let folder = paths::of_series(series)?;
        let names = self.process.names(&folder)?;
        for name in &names {
            self.process.remove(name)?;
        }
        if let Some(name) = names.first() {
            self.process.sync_name(name)?;
        }
        Ok(())
    }

    fn cells(&self, file: CellsFile, size: u64) -> Result<SimCells, SimError> {
        SimCells::open(&self.process, paths::of_cells(file), size)
    }

    fn cells_len(&self, file: CellsFile) -> Result<Option<u64>, SimError> {
        let opened = self.process.open(&paths::of_cells(file))?;
        Ok(opened.map(|file| self.process.len(&file)).transpose()?)
    }

    fn index_files(&self, visit: &mut dyn FnMut(u64)) -> Result<(), SimError> {
        let names = self.process.names(paths::INDEX)?;
        let numbers = names.iter().filter_map(|n| n.strip_prefix(paths::INDEX)?.parse().ok());
        numbers.for_each(visit);
        Ok(())
    }

    fn remove_cells(&self, file: CellsFile) -> Result<(), SimError> {
        Ok(small::remove(&self.process, &paths::of_cells(file))?)
    }

    fn load(&self, file: SmallFile, out: &mut [u8]) -> Result<Option<usize>, SimError> {
        small::load(&self.process, file, out).map_err(SimError::during("reading a small file"))
    }

    fn save(&self, file: SmallFile, bytes: &[u8]) -> Result<(), SimError> {
        small::save(&self.process, file, bytes).map_err(SimError::during("saving a small file"))
    }

    fn erase(&self, file: SmallFile) -> Result<(), SimError> {
        small::erase(&self.process, file).map_err(SimError::during("removing a small file"))
    }

    fn space(&self, _: Series<'_>) -> Result<Space, SimError> {
        let (total, free) = self.process.space()?;
        Ok(Space { total, free })
    }
}

/// Makes a file of `len` zeros whose space is real and whose name is durable; it is not there
/// when this fails.
fn make_file(
    process: &Process,
    name: &str,
    len: u64,
    loss: crate::disk::Loss,
) -> Result<crate::disk::FileRef, ErrorKind> {
    let file = process.create(len, loss)?;
    process.sync_all(&file, name)?;
    process.link(&file, name)?;
    if let Err(e) = process.sync_name(name) {
        // whether this works or not, the first error is the one to tell
        let _ = process.remove(name);
        return Err(e);
    }
    Ok(file)
}
