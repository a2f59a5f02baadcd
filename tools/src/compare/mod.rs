//! Comparing what our store and the Java store have answered and written.

pub mod answers;
pub mod log;
