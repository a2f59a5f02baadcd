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

#[test]
fn one_is_one_and_a_whole_input_is_no_line() {
    let folder = tempfile::tempdir().unwrap();
    let words = ["--store", "d", "--topic", "t"];
    let options = Options::parse(&mut Parser::from_args(words)).unwrap().unwrap();
    let one = Some((7, 3));
    let mut done = Done { messages: 1, body_bytes: 9, first: one, last: one };
    let text = "1 message acknowledged (9 B of bodies) in t, queue 0: log offset 7, queue offset 3";
    assert_eq!(done.text(&options), text);
    (done.messages, done.last) = (2, Some((107, 4)));
    let text = done.text(&options);
    assert!(text.starts_with("2 messages ") && text.ends_with("queue offsets 3 to 4"), "{text}");

    let long = vec![b'x'; 70_000];
    let refusal = |input: &[u8], more: &[&str]| match append_to(folder.path(), input, more) {
        Err(CliError::Failed(why)) => why,
        other => panic!("{other:?}"),
    };
    let why = refusal(&long, &["--whole"]);
    assert!(why.starts_with("the input (70000 bytes) is not"), "{why}");
    let why = refusal(b"x", &["--keys", &"k".repeat(40_000)]);
    assert!(why.starts_with("line 1 (1 byte) is not"), "{why}");
}
