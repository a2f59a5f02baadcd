//! Comparing answers, line by line.

use serde_json::Value;

use crate::json::{Object, line};

/// Operations whose answers are built, and so are compared.
pub const COMPARED: [&str; 7] = ["put", "putBatch", "appendRaw", "flags", "role", "set", "flush"];

/// Whether the answer to this operation is compared.
#[must_use]
pub fn is_compared(op: &str) -> bool {
    COMPARED.contains(&op)
}

/// Java's line without what says only how far its dispatch has come.
#[must_use]
pub fn without_dispatch(java: &Object) -> Object {
    let mut line = java.clone();
    line.shift_remove("dispatched");
    line
}

/// How our line differs from what Java's line asks for; `None` if it does not.
///
/// Where Java throws at its caller, ours must refuse (spec 08 rule 5). An empty batch is taken
/// by both: Java throws only when its message id is asked for, and ours is empty.
#[must_use]
pub fn difference(ours: &Object, java: &Object) -> Option<String> {
    let java = without_dispatch(java);
    let same = if java.contains_key("exception") {
        follows_exception(ours, &java)
    } else {
        line(ours) == line(&java)
    };
    (!same).then(|| format!("  java: {}\n  ours: {}", line(&java), line(ours)))
}

fn follows_exception(ours: &Object, java: &Object) -> bool {
    let status = |o: &Object| o.get("status").and_then(Value::as_str).map(str::to_owned);
    if status(java).is_none() {
        return status(ours).as_deref() != Some("PUT_OK");
    }
    // Java had an answer, and threw while its fields were printed
    let mut expected = java.clone();
    expected.shift_remove("exception");
    expected.shift_remove("message");
    expected.insert("msgId".into(), "".into());
    line(ours) == line(&expected)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(json: &str) -> Object {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn a_line_must_equal_java_s_field_by_field() {
        let java = of(r#"{"i":1,"op":"put","status":"PUT_OK","append":null,"dispatched":true}"#);
        assert_eq!(
            difference(&of(r#"{"i":1,"op":"put","status":"PUT_OK","append":null}"#), &java),
            None
        );
        let other = of(r#"{"i":1,"op":"put","append":null,"status":"PUT_OK"}"#);
        assert!(difference(&other, &java).unwrap().contains("ours"));
    }

    #[test]
    fn an_exception_asks_for_a_refusal() {
        let java = of(r#"{"i":1,"op":"put","exception":"E","message":"m"}"#);
        let refused = of(r#"{"i":1,"op":"put","status":"MESSAGE_ILLEGAL","append":null}"#);
        assert_eq!(difference(&refused, &java), None);
        assert_eq!(difference(&of(r#"{"i":1,"op":"put","exception":"other"}"#), &java), None);
        assert!(difference(&of(r#"{"i":1,"op":"put","status":"PUT_OK"}"#), &java).is_some());
    }

    #[test]
    fn an_empty_batch_is_taken_and_has_no_message_id() {
        let java =
            of(r#"{"i":5,"status":"PUT_OK","append":"PUT_OK","exception":"E","message":"-8"}"#);
        let ours = of(r#"{"i":5,"status":"PUT_OK","append":"PUT_OK","msgId":""}"#);
        assert_eq!(difference(&ours, &java), None);
    }
}
