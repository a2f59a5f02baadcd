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

fn wait_for(file: &Path) {
    let begun = Instant::now();
    while !file.exists() {
        assert!(begun.elapsed() < Duration::from_secs(60), "no {}", file.display());
        sleep(Duration::from_millis(10));
    }
}
