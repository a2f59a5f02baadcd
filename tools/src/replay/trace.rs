//! The lines of a trace, and how their fields are read: as leniently as fastjson reads them.

use std::path::Path;

use serde_json::Value;

use crate::json::Object;

/// The operations of a trace.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// In their order; comments and empty lines are left out.
    pub ops: Vec<Op>,
}

impl Trace {
    /// Reads a trace from a file.
    ///
    /// # Errors
    /// A sentence that names the file, and the line if it is one.
    pub fn read(file: &Path) -> Result<Self, String> {
        let text = std::fs::read_to_string(file).map_err(|e| format!("{}: {e}", file.display()))?;
        Self::parse(&text).map_err(|e| format!("{}: {e}", file.display()))
    }

    /// Reads a trace: JSON lines, `#` begins a comment line.
    ///
    /// # Errors
    /// A sentence that names the line.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut ops = Vec::new();
        for (i, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let fields = serde_json::from_str(line).map_err(|e| format!("line {}: {e}", i + 1))?;
            ops.push(Op { fields });
        }
        Ok(Self { ops })
    }

    /// The settings of every `open` and `reopen`; later ones win.
    #[must_use]
    pub fn config(&self) -> Vec<(String, String)> {
        let opens = self.ops.iter().filter(|op| matches!(op.name(), "open" | "reopen"));
        opens.flat_map(Op::config).collect()
    }

    /// The trace as a file holds it.
    #[must_use]
    pub fn to_text(&self) -> String {
        self.ops.iter().map(|op| crate::json::line(&op.fields) + "\n").collect()
    }
}

/// One operation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Op {
    /// All its fields.
    pub fields: Object,
}

impl Op {
    /// What is to be done.
    #[must_use]
    pub fn name(&self) -> &str {
        self.fields.get("op").and_then(Value::as_str).unwrap_or_default()
    }

    /// Whether there is such a field, be it null.
    #[must_use]
    pub fn has(&self, field: &str) -> bool {
        self.fields.contains_key(field)
    }

    /// A field.
    #[must_use]
    pub fn get(&self, field: &str) -> Option<&Value> {
        self.fields.get(field)
    }

    /// A field as a 64-bit number; 0 if there is none.
    #[must_use]
    pub fn long(&self, field: &str) -> i64 {
        self.get(field).map_or(0, long_of)
    }

    /// A field as a 64-bit number, if there is such a field.
    #[must_use]
    pub fn maybe_long(&self, field: &str) -> Option<i64> {
        self.get(field).map(long_of)
    }

    /// A field as a 32-bit number, of a longer one the lower half; 0 if there is none.
    #[must_use]
    pub fn int(&self, field: &str) -> i32 {
        lower_half(self.long(field))
    }

    /// A field as a truth value, if there is such a field.
    #[must_use]
    pub fn maybe_bool(&self, field: &str) -> Option<bool> {
        self.get(field).map(|value| match value {
            Value::Bool(b) => *b,
            Value::String(text) => text.eq_ignore_ascii_case("true"),
            number => long_of(number) == 1,
        })
    }

    /// Whether a field is there and true.
    #[must_use]
    pub fn is_true(&self, field: &str) -> bool {
        self.maybe_bool(field) == Some(true)
    }

    /// A field as an object, if it is one.
    #[must_use]
    pub fn object(&self, field: &str) -> Option<&Object> {
        self.get(field).and_then(Value::as_object)
    }

    /// The names and values of `config`.
    #[must_use]
    pub fn config(&self) -> Vec<(String, String)> {
        let config = self.object("config").into_iter().flatten();
        config.map(|(name, value)| (name.clone(), plain(value))).collect()
    }
}

/// The lower 32 bits, as Java's cast from long to int keeps them.
#[must_use]
pub fn lower_half(long: i64) -> i32 {
    (long & 0xFFFF_FFFF) as u32 as i32
}

/// A value as a 64-bit number, as fastjson casts it.
#[must_use]
pub fn long_of(value: &Value) -> i64 {
    match value {
        Value::Bool(b) => i64::from(*b),
        Value::String(text) => text.parse().unwrap_or(0),
        Value::Number(n) => match (n.as_i64(), n.as_u64(), n.as_f64()) {
            (Some(n), _, _) => n,
            (_, Some(n), _) => n.cast_signed(),
            (_, _, Some(f)) => f as i64,
            _ => 0,
        },
        _ => 0,
    }
}

/// `String.valueOf` of a value: a string without its quotes.
#[must_use]
pub fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => crate::json::text(other),
    }
}

/// A string in the trace's forms: as it is, or `{"repeat":"x","n":5}`. `None` is Java's null.
#[must_use]
pub fn string_of(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::Object(o) if o.contains_key("repeat") => {
            let part = o.get("repeat").map(plain).unwrap_or_default();
            let times = usize::try_from(o.get("n").map_or(0, long_of)).unwrap_or(0);
            Some(part.repeat(times))
        }
        other => Some(plain(other)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_empty_lines_are_no_operations() {
        let trace = Trace::parse("# a comment\n\n {\"op\":\"put\",\"queueId\":-1} \n").unwrap();
        assert_eq!(trace.ops.len(), 1);
        assert_eq!(trace.ops[0].int("queueId"), -1);
        assert!(Trace::parse("{\"op\":\n").unwrap_err().starts_with("line 1"));
    }

    #[test]
    fn numbers_are_cast_as_java_casts_them() {
        let trace = Trace::parse(r#"{"a":4294967297,"b":true,"c":"12","d":null,"e":1.9}"#).unwrap();
        let op = &trace.ops[0];
        assert_eq!((op.int("a"), op.int("b"), op.int("c"), op.int("d")), (1, 1, 12, 0));
        assert_eq!((op.long("e"), op.maybe_long("x")), (1, None));
    }

    #[test]
    fn long_strings_may_be_given_as_a_part_and_a_number() {
        let value = serde_json::from_str(r#"{"repeat":"ab","n":3}"#).unwrap();
        assert_eq!(string_of(&value).as_deref(), Some("ababab"));
        assert_eq!(string_of(&Value::Null), None);
    }
}
