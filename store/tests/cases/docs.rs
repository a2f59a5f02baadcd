//! The documents say what the code says.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use mqstore::config::{MessageStoreConfig, Use};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn document(name: &str) -> String {
    fs::read_to_string(root().join("docs").join(name)).unwrap()
}

/// The cells of a line of a table; `\|` is not used.
fn cells(line: &str) -> Vec<&str> {
    line.trim_matches('|').split('|').map(str::trim).collect()
}

#[test]
fn the_settings_in_the_document_are_those_of_the_code() {
    let text = document("compatibility.md");
    let (_, table) = text.split_once("## The 77 settings").unwrap();
    let table = table.split("\n## ").next().unwrap();
    let rows: Vec<_> = table.lines().filter(|l| l.starts_with("| `")).collect();
    let fields = MessageStoreConfig::default().fields();
    assert_eq!(rows.len(), fields.len());
    let count = |state| rows.iter().filter(|row| cells(row)[1] == state).count();
    let (used, not_yet, never) = (count("used"), count("not yet"), count("never"));
    let counts = format!("{used} are used, {not_yet} not yet, {never} never");
    assert!(text.contains(&counts), "{counts}");
    for (row, field) in rows.iter().zip(fields) {
        let (state, why) = match field.usage {
            Use::Used(by) => ("used", by),
            Use::NotYet(with) => ("not yet", with),
            Use::Never(why) => ("never", why),
        };
        let live = if field.live { "live" } else { "at open" };
        assert_eq!(cells(row), [&format!("`{}`", field.name), state, live, why], "{row}");
    }
}

/// Every source file below a folder.
fn sources(folder: &Path, into: &mut String) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && path.file_name().is_some_and(|n| n != "target") {
            sources(&path, into);
        } else if path.extension().is_some_and(|e| e == "rs") {
            into.push_str(&fs::read_to_string(&path).unwrap());
        }
    }
}

fn all_sources() -> String {
    let mut all = String::new();
    for part in ["core", "backends", "store", "tools", "examples", "xtask", "fuzz"] {
        sources(&root().join(part), &mut all);
    }
    all
}

#[test]
fn every_test_that_the_documents_name_is_there() {
    let code = all_sources();
    for name in ["compatibility.md", "cases.md"] {
        // a code span of at least four words is the name of a test
        for span in document(name).split('`').skip(1).step_by(2) {
            let word = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
            if span.matches('_').count() >= 3 && span.chars().all(word) {
                assert!(code.contains(&format!("fn {span}")), "{name} names {span}");
            }
        }
    }
}

#[test]
fn the_list_of_cases_has_each_of_the_78_once() {
    let text = document("cases.md");
    let ids: Vec<_> =
        text.lines().filter(|l| l.starts_with("| C-")).map(|l| cells(l)[0].to_owned()).collect();
    let wanted: BTreeSet<_> = (1..=78).map(|n| format!("C-{n:02}")).collect();
    assert_eq!(ids.len(), 78);
    assert_eq!(ids.into_iter().collect::<BTreeSet<_>>(), wanted);
    // each test of this target is in the list
    let mut code = String::new();
    sources(&root().join("store/tests/cases"), &mut code);
    for (at, _) in code.match_indices("\nfn c_") {
        let name = code[at + 4..].split('(').next().unwrap();
        assert!(text.contains(&format!("`{name}`")), "{name} is not in the list");
    }
}
