//! The developer's chores: `cargo xtask test`, `cargo xtask tidy`, `cargo xtask compare`.
#![warn(clippy::unwrap_used)]

use std::process::ExitCode;

mod compare;
mod suite;
mod test;
mod tidy;

const USAGE: &str = "\
usage: cargo xtask <chore>

  test [--only NAME] [--list]  every test there is; prints what was skipped, and why
  tidy                         style as a test: line and function length, comments, and no path of
                               somebody's machine
  compare [--quick] ...        RocketMQ's store and ours side by side; --help says more
";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let rest = args.get(1..).unwrap_or_default();
    match args.first().map(String::as_str) {
        Some("test") => test::run(rest),
        Some("compare") => compare::run(rest),
        Some("tidy") => tidy::run(rest),
        Some("--help" | "-h" | "help") => help(),
        Some(other) => wrong(&format!("there is no chore '{other}'")),
        None => wrong("which chore?"),
    }
}

fn help() -> ExitCode {
    print!("{USAGE}");
    ExitCode::SUCCESS
}

fn wrong(why: &str) -> ExitCode {
    eprint!("xtask: {why}\n\n{USAGE}");
    ExitCode::from(2)
}
