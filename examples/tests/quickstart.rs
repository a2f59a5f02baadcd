//! Runs the quickstart, and compares what it prints.

use std::process::Command;

/// A record has 91 bytes besides body, topic and properties.
const EXPECTED: &str = "\
single     1 at 0, 131 bytes, queue offset 0
batch      3 at 131, 316 bytes, queue offset 0
           message id 7F00000100002A9F0000000000000083
           message id 7F00000100002A9F00000000000000EC
           message id 7F00000100002A9F0000000000000156
prepared   1 at 447, 117 bytes, queue offset 0
committed  1 at 564, 117 bytes, queue offset 0
delayed    1 at 681, 163 bytes, queue offset 0
flushed    up to 844
";

#[test]
fn the_quickstart_prints_where_its_messages_lie() {
    let folder = tempfile::tempdir().unwrap();
    let run = |folder| Command::new(env!("CARGO_BIN_EXE_quickstart")).arg(folder).output().unwrap();

    let output = run(folder.path());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(String::from_utf8_lossy(&output.stdout), EXPECTED);

    // the second time it goes on where it has ended
    let output = run(folder.path());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.starts_with("single     1 at 844, 131 bytes, queue offset 1\n"), "{text}");
}
