//! Raw memory behind handles: the only place where an address becomes a slice.

use core::ptr::NonNull;
use core::slice;
use core::sync::atomic::{AtomicU32, Ordering};

/// `len` bytes that are reached through many handles at once.
///
/// A region says nothing about who may look where; each use proves that for itself.
#[derive(Clone, Copy, Debug)]
pub struct Region {
    start: NonNull<u8>,
    len: u32,
}

// SAFETY: a region is an address and a length. Reaching the bytes takes an unsafe call, whose
// caller answers for other threads as for its own.
unsafe impl Send for Region {}
// SAFETY: as above.
unsafe impl Sync for Region {}

impl Region {
    /// The `len` bytes from `start`.
    ///
    /// # Safety
    /// They are initialised, lie in one allocation, and stay there as long as anything is done
    /// with the region or with a slice that came from it.
    pub(crate) const unsafe fn new(start: NonNull<u8>, len: u32) -> Self {
        Self { start, len }
    }

    /// How many bytes there are.
    pub(crate) fn len(self) -> u32 {
        self.len
    }

    /// The first `len` bytes, and those behind them.
    pub(crate) fn split(self, len: u32) -> (Self, Self) {
        assert!(len <= self.len, "a region is split inside");
        // SAFETY: `len` is at most the region's length, so both lie inside it.
        let rest = unsafe { self.start.add(len as usize) };
        (Self { start: self.start, len }, Self { start: rest, len: self.len - len })
    }

    fn place(self, at: u32, len: u32) -> *mut u8 {
        let fits = at.checked_add(len).is_some_and(|end| end <= self.len);
        assert!(fits, "a slice lies inside its region");
        // SAFETY: `at` was just seen to be at most the region's length.
        unsafe { self.start.as_ptr().add(at as usize) }
    }

    /// Lends `[at, at + len)` for reading.
    ///
    /// # Safety
    /// The region is alive, and nobody writes to these bytes, as long as `'a` lasts.
    pub(crate) unsafe fn slice<'a>(self, at: u32, len: u32) -> &'a [u8] {
        // SAFETY: inside the region by `place`, and initialised; the rest is the caller's.
        unsafe { slice::from_raw_parts(self.place(at, len), len as usize) }
    }

    /// Lends `[at, at + len)` for writing.
    ///
    /// # Safety
    /// The region is alive, and nobody else reads or writes these bytes, as long as `'a` lasts.
    pub(crate) unsafe fn slice_mut<'a>(self, at: u32, len: u32) -> &'a mut [u8] {
        // SAFETY: inside the region by `place`, and initialised; the rest is the caller's.
        unsafe { slice::from_raw_parts_mut(self.place(at, len), len as usize) }
    }

    /// All whole words of 4 bytes, to be read and written by many at once.
    ///
    /// # Safety
    /// The region is alive and starts at a multiple of 4, and nobody reaches its bytes in any
    /// other way, as long as `'a` lasts.
    pub(crate) unsafe fn words<'a>(self) -> &'a [AtomicU32] {
        let first = self.start.as_ptr().cast::<AtomicU32>();
        assert!(first.is_aligned(), "words lie at multiples of 4");
        // SAFETY: aligned as just seen, and inside the region; the rest is the caller's.
        unsafe { slice::from_raw_parts(first, self.len as usize / 4) }
    }
}

/// Copies words from `at` on into `out`; both are multiples of 4. `None` if they are not, or
/// not all of them are there.
pub(crate) fn get_words(words: &[AtomicU32], at: u64, out: &mut [u8]) -> Option<()> {
    let from = words_of(words, at, out.len())?;
    for (word, out) in from.iter().zip(out.chunks_exact_mut(4)) {
        out.copy_from_slice(&bytes_of(word.load(Ordering::Relaxed)));
    }
    Some(())
}

/// Writes words at `at`; both are multiples of 4. `None` if they are not, or there is no room;
/// nothing is written then.
pub(crate) fn set_words(words: &[AtomicU32], at: u64, bytes: &[u8]) -> Option<()> {
    let to = words_of(words, at, bytes.len())?;
    for (word, bytes) in to.iter().zip(bytes.chunks_exact(4)) {
        if let Ok(bytes) = bytes.try_into() {
            word.store(word_of(bytes), Ordering::Relaxed);
        }
    }
    Some(())
}

fn words_of(words: &[AtomicU32], at: u64, len: usize) -> Option<&[AtomicU32]> {
    let first = usize::try_from(at / 4).ok()?;
    let aligned = at.is_multiple_of(4) && len.is_multiple_of(4);
    words.get(first..first.checked_add(len / 4)?).filter(|_| aligned)
}

/// The bytes of a word as they lie in memory.
#[expect(clippy::host_endian_bytes, reason = "memory holds the caller's bytes in their order")]
fn bytes_of(word: u32) -> [u8; 4] {
    word.to_ne_bytes()
}

/// The word whose bytes lie like this in memory.
#[expect(clippy::host_endian_bytes, reason = "memory holds the caller's bytes in their order")]
fn word_of(bytes: [u8; 4]) -> u32 {
    u32::from_ne_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_region_lends_disjoint_parts_to_a_writer_and_a_reader_at_once() {
        let mut memory = [0_u8; 16];
        let start = NonNull::from(&mut memory).cast();
        // SAFETY: the array outlives the region, and is reached only through it meanwhile.
        let region = unsafe { Region::new(start, 16) };
        // SAFETY: the two do not overlap.
        let (seen, window) = unsafe { (region.slice(0, 8), region.slice_mut(8, 8)) };
        window.fill(7);
        assert_eq!(seen, [0; 8]);
        assert_eq!(memory[8..], [7; 8]);
    }

    #[test]
    fn words_keep_the_order_of_the_bytes() {
        let words = [AtomicU32::new(0), AtomicU32::new(0)];
        assert_eq!(set_words(&words, 4, &[1, 2, 3, 4]), Some(()));
        let mut out = [9; 8];
        assert_eq!(get_words(&words, 0, &mut out), Some(()));
        assert_eq!(out, [0, 0, 0, 0, 1, 2, 3, 4]);
    }

    #[test]
    fn words_are_not_reached_off_their_borders_or_outside() {
        let words = [AtomicU32::new(0)];
        for (at, len) in [(1, 4), (0, 3), (4, 4), (0, 8), (u64::MAX - 3, 4)] {
            assert_eq!(set_words(&words, at, &std::vec![1; len]), None, "{at} {len}");
        }
        assert_eq!(words[0].load(Ordering::Relaxed), 0);
    }
}
