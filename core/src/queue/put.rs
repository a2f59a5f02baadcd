//! Putting entries into a queue (spec 04 section 10, spec 02 section 7.2).
//!
//! A file is shared with readers only when its first entry is in it, and what was already made
//! for an entry that failed is kept for the next try. So whatever is refused has moved nothing.

use crate::log::open::{Open, refusal_kind};
use crate::observe::Observer;
use crate::queue::{Cell, ConsumeQueue, NotPut, Put};
use crate::segment::{Halves, MediumError, Readable, Segment, SegmentBackend, SegmentTable};

/// The exclusive half of a queue, which the dispatch owns.
pub struct QueueWriter<B: SegmentBackend> {
    backend: B,
    /// The newest file of the queue's table.
    current: Option<Open<B>>,
    /// A file that was made for an entry which failed.
    spare: Option<Open<B>>,
    /// `maxPhysicOffset`: the end of the last record that has an entry. Without one there may
    /// be fillers, but no entry.
    max_physical: Option<i64>,
    /// It has had files, and holds them no more.
    let_go: bool,
}

impl<B: SegmentBackend> QueueWriter<B> {
    /// A writer for a queue without files. Segments are a multiple of 20 bytes long.
    pub const fn new(backend: B) -> Self {
        Self { backend, current: None, spare: None, max_physical: None, let_go: false }
    }

    /// Goes on in this file, which must be the newest one of the queue's table.
    ///
    /// `max_physical` is the end of the last record that has an entry, as a recovery or
    /// [`Self::max_physical`] said; `None`: the queue holds nothing but fillers.
    pub fn resume(&mut self, halves: Halves<B>, max_physical: Option<i64>) {
        self.current = Some(Open::new(halves));
        self.max_physical = max_physical;
        self.let_go = false;
    }

    /// Gives the files up, so that an idle queue holds none: its shared half is dropped, too.
    /// Before the next entry the last file is opened and resumed again at [`Self::end`].
    pub fn let_go(&mut self) {
        self.let_go |= self.current.is_some();
        self.current = None;
        self.spare = None;
    }

    /// The end of the last record that has an entry, bytes in the log; `None` without one.
    pub const fn max_physical(&self) -> Option<i64> {
        self.max_physical
    }

    /// Where the next entry goes, bytes in the queue; `None` without files.
    pub fn end(&self) -> Option<u64> {
        self.current.as_ref().map(Open::offset)
    }

    /// Where the files are made.
    pub const fn backend(&self) -> &B {
        &self.backend
    }

    /// Puts the entry for `queue_offset` (`putMessagePositionInfo`).
    ///
    /// It goes behind the last one, whatever its queue offset, unless that is taken; 0 is put
    /// without a look (spec 04 section 10). The first file of a queue is the one that holds
    /// `queue_offset`, with fillers before it.
    ///
    /// # Errors
    /// [`NotPut`]: nothing has moved. RocketMQ tries 30 times, one second apart.
    pub fn put<T: SegmentTable<B::Segment>>(
        &mut self,
        queue: &ConsumeQueue<B::Segment, T>,
        cell: Cell,
        queue_offset: i64,
        observer: &impl Observer,
    ) -> Result<Put, NotPut> {
        let record_end = cell.physical_offset.saturating_add(i64::from(cell.size));
        if self.max_physical.is_some_and(|max| record_end <= max) {
            return Ok(Put::AlreadyThere);
        }
        if self.let_go {
            return Err(NotPut::LetGo);
        }
        let Ok(wanted) = u64::try_from(queue_offset) else { return Ok(Put::Behind) };
        let position = wanted.checked_mul(u64::from(Cell::LEN)).ok_or(NotPut::OffsetTooLarge)?;
        if self.is_behind(position) {
            return Ok(Put::Behind);
        }
        let at = self.put_at(queue, cell, position, observer)?;
        self.max_physical = Some(record_end);
        let entry = at / u64::from(Cell::LEN);
        if wanted != 0 && entry < wanted {
            observer.queue_gap(wanted, entry);
        }
        Ok(Put::At { entry })
    }

    /// Whether there is an entry at this position already; that of 0 is never asked for.
    fn is_behind(&self, position: u64) -> bool {
        position != 0 && self.end().is_some_and(|end| position < end)
    }

    /// Writes the entry that belongs at `position`; answers where it went.
    fn put_at<T: SegmentTable<B::Segment>>(
        &mut self,
        queue: &ConsumeQueue<B::Segment, T>,
        cell: Cell,
        position: u64,
        observer: &impl Observer,
    ) -> Result<u64, NotPut> {
        let only_fillers = self.max_physical.is_none();
        match self.current.as_mut() {
            None => self.put_first(queue, cell, position, observer),
            Some(open) if open.room() < Cell::LEN => {
                let base = open.base + u64::from(open.capacity);
                let mut next = self.make(queue, base, base, observer)?;
                let written = self.may_go_on_to(&next);
                let written = written.and_then(|()| write(&mut next, cell, observer));
                self.go_on_in(queue, next, written)
            }
            Some(open) => {
                // a process died behind its fillers, or the entries behind them were cut
                let fill = only_fillers && open_holds(open, position);
                if fill {
                    fill_upto(open, position, observer)?;
                }
                let at = open.offset();
                write(open, cell, observer)?;
                if fill {
                    hide_fillers(queue, position);
                }
                open.publish(Cell::LEN, 0);
                Ok(at)
            }
        }
    }

    /// Makes the first file, with fillers before the entry that belongs at `position`.
    fn put_first<T: SegmentTable<B::Segment>>(
        &mut self,
        queue: &ConsumeQueue<B::Segment, T>,
        cell: Cell,
        position: u64,
        observer: &impl Observer,
    ) -> Result<u64, NotPut> {
        let capacity = u64::from(self.backend.geometry().capacity.max(1));
        let mut first = self.make(queue, position - position % capacity, position, observer)?;
        let written = fill_upto(&mut first, position, observer)
            .and_then(|()| write(&mut first, cell, observer));
        if written.is_ok() {
            hide_fillers(queue, position);
        }
        self.go_on_in(queue, first, written)
    }

    /// Whether an entry may be put into `next`, behind the current file, which is full.
    fn may_go_on_to(&mut self, next: &Open<B>) -> Result<(), NotPut> {
        let Some(open) = self.current.as_mut() else { return Ok(()) };
        open.make_way_for(next).map_err(|refusal| NotPut::WriteFailed {
            position: next.base,
            kind: refusal_kind(&refusal),
        })
    }

    /// Shares this file, into which an entry was written, and publishes the entry; keeps the
    /// file for the next try if it could not be written.
    fn go_on_in<T: SegmentTable<B::Segment>>(
        &mut self,
        queue: &ConsumeQueue<B::Segment, T>,
        mut next: Open<B>,
        written: Result<(), NotPut>,
    ) -> Result<u64, NotPut> {
        if let Err(e) = written {
            self.spare = Some(next);
            return Err(e);
        }
        let at = next.offset();
        next.share(queue.table());
        next.publish(Cell::LEN, 0);
        self.current = Some(next);
        Ok(at)
    }

    /// Makes the file at `base` for an entry at `position`, or takes the one that was made
    /// before.
    fn make<T: SegmentTable<B::Segment>>(
        &mut self,
        queue: &ConsumeQueue<B::Segment, T>,
        base: u64,
        position: u64,
        observer: &impl Observer,
    ) -> Result<Open<B>, NotPut> {
        let failed = |kind| NotPut::CreateFailed { base, kind };
        let is_other = |s: &mut Open<B>| s.base != base || s.offset() > position;
        if queue.table().has_room()
            && let Some(other) = self.spare.take_if(is_other).map(|spare| spare.base)
        {
            // made for an entry that was given up, and perhaps with too many fillers; before the
            // queue's first file it would be a hole, at which every recovery stops
            self.backend.remove(other).map_err(|e| failed(e.kind()))?;
        }
        Open::make(&self.backend, &mut self.spare, queue.table(), base, observer).map_err(failed)
    }
}

/// Sets the minimum of a queue to its first entry, at `position`; one of 0 leaves it alone.
fn hide_fillers<S: Segment, T: SegmentTable<S>>(queue: &ConsumeQueue<S, T>, position: u64) {
    if position != 0 {
        queue.set_min_offset(position / u64::from(Cell::LEN));
    }
}

/// Whether `position` lies inside this file.
fn open_holds<B: SegmentBackend>(open: &Open<B>, position: u64) -> bool {
    position >= open.base && position - open.base < u64::from(open.capacity)
}

/// The error for bytes that could not be written; the observer is told.
fn not_written(observer: &impl Observer, position: u64, e: &impl MediumError) -> NotPut {
    observer.write_failed(position, e);
    NotPut::WriteFailed { position, kind: e.kind() }
}

/// Writes an entry behind the last one, and does not publish it.
fn write<B: SegmentBackend>(
    open: &mut Open<B>,
    cell: Cell,
    observer: &impl Observer,
) -> Result<(), NotPut> {
    let position = open.offset();
    open.write_raw(&cell.encode()).map_err(|e| not_written(observer, position, &e))
}

/// Publishes fillers up to `position`, which lies in this file. What was filled before an error
/// stays.
fn fill_upto<B: SegmentBackend>(
    open: &mut Open<B>,
    position: u64,
    observer: &impl Observer,
) -> Result<(), NotPut> {
    let window_max = open.segment.geometry().window_max;
    let most = (window_max - window_max % Cell::LEN).max(Cell::LEN);
    while open.offset() < position {
        let at = open.offset();
        let len = u32::try_from(position - at).unwrap_or(most).min(most);
        let window = open.window(len).map_err(|e| not_written(observer, at, &e))?;
        for filler in window.chunks_exact_mut(Cell::LEN as usize) {
            filler.copy_from_slice(&Cell::FILLER.encode());
        }
        open.publish(len, 0);
    }
    Ok(())
}
