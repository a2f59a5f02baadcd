//! A medium that makes the log's next file on a thread of its own, before it is needed
//! (RocketMQ's `AllocateMappedFileService`).

use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread::{self, JoinHandle};
use std::vec::Vec;

use mqstore_core::segment::{
    CellsFile, Geometry, Halves, Medium, QueueSeries, SegmentBackend, Series, SmallFile, Space,
};

pub use super::desk::AheadRules;
use super::desk::Desk;

/// A medium whose log segments are made ahead.
///
/// A file that was made and not used is removed when the lock is let go, or with the series.
pub struct Ahead<M: Medium> {
    inner: M,
    rules: AheadRules,
    workers: Arc<Workers<M::Segments>>,
}

/// The thread of one log, and its desk.
struct Worker<B: SegmentBackend> {
    desk: Arc<Desk<B>>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl<B: SegmentBackend> Worker<B> {
    /// Ends the thread and removes what nobody has taken.
    fn end(&self) {
        self.desk.close();
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread {
            // it ends by itself; a panic in it has been told by then
            let _ = thread.join();
        }
        self.desk.remove_unclaimed();
    }
}

impl<B: SegmentBackend> Drop for Worker<B> {
    fn drop(&mut self) {
        self.end();
    }
}

/// The threads of a medium.
struct Workers<B: SegmentBackend>(Mutex<Vec<Weak<Worker<B>>>>);

impl<B: SegmentBackend> Workers<B> {
    fn add(&self, worker: &Arc<Worker<B>>) {
        let mut workers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        workers.retain(|w| w.strong_count() > 0);
        workers.push(Arc::downgrade(worker));
    }

    fn each(&self, visit: impl FnMut(Arc<Worker<B>>)) {
        // not with the list locked: what is visited may wait for its thread
        let workers = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        workers.iter().filter_map(Weak::upgrade).for_each(visit);
    }
}

impl<M: Medium> Ahead<M> {
    /// `inner`, with the log's files made ahead by RocketMQ's rules.
    pub fn new(inner: M) -> Self {
        Self::with_rules(inner, AheadRules::default())
    }

    /// The same with other rules.
    pub fn with_rules(inner: M, rules: AheadRules) -> Self {
        Self { inner, rules, workers: Arc::new(Workers(Mutex::new(Vec::new()))) }
    }

    /// The medium below.
    pub fn inner(&self) -> &M {
        &self.inner
    }
}

/// Holds the medium below; dropping it ends the threads first.
pub struct AheadLock<L, B: SegmentBackend> {
    workers: Arc<Workers<B>>,
    /// Let go when nothing is made any more.
    _inner: L,
}

impl<L, B: SegmentBackend> Drop for AheadLock<L, B> {
    fn drop(&mut self) {
        self.workers.each(|worker| worker.end());
    }
}

/// A series whose segments are made ahead, if it is the log.
pub struct AheadSegments<B: SegmentBackend> {
    series: Made<B>,
}

enum Made<B: SegmentBackend> {
    Ahead(Arc<Worker<B>>),
    WhenAsked(B),
}

impl<B: SegmentBackend> AheadSegments<B> {
    fn inner(&self) -> &B {
        match &self.series {
            Made::Ahead(worker) => &worker.desk.inner,
            Made::WhenAsked(inner) => inner,
        }
    }
}

impl<B: SegmentBackend> SegmentBackend for AheadSegments<B> {
    type Error = B::Error;
    type Tail = B::Tail;
    type Segment = B::Segment;
    type Found = B::Found;

    fn geometry(&self) -> Geometry {
        self.inner().geometry()
    }

    fn create(&self, base: u64) -> Result<Halves<Self>, B::Error> {
        match &self.series {
            Made::Ahead(worker) => worker.desk.take(base),
            Made::WhenAsked(inner) => inner.create(base),
        }
    }

    fn open(&self, base: u64) -> Result<B::Found, B::Error> {
        if let Made::Ahead(worker) = &self.series {
            worker.desk.release(base);
        }
        self.inner().open(base)
    }

    fn remove(&self, base: u64) -> Result<(), B::Error> {
        if let Made::Ahead(worker) = &self.series {
            worker.desk.forget(Some(base));
        }
        self.inner().remove(base)
    }

    fn list(&self, visit: &mut dyn FnMut(u64)) -> Result<(), B::Error> {
        self.inner().list(visit)
    }

    fn announce(&self, base: u64) {
        match &self.series {
            Made::Ahead(worker) => worker.desk.announce(base),
            Made::WhenAsked(inner) => inner.announce(base),
        }
    }
}

impl<M> Medium for Ahead<M>
where
    M: Medium<Error: Send>,
    M::Segments: SegmentBackend<Tail: Send, Segment: Send> + Send + Sync + 'static,
{
    type Error = M::Error;
    type Segments = AheadSegments<M::Segments>;
    type Cells = M::Cells;
    type Lock = AheadLock<M::Lock, M::Segments>;

    fn lock(&self) -> Result<Self::Lock, M::Error> {
        Ok(AheadLock { _inner: self.inner.lock()?, workers: self.workers.clone() })
    }

    fn segments(&self, series: Series<'_>, size: u32) -> Result<Self::Segments, M::Error> {
        let inner = self.inner.segments(series, size)?;
        if !matches!(series, Series::CommitLog) {
            return Ok(AheadSegments { series: Made::WhenAsked(inner) });
        }
        let desk = Arc::new(Desk::new(inner, self.rules));
        let named = thread::Builder::new().name("mqstore-ahead".into());
        let thread = named.spawn({
            let desk = desk.clone();
            move || desk.work()
        });
        let Ok(thread) = thread else {
            return Err(mqstore_core::segment::ErrorKind::Exhausted.into());
        };
        let worker = Arc::new(Worker { desk, thread: Mutex::new(Some(thread)) });
        self.workers.add(&worker);
        Ok(AheadSegments { series: Made::Ahead(worker) })
    }

    fn queues(&self, kind: QueueSeries, visit: &mut dyn FnMut(&str, i32)) -> Result<(), M::Error> {
        self.inner.queues(kind, visit)
    }

    fn remove_series(&self, series: Series<'_>) -> Result<(), M::Error> {
        if matches!(series, Series::CommitLog) {
            self.workers.each(|worker| worker.desk.forget(None));
        }
        self.inner.remove_series(series)
    }

    fn cells(&self, file: CellsFile, size: u64) -> Result<M::Cells, M::Error> {
        self.inner.cells(file, size)
    }

    fn cells_len(&self, file: CellsFile) -> Result<Option<u64>, M::Error> {
        self.inner.cells_len(file)
    }

    fn index_files(&self, visit: &mut dyn FnMut(u64)) -> Result<(), M::Error> {
        self.inner.index_files(visit)
    }

    fn remove_cells(&self, file: CellsFile) -> Result<(), M::Error> {
        self.inner.remove_cells(file)
    }

    fn load(&self, file: SmallFile, out: &mut [u8]) -> Result<Option<usize>, M::Error> {
        self.inner.load(file, out)
    }

    fn save(&self, file: SmallFile, bytes: &[u8]) -> Result<(), M::Error> {
        self.inner.save(file, bytes)
    }

    fn erase(&self, file: SmallFile) -> Result<(), M::Error> {
        self.inner.erase(file)
    }

    fn space(&self, series: Series<'_>) -> Result<Space, M::Error> {
        self.inner.space(series)
    }
}
