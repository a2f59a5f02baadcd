//! Random changes of flags, role and settings, made so that Java answers the same each time.

use serde_json::json;

use super::generate::{Kind, World};
use super::messages;
use super::rules::{FLAG_BY_HAND, FLAG_STAYS};
use super::step::{Expect, Step, object, op};

impl World {
    /// Java marks a queue as broken if something is still to be dispatched while it is not
    /// writeable, so all of that is waited for before. With multi-dispatch that may take for
    /// ever, because its dispatch stops at a message without properties: false then.
    pub(super) fn quiet(&mut self) -> bool {
        if self.limits.multi_dispatch {
            return false;
        }
        self.push(Step {
            expect: Expect::Nothing,
            ..Step::same(op(json!({"op": "waitDispatch"})))
        });
        true
    }

    /// One change, of whatever kind.
    pub(super) fn flags_or_role(&mut self) {
        match self.dice.below(8) {
            0 | 1 => self.writeable(),
            2 => self.disk_full(),
            3 => {
                self.readable = self.dice.chance(50);
                self.push(Step::same(op(json!({"op": "flags", "readable": self.readable}))));
            }
            4 => self.full_by_hand(),
            5 if self.kind == Kind::Flags && self.dice.chance(20) => {
                let which = self.dice.pick(&["logicsError", "indexError"]);
                if self.quiet() {
                    self.broken = true;
                    self.push(Step::same(op(json!({"op": "flags", which: true}))));
                }
            }
            6 => self.set(),
            _ => self.role(),
        }
    }

    fn writeable(&mut self) {
        if self.by_hand || self.broken {
            self.by_hand = false;
            self.push(Step::same(op(json!({"op": "flags", "writeable": true}))));
        } else if self.quiet() {
            self.by_hand = true;
            self.push(Step::same(op(json!({"op": "flags", "writeable": false}))));
        }
    }

    /// A full disk for a while. Java gets no puts meanwhile: its own check may find room.
    fn disk_full(&mut self) {
        if !self.is_open() {
            return;
        }
        self.push(Step::same(op(json!({"op": "flags", "diskFull": true}))));
        for _ in 0..self.dice.between(1, 4) {
            let op = messages::put(&mut self.dice, self.kind, &self.limits, false);
            self.push(Step::refused(op, "SERVICE_NOT_AVAILABLE", &FLAG_STAYS));
        }
        self.push(Step::same(op(json!({"op": "flags", "diskFull": false}))));
    }

    /// Full first, then not writeable by hand, then no longer full: here the hand counts. Java
    /// gets both at once, in the order in which it notices both.
    fn full_by_hand(&mut self) {
        if !self.is_open() || !self.quiet() {
            return;
        }
        self.push(Step {
            ours: op(json!({"op": "flags", "diskFull": true})),
            java: op(json!({"op": "flags", "writeable": false, "diskFull": true})),
            expect: Expect::Exactly(object(json!({
                "flagBits": 16 + i32::from(!self.readable),
                "readable": self.readable,
                "writeable": false,
                "cqWriteable": true,
            }))),
            rule: Some(&FLAG_BY_HAND),
        });
        self.push(Step {
            ours: op(json!({"op": "flags", "writeable": false})),
            // again: its own check may have found room
            java: op(json!({"op": "flags", "diskFull": true})),
            expect: Expect::Java,
            rule: Some(&FLAG_BY_HAND),
        });
        self.put_refused();
        self.push(Step::same(op(json!({"op": "flags", "diskFull": false}))));
        self.put_refused();
        self.push(Step::same(op(json!({"op": "flags", "writeable": true}))));
    }

    fn put_refused(&mut self) {
        self.push(Step::same(op(json!({"op": "put", "topic": "T", "queueId": 0, "body": "x"}))));
    }

    fn set(&mut self) {
        let config = match self.dice.below(4) {
            0 => json!({"offsetCheckInSlave": self.dice.chance(50)}),
            1 => json!({"flushCommitLogTimed": self.dice.chance(50)}),
            2 => json!({"syncFlushTimeout": 4000, "slaveTimeout": 2000}),
            _ => json!({"osPageCacheBusyTimeOutMills": 5000}),
        };
        self.push(Step::same(op(json!({"op": "set", "config": config}))));
    }

    fn role(&mut self) {
        // with the pool, Java would stop using it on a slave while it runs
        let roles = ["ASYNC_MASTER", "SYNC_MASTER", "SLAVE"];
        let role = self.dice.pick(&roles[..if self.kind == Kind::Pool { 2 } else { 3 }]);
        self.slave = role == "SLAVE";
        self.push(Step::same(op(json!({"op": "role", "role": role}))));
    }
}
