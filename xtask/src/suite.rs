//! One suite of tests: what it needs, what it runs, and how long that took.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// How a suite has ended.
pub(crate) enum Outcome {
    /// All of it passed.
    Passed,
    /// Something failed.
    Failed(String),
    /// It cannot run here, for this reason.
    Skipped(String),
}

/// A suite with its name.
pub(crate) struct Suite {
    /// What `--only` takes.
    pub(crate) name: &'static str,
    /// Runs it.
    pub(crate) run: fn() -> Outcome,
}

/// A suite that has run.
pub(crate) struct Report {
    pub(crate) name: &'static str,
    pub(crate) outcome: Outcome,
    pub(crate) took: Duration,
}

impl Suite {
    /// Runs the suite and says so.
    pub(crate) fn report(&self) -> Report {
        println!("\n=== {} ===", self.name);
        let start = Instant::now();
        let outcome = (self.run)();
        let took = start.elapsed();
        let word = match &outcome {
            Outcome::Passed => "passed".to_owned(),
            Outcome::Failed(why) => format!("FAILED: {why}"),
            Outcome::Skipped(why) => format!("skipped: {why}"),
        };
        println!("=== {}: {word} ({:.0} s) ===", self.name, took.as_secs_f64());
        Report { name: self.name, outcome, took }
    }
}

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map_or_else(PathBuf::new, Path::to_path_buf)
}

/// Runs cargo with these arguments in the repository's root.
pub(crate) fn cargo(args: &[&str]) -> Outcome {
    cargo_with(args, &[])
}

/// The same, with these environment variables.
pub(crate) fn cargo_with(args: &[&str], env: &[(&str, &str)]) -> Outcome {
    let mut command = Command::new("cargo");
    command.args(args).current_dir(root());
    // cargo sets these for its children, and a child for another toolchain must not see them
    for inherited in ["CARGO", "RUSTC", "RUSTDOC", "RUSTUP_TOOLCHAIN", "RUSTFLAGS"] {
        command.env_remove(inherited);
    }
    for (name, value) in env {
        command.env(name, value);
    }
    run(command)
}

/// Runs a command to its end.
pub(crate) fn run(mut command: Command) -> Outcome {
    println!("$ {}", shown(&command));
    match command.status() {
        Ok(status) if status.success() => Outcome::Passed,
        Ok(status) => Outcome::Failed(format!("{} ended with {status}", shown(&command))),
        Err(e) => Outcome::Failed(format!("{}: {e}", shown(&command))),
    }
}

fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|w| w.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
}

/// Runs several steps until one does not pass.
pub(crate) fn all(steps: &[&dyn Fn() -> Outcome]) -> Outcome {
    for step in steps {
        match step() {
            Outcome::Passed => {}
            other => return other,
        }
    }
    Outcome::Passed
}

/// Whether a command runs at all.
pub(crate) fn has(program: &str, args: &[&str]) -> bool {
    let mut command = Command::new(program);
    command.args(args).current_dir(root());
    for inherited in ["CARGO", "RUSTC", "RUSTDOC", "RUSTUP_TOOLCHAIN"] {
        command.env_remove(inherited);
    }
    command.output().is_ok_and(|o| o.status.success())
}

/// A number from the environment, for suites whose length is a budget.
pub(crate) fn budget(name: &str, default: &str) -> String {
    std::env::var(name).ok().filter(|v| !v.is_empty()).unwrap_or_else(|| default.to_owned())
}
