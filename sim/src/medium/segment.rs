//! The shared half of a segment: reading, and how bytes are committed and flushed, each perhaps
//! pending for a while.

use core::task::{Context, Poll};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mqstore_core::segment::{ErrorKind, Geometry, Marks, OwnedMarks, Readable, Segment};

use super::tail::Written;
use super::{MediumOptions, SimError};
use crate::disk::{FileRef, Process};

/// Published bytes that wait for a commit.
struct Run {
    at: u32,
    bytes: Vec<u8>,
}

/// A commit or flush that has begun.
struct Begun {
    end: u32,
    /// So many more polls find it pending.
    polls: u64,
}

/// What is done one at a time.
#[derive(Default)]
struct Work {
    staged: VecDeque<Run>,
    commit: Option<Begun>,
    flush: Option<Begun>,
}

/// What the halves of a segment share.
pub(super) struct Shared {
    pub(super) process: Process,
    options: MediumOptions,
    pub(super) file: FileRef,
    pub(super) name: Arc<str>,
    pub(super) base: u64,
    pub(super) geometry: Geometry,
    pub(super) marks: OwnedMarks,
    /// What a sealed segment lends.
    copy: Option<Vec<u8>>,
    work: Mutex<Work>,
}

const COMMITTING: &str = "committing";
const FLUSHING: &str = "flushing";
const READING: &str = "reading a segment";

impl Shared {
    /// A segment with all its marks at `end`.
    pub(super) fn new(
        process: Process,
        options: MediumOptions,
        file: FileRef,
        name: Arc<str>,
        base: u64,
        geometry: Geometry,
        end: u32,
    ) -> Self {
        let (marks, work) = (OwnedMarks::new(end), Mutex::default());
        Self { process, options, file, name, base, geometry, marks, copy: None, work }
    }

    /// The same, which lends this copy of its bytes.
    pub(super) fn lending(mut self, copy: Option<Vec<u8>>) -> Self {
        self.copy = copy;
        self
    }

    fn work(&self) -> MutexGuard<'_, Work> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes bytes at `at` that are about to be published.
    pub(super) fn take(&self, at: u32, bytes: Vec<u8>) {
        self.work().staged.push_back(Run { at, bytes });
    }

    fn check_running(&self, what: &'static str) -> Result<(), SimError> {
        match self.marks.stopped() {
            None => Ok(()),
            Some(_) => Err(SimError::new(ErrorKind::Stopped, what)),
        }
    }

    /// Stops the segment for good.
    fn stop(&self, kind: ErrorKind, what: &'static str) -> SimError {
        self.marks.stop(kind);
        SimError::new(kind, what)
    }

    /// Whether what has begun is done now, for whoever asks with `cx`; begins it if nothing has.
    ///
    /// It wakes at once: asking again is what brings it to an end.
    fn due(&self, begun: &mut Option<Begun>, end: u32, cx: &Context<'_>) -> Option<u32> {
        let start = || Begun { end, polls: self.process.polls(self.options.polls) };
        let work = begun.get_or_insert_with(start);
        if work.polls > 0 {
            work.polls -= 1;
            cx.waker().wake_by_ref();
            return None;
        }
        begun.take().map(|work| work.end)
    }

    /// Writes staged bytes below `end` to the file.
    fn write_staged(&self, staged: &mut VecDeque<Run>, end: u32) -> Result<(), ErrorKind> {
        while staged.front().is_some_and(|run| run.at < end) {
            let Some(mut run) = staged.pop_front() else { break };
            let len = run.bytes.len().min((end - run.at) as usize);
            let rest = run.bytes.split_off(len);
            self.process.write_all(&self.file, &self.name, run.at.into(), &run.bytes)?;
            if !rest.is_empty() {
                staged.push_front(Run { at: end, bytes: rest });
            }
        }
        Ok(())
    }
}

/// The shared half of a segment.
#[derive(Clone)]
pub struct SimSegment {
    pub(super) shared: Arc<Shared>,
    /// While a staged segment is held, what it holds can still be written.
    pub(super) _written: Option<Arc<Written>>,
}

impl Readable for SimSegment {
    type Error = SimError;

    fn base(&self) -> u64 {
        self.shared.base
    }

    fn geometry(&self) -> Geometry {
        self.shared.geometry
    }

    fn view(&self, at: u32, len: u32) -> Option<&[u8]> {
        // only a sealed segment has a copy, and all of it is visible
        self.shared.copy.as_ref()?.get(at as usize..at.checked_add(len)? as usize)
    }

    fn read(&self, at: u32, out: &mut [u8]) -> Result<(), SimError> {
        let shared = &*self.shared;
        let visible = shared.marks.visible(shared.geometry.staged);
        check_range(at, out, visible)?;
        let read = shared.process.read(&shared.file, &shared.name, at.into(), out);
        read.map_err(SimError::during(READING))
    }
}

/// Complains when `[at, at + out.len())` goes beyond `limit`.
pub(super) fn check_range(at: u32, out: &[u8], limit: u32) -> Result<(), SimError> {
    let end = u32::try_from(out.len()).ok().and_then(|len| at.checked_add(len));
    match end.filter(|end| *end <= limit) {
        Some(_) => Ok(()),
        None => Err(SimError::new(ErrorKind::OutOfBounds, READING)),
    }
}

impl Segment for SimSegment {
    fn marks(&self) -> &Marks {
        &self.shared.marks
    }

    fn poll_commit(&self, cx: &mut Context<'_>, end: u32) -> Poll<Result<u32, SimError>> {
        let shared = &*self.shared;
        if !shared.geometry.staged {
            let running = shared.check_running(COMMITTING);
            return Poll::Ready(running.map(|()| shared.marks.published()));
        }
        let work = &mut *shared.work();
        loop {
            shared.check_running(COMMITTING)?;
            let target = shared.marks.published().min(end);
            if target <= shared.marks.committed() {
                return Poll::Ready(Ok(shared.marks.committed()));
            }
            let Some(done) = shared.due(&mut work.commit, target, cx) else {
                return Poll::Pending;
            };
            shared.write_staged(&mut work.staged, done).map_err(|e| shared.stop(e, COMMITTING))?;
            // not past the published mark, which only grows
            let _ = shared.marks.commit(done);
        }
    }

    fn poll_flush(&self, cx: &mut Context<'_>, end: u32) -> Poll<Result<u32, SimError>> {
        let shared = &*self.shared;
        let staged = shared.geometry.staged;
        let work = &mut *shared.work();
        loop {
            shared.check_running(FLUSHING)?;
            let (from, target) = (shared.marks.flushed(), shared.marks.visible(staged).min(end));
            if target <= from {
                return Poll::Ready(Ok(from));
            }
            let Some(done) = shared.due(&mut work.flush, target, cx) else {
                return Poll::Pending;
            };
            // of a mapping only the range, of a file that was written all of it
            let range = if staged { (0, u64::MAX) } else { (from.into(), done.into()) };
            let synced = shared.process.sync(&shared.file, &shared.name, range.0, range.1);
            synced.map_err(|e| shared.stop(e, FLUSHING))?;
            // not past the visible mark, which only grows
            let _ = shared.marks.flush(done, staged);
        }
    }
}
