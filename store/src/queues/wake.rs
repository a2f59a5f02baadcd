//! Waking a queue: its files are opened again, the last one to be written.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use mqstore_core::log::CommitLog;
use mqstore_core::queue::ext::ExtWriter;
use mqstore_core::queue::{ConsumeQueue, QueueWriter};
use mqstore_core::segment::{Found, Halves, Medium, SegmentBackend, SegmentTable, Series};

use super::error::{Name, QueueError};
use super::queue::{OpenQueue, Queue, State, Writing};
use super::rest::{ExtRest, Rest, within};
use super::{QueueSettings, Queues, lock};
use crate::engine::{HostMedium, SegmentOf};
use crate::table::GrowingTable;

/// Both halves of a queue.
type BothHalves<M> = (OpenQueue<M>, Writing<M>);

/// The segments of a series, and the exclusive half of the last one.
type Opened<M> = (GrowingTable<SegmentOf<M>>, Option<Halves<<M as Medium>::Segments>>);

impl<M: HostMedium> Queues<M> {
    /// The shared half of a queue, which is woken if it rests; `None` if it was removed.
    ///
    /// # Errors
    /// What the medium says; the queue goes on resting.
    pub(crate) fn open(
        &self,
        queue: &Arc<Queue<M>>,
    ) -> Result<Option<Arc<OpenQueue<M>>>, QueueError> {
        self.touch(queue);
        if let Some(open) = queue.opened() {
            return Ok(Some(open));
        }
        self.make_room();
        let mut writing = queue.writing();
        self.wake(queue, &mut writing)
    }

    /// Somebody uses this queue now.
    pub(super) fn touch(&self, queue: &Queue<M>) {
        let now = self.tick.load(Ordering::Relaxed);
        if queue.touched.load(Ordering::Relaxed) != now {
            queue.touched.store(now, Ordering::Relaxed);
        }
    }

    /// The same for who has the lock over the exclusive half, which is filled.
    pub(super) fn wake(
        &self,
        queue: &Arc<Queue<M>>,
        writing: &mut Option<Box<Writing<M>>>,
    ) -> Result<Option<Arc<OpenQueue<M>>>, QueueError> {
        let halves = match &*queue.state() {
            State::Awake(open) => return Ok(Some(Arc::clone(open))),
            State::Removed => return Ok(None),
            State::Resting(rest) => open_files(&*self.medium, &self.settings, queue.name(), rest)?,
        };
        let open = Arc::new(halves.0);
        *writing = Some(Box::new(halves.1));
        *queue.state_mut() = State::Awake(Arc::clone(&open));
        lock(&self.awake).push(Arc::clone(queue));
        Ok(Some(open))
    }
}

/// Opens what a queue that rests has.
pub(super) fn open_files<M: HostMedium>(
    medium: &M,
    settings: &QueueSettings,
    name: Name<'_>,
    rest: &Rest,
) -> Result<BothHalves<M>, QueueError> {
    let series = Series::ConsumeQueue(name.topic, name.queue_id);
    let files = medium
        .segments(series, settings.file_size)
        .map_err(name.medium("choosing the queue's folder"))?;
    let (table, halves) = open_series::<M>(&files, &rest.bases, rest.end)
        .map_err(name.medium("opening the queue again"))?;
    let entries = ConsumeQueue::new(table, rest.end);
    entries.set_min_offset(rest.min);
    let mut writer = QueueWriter::new(files);
    if let Some(halves) = halves {
        writer.resume(halves, rest.max_physical);
    }
    let ext = settings.ext_file_size.map(|size| open_ext(medium, size, name, rest.ext.as_deref()));
    let (ext, ext_writer) = ext.transpose()?.unzip();
    let writing = Writing { entries: writer, ext: ext_writer, failed: false };
    Ok((OpenQueue { entries, ext }, writing))
}

/// Both halves of an extension.
type ExtHalves<M> =
    (CommitLog<SegmentOf<M>, GrowingTable<SegmentOf<M>>>, ExtWriter<<M as Medium>::Segments>);

fn open_ext<M: HostMedium>(
    medium: &M,
    size: u32,
    name: Name<'_>,
    rest: Option<&ExtRest>,
) -> Result<ExtHalves<M>, QueueError> {
    let series = Series::ConsumeQueueExt(name.topic, name.queue_id);
    let files = medium
        .segments(series, size)
        .map_err(name.medium("choosing the folder of the extension"))?;
    let (bases, end) = rest.map_or((&[][..], 0), |rest| (&*rest.bases, rest.end));
    let (table, halves) =
        open_series::<M>(&files, bases, end).map_err(name.medium("opening the extension again"))?;
    let mut writer = ExtWriter::new(files);
    if let Some(halves) = halves {
        writer.resume(halves);
    }
    Ok((CommitLog::new(table, end), writer))
}

/// Opens these segments, and resumes the last one at `end`, bytes in the series.
fn open_series<M: HostMedium>(
    files: &M::Segments,
    bases: &[u64],
    end: u64,
) -> Result<Opened<M>, M::Error> {
    let table = GrowingTable::default();
    let mut halves = None;
    for (k, base) in bases.iter().enumerate() {
        let found = files.open(*base)?;
        let segment = if k + 1 == bases.len() {
            let both = found.resume(within(*base, end))?;
            halves.insert(both).1.clone()
        } else {
            found.seal()
        };
        // a growing table takes every segment
        let _ = table.push(segment);
    }
    Ok((table, halves))
}
