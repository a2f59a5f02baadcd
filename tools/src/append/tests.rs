use super::*;

use std::fs;

const SMALL: &str = "mappedFileSizeCommitLog=65536";

fn append_to(folder: &std::path::Path, text: &[u8], more: &[&str]) -> Result<ExitCode, CliError> {
    let file = folder.join("input");
    fs::write(&file, text).unwrap();
    let (store, file) = (folder.join("store"), file.to_string_lossy().into_owned());
    let store = store.to_string_lossy();
    let mut words = vec!["--store", store.as_ref(), "--topic", "lines", "--file", file.as_str()];
    words.extend(more);
    words.extend(["--config", SMALL]);
    run(&mut Parser::from_args(words))
}

fn log_of(folder: &std::path::Path) -> Vec<u8> {
    fs::read(folder.join("store/commitlog/00000000000000000000")).unwrap()
}

fn holds(log: &[u8], bytes: &[u8]) -> bool {
    log.windows(bytes.len()).any(|w| w == bytes)
}

#[test]
fn lines_become_messages_also_behind_those_of_an_earlier_call() {
    let folder = tempfile::tempdir().unwrap();
    append_to(folder.path(), b"first\nse\xffcond\n", &["--tags", "T1", "--keys", "a b"]).unwrap();
    append_to(folder.path(), b"third", &["--sync", "--queue", "3"]).unwrap();
    let log = log_of(folder.path());
    for bytes in [&b"first\x05lines"[..], b"se\xffcond\x05lines", b"third\x05lines"] {
        assert!(holds(&log, bytes), "{bytes:?}");
    }
    assert!(holds(&log, b"TAGS\x01T1\x02KEYS\x01a b"));
}

#[test]
fn the_first_refused_line_ends_it_and_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let mut text = b"good\n".to_vec();
    text.extend(vec![b'x'; 70_000]);
    text.extend(b"\nnever put\n");
    match append_to(folder.path(), &text, &[]) {
        Err(CliError::Failed(why)) => assert!(why.contains("line 2 (70000 bytes)"), "{why}"),
        other => panic!("{other:?}"),
    }
    let log = log_of(folder.path());
    assert!(holds(&log, b"good\x05lines") && !holds(&log, b"never put"));
}

#[test]
fn a_missing_file_makes_no_store() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    let words = ["--store", &store.to_string_lossy(), "--topic", "t", "--file", "not-there"]
        .map(str::to_owned);
    assert!(matches!(run(&mut Parser::from_args(words)), Err(CliError::Failed(_))));
    assert!(!store.exists());
}
