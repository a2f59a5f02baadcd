//! Names, texts and addresses that traces are made of.

use serde_json::{Value, json};

use super::dice::Dice;

/// Topics that both stores take.
const TOPICS: [&str; 10] = [
    "T",
    "TopicTest",
    "主题-тема",
    "%RETRY%group",
    "a b",
    "x.y",
    "...",
    "TBW102",
    "RMQ_SYS_TRANS_HALF_TOPIC",
    "SCHEDULE_TOPIC_XXXX",
];

/// Names that are no names of folders.
const NO_FOLDERS: [&str; 8] = ["a/b", "/", "/etc", "..", ".", "../../x", "nul\0", "x/.."];

/// Property names.
const NAMES: [&str; 12] = [
    "user",
    "CLUSTER",
    "a",
    "z",
    "属性",
    "MSG_REGION",
    "TRACE_ON",
    "é",
    "KEYS",
    "WAIT",
    "long-name-of-a-property",
    "REAL_TOPIC",
];

/// Where lists of light queues come from.
const LIGHT: [&str; 14] = [
    "%LMQ%a",
    "%LMQ%a,%LMQ%b",
    "%LMQ%b,plain",
    "plain",
    "%LMQ%a,%LMQ%a",
    "%LMQ%é,x y",
    ",%LMQ%a",
    "%LMQ%a,,%LMQ%b",
    "%LMQ%a,",
    " ",
    "",
    ",",
    "%LMQ%c,%LMQ%d,%LMQ%e,%LMQ%f,%LMQ%g",
    "%LMQ%",
];

/// A topic that Java takes, though not always to its good.
pub(super) fn topic(dice: &mut Dice) -> String {
    match dice.below(40) {
        // the longest there may be
        0 => "t".repeat(127),
        1 => format!("{}t", "é".repeat(63)),
        // refused by both: too many characters
        2 => dice.pick(&["t", "é", "\u{1F600}"]).repeat(128),
        // too many bytes
        3 => "中".repeat(dice.between(43, 127)),
        4 => format!("{}{}", "t".repeat(126), dice.pick(&["é", "中"])),
        5 => dice.pick(&NO_FOLDERS).to_owned(),
        6 => String::new(),
        _ => dice.pick(&TOPICS).to_owned(),
    }
}

/// A topic that nobody objects to.
pub(super) fn healthy_topic(dice: &mut Dice) -> String {
    dice.pick(&TOPICS).to_owned()
}

/// A list of light queues.
pub(super) fn light_queues(dice: &mut Dice) -> String {
    match dice.below(30) {
        0 => format!("%LMQ%{}", dice.pick(&NO_FOLDERS)),
        1 => format!("%LMQ%a,{}", dice.pick(&NO_FOLDERS)),
        2 => format!("%LMQ%{}", "n".repeat(dice.pick(&[250, 251]))),
        _ => dice.pick(&LIGHT).to_owned(),
    }
}

/// A text of about `len` characters, of all planes, without the two separators.
pub(super) fn text(dice: &mut Dice, len: usize) -> String {
    let ranges = [('a', 'z'), ('a', 'z'), ('0', '9'), ('À', 'ÿ'), ('一', '丿'), ('😀', '😿')];
    let (low, high) = if dice.chance(70) { ('a', 'z') } else { dice.pick(&ranges) };
    let span = u32::from(high) - u32::from(low);
    (0..len)
        .map(|_| {
            let step = u32::try_from(dice.below(usize::try_from(span).unwrap_or(0) + 1));
            char::from_u32(u32::from(low) + step.unwrap_or(0)).unwrap_or('?')
        })
        .collect()
}

/// A property map of a few entries; now and then one with a separator in it.
pub(super) fn properties(dice: &mut Dice) -> Value {
    let mut map = serde_json::Map::new();
    for _ in 0..dice.below(6) {
        let len = dice.below(12);
        let value = match dice.below(25) {
            0 => json!(null),
            1 => json!(dice.int()),
            2 => json!({"repeat": text(dice, 1), "n": dice.below(200)}),
            3 if dice.chance(40) => json!(dice.pick(&["a\u{1}b", "a\u{2}", "\u{2}", "\u{1}"])),
            4 => json!("line\nbreak\t\u{0}\u{7f}"),
            _ => json!(text(dice, len)),
        };
        let name = match dice.below(30) {
            0 => text(dice, 3),
            1 if dice.chance(30) => "na\u{1}me".to_owned(),
            _ => dice.pick(&NAMES).to_owned(),
        };
        // the store cannot be told of a null, and this one would keep its place
        if !(value.is_null() && name == "REAL_TOPIC") {
            map.insert(name, value);
        }
    }
    for i in 0..if dice.chance(6) { dice.between(8, 40) } else { 0 } {
        map.insert(format!("p{i}"), json!(text(dice, 4)));
    }
    Value::Object(map)
}

/// A ready-made property string, well formed or not.
pub(super) fn properties_string(dice: &mut Dice) -> Value {
    match dice.below(8) {
        0 => json!(null),
        1 => json!(""),
        2 => json!(dice.pick(&[
            "noise",
            "\u{2}",
            "a\u{1}",
            "\u{1}b",
            "a\u{1}b\u{2}",
            "a\u{1}b\u{2}\u{2}c\u{1}d"
        ])),
        3 => json!(format!("TAGS\u{1}{}\u{2}TAGS\u{1}x", text(dice, 4))),
        _ => json!(format!("TAGS\u{1}t\u{2}KEYS\u{1}{}", text(dice, 9))),
    }
}

/// An address with its port.
pub(super) fn host(dice: &mut Dice, v6: bool) -> String {
    let port = dice.pick(&[0, 1, 10911, 65535]);
    let v4 = ["127.0.0.1", "0.0.0.0", "255.255.255.255", "10.1.2.3", "[::ffff:9.8.7.6]"];
    let v6s = ["[2001:db8::1]", "[::1]", "[::]", "[ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]"];
    format!("{}:{port}", if v6 { dice.pick(&v6s) } else { dice.pick(&v4) })
}

/// A body of this many bytes.
pub(super) fn body(dice: &mut Dice, len: usize) -> Value {
    match dice.below(10) {
        0 => json!({"zeros": len}),
        1 if len < 40 => json!(text(dice, len)),
        _ => json!({"fill": len, "seed": dice.below(1 << 30)}),
    }
}
