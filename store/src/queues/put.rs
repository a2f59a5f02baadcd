//! Putting entries, which only dispatch does (`putMessagePositionInfoWrapper`, spec 04
//! section 10).
//!
//! What an entry becomes is decided by core; here the queue is found, made or woken for it, its
//! extension unit stored, and it is kept in mind that it has to be flushed.

use core::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use mqstore_core::dispatch::DispatchRequest;
use mqstore_core::observe::Observer;
use mqstore_core::queue::ext::Unit;
use mqstore_core::queue::{Cell, Put};
use mqstore_core::segment::{Readable, SegmentTable};

use super::error::{Name, QueueError};
use super::queue::{OpenQueue, Queue, State, Writing};
use super::{Queues, lock};
use crate::drive;
use crate::engine::HostMedium;

impl<M: HostMedium> Queues<M> {
    /// Puts an entry into each queue that this record goes to: its own, with an extension unit
    /// that holds `bitmap` if there are extensions, and the light queues that it names.
    ///
    /// It may be called again for the same record: those that have it let it pass.
    ///
    /// # Errors
    /// The first queue that could not take it, by name; those before it have it.
    pub(crate) fn put_all(
        &self,
        request: &DispatchRequest<'_>,
        bitmap: &[u8],
    ) -> Result<(), QueueError> {
        let cell = Cell {
            physical_offset: request.physical_offset.try_into().unwrap_or(i64::MAX),
            size: request.size.try_into().unwrap_or(i32::MAX),
            tags_code: request.tags_code,
        };
        let unit =
            Unit { tags_code: request.tags_code, store_time: request.store_timestamp, bitmap };
        for target in request.targets() {
            let unit = target.is_main.then_some(&unit);
            self.put(target.name, target.queue_id, cell, target.queue_offset, unit)?;
        }
        self.dispatched.store(request.store_timestamp, Ordering::Release);
        Ok(())
    }

    /// Puts one entry under this queue offset; `unit` is stored, and pointed to in place of the
    /// tags code, if there are extensions.
    ///
    /// # Errors
    /// By the queue's name; nothing has moved, and it may be tried again.
    pub(crate) fn put(
        &self,
        topic: &str,
        queue_id: i32,
        cell: Cell,
        queue_offset: i64,
        unit: Option<&Unit<'_>>,
    ) -> Result<Put, QueueError> {
        loop {
            let queue = self.find_or_make(topic, queue_id);
            match asked_at_rest(&queue, &cell) {
                AtRest::HasIt => return Ok(Put::AlreadyThere),
                AtRest::Wake => self.make_room(),
                AtRest::No => {}
            }
            self.touch(&queue);
            let mut writing = queue.writing();
            // removed since it was found: the next one of its name takes the entry
            let Some(open) = self.wake(&queue, &mut writing)? else { continue };
            let Some(writing) = writing.as_deref_mut() else { continue };
            let put = put_into(queue.name(), &open, writing, cell, queue_offset, unit);
            writing.failed = put.is_err();
            // an error may have left fillers behind
            self.remember(&queue);
            return put;
        }
    }

    /// The queue is to be flushed.
    fn remember(&self, queue: &Arc<Queue<M>>) {
        if !queue.dirty.swap(true, Ordering::AcqRel) {
            lock(&self.dirty).push(Arc::clone(queue));
        }
    }
}

/// What a queue says before it is woken.
enum AtRest {
    /// It has an entry for this record: it need not be woken. After a start many records are
    /// dispatched again.
    HasIt,
    /// It has none.
    Wake,
    /// It does not rest.
    No,
}

fn asked_at_rest<M: HostMedium>(queue: &Queue<M>, cell: &Cell) -> AtRest {
    match &*queue.state() {
        State::Resting(rest) if reaches(rest.max_physical, cell) => AtRest::HasIt,
        State::Resting(_) => AtRest::Wake,
        State::Awake(_) | State::Removed => AtRest::No,
    }
}

/// Whether the entries that end at `max_physical` are those up to this one.
fn reaches(max_physical: Option<i64>, cell: &Cell) -> bool {
    let end = cell.physical_offset.saturating_add(cell.size.into());
    max_physical.is_some_and(|max| end <= max)
}

fn put_into<M: HostMedium>(
    name: Name<'_>,
    open: &OpenQueue<M>,
    writing: &mut Writing<M>,
    mut cell: Cell,
    queue_offset: i64,
    unit: Option<&Unit<'_>>,
) -> Result<Put, QueueError> {
    // RocketMQ stores another unit for an entry that is there already
    if !reaches(writing.entries.max_physical(), &cell)
        && let (Some(unit), Some(files), Some(ext)) = (unit, &open.ext, &mut writing.ext)
    {
        match ext.put(files, unit, &Lines(name)) {
            Ok(address) => cell.tags_code = address,
            Err(e) => {
                let Name { topic, queue_id } = name;
                log::warn!(target: "mqstore", "consume queue {topic}/{queue_id}: {e}");
            }
        }
    }
    let put = writing
        .entries
        .put(&open.entries, cell, queue_offset, &Lines(name))
        .map_err(|e| name.not_put(e))?;
    if open.entries.table().last().is_some_and(|last| last.geometry().staged) {
        commit(name, open)?;
    }
    Ok(put)
}

/// Brings staged entries to the medium, where readers see them; units first, to which they point.
pub(super) fn commit<M: HostMedium>(name: Name<'_>, open: &OpenQueue<M>) -> Result<(), QueueError> {
    for files in open.ext.iter().chain([open.entries.files()]) {
        drive::commit(files, 0, None).map_err(|e| {
            name.error(e.kind(), format!("committing the file at {}: {}", e.base, e.error))
        })?;
    }
    Ok(())
}

/// What happens to a queue, as lines that name it.
struct Lines<'a>(Name<'a>);

impl Observer for Lines<'_> {
    fn create_failed(&self, base: u64, error: &dyn fmt::Display) {
        let Name { topic, queue_id } = self.0;
        log::error!(
            target: "mqstore",
            "consume queue {topic}/{queue_id}: file {base:020} cannot be made: {error}"
        );
    }

    fn write_failed(&self, offset: u64, error: &dyn fmt::Display) {
        let Name { topic, queue_id } = self.0;
        log::error!(
            target: "mqstore",
            "consume queue {topic}/{queue_id} cannot be written at {offset}: {error}"
        );
    }

    fn queue_gap(&self, expected: u64, at: u64) {
        let Name { topic, queue_id } = self.0;
        log::error!(
            target: "mqstore",
            "consume queue {topic}/{queue_id}: entry {expected} was put at {at}, for those \
             between are missing"
        );
    }
}
