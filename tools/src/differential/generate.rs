//! Makes a random trace from a seed.

use serde_json::json;

use super::dice::Dice;
use super::rules::{FLAG_BY_HAND, FLAG_STAYS};
use super::step::{Expect, Step, object, op};
use super::verdict::{self, Limits};
use super::{messages, raw, words};
use crate::replay::trace::Op;

/// What a trace is mostly about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Single messages with every field.
    Puts,
    /// Batches, structured and raw and damaged.
    Batches,
    /// Multi-dispatch and light queues.
    Light,
    /// Lengths around every limit.
    Limits,
    /// The write buffer pool.
    Pool,
    /// Synchronous flush.
    Sync,
    /// Flags, roles and settings.
    Flags,
    /// Raw bytes on a slave, which becomes a master.
    Slave,
}

/// All kinds, in turn.
pub const KINDS: [Kind; 8] = [
    Kind::Puts,
    Kind::Batches,
    Kind::Light,
    Kind::Limits,
    Kind::Pool,
    Kind::Sync,
    Kind::Flags,
    Kind::Slave,
];

/// The trace of a kind that this seed makes.
#[must_use]
pub fn generate(kind: Kind, seed: u64) -> Vec<Step> {
    let mut world = World::new(kind, seed);
    if kind == Kind::Slave {
        raw::fill(&mut world, seed);
    } else {
        for _ in 0..world.dice.between(30, 90) {
            world.step();
        }
    }
    world.finish()
}

/// The trace under way, and what is known of the store.
pub(super) struct World {
    pub(super) dice: Dice,
    kind: Kind,
    pub(super) limits: Limits,
    pub(super) steps: Vec<Step>,
    /// Not writeable by hand, for good, or a slave: puts are refused by the gates.
    by_hand: bool,
    broken: bool,
    slave: bool,
    readable: bool,
}

impl World {
    fn new(kind: Kind, seed: u64) -> Self {
        let mut dice = Dice::new(seed);
        let file_size = match kind {
            Kind::Limits => dice.pick(&[131_072, 65_536]),
            Kind::Sync => dice.pick(&[8192, 16_384]),
            _ => dice.pick(&[4096, 4096, 8192, 12_345, 16_384]),
        };
        let max_message_size = match kind {
            Kind::Limits => dice.pick(&[40_000, 60_000, 131_072]),
            _ => dice.pick(&[1000, 4000, file_size, 4 << 20]),
        };
        // Java's dispatch would stop at a message without properties, and here it is waited for
        let some = !matches!(kind, Kind::Slave | Kind::Pool) && dice.chance(10);
        let multi_dispatch = kind == Kind::Light || some;
        let limits = Limits { file_size, max_message_size, multi_dispatch };
        let mut world = Self {
            dice,
            kind,
            limits,
            steps: Vec::new(),
            by_hand: false,
            broken: false,
            slave: kind == Kind::Slave,
            readable: true,
        };
        world.open();
        world
    }

    fn open(&mut self) {
        let limits = self.limits;
        let mut config = object(json!({
            "mappedFileSizeCommitLog": limits.file_size,
            "mappedFileSizeConsumeQueue": 2000,
            "maxHashSlotNum": 64,
            "maxIndexNum": 4000,
            "flushIntervalCommitLog": 50,
            "maxMessageSize": limits.max_message_size,
        }));
        if limits.multi_dispatch {
            config.insert("enableMultiDispatch".into(), true.into());
            config.insert("enableLmq".into(), (!self.dice.chance(25)).into());
        }
        match self.kind {
            Kind::Pool => {
                config.insert("transientStorePoolEnable".into(), true.into());
                config.insert("transientStorePoolSize".into(), self.dice.between(2, 5).into());
                config.insert("commitIntervalCommitLog".into(), 20.into());
            }
            Kind::Sync => drop(config.insert("flushDiskType".into(), "SYNC_FLUSH".into())),
            Kind::Slave => {
                config.insert("brokerRole".into(), "SLAVE".into());
                // or else Java's dispatch passes over a record of which only a part is there yet
                config.insert("broker.brokerId".into(), 1.into());
            }
            _ => {}
        }
        if self.dice.chance(20) {
            config.insert("useReentrantLockWhenPutMessage".into(), false.into());
        }
        if self.dice.chance(20) {
            config.insert("messageDelayLevel".into(), "1s 3m 1h 1d".into());
        }
        let base = 1_700_000_000_000_u64 + self.dice.number() % 1_000_000_000;
        let step = self.dice.pick(&[0, 1, 7, 1000]);
        let clock = json!({"base": base, "step": step});
        self.push(Step::same(op(json!({"op": "open", "config": config, "clock": clock}))));
    }

    pub(super) fn push(&mut self, step: Step) {
        self.steps.push(step);
    }

    /// Whether the gates let puts through.
    fn is_open(&self) -> bool {
        !(self.by_hand || self.broken || self.slave)
    }

    /// The store is a master from here on.
    pub(super) fn becomes_master(&mut self) {
        self.slave = false;
    }

    fn step(&mut self) {
        let about_flags = if self.kind == Kind::Flags { 30 } else { 4 };
        let batches = match self.kind {
            Kind::Batches => 70,
            Kind::Flags | Kind::Pool | Kind::Sync | Kind::Limits => 25,
            _ => 8,
        };
        match self.dice.below(100) {
            0..2 => self.flush(),
            2..4 => self.clock(),
            n if n < 4 + about_flags => self.flags_or_role(),
            n if n < 4 + about_flags + batches => self.put_batch(),
            _ => self.put(),
        }
    }

    pub(super) fn put(&mut self) {
        let open = self.is_open();
        let op = messages::put(&mut self.dice, self.kind, &self.limits, open);
        self.push_put(op);
    }

    fn put_batch(&mut self) {
        let open = self.is_open();
        let op = messages::batch(&mut self.dice, self.kind, &self.limits, open);
        self.push_put(op);
    }

    fn push_put(&mut self, op: Op) {
        let step = if !self.is_open() {
            Step::same(op)
        } else if let Some(rule) = verdict::refused_by(&op, &self.limits) {
            Step::refused(op, "MESSAGE_ILLEGAL", rule)
        } else if let Some((java, rule)) = verdict::with_true_flags(&op) {
            Step { ours: op, java, expect: Expect::Java, rule: Some(rule) }
        } else {
            Step::same(op)
        };
        self.push(step);
    }

    fn flush(&mut self) {
        if self.kind == Kind::Pool {
            // two threads that commit at the same time make Java write into the wrong places
            self.quiet();
        }
        self.push(Step::same(op(json!({"op": "flush", "checkpoint": false}))));
    }

    fn clock(&mut self) {
        let by = self.dice.pick(&[-100_000, -1, 1, 50, 5000, 100_000_000]);
        let step = self.dice.pick(&[0, 1, 13]);
        self.push(Step::same(op(json!({"op": "clock", "advance": by, "step": step}))));
    }

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

    fn flags_or_role(&mut self) {
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

    /// Everything is durable at the end, so that the logs can be compared.
    fn finish(mut self) -> Vec<Step> {
        self.flush();
        self.steps
    }

    /// A topic for a message behind raw bytes.
    pub(super) fn healthy_put(&mut self) {
        let topic = words::healthy_topic(&mut self.dice);
        let body = words::body(&mut self.dice, 50);
        let put = json!({"op": "put", "topic": topic, "queueId": self.dice.below(3), "body": body});
        self.push_put(op(put));
    }
}
