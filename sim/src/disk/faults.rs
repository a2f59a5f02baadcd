//! What goes wrong on a disk while it runs: by a plan, or by chance.

use mqstore_core::segment::ErrorKind;

use crate::rng::Rng;

/// What a program can ask of a disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// Makes a file without a name.
    Create,
    /// Names it.
    Link,
    /// Takes a name away.
    Remove,
    /// Moves a name.
    Rename,
    /// Makes a file longer.
    Grow,
    /// Writes bytes.
    Write,
    /// Stores bytes through a mapping, which cannot fail.
    Store,
    /// Makes a range zeros.
    Zero,
    /// Makes bytes durable.
    Sync,
    /// Makes names durable.
    SyncDir,
    /// Reads bytes.
    Read,
    /// Looks names up.
    List,
}

impl Op {
    /// Whether a power cut can come in the middle of it and be noticed.
    pub(crate) const fn changes(self) -> bool {
        !matches!(self, Self::Read | Self::List)
    }

    /// How long it takes at least and at most, nanoseconds: a consumer's SSD.
    pub(crate) const fn cost(self) -> (u64, u64) {
        match self {
            Self::Store => (50, 500),
            Self::List => (500, 2_000),
            Self::Read | Self::Write | Self::Zero => (2_000, 100_000),
            Self::Create | Self::Link | Self::Remove | Self::Rename | Self::Grow => (5_000, 50_000),
            Self::Sync | Self::SyncDir => (100_000, 10_000_000),
        }
    }
}

/// How an operation goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It fails with this kind, and has done nothing; a failed sync makes the system forget
    /// what it had to write.
    Fail(ErrorKind),
    /// A write takes a part of the bytes, perhaps none.
    Short,
    /// A bit of what is read or written is flipped.
    Flip,
}

/// One thing that is to go wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    op: Op,
    effect: Effect,
    skip: u32,
    below: String,
}

impl Fault {
    /// The next operation of this kind.
    #[must_use]
    pub const fn new(op: Op, effect: Effect) -> Self {
        Self { op, effect, skip: 0, below: String::new() }
    }

    /// Not the next one: so many go well before.
    #[must_use]
    pub const fn after(mut self, skip: u32) -> Self {
        self.skip = skip;
        self
    }

    /// Only in files whose name begins like this.
    #[must_use]
    pub fn below(mut self, name: impl Into<String>) -> Self {
        self.below = name.into();
        self
    }
}

/// How often what goes wrong by chance: once in so many operations; 0: never.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rates {
    /// [`ErrorKind::Device`] for a write, a zeroing, or what changes a name.
    pub write_error: u64,
    /// [`ErrorKind::Device`] for a sync.
    pub sync_error: u64,
    /// A short write.
    pub short_write: u64,
    /// [`ErrorKind::NoSpace`] for a new file.
    pub no_space: u64,
    /// [`ErrorKind::Device`] for a read.
    pub read_error: u64,
    /// A flipped bit in what is read.
    pub read_flip: u64,
}

/// What is still to go wrong.
#[derive(Default)]
pub(crate) struct Faults {
    plan: Vec<Fault>,
    pub(crate) rates: Rates,
}

impl Faults {
    pub(crate) fn add(&mut self, fault: Fault) {
        self.plan.push(fault);
    }

    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    /// What happens to this operation.
    pub(crate) fn next(&mut self, op: Op, name: &str, rng: &mut Rng) -> Option<Effect> {
        let hit = |f: &Fault| f.op == op && name.starts_with(&f.below);
        let mut due = None;
        for (n, fault) in self.plan.iter_mut().enumerate().filter(|(_, f)| hit(f)) {
            if fault.skip == 0 {
                due = due.or(Some(n));
            } else {
                fault.skip -= 1;
            }
        }
        if let Some(n) = due {
            return Some(self.plan.remove(n).effect);
        }
        self.by_chance(op, rng)
    }

    fn by_chance(&self, op: Op, rng: &mut Rng) -> Option<Effect> {
        let Rates { write_error, sync_error, short_write, no_space, read_error, read_flip } =
            self.rates;
        let device = Effect::Fail(ErrorKind::Device);
        let chances: &[(u64, Effect)] = match op {
            Op::Write => &[(write_error, device), (short_write, Effect::Short)],
            Op::Zero | Op::Link | Op::Remove | Op::Rename => &[(write_error, device)],
            Op::Create | Op::Grow => &[(no_space, Effect::Fail(ErrorKind::NoSpace))],
            Op::Sync | Op::SyncDir => &[(sync_error, device)],
            Op::Read => &[(read_error, device), (read_flip, Effect::Flip)],
            Op::Store | Op::List => &[],
        };
        chances.iter().find(|(once_in, _)| rng.one_in(*once_in)).map(|(_, effect)| *effect)
    }
}
