//! A medium and its series with a hook before and after each call.

use mqstore_core::segment::{
    CellsFile, Geometry, Halves, Medium, QueueSeries, SegmentBackend, Series, SmallFile, Space,
};

use super::hook::{Call, Hook, Op, Place, through};
use super::hooked_segment::{HookedCells, HookedFound, HookedSegment, HookedTail};

/// A medium whose calls go through a hook.
#[derive(Clone, Debug)]
pub struct Hooked<M, H> {
    inner: M,
    hook: H,
}

impl<M, H> Hooked<M, H> {
    /// `inner` with this hook.
    pub const fn new(inner: M, hook: H) -> Self {
        Self { inner, hook }
    }

    /// The hook.
    pub const fn hook(&self) -> &H {
        &self.hook
    }

    /// The medium below.
    pub const fn inner(&self) -> &M {
        &self.inner
    }
}

const fn call(op: Op, place: Place) -> Call {
    Call { op, place, at: 0, len: 0 }
}

impl<M: Medium, H: Hook + Clone> Medium for Hooked<M, H> {
    type Error = M::Error;
    type Segments = HookedSegments<M::Segments, H>;
    type Cells = HookedCells<M::Cells, H>;
    type Lock = M::Lock;

    fn lock(&self) -> Result<M::Lock, M::Error> {
        through(&self.hook, call(Op::Lock, Place::Medium), || self.inner.lock())
    }

    fn segments(&self, series: Series<'_>, size: u32) -> Result<Self::Segments, M::Error> {
        let inner = self.inner.segments(series, size)?;
        Ok(HookedSegments { inner, hook: self.hook.clone(), place: series.into() })
    }

    fn queues(&self, kind: QueueSeries, visit: &mut dyn FnMut(&str, i32)) -> Result<(), M::Error> {
        let place = match kind {
            QueueSeries::ConsumeQueue => Place::ConsumeQueue,
            QueueSeries::ConsumeQueueExt => Place::ConsumeQueueExt,
        };
        through(&self.hook, call(Op::List, place), || self.inner.queues(kind, visit))
    }

    fn remove_series(&self, series: Series<'_>) -> Result<(), M::Error> {
        let remove = call(Op::Remove, series.into());
        through(&self.hook, remove, || self.inner.remove_series(series))
    }

    fn cells(&self, file: CellsFile, size: u64) -> Result<Self::Cells, M::Error> {
        let open = Call { len: size, ..call(Op::OpenCells, Place::Cells) };
        let inner = through(&self.hook, open, || self.inner.cells(file, size))?;
        Ok(HookedCells::new(inner, self.hook.clone()))
    }

    fn cells_len(&self, file: CellsFile) -> Result<Option<u64>, M::Error> {
        self.inner.cells_len(file)
    }

    fn index_files(&self, visit: &mut dyn FnMut(u64)) -> Result<(), M::Error> {
        through(&self.hook, call(Op::List, Place::Cells), || self.inner.index_files(visit))
    }

    fn remove_cells(&self, file: CellsFile) -> Result<(), M::Error> {
        let remove = call(Op::RemoveCells, Place::Cells);
        through(&self.hook, remove, || self.inner.remove_cells(file))
    }

    fn load(&self, file: SmallFile, out: &mut [u8]) -> Result<Option<usize>, M::Error> {
        through(&self.hook, call(Op::Load, Place::Small), || self.inner.load(file, out))
    }

    fn save(&self, file: SmallFile, bytes: &[u8]) -> Result<(), M::Error> {
        let save = Call { len: bytes.len() as u64, ..call(Op::Save, Place::Small) };
        through(&self.hook, save, || self.inner.save(file, bytes))
    }

    fn erase(&self, file: SmallFile) -> Result<(), M::Error> {
        through(&self.hook, call(Op::Erase, Place::Small), || self.inner.erase(file))
    }

    fn space(&self, series: Series<'_>) -> Result<Space, M::Error> {
        through(&self.hook, call(Op::Space, series.into()), || self.inner.space(series))
    }
}

/// A series whose calls go through a hook.
#[derive(Clone, Debug)]
pub struct HookedSegments<B, H> {
    inner: B,
    hook: H,
    place: Place,
}

impl<B, H> HookedSegments<B, H> {
    fn call(&self, op: Op, at: u64, len: u32) -> Call {
        Call { op, place: self.place, at, len: u64::from(len) }
    }
}

impl<B: SegmentBackend, H: Hook + Clone> SegmentBackend for HookedSegments<B, H> {
    type Error = B::Error;
    type Tail = HookedTail<B::Tail, H>;
    type Segment = HookedSegment<B::Segment, H>;
    type Found = HookedFound<B::Found, H>;

    fn geometry(&self) -> Geometry {
        self.inner.geometry()
    }

    fn create(&self, base: u64) -> Result<Halves<Self>, B::Error> {
        let call = self.call(Op::Create, base, self.inner.geometry().capacity);
        self.hook.before(&call)?;
        let (tail, segment) = self.inner.create(base)?;
        if let Err(kind) = self.hook.after(&call) {
            drop((tail, segment));
            // a create that fails leaves no segment behind
            self.inner.remove(base)?;
            return Err(kind.into());
        }
        let tail = HookedTail::new(tail, self.hook.clone(), base, self.place);
        Ok((tail, HookedSegment::new(segment, self.hook.clone(), self.place)))
    }

    fn open(&self, base: u64) -> Result<Self::Found, B::Error> {
        let found = through(&self.hook, self.call(Op::Open, base, 0), || self.inner.open(base))?;
        Ok(HookedFound::new(found, self.hook.clone(), self.place))
    }

    fn remove(&self, base: u64) -> Result<(), B::Error> {
        through(&self.hook, self.call(Op::Remove, base, 0), || self.inner.remove(base))
    }

    fn list(&self, visit: &mut dyn FnMut(u64)) -> Result<(), B::Error> {
        through(&self.hook, self.call(Op::List, 0, 0), || self.inner.list(visit))
    }

    fn announce(&self, base: u64) {
        self.inner.announce(base);
    }
}
