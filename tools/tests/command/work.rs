//! `mqstore bench` and `mqstore demo` as somebody at a terminal uses them.

use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

#[test]
fn an_interrupted_command_removes_its_folder_unless_it_is_to_be_kept() {
    let bench = ["bench", "--seconds", "60", "--file-size", "1m"];
    let demo = ["demo", "--messages", "1000000000"];
    for (words, signal, keep) in [
        (&bench[..], "INT", false),
        (&bench, "TERM", false),
        (&bench, "INT", true),
        (&demo, "INT", false),
    ] {
        let scratch = tempfile::tempdir().unwrap();
        let folder = scratch.path().join("folder");
        let mut command = Command::new(env!("CARGO_BIN_EXE_mqstore"));
        command.args(words).arg("--store").arg(&folder).args(keep.then_some("--keep"));
        let mut child = command.stdout(Stdio::null()).spawn().unwrap();
        wait_for(&folder.join("commitlog/00000000000000000000"));
        let kill = format!("kill -{signal} {}", child.id());
        assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
        assert!(!child.wait().unwrap().success());
        assert_eq!(folder.exists(), keep, "{words:?}");
    }
}

/// What `mqstore bench` with these words says, and its exit code.
fn bench(words: &str) -> (String, String, Option<i32>) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mqstore"));
    let done = command.arg("bench").args(words.split(' ')).output().unwrap();
    let said = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (said(done.stdout), said(done.stderr), done.status.code())
}

#[test]
fn settings_that_make_no_sense_are_told_before_anything_else() {
    for (words, what) in [
        ("--backend raw", "--backend is one of mmap, mem, not 'raw'"),
        ("--config noSuch=1", "noSuch"),
        ("--config deleteWhen=x", "deleteWhen"),
        ("--backend mem --file-size 1g", "mappedFileSizeCommitLog = '1073741824'"),
    ] {
        let (out, err, code) = bench(words);
        assert_eq!((out.as_str(), code), ("", Some(2)), "{words}: {err}");
        assert!(err.contains(what), "{words}: {err}");
    }
}

#[test]
fn a_store_in_memory_has_no_folder_and_refused_puts_no_latencies() {
    let (out, _, code) = bench("--backend mem --count 100");
    assert!(code == Some(0) && !out.contains("folder") && !out.contains("p50 -"), "{out}");
    let refuse = "--backend mem --count 5 --config maxMessageSize=10";
    let (out, _, code) = bench(refuse);
    assert_eq!(code, Some(1));
    assert!(out.contains("p50 -, p99 -, p99.9 -, max -"), "{out}");
    let (out, _, _) = bench(&format!("{refuse} --json"));
    assert!(out.contains("\"p50us\":null,\"p99us\":null"), "{out}");
}

fn wait_for(file: &Path) {
    let begun = Instant::now();
    while !file.exists() {
        assert!(begun.elapsed() < Duration::from_secs(60), "no {}", file.display());
        sleep(Duration::from_millis(10));
    }
}
