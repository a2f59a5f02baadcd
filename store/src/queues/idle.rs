//! Queues that nobody uses are laid to rest: they give their maps and descriptors up.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use core::mem;

use mqstore_core::log::CommitLog;
use mqstore_core::segment::{Segment, SegmentTable};

use super::queue::{OpenQueue, Queue, State, Writing};
use super::rest::{ExtRest, Rest};
use super::{Queues, flush, lock};
use crate::engine::HostMedium;
use crate::table::GrowingTable;

impl<M: HostMedium> Queues<M> {
    /// Begins a new round, and lays those to rest that were not touched in the last `rounds`
    /// ones. One that is being used, or is not durable yet, stays awake.
    pub(crate) fn rest_idle(&self, rounds: u32) {
        let now = self.tick.fetch_add(1, Ordering::Relaxed).wrapping_add(1);
        let is_idle = |q: &Queue<M>| now.wrapping_sub(q.touched.load(Ordering::Relaxed)) > rounds;
        // whoever is woken meanwhile goes to the end of the list
        let awake = mem::take(&mut *lock(&self.awake));
        let kept = awake.into_iter().filter(|q| !is_idle(q) || !self.rest(q)).collect();
        self.keep_awake(kept);
    }

    /// Lays the longest untouched of many queues to rest before one more is woken. They are
    /// flushed for it, if need be.
    pub(super) fn make_room(&self) {
        let oldest = {
            let mut awake = lock(&self.awake);
            if awake.len() < self.settings.awake_max {
                return;
            }
            awake.sort_by_key(|q| q.touched.load(Ordering::Relaxed));
            // some at once, so that it is not to be done for each
            let count = (self.settings.awake_max / 8 + 1).min(awake.len());
            awake.drain(..count).collect::<Vec<_>>()
        };
        let flushed_and_rests = |q: &Arc<Queue<M>>| {
            let flushed = q.opened().is_none_or(|open| flush::all_of(q.name(), &open).is_ok());
            flushed && self.rest(q)
        };
        let kept = oldest.into_iter().filter(|q| !flushed_and_rests(q)).collect();
        self.keep_awake(kept);
    }

    fn keep_awake(&self, mut kept: Vec<Arc<Queue<M>>>) {
        let mut awake = lock(&self.awake);
        kept.append(&mut awake);
        *awake = kept;
    }

    /// Lets go of a queue's files; false if it must stay awake.
    fn rest(&self, queue: &Queue<M>) -> bool {
        let Some(mut writing) = queue.try_writing() else { return false };
        let mut state = queue.state_mut();
        let State::Awake(open) = &*state else { return true };
        let Some(exclusive) = writing.as_deref() else { return false };
        // under this lock nobody else comes to it
        if Arc::strong_count(open) > 1 || exclusive.failed || !is_durable(open) {
            return false;
        }
        *state = State::Resting(rest_of(open, exclusive));
        *writing = None;
        true
    }
}

/// Whether everything that is written of a queue is durable.
pub(super) fn is_durable<M: HostMedium>(open: &OpenQueue<M>) -> bool {
    let ext = open.ext.as_ref().is_none_or(|ext| ext.not_flushed() == 0);
    ext && open.entries.files().not_flushed() == 0
}

/// What is kept of a queue.
fn rest_of<M: HostMedium>(open: &OpenQueue<M>, writing: &Writing<M>) -> Rest {
    let entries = open.entries.files();
    let ext = open.ext.as_ref().filter(|ext| !ext.table().is_empty());
    Rest {
        min: open.entries.min_offset(),
        end: entries.written_offset(),
        max_physical: writing.entries.max_physical(),
        bases: bases(entries),
        ext: ext.map(|ext| Box::new(ExtRest { end: ext.written_offset(), bases: bases(ext) })),
    }
}

fn bases<S: Segment>(files: &CommitLog<S, GrowingTable<S>>) -> Box<[u64]> {
    files.table().bases().into()
}
