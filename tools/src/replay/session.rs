//! Runs one operation after another.

use core::time::Duration;
use std::time::Instant;

use mqstore::{ManualClock, Store, StoreClock};
use serde_json::Value;

use super::message::{OpError, OwnedMessage};
use super::open::Memory;
use super::trace::Op;
use super::{ReplayError, ReplayOptions, Replayed, answer, data, open};
use crate::json::Object;

/// Operations that wait for parts of the store which are not built yet: reads, queues, index,
/// delivery, cleaning and reopening.
const NOT_YET: [&str; 16] = [
    "get",
    "lookByOffset",
    "query",
    "offsetByTime",
    "minMax",
    "cqEntry",
    "waitDispatch",
    "waitQueue",
    "arrivals",
    "stats",
    "state",
    "touch",
    "clean",
    "reopen",
    "checkpoint",
    "setPhyOffset",
];

/// A clock that every operation moves.
pub(super) struct TraceClock {
    pub(super) shown: ManualClock,
    pub(super) step: i64,
}

/// A trace under way.
pub(super) struct Session<'a> {
    options: &'a ReplayOptions,
    store: Option<Store>,
    pub(super) clock: Option<TraceClock>,
    memory: Option<Memory>,
    not_yet: usize,
    /// Store time of the newest message; 0: none.
    last_stored: i64,
}

impl<'a> Session<'a> {
    pub(super) fn new(options: &'a ReplayOptions) -> Self {
        Self { options, store: None, clock: None, memory: None, not_yet: 0, last_stored: 0 }
    }

    /// Opens the store for a trace that does not begin with `open`.
    pub(super) fn open_with_defaults(&mut self) -> Result<(), ReplayError> {
        let opened = open::open(self.options, &[], StoreClock::System)?;
        self.store = Some(opened.store);
        self.memory = opened.memory;
        Ok(())
    }

    pub(super) fn finish(self) -> Replayed {
        Replayed { store: self.store, memory: self.memory, not_yet: self.not_yet }
    }

    /// Runs an operation and answers its line.
    pub(super) fn run(&mut self, i: usize, op: &Op) -> Result<Object, ReplayError> {
        let mut out = Object::new();
        out.insert("i".into(), i.into());
        out.insert("op".into(), op.get("op").cloned().unwrap_or(Value::Null));
        self.tick(op);
        match self.answer(op, &mut out) {
            Ok(()) => Ok(out),
            Err(Failure::Run(error)) => Err(error),
            Err(Failure::Op(OpError::Usage(why))) => {
                Err(ReplayError::Usage(format!("operation {i}: {why}")))
            }
            Err(Failure::Op(OpError::Exception { class, message })) => {
                out.insert("exception".into(), class.into());
                out.insert("message".into(), message.into());
                Ok(out)
            }
        }
    }

    /// The clock moves before every operation; an `open` makes it.
    fn tick(&self, op: &Op) {
        let Some(clock) = &self.clock else { return };
        match op.maybe_long("at") {
            Some(at) => clock.shown.set(at),
            None => drop(clock.shown.advance(clock.step)),
        }
    }

    fn answer(&mut self, op: &Op, out: &mut Object) -> Result<(), Failure> {
        match op.name() {
            "open" => self.open(op, out),
            "close" => self.close(out),
            "put" => self.put(op, out),
            "putBatch" => self.put_batch(op, out),
            "appendRaw" => self.append_raw(op, out),
            "flush" => self.flush(op, out),
            "flags" => self.flags(op, out),
            "role" => self.role(op, out),
            "set" => self.set(op),
            "clock" => self.move_clock(op, out),
            "sleep" => {
                std::thread::sleep(millis(op.long("ms")));
                Ok(())
            }
            name if NOT_YET.contains(&name) => {
                self.not_yet += 1;
                out.insert("status".into(), "not yet".into());
                Ok(())
            }
            name => Err(OpError::Usage(format!("there is no operation '{name}'")).into()),
        }
    }

    pub(super) fn store(&self) -> Result<&Store, OpError> {
        self.store.as_ref().ok_or(OpError::null("the store is closed"))
    }

    /// Now, as the trace's clock or the system's shows it.
    fn now(&self) -> Result<i64, OpError> {
        Ok(self.store()?.now())
    }

    fn open(&mut self, op: &Op, out: &mut Object) -> Result<(), Failure> {
        if self.store.is_some() {
            return Err(OpError::Usage("the store is open already".into()).into());
        }
        if let Some(clock) = op.object("clock") {
            let clock = Op { fields: clock.clone() };
            let shown = ManualClock::new(clock.long("base"));
            self.clock = Some(TraceClock { shown, step: clock.long("step") });
        }
        let clock = match &self.clock {
            Some(clock) => StoreClock::Manual(clock.shown.clone()),
            None => StoreClock::System,
        };
        let opened = open::open(self.options, &op.config(), clock)?;
        let status = opened.store.status();
        out.insert("load".into(), true.into());
        out.insert("minPhy".into(), status.min_phy_offset.into());
        out.insert("maxPhy".into(), status.max_phy_offset.into());
        self.store = Some(opened.store);
        self.memory = opened.memory;
        Ok(())
    }

    fn close(&mut self, out: &mut Object) -> Result<(), Failure> {
        if let Some(store) = self.store.take() {
            // what went wrong shows in the abort file, as in Java
            if let Err(error) = store.close() {
                eprintln!("mqstore: closing the store: {error}");
            }
        }
        out.insert("abortFile".into(), self.options.root.join("abort").exists().into());
        Ok(())
    }

    fn put(&mut self, op: &Op, out: &mut Object) -> Result<(), Failure> {
        let message = OwnedMessage::single(op, self.now()?)?;
        let store = self.store()?;
        self.stored(&message.with(|m| store.put(m)), out);
        Ok(())
    }

    fn put_batch(&mut self, op: &Op, out: &mut Object) -> Result<(), Failure> {
        let batch = OwnedMessage::batch(op, self.now()?)?;
        let store = self.store()?;
        self.stored(&batch.with_batch(|b| store.put_batch(b)), out);
        Ok(())
    }

    fn stored(&mut self, result: &mqstore::PutMessageResult, out: &mut Object) {
        answer::put_result(result, out);
        if let Some(append) = result.append.as_ref().filter(|a| a.wrote_bytes > 0) {
            self.last_stored = append.store_timestamp;
        }
    }

    fn append_raw(&mut self, op: &Op, out: &mut Object) -> Result<(), Failure> {
        let bytes = data::bytes_of(op.get("data")).map_err(OpError::Usage)?;
        let bytes = bytes.ok_or(OpError::null("no data"))?;
        let store = self.store()?;
        let ok = match u64::try_from(op.long("offset")) {
            Ok(offset) => store.append_raw(offset, &bytes).is_ok(),
            Err(_) => false,
        };
        out.insert("ok".into(), ok.into());
        out.insert("maxPhy".into(), store.status().max_phy_offset.into());
        Ok(())
    }

    fn flush(&mut self, op: &Op, out: &mut Object) -> Result<(), Failure> {
        let store = self.store()?;
        let flushed = match store.flush() {
            Ok(flushed) => flushed,
            Err(failure) => failure.flushed_where,
        };
        out.insert("flushedWhere".into(), flushed.into());
        if op.maybe_bool("checkpoint") != Some(false) {
            let patience = millis(op.maybe_long("timeoutMs").unwrap_or(12000));
            let ok = self.wait_for_checkpoint(store, patience);
            out.insert("checkpointOk".into(), ok.into());
        }
        Ok(())
    }

    /// Whether the checkpoint has, or gets in time, the store time of the newest message.
    fn wait_for_checkpoint(&self, store: &Store, patience: Duration) -> bool {
        let end = Instant::now() + patience;
        loop {
            if self.last_stored == 0 || store.status().checkpoint[0] == self.last_stored {
                return true;
            }
            if Instant::now() >= end {
                return false;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

fn millis(n: i64) -> Duration {
    Duration::from_millis(u64::try_from(n).unwrap_or(0))
}

/// Why an operation has no answer.
pub(super) enum Failure {
    /// The operation is at fault.
    Op(OpError),
    /// The whole run ends.
    Run(ReplayError),
}

impl From<OpError> for Failure {
    fn from(error: OpError) -> Self {
        Self::Op(error)
    }
}

impl From<ReplayError> for Failure {
    fn from(error: ReplayError) -> Self {
        Self::Run(error)
    }
}
