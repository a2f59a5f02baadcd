//! Background work as steps: each duty says what is due at a given time, and never waits.
//!
//! A host runs each on a thread, a machine without an operating system in its main loop, a
//! simulator in the order of its seed.

mod group;
mod interval;
mod warm;

pub use group::{GroupCommit, GroupFull, Outcome, WaitList, Waiter};
pub use interval::{CommitEvery, FlushEvery, Intervals};
pub use warm::{WarmAhead, WarmStep};
