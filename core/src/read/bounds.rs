//! What the bounds of a queue answer before any entry is looked at (spec 06 section 1.2).

use crate::queue::Cell;
use crate::status::GetMessageStatus;

/// The queue offsets that a queue has: from `min` to before `max`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bounds {
    /// The first entry whose record is still there, as far as is known.
    pub min: i64,
    /// The offset of the next entry.
    pub max: i64,
}

/// How a next offset is named.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BoundsRules {
    /// The asked offset is named instead of a better one: on a slave without
    /// `offsetCheckInSlave`, so that a consumer is not moved by a slave that is behind.
    pub keep_asked: bool,
    /// Corrected answers: never beyond the end, and never back to the beginning (C-22, C-24).
    pub corrected: bool,
}

/// The answer to a get that looks at no message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoScan {
    /// Why there is none.
    pub status: GetMessageStatus,
    /// Where to go on (`nextBeginOffset`).
    pub next: i64,
}

impl Bounds {
    /// Whether there is anything to look at from this offset on.
    ///
    /// # Errors
    /// The answer if there is not.
    pub fn check(&self, offset: i64, rules: BoundsRules) -> Result<(), NoScan> {
        use GetMessageStatus::{
            NoMessageInQueue, OffsetOverflowBadly, OffsetOverflowOne, OffsetTooSmall,
        };
        let Self { min, max } = *self;
        let moved = |status, next| Err(NoScan { status, next: rules.correct(offset, next) });
        if max == 0 {
            moved(NoMessageInQueue, 0)
        } else if offset < min {
            moved(OffsetTooSmall, min)
        } else if offset == max {
            Err(NoScan { status: OffsetOverflowOne, next: offset })
        } else if offset > max {
            // Java takes a queue that begins at 0 for a new one, and delivers all of it again
            let begin = if min == 0 && !rules.corrected { 0 } else { max };
            moved(OffsetOverflowBadly, begin)
        } else {
            Ok(())
        }
    }

    /// The answer where the queue's segment with this offset is missing or being removed;
    /// `units` is how many entries a segment has.
    #[must_use]
    pub fn hole(&self, offset: i64, units: u32, rules: BoundsRules) -> NoScan {
        let units = i64::from(units.max(1));
        let next = offset.saturating_add(units - offset.rem_euclid(units));
        let next = if rules.corrected { next.min(self.max) } else { next };
        NoScan { status: GetMessageStatus::OffsetFoundNull, next: rules.correct(offset, next) }
    }
}

impl BoundsRules {
    /// `nextOffsetCorrection`
    const fn correct(self, asked: i64, better: i64) -> i64 {
        if self.keep_asked { asked } else { better }
    }
}

/// The first entry of the queue whose record the log still has, the log's first byte being at
/// `log_min`; `bounds.max` if there is none.
///
/// For corrected answers (C-23, C-24): a queue corrects its own minimum only when it is cleaned,
/// and not past its last segment. Asks `cell_at` for as many entries as a binary search needs;
/// an entry that is not there counts as gone.
pub fn live_min(bounds: Bounds, log_min: i64, mut cell_at: impl FnMut(i64) -> Option<Cell>) -> i64 {
    let mut is_gone =
        |offset| cell_at(offset).is_none_or(|c| c == Cell::FILLER || c.physical_offset < log_min);
    let Bounds { mut min, max } = bounds;
    // nearly always nothing has gone
    if !is_gone(min) {
        return min;
    }
    let mut max = max;
    while min < max {
        let middle = min + (max - min) / 2;
        if is_gone(middle) {
            min = middle + 1;
        } else {
            max = middle;
        }
    }
    min
}
