//! Any bytes as a record: parsing never panics, never loops, never looks outside, and what it
//! accepts is as long as its parts.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mqstore_core::record::parse::{Parsed, RecordView};

fuzz_target!(|bytes: &[u8]| {
    let mut at = 0;
    // as a recovery walks through a file
    while let Ok(Parsed::Record(r)) = RecordView::parse(bytes.get(at..).unwrap_or_default()) {
        let size = r.total_size() as usize;
        assert!(size >= 91 && at + size <= bytes.len());
        let parts = r.body().len() + r.topic_bytes().len() + r.properties_bytes().len();
        let hosts = if r.born_host().is_ipv6() { 12 } else { 0 };
        // an IPv6 address may read back as a mapped IPv4 one, so only the lower bound is exact
        assert!(size >= 91 + parts + hosts && size <= 115 + parts);
        let _ = (r.body_crc_ok(), r.topic(), r.message_id(), r.store_host(), r.property("KEYS"));
        at += size;
    }
});
