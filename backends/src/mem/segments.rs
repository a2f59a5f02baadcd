//! A series of segments in a pool.

use mqstore_core::segment::{ErrorKind, Geometry, Halves, SegmentBackend};

use super::hold::{MemFindings, MemHold, halves, zero};
use super::pool::{Pin, Pool};
use super::table::Key;
use crate::BackendError;
use crate::segment::{Discovered, Pinned, Writer};

/// A series of segments in memory.
pub struct MemSegments<R: Pool> {
    pool: R,
    /// Of the series' first segment.
    key: Key,
    geometry: Geometry,
}

impl<R: Pool> MemSegments<R> {
    pub(crate) fn new(pool: R, key: Key, geometry: Geometry) -> Self {
        Self { pool, key, geometry }
    }

    /// The name of the segment at `base`, if there can be one.
    fn key_at(&self, base: u64, what: &'static str) -> Result<Key, BackendError> {
        let capacity = u64::from(self.geometry.capacity);
        if base.is_multiple_of(capacity) && base.checked_add(capacity).is_some() {
            return Ok(self.key.with_number(base));
        }
        Err(BackendError::new(ErrorKind::OutOfBounds, what))
    }

    /// How many bytes lie behind those of each segment.
    fn beside(&self) -> u32 {
        if self.geometry.staged { self.geometry.window_max } else { 0 }
    }
}

impl<R: Pool> SegmentBackend for MemSegments<R> {
    type Error = BackendError;
    type Tail = Writer<MemHold<R>>;
    type Segment = Pinned<MemHold<R>>;
    type Found = Discovered<MemFindings<R>>;

    fn geometry(&self) -> Geometry {
        self.geometry
    }

    fn create(&self, base: u64) -> Result<Halves<Self>, BackendError> {
        const WHAT: &str = "making a segment";
        let key = self.key_at(base, WHAT)?;
        let capacity = self.geometry.capacity;
        let made = self.pool.locked(|table| {
            if table.find(&key).is_some() {
                return Err(ErrorKind::Exists);
            }
            let slot = table.make(key, capacity, self.beside())?;
            let s = table.slots.get_mut(slot).ok_or(ErrorKind::NoSpace)?;
            s.written = true;
            let extent = table.arena.region(s.at, capacity + self.beside());
            Ok((Pin::new(&self.pool, table, slot), extent))
        });
        let (pin, extent) = made.map_err(|kind| BackendError::new(kind, WHAT))?;
        zero(extent);
        let (tail, hold) = halves(pin, base, self.geometry, extent, 0);
        Ok((tail, Pinned::new(hold)))
    }

    fn open(&self, base: u64) -> Result<Self::Found, BackendError> {
        const WHAT: &str = "opening a segment";
        let key = self.key_at(base, WHAT)?;
        let found = self.pool.locked(|table| {
            let slot = table.find(&key).ok_or(ErrorKind::NotFound)?;
            let s = table.slots.get(slot).ok_or(ErrorKind::NotFound)?;
            if s.size != self.geometry.capacity {
                return Err(ErrorKind::WrongSize);
            }
            if s.written {
                return Err(ErrorKind::Busy);
            }
            // what lies beside is only there if the series was staged when this was made
            let (extent, geometry) = table.extent_for(slot, self.geometry, self.beside());
            Ok(MemFindings { pin: Pin::new(&self.pool, table, slot), base, geometry, extent })
        });
        found.map(Discovered::new).map_err(|kind| BackendError::new(kind, WHAT))
    }

    fn remove(&self, base: u64) -> Result<(), BackendError> {
        const WHAT: &str = "removing a segment";
        let key = self.key_at(base, WHAT)?;
        let removed = self.pool.locked(|table| table.find(&key).map(|slot| table.unname(slot)));
        removed.ok_or(BackendError::new(ErrorKind::NotFound, WHAT))
    }

    fn list(&self, visit: &mut dyn FnMut(u64)) -> Result<(), BackendError> {
        let mut least = 0;
        while let Some(base) = self.pool.locked(|table| table.next_number(&self.key, least)) {
            if !base.is_multiple_of(u64::from(self.geometry.capacity)) {
                return Err(BackendError::new(ErrorKind::Foreign, "listing segments"));
            }
            visit(base);
            least = base + 1;
        }
        Ok(())
    }
}
