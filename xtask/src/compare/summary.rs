//! Medians and spreads over the pairs of a case.

use super::case::Side;
use super::run::Measured;

/// All measurements of one case.
#[derive(Default)]
pub(super) struct Summary {
    ours: Vec<Measured>,
    java: Vec<Measured>,
    floor: Vec<Measured>,
}

/// The middle of several values, and the two ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Spread {
    pub(super) median: f64,
    pub(super) min: f64,
    pub(super) max: f64,
}

impl Spread {
    /// `None` without values.
    pub(super) fn of(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut values: Vec<f64> = values.into_iter().collect();
        values.sort_by(f64::total_cmp);
        let (min, max) = (*values.first()?, *values.last()?);
        let n = values.len();
        let (low, high) = (values.get((n - 1) / 2)?, values.get(n / 2)?);
        Some(Self { median: f64::midpoint(*low, *high), min, max })
    }
}

impl Summary {
    /// Takes a measurement in.
    pub(super) fn add(&mut self, side: Side, measured: Measured) {
        match side {
            Side::Ours => self.ours.push(measured),
            Side::Java => self.java.push(measured),
            Side::Floor => self.floor.push(measured),
        }
    }

    fn of(&self, side: Side) -> &[Measured] {
        match side {
            Side::Ours => &self.ours,
            Side::Java => &self.java,
            Side::Floor => &self.floor,
        }
    }

    /// Messages per second of a side.
    pub(super) fn rate(&self, side: Side) -> Option<Spread> {
        Spread::of(self.of(side).iter().map(Measured::rate))
    }

    /// Messages per second with what was still to be dispatched or committed at the end.
    pub(super) fn rate_with_rest(&self, side: Side) -> Option<Spread> {
        Spread::of(self.of(side).iter().map(Measured::rate_with_rest))
    }

    /// A field of a side's lines.
    pub(super) fn field(&self, side: Side, field: &str) -> Option<Spread> {
        Spread::of(self.of(side).iter().map(|m| m.number(field)))
    }

    /// How often ours does what the other side does once, pair by pair.
    pub(super) fn ratio(&self, other: Side) -> Option<Spread> {
        let pairs = self.ours.iter().zip(self.of(other));
        Spread::of(pairs.filter(|(_, o)| o.rate() > 0.0).map(|(a, b)| a.rate() / b.rate()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_in_the_middle() {
        let spread = Spread::of([5.0, 1.0, 3.0]).unwrap();
        assert_eq!(spread, Spread { median: 3.0, min: 1.0, max: 5.0 });
        assert_eq!(Spread::of([4.0, 2.0]).unwrap().median, 3.0);
        assert_eq!(Spread::of([]), None);
    }
}
