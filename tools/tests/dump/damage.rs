//! What is wrong with a log is said, with its place.

use std::fs;
use std::path::{Path, PathBuf};

use mqstore::{Message, PutMessageStatus, StoreOptions};
use mqstore_tools::dump::item::Item;
use mqstore_tools::dump::{DumpOptions, TextLines, dump};

const FILE: u64 = 4096;

/// A closed store of four full log files and one that is under way.
fn store() -> tempfile::TempDir {
    let scratch = tempfile::tempdir().unwrap();
    let options = StoreOptions::new(scratch.path()).set("mappedFileSizeCommitLog", "4096").unwrap();
    let store = options.open().unwrap();
    while store.status().written_offset < 4 * FILE + 1000 {
        let result = store.put(&Message::new("T", 0, &[7; 300]));
        assert_eq!(result.status, PutMessageStatus::PutOk);
    }
    store.close().unwrap();
    scratch
}

fn file(root: &Path, number: u64) -> PathBuf {
    root.join(format!("commitlog/{:020}", number * FILE))
}

/// The lines that begin with '!'.
fn wrong(root: &Path) -> Vec<String> {
    let mut out = Vec::new();
    let mut lines = TextLines::new(&mut out, false);
    dump(&DumpOptions::new(root), &mut |item| lines.item(item)).unwrap();
    lines.finish().unwrap();
    let text = String::from_utf8(out).unwrap();
    text.lines().filter(|line| line.starts_with('!')).map(str::to_owned).collect()
}

fn change(path: &Path, at: usize, bytes: &[u8]) {
    let mut whole = fs::read(path).unwrap();
    whole[at..at + bytes.len()].copy_from_slice(bytes);
    fs::write(path, whole).unwrap();
}

#[test]
fn a_whole_store_has_nothing_wrong_open_closed_or_without_its_first_file() {
    let store = store();
    assert_eq!(wrong(store.path()), [""; 0]);
    let open = StoreOptions::new(store.path()).set("mappedFileSizeCommitLog", "4096").unwrap();
    let open = open.open().unwrap();
    // the file behind is made ahead of its time
    for _ in 0..3 {
        open.put(&Message::new("T", 0, &[7; 300]));
    }
    assert_eq!(wrong(store.path()), [""; 0]);
    drop(open);
    fs::remove_file(file(store.path(), 0)).unwrap();
    assert_eq!(wrong(store.path()), [""; 0]);
}

#[test]
fn a_missing_log_file_is_named_by_its_bytes() {
    let store = store();
    fs::remove_file(file(store.path(), 1)).unwrap();
    fs::remove_file(file(store.path(), 2)).unwrap();
    let name = "commitlog/00000000000000012288";
    let what = "files are missing before it: those for 4096 to 12288";
    assert_eq!(wrong(store.path()), [format!("! {name} at 12288: {what}")]);
}

#[test]
fn a_log_file_of_wrong_length_is_named_with_both_lengths() {
    for len in [1000, 6000] {
        let store = store();
        fs::OpenOptions::new()
            .write(true)
            .open(file(store.path(), 1))
            .and_then(|f| f.set_len(len))
            .unwrap();
        let what = format!("its length is {len}, and that of log files 4096");
        let first = wrong(store.path()).remove(0);
        assert!(first.starts_with(&format!("! commitlog/00000000000000004096 at 4096: {what}")));
    }
}

#[test]
fn bytes_that_are_no_record_are_named_wherever_something_follows() {
    for (number, at, bytes, place, what) in [
        // a size that cannot be, at the start and inside
        (1, 0, vec![0xFF; 8], 4096, "no record, and not empty"),
        (1, 4, vec![0; 4], 4096, "no record, and not empty"),
        // empty at first, and something behind
        (4, 0, vec![0; 50], 16384, "no record, and 16435 is not empty"),
        // empty to its end, but not the last one
        (2, 0, vec![0; 4096], 8192, "no record, and later files hold something"),
    ] {
        let store = store();
        change(&file(store.path(), number), at, &bytes);
        let found = wrong(store.path());
        let line = format!("! commitlog/{place:020} at {place}: {what}");
        assert_eq!(found, [line], "{number} {at}");
    }
    // inside of a file: behind its second record
    let store = store();
    let record = fs::read(file(store.path(), 1)).unwrap()[..4].try_into().unwrap();
    let second = 2 * u32::from_be_bytes(record) as usize;
    change(&file(store.path(), 1), second, &[0xEE; 20]);
    assert!(wrong(store.path())[0].contains(&format!("at {}: no record", 4096 + second)));
}

#[test]
fn a_record_with_another_offset_or_body_is_named() {
    let store = store();
    change(&file(store.path(), 1), 28, &[0, 0, 0, 0, 0, 0, 0, 9]);
    change(&file(store.path(), 2), 100, b"x");
    let found = wrong(store.path());
    assert!(found[0].ends_with("4096 it says that it lies at 9"), "{found:?}");
    assert!(found[1].ends_with("8192 its body does not have its checksum"), "{found:?}");
    assert_eq!(found.len(), 2);
}

#[test]
fn the_setting_for_the_length_of_log_files_counts_before_what_most_of_them_have() {
    let store = store();
    let mut options = DumpOptions::new(store.path());
    options.set("mappedFileSizeCommitLog", "8192").unwrap();
    let mut lines = TextLines::new(std::io::sink(), false);
    dump(&options, &mut |item| lines.item(item)).unwrap();
    assert!(lines.finish().unwrap() >= 5);
}

#[test]
fn a_log_folder_that_was_named_and_is_not_there_is_said() {
    let store = store();
    let mut options = DumpOptions::new(store.path());
    options.set("storePathCommitLog", "no/such/folder").unwrap();
    let mut found = Vec::new();
    dump(&options, &mut |item| {
        found.extend(matches!(item, Item::Unreadable { .. }).then(|| item.clone()));
        Ok(())
    })
    .unwrap();
    let (file, why) = ("no/such/folder".to_owned(), "it is not there".to_owned());
    assert_eq!(found, [Item::Unreadable { file, why }]);
}

#[test]
fn what_cannot_be_read_is_said_instead_of_counting_as_not_there() {
    let scratch = tempfile::tempdir().unwrap();
    // unreadable for everybody, the superuser too: each is a link to itself
    for name in ["abort", "lock", "checkpoint", "commitlog", "consumequeue", "index", "config"] {
        std::os::unix::fs::symlink(name, scratch.path().join(name)).unwrap();
    }
    let found = wrong(scratch.path());
    assert_eq!(found.len(), 7, "{found:?}");
    assert!(found.iter().all(|line| line.contains(" cannot be read: ")), "{found:?}");
}
