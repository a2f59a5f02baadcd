//! Group commit: many puts wait for one flush (spec 04 sections 6.2 and 6.5).

use crate::segment::ErrorKind;

/// One put that waits until the log is durable up to `target`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waiter<K> {
    /// End of its records in the log.
    pub target: u64,
    /// When it stops waiting, on the clock of [`GroupCommit::settle`].
    pub deadline: i64,
    /// Who it is.
    pub token: K,
}

/// How the wait has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The records are durable.
    Durable,
    /// They were not in time; they stay in the log and may become durable later.
    TimedOut,
    /// The flush failed; whether they survive a power cut is not known.
    Failed(ErrorKind),
}

/// No room for one more waiter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupFull;

/// Where the waiters are kept: a fixed list here, a growing one on hosts.
pub trait WaitList {
    /// Who waits.
    type Token;

    /// Adds one.
    ///
    /// # Errors
    /// [`GroupFull`]: it is not added.
    fn push(&mut self, waiter: Waiter<Self::Token>) -> Result<(), GroupFull>;

    /// The waiter at this place.
    fn get(&self, at: usize) -> Option<&Waiter<Self::Token>>;

    /// Takes the waiter at this place out; the last one may move into its place.
    fn take(&mut self, at: usize) -> Option<Waiter<Self::Token>>;
}

impl<K, const N: usize> WaitList for heapless::Vec<Waiter<K>, N> {
    type Token = K;

    fn push(&mut self, waiter: Waiter<K>) -> Result<(), GroupFull> {
        heapless::Vec::push(self, waiter).map_err(|_| GroupFull)
    }

    fn get(&self, at: usize) -> Option<&Waiter<K>> {
        self.as_slice().get(at)
    }

    fn take(&mut self, at: usize) -> Option<Waiter<K>> {
        (at < self.len()).then(|| self.swap_remove(at))
    }
}

/// The puts that wait for a flush.
#[derive(Debug, Default)]
pub struct GroupCommit<L> {
    waiters: L,
    failed: Option<ErrorKind>,
}

impl<L: WaitList> GroupCommit<L> {
    /// Nobody waits.
    pub const fn new(waiters: L) -> Self {
        Self { waiters, failed: None }
    }

    /// Lets `token` wait. Answers its outcome at once where it is known: the log is durable up
    /// to `flushed` already, or a flush has failed.
    ///
    /// # Errors
    /// [`GroupFull`]: flush, settle, and submit again.
    pub fn submit(
        &mut self,
        waiter: Waiter<L::Token>,
        flushed: u64,
    ) -> Result<Option<Outcome>, GroupFull> {
        if waiter.target <= flushed {
            return Ok(Some(Outcome::Durable));
        }
        if let Some(kind) = self.failed {
            return Ok(Some(Outcome::Failed(kind)));
        }
        self.waiters.push(waiter)?;
        Ok(None)
    }

    /// How far the log has to be flushed so that nobody waits; `None` if nobody does.
    pub fn target(&self) -> Option<u64> {
        self.each().map(|w| w.target).max()
    }

    /// When the next one stops waiting; `None` if nobody waits.
    pub fn next_deadline(&self) -> Option<i64> {
        self.each().map(|w| w.deadline).min()
    }

    /// Lets everybody go whose records are durable, or whose deadline has come. Each is told
    /// once, and the first outcome stands.
    pub fn settle(&mut self, flushed: u64, now: i64, mut done: impl FnMut(L::Token, Outcome)) {
        let mut at = 0;
        while let Some(waiter) = self.waiters.get(at) {
            let outcome = if waiter.target <= flushed {
                Outcome::Durable
            } else if waiter.deadline <= now {
                Outcome::TimedOut
            } else {
                at += 1;
                continue;
            };
            if let Some(waiter) = self.waiters.take(at) {
                done(waiter.token, outcome);
            }
        }
    }

    /// A flush has failed with the log durable up to `flushed`: everybody behind that is let
    /// go, and whoever comes later, too. Nothing is durable any more that is not yet.
    pub fn fail(&mut self, flushed: u64, why: ErrorKind, mut done: impl FnMut(L::Token, Outcome)) {
        let why = *self.failed.get_or_insert(why);
        while let Some(waiter) = self.waiters.take(0) {
            let durable = waiter.target <= flushed;
            done(waiter.token, if durable { Outcome::Durable } else { Outcome::Failed(why) });
        }
    }

    fn each(&self) -> impl Iterator<Item = &Waiter<L::Token>> {
        (0..).map_while(|at| self.waiters.get(at))
    }
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use super::*;

    type Group = GroupCommit<heapless::Vec<Waiter<u32>, 4>>;

    fn waiter(target: u64, deadline: i64, token: u32) -> Waiter<u32> {
        Waiter { target, deadline, token }
    }

    #[test]
    fn one_flush_lets_everybody_go_whom_it_covers() {
        let mut g = Group::default();
        for (target, token) in [(100, 1), (300, 2), (200, 3)] {
            assert_eq!(g.submit(waiter(target, 50, token), 0), Ok(None));
        }
        assert_eq!(g.target(), Some(300));
        let mut out = Vec::new();
        g.settle(200, 10, |t, o| out.push((t, o)));
        out.sort_by_key(|o| o.0);
        assert_eq!(out, [(1, Outcome::Durable), (3, Outcome::Durable)]);
        assert_eq!(g.target(), Some(300));
    }

    #[test]
    fn what_is_durable_already_does_not_wait() {
        let mut g = Group::default();
        assert_eq!(g.submit(waiter(100, 50, 1), 100), Ok(Some(Outcome::Durable)));
        assert_eq!(g.target(), None);
    }

    #[test]
    fn a_deadline_ends_the_wait_once_and_a_late_flush_changes_nothing() {
        let mut g = Group::default();
        g.submit(waiter(100, 50, 1), 0).unwrap();
        let mut out = Vec::new();
        g.settle(0, 49, |t, o| out.push((t, o)));
        assert!(out.is_empty());
        assert_eq!(g.next_deadline(), Some(50));
        g.settle(0, 50, |t, o| out.push((t, o)));
        g.settle(100, 51, |t, o| out.push((t, o)));
        assert_eq!(out, [(1, Outcome::TimedOut)]);
    }

    #[test]
    fn a_failed_flush_is_told_to_those_who_wait_and_to_those_who_come() {
        let mut g = Group::default();
        g.submit(waiter(100, 50, 1), 0).unwrap();
        g.submit(waiter(200, 50, 2), 0).unwrap();
        let mut out = Vec::new();
        g.fail(100, ErrorKind::Device, |t, o| out.push((t, o)));
        out.sort_by_key(|o| o.0);
        let failed = Outcome::Failed(ErrorKind::Device);
        assert_eq!(out, [(1, Outcome::Durable), (2, failed)]);
        assert_eq!(g.submit(waiter(300, 50, 3), 100), Ok(Some(failed)));
        assert_eq!(g.submit(waiter(90, 50, 4), 100), Ok(Some(Outcome::Durable)));
    }

    #[test]
    fn a_full_group_refuses_and_keeps_the_others() {
        let mut g = Group::default();
        for token in 0..4 {
            g.submit(waiter(100, 50, token), 0).unwrap();
        }
        assert_eq!(g.submit(waiter(100, 50, 9), 0), Err(GroupFull));
        let mut n = 0;
        g.settle(100, 0, |_, _| n += 1);
        assert_eq!(n, 4);
    }
}
