//! Keeping pages present ahead of the writer, so that no put pays for the first touch of one
//! (`warmMapedFileEnable`, and better: only a lead, and always).

use crate::segment::Segment;

/// How far ahead of the writer pages are made present, in steps.
#[derive(Clone, Copy, Debug)]
pub struct WarmAhead {
    /// How many bytes ahead of the published mark.
    pub lead: u32,
    /// How many bytes at once.
    pub step: u32,
}

/// What a step of warming found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WarmStep {
    /// Bytes up to here are present; there may be more to do.
    UpTo(u32),
    /// The lead is held.
    Ahead,
    /// The medium does not do it; do not ask again for this segment.
    Unable,
}

impl WarmAhead {
    /// Makes the next step of pages present in `segment`, of which bytes below `done` are.
    ///
    /// Pages that the writer has passed meanwhile are skipped: it has touched them itself.
    pub fn step<S: Segment>(&self, segment: &S, done: u32) -> WarmStep {
        let capacity = segment.geometry().capacity;
        let published = segment.marks().published();
        let from = done.max(published);
        let wanted = published.saturating_add(self.lead).min(capacity);
        if from >= wanted {
            return WarmStep::Ahead;
        }
        let upto = from.saturating_add(self.step.max(1)).min(capacity);
        match segment.prepare(upto) {
            Ok(reached) if reached > done => WarmStep::UpTo(reached),
            _ => WarmStep::Unable,
        }
    }
}
