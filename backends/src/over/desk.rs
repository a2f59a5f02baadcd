//! Where a log's writer and the thread that makes its next file meet.

use core::time::Duration;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use mqstore_core::segment::{ErrorKind, Halves, Segment, SegmentBackend};

/// How the next file is made.
#[derive(Clone, Copy, Debug)]
pub struct AheadRules {
    /// A writer waits for its file for at most this long.
    pub wait: Duration,
    /// So many bytes at the start of a new file are made cheap to write.
    pub prefault: u32,
}

impl Default for AheadRules {
    /// RocketMQ's 5 seconds, and 4 MiB.
    fn default() -> Self {
        Self { wait: Duration::from_secs(5), prefault: 4 << 20 }
    }
}

/// After so many bytes the thread looks whether it is needed elsewhere.
const PREFAULT_STEP: u32 = 256 << 10;

/// What the desk knows about one file.
enum Request<B: SegmentBackend> {
    /// Nothing is asked for.
    None,
    /// The thread is to make it.
    Asked(u64),
    /// The thread makes it.
    Making(u64),
    /// Nobody has taken it yet.
    Made(u64, Halves<B>),
    /// It could not be made, and whoever waits has not been told yet.
    Failed(u64, B::Error),
}

struct State<B: SegmentBackend> {
    request: Request<B>,
    /// Announced while another file was being made.
    next: Option<u64>,
    /// Writers that wait.
    waiting: u32,
    /// The file whose pages the thread makes present; it holds the segment meanwhile.
    warming: Option<u64>,
    /// Somebody needs that file for himself.
    hurry: bool,
    closed: bool,
}

/// The desk of one log.
pub(crate) struct Desk<B: SegmentBackend> {
    pub(crate) inner: B,
    rules: AheadRules,
    state: Mutex<State<B>>,
    /// For the thread: there is something to do.
    wake: Condvar,
    /// For the writers: something was made, or could not be.
    done: Condvar,
}

impl<B: SegmentBackend> Desk<B> {
    pub(crate) fn new(inner: B, rules: AheadRules) -> Self {
        let state = State {
            request: Request::None,
            next: None,
            waiting: 0,
            warming: None,
            hurry: false,
            closed: false,
        };
        Self { inner, rules, state: Mutex::new(state), wake: Condvar::new(), done: Condvar::new() }
    }

    fn state(&self) -> MutexGuard<'_, State<B>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks for a file without waiting for it.
    pub(crate) fn announce(&self, base: u64) {
        let mut state = self.state();
        match state.request {
            Request::None | Request::Failed(..) => self.ask(&mut state, base),
            Request::Asked(b) | Request::Making(b) | Request::Made(b, _) if b == base => {}
            _ => state.next = Some(base),
        }
    }

    fn ask(&self, state: &mut State<B>, base: u64) {
        state.request = Request::Asked(base);
        self.wake.notify_one();
    }

    /// The file at `base`: made already, or waited for.
    pub(crate) fn take(&self, base: u64) -> Result<Halves<B>, B::Error> {
        let deadline = Instant::now() + self.rules.wait;
        let mut state = self.state();
        loop {
            if state.closed {
                return Err(ErrorKind::Other.into());
            }
            match core::mem::replace(&mut state.request, Request::None) {
                Request::Made(b, halves) if b == base => {
                    self.go_on(&mut state);
                    return Ok(halves);
                }
                Request::Failed(b, error) if b == base => return Err(error),
                Request::Made(b, halves) => self.discard(b, halves)?,
                Request::None | Request::Failed(..) => self.ask(&mut state, base),
                // one that was asked for and not begun is not wanted any more
                Request::Asked(_) => self.ask(&mut state, base),
                making @ Request::Making(_) => state.request = making,
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                // the request stays: the next one waits for the same file
                return Err(ErrorKind::TimedOut.into());
            }
            if matches!(state.request, Request::Asked(_) | Request::Making(_)) {
                state.waiting += 1;
                let waited = self.done.wait_timeout(state, left);
                state = waited.unwrap_or_else(PoisonError::into_inner).0;
                state.waiting -= 1;
            }
        }
    }

    /// Asks for what was announced meanwhile.
    fn go_on(&self, state: &mut State<B>) {
        if let Some(base) = state.next.take() {
            self.ask(state, base);
        }
    }

    /// Removes a file that nobody has taken.
    fn discard(&self, base: u64, halves: Halves<B>) -> Result<(), B::Error> {
        drop(halves);
        self.inner.remove(base)
    }

    /// Lets go of the file at `base`, or of any, if nobody has taken it, so that it can be
    /// removed.
    pub(crate) fn forget(&self, base: Option<u64>) {
        let is_meant = |b: u64| base.is_none_or(|base| base == b);
        let mut state = self.state();
        while matches!(state.request, Request::Making(b) if is_meant(b)) {
            state = self.done.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if matches!(state.request, Request::Made(b, _) | Request::Asked(b) if is_meant(b)) {
            state.request = Request::None;
        }
        state.next = state.next.take().filter(|b| !is_meant(*b));
    }

    /// The thread's work: makes what is asked for until the desk is closed.
    pub(crate) fn work(self: &Arc<Self>) {
        let mut state = self.state();
        while !state.closed {
            let Request::Asked(base) = state.request else {
                state = self.wake.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            state.request = Request::Making(base);
            drop(state);
            let made = self.inner.create(base);
            let segment = made.as_ref().ok().map(|(_, segment)| segment.clone());
            state = self.state();
            state.request = match made {
                Ok(halves) => Request::Made(base, halves),
                Err(error) if state.waiting > 0 => Request::Failed(base, error),
                // nobody has asked yet: whoever does gets a new try, not an old error
                Err(_) => Request::None,
            };
            self.done.notify_all();
            if let Some(segment) = segment {
                // not before the file is handed out: a writer never waits for warm pages
                state.warming = Some(base);
                state = self.prefault(segment, state);
                (state.warming, state.hurry) = (None, false);
                self.done.notify_all();
            }
        }
    }

    /// Makes the start of a new file cheap to write, until there is something else to do.
    fn prefault<'a>(
        &'a self,
        segment: B::Segment,
        mut state: MutexGuard<'a, State<B>>,
    ) -> MutexGuard<'a, State<B>> {
        let mut done = 0;
        while done < self.rules.prefault
            && !state.closed
            && !state.hurry
            && !matches!(state.request, Request::Asked(_))
        {
            drop(state);
            let upto = done.saturating_add(PREFAULT_STEP).min(self.rules.prefault);
            let reached = segment.prepare(upto).unwrap_or(0);
            state = self.state();
            if reached < upto {
                break;
            }
            done = reached;
        }
        drop(segment);
        state
    }

    /// Returns when the thread does not hold the segment at `base` any more: what is opened
    /// must be free.
    pub(crate) fn release(&self, base: u64) {
        let mut state = self.state();
        while state.warming == Some(base) {
            state.hurry = true;
            state = self.done.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// No more files: the thread ends, and writers are refused.
    pub(crate) fn close(&self) {
        let mut state = self.state();
        state.closed = true;
        self.wake.notify_all();
        self.done.notify_all();
    }

    /// Removes the file that nobody has taken, once the thread has ended.
    pub(crate) fn remove_unclaimed(&self) {
        let request = core::mem::replace(&mut self.state().request, Request::None);
        if let Request::Made(base, halves) = request {
            // left over it would be an empty file, which the next open removes
            let _ = self.discard(base, halves);
        }
    }
}
