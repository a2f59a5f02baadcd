//! Consume queues: where in the log the messages of one topic and queue lie (spec 02 sections 7
//! and 8, spec 04 section 10).

mod cell;

pub use cell::Cell;
