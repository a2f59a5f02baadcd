//! One round of commits or flushes: what is written when it begins, and no more.

use std::time::Instant;

use mqstore_core::clock::Clock;
use mqstore_core::log::{FlushError, Step};
use mqstore_core::observe::Observer;
use mqstore_core::segment::MediumError;

use super::{Engine, HostMedium};
use crate::drive;
use crate::error::FlushFailure;
use crate::events::LogLines;

impl<M: HostMedium> Engine<M> {
    /// Flushes what is due of what is written by now; with `least_pages` 0 all of that. Tells
    /// the desk, and answers how far the log is durable. A failure stops the log.
    ///
    /// What is written meanwhile is left to the next round: under load there is always more,
    /// and nobody would ever be told. A deadline only counts where the medium is not done at
    /// once.
    pub(super) fn flush_round(
        &self,
        least_pages: u32,
        deadline: Option<Instant>,
    ) -> Result<u64, FlushFailure> {
        let _using = self.using_segments();
        let end = self.log.written_offset();
        loop {
            if least_pages == 0 {
                // without staging it only follows the written position
                self.commit_due(0, deadline)?;
            }
            let step = drive::until(deadline, |cx| self.log.poll_flush(cx, least_pages));
            let moved = match step {
                Some(Ok(step)) => step == Step::Moved,
                Some(Err(e)) => return Err(self.log_stopped(&e)),
                None => false,
            };
            let flushed = self.log.flushed_where();
            self.flush.settle(flushed);
            if !moved || flushed >= end {
                break;
            }
        }
        let timestamp = self.log.store_timestamp();
        if timestamp > 0 {
            self.checkpoint.set_physic(timestamp);
        }
        Ok(self.log.flushed_where())
    }

    /// Flushes what is written by now, for everybody who waits for that.
    pub(super) fn flush_for_all(&self, deadline: Option<Instant>) {
        // a failure has told the desk already
        let _ = self.flush_round(0, deadline);
    }

    /// Commits what is due of what is written by now; answers whether anything moved.
    pub(super) fn commit_round(
        &self,
        least_pages: u32,
        deadline: Option<Instant>,
    ) -> Result<bool, FlushFailure> {
        let _using = self.using_segments();
        self.commit_due(least_pages, deadline)
    }

    fn commit_due(
        &self,
        least_pages: u32,
        deadline: Option<Instant>,
    ) -> Result<bool, FlushFailure> {
        drive::commit(&self.log, least_pages, deadline).map_err(|e| self.log_stopped(&e))
    }

    /// A commit or flush has failed: no more writes, and everybody who waits is told.
    fn log_stopped<E: MediumError>(&self, e: &FlushError<E>) -> FlushFailure {
        let flushed_where = self.log.flushed_where();
        LogLines.flush_failed(flushed_where, &e.error);
        self.gates.flags.stop_log(e.kind(), self.clock.now());
        self.flush.fail(flushed_where, e.kind());
        FlushFailure { flushed_where, kind: e.kind(), error: e.error.to_string() }
    }
}
