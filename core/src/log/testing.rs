//! A backend of plain safe code for tests of the put path: the tail owns a buffer of its own,
//! and publishing copies it to where readers look.

use core::cell::{Cell, OnceCell, RefCell};
use core::task::{Context, Poll};
use std::boxed::Box;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::vec;
use std::vec::Vec;

use crate::segment::{
    ErrorKind, Found, Geometry, Halves, Marks, OwnedMarks, Readable, Segment, SegmentBackend, Tail,
};

/// What fails, and how often it still works before that; -1: it works.
#[derive(Default)]
pub(crate) struct Faults {
    pub(crate) create: Cell<Option<ErrorKind>>,
    pub(crate) window: Cell<Option<ErrorKind>>,
    /// The same, only for the segment with this base, once it has worked so many times.
    pub(crate) window_of: Cell<Option<(u64, u32, ErrorKind)>>,
    pub(crate) commit: Cell<Option<ErrorKind>>,
    pub(crate) flush: Cell<Option<ErrorKind>>,
    pub(crate) creates: Cell<u32>,
    /// The longest window; `None`: the capacity.
    pub(crate) window_max: Cell<Option<u32>>,
    /// How many segments there are buffers for; `None`: for all.
    pub(crate) buffers: Cell<Option<u32>>,
}

#[derive(Clone)]
pub(crate) struct TestBackend {
    pub(crate) faults: Rc<Faults>,
    segments: Rc<RefCell<BTreeMap<u64, TestSegment>>>,
    capacity: u32,
    staged: bool,
    lends: bool,
}

impl TestBackend {
    pub(crate) fn new(capacity: u32, staged: bool) -> Self {
        Self { faults: Rc::default(), segments: Rc::default(), capacity, staged, lends: true }
    }

    /// One whose segments must be read, because they are not memory.
    pub(crate) fn lending_nothing(capacity: u32) -> Self {
        Self { lends: false, ..Self::new(capacity, false) }
    }

    /// Changes bytes behind everybody's back, as a crash does.
    pub(crate) fn scribble(&self, base: u64, at: usize, bytes: &[u8]) {
        let segments = self.segments.borrow();
        let mut all = segments.get(&base).unwrap().bytes.borrow_mut();
        all.get_mut(at..at + bytes.len()).unwrap().copy_from_slice(bytes);
    }

    /// All bytes of a segment as a reader would see them, whole.
    pub(crate) fn bytes(&self, base: u64) -> Vec<u8> {
        self.segments.borrow().get(&base).map(|s| s.bytes.borrow().clone()).unwrap_or_default()
    }
}

#[derive(Clone)]
pub(crate) struct TestSegment {
    base: u64,
    bytes: Rc<RefCell<Vec<u8>>>,
    marks: Rc<OwnedMarks>,
    faults: Rc<Faults>,
    staged: bool,
    lends: bool,
    lent: Rc<OnceCell<Box<Snapshot>>>,
}

/// What readers are lent: a copy of what was visible, and those of later moments behind it.
struct Snapshot {
    bytes: Vec<u8>,
    later: OnceCell<Box<Snapshot>>,
}

impl TestSegment {
    fn visible(&self) -> usize {
        self.marks.visible(self.staged) as usize
    }

    fn snapshot(&self) -> &[u8] {
        let visible = self.visible();
        let mut cell: &OnceCell<Box<Snapshot>> = &self.lent;
        loop {
            let snapshot = cell.get_or_init(|| {
                let bytes = self.bytes.borrow().get(..visible).unwrap().to_vec();
                Box::new(Snapshot { bytes, later: OnceCell::new() })
            });
            if snapshot.bytes.len() == visible {
                return &snapshot.bytes;
            }
            cell = &snapshot.later;
        }
    }
}

pub(crate) struct TestTail {
    segment: TestSegment,
    buffer: Vec<u8>,
    from: u32,
}

/// What a window holds that nobody has written to.
const UNTOUCHED: u8 = 0xEE;

impl TestTail {
    /// What was written to the last window is in its place, published or not, as in a mapping.
    fn spill(&mut self) {
        let buffer = core::mem::take(&mut self.buffer);
        if buffer.iter().any(|b| *b != UNTOUCHED) {
            let from = self.from as usize;
            let mut bytes = self.segment.bytes.borrow_mut();
            bytes.get_mut(from..from + buffer.len()).unwrap().copy_from_slice(&buffer);
        }
    }
}

impl Drop for TestTail {
    fn drop(&mut self) {
        self.spill();
    }
}

impl Readable for TestSegment {
    type Error = ErrorKind;

    fn base(&self) -> u64 {
        self.base
    }

    fn geometry(&self) -> Geometry {
        let capacity = u32::try_from(self.bytes.borrow().len()).unwrap();
        let window_max = self.faults.window_max.get().unwrap_or(capacity);
        if self.staged {
            Geometry::staged(capacity, window_max, 1)
        } else {
            Geometry { window_max, ..Geometry::in_place(capacity) }
        }
    }

    fn view(&self, at: u32, len: u32) -> Option<&[u8]> {
        let at = at as usize;
        let bytes = self.lends.then(|| self.snapshot())?;
        bytes.get(at..at + len as usize)
    }

    fn read(&self, at: u32, out: &mut [u8]) -> Result<(), ErrorKind> {
        let bytes = self.bytes.borrow();
        let (at, len) = (at as usize, out.len());
        if at + len > self.visible() {
            return Err(ErrorKind::OutOfBounds);
        }
        out.copy_from_slice(bytes.get(at..at + len).ok_or(ErrorKind::OutOfBounds)?);
        Ok(())
    }
}

impl Segment for TestSegment {
    fn marks(&self) -> &Marks {
        &self.marks
    }

    fn poll_commit(&self, _: &mut Context<'_>, end: u32) -> Poll<Result<u32, ErrorKind>> {
        if let Some(kind) = self.faults.commit.get() {
            self.marks.stop(kind);
            return Poll::Ready(Err(kind));
        }
        self.marks.commit(end).unwrap();
        Poll::Ready(Ok(end))
    }

    fn poll_flush(&self, _: &mut Context<'_>, end: u32) -> Poll<Result<u32, ErrorKind>> {
        if let Some(kind) = self.faults.flush.get() {
            self.marks.stop(kind);
            return Poll::Ready(Err(kind));
        }
        self.marks.flush(end, self.staged).unwrap();
        Poll::Ready(Ok(end))
    }
}

impl Tail for TestTail {
    type Error = ErrorKind;

    fn window(&mut self, at: u32, len: u32) -> Result<&mut [u8], ErrorKind> {
        if let Some(kind) = self.segment.faults.window.take() {
            return Err(kind);
        }
        let window_of = &self.segment.faults.window_of;
        match window_of.get().filter(|(base, ..)| *base == self.segment.base) {
            Some((_, 0, kind)) => {
                window_of.set(None);
                return Err(kind);
            }
            Some((base, works, kind)) => window_of.set(Some((base, works - 1, kind))),
            None => {}
        }
        if self.segment.marks.stopped().is_some() {
            return Err(ErrorKind::Stopped);
        }
        let Geometry { capacity, window_max, .. } = self.segment.geometry();
        let room = capacity.min(self.segment.marks.published().saturating_add(window_max));
        if at.checked_add(len).is_none_or(|end| end > room) {
            return Err(ErrorKind::OutOfBounds);
        }
        assert!(at >= self.segment.marks.published(), "a window over published bytes");
        self.spill();
        self.from = at;
        // what a caller does not write is noticed
        self.buffer = vec![UNTOUCHED; len as usize];
        Ok(&mut self.buffer)
    }

    fn publish(&mut self, end: u32) {
        let upto = self.from as usize + self.buffer.len();
        assert!(end as usize >= upto, "less is published than was lent");
        self.spill();
        self.segment.marks.publish(end);
    }
}

impl Found for TestSegment {
    type Tail = TestTail;
    type Segment = Self;

    fn seal(self) -> Self {
        self
    }

    fn sync(&self) -> Result<(), ErrorKind> {
        Ok(())
    }

    fn resume(self, end: u32) -> Result<(TestTail, Self), ErrorKind> {
        self.bytes.borrow_mut().get_mut(end as usize..).unwrap().fill(0);
        let marks = Rc::new(OwnedMarks::new(end));
        let segment = Self { marks, lent: Rc::default(), ..self };
        Ok((TestTail { segment: segment.clone(), buffer: Vec::new(), from: end }, segment))
    }
}

impl SegmentBackend for TestBackend {
    type Error = ErrorKind;
    type Tail = TestTail;
    type Segment = TestSegment;
    type Found = TestSegment;

    fn geometry(&self) -> Geometry {
        Geometry::in_place(self.capacity)
    }

    fn create(&self, base: u64) -> Result<Halves<Self>, ErrorKind> {
        if let Some(kind) = self.faults.create.take() {
            return Err(kind);
        }
        self.faults.creates.set(self.faults.creates.get() + 1);
        let buffers = self.faults.buffers.get();
        self.faults.buffers.set(buffers.map(|n| n.saturating_sub(1)));
        let segment = TestSegment {
            base,
            bytes: Rc::new(RefCell::new(vec![0; self.capacity as usize])),
            marks: Rc::new(OwnedMarks::new(0)),
            faults: Rc::clone(&self.faults),
            staged: self.staged && buffers != Some(0),
            lends: self.lends,
            lent: Rc::default(),
        };
        self.segments.borrow_mut().insert(base, segment.clone());
        segment.resume(0)
    }

    fn open(&self, base: u64) -> Result<TestSegment, ErrorKind> {
        let marks = Rc::new(OwnedMarks::new(self.capacity));
        let found = self.segments.borrow().get(&base).cloned().ok_or(ErrorKind::NotFound)?;
        Ok(TestSegment { marks, lent: Rc::default(), ..found })
    }

    fn remove(&self, base: u64) -> Result<(), ErrorKind> {
        self.segments.borrow_mut().remove(&base).map(|_| ()).ok_or(ErrorKind::NotFound)
    }

    fn list(&self, visit: &mut dyn FnMut(u64)) -> Result<(), ErrorKind> {
        self.segments.borrow().keys().copied().for_each(visit);
        Ok(())
    }
}
