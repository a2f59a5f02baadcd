//! Traces of a slave: raw bytes of a master's log, in pieces of any length.

use std::collections::BTreeMap;

use mqstore_core::record::parse::{Parsed, RecordView};
use serde_json::json;

use super::generate::{Kind, World, generate};
use super::rules::{RAW_NOT_CONTINUING, SLAVE_TO_MASTER};
use super::step::{Expect, Step, object, only_the_clock, op};
use crate::compare::log::LogBytes;
use crate::replay::data::hex;
use crate::replay::trace::Trace;
use crate::replay::{ReplayOptions, replay};

/// Fills the trace of a slave.
pub(super) fn fill(world: &mut World, seed: u64) {
    world.put();
    let file_size = world.limits.file_size;
    let Some((log, end)) = masters_log(seed, file_size) else { return };
    let mut at = 0;
    while at < end {
        let len = match world.dice.below(6) {
            0 => 1,
            1 => world.dice.between(1, 40),
            _ => world.dice.between(1, file_size),
        };
        let len = len.min(end - at).min(file_size - at % file_size);
        if world.dice.chance(8) {
            not_continuing(world, at);
        }
        let data = json!({"hex": hex(log.get(at..at + len).unwrap_or_default())});
        world.push(Step::same(op(json!({"op": "appendRaw", "offset": at, "data": data}))));
        at += len;
        if world.dice.chance(5) {
            world.put();
        }
    }
    not_continuing(world, end);
    world.quiet();
    promote(world);
}

/// Bytes that belong somewhere else.
fn not_continuing(world: &mut World, at: usize) {
    // an empty log begins at the start of any file
    if at == 0 {
        return;
    }
    let offset = match world.dice.below(3) {
        0 => at - 1,
        1 => at + world.dice.between(1, 5000),
        _ => 0,
    };
    let fields = object(json!({"ok": false, "maxPhy": at}));
    world.push(Step {
        ours: op(json!({"op": "appendRaw", "offset": offset, "data": {"zeros": 20}})),
        java: only_the_clock(),
        expect: Expect::Exactly(fields),
        rule: Some(&RAW_NOT_CONTINUING),
    });
}

/// The slave becomes a master: Java is opened again, which is how it learns queue offsets.
fn promote(world: &mut World) {
    world.becomes_master();
    let fields = object(json!({"role": "ASYNC_MASTER"}));
    world.push(Step {
        ours: op(json!({"op": "role", "role": "ASYNC_MASTER"})),
        java: op(json!({"op": "reopen", "config": {"brokerRole": "ASYNC_MASTER"}})),
        expect: Expect::Exactly(fields),
        rule: Some(&SLAVE_TO_MASTER),
    });
    for _ in 0..world.dice.between(3, 12) {
        world.healthy_put();
    }
}

/// The log of a random master with files of this size, up to the end of its last record.
fn masters_log(seed: u64, file_size: usize) -> Option<(Vec<u8>, usize)> {
    let steps = generate(Kind::Puts, seed ^ 0x5EED);
    let mut ops: Vec<_> = steps.into_iter().map(|step| step.ours).collect();
    let config = ops.first_mut()?.fields.get_mut("config")?.as_object_mut()?;
    config.insert("mappedFileSizeCommitLog".into(), file_size.into());
    let root = std::env::temp_dir().join(format!("mqstore-raw-{}-{seed:x}", std::process::id()));
    let replayed = replay(&Trace { ops }, &ReplayOptions::new(&root), |_| Ok(()));
    let log = replayed.ok().and_then(|replayed| {
        replayed.store?.close().ok()?;
        LogBytes::read(&root).ok()
    });
    // best effort: it lies in the folder for temporary files
    let _ = std::fs::remove_dir_all(&root);
    let bytes = joined(log?.files);
    let end = end_of_records(&bytes, file_size);
    Some((bytes, end))
}

fn joined(files: BTreeMap<u64, Vec<u8>>) -> Vec<u8> {
    files.into_values().flatten().collect()
}

/// Behind the last record; a blank behind it does not count.
fn end_of_records(log: &[u8], file_size: usize) -> usize {
    let (mut at, mut end) = (0, 0);
    while let Some(rest) = log.get(at..).filter(|rest| !rest.is_empty()) {
        match RecordView::parse(rest) {
            Ok(Parsed::Record(record)) => {
                at += record.bytes().len();
                end = at;
            }
            Ok(Parsed::Blank { .. }) => at += file_size - at % file_size,
            Err(_) => break,
        }
    }
    end
}
