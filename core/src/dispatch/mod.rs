//! What becomes of a record behind the log: its queue entries, its index keys, and whoever waits
//! for it (`ReputMessageService`, spec 04 section 9).
//!
//! [`Reput`] walks through the log in steps and makes a [`DispatchRequest`] of each record;
//! queues and index are a [`Dispatch`] of the driver. Nothing here waits, retries or sleeps by
//! itself: a step says why it stopped, and [`Retry`] says when to go on.

mod arrival;
mod checked;
mod fetch;
mod reput;
mod request;
mod resync;
mod retry;
mod sink;
mod step;

pub use arrival::Arrival;
pub use checked::{Checked, Why};
pub use reput::Reput;
pub use request::{DispatchRequest, Target};
pub use resync::Gap;
pub use retry::{Failed, Retry};
pub use sink::{Dispatch, Entry};
pub use step::{Rules, Step};

#[cfg(all(test, not(loom)))]
#[expect(clippy::unwrap_used, reason = "tests and what they are made of")]
mod tests;
