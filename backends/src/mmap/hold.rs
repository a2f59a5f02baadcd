//! Segments of a folder: what keeps their memory, how staged bytes reach the file, and how all
//! of it becomes durable.

use core::sync::atomic::{AtomicU32, Ordering};
use std::boxed::Box;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mqstore_core::segment::{ErrorKind, Geometry, MediumError, OwnedMarks};

use super::access::{Access, write_all};
use super::config::Staging;
use super::make::{make_real, make_zero, sync_dir};
use super::map::Map;
use super::populate::populate;
use super::transient::Buffer;
use crate::BackendError;
use crate::region::Region;
use crate::segment::{Findings, Hold, Resumed, Writer};
use crate::stage::Stage;

/// Where the bytes of a segment are.
enum Source {
    /// In a mapping, which this process may write.
    Mapped(Arc<Map>),
    /// In a file that somebody else may be writing: its bytes are copied out by the kernel, and
    /// never lent.
    Foreign(File),
}

/// A segment that is staged: its buffer, until all is committed, and the way to its file.
pub(crate) struct Staged {
    stage: Stage,
    buffer: Mutex<Option<Buffer>>,
    file: Box<dyn Access>,
    written_ahead: bool,
}

struct Inner {
    source: Source,
    path: PathBuf,
    base: u64,
    geometry: Geometry,
    marks: OwnedMarks,
    staged: Option<Staged>,
    /// One flush at a time, so that none succeeds because another has taken the error.
    flushing: Mutex<()>,
    /// Pages below are present.
    prepared: AtomicU32,
}

impl Drop for Inner {
    fn drop(&mut self) {
        // staged bytes could be committed until now
        if let (Source::Mapped(map), Some(_)) = (&self.source, &self.staged) {
            map.let_go();
        }
    }
}

/// A segment of a folder.
#[derive(Clone)]
pub struct FileHold(Arc<Inner>);

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a segment is made from.
pub(crate) struct Parts {
    pub(crate) path: PathBuf,
    pub(crate) base: u64,
    pub(crate) capacity: u32,
}

/// The buffer of a segment that is to be staged, and the way to its file.
///
/// The kernel tells each open file of a write that failed, once. Preparing syncs the mapping,
/// and must not take the news away from the flush: that has an open file of its own then.
pub(crate) fn stage(
    staging: &Staging,
    buffer: Buffer,
    mapped: File,
    path: &Path,
    at: u32,
) -> io::Result<Staged> {
    let stage = Stage::new(staging.pool.buffer_len(), at);
    let written_ahead = staging.written_ahead;
    let own = if written_ahead { File::options().write(true).open(path)? } else { mapped };
    let (file, buffer) = ((staging.access)(own), Mutex::new(Some(buffer)));
    Ok(Staged { stage, buffer, file, written_ahead })
}

/// The halves of a segment that was just made or resumed, all marks at `end`.
///
/// `map` was claimed for them. Without window memory (the address space is full) it fails.
pub(crate) fn halves(
    map: Arc<Map>,
    parts: Parts,
    staged: Option<Staged>,
    end: u32,
) -> Resumed<FileHold> {
    let Parts { path, base, capacity } = parts;
    let geometry = match &staged {
        Some(s) => Geometry::staged(capacity, s.stage.len().min(capacity), 1),
        None => Geometry::in_place(capacity),
    };
    let window = match &staged {
        Some(s) => lock(&s.buffer).as_ref().and_then(Buffer::region),
        None => map.region(),
    };
    let Some(window) = window else {
        map.let_go();
        return Err(BackendError::at(ErrorKind::Exhausted, "mapping a segment", &path));
    };
    let hold = FileHold(Arc::new(Inner {
        source: Source::Mapped(map),
        path,
        base,
        geometry,
        marks: OwnedMarks::new(end),
        staged,
        flushing: Mutex::new(()),
        prepared: AtomicU32::new(0),
    }));
    // SAFETY: the map was claimed for this writer, and is let go by it in place, or with the
    // last holder when staged: it is the only one. A buffer is kept in `Inner` until all of the
    // segment is committed; nobody else has it.
    let tail = unsafe { Writer::new(hold.clone(), window) };
    Ok((tail, hold))
}

impl FileHold {
    /// A segment of which nothing is written any more.
    fn sealed(source: Source, parts: Parts) -> Self {
        let Parts { path, base, capacity } = parts;
        Self(Arc::new(Inner {
            source,
            path,
            base,
            geometry: Geometry::in_place(capacity),
            marks: OwnedMarks::new(capacity),
            staged: None,
            flushing: Mutex::new(()),
            prepared: AtomicU32::new(capacity),
        }))
    }

    fn failed(&self, error: &io::Error, what: &'static str) -> BackendError {
        BackendError::io(error, what, &self.0.path)
    }

    /// Complains about a segment that a failure has stopped.
    fn check_running(&self, what: &'static str) -> Result<(), BackendError> {
        match self.0.marks.stopped() {
            None => Ok(()),
            Some(_) => Err(self.error(ErrorKind::Stopped, what)),
        }
    }

    /// Stops the segment because of this failure.
    fn stop(&self, error: &io::Error, what: &'static str) -> BackendError {
        let error = self.failed(error, what);
        self.0.marks.stop(error.kind());
        error
    }

    /// Makes bytes from the flushed mark up to `end` durable, and answers how far it got.
    fn sync(&self, from: u32, end: u32, visible: u32) -> io::Result<u32> {
        match (&self.0.staged, &self.0.source) {
            (Some(staged), _) => staged.file.sync().map(|()| visible),
            (None, Source::Mapped(map)) => {
                // only the pages in question: those made present ahead of the writer are dirty,
                // too, and syncing the file would write their zeros
                map.raw().flush_range(from as usize, (end - from) as usize).map(|()| end)
            }
            (None, Source::Foreign(_)) => Ok(end),
        }
    }
}

const COMMITTING: &str = "committing";
const FLUSHING: &str = "flushing";
const PREPARING: &str = "preparing pages";

// SAFETY: `Inner` keeps the mapping, and its marks are its own. A mapped file is written by the
// one writer of `halves` in place, and by `commit`, through the file, when staged. Marks are
// moved by those and by `flush`. `staged` never changes.
unsafe impl Hold for FileHold {
    type Error = BackendError;

    fn base(&self) -> u64 {
        self.0.base
    }

    fn geometry(&self) -> Geometry {
        self.0.geometry
    }

    fn marks(&self) -> &OwnedMarks {
        &self.0.marks
    }

    fn bytes(&self) -> Option<Region> {
        match &self.0.source {
            Source::Mapped(map) => map.region(),
            Source::Foreign(_) => None,
        }
    }

    fn stage(&self) -> Option<&Stage> {
        self.0.staged.as_ref().map(|s| &s.stage)
    }

    fn fetch(&self, at: u32, out: &mut [u8]) -> Result<(), BackendError> {
        match &self.0.source {
            Source::Mapped(_) => Err(self.error(ErrorKind::OutOfBounds, READING)),
            Source::Foreign(file) => fetch(file, at, out, &self.0.path),
        }
    }

    fn commit(&self, end: u32) -> Result<u32, BackendError> {
        let marks = &self.0.marks;
        let Some(staged) = &self.0.staged else { return Ok(marks.published()) };
        let mut buffer = lock(&staged.buffer);
        self.check_running(COMMITTING)?;
        let region = buffer.as_ref().and_then(Buffer::region);
        if let (Some(region), Some(run)) = (region, staged.stage.run(marks, end)) {
            if run.len > 0 {
                // SAFETY: staged bytes below the published mark, where the writer does not
                // come; the buffer is there as long as its lock is held.
                let bytes = unsafe { region.slice(run.from, run.len) };
                let written = write_all(staged.file.as_ref(), u64::from(run.at), bytes);
                written.map_err(|e| self.stop(&e, COMMITTING))?;
            }
            // not past the published mark, by `run`
            let _ = marks.commit(run.end);
        }
        if marks.committed() == self.0.geometry.capacity {
            // nothing is written to it any more: the next segment may have it
            *buffer = None;
        }
        Ok(marks.committed())
    }

    fn flush(&self, end: u32) -> Result<u32, BackendError> {
        let _one = lock(&self.0.flushing);
        self.check_running(FLUSHING)?;
        let marks = &self.0.marks;
        let visible = marks.visible(self.0.geometry.staged);
        let (from, end) = (marks.flushed(), end.min(visible));
        if from < end {
            let done = self.sync(from, end, visible).map_err(|e| self.stop(&e, FLUSHING))?;
            // not past the visible mark, which only grows
            let _ = marks.flush(done, self.0.geometry.staged);
        }
        Ok(marks.flushed())
    }

    fn prepare(&self, upto: u32) -> Result<u32, BackendError> {
        let Source::Mapped(map) = &self.0.source else { return Ok(self.0.geometry.capacity) };
        let staged = self.0.staged.as_ref();
        if staged.is_some_and(|s| !s.written_ahead) {
            // the pool's buffers are present
            return Ok(self.0.geometry.capacity);
        }
        // the writer has touched what lies below the mark itself
        let from = self.0.prepared.load(Ordering::Relaxed).max(self.0.marks.published());
        if from < upto {
            let failed = |e: &io::Error| self.failed(e, PREPARING);
            populate(map.raw(), from, upto).map_err(|e| failed(&e))?;
            if staged.is_some() {
                let len = (upto - from) as usize;
                map.raw().flush_range(from as usize, len).map_err(|e| failed(&e))?;
            }
            self.0.prepared.fetch_max(upto, Ordering::Relaxed);
        }
        Ok(from.max(upto))
    }

    fn writer_is_gone(&self) {
        if let (Source::Mapped(map), None) = (&self.0.source, &self.0.staged) {
            map.let_go();
        }
    }

    fn error(&self, kind: ErrorKind, what: &'static str) -> BackendError {
        BackendError::at(kind, what, &self.0.path)
    }
}

const READING: &str = "reading a segment";

fn fetch(file: &File, at: u32, out: &mut [u8], path: &Path) -> Result<(), BackendError> {
    file.read_exact_at(out, u64::from(at)).map_err(|e| BackendError::io(&e, READING, path))
}

/// Makes bytes and name of a file durable: whoever made it may have died in between.
fn sync_found(file: &File, path: &Path) -> io::Result<()> {
    file.sync_data()?;
    path.parent().map_or(Ok(()), sync_dir)
}

/// A segment of a folder that was found.
pub struct FileFindings {
    map: Option<Arc<Map>>,
    file: File,
    parts: Parts,
    staging: Option<Staging>,
}

impl FileFindings {
    /// A segment that can be resumed, staged or not.
    pub(crate) fn mapped(
        map: Arc<Map>,
        file: File,
        parts: Parts,
        staging: Option<Staging>,
    ) -> Self {
        Self { map: Some(map), file, parts, staging }
    }

    /// A segment that somebody else may be writing.
    pub(crate) fn foreign(file: File, parts: Parts) -> Self {
        Self { map: None, file, parts, staging: None }
    }
}

// SAFETY: a map is given out by `Map::of_found` only while it is not written, and as long as
// somebody has it, `claim` lets nobody write what he may look at.
unsafe impl Findings for FileFindings {
    type Hold = FileHold;

    fn base(&self) -> u64 {
        self.parts.base
    }

    fn geometry(&self) -> Geometry {
        Geometry::in_place(self.parts.capacity)
    }

    fn bytes(&self) -> Option<Region> {
        self.map.as_ref().and_then(|map| map.region())
    }

    fn fetch(&self, at: u32, out: &mut [u8]) -> Result<(), BackendError> {
        fetch(&self.file, at, out, &self.parts.path)
    }

    fn sync(&self) -> Result<(), BackendError> {
        const WHAT: &str = "making a found segment durable";
        let synced = sync_found(&self.file, &self.parts.path);
        synced.map_err(|e| BackendError::io(&e, WHAT, &self.parts.path))
    }

    fn seal(self) -> FileHold {
        let source = match self.map {
            Some(map) => Source::Mapped(map),
            None => Source::Foreign(self.file),
        };
        FileHold::sealed(source, self.parts)
    }

    fn resume(self, end: u32) -> Resumed<FileHold> {
        const WHAT: &str = "resuming a segment";
        let Self { map, file, parts, staging } = self;
        let Some(map) = map else {
            return Err(BackendError::at(ErrorKind::ReadOnly, WHAT, &parts.path));
        };
        if !map.claim(end) {
            return Err(BackendError::at(ErrorKind::Busy, WHAT, &parts.path));
        }
        // RocketMQ leaves holes; writing to one on a full disk would kill the process
        let capacity = u64::from(parts.capacity);
        let ready = make_real(&file, capacity, capacity)
            .and_then(|()| make_zero(&file, u64::from(end), capacity))
            .and_then(|()| sync_found(&file, &parts.path));
        if let Err(e) = ready {
            map.let_go();
            return Err(BackendError::io(&e, WHAT, &parts.path));
        }
        let full = end == parts.capacity;
        let staging = staging.filter(|s| s.resumed && !full);
        let buffer = staging.as_ref().and_then(|s| s.pool.take());
        let staged = staging.zip(buffer).map(|(s, b)| stage(&s, b, file, &parts.path, end));
        let staged = staged.transpose().map_err(|e| {
            map.let_go();
            BackendError::io(&e, WHAT, &parts.path)
        })?;
        halves(map, parts, staged, end)
    }

    fn error(&self, kind: ErrorKind, what: &'static str) -> BackendError {
        BackendError::at(kind, what, &self.parts.path)
    }
}
