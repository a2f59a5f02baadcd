//! Random traces, run through the Java store and through ours.
//!
//! A trace is made from a seed ([`generate`]). Where this store does better than Java on purpose,
//! the answers differ from there on, and so would every offset behind. Therefore Java gets a twin
//! of the trace: each operation under a rule of [`rules::RULES`] is replaced by what Java should
//! have made of it, which is usually nothing (an operation that only moves the clock). Behind the
//! rule both stores are in the same state again, and every answer and every byte is compared.

mod dice;
mod flags;
mod generate;
mod java;
mod messages;
mod raw;
pub mod rules;
mod run;
mod step;
mod verdict;
mod words;

pub use generate::{KINDS, Kind, generate};
pub use java::{Call, Java};
pub use rules::{RULES, Rule};
pub use run::{Report, Round, run};
pub use step::{Expect, Step};
