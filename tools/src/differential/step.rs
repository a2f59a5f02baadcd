//! One operation of a random trace, with its twin for Java.

use serde_json::{Value, json};

use super::rules::Rule;
use crate::compare::answers::difference;
use crate::json::{Object, line};
use crate::replay::trace::Op;

/// What our answer must be.
#[derive(Clone, Debug, PartialEq)]
pub enum Expect {
    /// Java's answer to the twin.
    Java,
    /// Exactly these fields.
    Exactly(Object),
    /// Nothing: the operation only serves Java.
    Nothing,
}

/// An operation of our trace, and what Java gets in its place.
#[derive(Clone, Debug)]
pub struct Step {
    /// The operation.
    pub ours: Op,
    /// Its twin.
    pub java: Op,
    /// What our answer must be.
    pub expect: Expect,
    /// The rule under which the two differ.
    pub rule: Option<&'static Rule>,
}

impl Step {
    /// An operation that both stores treat alike.
    pub(super) fn same(op: Op) -> Self {
        Self { java: op.clone(), ours: op, expect: Expect::Java, rule: None }
    }

    /// An operation that this store refuses with `status`, and that Java does not get.
    pub(super) fn refused(op: Op, status: &str, rule: &'static Rule) -> Self {
        let fields = object(json!({"status": status, "append": null}));
        Self { ours: op, java: only_the_clock(), expect: Expect::Exactly(fields), rule: Some(rule) }
    }

    /// How our line differs from what is expected; `None` if it does not.
    #[must_use]
    pub fn difference(&self, ours: &Object, java: &Object) -> Option<String> {
        let expected = match &self.expect {
            Expect::Java => java.clone(),
            Expect::Nothing => return None,
            Expect::Exactly(fields) => {
                let mut line = Object::new();
                for name in ["i", "op"] {
                    line.insert(name.into(), ours.get(name).cloned().unwrap_or(Value::Null));
                }
                line.extend(fields.clone());
                line
            }
        };
        let rule = self.rule.map_or(String::new(), |rule| format!("\n  rule: {}", rule.name));
        let asked = format!("\n  operation: {}", excerpt(&line(&self.ours.fields)));
        difference(ours, &expected).map(|difference| difference + &rule + &asked)
    }
}

/// An operation that moves the clock, and nothing else.
pub(super) fn only_the_clock() -> Op {
    op(json!({"op": "clock"}))
}

/// An operation from its JSON.
pub(super) fn op(value: Value) -> Op {
    Op { fields: object(value) }
}

/// The fields of a JSON object.
pub(super) fn object(value: Value) -> Object {
    match value {
        Value::Object(object) => object,
        _ => Object::new(),
    }
}

fn excerpt(text: &str) -> String {
    match text.char_indices().nth(600) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}
