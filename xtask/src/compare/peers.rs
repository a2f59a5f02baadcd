//! Harnesses for other logs, each a folder with a `run.sh` that prints `RESULT` lines.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use super::case::CASES;
use super::options::Options;
use super::report::Report;
use super::run::Ground;

/// Runs every harness in the folder; one that cannot run is said to be skipped.
pub(super) fn run(
    folder: &Path,
    options: &Options,
    ground: &Ground,
    report: &Report,
) -> Result<(), String> {
    let entries = fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut names: Vec<String> = entries
        .flatten()
        .filter(|e| e.path().join("run.sh").is_file())
        .map(|e| e.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    if names.is_empty() {
        return Err(format!("{} has no folders with a run.sh", folder.display()));
    }
    for name in names {
        eprintln!("compare: {name}");
        let output = harness(&folder.join(&name), &name, options, ground)?;
        let text = String::from_utf8_lossy(&output.stdout);
        for line in text.lines().filter_map(|l| l.strip_prefix("RESULT ")) {
            report.peer(&name, line);
        }
        if !output.status.success() {
            let words = String::from_utf8_lossy(&output.stderr);
            let mut lines = words.lines().filter(|l| !l.trim().is_empty());
            let why = lines.clone().find(|l| l.contains("rror")).or(lines.next_back());
            let (status, why) = (output.status, why.unwrap_or_default());
            report.peer(&name, &format!("SKIPPED: run.sh ended with {status}: {why}"));
        }
    }
    Ok(())
}

fn harness(
    folder: &Path,
    name: &str,
    options: &Options,
    ground: &Ground,
) -> Result<std::process::Output, String> {
    let wanted = CASES.iter().filter(|c| options.wants(c.name) && !c.sync);
    let mut bodies: Vec<u64> = wanted.clone().map(|c| c.body).collect();
    let mut writers: Vec<u64> = wanted.map(|c| c.writers).collect();
    for list in [&mut bodies, &mut writers] {
        list.sort_unstable();
        list.dedup();
    }
    let mut command = Command::new(folder.join("run.sh"));
    command.stdin(Stdio::null());
    command.env("SCRATCH", ground.fresh()?);
    command.env("BUILD", ground.folder().join("build").join(name));
    for (variable, list) in [("BODIES", bodies), ("TLIST", writers)] {
        if !list.is_empty() {
            let words: Vec<String> = list.iter().map(u64::to_string).collect();
            command.env(variable, words.join(" "));
        }
    }
    if options.quick {
        command.envs([("SECS", "2"), ("NSYNC", "2000")]);
    }
    command.output().map_err(|e| format!("{}: {e}", folder.join("run.sh").display()))
}
