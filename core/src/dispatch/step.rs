//! By which rules a step of dispatch goes, and how it ends.

use super::checked::Why;
use crate::delay::DelayLevels;
use crate::prepare::MultiDispatchRules;
use crate::segment::ErrorKind;

/// How records are dispatched.
#[derive(Clone, Debug)]
pub struct Rules {
    /// When delayed messages are due.
    pub levels: DelayLevels,
    /// How lists of light queues are treated.
    pub multi: MultiDispatchRules,
    /// At most so many records a step; at least 1.
    pub records_a_step: u32,
}

impl Default for Rules {
    fn default() -> Self {
        let (levels, multi) = (DelayLevels::default(), MultiDispatchRules::default());
        Self { levels, multi, records_a_step: 10_000 }
    }
}

/// How a step ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step<E> {
    /// Everything below the limit is dispatched.
    Done,
    /// There is more to do: call again.
    More,
    /// The record at this offset is not whole below the limit, or not visible: it may become so.
    /// At the end of a log that nobody writes to, it is torn, or its size is damaged.
    NotVisible {
        /// Its offset in the log.
        offset: u64,
    },
    /// A dispatcher refused this record: call again, see [`super::Retry`].
    Refused {
        /// Its offset in the log.
        offset: u64,
        /// What the dispatcher said.
        error: E,
    },
    /// No record that counts lies here, and where the log goes on is not certain: what follows
    /// is not dispatched. Goes away with [`super::Reput::skip_to`] or [`super::Reput::look_again`].
    Damaged {
        /// Its offset in the log.
        offset: u64,
        /// What is wrong.
        why: Why,
    },
    /// The medium does not lend its bytes, and the buffer is too short for the next record.
    Scratch {
        /// How many bytes it must have.
        needed: usize,
    },
    /// The medium answered with this; a place that cannot be read is not taken for damage.
    Medium {
        /// Offset of the segment.
        base: u64,
        /// The kind of failure.
        kind: ErrorKind,
    },
}
