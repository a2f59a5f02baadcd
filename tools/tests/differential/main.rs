//! Random traces through the Java store and through ours: every answer, every byte.
//!
//! `MQSTORE_DIFF_TRACES` says how many (24 unless set), `MQSTORE_DIFF_SEED` which ones, and
//! `MQSTORE_DIFF_JOBS` how many Java runs at the same time. Traces that differ stay in the folder
//! that the failure names.

use std::collections::BTreeMap;
use std::path::PathBuf;

use mqstore_tools::differential::{Java, KINDS, RULES, Round, generate, run};

fn number(variable: &str, default: u64) -> u64 {
    let Ok(text) = std::env::var(variable) else { return default };
    let parsed = match text.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16),
        None => text.parse(),
    };
    parsed.unwrap_or_else(|e| panic!("{variable}={text}: {e}"))
}

#[test]
fn random_traces_have_the_answers_and_bytes_of_the_java_store() {
    let java = match Java::build().unwrap() {
        Ok(java) => java,
        Err(why) => {
            println!("skipped: random_traces_have_the_answers_and_bytes_of_the_java_store: {why}");
            return;
        }
    };
    let count = |n: u64| usize::try_from(n).unwrap();
    let seed = number("MQSTORE_DIFF_SEED", 493);
    let folder = format!("mqstore-differential-{}", std::process::id());
    let round = Round {
        seed,
        traces: count(number("MQSTORE_DIFF_TRACES", 24)),
        jobs: count(number("MQSTORE_DIFF_JOBS", 12)),
        folder: std::env::temp_dir().join(folder),
    };
    let report = run(&java, &round).unwrap();
    println!(
        "{} traces of seed {seed:#x}: {} answers and {} bytes compared; rules: {:?}",
        round.traces, report.operations, report.bytes, report.rules
    );
    let failures = &report.failures;
    assert!(failures.is_empty(), "{} traces differ:\n{}", failures.len(), failures.join("\n"));
    remove(&round.folder);
}

#[test]
fn every_rule_comes_up_in_random_traces() {
    let mut rules = BTreeMap::new();
    for seed in 0..40 {
        for kind in KINDS {
            for rule in generate(kind, seed).iter().filter_map(|step| step.rule) {
                *rules.entry(rule.name).or_insert(0) += 1;
            }
        }
    }
    for rule in RULES {
        assert!(rules.contains_key(rule.name), "{} is never drawn: {rules:?}", rule.name);
    }
}

#[test]
fn a_seed_always_makes_the_same_trace() {
    for kind in KINDS {
        let text = |seed| -> Vec<String> {
            let steps = generate(kind, seed);
            steps.iter().map(|step| mqstore_tools::json::line(&step.ours.fields)).collect()
        };
        assert_eq!(text(7), text(7), "{kind:?}");
        assert_ne!(text(7), text(8), "{kind:?}");
    }
}

fn remove(folder: &PathBuf) {
    std::fs::remove_dir_all(folder).unwrap();
}
