//! The Java store reads and opens the folders that this store writes: in every flush mode, after
//! a close and after a killed process.

#[path = "../support/skip.rs"]
mod skip;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use core::time::Duration;
use mqstore_tools::differential::{Call, Java, Kind, generate};
use mqstore_tools::dump::{DumpOptions, dump, to_json};
use mqstore_tools::json::{Object, line};
use mqstore_tools::replay::trace::{Op, Trace};
use serde_json::Value;
use skip::skipped;

/// Flush modes, by what they set.
const MODES: [(&str, &[(&str, &str)]); 5] = [
    ("async", &[]),
    ("async-woken", &[("flushCommitLogTimed", "false")]),
    ("sync", &[("flushDiskType", "SYNC_FLUSH")]),
    ("pool", &[("transientStorePoolEnable", "true"), ("transientStorePoolSize", "3")]),
    (
        "pool-and-sync",
        &[
            ("flushDiskType", "SYNC_FLUSH"),
            ("transientStorePoolEnable", "true"),
            ("transientStorePoolSize", "3"),
        ],
    ),
];

/// A folder that this store wrote.
struct Written {
    name: String,
    root: PathBuf,
    trace: PathBuf,
    crashed: bool,
    /// Where the answers say that the log ends.
    end: u64,
}

#[test]
fn java_dumps_and_opens_what_this_store_wrote_in_every_flush_mode() {
    let java = match Java::build().unwrap() {
        Ok(java) => java,
        Err(why) => return skipped(&why),
    };
    let scratch = tempfile::tempdir().unwrap();
    let mut written = Vec::new();
    for (mode, config) in MODES {
        for kind in [Kind::Puts, Kind::Batches] {
            for crashed in [false, true] {
                written.push(write(scratch.path(), mode, config, kind, crashed));
            }
        }
    }
    let all = |verb: &str| -> Vec<Vec<Object>> {
        let calls: Vec<Call> = written.iter().map(|w| w.call(verb)).collect();
        let patience = Duration::from_secs(240);
        let codes = java.batch(&calls, 10, scratch.path(), patience).unwrap();
        for (w, code) in written.iter().zip(&codes) {
            assert_eq!(*code, Some(0), "{verb} of {}", w.name);
        }
        calls.iter().map(|call| parse(&std::fs::read_to_string(&call.output).unwrap())).collect()
    };
    let shown: Vec<Shown> =
        written.iter().zip(all("dump")).map(|(w, java)| w.check_dump(&java)).collect();
    for ((w, shown), opened) in written.iter().zip(&shown).zip(all("open")) {
        w.check_open(shown, &opened);
    }
}

/// What the dump of a folder says.
struct Shown {
    /// Behind the last record before the first hole.
    end: u64,
    /// Messages that belong into a queue.
    dispatched: u64,
}

/// Replays a random trace with these settings in a process of its own.
fn write(
    scratch: &Path,
    mode: &str,
    config: &[(&str, &str)],
    kind: Kind,
    crashed: bool,
) -> Written {
    let name = format!("{mode}-{kind:?}-{}", if crashed { "killed" } else { "closed" });
    let folder = scratch.join(&name);
    std::fs::create_dir(&folder).unwrap();
    let mut ops = healthy_ops(kind);
    let open = ops[0].fields.get_mut("config").and_then(Value::as_object_mut).unwrap();
    open.extend(config.iter().map(|(n, v)| ((*n).to_owned(), Value::from(*v))));
    let trace = folder.join("TRACE.jsonl");
    std::fs::write(&trace, Trace { ops }.to_text()).unwrap();
    let root = folder.join("store");
    let mut replay = Command::new(env!("CARGO_BIN_EXE_mqstore"));
    replay.arg("replay").arg(&trace).arg("--store").arg(&root);
    if crashed {
        replay.arg("--crash");
    }
    let done = replay.output().unwrap();
    assert!(done.status.success(), "{name}: {}", String::from_utf8_lossy(&done.stderr));
    let answers = parse(&String::from_utf8(done.stdout).unwrap());
    let ends =
        answers.iter().filter_map(|a| Some(number(a, "wroteOffset")? + number(a, "wroteBytes")?));
    Written { name, root, trace, crashed, end: ends.max().unwrap() }
}

/// A random trace without multi-dispatch, which would make Java's dispatch stop at messages
/// without properties, and without the last flush.
fn healthy_ops(kind: Kind) -> Vec<Op> {
    let traces = (1..).map(|seed| generate(kind, seed));
    let ops = traces.map(|steps| steps.into_iter().map(|step| step.ours).collect::<Vec<Op>>());
    let mut healthy = ops.filter(|ops| {
        let config = ops[0].config();
        let stored = ops.iter().filter(|op| op.name().starts_with("put")).count();
        !config.iter().any(|(name, _)| name == "enableMultiDispatch") && stored > 60
    });
    let mut ops = healthy.next().unwrap();
    ops.pop();
    // whatever closes the gates for good would leave little to look at
    ops.retain(|op| !matches!(op.name(), "role" | "flags"));
    ops
}

impl Written {
    fn call(&self, verb: &str) -> Call {
        let text = |path: &Path| path.to_string_lossy().into_owned();
        let words = [verb, "--store", &text(&self.root), "--trace-config", &text(&self.trace)];
        Call {
            output: self.root.with_file_name(format!("{verb}.jsonl")),
            words: words.map(str::to_owned).to_vec(),
        }
    }

    /// Java's dump is ours, and finds nothing wrong.
    fn check_dump(&self, java: &[Object]) -> Shown {
        let mut options = DumpOptions::new(&self.root);
        for (name, value) in Trace::read(&self.trace).unwrap().config() {
            options.set(&name, &value).unwrap();
        }
        let mut ours = Vec::new();
        dump(&options, &mut |item| {
            ours.extend(to_json(item));
            Ok(())
        })
        .unwrap();
        assert_eq!(text(&ours), text(java), "{}", self.name);
        let mut shown = Shown { end: 0, dispatched: 0 };
        for message in java.iter().filter(|o| o["t"] == "msg" || o["t"] == "blank") {
            if number(message, "off") != Some(shown.end) {
                // only the pool leaves a hole: a full one lets later files be written in place
                break;
            }
            shown.end += number(message, "size").unwrap();
            if message["t"] == "blank" {
                continue;
            }
            for good in ["crcOk", "sizeOk"] {
                assert_eq!(message[good], true, "{}: {}", self.name, line(message));
            }
            assert_eq!(message["off"], message["physicalOffset"], "{}", self.name);
            let transaction = message["sysFlag"].as_i64().unwrap() & 0x0C;
            shown.dispatched += u64::from(transaction == 0 || transaction == 8);
        }
        // with the pool alone, a killed process takes what was not committed with it
        let may_lose =
            self.crashed && self.name.starts_with("pool-") && !self.name.contains("sync");
        assert!(shown.end == self.end || may_lose, "{}: {} of {}", self.name, shown.end, self.end);
        shown
    }

    /// Java opens the folder, keeps every record, and dispatches every message.
    fn check_open(&self, shown: &Shown, java: &[Object]) {
        let by_phase: BTreeMap<&str, &Object> =
            java.iter().filter_map(|o| Some((o.get("phase")?.as_str()?, o))).collect();
        let name = &self.name;
        assert_eq!(by_phase["before"]["abortFile"], self.crashed, "{name}");
        assert_eq!(by_phase["loaded"]["load"], true, "{name}");
        let started = by_phase["started"];
        assert_eq!(number(started, "maxPhy"), Some(shown.end), "{name}");
        let queues = started["queues"].as_array().unwrap();
        let entries = queues.iter().map(|q| q["max"].as_u64().unwrap()).sum::<u64>();
        assert_eq!(entries, shown.dispatched, "{name}");
        assert_eq!(by_phase["closed"]["abortFile"], false, "{name}");
    }
}

fn number(o: &Object, field: &str) -> Option<u64> {
    o.get(field)?.as_u64()
}

fn text(lines: &[Object]) -> String {
    lines.iter().map(|o| line(o) + "\n").collect()
}

fn parse(text: &str) -> Vec<Object> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}
