//! A segment that was found on a simulated disk.

use std::sync::Arc;

use mqstore_core::segment::{ErrorKind, Found, Geometry, Readable};

use super::segment::{Shared, SimSegment, check_range};
use super::tail::{SimTail, Written, halves};
use super::{MediumOptions, SimError};
use crate::disk::{FileRef, Process};

/// A segment that was found.
pub struct SimFound {
    pub(super) process: Process,
    pub(super) options: MediumOptions,
    pub(super) file: FileRef,
    pub(super) name: Arc<str>,
    pub(super) base: u64,
    /// Of the series; what is found or sealed counts as written in place.
    pub(super) geometry: Geometry,
    /// What is lent.
    pub(super) copy: Option<Vec<u8>>,
}

/// The bytes of a segment, if it is to lend views.
pub(super) fn copy_for_views(
    process: &Process,
    options: MediumOptions,
    file: &FileRef,
    name: &str,
    len: u32,
) -> Result<Option<Vec<u8>>, ErrorKind> {
    if !options.views {
        return Ok(None);
    }
    let mut copy = vec![0; len as usize];
    process.read(file, name, 0, &mut copy)?;
    Ok(Some(copy))
}

impl SimFound {
    /// Makes `[0, end)` and the name durable.
    fn make_durable(&self, end: u32) -> Result<(), ErrorKind> {
        let (process, file, name) = (&self.process, &self.file, &*self.name);
        if self.options.rewrite {
            let mut bytes = vec![0; end as usize];
            process.read(file, name, 0, &mut bytes)?;
            process.write_all(file, name, 0, &bytes)?;
        }
        process.sync_all(file, name)?;
        if self.options.sync_names { process.sync_name(name) } else { Ok(()) }
    }

    fn cut(&self, end: u32) -> Result<(), ErrorKind> {
        let capacity = self.geometry.capacity.into();
        self.process.zero(&self.file, &self.name, end.into(), capacity)?;
        self.make_durable(end)
    }

    fn shared(self, geometry: Geometry, end: u32) -> Shared {
        let Self { process, options, file, name, base, .. } = self;
        Shared::new(process, options, file, name, base, geometry, end)
    }

    fn sealed_geometry(&self) -> Geometry {
        let Geometry { capacity, persist_unit, .. } = self.geometry;
        Geometry::in_place(capacity).with_persist_unit(persist_unit)
    }
}

impl Readable for SimFound {
    type Error = SimError;

    fn base(&self) -> u64 {
        self.base
    }

    fn geometry(&self) -> Geometry {
        self.sealed_geometry()
    }

    fn view(&self, at: u32, len: u32) -> Option<&[u8]> {
        self.copy.as_ref()?.get(at as usize..at.checked_add(len)? as usize)
    }

    fn read(&self, at: u32, out: &mut [u8]) -> Result<(), SimError> {
        check_range(at, out, self.geometry.capacity)?;
        let read = self.process.read(&self.file, &self.name, at.into(), out);
        read.map_err(SimError::during("reading a found segment"))
    }
}

impl Found for SimFound {
    type Tail = SimTail;
    type Segment = SimSegment;

    fn sync(&self) -> Result<(), SimError> {
        let synced = self.make_durable(self.geometry.capacity);
        synced.map_err(SimError::during("making a found segment durable"))
    }

    fn seal(mut self) -> SimSegment {
        let (copy, capacity) = (self.copy.take(), self.geometry.capacity);
        let geometry = self.sealed_geometry();
        let shared = self.shared(geometry, capacity).lending(copy);
        SimSegment { shared: Arc::new(shared), _written: None }
    }

    fn resume(self, end: u32) -> Result<(SimTail, SimSegment), SimError> {
        const WHAT: &str = "resuming a segment";
        let capacity = self.geometry.capacity;
        if end > capacity {
            return Err(SimError::new(ErrorKind::OutOfBounds, WHAT));
        }
        // behind the capacity nobody reads
        let claimed = self.process.claim(&self.file, end == capacity);
        claimed.map_err(SimError::during(WHAT))?;
        let written = Arc::new(Written(self.file.clone()));
        self.cut(end).map_err(SimError::during(WHAT))?;
        let geometry = self.geometry;
        Ok(halves(Arc::new(self.shared(geometry, end)), written))
    }
}
