//! How a test says that it cannot run here.

use std::io::Write as _;

/// Says that this test cannot run here. Not by `println!`: that is shown only of tests that fail.
pub(crate) fn skipped(why: &str) {
    let test = std::thread::current();
    let _ = writeln!(std::io::stderr(), "skipped: {}: {why}", test.name().unwrap_or("?"));
}
