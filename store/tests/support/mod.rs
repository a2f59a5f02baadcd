//! What the tests of whole stores share.
#![allow(dead_code, reason = "each test takes a part")]

use std::io::Write as _;
use std::path::Path;

use mqstore::{ManualClock, Message, PutMessageResult, Store, StoreClock, StoreOptions};

pub(crate) const NOW: i64 = 1_700_000_000_000;

/// Options of a store in this folder with small files and a clock that stands still.
pub(crate) fn small(folder: &Path) -> StoreOptions {
    let options = StoreOptions::new(folder).clock(StoreClock::Manual(ManualClock::new(NOW)));
    with(options, &[("mappedFileSizeCommitLog", "4096")])
}

/// The same with these settings.
pub(crate) fn with(mut options: StoreOptions, settings: &[(&str, &str)]) -> StoreOptions {
    for (name, value) in settings {
        options = options.set(name, value).unwrap();
    }
    options
}

/// `R(n)` of the cases: topic `TopicTest`, queue 0, a body of n bytes: 100 + n in the log.
pub(crate) fn put_r(store: &Store, n: usize) -> PutMessageResult {
    store.put(&Message::new("TopicTest", 0, &vec![7; n]))
}

/// All bytes of the log files of a store, in order.
pub(crate) fn log_bytes(folder: &Path) -> Vec<u8> {
    let mut names: Vec<_> =
        std::fs::read_dir(folder.join("commitlog")).unwrap().map(|e| e.unwrap().path()).collect();
    names.sort();
    names.iter().flat_map(|p| std::fs::read(p).unwrap()).collect()
}

/// Says that this test cannot run here. Not by `println!`: that is shown only of tests that fail.
pub(crate) fn skipped(why: &str) {
    let test = std::thread::current();
    let _ = writeln!(std::io::stderr(), "skipped: {}: {why}", test.name().unwrap_or("?"));
}
