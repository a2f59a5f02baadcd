//! Consume queues: where in the log the messages of one topic and queue lie (spec 02 sections 7
//! and 8, spec 04 section 10).
//!
//! A queue is a series of equal segments, each a multiple of 20 bytes long. The dispatch owns
//! its exclusive half, [`QueueWriter`]; readers and the flusher share [`ConsumeQueue`].

mod answer;
mod cell;
pub mod ext;
mod min;
mod put;
mod read;
mod recover;
mod shared;
mod time;

pub use answer::{NotPut, Put};
pub use cell::Cell;
pub use min::Live;
pub use put::QueueWriter;
pub use read::{Cells, Run, newest};
pub use recover::{FileEnd, QueueRecovery, Verdict, cut_file, files_to_skip, find_end};
pub use shared::ConsumeQueue;
pub use time::{file_by_time, first_at_or_after, last_at_or_before, nearest};

#[cfg(all(test, not(loom)))]
#[expect(clippy::unwrap_used, reason = "tests and what they are made of")]
mod tests;
