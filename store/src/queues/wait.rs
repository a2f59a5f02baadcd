//! Waiting on this thread until a medium has done what it was asked.

use core::task::{Context, Poll, Waker};
use std::sync::Arc;
use std::task::Wake;
use std::thread::{self, Thread};

/// Wakes a thread that is parked.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Asks until it is done, and sleeps in between until the medium wakes this thread.
pub(super) fn until<R>(mut poll: impl FnMut(&mut Context<'_>) -> Poll<R>) -> R {
    // nearly every medium is done at once
    if let Poll::Ready(done) = poll(&mut Context::from_waker(Waker::noop())) {
        return done;
    }
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut cx = Context::from_waker(&waker);
    loop {
        if let Poll::Ready(done) = poll(&mut cx) {
            return done;
        }
        thread::park();
    }
}
