//! A medium that fails, or takes its time, by a plan.

use core::sync::atomic::{AtomicU32, Ordering};

use mqstore_core::segment::ErrorKind;
use spin::Mutex;

use super::hook::{Call, Go, Hook, Op, Place};
use super::hooked::Hooked;

/// A medium that fails by a plan: `Faulty::new(medium, plan)`, the plan by reference or as an
/// `Arc`.
pub type Faulty<M, P> = Hooked<M, P>;

/// How many faults a plan holds at once.
const FAULTS: usize = 16;

/// Something that is going to go wrong.
#[derive(Clone, Copy, Debug)]
pub struct Fault {
    op: Op,
    kind: ErrorKind,
    only: Option<Place>,
    /// Calls that still go well.
    skip: u32,
    /// Calls that fail then.
    times: u32,
    after: bool,
}

impl Fault {
    /// The next such call fails with this.
    #[must_use]
    pub const fn new(op: Op, kind: ErrorKind) -> Self {
        Self { op, kind, only: None, skip: 0, times: 1, after: false }
    }

    /// Only calls about these files count.
    #[must_use]
    pub const fn only(mut self, place: Place) -> Self {
        self.only = Some(place);
        self
    }

    /// The `n`-th such call fails, counted from 1.
    #[must_use]
    pub const fn nth(mut self, n: u32) -> Self {
        self.skip = n.saturating_sub(1);
        self
    }

    /// All calls from then on fail.
    #[must_use]
    pub const fn for_ever(mut self) -> Self {
        self.times = u32::MAX;
        self
    }

    /// It fails after the medium has done what was asked. Commits and flushes do not hear of
    /// this: their marks have moved by then.
    #[must_use]
    pub const fn after(mut self) -> Self {
        self.after = true;
        self
    }

    /// Counts a call, and says whether it fails.
    fn hits(&mut self, call: &Call, after: bool) -> bool {
        let counts = self.op == call.op && self.after == after;
        if !counts || self.times == 0 || self.only.is_some_and(|place| place != call.place) {
            return false;
        }
        if self.skip > 0 {
            self.skip -= 1;
            return false;
        }
        if self.times != u32::MAX {
            self.times -= 1;
        }
        true
    }
}

/// What goes wrong with a [`Faulty`] medium, and when. It can be changed at any time.
#[derive(Debug, Default)]
pub struct FaultPlan {
    faults: Mutex<heapless::Vec<Fault, FAULTS>>,
    /// Bits of `Op`: polls that are not done yet.
    pending: AtomicU32,
    #[cfg(feature = "std")]
    waits: waits::Waits,
}

const fn bit(op: Op) -> u32 {
    1 << op as u32
}

impl FaultPlan {
    /// Everything goes well.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a fault; false if the plan is full.
    pub fn add(&self, fault: Fault) -> bool {
        let mut faults = self.faults.lock();
        faults.retain(|f| f.times > 0);
        faults.push(fault).is_ok()
    }

    /// The next such call fails with this.
    pub fn fail_next(&self, op: Op, kind: ErrorKind) -> bool {
        self.add(Fault::new(op, kind))
    }

    /// All such calls fail with this.
    pub fn fail_always(&self, op: Op, kind: ErrorKind) -> bool {
        self.add(Fault::new(op, kind).for_ever())
    }

    /// Commits or flushes answer that they are not done yet, until [`FaultPlan::go_on`].
    pub fn pend(&self, op: Op) {
        self.pending.fetch_or(bit(op), Ordering::AcqRel);
    }

    /// Nothing of this kind is held up any more.
    pub fn go_on(&self, op: Op) {
        self.pending.fetch_and(!bit(op), Ordering::AcqRel);
        #[cfg(feature = "std")]
        self.waits.release(op);
    }

    /// Everything goes well from here on.
    pub fn heal(&self) {
        self.faults.lock().clear();
        self.pending.store(0, Ordering::Release);
        #[cfg(feature = "std")]
        self.waits.release_all();
    }

    fn fails(&self, call: &Call, after: bool) -> Result<(), ErrorKind> {
        // each counts the call, also those behind the one that fails it
        let mut faults = self.faults.lock();
        let mut failed = None;
        for fault in faults.iter_mut() {
            if fault.hits(call, after) {
                failed = failed.or(Some(fault.kind));
            }
        }
        failed.map_or(Ok(()), Err)
    }
}

#[cfg(feature = "std")]
impl FaultPlan {
    /// Calls of this kind take so much longer.
    pub fn slow(&self, op: Op, by: core::time::Duration) {
        self.waits.slow(op, by);
    }

    /// Calls of this kind do not return until [`FaultPlan::go_on`].
    pub fn block(&self, op: Op) {
        self.waits.block(op);
    }

    /// How many calls are held up by [`FaultPlan::block`] right now.
    #[must_use]
    pub fn blocked(&self) -> usize {
        self.waits.blocked()
    }
}

impl Hook for FaultPlan {
    fn before(&self, call: &Call) -> Result<Go, ErrorKind> {
        #[cfg(feature = "std")]
        self.waits.wait(call.op);
        if self.pending.load(Ordering::Acquire) & bit(call.op) != 0 {
            return Ok(Go::Pending);
        }
        self.fails(call, false).map(|()| Go::On)
    }

    fn after(&self, call: &Call) -> Result<(), ErrorKind> {
        self.fails(call, true)
    }

    fn lends(&self) -> bool {
        !self.faults.lock().iter().any(|f| f.op == Op::Read && f.times > 0)
    }
}

#[cfg(feature = "std")]
mod waits {
    //! Calls that take their time.

    use core::time::Duration;
    use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
    use std::thread;
    use std::vec::Vec;

    use super::Op;

    #[derive(Debug, Default)]
    struct State {
        slow: Vec<(Op, Duration)>,
        blocks: Vec<Op>,
        blocked: usize,
    }

    #[derive(Debug, Default)]
    pub(super) struct Waits {
        state: Mutex<State>,
        released: Condvar,
    }

    impl Waits {
        fn state(&self) -> MutexGuard<'_, State> {
            self.state.lock().unwrap_or_else(PoisonError::into_inner)
        }

        pub(super) fn slow(&self, op: Op, by: Duration) {
            let mut state = self.state();
            state.slow.retain(|(o, _)| *o != op);
            state.slow.push((op, by));
        }

        pub(super) fn block(&self, op: Op) {
            self.state().blocks.push(op);
        }

        pub(super) fn blocked(&self) -> usize {
            self.state().blocked
        }

        pub(super) fn release(&self, op: Op) {
            let mut state = self.state();
            state.blocks.retain(|o| *o != op);
            state.slow.retain(|(o, _)| *o != op);
            self.released.notify_all();
        }

        pub(super) fn release_all(&self) {
            let mut state = self.state();
            state.blocks.clear();
            state.slow.clear();
            self.released.notify_all();
        }

        pub(super) fn wait(&self, op: Op) {
            let mut state = self.state();
            state.blocked += 1;
            while state.blocks.contains(&op) {
                state = self.released.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            state.blocked -= 1;
            let by = state.slow.iter().find(|(o, _)| *o == op).map(|(_, by)| *by);
            drop(state);
            if let Some(by) = by {
                thread::sleep(by);
            }
        }
    }
}
