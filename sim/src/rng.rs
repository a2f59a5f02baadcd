//! Where every decision of a simulation comes from: SplitMix64, by Steele, Lea and Flood.

/// A stream of numbers that hangs on nothing but its seed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rng(u64);

impl Rng {
    /// The stream of this seed.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number.
    pub const fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `n`; 0 if that is 0. The bias of the remainder is below 2^-32 for the
    /// small numbers that a simulation asks for.
    pub const fn below(&mut self, n: u64) -> u64 {
        let bits = self.bits();
        if n == 0 { 0 } else { bits % n }
    }

    /// The same for sizes.
    pub fn index(&mut self, n: usize) -> usize {
        usize::try_from(self.below(n as u64)).unwrap_or(0)
    }

    /// A number of `[from, to)`.
    pub const fn between(&mut self, from: u64, to: u64) -> u64 {
        from + self.below(to.saturating_sub(from))
    }

    /// True once in `n` times; never, if that is 0.
    pub const fn one_in(&mut self, n: u64) -> bool {
        n > 0 && self.below(n) == 0
    }

    /// Fills `out` with noise.
    pub fn fill(&mut self, out: &mut [u8]) {
        for chunk in out.chunks_mut(8) {
            let bits = self.bits().to_le_bytes();
            for (out, byte) in chunk.iter_mut().zip(bits) {
                *out = byte;
            }
        }
    }

    /// A stream of its own, which draws on no more than one number of this one.
    pub const fn fork(&mut self) -> Self {
        Self(self.bits())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_is_that_of_the_published_algorithm() {
        let mut rng = Rng::new(1_234_567);
        let first = [rng.bits(), rng.bits(), rng.bits()];
        assert_eq!(first[0], 6_457_827_717_110_365_317);
        assert_eq!(first[1], 3_203_168_211_198_807_973);
        assert_eq!(first[2], 9_817_491_932_198_370_423);
    }

    #[test]
    fn the_same_seed_gives_the_same_noise_and_another_one_does_not() {
        let noise = |seed| {
            let mut out = [0; 100];
            Rng::new(seed).fill(&mut out);
            out
        };
        assert_eq!(noise(3), noise(3));
        assert_ne!(noise(3), noise(4));
    }

    #[test]
    fn below_nothing_is_nothing() {
        let mut rng = Rng::new(0);
        assert_eq!((rng.below(0), rng.index(0), rng.between(5, 5)), (0, 0, 5));
        assert!(!rng.one_in(0) && rng.one_in(1));
    }
}
