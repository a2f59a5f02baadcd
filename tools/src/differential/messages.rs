//! Random messages and batches.

use serde_json::{Value, json};

use super::dice::Dice;
use super::generate::Kind;
use super::step::object;
use super::verdict::Limits;
use super::words;
use crate::json::Object;
use crate::replay::batch_bytes;
use crate::replay::data::hex;
use crate::replay::trace::Op;

/// Delay levels as they come: plain, beyond the last, and no numbers at all.
const DELAYS: [&str; 10] = ["0", "-1", "1", "3", "18", "19", "100", "+2", "007", "2147483647"];
const NO_NUMBERS: [&str; 5] = ["", "abc", "1.0", "2147483648", " 3"];

/// A put. Behind open gates it may hold what makes Java throw.
pub(super) fn put(dice: &mut Dice, kind: Kind, limits: &Limits, open: bool) -> Op {
    let mut o = object(json!({"op": "put"}));
    head(dice, &mut o, open);
    let name = o.get("topic").and_then(Value::as_str).unwrap_or_default();
    let (topic, schedule) = (name.len(), name == "SCHEDULE_TOPIC_XXXX");
    let light = if kind == Kind::Light { 70 } else { 5 };
    let delayed = dice.chance(10);
    let dispatched = dice.chance(light);
    if delayed {
        // Java's dispatch and recovery stop at such a record of the delay topic
        let wrong = open && !schedule && dice.chance(10);
        let level = if wrong { dice.pick(&NO_NUMBERS) } else { dice.pick(&DELAYS) };
        o.insert("delay".into(), level.into());
    }
    if dispatched {
        o.insert("multiDispatch".into(), words::light_queues(dice).into());
    }
    shared_properties(dice, &mut o);
    if dice.chance(8) {
        o.insert("propertiesString".into(), words::properties_string(dice));
    }
    if kind == Kind::Limits && dice.chance(40) && !delayed {
        long_properties(dice, &mut o);
    }
    // what grows under the lock stays away from the limits
    let small = delayed || dispatched;
    let rest = 91 + topic + if small { 600 } else { 0 };
    let len = body_len(dice, kind, limits, rest, small);
    o.insert("body".into(), words::body(dice, len));
    if dice.chance(3) {
        o.insert("body".into(), Value::Null);
    }
    Op { fields: o }
}

/// A putBatch.
pub(super) fn batch(dice: &mut Dice, kind: Kind, limits: &Limits, open: bool) -> Op {
    let mut o = object(json!({"op": "putBatch"}));
    head(dice, &mut o, open);
    o.insert("sysFlag".into(), dice.pick(&[0, 0, 0, 0, 0, 1, 2, 4, 8, 12, 0x30]).into());
    if dice.chance(5) {
        o.insert("delay".into(), dice.pick(&["0", "-3", "1", "5", "99"]).into());
    }
    shared_properties(dice, &mut o);
    let count = dice.pick(&[0, 1, 1, 2, 3, 4, 7, 16]);
    let messages: Vec<Value> = (0..count).map(|_| item(dice, kind, limits, count)).collect();
    o.insert("messages".into(), messages.into());
    if kind == Kind::Limits && dice.chance(20) {
        // own and shared properties around the limit of their sum
        let sum = dice.pick(&[32_765, 32_766, 32_767, 32_768, 33_000]);
        let own = dice.between(100, 1000);
        let value = |n: usize| json!({"p": {"repeat": "v", "n": n - 2}});
        o.insert("properties".into(), value(sum - own - 1));
        o.insert("messages".into(), json!([{"body": "b", "properties": value(own)}]));
    }
    let op = Op { fields: o };
    if dice.chance(40) { raw(dice, op) } else { op }
}

/// The same batch as the client would send it, now and then damaged.
fn raw(dice: &mut Dice, op: Op) -> Op {
    let Some(mut bytes) = batch_bytes(&op) else { return op };
    match dice.below(4) {
        0 => bytes.truncate(dice.below(bytes.len() + 1)),
        // the highest byte of the first body length
        1 if bytes.len() > 16 && dice.chance(20) => bytes[16] = dice.pick(&[0x80, 0xFF]),
        1 if !bytes.is_empty() => {
            for _ in 0..=dice.below(3) {
                let at = dice.below(bytes.len());
                bytes[at] = dice.pick(&[0, 1, 2, 0x20, 0x7F, 0x80, 0xFF]);
            }
        }
        _ => {}
    }
    let mut o: Object = op.fields;
    o.shift_remove("messages");
    o.insert("rawBody".into(), json!({"hex": hex(&bytes)}));
    Op { fields: o }
}

fn item(dice: &mut Dice, kind: Kind, limits: &Limits, count: usize) -> Value {
    let most = (limits.file_size / count.max(1)).min(limits.max_message_size);
    let len = match dice.below(20) {
        0 => dice.below(most + 1),
        1 if kind == Kind::Batches => (most.saturating_sub(120) + dice.below(40)).min(most),
        _ => dice.below(most.min(200) + 1),
    };
    let mut o = object(json!({"body": words::body(dice, len)}));
    if dice.chance(30) {
        o.insert("flag".into(), dice.int().into());
    }
    if dice.chance(50) {
        o.insert("tags".into(), words::text(dice, 4).into());
    }
    if dice.chance(30) {
        o.insert("properties".into(), words::properties(dice));
    }
    Value::Object(o)
}

/// What single messages and batches have in common.
fn head(dice: &mut Dice, o: &mut Object, open: bool) {
    o.insert("topic".into(), words::topic(dice).into());
    if open && dice.chance(1) {
        o.insert("topic".into(), Value::Null);
    }
    let queue_id = if dice.chance(15) { dice.int() } else { i32::from(dice.chance(50)) };
    o.insert("queueId".into(), queue_id.into());
    let (born_v6, store_v6) = (dice.chance(15), dice.chance(15));
    if born_v6 || dice.chance(20) {
        o.insert("bornHost".into(), words::host(dice, born_v6).into());
    }
    if store_v6 || dice.chance(20) {
        o.insert("storeHost".into(), words::host(dice, store_v6).into());
    }
    let flags = [1, 2, 3, 4, 4, 8, 8, 12, 12, 0x10, 0x20, 0x30, 0x40, -1, 0x74];
    if dice.chance(35) {
        o.insert("sysFlag".into(), dice.pick(&flags).into());
    }
    if dice.chance(30) {
        o.insert("flag".into(), dice.int().into());
        o.insert("reconsumeTimes".into(), dice.int().into());
    }
    if dice.chance(20) {
        o.insert("bornTimestamp".into(), dice.long().into());
        o.insert("preparedTransactionOffset".into(), dice.long().into());
    }
}

fn shared_properties(dice: &mut Dice, o: &mut Object) {
    if dice.chance(40) {
        o.insert("properties".into(), words::properties(dice));
    }
    if dice.chance(40) {
        o.insert("tags".into(), words::text(dice, 5).into());
    }
    if dice.chance(20) {
        o.insert("keys".into(), "k1 k2  k3".into());
        o.insert("uniqKey".into(), format!("U{}", dice.below(1000)).into());
    }
    if dice.chance(25) {
        o.insert("wait".into(), dice.chance(60).into());
    }
    if dice.chance(40) {
        o.insert("mapOrder".into(), "hash".into());
        // a null counts for the size of the table, and the store cannot be told of it
        if let Some(map) = o.get_mut("properties").and_then(Value::as_object_mut) {
            map.retain(|_, value| !value.is_null());
        }
    }
}

/// Property strings around 32767 characters and bytes.
fn long_properties(dice: &mut Dice, o: &mut Object) {
    let unit = dice.pick(&["p", "p", "é", "中", "\u{1F600}"]);
    let chars: usize = dice.pick(&[32_766, 32_767, 32_768, 40_000]);
    let bytes: usize = dice.pick(&[32_766, 32_767, 32_768]);
    let n = if dice.chance(50) { chars / unit.encode_utf16().count() } else { bytes / unit.len() };
    let long = json!({"repeat": unit, "n": n});
    if dice.chance(70) {
        o.insert("propertiesString".into(), long);
    } else {
        o.shift_remove("propertiesString");
        o.insert("properties".into(), json!({"n": long}));
    }
}

/// The length of a body: small, or around what makes the record exactly as long as allowed.
fn body_len(dice: &mut Dice, kind: Kind, limits: &Limits, rest: usize, small: bool) -> usize {
    let around = |dice: &mut Dice, limit: usize| {
        let exact = limit.saturating_sub(rest);
        (exact + dice.below(30)).saturating_sub(15)
    };
    let most = limits.file_size.min(limits.max_message_size).saturating_sub(rest);
    match dice.below(20) {
        _ if small => dice.below(most.min(300) + 1),
        0 => around(dice, limits.max_message_size.min(200_000)),
        1 => around(dice, limits.file_size - 8),
        2 => around(dice, limits.file_size / 2),
        3 if kind == Kind::Puts => limits.file_size + dice.below(3 * limits.file_size),
        4 | 5 => dice.below(most + 1),
        6 => 0,
        _ => dice.below(most.min(400) + 1),
    }
}
