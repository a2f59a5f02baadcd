//! Commit and flush of the log, one segment a step, by RocketMQ's rules of pages
//! (spec 04 sections 4 and 5).

use core::task::{Context, Poll};

use super::CommitLog;
use crate::segment::{ErrorKind, Marks, MediumError, Segment, SegmentTable};
use crate::sync::Ordering;

/// RocketMQ counts dirty pages of this many bytes, whatever the machine's are.
const PAGE: u32 = 4096;

/// What one step of commit or flush did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Nothing was due.
    Nothing,
    /// The position has moved.
    Moved,
}

/// A commit or flush that failed: the log takes no more writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlushError<E> {
    /// The segment's first byte.
    pub base: u64,
    /// What the medium said.
    pub error: E,
}

impl<E: MediumError> FlushError<E> {
    /// The kind of failure.
    pub fn kind(&self) -> ErrorKind {
        self.error.kind()
    }
}

/// Whether what lies between `done` and `end` is due: the segment is full, or there are
/// `least_pages` dirty pages, or, for 0, there is anything at all.
fn is_due(done: u32, end: u32, capacity: u32, least_pages: u32) -> bool {
    if done >= end {
        return false;
    }
    if end == capacity || least_pages == 0 {
        return true;
    }
    end / PAGE - done / PAGE >= least_pages
}

impl<S: Segment, T: SegmentTable<S>> CommitLog<S, T> {
    /// The segment that holds `position`, or the first one behind it.
    fn segment_at(&self, position: u64) -> Option<S> {
        self.table.holding(position).or_else(|| self.table.from(position))
    }

    /// Commits what is due of one segment: with `least_pages` 0 everything, else only when so
    /// many pages are dirty. Without staging it only follows the written position.
    ///
    /// # Errors
    /// [`FlushError`]; the position has not moved then.
    pub fn poll_commit(
        &self,
        cx: &mut Context<'_>,
        least_pages: u32,
    ) -> Poll<Result<Step, FlushError<S::Error>>> {
        let at = self.committed_where();
        let Some(segment) = self.segment_at(at) else { return Poll::Ready(Ok(Step::Nothing)) };
        let marks: &Marks = segment.marks();
        let end = marks.published();
        if segment.geometry().staged {
            if !is_due(marks.committed(), end, segment.geometry().capacity, least_pages) {
                return Poll::Ready(Ok(self.follow(&segment, marks.committed(), at)));
            }
            match segment.poll_commit(cx, end) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Err(error)) => {
                    return Poll::Ready(Err(FlushError { base: segment.base(), error }));
                }
                Poll::Ready(Ok(end)) => return Poll::Ready(Ok(self.follow(&segment, end, at))),
            }
        }
        Poll::Ready(Ok(self.follow(&segment, end, at)))
    }

    /// Moves the committed position to `end` in this segment.
    fn follow(&self, segment: &S, end: u32, before: u64) -> Step {
        let now = segment.base() + u64::from(end);
        self.committed_where.fetch_max(now, Ordering::AcqRel);
        if now > before { Step::Moved } else { Step::Nothing }
    }

    /// Flushes what is due of one segment: with `least_pages` 0 everything that is visible,
    /// else only whole pages, and only when so many are dirty.
    ///
    /// # Errors
    /// [`FlushError`]; the position has not moved then, and never will.
    pub fn poll_flush(
        &self,
        cx: &mut Context<'_>,
        least_pages: u32,
    ) -> Poll<Result<Step, FlushError<S::Error>>> {
        let at = self.flushed_where();
        let Some(segment) = self.segment_at(at) else { return Poll::Ready(Ok(Step::Nothing)) };
        let marks = segment.marks();
        let store_timestamp = marks.store_timestamp();
        let geometry = segment.geometry();
        let mut end = marks.visible(geometry.staged);
        if least_pages > 0 && end < geometry.capacity {
            // a flush write-protects the pages it covers: the writer's own page is left alone
            end -= end % PAGE;
        }
        let mut done = marks.flushed();
        if is_due(done, end, geometry.capacity, least_pages) {
            match segment.poll_flush(cx, end) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Err(error)) => {
                    return Poll::Ready(Err(FlushError { base: segment.base(), error }));
                }
                Poll::Ready(Ok(end)) => done = end,
            }
        }
        if least_pages == 0 {
            self.store_timestamp.store(store_timestamp, Ordering::Release);
        }
        let now = segment.base() + u64::from(done);
        self.flushed_where.fetch_max(now, Ordering::AcqRel);
        Poll::Ready(Ok(if now > at { Step::Moved } else { Step::Nothing }))
    }

    /// Commits and flushes until everything below `target` is durable, or nothing moves any
    /// more. Answers how far it is.
    ///
    /// # Errors
    /// [`FlushError`]; what was reached before it stays.
    pub fn poll_flush_to(
        &self,
        cx: &mut Context<'_>,
        target: u64,
    ) -> Poll<Result<u64, FlushError<S::Error>>> {
        while self.flushed_where() < target {
            let committed = match self.poll_commit(cx, 0) {
                Poll::Ready(Ok(step)) => step,
                Poll::Ready(Err(e)) => return Poll::Ready(Err(e)),
                Poll::Pending => return Poll::Pending,
            };
            let flushed = match self.poll_flush(cx, 0) {
                Poll::Ready(Ok(step)) => step,
                Poll::Ready(Err(e)) => return Poll::Ready(Err(e)),
                Poll::Pending => return Poll::Pending,
            };
            if committed == Step::Nothing && flushed == Step::Nothing {
                break;
            }
        }
        Poll::Ready(Ok(self.flushed_where()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_counted_by_borders_crossed_not_by_bytes() {
        assert!(!is_due(0, 4 * PAGE - 1, 1 << 20, 4));
        assert!(is_due(0, 4 * PAGE, 1 << 20, 4));
        assert!(is_due(PAGE - 1, PAGE, 1 << 20, 1));
        assert!(!is_due(PAGE, 2 * PAGE - 1, 1 << 20, 1));
    }

    #[test]
    fn nothing_dirty_is_never_due_and_a_full_segment_always_is() {
        assert!(!is_due(5, 5, 100, 0));
        assert!(!is_due(100, 100, 100, 0));
        assert!(is_due(5, 6, 100, 0));
        assert!(is_due(99, 100, 100, 1000));
    }
}
