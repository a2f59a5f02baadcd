//! The same for each of many things, on as many threads as there are cores.

use std::panic;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// So few are done sooner than a thread is started.
const FEW: usize = 32;

/// What `work` says of each, in order.
pub(super) fn map<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let threads = cores.min(items.len() / FEW);
    if threads < 2 {
        return items.iter().map(work).collect();
    }
    let next = AtomicUsize::new(0);
    let run = || {
        let mut done = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(at) else { return done };
            done.push((at, work(item)));
        }
    };
    let mut done = thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(run)).collect();
        let mut done = run();
        for other in others {
            match other.join() {
                Ok(more) => done.extend(more),
                Err(panicked) => panic::resume_unwind(panicked),
            }
        }
        done
    });
    done.sort_unstable_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn many_things_are_done_in_parallel_and_answered_in_order() {
        let items: Vec<u64> = (0..1000).collect();
        let squares: Vec<u64> = items.iter().map(|n| n * n).collect();
        assert_eq!(super::map(&items, |n| n * n), squares);
        assert_eq!(super::map(&[3_u64], |n| n * n), [9]);
        assert_eq!(super::map(&[] as &[u64], |n| n * n), []);
    }
}
