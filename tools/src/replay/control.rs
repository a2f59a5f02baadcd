//! Operations that change the running store or its clock, rather than put anything.

use serde_json::Value;

use super::answer;
use super::message::OpError;
use super::session::{Failure, Session};
use super::trace::Op;
use crate::json::Object;

impl Session<'_> {
    pub(super) fn flags(&self, op: &Op, out: &mut Object) -> Result<(), Failure> {
        let store = self.store()?;
        let (flags, now) = (store.flags(), store.now());
        match op.maybe_bool("writeable") {
            Some(true) => drop(flags.get_and_make_writeable()),
            Some(false) => drop(flags.get_and_make_not_writeable(now)),
            None => {}
        }
        match op.maybe_bool("readable") {
            Some(true) => drop(flags.get_and_make_readable()),
            Some(false) => drop(flags.get_and_make_not_readable()),
            None => {}
        }
        match op.maybe_bool("diskFull") {
            Some(true) => drop(flags.get_and_make_disk_full(now)),
            Some(false) => drop(flags.get_and_make_disk_ok()),
            None => {}
        }
        if op.is_true("logicsError") {
            flags.make_logics_queue_error(now);
        }
        if op.is_true("indexError") {
            flags.make_index_file_error(now);
        }
        answer::flags(flags, out);
        Ok(())
    }

    pub(super) fn role(&self, op: &Op, out: &mut Object) -> Result<(), Failure> {
        let store = self.store()?;
        let role = op.get("role").and_then(Value::as_str).unwrap_or_default();
        store.set("brokerRole", role).map_err(|e| OpError::illegal(e.to_string()))?;
        out.insert("role".into(), store.config().0.broker_role.java_name().into());
        Ok(())
    }

    pub(super) fn set(&self, op: &Op) -> Result<(), Failure> {
        let store = self.store()?;
        for (name, value) in op.config() {
            store.set(&name, &value).map_err(|e| OpError::illegal(e.to_string()))?;
        }
        Ok(())
    }

    pub(super) fn move_clock(&mut self, op: &Op, out: &mut Object) -> Result<(), Failure> {
        let Some(clock) = &mut self.clock else {
            return Err(OpError::Usage("the trace has no clock to move".into()).into());
        };
        if let Some(to) = op.maybe_long("set") {
            clock.shown.set(to);
        }
        clock.shown.advance(op.long("advance"));
        if let Some(step) = op.maybe_long("step") {
            clock.step = step;
        }
        out.insert("now".into(), clock.shown.millis().into());
        Ok(())
    }
}
