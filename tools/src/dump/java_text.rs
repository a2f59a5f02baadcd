//! Text as Java makes it from bytes and sorts it, and addresses as Java prints them.

use core::cmp::Ordering;
use core::net::SocketAddr;

/// `new String(bytes, UTF_8)`: what is not UTF-8 becomes U+FFFD.
///
/// Java makes one of an encoded surrogate (three bytes), where Rust's decoder makes three.
pub(super) fn decode(bytes: &[u8]) -> String {
    let mut text = String::new();
    let mut skip = 0;
    let mut at = 0;
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        at += chunk.valid().len();
        if chunk.invalid().is_empty() {
            continue;
        }
        if skip > 0 && chunk.valid().is_empty() {
            skip -= 1;
        } else {
            text.push('\u{FFFD}');
            let surrogate = matches!(bytes.get(at..at + 3), Some([0xED, 0xA0..=0xBF, 0x80..=0xBF]));
            skip = if surrogate { 2 } else { 0 };
        }
        at += chunk.invalid().len();
    }
    text
}

/// `String.compareTo`.
pub(super) fn compare(a: &str, b: &str) -> Ordering {
    a.encode_utf16().cmp(b.encode_utf16())
}

/// `getHostAddress` and port: an IPv6 address in brackets, its zeros written out.
pub(super) fn address(host: &SocketAddr) -> String {
    match host {
        SocketAddr::V4(host) => host.to_string(),
        SocketAddr::V6(host) => match host.ip().to_ipv4_mapped() {
            Some(ip) => format!("{ip}:{}", host.port()),
            None => {
                let parts: Vec<String> =
                    host.ip().segments().iter().map(|part| format!("{part:x}")).collect();
                format!("[{}]:{}", parts.join(":"), host.port())
            }
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_decoded_as_java_does_it() {
        assert_eq!(decode("aé\u{1F600}".as_bytes()), "aé\u{1F600}");
        assert_eq!(decode(b"a\xFFb\xC3"), "a\u{FFFD}b\u{FFFD}");
        assert_eq!(decode(b"\xED\xA0\x80x\xED\xB0\x80"), "\u{FFFD}x\u{FFFD}");
        assert_eq!(decode(b"\xE4\xB8"), "\u{FFFD}");
    }

    #[test]
    fn strings_are_sorted_by_utf_16_units() {
        assert_eq!(compare("\u{E000}", "\u{1F600}"), Ordering::Greater);
        assert_eq!(compare("10", "2"), Ordering::Less);
    }

    #[test]
    fn addresses_are_not_shortened() {
        let of = |text: &str| address(&text.parse().unwrap());
        assert_eq!(of("[2001:db8::1]:5"), "[2001:db8:0:0:0:0:0:1]:5");
        assert_eq!(of("[::ffff:1.2.3.4]:5"), "1.2.3.4:5");
    }
}
