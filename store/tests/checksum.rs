//! Which way checksums go in the library as it is shipped.

mod support;

use std::process::Command;

use mqstore_core::record::{CHECKSUM_ASKS_THE_PROCESSOR, body_crc};

/// The features that the crates of this library have turned on in each other.
fn features() -> String {
    let cargo = std::env::var("CARGO").unwrap_or("cargo".to_owned());
    let mut tree = Command::new(cargo);
    tree.args(["tree", "-p", "mqstore", "-e", "features,normal", "--prefix", "none", "--offline"]);
    let output = tree.current_dir(env!("CARGO_MANIFEST_DIR")).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_shipped_library_checksums_with_what_the_processor_has() {
    const { assert!(CHECKSUM_ASKS_THE_PROCESSOR) };
    let features = features();
    assert!(features.lines().any(|line| line == "crc32fast feature \"std\""), "{features}");
    assert_eq!(body_crc(b"123456789"), 0xCBF4_3926 & 0x7FFF_FFFF);
    #[cfg(target_arch = "x86_64")]
    if !std::arch::is_x86_feature_detected!("pclmulqdq") {
        support::skipped("this processor has no carry-less multiplication: the table is used");
    }
}
