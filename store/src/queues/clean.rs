//! Removing files of queues whose records the log has no more
//! (`CleanConsumeQueueService`, spec 04 section 12.3).

use std::sync::Arc;

use mqstore_core::queue::ext::is_not_needed;
use mqstore_core::queue::{Cell, Live};
use mqstore_core::segment::{
    ErrorKind, MediumError, Readable, SegmentBackend, SegmentTable, Series,
};

use super::Queues;
use super::error::QueueError;
use super::queue::{OpenQueue, Queue, State, Writing};
use super::rest::Rest;
use super::settle::{first_live, sealed};
use crate::engine::HostMedium;

/// What a round of cleaning did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cleaned {
    /// Files that were removed.
    pub(crate) files: usize,
    /// Queues that could not be cleaned; all others were.
    pub(crate) errors: Vec<QueueError>,
}

impl<M: HostMedium> Queues<M> {
    /// Removes the leading files of each queue of which no record is at or behind `log_min`,
    /// never the last one, and corrects its minimum; units of its extension likewise. Queues that
    /// rest are not woken. `pause` is called behind each queue that lost files
    /// (`deleteConsumeQueueFilesInterval`).
    ///
    /// To be called when the log's minimum has grown.
    pub(crate) fn clean(&self, log_min: u64, mut pause: impl FnMut()) -> Cleaned {
        let phy_min = i64::try_from(log_min).unwrap_or(i64::MAX);
        let mut cleaned = Cleaned::default();
        for queue in self.map.all() {
            let mut removed = 0;
            let done = self.clean_queue(&queue, phy_min, &mut removed);
            cleaned.errors.extend(done.err());
            cleaned.files += removed;
            if removed > 0 {
                pause();
            }
        }
        cleaned
    }

    fn clean_queue(
        &self,
        queue: &Arc<Queue<M>>,
        phy_min: i64,
        removed: &mut usize,
    ) -> Result<(), QueueError> {
        let named = queue.name().medium("removing expired files of the queue");
        // nobody wakes it, lays it to rest or removes it meanwhile
        let mut writing = queue.writing();
        if let (Some(open), Some(writing)) = (queue.opened(), writing.as_deref_mut()) {
            return self.clean_awake(queue, &open, writing, phy_min, removed).map_err(named);
        }
        let mut rest = match &*queue.state() {
            State::Resting(rest) if !rest.bases.is_empty() => rest.clone(),
            _ => return Ok(()),
        };
        let done = self.clean_resting(queue, &mut rest, phy_min, removed);
        // also if it ended early: what was removed is gone
        *queue.state_mut() = State::Resting(rest);
        done.map_err(named)
    }

    fn clean_awake(
        &self,
        queue: &Queue<M>,
        open: &OpenQueue<M>,
        writing: &Writing<M>,
        phy_min: i64,
        removed: &mut usize,
    ) -> Result<(), M::Error> {
        let OpenQueue { entries, ext } = open;
        while entries.oldest_file_has_expired(phy_min)? {
            let Some(first) = entries.table().first() else { break };
            remove(writing.entries.backend(), first.base())?;
            entries.table().pop_first();
            *removed += 1;
        }
        let live = if self.settings.corrected {
            entries.hide_expired(phy_min)?
        } else {
            entries.correct_min_offset(phy_min)?
        };
        let (Live::From(_, cell), Some(ext), Some(size)) = (live, ext, self.settings.ext_file_size)
        else {
            return Ok(());
        };
        let series = Series::ConsumeQueueExt(queue.topic(), queue.queue_id());
        let files = self.medium.segments(series, size)?;
        while let Some(first) = ext.table().first() {
            let end = first.base() + u64::from(first.geometry().capacity);
            if !is_not_needed(end, cell.tags_code) {
                break;
            }
            remove(&files, first.base())?;
            ext.table().pop_first();
        }
        Ok(())
    }

    fn clean_resting(
        &self,
        queue: &Queue<M>,
        rest: &mut Rest,
        phy_min: i64,
        removed: &mut usize,
    ) -> Result<(), M::Error> {
        let series = Series::ConsumeQueue(queue.topic(), queue.queue_id());
        let files = self.medium.segments(series, self.settings.file_size)?;
        while let [first, _, ..] = *rest.bases {
            let two = rest.bases.get(..2).unwrap_or_default();
            if !sealed::<M>(&files, two)?.oldest_file_has_expired(phy_min)? {
                break;
            }
            remove(&files, first)?;
            rest.bases = rest.bases.get(1..).unwrap_or_default().into();
            *removed += 1;
        }
        let (min, cell) = first_live::<M>(&files, rest, phy_min, self.settings.corrected)?;
        rest.min = min.unwrap_or(rest.min);
        cell.map_or(Ok(()), |cell| self.clean_resting_ext(queue, rest, cell))
    }

    fn clean_resting_ext(
        &self,
        queue: &Queue<M>,
        rest: &mut Rest,
        first: Cell,
    ) -> Result<(), M::Error> {
        let (Some(size), Some(ext)) = (self.settings.ext_file_size, &mut rest.ext) else {
            return Ok(());
        };
        let series = Series::ConsumeQueueExt(queue.topic(), queue.queue_id());
        let files = self.medium.segments(series, size)?;
        while let Some(base) = ext.bases.first().copied() {
            if !is_not_needed(base + u64::from(size), first.tags_code) {
                break;
            }
            remove(&files, base)?;
            ext.bases = ext.bases.get(1..).unwrap_or_default().into();
        }
        Ok(())
    }
}

/// Removes a file; one that is gone already is no error.
fn remove<B: SegmentBackend>(files: &B, base: u64) -> Result<(), B::Error> {
    match files.remove(base) {
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}
