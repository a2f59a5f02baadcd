//! Makes a random trace from a seed.

use serde_json::json;

use super::dice::Dice;
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
    pub(super) kind: Kind,
    pub(super) limits: Limits,
    pub(super) steps: Vec<Step>,
    /// Not writeable by hand: the gates refuse puts.
    pub(super) by_hand: bool,
    /// Not writeable for good.
    pub(super) broken: bool,
    pub(super) slave: bool,
    pub(super) readable: bool,
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
            Kind::Sync => {
                config.insert("flushDiskType".into(), "SYNC_FLUSH".into());
                // Java does without the pool then, without a word
                config.insert("transientStorePoolEnable".into(), self.dice.chance(25).into());
            }
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
    pub(super) fn is_open(&self) -> bool {
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
        let waits = verdict::waits(&step.ours);
        self.push(step);
        if self.kind == Kind::Sync && !waits {
            // when nobody waited for the last files, Java may answer FLUSH_DISK_TIMEOUT to the
            // next who does, though nothing takes long (spec 04 section 6.2)
            self.flush();
        }
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
