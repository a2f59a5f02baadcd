//! Random traces through the Java store and through ours: every answer, every byte.
//!
//! `MQSTORE_DIFF_TRACES` says how many (24 unless set), `MQSTORE_DIFF_SEED` which ones, and
//! `MQSTORE_DIFF_JOBS` how many Java runs at the same time. Traces that differ stay in the folder
//! that the failure names.

#[path = "../support/skip.rs"]
mod skip;

use core::time::Duration;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use mqstore_tools::differential::rules::{
    BATCH_PROPERTIES, FOLDER_NAME, LARGER_THAN_FILE, LIGHT_NAME, RAW_NOT_CONTINUING, SEPARATOR,
    TOPIC_BYTES,
};
use mqstore_tools::differential::{Call, Java, KINDS, RULES, Round, Rule, Step, generate, run};
use mqstore_tools::json::Object;
use mqstore_tools::replay::trace::Trace;
use skip::skipped;

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
        Err(why) => return skipped(&why),
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
    std::fs::remove_dir_all(&round.folder).unwrap();
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

/// Rules that one answer of Java's shows. The others need a look at the bytes (the golden cases
/// have one), more than one operation, or time, or are left to Java's cursor.
const SHOWN_BY_ONE_ANSWER: [&Rule; 7] = [
    &TOPIC_BYTES,
    &FOLDER_NAME,
    &LIGHT_NAME,
    &SEPARATOR,
    &BATCH_PROPERTIES,
    &LARGER_THAN_FILE,
    &RAW_NOT_CONTINUING,
];

#[test]
fn every_rule_is_needed_because_java_answers_otherwise() {
    let java = match Java::build().unwrap() {
        Ok(java) => java,
        Err(why) => return skipped(&why),
    };
    let scratch = tempfile::tempdir().unwrap();
    let (mut calls, mut last) = (Vec::new(), Vec::new());
    let wanted = SHOWN_BY_ONE_ANSWER.iter().flat_map(|rule| traces_with(rule).take(4));
    for (n, steps) in wanted.enumerate() {
        let trace = scratch.path().join(format!("{n}.jsonl"));
        // the twin up to the operation, and then the operation itself
        let mut ops: Vec<_> = steps.iter().map(|step| step.java.clone()).collect();
        let step = steps.last().unwrap().clone();
        *ops.last_mut().unwrap() = step.ours.clone();
        std::fs::write(&trace, Trace { ops }.to_text()).unwrap();
        let text = |path: &Path| path.to_string_lossy().into_owned();
        let store = scratch.path().join(n.to_string());
        let words = ["run", &text(&trace), "--store", &text(&store)].map(str::to_owned);
        calls.push(Call { output: trace.with_extension("out"), words: words.to_vec() });
        last.push(step);
    }
    let patience = Duration::from_secs(120);
    let codes = java.batch(&calls, 12, scratch.path(), patience).unwrap();
    let mut needed = BTreeSet::new();
    for ((call, code), step) in calls.iter().zip(codes).zip(last) {
        assert_eq!(code, Some(0), "{call:?}");
        let said = std::fs::read_to_string(&call.output).unwrap();
        let java: Object = serde_json::from_str(said.lines().last().unwrap()).unwrap();
        if step.difference(&java, &java).is_some() {
            needed.insert(step.rule.unwrap().name);
        }
    }
    for rule in SHOWN_BY_ONE_ANSWER {
        assert!(needed.contains(rule.name), "{} is not needed", rule.name);
    }
}

/// The random traces in which a rule comes up, each up to that operation.
fn traces_with(rule: &Rule) -> impl Iterator<Item = Vec<Step>> {
    let all = (0..).flat_map(|seed| KINDS.map(|kind| generate(kind, seed)));
    all.filter_map(move |mut steps| {
        let at = steps.iter().position(|step| step.rule == Some(rule))?;
        steps.truncate(at + 1);
        Some(steps)
    })
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
