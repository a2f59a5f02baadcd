//! Middleware: a medium over any other medium, which passes the same contract.
//!
//! [`Faulty`] fails and waits by a plan, [`Traced`] counts, and [`Ahead`] makes the next log
//! file on a thread of its own before it is needed.

#[cfg(feature = "std")]
mod ahead;
#[cfg(feature = "std")]
mod desk;
mod faulty;
mod hook;
mod hooked;
mod hooked_segment;
mod traced;

#[cfg(feature = "std")]
pub use ahead::{Ahead, AheadLock, AheadRules, AheadSegments};
pub use faulty::{Fault, FaultPlan, Faulty};
pub use hook::{Call, Go, Hook, Op, Place};
pub use hooked::{Hooked, HookedSegments};
pub use hooked_segment::{HookedCells, HookedFound, HookedSegment, HookedTail};
pub use traced::{Count, Trace, Traced};
