//! A series of segments in a folder of a simulated disk.

use std::sync::Arc;

use mqstore_core::segment::{ErrorKind, Geometry, Halves, SegmentBackend};

use super::found::{SimFound, copy_for_views};
use super::segment::{Shared, SimSegment};
use super::tail::{SimTail, Written, halves};
use super::{SimError, SimMedium, make_file, paths};
use crate::disk::Loss;

/// A series of segments.
pub struct SimSegments {
    medium: SimMedium,
    folder: String,
    geometry: Geometry,
}

impl SimSegments {
    pub(super) const fn new(medium: SimMedium, folder: String, geometry: Geometry) -> Self {
        Self { medium, folder, geometry }
    }

    /// The name of the segment at `base`, if there can be one.
    fn name_at(&self, base: u64) -> Result<String, ErrorKind> {
        let capacity = u64::from(self.geometry.capacity);
        if base.is_multiple_of(capacity) && base.checked_add(capacity).is_some() {
            return Ok(paths::of_segment(&self.folder, base));
        }
        Err(ErrorKind::OutOfBounds)
    }

    fn try_create(&self, base: u64) -> Result<Halves<Self>, ErrorKind> {
        let name = self.name_at(base)?;
        let SimMedium { process, options } = &self.medium;
        if process.open(&name)?.is_some() {
            return Err(ErrorKind::Exists);
        }
        let file = make_file(process, &name, self.geometry.capacity.into(), Loss::Any)?;
        process.claim(&file, true)?;
        let written = Arc::new(Written(file.clone()));
        let shared =
            Shared::new(process.clone(), *options, file, name.into(), base, self.geometry, 0);
        Ok(halves(Arc::new(shared), written))
    }

    fn try_open(&self, base: u64) -> Result<SimFound, ErrorKind> {
        let name = self.name_at(base)?;
        let SimMedium { process, options } = &self.medium;
        let file = process.open(&name)?.ok_or(ErrorKind::NotFound)?;
        if process.len(&file)? != u64::from(self.geometry.capacity) {
            return Err(ErrorKind::WrongSize);
        }
        if file.is_claimed() {
            return Err(ErrorKind::Busy);
        }
        let copy = copy_for_views(process, *options, &file, &name, self.geometry.capacity)?;
        Ok(SimFound {
            process: process.clone(),
            options: *options,
            file,
            name: name.into(),
            base,
            geometry: self.geometry,
            copy,
        })
    }

    fn try_remove(&self, base: u64) -> Result<(), ErrorKind> {
        let name = self.name_at(base)?;
        self.medium.process.remove(&name)?;
        self.medium.process.sync_name(&name)
    }
}

impl SegmentBackend for SimSegments {
    type Error = SimError;
    type Tail = SimTail;
    type Segment = SimSegment;
    type Found = SimFound;

    fn geometry(&self) -> Geometry {
        self.geometry
    }

    fn create(&self, base: u64) -> Result<Halves<Self>, SimError> {
        self.try_create(base).map_err(SimError::during("making a segment"))
    }

    fn open(&self, base: u64) -> Result<SimFound, SimError> {
        self.try_open(base).map_err(SimError::during("opening a segment"))
    }

    fn remove(&self, base: u64) -> Result<(), SimError> {
        self.try_remove(base).map_err(SimError::during("removing a segment"))
    }

    fn list(&self, visit: &mut dyn FnMut(u64)) -> Result<(), SimError> {
        const WHAT: &str = "listing segments";
        let capacity = u64::from(self.geometry.capacity);
        for name in self.medium.process.names(&self.folder).map_err(SimError::during(WHAT))? {
            let base = name.strip_prefix(&self.folder).and_then(|n| n.parse::<u64>().ok());
            match base.filter(|base| base.is_multiple_of(capacity)) {
                Some(base) => visit(base),
                None => return Err(SimError::new(ErrorKind::Foreign, WHAT)),
            }
        }
        Ok(())
    }
}
