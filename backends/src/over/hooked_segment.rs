//! Tail, segment, found segment and cells with a hook before and after each call.

use core::task::{Context, Poll};

use mqstore_core::segment::{Cells, ErrorKind, Found, Geometry, Marks, Readable, Segment, Tail};

use super::hook::{Call, Go, Hook, Op, Place, through};

fn len_of(bytes: &[u8]) -> u64 {
    bytes.len() as u64
}

/// A tail whose calls go through a hook.
pub struct HookedTail<T, H> {
    inner: T,
    hook: H,
    base: u64,
    place: Place,
}

impl<T, H> HookedTail<T, H> {
    pub(crate) fn new(inner: T, hook: H, base: u64, place: Place) -> Self {
        Self { inner, hook, base, place }
    }

    fn call(&self, op: Op, at: u32, len: u32) -> Call {
        Call { op, place: self.place, at: self.base + u64::from(at), len: u64::from(len) }
    }
}

impl<T: Tail, H: Hook> Tail for HookedTail<T, H> {
    type Error = T::Error;

    fn window(&mut self, at: u32, len: u32) -> Result<&mut [u8], T::Error> {
        self.hook.before(&self.call(Op::Window, at, len))?;
        self.inner.window(at, len)
    }

    fn publish(&mut self, end: u32) {
        // cannot fail: a plan that says so is not heard
        let _ = self.hook.before(&self.call(Op::Publish, end, 0));
        self.inner.publish(end);
    }
}

/// A segment whose calls go through a hook.
#[derive(Clone)]
pub struct HookedSegment<S, H> {
    inner: S,
    hook: H,
    place: Place,
}

impl<S: Readable, H: Hook> HookedSegment<S, H> {
    pub(crate) fn new(inner: S, hook: H, place: Place) -> Self {
        Self { inner, hook, place }
    }

    fn call(&self, op: Op, at: u32, len: u64) -> Call {
        Call { op, place: self.place, at: self.inner.base() + u64::from(at), len }
    }
}

impl<S: Readable, H: Hook> Readable for HookedSegment<S, H> {
    type Error = S::Error;

    fn base(&self) -> u64 {
        self.inner.base()
    }

    fn geometry(&self) -> Geometry {
        self.inner.geometry()
    }

    fn view(&self, at: u32, len: u32) -> Option<&[u8]> {
        if self.hook.lends() { self.inner.view(at, len) } else { None }
    }

    fn read(&self, at: u32, out: &mut [u8]) -> Result<(), S::Error> {
        through(&self.hook, self.call(Op::Read, at, len_of(out)), || self.inner.read(at, out))
    }
}

impl<S: Segment, H: Hook + Clone> HookedSegment<S, H> {
    /// Commits or flushes `[done, end)`, unless the hook has it otherwise.
    fn poll(
        &self,
        op: Op,
        cx: &mut Context<'_>,
        (done, end): (u32, u32),
        ask: impl FnOnce(&mut Context<'_>) -> Poll<Result<u32, S::Error>>,
    ) -> Poll<Result<u32, S::Error>> {
        if self.inner.marks().stopped().is_some() {
            return ask(cx);
        }
        let call = self.call(op, done, u64::from(end.saturating_sub(done)));
        match self.hook.before(&call) {
            Ok(Go::On) => {}
            Ok(Go::Pending) => {
                // the hook decides anew each time it is asked
                cx.waker().wake_by_ref();
                return Poll::Pending;
            }
            Err(kind) => return self.stop(kind),
        }
        ask(cx)
    }

    /// A failed commit or flush stops the segment, as the contract says.
    fn stop<T>(&self, kind: ErrorKind) -> Poll<Result<T, S::Error>> {
        self.inner.marks().stop(kind);
        Poll::Ready(Err(kind.into()))
    }
}

impl<S: Segment, H: Hook + Clone> Segment for HookedSegment<S, H> {
    fn marks(&self) -> &Marks {
        self.inner.marks()
    }

    fn poll_commit(&self, cx: &mut Context<'_>, end: u32) -> Poll<Result<u32, S::Error>> {
        let done = self.inner.marks().committed();
        self.poll(Op::Commit, cx, (done, end), |cx| self.inner.poll_commit(cx, end))
    }

    fn poll_flush(&self, cx: &mut Context<'_>, end: u32) -> Poll<Result<u32, S::Error>> {
        let done = self.inner.marks().flushed();
        self.poll(Op::Flush, cx, (done, end), |cx| self.inner.poll_flush(cx, end))
    }

    fn prepare(&self, upto: u32) -> Result<u32, S::Error> {
        through(&self.hook, self.call(Op::Prepare, upto, 0), || self.inner.prepare(upto))
    }
}

/// A found segment whose calls go through a hook.
pub struct HookedFound<F, H> {
    inner: F,
    hook: H,
    place: Place,
}

impl<F: Found, H: Hook> HookedFound<F, H> {
    pub(crate) fn new(inner: F, hook: H, place: Place) -> Self {
        Self { inner, hook, place }
    }

    fn call(&self, op: Op, at: u32, len: u64) -> Call {
        Call { op, place: self.place, at: self.inner.base() + u64::from(at), len }
    }
}

impl<F: Found, H: Hook> Readable for HookedFound<F, H> {
    type Error = F::Error;

    fn base(&self) -> u64 {
        self.inner.base()
    }

    fn geometry(&self) -> Geometry {
        self.inner.geometry()
    }

    fn view(&self, at: u32, len: u32) -> Option<&[u8]> {
        if self.hook.lends() { self.inner.view(at, len) } else { None }
    }

    fn read(&self, at: u32, out: &mut [u8]) -> Result<(), F::Error> {
        through(&self.hook, self.call(Op::Read, at, len_of(out)), || self.inner.read(at, out))
    }
}

impl<F: Found, H: Hook + Clone> Found for HookedFound<F, H> {
    type Tail = HookedTail<F::Tail, H>;
    type Segment = HookedSegment<F::Segment, H>;

    fn sync(&self) -> Result<(), F::Error> {
        let len = u64::from(self.inner.geometry().capacity);
        through(&self.hook, self.call(Op::SyncFound, 0, len), || self.inner.sync())
    }

    fn seal(self) -> Self::Segment {
        HookedSegment::new(self.inner.seal(), self.hook, self.place)
    }

    fn resume(self, end: u32) -> Result<(Self::Tail, Self::Segment), F::Error> {
        let call = self.call(Op::Resume, end, 0);
        let Self { inner, hook, place } = self;
        let base = inner.base();
        let (tail, segment) = through(&hook, call, || inner.resume(end))?;
        let tail = HookedTail::new(tail, hook.clone(), base, place);
        Ok((tail, HookedSegment::new(segment, hook, place)))
    }
}

/// A file of cells whose calls go through a hook.
#[derive(Clone, Debug)]
pub struct HookedCells<C, H> {
    inner: C,
    hook: H,
}

impl<C, H> HookedCells<C, H> {
    pub(crate) fn new(inner: C, hook: H) -> Self {
        Self { inner, hook }
    }
}

impl<C: Cells, H: Hook + Clone> Cells for HookedCells<C, H> {
    type Error = C::Error;

    fn len(&self) -> u64 {
        self.inner.len()
    }

    fn get(&self, at: u64, out: &mut [u8]) -> Result<(), C::Error> {
        let call = Call { op: Op::GetCells, place: Place::Cells, at, len: len_of(out) };
        through(&self.hook, call, || self.inner.get(at, out))
    }

    fn set(&self, at: u64, bytes: &[u8]) -> Result<(), C::Error> {
        let call = Call { op: Op::SetCells, place: Place::Cells, at, len: len_of(bytes) };
        through(&self.hook, call, || self.inner.set(at, bytes))
    }

    fn sync(&self) -> Result<(), C::Error> {
        let call = Call { op: Op::SyncCells, place: Place::Cells, at: 0, len: 0 };
        through(&self.hook, call, || self.inner.sync())
    }
}
