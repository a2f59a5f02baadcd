//! When queues are flushed, and what the checkpoint then says of them
//! (`FlushConsumeQueueService`, spec 04 section 10).
//!
//! RocketMQ flushes every queue; here only those are looked at that have something to flush, of
//! many thousands. It lets dispatch move the time of the queues in the checkpoint, remembers it
//! before a thorough round and puts it back behind that, since anybody else who flushed the
//! checkpoint meanwhile has promised too much. Here dispatch moves a time of its own, and only a
//! thorough round that succeeded tells it to the checkpoint: the same time as in RocketMQ's file,
//! and never one that does not hold.

use core::mem;
use std::sync::atomic::Ordering;

use mqstore_core::duty::{FlushEvery, Intervals};
use mqstore_core::log::{CommitLog, Step};
use mqstore_core::segment::{Cells, ErrorKind, MediumError, Segment};

use super::error::{Name, QueueError};
use super::idle::is_durable;
use super::put::commit;
use super::queue::OpenQueue;
use super::{Queues, lock};
use crate::checkpoint::StoreCheckpoint;
use crate::drive;
use crate::engine::HostMedium;
use crate::table::GrowingTable;

/// Rounds of flushing, by whoever drives them: one each `flushIntervalConsumeQueue`.
#[derive(Debug, Default)]
pub(crate) struct FlushQueues {
    every: FlushEvery,
}

/// What a round could not do; the checkpoint stays as it was.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NotFlushed {
    /// Queues whose files take no more writes until the store is opened again.
    #[error("{}", words(.0))]
    Queues(Vec<QueueError>),
    /// The checkpoint.
    #[error("the checkpoint: {1}")]
    Checkpoint(ErrorKind, String),
}

fn words(errors: &[QueueError]) -> String {
    errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

impl FlushQueues {
    /// One round at `now`, milliseconds since 1970: those queues that have
    /// `flushConsumeQueueLeastPages` dirty pages, or, once in a thorough interval, all of them
    /// and then the checkpoint.
    ///
    /// # Errors
    /// [`NotFlushed`]; all others are flushed.
    pub(crate) fn round<M: HostMedium, C: Cells>(
        &mut self,
        queues: &Queues<M>,
        checkpoint: &StoreCheckpoint<C>,
        now: i64,
        rules: &Intervals,
    ) -> Result<(), NotFlushed> {
        match self.every.least_pages(now, rules) {
            0 => queues.flush_thoroughly(checkpoint),
            pages => queues.flush(pages),
        }
    }
}

impl<M: HostMedium> Queues<M> {
    /// Flushes all there is, and then the checkpoint: a thorough round, and the last one of a
    /// store that is closed.
    ///
    /// # Errors
    /// [`NotFlushed`]; all others are flushed.
    pub(crate) fn flush_thoroughly<C: Cells>(
        &self,
        checkpoint: &StoreCheckpoint<C>,
    ) -> Result<(), NotFlushed> {
        // before anything is flushed, so that it holds for all of it
        let dispatched = self.dispatched();
        self.flush(0)?;
        if dispatched > 0 {
            checkpoint.set_logics(dispatched);
        }
        let flushed = checkpoint.flush();
        flushed.map_err(|e| NotFlushed::Checkpoint(kind_of(&e), e.to_string()))
    }

    /// Flushes each queue that has so many dirty pages; for 0 all that is written by now.
    ///
    /// # Errors
    /// [`NotFlushed::Queues`]; all others are flushed.
    pub(crate) fn flush(&self, least_pages: u32) -> Result<(), NotFlushed> {
        let _alone = lock(&self.flushing);
        let dirty = mem::take(&mut *lock(&self.dirty));
        let mut errors = Vec::new();
        let mut kept = Vec::new();
        for queue in dirty {
            // what is put from here on makes it dirty again
            queue.dirty.store(false, Ordering::Release);
            let Some(open) = queue.opened() else { continue };
            errors.extend(flush_due(queue.name(), &open, least_pages).err());
            if !is_durable(&open) && !queue.dirty.swap(true, Ordering::AcqRel) {
                kept.push(queue);
            }
        }
        lock(&self.dirty).append(&mut kept);
        if errors.is_empty() { Ok(()) } else { Err(NotFlushed::Queues(errors)) }
    }

    /// How many queues have something to flush.
    pub(crate) fn dirty(&self) -> usize {
        lock(&self.dirty).len()
    }
}

fn kind_of(e: &impl MediumError) -> ErrorKind {
    e.kind()
}

/// Makes everything durable that is written of a queue.
pub(super) fn all_of<M: HostMedium>(name: Name<'_>, open: &OpenQueue<M>) -> Result<(), QueueError> {
    flush_due(name, open, 0)
}

/// Flushes what is due; units first, to which entries point.
fn flush_due<M: HostMedium>(
    name: Name<'_>,
    open: &OpenQueue<M>,
    least_pages: u32,
) -> Result<(), QueueError> {
    commit(name, open)?;
    for files in open.ext.iter().chain([open.entries.files()]) {
        flush_series(name, files, least_pages)?;
    }
    Ok(())
}

fn flush_series<S: Segment>(
    name: Name<'_>,
    files: &CommitLog<S, GrowingTable<S>>,
    least_pages: u32,
) -> Result<(), QueueError> {
    // what comes meanwhile is left to the next round
    let end = files.written_offset();
    while files.flushed_where() < end {
        let step = drive::until(None, |cx| files.poll_flush(cx, least_pages));
        // without a deadline there is always an answer
        let Some(step) = step else { break };
        let step = step.map_err(|e| {
            name.error(e.kind(), format!("flushing the file at {}: {}", e.base, e.error))
        })?;
        if step == Step::Nothing {
            break;
        }
    }
    Ok(())
}
