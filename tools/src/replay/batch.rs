//! The client's encoding of a batch (`MessageDecoder.encodeMessages`).

use mqstore::MapOrder;
use serde_json::Value;

use super::data::bytes_of;
use super::message::OpError;
use super::properties::JavaMap;
use super::trace::Op;

/// The encoded batch of a `putBatch`: its `rawBody`, or its `messages`.
pub(super) fn encoded(op: &Op, order: MapOrder) -> Result<Vec<u8>, OpError> {
    if op.has("rawBody") {
        let raw = bytes_of(op.get("rawBody")).map_err(OpError::Usage)?;
        return raw.ok_or(OpError::null("the batch has no body"));
    }
    let messages = op.get("messages").and_then(Value::as_array);
    let messages = messages.ok_or(OpError::null("the batch has neither messages nor rawBody"))?;
    let mut out = Vec::new();
    for message in messages {
        let fields = message.as_object().cloned().unwrap_or_default();
        encode(&Op { fields }, order, &mut out)?;
    }
    Ok(out)
}

fn encode(message: &Op, order: MapOrder, out: &mut Vec<u8>) -> Result<(), OpError> {
    let body = bytes_of(message.get("body")).map_err(OpError::Usage)?;
    let body = body.ok_or(OpError::null("a message of the batch has no body"))?;
    let properties = JavaMap::of(message, order).text().into_bytes();
    // as Java casts them: what does not fit is not the encoder's business
    let total = 22 + body.len() + properties.len();
    for number in [total, 0, 0] {
        out.extend_from_slice(&lower_u32(number).to_be_bytes());
    }
    out.extend_from_slice(&message.int("flag").to_be_bytes());
    out.extend_from_slice(&lower_u32(body.len()).to_be_bytes());
    out.extend_from_slice(&body);
    let length = lower_u32(properties.len()).to_be_bytes();
    out.extend_from_slice(&length[2..]);
    out.extend_from_slice(&properties);
    Ok(())
}

fn lower_u32(n: usize) -> u32 {
    (n & 0xFFFF_FFFF) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replay::data::hex;
    use crate::replay::trace::Trace;

    fn encoded_hex(json: &str) -> Result<String, OpError> {
        let trace = Trace::parse(json).unwrap();
        encoded(&trace.ops[0], MapOrder::Given).map(|bytes| hex(&bytes))
    }

    #[test]
    fn the_example_of_the_specification_is_encoded() {
        let json = r#"{"messages":[{"body":"b1","flag":5,"properties":{"KEYS":"K1"},"tags":"T1"},{"body":"b2"}]}"#;
        assert_eq!(
            encoded_hex(json).unwrap(),
            "0000002700000000000000000000000500000002\
             6231000f4b455953014b310254414753015431\
             0000001800000000000000000000000000000002\
             62320000"
        );
    }

    #[test]
    fn a_raw_body_is_taken_as_it_is_and_nulls_are_refused() {
        assert_eq!(encoded_hex(r#"{"rawBody":{"hex":"0102"}}"#).unwrap(), "0102");
        for bad in [r#"{}"#, r#"{"rawBody":null}"#, r#"{"messages":[{"flag":1}]}"#] {
            assert!(encoded_hex(bad).is_err(), "{bad}");
        }
    }
}
