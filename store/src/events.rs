//! The store's events as lines of the `log` ecosystem, target `mqstore`.

use core::fmt;

use mqstore_core::cause::Refusal;
use mqstore_core::observe::Observer;

/// Turns events into log lines.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LogLines;

impl Observer for LogLines {
    fn refused(&self, refusal: &Refusal, before: u64) {
        match before {
            0 => log::warn!(target: "mqstore", "put refused: {refusal}"),
            n => log::warn!(target: "mqstore", "put refused: {refusal} ({n} refused before)"),
        }
    }

    fn rolled(&self, base: u64) {
        log::debug!(target: "mqstore", "the commit log goes on in file {base:020}");
    }

    fn create_failed(&self, base: u64, error: &dyn fmt::Display) {
        log::error!(target: "mqstore", "commit log file {base:020} cannot be made: {error}");
    }

    fn write_failed(&self, offset: u64, error: &dyn fmt::Display) {
        log::error!(target: "mqstore", "the commit log cannot be written at {offset}: {error}");
    }

    fn flush_failed(&self, offset: u64, error: &dyn fmt::Display) {
        log::error!(
            target: "mqstore",
            "the commit log cannot be flushed beyond {offset}: {error}; it takes no more writes \
             until the store is opened again"
        );
    }

    fn slow_append(&self, millis: i64) {
        log::warn!(target: "mqstore", "an append took {millis} ms");
    }
}
