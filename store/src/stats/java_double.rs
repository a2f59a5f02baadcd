//! Fractions as Java's `Double.toString` writes them.

/// `0.0`, `333.3333333333333`, `1.0E7`, `NaN`.
pub(super) fn java_double(value: f64) -> String {
    if value.is_nan() {
        return "NaN".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "Infinity" } else { "-Infinity" }.to_owned();
    }
    let size = value.abs();
    if size == 0.0 || (1e-3..1e7).contains(&size) {
        return format!("{value:?}");
    }
    let text = format!("{value:e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let point = if digits.contains('.') { "" } else { ".0" };
    format!("{digits}{point}E{exponent}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_look_as_in_java() {
        // printed by OpenJDK 17
        for (value, text) in [
            (0.0, "0.0"),
            (1.0, "1.0"),
            (1e7, "1.0E7"),
            (9_999_999.0, "9999999.0"),
            (12_345_678.9, "1.23456789E7"),
            (0.001, "0.001"),
            (0.000_12, "1.2E-4"),
            (1000.0 / 3.0, "333.3333333333333"),
            (f64::INFINITY, "Infinity"),
            (f64::NAN, "NaN"),
            (1e21, "1.0E21"),
            (123_456_789_012.0, "1.23456789012E11"),
            (2e-3, "0.002"),
            (-0.5, "-0.5"),
        ] {
            assert_eq!(java_double(value), text);
        }
    }
}
