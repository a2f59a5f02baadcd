//! The answers of the store as the oracle prints them.

use mqstore::{PutMessageResult, RunningFlags};
use serde_json::Value;

use crate::json::Object;

/// Adds the fields of a put's result.
pub(super) fn put_result(result: &PutMessageResult, out: &mut Object) {
    out.insert("status".into(), result.status.java_name().into());
    let Some(append) = &result.append else {
        out.insert("append".into(), Value::Null);
        return;
    };
    out.insert("append".into(), append.status.java_name().into());
    out.insert("wroteOffset".into(), append.wrote_offset.into());
    out.insert("wroteBytes".into(), append.wrote_bytes.into());
    out.insert("queueOffset".into(), append.queue_offset.into());
    out.insert("storeTimestamp".into(), append.store_timestamp.into());
    out.insert("msgNum".into(), append.msg_num.into());
    out.insert("msgId".into(), append.msg_id().into());
}

/// Adds the flags and what follows from them.
pub(super) fn flags(flags: &RunningFlags, out: &mut Object) {
    out.insert("flagBits".into(), flags.flag_bits().into());
    out.insert("readable".into(), flags.is_readable().into());
    out.insert("writeable".into(), flags.is_writeable().into());
    out.insert("cqWriteable".into(), flags.is_cq_writeable().into());
}
