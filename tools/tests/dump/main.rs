//! `dump` on folders that the Java store wrote, whole and damaged.

mod damage;
#[path = "../support/mod.rs"]
mod support;

use mqstore_tools::dump::{DumpOptions, TextLines, dump, to_json};
use mqstore_tools::json::line;
use mqstore_tools::replay::data::SplitMix;
use std::path::Path;
use support::Case;

const CASES: [&str; 25] = [
    "a-basic",
    "a-offset-by-time",
    "a-transfer-limits",
    "b-ipv6",
    "b-ipv6-flag-mismatch",
    "c-batch",
    "d-transaction",
    "e-delay",
    "e-delay-deliver",
    "e-delay-levels-config",
    "f-lmq",
    "f-lmq-limit",
    "f-lmq-no-properties",
    "f-multidispatch-without-lmq",
    "g-oversize",
    "g-roll",
    "g-roll-batch",
    "g-slave-append",
    "h-flags-sticky",
    "h-illegal",
    "h-multidispatch-overflow",
    "h-topic-bytes",
    "l-transient",
    "l-transient-crash",
    "n-sync-flush",
];

fn options(case: &Case, root: &Path) -> DumpOptions {
    let mut options = DumpOptions::new(root);
    for (name, value) in case.trace().config() {
        options.set(&name, &value).unwrap();
    }
    options
}

fn json(options: &DumpOptions) -> String {
    let mut text = String::new();
    dump(options, &mut |item| {
        if let Some(object) = to_json(item) {
            text += &(line(&object) + "\n");
        }
        Ok(())
    })
    .unwrap();
    text
}

#[test]
fn every_golden_folder_is_shown_as_java_shows_it() {
    for name in CASES {
        let case = Case::open(name);
        let ours = json(&options(&case, &case.store()));
        let java = case.dump();
        for (i, (ours, java)) in ours.lines().zip(java.lines()).enumerate() {
            assert_eq!(ours, java, "{name}, line {}", i + 1);
        }
        assert_eq!(ours.lines().count(), java.lines().count(), "{name}");
    }
}

#[test]
fn a_part_of_the_log_can_be_asked_for() {
    let case = Case::open("g-roll");
    let mut options = options(&case, &case.store());
    options.from = Some(4097);
    options.limit = Some(3);
    let shown = json(&options);
    let offsets: Vec<u64> = support::parse_lines(&shown)
        .iter()
        .filter(|o| o["t"] == "msg")
        .map(|o| o["off"].as_u64().unwrap())
        .collect();
    assert_eq!(offsets.len(), 3);
    assert!(offsets.is_sorted() && offsets[0] >= 4097, "{offsets:?}");
    assert!(!shown.contains("cqTail") && !shown.contains("checkpoint"));
}

#[test]
fn whatever_the_bytes_are_something_is_shown_and_it_ends() {
    let case = Case::open("g-roll-batch");
    let root = case.store();
    let mut files = Vec::new();
    collect(&root, &mut files);
    files.sort();
    let mut random = SplitMix(7);
    let mut below = |n: usize| usize::try_from(random.next_u64() % (n as u64)).unwrap();
    for _ in 0..300 {
        let path = &files[below(files.len())];
        let mut bytes = std::fs::read(path).unwrap();
        match below(4) {
            0 => bytes.truncate(below(bytes.len() + 1)),
            1 => bytes.extend_from_slice(&[0xFF; 37]),
            _ => {
                for _ in 0..=below(40) {
                    if !bytes.is_empty() {
                        let at = below(bytes.len());
                        bytes[at] = [0, 1, 0x7F, 0x80, 0xFF][below(5)];
                    }
                }
            }
        }
        std::fs::write(path, &bytes).unwrap();
        let mut options = options(&case, &root);
        (options.file_sha, options.record_sha) = (false, false);
        assert!(json(&options).contains("\"t\":\"store\""));
        options.from = Some(below(100_000) as u64);
        let mut lines = TextLines::new(std::io::sink(), true);
        dump(&options, &mut |item| lines.item(item)).unwrap();
        lines.finish().unwrap();
    }
}

#[test]
fn a_record_that_claims_to_be_huge_costs_nothing() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path().join("commitlog");
    std::fs::create_dir(&folder).unwrap();
    let file = std::fs::File::create(folder.join("00000000000000000000")).unwrap();
    // sparse: a record that claims a gigabyte, of which a body claims nearly all
    file.set_len(1 << 30).unwrap();
    let mut head = [0; 92];
    head[..4].copy_from_slice(&(1_u32 << 30).to_be_bytes());
    head[4..8].copy_from_slice(&0xDAA3_20A7_u32.to_be_bytes());
    head[84..88].copy_from_slice(&i32::MAX.to_be_bytes());
    std::os::unix::fs::FileExt::write_all_at(&file, &head, 0).unwrap();
    let mut options = DumpOptions::new(scratch.path());
    (options.file_sha, options.record_sha) = (false, false);
    assert!(json(&options).contains("\"decoded\":false"));
}

#[test]
fn what_is_no_store_is_named_and_passed_over() {
    let scratch = tempfile::tempdir().unwrap();
    let root = scratch.path();
    std::fs::create_dir_all(root.join("commitlog/a folder")).unwrap();
    std::fs::write(root.join("commitlog/stray.txt"), b"hello").unwrap();
    std::fs::create_dir_all(root.join("consumequeue/T/not a number")).unwrap();
    std::fs::write(root.join("consumequeue/T/not a number/00000000000000000000"), [0; 20]).unwrap();
    std::fs::write(root.join("checkpoint"), [1, 2, 3]).unwrap();
    let mut out = Vec::new();
    let mut lines = TextLines::new(&mut out, false);
    dump(&DumpOptions::new(root), &mut |item| lines.item(item)).unwrap();
    assert_eq!(lines.finish().unwrap(), 4);
    let text = String::from_utf8(out).unwrap();
    for what in ["a folder at 0: not a regular file", "stray.txt", "not a number", "only 3 bytes"] {
        assert!(text.contains(what), "{what} in\n{text}");
    }
}

fn collect(folder: &Path, files: &mut Vec<std::path::PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { collect(&path, files) } else { files.push(path) }
    }
}
