//! Which rule an operation falls under: an own reckoning, independent of the store's checks.

use serde_json::Value;

use super::rules::{
    BATCH_NEGATIVE, BATCH_PROPERTIES, FOLDER_NAME, IPV6_FLAG, LARGER_THAN_FILE, LIGHT_NAME, Rule,
    SEPARATOR, TOPIC_BYTES,
};
use crate::replay::trace::{Op, string_of};
use crate::replay::{batch_bytes, body_len, properties_map, properties_text};

/// Java's limit of a topic in characters, and ours in bytes.
const TOPIC_MAX: usize = 127;
/// Longest property string.
const PROPERTIES_MAX: usize = 32767;
/// SYSFLAG bits of IPv6 hosts.
const BORN_V6: i32 = 0x10;
const STORE_V6: i32 = 0x20;

/// What the verdict depends on besides the operation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub(super) file_size: usize,
    pub(super) max_message_size: usize,
    pub(super) multi_dispatch: bool,
}

/// The rule under which a put or putBatch is refused here but not by Java.
pub(super) fn refused_by(op: &Op, limits: &Limits) -> Option<&'static Rule> {
    let topic = op.get("topic").and_then(string_of)?;
    if topic.encode_utf16().count() > TOPIC_MAX {
        return None;
    }
    if topic.len() > TOPIC_MAX {
        return Some(&TOPIC_BYTES);
    }
    if !is_folder_name(&topic) {
        return Some(&FOLDER_NAME);
    }
    if holds_separator(op) {
        return Some(&SEPARATOR);
    }
    if op.name() == "putBatch" {
        return batch(op, &topic, limits);
    }
    if limits.multi_dispatch && light_queue_names(op).any(|name| !is_light_name(&name)) {
        return Some(&LIGHT_NAME);
    }
    let text = properties_text(op);
    if text.len() > PROPERTIES_MAX {
        return None;
    }
    let len = fixed_len(op) + body_len(op) + topic.len() + text.len();
    let fits = len <= limits.max_message_size && len + 8 > limits.file_size;
    fits.then_some(&LARGER_THAN_FILE)
}

/// The same for a batch whose topic is good. `None` also where Java refuses or throws.
fn batch(op: &Op, topic: &str, limits: &Limits) -> Option<&'static Rule> {
    let encoded = batch_bytes(op)?;
    let shared = properties_text(op).len();
    let delayed = delay_of(op).is_none_or(|level| level > 0);
    if encoded.len() > limits.max_message_size || op.int("sysFlag") & 0x0C != 0 || delayed {
        return None;
    }
    if shared > PROPERTIES_MAX {
        return None;
    }
    let (mut at, mut total, mut overflow) = (0, 0, false);
    while at < encoded.len() {
        let body = i32::from_be_bytes(*encoded.get(at + 16..)?.first_chunk()?);
        let Ok(body) = usize::try_from(body) else { return Some(&BATCH_NEGATIVE) };
        let end = at.checked_add(20)?.checked_add(body)?;
        let own = i16::from_be_bytes(*encoded.get(end..)?.first_chunk()?);
        let Ok(own) = usize::try_from(own) else { return Some(&BATCH_NEGATIVE) };
        let properties = encoded.get(end + 2..end + 2 + own)?;
        let separator = shared > 0 && properties.last().is_some_and(|last| *last != 2);
        let sum = own + usize::from(separator) + shared;
        let len = fixed_len(op) + body + topic.len() + sum;
        total += len;
        if len > limits.max_message_size || total > limits.max_message_size {
            return None;
        }
        overflow |= sum > PROPERTIES_MAX;
        at = end + 2 + own;
    }
    if overflow {
        return Some(&BATCH_PROPERTIES);
    }
    (total + 8 > limits.file_size && total > 0).then_some(&LARGER_THAN_FILE)
}

/// The operation as Java should have got it, if its IPv6 flags are not those of its hosts.
pub(super) fn with_true_flags(op: &Op) -> Option<(Op, &'static Rule)> {
    let (born, store) = hosts_v6(op);
    let mut flag = op.int("sysFlag");
    let given = flag;
    for (bit, v6) in [(BORN_V6, born), (STORE_V6, store)] {
        if !v6 {
            flag &= !bit;
        }
    }
    if flag == given {
        return None;
    }
    let mut op = op.clone();
    op.fields.insert("sysFlag".into(), flag.into());
    Some((op, &IPV6_FLAG))
}

/// Whether a put waits for its flush (`WAIT` of the property map).
pub(super) fn waits(op: &Op) -> bool {
    let map = properties_map(op);
    let wait = map.iter().find(|(name, _)| name == "WAIT");
    wait.is_none_or(|(_, value)| value.eq_ignore_ascii_case("true"))
}

/// Length of a record without body, topic and properties.
fn fixed_len(op: &Op) -> usize {
    let (born, store) = hosts_v6(op);
    91 + 12 * (usize::from(born) + usize::from(store))
}

fn hosts_v6(op: &Op) -> (bool, bool) {
    let is_v6 = |field: &str| {
        let host = op.get(field).and_then(Value::as_str).unwrap_or_default();
        host.starts_with('[') && !host.starts_with("[::ffff:9.")
    };
    (is_v6("bornHost"), is_v6("storeHost"))
}

/// `DELAY` as Java's `Integer.parseInt` reads it; `None` if that throws.
fn delay_of(op: &Op) -> Option<i32> {
    match op.get("delay") {
        None => Some(0),
        Some(value) => string_of(value)?.parse().ok(),
    }
}

fn is_folder_name(name: &str) -> bool {
    !name.contains(['/', '\0']) && name != "." && name != ".."
}

fn is_light_name(name: &str) -> bool {
    is_folder_name(name) && name.len() <= 255
}

fn light_queue_names(op: &Op) -> impl Iterator<Item = String> {
    let list = op.get("multiDispatch").and_then(string_of).unwrap_or_default();
    let blank = list.trim().is_empty();
    let names: Vec<String> = list.split(',').map(str::to_owned).collect();
    names.into_iter().filter(move |_| !blank)
}

/// Whether a name or value of the map holds U+0001 or U+0002.
fn holds_separator(op: &Op) -> bool {
    let bad = |text: &str| text.contains(['\u{1}', '\u{2}']);
    properties_map(op).iter().any(|(name, value)| bad(name) || bad(value))
}
