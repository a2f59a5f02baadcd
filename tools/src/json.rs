//! JSON as the Java side prints it: no spaces, and fastjson's choice of escapes, so that `diff`
//! works between its lines and ours.

use core::fmt::Write as _;

use serde_json::{Map, Value};

/// An object whose fields stay in the order in which they are put.
pub type Object = Map<String, Value>;

/// One line, without its end, as fastjson would print it.
#[must_use]
pub fn line(object: &Object) -> String {
    let mut out = String::new();
    write_object(object, &mut out);
    out
}

/// Any value, as fastjson would print it.
#[must_use]
pub fn text(value: &Value) -> String {
    let mut out = String::new();
    write_value(value, &mut out);
    out
}

fn write_value(value: &Value, out: &mut String) {
    match value {
        Value::String(text) => write_string(text, out),
        Value::Array(values) => {
            out.push('[');
            for (i, value) in values.iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                write_value(value, out);
            }
            out.push(']');
        }
        Value::Object(object) => write_object(object, out),
        // numbers, true, false and null look alike everywhere
        other => out.push_str(&other.to_string()),
    }
}

fn write_object(object: &Object, out: &mut String) {
    out.push('{');
    for (i, (name, value)) in object.iter().enumerate() {
        if i > 0 {
            out.push(',');
        }
        write_string(name, out);
        out.push(':');
        write_value(value, out);
    }
    out.push('}');
}

/// fastjson 1.2 escapes what JSON demands, and the C1 controls and the two line separators.
fn write_string(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\u{c}' => out.push_str("\\f"),
            '\r' => out.push_str("\\r"),
            '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' => {
                // writing to a string cannot fail
                let _ = write!(out, "\\u{:04X}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_those_of_fastjson() {
        let value = Value::String("a\u{1}\u{b}\u{1f}\t\"\\/\u{7f}\u{9f}\u{a0}\u{2028}é".into());
        let expected = "\"a\\u0001\\u000B\\u001F\\t\\\"\\\\/\\u007F\\u009F\u{a0}\\u2028é\"";
        assert_eq!(text(&value), expected);
    }

    #[test]
    fn fields_keep_their_order_and_nothing_is_spaced() {
        let value: Value = serde_json::from_str(r#"{ "b": [1, null], "a": {"x": true} }"#).unwrap();
        assert_eq!(text(&value), r#"{"b":[1,null],"a":{"x":true}}"#);
    }
}
