//! Numbers as people write and read them.

use crate::cli::CliError;

/// Reads `65536`, `64k`, `64m` or `1g` (and `64KiB` and so on): powers of 1024.
///
/// # Errors
/// [`CliError::Usage`] for anything else.
pub(crate) fn size(text: &str) -> Result<u64, CliError> {
    let lower = text.trim().to_ascii_lowercase();
    let digits = lower.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = lower.strip_prefix(digits).unwrap_or_default();
    let shift = match unit.trim_end_matches('b').trim_end_matches('i') {
        "" => Some(0),
        "k" => Some(10),
        "m" => Some(20),
        "g" => Some(30),
        _ => None,
    };
    let bytes =
        digits.parse().ok().zip(shift).and_then(|(n, s)| 1_u64.checked_shl(s)?.checked_mul(n));
    bytes.ok_or_else(|| {
        CliError::Usage(format!("'{text}' is no size: a number, or one with k, m or g"))
    })
}

/// `1234567` as `1,234,567`.
pub(crate) fn thousands(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(c);
    }
    out
}

/// A time in a unit that suits it.
pub(crate) fn nanos_text(nanos: u64) -> String {
    let n = nanos as f64;
    match nanos {
        0..1_000 => format!("{nanos} ns"),
        1_000..100_000 => format!("{:.1} us", n / 1e3),
        100_000..1_000_000 => format!("{:.0} us", n / 1e3),
        1_000_000..100_000_000 => format!("{:.1} ms", n / 1e6),
        100_000_000..1_000_000_000 => format!("{:.0} ms", n / 1e6),
        _ => format!("{:.2} s", n / 1e9),
    }
}

/// A number of bytes in a unit that suits it.
pub(crate) fn bytes_text(bytes: u64) -> String {
    let b = bytes as f64;
    match bytes {
        0..1_024 => format!("{bytes} B"),
        1_024..1_048_576 => format!("{:.1} KiB", b / 1024.0),
        1_048_576..1_073_741_824 => format!("{:.1} MiB", b / 1_048_576.0),
        _ => format!("{:.2} GiB", b / 1_073_741_824.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_powers_of_1024() {
        for (text, bytes) in
            [("65536", 65536), ("64k", 65536), ("1G", 1 << 30), ("2MiB", 2 << 20), ("8mb", 8 << 20)]
        {
            assert_eq!(size(text).unwrap(), bytes, "{text}");
        }
        for bad in ["", "k", "1x", "-1", "1.5g", "99999999999g", "kk"] {
            assert!(size(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn numbers_are_grouped_and_times_get_their_unit() {
        assert_eq!([0, 999, 1000, 1_234_567].map(thousands), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!(nanos_text(999), "999 ns");
        assert_eq!(nanos_text(1_500), "1.5 us");
        assert_eq!(nanos_text(2_000_000_000), "2.00 s");
        assert_eq!(bytes_text(1 << 30), "1.00 GiB");
    }
}
