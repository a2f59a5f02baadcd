//! Lists of light queues: how they are split, which count, and what is read back.

use std::string::ToString;
use std::vec::Vec;

use super::*;
use crate::cause::Cause;
use crate::message::{Message, Properties};
use crate::record::Stamp;
use crate::record::parse::Parsed;
use crate::record::tests::written;

const LMQ: MultiDispatchRules =
    MultiDispatchRules { enable_lmq: true, enable_multi_dispatch: true, skip_retry_topics: false };

fn names(list: &str) -> Vec<&str> {
    LightQueues::new(list, 3, LMQ).map(|queue| queue.name).collect()
}

fn asked(list: &str) -> Result<Option<usize>, Cause> {
    let queues = LightQueues::asked_for(list, 3, "T", LMQ).map_err(|refusal| refusal.cause)?;
    Ok(queues.map(Iterator::count))
}

#[test]
fn lists_are_split_as_java_splits_them() {
    assert_eq!(names("%LMQ%a,%LMQ%b,plain"), ["%LMQ%a", "%LMQ%b", "plain"]);
    assert_eq!(names("a,,b"), ["a", "", "b"]);
    assert_eq!(names(",a"), ["", "a"]);
    assert_eq!(names("a,,,"), ["a"]);
    assert_eq!(names(",,"), [""; 0]);
    assert_eq!(names(" a, b"), [" a", " b"]);
}

#[test]
fn the_prefix_decides_queue_and_table_only_if_it_is_enabled() {
    let queues: Vec<_> = LightQueues::new("%LMQ%a,b%LMQ%", 3, LMQ).collect();
    let light = LightQueue { name: "%LMQ%a", queue_id: 0, is_lmq: true };
    let plain = LightQueue { name: "b%LMQ%", queue_id: 3, is_lmq: false };
    assert_eq!(queues, [light, plain]);
    let plain = LightQueue { name: "%LMQ%a", queue_id: 3, is_lmq: false };
    let rules = MultiDispatchRules { enable_lmq: false, ..LMQ };
    assert_eq!(LightQueues::new("%LMQ%a", 3, rules).collect::<Vec<_>>(), [plain]);
}

#[test]
fn blank_lists_do_not_count_but_lists_of_empty_names_do() {
    for blank in ["", " ", "\t\n\u{1F}", "\u{3000}"] {
        assert_eq!(asked(blank), Ok(None), "{blank:?}");
    }
    assert_eq!(asked(",,"), Ok(Some(0)));
    assert_eq!(asked("\u{A0}"), Ok(Some(1)));
    assert_eq!(asked("%LMQ%a,,%LMQ%b"), Ok(Some(3)));
}

#[test]
fn names_that_no_folder_can_have_are_refused() {
    // C-56
    let long = "%LMQ%".to_string() + &"x".repeat(251);
    for bad in ["%LMQ%a/b", "%LMQ%../../x", "%LMQ%a\0b", ".", "..", &long] {
        let list = std::format!("ok,{bad},ok");
        let refused = Cause::Illegal(Illegal::LightQueueName { index: 1 });
        assert_eq!(asked(&list), Err(refused), "{bad:?}");
    }
    assert_eq!(asked("%LMQ%"), Ok(Some(1)));
    assert_eq!(asked(&long[..255]), Ok(Some(1)));
}

#[test]
fn lists_count_only_where_the_rules_say_so() {
    let asked = |topic, rules| LightQueues::asked_for("a", 0, topic, rules).unwrap().is_some();
    assert!(asked("T", LMQ));
    assert!(asked("%RETRY%g", LMQ));
    assert!(!asked("%RETRY%g", MultiDispatchRules { skip_retry_topics: true, ..LMQ }));
    assert!(asked("T", MultiDispatchRules { skip_retry_topics: true, ..LMQ }));
    assert!(!asked("T", MultiDispatchRules { enable_multi_dispatch: false, ..LMQ }));
}

fn stored(
    topic: &str,
    properties: &str,
    rules: MultiDispatchRules,
) -> Vec<(std::string::String, i64)> {
    let properties = properties.replace('=', "\u{1}").replace(';', "\u{2}");
    let message =
        Message { properties: Properties::Text(&properties), ..Message::new(topic, 3, b"") };
    let bytes = written(&message, &Stamp::default());
    let Ok(Parsed::Record(record)) = RecordView::parse(&bytes) else { panic!("no record") };
    stored_light_queues(&record, rules).map(|(q, offset)| (q.name.to_string(), offset)).collect()
}

#[test]
fn stored_lists_are_read_in_pairs() {
    let both = "INNER_MULTI_DISPATCH=%LMQ%a,,a/b,c;INNER_MULTI_QUEUE_OFFSET=5,6,7,-8";
    let pairs = [("%LMQ%a".to_string(), 5), ("c".to_string(), -8)];
    assert_eq!(stored("T", both, LMQ), pairs);
    assert_eq!(stored("T", both, MultiDispatchRules::default()), []);
}

#[test]
fn stored_lists_that_do_not_match_are_none() {
    for odd in [
        "",
        "INNER_MULTI_DISPATCH=a",
        "INNER_MULTI_QUEUE_OFFSET=1",
        "INNER_MULTI_DISPATCH=a,b;INNER_MULTI_QUEUE_OFFSET=1",
        "INNER_MULTI_DISPATCH=a;INNER_MULTI_QUEUE_OFFSET=1,2",
        "INNER_MULTI_DISPATCH=a,b;INNER_MULTI_QUEUE_OFFSET=1,x",
        "INNER_MULTI_DISPATCH=a;INNER_MULTI_QUEUE_OFFSET=9223372036854775808",
        "INNER_MULTI_DISPATCH= ;INNER_MULTI_QUEUE_OFFSET=1",
        "INNER_MULTI_DISPATCH=,;INNER_MULTI_QUEUE_OFFSET=1",
    ] {
        assert_eq!(stored("T", odd, LMQ), [], "{odd}");
    }
}

#[test]
fn retry_copies_are_skipped_also_while_they_wait() {
    // C-57
    let both = "INNER_MULTI_DISPATCH=a;INNER_MULTI_QUEUE_OFFSET=5";
    let waiting = std::format!("{both};REAL_TOPIC=%RETRY%g");
    let corrected = MultiDispatchRules { skip_retry_topics: true, ..LMQ };
    for (topic, text) in [("%RETRY%g", both), (SCHEDULE_TOPIC, &waiting)] {
        assert_eq!(stored(topic, text, LMQ).len(), 1);
        assert_eq!(stored(topic, text, corrected).len(), 0);
    }
    assert_eq!(stored("T", &waiting, corrected).len(), 1);
    assert_eq!(stored(SCHEDULE_TOPIC, both, corrected).len(), 1);
}
