//! Bodies and other bytes in the forms a trace has for them.

use serde_json::Value;

use super::trace::{long_of, plain};

/// The bytes of a value: a string, `{"hex":..}`, `{"utf8":..}`, `{"zeros":n}`, or
/// `{"fill":n,"seed":s}`. `None` is Java's null.
///
/// # Errors
/// A sentence for any other form.
pub fn bytes_of(value: Option<&Value>) -> Result<Option<Vec<u8>>, String> {
    let object = match value {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::String(text)) => return Ok(Some(text.clone().into_bytes())),
        Some(Value::Object(object)) => object,
        Some(other) => return Err(format!("no bytes can be made of {other}")),
    };
    let number = |name: &str| object.get(name).map_or(0, long_of);
    let length = |name: &str| {
        let n = number(name);
        usize::try_from(n).map_err(|_| format!("a length cannot be {n}"))
    };
    let bytes = if let Some(hex) = object.get("hex") {
        unhex(&plain(hex)).ok_or("hex needs pairs of hexadecimal digits")?
    } else if let Some(text) = object.get("utf8") {
        plain(text).into_bytes()
    } else if object.contains_key("fill") {
        fill(length("fill")?, number("seed").cast_unsigned())
    } else if object.contains_key("zeros") {
        vec![0; length("zeros")?]
    } else {
        return Err("body needs hex, utf8, fill or zeros".to_owned());
    };
    Ok(Some(bytes))
}

/// `n` bytes of splitmix64 from `seed`, each number little-endian.
#[must_use]
pub fn fill(n: usize, seed: u64) -> Vec<u8> {
    let mut random = SplitMix(seed);
    let mut bytes = Vec::with_capacity(n.next_multiple_of(8));
    while bytes.len() < n {
        bytes.extend_from_slice(&random.next_u64().to_le_bytes());
    }
    bytes.truncate(n);
    bytes
}

/// The generator splitmix64.
#[derive(Clone, Debug)]
pub struct SplitMix(pub u64);

impl SplitMix {
    /// The next number.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
}

/// Bytes from pairs of hexadecimal digits.
#[must_use]
pub fn unhex(text: &str) -> Option<Vec<u8>> {
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    if !rest.is_empty() {
        return None;
    }
    let digit = |c: u8| char::from(c).to_digit(16).and_then(|d| u8::try_from(d).ok());
    pairs.iter().map(|&[high, low]| Some(digit(high)? << 4 | digit(low)?)).collect()
}

/// Pairs of lower-case hexadecimal digits.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let halves = bytes.iter().flat_map(|b| [b >> 4, b & 15]);
    halves.map(|half| char::from(DIGITS[usize::from(half)])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(json: &str) -> Result<Option<Vec<u8>>, String> {
        bytes_of(Some(&serde_json::from_str(json).unwrap()))
    }

    #[test]
    fn every_form_of_bytes_is_read() {
        assert_eq!(of("null").unwrap(), None);
        assert_eq!(of("\"é\"").unwrap().unwrap(), [0xc3, 0xa9]);
        assert_eq!(of(r#"{"hex":"00fF10"}"#).unwrap().unwrap(), [0, 255, 16]);
        assert_eq!(of(r#"{"utf8":"a"}"#).unwrap().unwrap(), b"a");
        assert_eq!(of(r#"{"zeros":3}"#).unwrap().unwrap(), [0, 0, 0]);
        assert_eq!(
            of(r#"{"fill":9,"seed":0}"#).unwrap().unwrap()[..8],
            0xE220_A839_7B1D_CDAF_u64.to_le_bytes()
        );
        for bad in ["7", "{}", r#"{"zeros":-1}"#, r#"{"hex":"0"}"#, r#"{"hex":"0g"}"#] {
            assert!(of(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn hex_goes_both_ways() {
        let bytes: Vec<u8> = (0..=255).collect();
        assert_eq!(unhex(&hex(&bytes)).unwrap(), bytes);
    }
}
