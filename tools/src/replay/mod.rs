//! Runs a trace of the Java oracle's format through a store, and prints the oracle's lines.
//!
//! A trace is a file of JSON lines, one operation each; the answer to every operation is one
//! line with the same fields, in the same order, as the Java store's, so that `diff` shows where
//! the two stores disagree.

mod answer;
mod batch;
pub mod cli;
mod control;
pub mod data;
mod host;
mod measure;
mod message;
mod open;
mod properties;
mod session;
pub mod trace;

use std::path::PathBuf;

use mqstore::config::{Answers, MqstoreSettings};
use mqstore::{OpenError, Store};

use crate::json::Object;
use trace::Trace;

pub use open::Memory;

pub(crate) use measure::{batch_bytes, body_len, properties_map, properties_text};

/// How a trace is run.
#[derive(Clone, Debug)]
pub struct ReplayOptions {
    /// The store's folder.
    pub root: PathBuf,
    /// Settings that win over those of the trace.
    pub config: Vec<(String, String)>,
    /// Where the bytes live, whose answers are given, and what else RocketMQ does not have.
    pub settings: MqstoreSettings,
}

impl ReplayOptions {
    /// A trace on mapped files in `root`, with Java's answers.
    #[must_use]
    pub fn new(root: impl Into<PathBuf>) -> Self {
        let settings =
            MqstoreSettings { answers: Answers::Rocketmq493, ..MqstoreSettings::default() };
        Self { root: root.into(), config: Vec::new(), settings }
    }
}

/// What is left when a trace has been run.
pub struct Replayed {
    /// The store, unless the trace has closed it.
    pub store: Option<Store>,
    /// The memory it lies in, if it does; it can be read when the store is gone.
    pub memory: Option<Memory>,
    /// How many operations were answered with `not yet`.
    pub not_yet: usize,
}

/// Why a trace could not be run to its end.
#[derive(Debug)]
pub enum ReplayError {
    /// An operation, an option or a setting that does not exist.
    Usage(String),
    /// The store did not open.
    Open(OpenError),
    /// A line could not be written.
    Output(std::io::Error),
}

impl core::fmt::Display for ReplayError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Usage(why) => f.write_str(why),
            Self::Open(error) => write!(f, "the store does not open: {error}"),
            Self::Output(error) => write!(f, "a line could not be written: {error}"),
        }
    }
}

impl core::error::Error for ReplayError {}

/// Runs a trace; `each` gets the answer to each operation as soon as there is one.
///
/// The store is still open when this returns, unless the trace has closed it.
///
/// # Errors
/// [`ReplayError`]; what was answered before has been given to `each`.
pub fn replay(
    trace: &Trace,
    options: &ReplayOptions,
    mut each: impl FnMut(&Object) -> std::io::Result<()>,
) -> Result<Replayed, ReplayError> {
    let mut session = session::Session::new(options);
    if trace.ops.first().is_none_or(|op| op.name() != "open") {
        session.open_with_defaults()?;
    }
    for (i, op) in trace.ops.iter().enumerate() {
        let line = session.run(i, op)?;
        each(&line).map_err(ReplayError::Output)?;
    }
    Ok(session.finish())
}
