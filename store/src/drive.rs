//! Waiting on this thread for a medium that is not done at once.

use core::task::{Context, Poll, Waker};
use std::sync::Arc;
use std::task::Wake;
use std::thread::{self, Thread};
use std::time::Instant;

use mqstore_core::log::{CommitLog, FlushError, Step};
use mqstore_core::segment::{Segment, SegmentTable};

/// Wakes a thread that is parked.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

thread_local! {
    static WAKER: Waker = Waker::from(Arc::new(Unpark(thread::current())));
}

/// Asks until the medium is done, and sleeps in between until it wakes this thread. `None`:
/// the deadline has come first; the work goes on by itself.
pub(crate) fn until<R>(
    deadline: Option<Instant>,
    mut poll: impl FnMut(&mut Context<'_>) -> Poll<R>,
) -> Option<R> {
    WAKER.with(|waker| {
        let mut cx = Context::from_waker(waker);
        loop {
            if let Poll::Ready(done) = poll(&mut cx) {
                return Some(done);
            }
            match deadline.map(|d| d.saturating_duration_since(Instant::now())) {
                None => thread::park(),
                Some(left) if left.is_zero() => return None,
                Some(left) => thread::park_timeout(left),
            }
        }
    })
}

/// Commits what is due of what is written by now, at most until the deadline; answers whether
/// anything moved.
pub(crate) fn commit<S: Segment, T: SegmentTable<S>>(
    files: &CommitLog<S, T>,
    least_pages: u32,
    deadline: Option<Instant>,
) -> Result<bool, FlushError<S::Error>> {
    let end = files.written_offset();
    let mut moved = false;
    loop {
        match until(deadline, |cx| files.poll_commit(cx, least_pages)).transpose()? {
            Some(Step::Moved) => moved = true,
            Some(Step::Nothing) | None => return Ok(moved),
        }
        if files.committed_where() >= end {
            return Ok(true);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn whoever_waits_is_woken_from_another_thread() {
        let mut asked = 0;
        let done = until(None, |cx| {
            asked += 1;
            if asked == 2 {
                return Poll::Ready(7);
            }
            let waker = cx.waker().clone();
            thread::spawn(move || waker.wake());
            Poll::Pending
        });
        assert_eq!(done, Some(7));
    }

    #[test]
    fn a_deadline_ends_the_wait_for_a_medium_that_never_comes_back() {
        let deadline = Instant::now() + Duration::from_millis(5);
        assert_eq!(until(Some(deadline), |_| Poll::<()>::Pending), None);
        assert!(Instant::now() >= deadline);
    }
}
