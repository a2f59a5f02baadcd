//! Runs many random traces through both stores, and compares.

use core::time::Duration;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use mqstore::config::Backend;
use serde_json::Value;

use super::dice::Dice;
use super::generate::{KINDS, Kind, generate};
use super::java::{Call, Java};
use super::step::Step;
use crate::compare::answers::is_compared;
use crate::compare::log::{LogBytes, closed_log, file_size_of};
use crate::json::{Object, line};
use crate::replay::trace::Trace;
use crate::replay::{ReplayOptions, replay};

/// What is to be run.
#[derive(Clone, Debug)]
pub struct Round {
    /// Everything follows from this.
    pub seed: u64,
    /// How many traces.
    pub traces: usize,
    /// How many of them Java runs at the same time.
    pub jobs: usize,
    /// Where traces and stores lie; those that differ stay there.
    pub folder: PathBuf,
}

/// What came of it.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Operations compared.
    pub operations: usize,
    /// Bytes of commit logs compared.
    pub bytes: u64,
    /// How often each rule came up.
    pub rules: BTreeMap<&'static str, usize>,
    /// What differs, with where its trace lies.
    pub failures: Vec<String>,
}

/// One trace and its places.
struct Job {
    seed: u64,
    kind: Kind,
    steps: Vec<Step>,
    folder: PathBuf,
}

/// Runs a round.
///
/// # Errors
/// The harness, or files, cannot be used. What differs is no error but a failure of the report.
pub fn run(java: &Java, round: &Round) -> io::Result<Report> {
    std::fs::create_dir_all(&round.folder)?;
    let mut seeds = Dice::new(round.seed);
    let jobs: Vec<Job> = (0..round.traces)
        .map(|n| {
            let (seed, kind) = (seeds.number(), KINDS[n % KINDS.len()]);
            let folder = round.folder.join(format!("{n:04}-{kind:?}-{seed:016x}"));
            Job { seed, kind, steps: generate(kind, seed), folder }
        })
        .collect();
    let mut calls = Vec::new();
    for job in &jobs {
        calls.push(job.prepare()?);
    }
    // a trace takes 2 to 3 s, most of it asleep; what takes far longer hangs
    let rounds = round.traces.div_ceil(round.jobs.max(1)) as u64;
    let patience = Duration::from_secs(90 + 8 * rounds);
    let codes = java.batch(&calls, round.jobs, &round.folder, patience)?;
    let mut report = Report::default();
    for (job, code) in jobs.iter().zip(codes) {
        match job.compare(code, &mut report) {
            Ok(()) => std::fs::remove_dir_all(&job.folder)?,
            Err(why) => {
                let Job { seed, kind, folder, .. } = job;
                let folder = folder.display();
                report
                    .failures
                    .push(format!("{kind:?} trace of seed {seed:#x} in {folder}:\n{why}"));
            }
        }
    }
    Ok(report)
}

impl Job {
    /// Writes the trace and its twin; answers the call that runs the twin.
    fn prepare(&self) -> io::Result<Call> {
        std::fs::create_dir_all(&self.folder)?;
        let trace = |pick: fn(&Step) -> &crate::replay::trace::Op| Trace {
            ops: self.steps.iter().map(|step| pick(step).clone()).collect(),
        };
        std::fs::write(self.folder.join("TRACE.jsonl"), trace(|s| &s.ours).to_text())?;
        let twin = self.folder.join("JAVA.jsonl");
        std::fs::write(&twin, trace(|s| &s.java).to_text())?;
        let words = ["run", &text(&twin), "--store", &text(&self.folder.join("java-store"))];
        Ok(Call {
            output: self.folder.join("java.jsonl"),
            words: words.map(str::to_owned).to_vec(),
        })
    }

    fn compare(&self, code: Option<i32>, report: &mut Report) -> Result<(), String> {
        match code {
            Some(0) => {}
            Some(code) => return Err(format!("  Java ended with code {code}")),
            None => return Err("  Java did not come to an end".to_owned()),
        }
        let java = read_lines(&self.folder.join("java.jsonl"))?;
        if java.len() != self.steps.len() {
            return Err(format!("  Java answered {} of {}", java.len(), self.steps.len()));
        }
        let theirs =
            LogBytes::read(&self.folder.join("java-store")).map_err(|e| format!("  {e}"))?;
        for backend in [Backend::Mmap, Backend::Mem] {
            let name = format!("{backend:?}");
            let wrong = |why: String| format!("  on {name}:\n{why}");
            self.compare_with(&java, &theirs, backend, report).map_err(wrong)?;
        }
        Ok(())
    }

    fn compare_with(
        &self,
        java: &[Object],
        theirs: &LogBytes,
        backend: Backend,
        report: &mut Report,
    ) -> Result<(), String> {
        let mut options = ReplayOptions::new(self.folder.join("store"));
        options.settings.backend = backend;
        let trace = Trace { ops: self.steps.iter().map(|step| step.ours.clone()).collect() };
        let mut ours = Vec::new();
        let replayed = replay(&trace, &options, |line| {
            ours.push(line.clone());
            Ok(())
        });
        let replayed = replayed.map_err(|e| format!("  {e}"))?;
        if options.settings.backend == Backend::Mmap {
            let lines: String = ours.iter().map(|o| line(o) + "\n").collect();
            let file = self.folder.join("ours.jsonl");
            std::fs::write(file, lines).map_err(|e| format!("  {e}"))?;
        }
        for (step, (ours, java)) in self.steps.iter().zip(ours.iter().zip(java)) {
            if !is_compared(step.ours.name()) {
                continue;
            }
            report.operations += 1;
            if let Some(rule) = step.rule {
                *report.rules.entry(rule.name).or_default() += 1;
            }
            if let Some(difference) = step.difference(ours, java) {
                return Err(difference);
            }
        }
        let end = end_of(&ours);
        report.bytes += end;
        let log = closed_log(replayed, &options.root, file_size_of(&trace))
            .map_err(|e| format!("  {e}"))?;
        log.compare(theirs, end).map_err(|why| format!("  {why}"))
    }
}

/// Where the log ends, as the answers say.
fn end_of(lines: &[Object]) -> u64 {
    let number = |line: &Object, field: &str| line.get(field).and_then(Value::as_u64);
    let ends = lines.iter().filter_map(|line| {
        number(line, "maxPhy")
            .or_else(|| Some(number(line, "wroteOffset")? + number(line, "wroteBytes")?))
    });
    ends.max().unwrap_or(0)
}

fn read_lines(file: &Path) -> Result<Vec<Object>, String> {
    let text = std::fs::read_to_string(file).map_err(|e| format!("  {}: {e}", file.display()))?;
    let lines = text.lines().map(|line| {
        serde_json::from_str(line).map_err(|e| format!("  {}: {e}: {line}", file.display()))
    });
    lines.collect()
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
