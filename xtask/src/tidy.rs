//! Style as a test: what a reader would trip over.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use crate::suite::{Outcome, root};

const LINE_MAX: usize = 100;
const FILE_MAX: usize = 500;
const FUNCTION_MAX: usize = 70;

/// Folders of somebody's machine: a path into one of them means nothing on another.
const MACHINE_FOLDERS: [&str; 5] = ["tmp", "home", "work", "root", "Users"];

/// `cargo xtask tidy`
pub(crate) fn run(args: &[String]) -> ExitCode {
    match args.first().map(String::as_str) {
        Some("--help" | "-h") => return crate::help(),
        Some(other) => return crate::wrong(&format!("tidy takes no '{other}'")),
        None => {}
    }
    match suite() {
        Outcome::Passed => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}

/// The same as a suite.
pub(crate) fn suite() -> Outcome {
    let mut found = Vec::new();
    for file in tracked() {
        // what is no text has no style
        let Ok(text) = fs::read_to_string(root().join(&file)) else { continue };
        if file.extension().is_some_and(|e| e == "rs") {
            check(&file, &text, &mut found);
        }
        if !is_test(&file) {
            machine_paths(&file, &text, &mut found);
        }
    }
    for line in &found {
        println!("{line}");
    }
    match found.len() {
        0 => Outcome::Passed,
        n => Outcome::Failed(format!("{n} places to tidy")),
    }
}

/// The repository's files.
fn tracked() -> Vec<PathBuf> {
    let listed = Command::new("git")
        .args(["ls-files", "--cached", "--others", "--exclude-standard"])
        .current_dir(root())
        .output();
    let text = listed.map(|o| String::from_utf8_lossy(&o.stdout).into_owned()).unwrap_or_default();
    text.lines().map(PathBuf::from).collect()
}

fn is_test(file: &Path) -> bool {
    file.components().any(|c| c.as_os_str() == "tests")
        || file.file_stem().is_some_and(|s| s == "tests")
}

/// Names the lines with an absolute path into a folder of somebody's machine.
fn machine_paths(file: &Path, text: &str, found: &mut Vec<String>) {
    for (i, line) in text.lines().enumerate() {
        if let Some(folder) = MACHINE_FOLDERS.iter().find(|folder| has_path(line, folder)) {
            let place = format!("{}:{}", file.display(), i + 1);
            found.push(format!("{place}: a path of somebody's machine, below /{folder}"));
        }
    }
}

fn has_path(line: &str, folder: &str) -> bool {
    let path = format!("/{folder}/");
    line.match_indices(&path).any(|(at, _)| {
        // behind a name it is a relative path, or a part of a URL
        let before = line.get(..at).and_then(|l| l.chars().next_back());
        !before.is_some_and(|c| c.is_alphanumeric() || "._-~$})>*".contains(c))
    })
}

fn check(file: &Path, text: &str, found: &mut Vec<String>) {
    let mut say =
        |line: usize, what: &str| found.push(format!("{}:{line}: {what}", file.display()));
    let is_test = is_test(file);
    let first = text.lines().find(|l| !l.starts_with("#!") && !l.trim().is_empty());
    if !is_test && !first.is_some_and(|l| l.starts_with("//!")) {
        say(1, "the file does not begin with a sentence that says its idea");
    }
    let lines = text.lines().count();
    if lines > FILE_MAX && !is_test {
        say(lines, &format!("{lines} lines: one idea per file"));
    }
    for (i, line) in text.lines().enumerate() {
        // a text cannot be broken without changing it
        if line.chars().count() > LINE_MAX && !line.contains('"') {
            say(i + 1, "longer than 100 columns");
        }
        if line.contains("#[allow(") && !line.contains("reason") {
            say(i + 1, "a bare allow: expect with a reason is better");
        }
        if line.trim_start().starts_with("#[ignore") {
            say(i + 1, "an ignored test");
        }
    }
    for (start, len) in functions(text) {
        if len > FUNCTION_MAX {
            say(start, &format!("a function of {len} lines"));
        }
    }
}

/// First line and length of each function, found by its indentation.
fn functions(text: &str) -> Vec<(usize, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut out = Vec::new();
    for (i, line) in lines.iter().enumerate() {
        let body = line.trim_start();
        let indent = line.len() - body.len();
        let starts = ["fn ", "pub fn ", "pub(crate) fn ", "pub(super) fn ", "unsafe fn "];
        if !starts.iter().any(|s| body.starts_with(s)) || body.ends_with(';') {
            continue;
        }
        let end = format!("{}}}", " ".repeat(indent));
        if let Some(n) = lines.iter().skip(i).position(|l| *l == end) {
            out.push((i + 1, n + 1));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_of_somebodys_machine_is_found_and_relative_ones_and_urls_are_not() {
        for folder in MACHINE_FOLDERS {
            for line in ["see /@/x", "\"/@/x\"", "(`/@/x`)", "PATH=/@/x", "a:/@/x"] {
                let line = line.replace('@', folder);
                let mut found = Vec::new();
                machine_paths(Path::new("docs/a.md"), &format!("fine\n{line}"), &mut found);
                let what = format!("docs/a.md:2: a path of somebody's machine, below /{folder}");
                assert_eq!(found, [what], "{line}");
            }
            for line in ["target/@/x", "https://a.org/@/x", "$X/@/x", "/@s/x", "//! @/x", "~/@/x"] {
                assert!(!has_path(&line.replace('@', folder), folder), "{line}");
            }
        }
    }
}
