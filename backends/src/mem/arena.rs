//! The memory of a pool, handed out as extents.

use core::marker::PhantomData;
use core::ptr::NonNull;
#[cfg(feature = "std")]
use std::{boxed::Box, vec};

use super::table::Locked;
use crate::region::Region;

/// Extents start at multiples of this, so that words in them are aligned.
pub(crate) const ALIGN: usize = 8;

/// Memory that belongs to a pool, borrowed for `'a` or from the heap.
pub(crate) struct Arena<'a> {
    start: NonNull<u8>,
    len: usize,
    #[cfg(feature = "std")]
    heap: bool,
    memory: PhantomData<&'a mut [u8]>,
}

// SAFETY: an arena hands out regions, which may be sent and shared; it reaches no byte itself
// but in `Locked::small`, which has the table's lock.
unsafe impl Send for Arena<'_> {}
// SAFETY: as above.
unsafe impl Sync for Arena<'_> {}

impl<'a> Arena<'a> {
    /// The aligned part of this memory.
    pub(crate) fn new(memory: &'a mut [u8]) -> Self {
        let skip = memory.as_ptr().align_offset(ALIGN).min(memory.len());
        let memory = memory.get_mut(skip..).unwrap_or_default();
        Self {
            len: memory.len(),
            start: NonNull::from(memory).cast(),
            #[cfg(feature = "std")]
            heap: false,
            memory: PhantomData,
        }
    }

    /// `len` bytes of the heap, rounded up; the system finds them when they are touched.
    #[cfg(feature = "std")]
    pub(crate) fn heap(len: usize) -> Self {
        let words = len.div_ceil(ALIGN);
        let memory = Box::leak(vec![0_u64; words].into_boxed_slice());
        Self {
            start: NonNull::from(memory).cast(),
            len: words * ALIGN,
            heap: true,
            memory: PhantomData,
        }
    }

    /// How many bytes there are.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// The bytes `[at, at + len)`.
    pub(crate) fn region(&self, at: usize, len: u32) -> Region {
        let fits = at.checked_add(len as usize).is_some_and(|end| end <= self.len);
        assert!(fits, "an extent lies inside its arena");
        // SAFETY: `at` was just seen to lie inside the arena's memory.
        let start = unsafe { self.start.add(at) };
        // SAFETY: the bytes are initialised and of one allocation. They stay as long as the
        // arena, and whatever has a region has a pin of the pool that the arena is part of.
        unsafe { Region::new(start, len) }
    }
}

impl Drop for Arena<'_> {
    fn drop(&mut self) {
        #[cfg(feature = "std")]
        if self.heap {
            let words = NonNull::slice_from_raw_parts(self.start.cast::<u64>(), self.len / ALIGN);
            // SAFETY: this came from `Box::leak` of a slice of as many words, and nothing that
            // could reach it outlives the pool.
            drop(unsafe { Box::from_raw(words.as_ptr()) });
        }
    }
}

impl Locked<'_> {
    /// The bytes of a small file.
    pub(crate) fn small(&mut self, slot: usize) -> Option<&mut [u8]> {
        let slot = self.slots.get(slot).filter(|s| s.is_small())?;
        let region = self.arena.region(slot.at, slot.size);
        // SAFETY: the extent of a small file is reached here only, and whoever is here has the
        // table's lock and `self`, which stays borrowed as long as the slice lives.
        Some(unsafe { region.slice_mut(0, slot.size) })
    }
}
