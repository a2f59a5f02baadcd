//! The golden cases: what the Java store answered and wrote, replayed and compared.
//!
//! Every put, putBatch, appendRaw, flags, role, set and flush line and every byte of the commit
//! log must equal Java's up to the first reopening or delivered delay message. Where this store
//! does better on purpose (spec 08 section 4), `corrected/CASE.jsonl` says what is expected
//! instead; nothing is skipped.

mod corrected;
#[path = "../support/mod.rs"]
mod support;

use corrected::Corrected;
use mqstore::config::Backend;
use mqstore_tools::compare::answers::{difference, is_compared};
use mqstore_tools::compare::log::{LogBytes, closed_log, file_size_of};
use mqstore_tools::json::Object;
use mqstore_tools::replay::trace::Trace;
use mqstore_tools::replay::{ReplayOptions, replay};
use support::Case;

/// The first operation that waits for what is not built yet.
fn stop(case: &str, trace: &Trace) -> usize {
    match case {
        // the schedule has delivered four messages in between when the next put comes
        "e-delay-deliver" => 6,
        _ => trace.ops.iter().position(|op| op.name() == "reopen").unwrap_or(trace.ops.len()),
    }
}

/// Where Java's log ends, if a crash has taken a part of what it had answered.
fn kept_by_java(case: &str) -> u64 {
    match case {
        "l-transient-crash" => 3010,
        _ => u64::MAX,
    }
}

fn check(name: &str, backend: Backend) {
    let case = Case::open(name);
    let mut trace = case.trace();
    trace.ops.truncate(stop(name, &trace));
    let corrected = Corrected::of(name);
    let expected: Vec<Object> = case
        .results()
        .into_iter()
        .zip(0..trace.ops.len())
        .map(|(java, i)| corrected.line(i).unwrap_or(java))
        .collect();

    let scratch = tempfile::tempdir().unwrap();
    let mut options = ReplayOptions::new(scratch.path().join("store"));
    options.settings.backend = backend;
    let mut ours = Vec::new();
    let replayed = replay(&trace, &options, |line| {
        ours.push(line.clone());
        Ok(())
    });
    let replayed = replayed.unwrap_or_else(|e| panic!("{name}: {e}"));
    assert_eq!(ours.len(), expected.len(), "{name}");
    let compared = ours.iter().zip(&expected).filter(|(line, _)| is_compared(op_of(line)));
    let differences: Vec<String> =
        compared.filter_map(|(ours, java)| difference(ours, java)).collect();
    assert!(differences.is_empty(), "{name} differs:\n{}", differences.join("\n"));

    let end = end_of(&ours);
    let log = closed_log(replayed, &options.root, file_size_of(&trace)).unwrap();
    compare_log(&case, &corrected, &log, end);
}

fn compare_log(case: &Case, corrected: &Corrected, log: &LogBytes, end: u64) {
    let name = &case.name;
    nothing_behind_the_ends(name, log, end);
    if corrected.compare_log(name, log, end) {
        return;
    }
    let mut java = LogBytes::read(&case.store()).unwrap();
    corrected.patch(name, &mut java);
    let end = end.min(kept_by_java(name));
    log.compare(&java, end).unwrap_or_else(|why| panic!("{name}: {why}"));
}

/// Other than Java, this store leaves nothing behind the log's end and in blanks.
fn nothing_behind_the_ends(name: &str, log: &LogBytes, end: u64) {
    let is_zero = |bytes: &[u8]| bytes.iter().all(|b| *b == 0);
    for piece in log.pieces(end).iter().filter(|piece| piece.blank) {
        let behind = log.files.range(..=piece.off).next_back().and_then(|(base, file)| {
            let at = usize::try_from(piece.off - base).ok()?;
            file.get(at + 8..at + piece.size as usize)
        });
        assert!(is_zero(behind.unwrap()), "{name}: the blank at {} is not empty", piece.off);
    }
    for (base, file) in &log.files {
        let behind = usize::try_from(end.saturating_sub(*base)).unwrap().min(file.len());
        assert!(is_zero(&file[behind..]), "{name}: bytes behind the log's end, file {base}");
    }
}

fn op_of(line: &Object) -> &str {
    line.get("op").and_then(serde_json::Value::as_str).unwrap_or_default()
}

/// Where the log ends, as the answers say.
fn end_of(lines: &[Object]) -> u64 {
    let number = |line: &Object, field: &str| line.get(field).and_then(serde_json::Value::as_u64);
    let ends = lines.iter().filter_map(|line| match op_of(line) {
        "appendRaw" => number(line, "maxPhy"),
        _ => Some(number(line, "wroteOffset")? + number(line, "wroteBytes")?),
    });
    ends.max().unwrap_or(0)
}

macro_rules! cases {
    ($($test:ident: $case:literal;)*) => {
        mod mmap {
            $(#[test] fn $test() { super::check($case, mqstore::config::Backend::Mmap); })*
        }
        mod mem {
            $(#[test] fn $test() { super::check($case, mqstore::config::Backend::Mem); })*
        }
    };
}

cases! {
    a_basic: "a-basic";
    a_offset_by_time: "a-offset-by-time";
    a_transfer_limits: "a-transfer-limits";
    b_ipv6: "b-ipv6";
    b_ipv6_flag_mismatch: "b-ipv6-flag-mismatch";
    c_batch: "c-batch";
    d_transaction: "d-transaction";
    e_delay: "e-delay";
    e_delay_deliver: "e-delay-deliver";
    e_delay_levels_config: "e-delay-levels-config";
    f_lmq: "f-lmq";
    f_lmq_limit: "f-lmq-limit";
    f_lmq_no_properties: "f-lmq-no-properties";
    f_multidispatch_without_lmq: "f-multidispatch-without-lmq";
    g_oversize: "g-oversize";
    g_roll: "g-roll";
    g_roll_batch: "g-roll-batch";
    g_slave_append: "g-slave-append";
    h_flags_sticky: "h-flags-sticky";
    h_illegal: "h-illegal";
    h_multidispatch_overflow: "h-multidispatch-overflow";
    h_topic_bytes: "h-topic-bytes";
    l_transient: "l-transient";
    l_transient_crash: "l-transient-crash";
    n_sync_flush: "n-sync-flush";
}
