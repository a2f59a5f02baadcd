//! Cases of other stores' users (`docs/cases.md`) over the real store: production code above a
//! medium that fails, waits or is slow as a case says.

#![expect(clippy::unwrap_used, reason = "the helpers of these tests fail as the tests do")]

#[path = "../support/mod.rs"]
mod support;
mod world;

mod batches;
mod busy;
mod docs;
mod durability;
mod files;
mod full;
mod limits;
mod rounds;
mod short_writes;
mod slow;
mod stopped;
