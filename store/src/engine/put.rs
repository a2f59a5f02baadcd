//! A put from the gates to the answer.

use std::cell::RefCell;

use mqstore_core::cause::{Cause, Refusal};
use mqstore_core::check;
use mqstore_core::duty::Outcome;
use mqstore_core::lock::PutLock;
use mqstore_core::log::{Appended, NotAppended};
use mqstore_core::message::{Message, MessageBatch, Properties};
use mqstore_core::prepare::{self, Prepared, PreparedBatch};
use mqstore_core::record::batch::{self, BatchItem};
use mqstore_core::record::hash_order::{OrderRoom, OrderRoomView};
use mqstore_core::status::{BrokerRole, PutMessageStatus};

use super::{Engine, HostMedium, Writer};
use crate::events::LogLines;
use crate::result::{AppendMessageResult, PutMessageResult};
use crate::timing::{GateClock, Stopwatch};

/// Called once with the answer to an asynchronous put, on one of the store's threads or, when
/// there is nothing to wait for, on the caller's.
pub(crate) type Completion = Box<dyn FnOnce(PutMessageResult) + Send>;

/// What is still to be waited for once a message lies in the log.
pub(crate) struct Stored {
    result: PutMessageResult,
    /// End of its records, if the answer waits until the log is durable up to there.
    target: Option<u64>,
}

thread_local! {
    /// Reused by each putting thread, so that a batch allocates nothing once it has grown.
    static BATCH_ITEMS: RefCell<Vec<BatchItem>> = const { RefCell::new(Vec::new()) };
}

impl<M: HostMedium> Engine<M> {
    /// Puts one message and waits for what its flush mode promises.
    pub(crate) fn put(&self, message: &Message<'_>) -> PutMessageResult {
        let watch = Stopwatch::start();
        self.wait_for(self.store(message, &watch), &watch)
    }

    /// Puts a batch and waits for what its flush mode promises.
    pub(crate) fn put_batch(&self, messages: &MessageBatch<'_>) -> PutMessageResult {
        let watch = Stopwatch::start();
        self.wait_for(self.store_batch(messages, &watch), &watch)
    }

    /// Puts one message; `done` gets the answer.
    pub(crate) fn put_then(&self, message: &Message<'_>, done: Completion) {
        let watch = Stopwatch::start();
        self.complete(self.store(message, &watch), watch, done);
    }

    /// Puts a batch; `done` gets the answer.
    pub(crate) fn put_batch_then(&self, messages: &MessageBatch<'_>, done: Completion) {
        let watch = Stopwatch::start();
        self.complete(self.store_batch(messages, &watch), watch, done);
    }

    fn wait_for(
        &self,
        stored: Result<Stored, PutMessageResult>,
        watch: &Stopwatch,
    ) -> PutMessageResult {
        match stored {
            Err(refused) => refused,
            Ok(Stored { result, target: None }) => self.answered(result, watch),
            Ok(Stored { result, target: Some(target) }) => {
                let timeout = self.rules.sync_flush_timeout();
                let outcome = self.flush.wait(target, timeout, &|| self.flush_for_all());
                self.answered(with_outcome(result, outcome), watch)
            }
        }
    }

    fn complete(
        &self,
        stored: Result<Stored, PutMessageResult>,
        watch: Stopwatch,
        done: Completion,
    ) {
        match stored {
            Err(refused) => done(refused),
            Ok(Stored { result, target: None }) => done(self.answered(result, &watch)),
            Ok(Stored { result, target: Some(target) }) => {
                let timeout = self.rules.sync_flush_timeout();
                let stats = self.stats.clone();
                let done = Box::new(move |outcome| {
                    let result = with_outcome(result, outcome);
                    stats.put_took(watch.millis(), result.is_ok());
                    done(result);
                });
                self.flush.wait_then(target, timeout, done);
            }
        }
    }

    /// Counts a put that reached the log's own checks.
    fn answered(&self, result: PutMessageResult, watch: &Stopwatch) -> PutMessageResult {
        let millis = watch.millis();
        self.stats.put_took(millis, result.is_ok());
        if millis > SLOW_MILLIS {
            log::warn!(target: "mqstore", "a put took {millis} ms");
        }
        result
    }

    /// Gates, checks, and the append. A refusal by the first two is not counted as a failed put.
    fn store(&self, message: &Message<'_>, watch: &Stopwatch) -> Result<Stored, PutMessageResult> {
        self.gates.check(&self.rules.gate(), &GateClock(&self.clock), &LogLines)?;
        let limits = self.rules.limits();
        check::message(message, &limits)?;
        with_order_room(&message.properties, |room| {
            let rules = self.rules.multi_dispatch();
            match prepare::prepare(message, &self.delay_levels, &limits, rules, room) {
                Ok(prepared) => self.append(message, &prepared, watch),
                Err(refusal) => Err(self.answered(refusal.into(), watch)),
            }
        })
    }

    fn append(
        &self,
        message: &Message<'_>,
        prepared: &Prepared<'_>,
        watch: &Stopwatch,
    ) -> Result<Stored, PutMessageResult> {
        let time_in_lock = &self.gates.time_in_lock;
        let appended = self.in_lock(|writer| {
            writer.append(&self.log, prepared, &self.stamps, time_in_lock, &LogLines)
        });
        let host = message.store_host;
        self.stored(appended, prepared.wait_store_ok(), watch, |a, millis| {
            AppendMessageResult::new(a, host, millis)
        })
    }

    fn store_batch(
        &self,
        messages: &MessageBatch<'_>,
        watch: &Stopwatch,
    ) -> Result<Stored, PutMessageResult> {
        self.gates.check(&self.rules.gate(), &GateClock(&self.clock), &LogLines)?;
        let limits = self.rules.limits();
        check::batch(messages, &limits)?;
        BATCH_ITEMS.with_borrow_mut(|items| {
            let count = match batch::count(messages.head.body) {
                Ok(count) => count,
                Err(why) => return Err(self.answered(Refusal::illegal(why).into(), watch)),
            };
            items.resize_with(count.max(items.len()), BatchItem::default);
            with_order_room(&messages.head.properties, |room| {
                match prepare::prepare_batch(messages, &limits, items, room) {
                    Ok(prepared) => self.append_batch(messages, &prepared, watch),
                    Err(refusal) => Err(self.answered(refusal.into(), watch)),
                }
            })
        })
    }

    fn append_batch(
        &self,
        messages: &MessageBatch<'_>,
        prepared: &PreparedBatch<'_>,
        watch: &Stopwatch,
    ) -> Result<Stored, PutMessageResult> {
        let time_in_lock = &self.gates.time_in_lock;
        let appended = self.in_lock(|writer| {
            writer.append_batch(&self.log, prepared, &self.stamps, time_in_lock, &LogLines)
        });
        let host = messages.head.store_host;
        self.stored(appended, prepared.wait_store_ok(), watch, |a, millis| {
            let mut at = a.wrote_offset;
            let offsets = prepared.record_lens().map(|len| {
                let offset = at;
                at += u64::from(len);
                offset
            });
            AppendMessageResult::new(a, host, millis).with_batch(offsets.collect())
        })
    }

    /// Appends under the put lock. A staged log whose buffer is full is committed, and then it
    /// is tried again.
    fn in_lock(
        &self,
        append: impl Fn(&mut Writer<M>) -> Result<Appended, NotAppended>,
    ) -> Result<Appended, NotAppended> {
        loop {
            let appended = self.lock.with(|guarded| {
                if guarded.closed { Err(closed()) } else { append(&mut guarded.writer) }
            });
            match appended {
                Err(not) if not.refusal.cause == Cause::Backpressure => {
                    if self.commit_round(0).is_err() {
                        return Err(not);
                    }
                }
                appended => return appended,
            }
        }
    }

    /// What follows the append: whom to wake, what to wait for.
    fn stored(
        &self,
        appended: Result<Appended, NotAppended>,
        wait_store_ok: bool,
        watch: &Stopwatch,
        result: impl FnOnce(&Appended, i64) -> AppendMessageResult,
    ) -> Result<Stored, PutMessageResult> {
        let appended = match appended {
            Ok(appended) => appended,
            Err(not) => return Err(self.answered(not.into(), watch)),
        };
        let mut result = PutMessageResult::stored(result(&appended, watch.millis()));
        if wait_store_ok && self.rules.role() == BrokerRole::SyncMaster {
            result = result.but(PutMessageStatus::SlaveNotAvailable, Cause::NoSlave);
        }
        let end = appended.wrote_offset + u64::from(appended.wrote_bytes);
        let target =
            (self.rules.sync_flush() && wait_store_ok && appended.wrote_bytes > 0).then_some(end);
        if target.is_none() {
            self.leave_to_the_flusher();
        }
        Ok(Stored { result, target })
    }

    /// After a put that nobody waits for: wakes the thread whose turn it is.
    fn leave_to_the_flusher(&self) {
        if self.rules.sync_flush() {
            // what is acknowledged survives the end of this process; a failure has told the
            // desk, and the next put finds the log stopped
            let _ = self.commit_round(0);
            self.flush.wake();
        } else if !self.rules.timed_flush() {
            self.flush.wake();
        }
    }
}

/// Calls `f` with room to sort these properties as a Java map would hold them: nearly always on
/// the stack.
fn with_order_room<R>(properties: &Properties<'_>, f: impl FnOnce(&mut OrderRoomView) -> R) -> R {
    const SMALL: usize = 256;
    /// The store adds at most this many entries of its own.
    const ADDED: usize = 4;
    /// Name, separator, value, separator.
    const SHORTEST_ENTRY: usize = 4;
    let entries = match properties {
        Properties::None => 0,
        Properties::Text(text) => text.len() / SHORTEST_ENTRY,
        Properties::Map(map) | Properties::Both { map, .. } => map.entries.len(),
    };
    if entries + ADDED <= SMALL {
        let mut room: OrderRoom<SMALL> = OrderRoom::new();
        f(&mut room)
    } else {
        let mut room: Box<OrderRoom<16384>> = Box::new(OrderRoom::new());
        f(&mut *room)
    }
}

/// Puts that take longer than this are told.
const SLOW_MILLIS: i64 = 500;

/// The refusal for a put that came into the lock behind `close`.
fn closed() -> NotAppended {
    let cause = Cause::Shutdown { since: crate::clock::system_millis() };
    Refusal::new(PutMessageStatus::ServiceNotAvailable, cause).into()
}

/// The replica's status wins over the flush's (spec 01 section 2.3 step 20).
fn with_outcome(result: PutMessageResult, outcome: Outcome) -> PutMessageResult {
    let cause = match outcome {
        Outcome::Durable => return result,
        Outcome::TimedOut => Cause::FlushTimeout,
        Outcome::Failed(kind) => Cause::FlushFailed(kind),
    };
    if result.status != PutMessageStatus::PutOk {
        return result;
    }
    result.but(PutMessageStatus::FlushDiskTimeout, cause)
}
