//! Choices from a seed.

use crate::replay::data::SplitMix;

/// A source of choices; the same seed gives the same ones.
#[derive(Clone, Debug)]
pub(super) struct Dice(SplitMix);

impl Dice {
    pub(super) fn new(seed: u64) -> Self {
        Self(SplitMix(seed))
    }

    pub(super) fn number(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// From 0 to `n - 1`.
    pub(super) fn below(&mut self, n: usize) -> usize {
        let n = u64::try_from(n.max(1)).unwrap_or(u64::MAX);
        usize::try_from(self.number() % n).unwrap_or(0)
    }

    /// From `low` to `high`, both included.
    pub(super) fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high - low + 1)
    }

    /// True in so many of a hundred cases.
    pub(super) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub(super) fn pick<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())].clone()
    }

    /// A 32-bit number: small, at the ends, or any.
    pub(super) fn int(&mut self) -> i32 {
        match self.below(6) {
            0 => self.pick(&[0, -1, 1, i32::MIN, i32::MAX]),
            1 => (self.number() & 0xFFFF_FFFF) as u32 as i32,
            _ => i32::try_from(self.below(10)).unwrap_or(0),
        }
    }

    /// A 64-bit number: small, at the ends, or any.
    pub(super) fn long(&mut self) -> i64 {
        match self.below(5) {
            0 => self.pick(&[0, -1, 1, i64::MIN, i64::MAX]),
            1 => self.number().cast_signed(),
            _ => i64::try_from(self.below(1_000_000)).unwrap_or(0),
        }
    }
}
