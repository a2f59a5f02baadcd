//! `cargo xtask test`: every test there is, suite by suite, with what was skipped and why.

use std::process::ExitCode;

use crate::suite::{Outcome, Report, Suite, all, budget, cargo, cargo_with, has};
use crate::tidy;

/// Machines without an operating system, for which core must build.
const BARE_TARGETS: [&str; 3] =
    ["thumbv7em-none-eabihf", "riscv64gc-unknown-none-elf", "x86_64-unknown-none"];

const SUITES: &[Suite] = &[
    Suite { name: "tidy", run: tidy::suite },
    Suite { name: "format", run: || cargo(&["fmt", "--all", "--check"]) },
    Suite { name: "lints", run: lints },
    Suite { name: "bare-machine-build", run: bare },
    Suite { name: "tests", run: tests },
    Suite { name: "docs", run: docs },
    Suite { name: "loom", run: loom },
    Suite { name: "miri", run: miri },
    Suite { name: "differential", run: differential },
    Suite { name: "fuzz", run: fuzz },
    Suite { name: "benches", run: benches },
];

/// What the arguments ask for.
#[derive(Debug, PartialEq, Eq)]
enum Wanted {
    Help,
    List,
    All,
    Only(String),
}

/// Runs what the arguments ask for.
pub(crate) fn run(args: &[String]) -> ExitCode {
    let only = match parse(args) {
        Ok(Wanted::Help) => return crate::help(),
        Ok(Wanted::List) => {
            SUITES.iter().for_each(|s| println!("{}", s.name));
            return ExitCode::SUCCESS;
        }
        Ok(Wanted::All) => None,
        Ok(Wanted::Only(name)) => Some(name),
        Err(why) => return crate::wrong(&why),
    };
    let wanted = |s: &&Suite| only.as_deref().is_none_or(|name| name == s.name);
    let reports: Vec<Report> = SUITES.iter().filter(wanted).map(Suite::report).collect();
    summary(&reports)
}

fn parse(args: &[String]) -> Result<Wanted, String> {
    let names = || SUITES.iter().map(|s| s.name).collect::<Vec<_>>().join(", ");
    let mut wanted = Wanted::All;
    let mut args = args.iter().map(String::as_str);
    while let Some(arg) = args.next() {
        let next = match arg {
            "--help" | "-h" => return Ok(Wanted::Help),
            "--list" => Wanted::List,
            "--only" => match args.next() {
                Some(name) if SUITES.iter().any(|s| s.name == name) => Wanted::Only(name.into()),
                Some(name) => return Err(format!("no suite '{name}'; there are {}", names())),
                None => return Err(format!("--only needs the name of a suite: {}", names())),
            },
            other => {
                let suites = names();
                return Err(format!("'{other}' is no option of 'test'; its suites are {suites}"));
            }
        };
        if wanted != Wanted::All {
            return Err("one --only or --list is enough".to_owned());
        }
        wanted = next;
    }
    Ok(wanted)
}

fn summary(reports: &[Report]) -> ExitCode {
    println!("\n{:<20} {:>6}  outcome", "suite", "s");
    let (mut passed, mut failed, mut skipped) = (0, 0, 0);
    for r in reports {
        let word = match &r.outcome {
            Outcome::Passed => {
                passed += 1;
                "passed".to_owned()
            }
            Outcome::Failed(why) => {
                failed += 1;
                format!("FAILED: {why}")
            }
            Outcome::Skipped(why) => {
                skipped += 1;
                format!("skipped: {why}")
            }
        };
        println!("{:<20} {:>6.0}  {word}", r.name, r.took.as_secs_f64());
    }
    println!("suites: {passed} passed, {failed} failed, {skipped} skipped");
    if failed == 0 && passed > 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn lints() -> Outcome {
    cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"])
}

/// Core and the memory medium for machines that have neither `std` nor an allocator.
fn bare() -> Outcome {
    for target in BARE_TARGETS {
        if !has("rustup", &["target", "add", target]) {
            return Outcome::Skipped(format!("target {target} cannot be had"));
        }
    }
    for target in BARE_TARGETS {
        let built =
            all(&[&|| cargo(&["build", "-p", "mqstore-core", "--target", target]), &|| {
                let backends = ["build", "-p", "mqstore-backends", "--no-default-features"];
                cargo(&[&backends[..], &["--target", target]].concat())
            }]);
        if !matches!(built, Outcome::Passed) {
            return built;
        }
    }
    Outcome::Passed
}

fn tests() -> Outcome {
    all(&[&|| cargo(&["test", "--workspace", "--all-targets"]), &|| {
        cargo(&["test", "--workspace", "--doc"])
    }])
}

fn docs() -> Outcome {
    let env = [("RUSTDOCFLAGS", "-D warnings")];
    cargo_with(&["doc", "--workspace", "--no-deps", "--quiet"], &env)
}

/// Marks, publish order, roll and group commit under every interleaving.
fn loom() -> Outcome {
    let env = [("RUSTFLAGS", "--cfg loom"), ("LOOM_MAX_PREEMPTIONS", "3")];
    let args = ["test", "--release", "-p", "mqstore-core", "--test", "loom"];
    cargo_with(&[&args[..], &["--target-dir", "target/loom"]].concat(), &env)
}

/// Parsers and the memory medium under Miri.
fn miri() -> Outcome {
    if !has("cargo", &["+nightly", "miri", "--version"])
        && !has("rustup", &["+nightly", "component", "add", "miri", "rust-src"])
        && !has("rustup", &["component", "add", "--toolchain", "nightly", "miri", "rust-src"])
    {
        return Outcome::Skipped("no nightly compiler with Miri".to_owned());
    }
    let env = [("MIRIFLAGS", "-Zmiri-disable-isolation")];
    let dir = ["--target-dir", "target/miri"];
    let core = ["+nightly", "miri", "test", "-p", "mqstore-core", "--lib", "--"];
    let parsers = ["record::parse", "record::props", "record::batch", "segment::", "offsets::"];
    let core = [&core[..], &parsers].concat();
    let mem = ["+nightly", "miri", "test", "-p", "mqstore-backends", "--features", "contract"];
    let contract = ["--test", "contract", "--", "mem::", "--skip", "over"];
    let mem = [&mem[..], &contract].concat();
    let with_dir = |args: &[&str]| {
        let at = args.iter().position(|a| *a == "--").unwrap_or(args.len());
        let (before, behind) = args.split_at(at);
        cargo_with(&[before, &dir, behind].concat(), &env)
    };
    all(&[&|| with_dir(&core), &|| with_dir(&mem)])
}

/// Random traces through RocketMQ's own store and through ours.
fn differential() -> Outcome {
    if !has("java", &["-version"]) || !has("mvn", &["-v"]) {
        return Outcome::Skipped("no java or no mvn".to_owned());
    }
    let traces = budget("MQSTORE_DIFF_TRACES", "60");
    let env = [("MQSTORE_DIFF_TRACES", traces.as_str())];
    let args = ["test", "--release", "-p", "mqstore-tools"];
    let tests = ["--test", "differential", "--test", "java_accepts", "--", "--nocapture"];
    cargo_with(&[&args[..], &tests].concat(), &env)
}

/// Each fuzz target for the seconds of `MQSTORE_FUZZ_SECONDS`.
fn fuzz() -> Outcome {
    if !has("cargo", &["+nightly", "fuzz", "--version"]) {
        return Outcome::Skipped("no nightly compiler with cargo-fuzz".to_owned());
    }
    let seconds = format!("-max_total_time={}", budget("MQSTORE_FUZZ_SECONDS", "10"));
    for target in ["record", "batch", "props"] {
        let args = ["+nightly", "fuzz", "run", target, "--", &seconds, "-verbosity=0"];
        let outcome = cargo(&args);
        if !matches!(outcome, Outcome::Passed) {
            return outcome;
        }
    }
    Outcome::Passed
}

/// Each benchmark once, so that none is broken.
fn benches() -> Outcome {
    cargo(&["bench", "-p", "mqstore-benches", "--", "--test"])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &[&str]) -> Result<Wanted, String> {
        parse(&words.iter().map(|w| (*w).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn what_is_asked_for_is_run_and_nothing_else() {
        assert_eq!(read(&[]), Ok(Wanted::All));
        assert_eq!(read(&["--only", "loom"]), Ok(Wanted::Only("loom".to_owned())));
        assert_eq!(read(&["--list"]), Ok(Wanted::List));
        for words in [&["--help"][..], &["-h"], &["--only", "loom", "--help"]] {
            assert_eq!(read(words), Ok(Wanted::Help));
        }
    }

    #[test]
    fn wrong_words_start_nothing_and_are_answered_with_the_names_of_the_suites() {
        for (words, what) in [
            (&["--ony", "loom"][..], "'--ony' is no option"),
            (&["loom"], "'loom' is no option"),
            (&["--only"], "--only needs the name"),
            (&["--only", "nope"], "no suite 'nope'"),
        ] {
            let why = read(words).unwrap_err();
            assert!(why.contains(what) && why.contains("tidy, format, lints"), "{why}");
        }
        assert!(read(&["--only", "loom", "--only", "miri"]).is_err());
        assert!(read(&["--list", "--only", "miri"]).is_err());
    }
}
