//! The memory that one or more openers of the same store share.

#[cfg(feature = "std")]
use core::iter;
use core::sync::atomic::{AtomicBool, Ordering};
#[cfg(feature = "std")]
use std::{boxed::Box, sync::Arc};

use spin::Mutex;

use super::arena::Arena;
use super::table::{Live, Locked, Slot};

/// Memory for a store of at most `N` files: segments, cells and small files.
///
/// What lies in it stays as long as it lives, so that a store can be opened on it again.
pub struct MemPool<'a, const N: usize> {
    arena: Arena<'a>,
    slots: Mutex<[Slot; N]>,
    live: [Live; N],
    owned: AtomicBool,
}

impl<'a, const N: usize> MemPool<'a, N> {
    /// A pool over this memory.
    #[must_use]
    pub fn new(memory: &'a mut [u8]) -> Self {
        Self {
            arena: Arena::new(memory),
            slots: Mutex::new([const { Slot::FREE }; N]),
            live: core::array::from_fn(|_| Live::new()),
            owned: AtomicBool::new(false),
        }
    }
}

/// The same from the heap, with as many files as are asked for.
#[cfg(feature = "std")]
pub struct HeapPool {
    arena: Arena<'static>,
    slots: Mutex<Box<[Slot]>>,
    live: Box<[Live]>,
    owned: AtomicBool,
}

#[cfg(feature = "std")]
impl HeapPool {
    /// A pool of `bytes` bytes for at most `files` files.
    #[must_use]
    pub fn new(bytes: usize, files: usize) -> Self {
        Self {
            arena: Arena::heap(bytes),
            slots: Mutex::new(iter::repeat_with(|| Slot::FREE).take(files).collect()),
            live: iter::repeat_with(Live::new).take(files).collect(),
            owned: AtomicBool::new(false),
        }
    }
}

mod sealed {
    use super::{AtomicBool, Live, Locked};

    /// What a handle of a pool can do; only those of this file are known to name the same pool
    /// as long as they live.
    pub trait Pool: Clone {
        fn locked<T>(&self, f: impl FnOnce(&mut Locked<'_>) -> T) -> T;
        fn live(&self, slot: usize) -> &Live;
        fn owned(&self) -> &AtomicBool;
    }
}
pub(crate) use sealed::Pool;

/// A handle of a pool: a reference to a [`MemPool`] or, with std, an `Arc` of a [`HeapPool`] or
/// [`MemPool`].
pub trait PoolHandle: sealed::Pool {}

macro_rules! handle {
    ($(#[$cfg:meta])? [$($params:tt)*] $handle:ty) => {
        $(#[$cfg])?
        impl<$($params)*> sealed::Pool for $handle {
            fn locked<T>(&self, f: impl FnOnce(&mut Locked<'_>) -> T) -> T {
                let mut slots = self.slots.lock();
                f(&mut Locked { slots: &mut slots[..], live: &self.live, arena: &self.arena })
            }

            fn live(&self, slot: usize) -> &Live {
                &self.live[slot]
            }

            fn owned(&self) -> &AtomicBool {
                &self.owned
            }
        }

        $(#[$cfg])?
        impl<$($params)*> PoolHandle for $handle {}
    };
}

handle!(['p, 'a, const N: usize] &'p MemPool<'a, N>);
handle!(#[cfg(feature = "std")] ['a, const N: usize] Arc<MemPool<'a, N>>);
handle!(#[cfg(feature = "std")] [] Arc<HeapPool>);

/// A file of a pool that stays where it is as long as this or a clone of it lives.
pub(crate) struct Pin<R: Pool> {
    pool: R,
    slot: usize,
}

impl<R: Pool> Pin<R> {
    /// Holds the file in this slot; called with the table's lock held.
    pub(crate) fn new(pool: &R, locked: &Locked<'_>, slot: usize) -> Self {
        if let Some(live) = locked.live.get(slot) {
            live.holders.fetch_add(1, Ordering::Relaxed);
        }
        Self { pool: pool.clone(), slot }
    }

    pub(crate) fn pool(&self) -> &R {
        &self.pool
    }

    pub(crate) fn slot(&self) -> usize {
        self.slot
    }

    pub(crate) fn live(&self) -> &Live {
        self.pool.live(self.slot)
    }

    /// Whether nobody else holds the file; only sure with the table's lock held.
    pub(crate) fn is_alone(&self) -> bool {
        self.live().holders.load(Ordering::Acquire) == 1
    }
}

impl<R: Pool> Clone for Pin<R> {
    fn clone(&self) -> Self {
        self.live().holders.fetch_add(1, Ordering::Relaxed);
        Self { pool: self.pool.clone(), slot: self.slot }
    }
}

impl<R: Pool> Drop for Pin<R> {
    fn drop(&mut self) {
        // whoever takes the extent next sees this, and with it that all reading is over
        if self.live().holders.fetch_sub(1, Ordering::Release) == 1 {
            self.pool.locked(|table| table.reclaim(self.slot));
        }
    }
}
