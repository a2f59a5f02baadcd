//! Hosts as a trace writes them: `1.2.3.4:5` or `[2001:db8::1]:5`.

use core::net::{IpAddr, SocketAddr};

/// Reads a host. Names are not looked up.
///
/// # Errors
/// A sentence for anything that is no address with a port.
pub(super) fn parse(text: &str) -> Result<SocketAddr, String> {
    let bad = || format!("'{text}' is no address with a port");
    let (host, port) = text.rsplit_once(':').ok_or_else(bad)?;
    let host = host.strip_prefix('[').and_then(|h| h.strip_suffix(']')).unwrap_or(host);
    let ip: IpAddr = host.parse().map_err(|_| bad())?;
    let port: u16 = port.parse().map_err(|_| bad())?;
    Ok(SocketAddr::new(ip.to_canonical(), port))
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn both_kinds_of_addresses_are_read() {
        assert_eq!(parse("1.2.3.4:5").unwrap().to_string(), "1.2.3.4:5");
        assert_eq!(parse("[2001:db8::1]:5").unwrap().to_string(), "[2001:db8::1]:5");
        assert_eq!(parse("[::ffff:9.8.7.6]:5").unwrap().to_string(), "9.8.7.6:5");
        for bad in ["", "1.2.3.4", "1.2.3.4:70000", "host:1", "[::1:5"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}
