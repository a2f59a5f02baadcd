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

use super::{Commits, Engine, HostMedium, Writer};
use crate::events::LogLines;
use crate::result::{AppendMessageResult, PutMessageResult};
use crate::timing::{GateClock, Stopwatch};

/// Called once with the answer to an asynchronous put, on one of the store's threads or, when
/// there is nothing to wait for, on the caller's.
pub(crate) type Completion = Box<dyn FnOnce(PutMessageResult) + Send>;

/// A put that has been refused, or that lies in the log and may have to be waited for.
struct Stored {
    result: PutMessageResult,
    /// End of its records, if the answer waits until the log is durable up to there.
    target: Option<u64>,
    /// Whether it counts: what gates and checks refuse does not (spec 01 section 1).
    counted: bool,
}

impl Stored {
    /// Refused by a gate or a check.
    fn refused(refusal: Refusal) -> Self {
        Self { result: refusal.into(), target: None, counted: false }
    }

    /// Refused behind them.
    fn failed(result: impl Into<PutMessageResult>) -> Self {
        Self { result: result.into(), target: None, counted: true }
    }
}

thread_local! {
    /// Reused by each putting thread, so that a batch allocates nothing once it has grown.
    static BATCH_ITEMS: RefCell<Vec<BatchItem>> = const { RefCell::new(Vec::new()) };
}

impl<M: HostMedium> Engine<M> {
    /// Puts one message and waits for what its flush mode promises.
    pub(crate) fn put(&self, message: &Message<'_>) -> PutMessageResult {
        let watch = Stopwatch::start();
        self.wait_for(self.store(message), &watch)
    }

    /// Puts a batch and waits for what its flush mode promises.
    pub(crate) fn put_batch(&self, messages: &MessageBatch<'_>) -> PutMessageResult {
        let watch = Stopwatch::start();
        self.wait_for(self.store_batch(messages), &watch)
    }

    /// Puts one message; `done` gets the answer.
    pub(crate) fn put_then(&self, message: &Message<'_>, done: Completion) {
        let watch = Stopwatch::start();
        self.complete(self.store(message), watch, done);
    }

    /// Puts a batch; `done` gets the answer.
    pub(crate) fn put_batch_then(&self, messages: &MessageBatch<'_>, done: Completion) {
        let watch = Stopwatch::start();
        self.complete(self.store_batch(messages), watch, done);
    }

    fn wait_for(&self, stored: Stored, watch: &Stopwatch) -> PutMessageResult {
        match stored {
            Stored { result, counted: false, .. } => result,
            Stored { result, target: None, .. } => self.answered(result, watch),
            Stored { result, target: Some(target), .. } => {
                let timeout = self.rules.sync_flush_timeout();
                let outcome =
                    self.flush.wait(target, timeout, &|deadline| self.flush_for_all(deadline));
                self.answered(with_outcome(result, outcome), watch)
            }
        }
    }

    fn complete(&self, stored: Stored, watch: Stopwatch, done: Completion) {
        match stored {
            Stored { result, counted: false, .. } => done(result),
            Stored { result, target: None, .. } => done(self.answered(result, &watch)),
            Stored { result, target: Some(target), .. } => {
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
    #[inline]
    fn answered(&self, mut result: PutMessageResult, watch: &Stopwatch) -> PutMessageResult {
        let millis = watch.millis();
        if let Some(append) = &mut result.append {
            append.elapsed_millis = millis;
        }
        self.stats.put_took(millis, result.is_ok());
        if millis > SLOW_MILLIS {
            log::warn!(target: "mqstore", "a put took {millis} ms");
        }
        result
    }

    /// Gates, checks, and the append.
    fn store(&self, message: &Message<'_>) -> Stored {
        let limits = self.rules.limits();
        let gates = self.gates.check(&self.rules.gate(), &GateClock(&self.clock), &LogLines);
        if let Err(refusal) = gates.and_then(|()| check::message(message, &limits)) {
            return Stored::refused(refusal);
        }
        with_order_room(&message.properties, |room| {
            let rules = self.rules.multi_dispatch();
            match prepare::prepare(message, &self.delay_levels, &limits, rules, room) {
                Ok(prepared) => self.append(message, &prepared),
                Err(refusal) => Stored::failed(refusal),
            }
        })
    }

    fn append(&self, message: &Message<'_>, prepared: &Prepared<'_>) -> Stored {
        let time_in_lock = &self.gates.time_in_lock;
        let appended = self.in_lock(|writer| {
            writer.append(&self.log, prepared, &self.stamps, time_in_lock, &LogLines)
        });
        let host = message.store_host;
        let result = |a: &Appended| AppendMessageResult::new(a, host);
        self.stored(appended, prepared.wait_store_ok(), result)
    }

    fn store_batch(&self, messages: &MessageBatch<'_>) -> Stored {
        let limits = self.rules.limits();
        let gates = self.gates.check(&self.rules.gate(), &GateClock(&self.clock), &LogLines);
        if let Err(refusal) = gates.and_then(|()| check::batch(messages, &limits)) {
            return Stored::refused(refusal);
        }
        BATCH_ITEMS.with_borrow_mut(|items| {
            let count = match batch::count(messages.head.body) {
                Ok(count) => count,
                Err(why) => return Stored::failed(Refusal::illegal(why)),
            };
            items.resize_with(count.max(items.len()), BatchItem::default);
            with_order_room(&messages.head.properties, |room| {
                match prepare::prepare_batch(messages, &limits, items, room) {
                    Ok(prepared) => self.append_batch(messages, &prepared),
                    Err(refusal) => Stored::failed(refusal),
                }
            })
        })
    }

    fn append_batch(&self, messages: &MessageBatch<'_>, prepared: &PreparedBatch<'_>) -> Stored {
        let time_in_lock = &self.gates.time_in_lock;
        let appended = self.in_lock(|writer| {
            writer.append_batch(&self.log, prepared, &self.stamps, time_in_lock, &LogLines)
        });
        let host = messages.head.store_host;
        self.stored(appended, prepared.wait_store_ok(), |a| {
            let mut at = a.wrote_offset;
            let offsets = prepared.record_lens().map(|len| {
                let offset = at;
                at += u64::from(len);
                offset
            });
            AppendMessageResult::new(a, host).with_batch(offsets.collect())
        })
    }

    /// Appends under the put lock. Where something can be done about a refusal, it is done
    /// with the lock let go, and then it is tried again.
    pub(super) fn in_lock<R>(
        &self,
        append: impl Fn(&mut Writer<M>) -> Result<R, NotAppended>,
    ) -> Result<R, NotAppended> {
        loop {
            let appended = self.lock.with(|guarded| {
                if guarded.closed {
                    return Err(closed());
                }
                let appended = append(&mut guarded.writer);
                self.totals.publish(guarded.writer.put_totals());
                appended
            });
            match appended {
                Err(not) if self.overcome(not.refusal.cause) => {}
                appended => return appended,
            }
        }
    }

    /// What follows the append: whom to wake, what to wait for.
    fn stored(
        &self,
        appended: Result<Appended, NotAppended>,
        wait_store_ok: bool,
        result: impl FnOnce(&Appended) -> AppendMessageResult,
    ) -> Stored {
        let appended = match appended {
            Ok(appended) => appended,
            Err(not) => return Stored::failed(not),
        };
        let mut result = PutMessageResult::stored(result(&appended));
        if wait_store_ok && self.rules.role() == BrokerRole::SyncMaster {
            result = result.but(PutMessageStatus::SlaveNotAvailable, Cause::NoSlave);
        }
        let end = appended.wrote_offset + u64::from(appended.wrote_bytes);
        let waits = self.rules.sync_flush() && wait_store_ok && appended.wrote_bytes > 0;
        if !waits {
            self.leave_to_the_flusher(end);
        }
        Stored { result, target: waits.then_some(end), counted: true }
    }

    /// After a put that nobody waits for, and that ends at `end`: wakes the thread whose turn
    /// it is.
    fn leave_to_the_flusher(&self, end: u64) {
        match self.commits {
            Commits::Nothing => {}
            Commits::EachPut => {
                // what is acknowledged survives the end of this process; a failure has told
                // the desk, and the next put finds the log stopped
                let _ = self.commit_round(0, None);
            }
            Commits::ByThread => {
                let dirty = end.saturating_sub(self.log.committed_where());
                if dirty >= self.rules.commit_least_bytes() {
                    self.commit_bell.ring();
                }
            }
        }
        if self.rules.sync_flush() || !self.rules.timed_flush() {
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
