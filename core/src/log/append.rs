//! Appending messages: place, emit, publish, and only then move the queue offsets
//! (spec 01 sections 2.2, 5, 6 and 7).

use super::{CommitLog, LogWriter};
use crate::cause::{Cause, Illegal, Refusal};
use crate::clock::Clock;
use crate::lock::TimeInLock;
use crate::observe::Observer;
use crate::offsets::{QueueOffsets, QueueSlot, QueueState, TableFull};
use crate::prepare::{LightQueue, LightQueues, Prepared, PreparedBatch};
use crate::record::Stamp;
use crate::segment::{SegmentBackend, SegmentTable};
use crate::status::{AppendMessageStatus, PutMessageStatus};

/// What an append answers (`AppendMessageResult`, spec 01 section 9).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Appended {
    /// Log offset of the first byte.
    pub wrote_offset: u64,
    /// Bytes of the record, or of all records of a batch.
    pub wrote_bytes: u32,
    /// The time in the record, milliseconds since 1970.
    pub store_timestamp: i64,
    /// Queue offset of the (first) message; 0 for prepared and rollback.
    pub queue_offset: i64,
    /// How many messages.
    pub msg_num: u32,
    /// Whether a new log file was begun for it.
    pub rolled: bool,
}

/// A message that was not appended: no queue has moved, nor the log's end, but perhaps over the
/// filler of a staged file ([`Cause::Backpressure`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotAppended {
    /// The status of the put, and the cause.
    pub refusal: Refusal,
    /// The append's own status, where RocketMQ answers with one (all else in it is 0).
    pub append: Option<AppendMessageStatus>,
}

impl From<Refusal> for NotAppended {
    fn from(refusal: Refusal) -> Self {
        Self { refusal, append: None }
    }
}

/// `UNKNOWN_ERROR` for put and append alike.
fn unknown(cause: Cause) -> NotAppended {
    NotAppended {
        refusal: Refusal::new(PutMessageStatus::UnknownError, cause),
        append: Some(AppendMessageStatus::UnknownError),
    }
}

impl From<TableFull> for NotAppended {
    fn from(full: TableFull) -> Self {
        unknown(Cause::QueueTableFull { capacity: full.capacity })
    }
}

impl<B: SegmentBackend, Q: QueueOffsets> LogWriter<B, Q> {
    /// Appends one message: called with the put lock held.
    ///
    /// The store time is taken from `clock` here, so that the order of times is that of the log.
    ///
    /// # Errors
    /// [`NotAppended`]: nothing is written, no queue offset is used, and the next may succeed.
    pub fn append<T: SegmentTable<B::Segment>>(
        &mut self,
        log: &CommitLog<B::Segment, T>,
        message: &Prepared<'_>,
        clock: &impl Clock,
        time_in_lock: &TimeInLock,
        observer: &impl Observer,
    ) -> Result<Appended, NotAppended> {
        let now = clock.now();
        let _inside = time_in_lock.inside(now);
        self.append_at(log, message, now, observer)
    }

    fn append_at<T: SegmentTable<B::Segment>>(
        &mut self,
        log: &CommitLog<B::Segment, T>,
        message: &Prepared<'_>,
        now: i64,
        observer: &impl Observer,
    ) -> Result<Appended, NotAppended> {
        self.catch_up(log)?;
        let dispatched = message.is_dispatched();
        let moves_by = i64::from(dispatched);
        let (slot, next) = enter(&mut self.queues, message.topic(), message.queue_id(), moves_by)?;
        let queue_offset = if dispatched { next } else { 0 };
        let stamp = |physical_offset| Stamp { queue_offset, physical_offset, store_timestamp: now };

        let (len, placed) = if let Some(light) = message.multi_dispatch() {
            let next = |q: LightQueue<'_>| next_of(&self.queues, &self.light_queues, q);
            let len = message.record_len_with(next).map_err(too_long_with_offsets)?;
            // behind that: a message that is refused leaves no queues in the table
            self.enter_light_queues(light, moves_by)?;
            let next = |q: LightQueue<'_>| next_of(&self.queues, &self.light_queues, q);
            let emit = |at, out: &mut [u8]| message.emit_with(&stamp(at), next, out);
            (len, self.files.place(log, len, now, observer, emit))
        } else {
            let len = message.record_len();
            let emit = |at, out: &mut [u8]| message.emit(&stamp(at), out);
            (len, self.files.place(log, len, now, observer, emit))
        };
        // also when it was refused: a filler may have been published
        self.learned = self.files.end();
        let (wrote_offset, rolled) = placed?;

        self.count(slot, moves_by, 1, len);
        if dispatched && let Some(light) = message.multi_dispatch() {
            self.advance_light_queues(light);
        }
        Ok(Appended {
            wrote_offset,
            wrote_bytes: len,
            store_timestamp: now,
            queue_offset,
            msg_num: 1,
            rolled,
        })
    }

    /// Appends the messages of a batch, all of them or none: called with the put lock held.
    ///
    /// # Errors
    /// [`NotAppended`]: nothing is written, no queue offset is used, and the next may succeed.
    pub fn append_batch<T: SegmentTable<B::Segment>>(
        &mut self,
        log: &CommitLog<B::Segment, T>,
        batch: &PreparedBatch<'_>,
        clock: &impl Clock,
        time_in_lock: &TimeInLock,
        observer: &impl Observer,
    ) -> Result<Appended, NotAppended> {
        let now = clock.now();
        let _inside = time_in_lock.inside(now);
        self.append_batch_at(log, batch, now, observer)
    }

    fn append_batch_at<T: SegmentTable<B::Segment>>(
        &mut self,
        log: &CommitLog<B::Segment, T>,
        batch: &PreparedBatch<'_>,
        now: i64,
        observer: &impl Observer,
    ) -> Result<Appended, NotAppended> {
        self.catch_up(log)?;
        let (len, msg_num) = (batch.total_len(), batch.len());
        let moves_by = i64::from(msg_num);
        let (slot, queue_offset) =
            enter(&mut self.queues, batch.topic(), batch.queue_id(), moves_by)?;
        let placed = if msg_num == 0 {
            // RocketMQ answers PUT_OK at the log's end and writes nothing
            Ok((self.files.end(), false))
        } else {
            let emit = |at, out: &mut [u8]| batch.emit(queue_offset, at, now, out);
            self.files.place(log, len, now, observer, emit)
        };
        // also when it was refused: a filler may have been published
        self.learned = self.files.end();
        let (wrote_offset, rolled) = placed?;
        self.count(slot, moves_by, u64::from(msg_num), len);
        Ok(Appended {
            wrote_offset,
            wrote_bytes: len,
            store_timestamp: now,
            queue_offset,
            msg_num,
            rolled,
        })
    }

    /// Moves a queue on, and counts what was put.
    fn count(&mut self, slot: QueueSlot, advance: i64, times: u64, bytes: u32) {
        let mut state = self.queues.state(slot);
        state.next += advance;
        state.named = false;
        state.put_times += times;
        state.put_size += u64::from(bytes);
        self.queues.set_state(slot, state);
        self.put_totals.0 += times;
        self.put_totals.1 += u64::from(bytes);
    }

    /// Messages put, and bytes of their records, since the log was opened
    /// (`putMessageTimesTotal`, `putMessageSizeTotal`).
    pub const fn put_totals(&self) -> (u64, u64) {
        self.put_totals
    }

    /// Enters each light queue, so that nothing can fail after the write, and marks it as named.
    fn enter_light_queues(
        &mut self,
        light: LightQueues<'_>,
        moves_by: i64,
    ) -> Result<(), NotAppended> {
        for q in light {
            let table = self.table_of(q.is_lmq);
            let (slot, _) = enter(table, q.name, q.queue_id, moves_by)?;
            let state = table.state(slot);
            table.set_state(slot, QueueState { named: true, ..state });
        }
        Ok(())
    }

    /// Sets each light queue behind the offset that the message has just got there.
    ///
    /// A queue that is named twice has got the same offset twice, and moves by one; so does the
    /// message's own queue if it is named, and that has moved already. The marks tell, because
    /// looking through the list for each of thousands of names would hold the lock for seconds.
    fn advance_light_queues(&mut self, light: LightQueues<'_>) {
        for q in light {
            let table = self.table_of(q.is_lmq);
            if let Ok(slot) = table.enter(q.name, q.queue_id) {
                let state = table.state(slot);
                if state.named {
                    let moved = QueueState { next: state.next + 1, named: false, ..state };
                    table.set_state(slot, moved);
                }
            }
        }
    }

    fn table_of(&mut self, is_lmq: bool) -> &mut Q {
        if is_lmq { &mut self.light_queues } else { &mut self.queues }
    }
}

/// Enters a queue with 0 if it is new, and answers its next offset, from which it must be able
/// to move so far.
fn enter<Q: QueueOffsets>(
    table: &mut Q,
    topic: &str,
    queue_id: i32,
    moves_by: i64,
) -> Result<(QueueSlot, i64), NotAppended> {
    let slot = table.enter(topic, queue_id)?;
    let next = table.state(slot).next;
    match next.checked_add(moves_by) {
        Some(_) => Ok((slot, next)),
        None => Err(unknown(Cause::QueueOffsetsUsedUp { next })),
    }
}

/// The next offset of a light queue.
fn next_of<Q: QueueOffsets>(queues: &Q, light_queues: &Q, q: LightQueue<'_>) -> i64 {
    let table = if q.is_lmq { light_queues } else { queues };
    table.find(q.name, q.queue_id).map_or(0, |s| s.next)
}

/// RocketMQ answers `UNKNOWN_ERROR` when the encoder fails under the lock; a record that no
/// file can hold is refused like any other such record.
fn too_long_with_offsets(why: Illegal) -> NotAppended {
    match why {
        Illegal::LargerThanFile { .. } => Refusal::illegal(why).into(),
        why => unknown(Cause::Illegal(why)),
    }
}
