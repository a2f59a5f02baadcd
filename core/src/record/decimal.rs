//! Decimal numbers without a formatter: they are written under the put lock.

/// Longest decimal of an `i64`, sign included.
pub(crate) const DECIMAL_LEN_MAX: usize = 20;

/// A number in decimal, as `String.valueOf` writes it.
pub(crate) struct Decimal {
    digits: [u8; DECIMAL_LEN_MAX],
    from: usize,
}

impl Decimal {
    /// Converts `value`.
    pub(crate) fn new(value: i64) -> Self {
        let mut digits = [b'0'; DECIMAL_LEN_MAX];
        let mut rest = value.unsigned_abs();
        let mut from = DECIMAL_LEN_MAX;
        for (place, digit) in digits.iter_mut().enumerate().rev() {
            // At most 9, so the cast keeps it.
            *digit = b'0' + (rest % 10) as u8;
            from = place;
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        // The longest number has 19 digits, so a sign always has its place.
        if value < 0 {
            from = from.saturating_sub(1);
            if let Some(sign) = digits.get_mut(from) {
                *sign = b'-';
            }
        }
        Self { digits, from }
    }

    /// Its characters.
    pub(crate) fn as_bytes(&self) -> &[u8] {
        self.digits.get(self.from..).unwrap_or_default()
    }
}

/// How many characters `value` has in decimal.
pub(crate) fn decimal_len(value: i64) -> usize {
    let digits = value.unsigned_abs().checked_ilog10().unwrap_or(0) as usize + 1;
    digits + usize::from(value < 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;

    #[test]
    fn numbers_are_written_as_the_formatter_writes_them() {
        let mut samples = std::vec![0, 1, -1, 9, 10, 11, -10, i64::MAX, i64::MIN];
        for power in 0..19 {
            let p = 10i64.pow(power);
            samples.extend([p - 1, p, p + 1, -p, 1 - p]);
        }
        for value in samples {
            let text = value.to_string();
            assert_eq!(Decimal::new(value).as_bytes(), text.as_bytes());
            assert_eq!(decimal_len(value), text.len());
        }
    }
}
