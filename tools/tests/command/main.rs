//! `mqstore replay` and `mqstore dump` as somebody at a terminal uses them.

mod work;

use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

const TRACE: &str = r#"# two messages, and what waits for reads
{"op":"open","config":{"mappedFileSizeCommitLog":4096},"clock":{"base":1700000000000,"step":1}}
{"op":"put","topic":"T","queueId":0,"body":"hello","tags":"TagA"}
{"op":"put","topic":"","queueId":0,"body":"no topic"}
{"op":"get","topic":"T","queueId":0,"offset":0}
{"op":"state"}
"#;

fn mqstore(words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_mqstore")).args(words).output().unwrap()
}

fn said(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// A folder with the trace in it.
fn folder() -> (TempDir, String, String) {
    let scratch = tempfile::tempdir().unwrap();
    let trace = scratch.path().join("trace.jsonl");
    std::fs::write(&trace, TRACE).unwrap();
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let store = text(&scratch.path().join("store"));
    (scratch, text(&trace), store)
}

#[test]
fn a_trace_is_answered_line_by_line_and_what_is_missing_is_counted() {
    let (_scratch, trace, store) = folder();
    let done = mqstore(&["replay", &trace, "--store", &store]);
    assert!(done.status.success());
    let lines: Vec<String> = said(&done.stdout).lines().map(str::to_owned).collect();
    assert_eq!(lines.len(), 5);
    assert_eq!(lines[0], r#"{"i":0,"op":"open","load":true,"minPhy":-1,"maxPhy":0}"#);
    assert_eq!(
        lines[1],
        r#"{"i":1,"op":"put","status":"PUT_OK","append":"PUT_OK","wroteOffset":0,"wroteBytes":106,"queueOffset":0,"storeTimestamp":1700000000001,"msgNum":1,"msgId":"7F00000100002A9F0000000000000000"}"#
    );
    assert!(lines[2].contains("PUT_OK"), "{}", lines[2]);
    assert_eq!(lines[3], r#"{"i":3,"op":"get","status":"not yet"}"#);
    assert!(said(&done.stderr).contains("2 operations are not built yet"));
    assert!(!Path::new(&store).join("abort").exists());
}

#[test]
fn corrected_answers_refuse_an_empty_topic() {
    let (_scratch, trace, store) = folder();
    for backend in ["mmap", "mem"] {
        let options = ["--backend", backend, "--answers", "corrected"];
        let words = [&["replay", &trace, "--store", &store][..], &options].concat();
        let done = mqstore(&words);
        let line = said(&done.stdout).lines().nth(2).unwrap().to_owned();
        assert_eq!(line, r#"{"i":2,"op":"put","status":"MESSAGE_ILLEGAL","append":null}"#);
    }
}

#[test]
fn a_crash_leaves_the_abort_file_and_every_message() {
    let (_scratch, trace, store) = folder();
    let done = mqstore(&["replay", &trace, "--store", &store, "--crash"]);
    assert!(done.status.success());
    assert!(Path::new(&store).join("abort").exists());
    let shown = said(&mqstore(&["dump", "--store", &store]).stdout);
    assert!(shown.contains("abort file   is there"), "{shown}");
    assert!(shown.contains("T/0 @0  2023-11-14T22:13:20.001Z  5 bytes  TAGS=TagA"), "{shown}");
    assert!(shown.lines().any(|line| line.trim_start().starts_with("106 ")), "{shown}");
}

#[test]
fn one_or_more_settings_may_follow_config() {
    let (_scratch, trace, store) = folder();
    let config = ["--config", "maxMessageSize=105", "brokerRole=SYNC_MASTER"];
    let words = [&["replay"][..], &config, &[&trace, "--store", &store]].concat();
    let done = mqstore(&words);
    let line = said(&done.stdout).lines().nth(1).unwrap().to_owned();
    assert_eq!(line, r#"{"i":1,"op":"put","status":"MESSAGE_ILLEGAL","append":null}"#);
}

#[test]
fn wrong_words_are_told_and_end_with_code_2() {
    let (_scratch, trace, store) = folder();
    let wrong: [(&[&str], &str); 9] = [
        (&["nosuch"], "there is no command 'nosuch'"),
        (&["replay"], "missing the trace"),
        (&["replay", &trace], "missing --store"),
        (&["replay", "/no/such/trace", "--store", &store], "/no/such/trace"),
        (&["replay", &trace, "--store", &store, "--config", "x"], "name=value"),
        (&["replay", &trace, "--store", &store, "--config", "noSuchName=1"], "noSuchName"),
        (&["replay", &trace, "--store", &store, "--backend", "raw"], "one of mmap, mem, not"),
        (&["dump", "--store", "/no/such/folder"], "no folder"),
        (&["dump", "--store", &store, "--from", "x"], "x"),
    ];
    for (words, why) in wrong {
        let done = mqstore(words);
        assert_eq!(done.status.code(), Some(2), "{words:?}");
        assert!(said(&done.stderr).contains(why), "{words:?}: {}", said(&done.stderr));
    }
}

#[test]
fn a_folder_that_is_no_store_or_cannot_be_read_is_no_success() {
    let scratch = tempfile::tempdir().unwrap();
    let root = scratch.path();
    std::fs::write(root.join("some file"), "x").unwrap();
    let no_store = |folder: &Path, what: &str| {
        let done = mqstore(&["dump", "--store", &folder.to_string_lossy()]);
        assert_eq!(done.status.code(), Some(1), "{folder:?}");
        assert!(said(&done.stderr).contains(what), "{}", said(&done.stderr));
        assert!(done.stdout.is_empty(), "{}", said(&done.stdout));
    };
    no_store(root, "no store in ");
    std::fs::create_dir(root.join("log")).unwrap();
    std::fs::write(root.join("log/00000000000000000000"), "x").unwrap();
    no_store(&root.join("log"), "the one that holds 'commitlog'");
    // what the superuser may not follow either
    std::os::unix::fs::symlink("round", root.join("round")).unwrap();
    no_store(&root.join("round"), "round: ");
    std::os::unix::fs::symlink("commitlog", root.join("commitlog")).unwrap();
    for more in ["--entries", "--json"] {
        let done = mqstore(&["dump", "--store", &root.to_string_lossy(), more]);
        assert_eq!(done.status.code(), Some(1), "{more}");
        let all = said(&done.stdout) + &said(&done.stderr);
        assert!(all.contains("commitlog cannot be read: "), "{all}");
    }
}

#[test]
fn every_command_explains_itself() {
    for command in ["dump", "replay"] {
        let help = said(&mqstore(&[command, "--help"]).stdout);
        assert!(help.starts_with(&format!("mqstore {command}: ")), "{help}");
        assert_eq!(said(&mqstore(&["help", command]).stdout), help);
        assert!(said(&mqstore(&["--help"]).stdout).contains(command));
    }
}

#[test]
fn a_running_store_can_be_looked_into() {
    let scratch = tempfile::tempdir().unwrap();
    let store = mqstore::Store::open(scratch.path()).unwrap();
    let result = store.put(&mqstore::Message::new("Running", 7, b"body"));
    assert_eq!(result.status, mqstore::PutMessageStatus::PutOk);
    let root = scratch.path().to_string_lossy();
    let shown = said(&mqstore(&["dump", "--store", &root, "--limit", "5"]).stdout);
    assert!(shown.contains("Running/7 @0"), "{shown}");
    store.close().unwrap();
}
