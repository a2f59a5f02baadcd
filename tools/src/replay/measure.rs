//! What an operation hands to the store, for whoever reckons sizes.

use super::properties::{JavaMap, order_of};
use super::trace::{Op, string_of};
use super::{batch, data};

/// The property string of a put, or that of a batch as a whole.
pub(crate) fn properties_text(op: &Op) -> String {
    let mut map = JavaMap::of(op, order_of(op));
    if op.name() == "putBatch" {
        return map.text();
    }
    match op.get("propertiesString") {
        Some(given) => string_of(given).unwrap_or_default(),
        None => map.text_without_wait(),
    }
}

/// Names and values of the property map.
pub(crate) fn properties_map(op: &Op) -> Vec<(String, String)> {
    let map = JavaMap::of(op, order_of(op));
    map.entries().into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

/// Length of the body of a put.
pub(crate) fn body_len(op: &Op) -> usize {
    data::bytes_of(op.get("body")).ok().flatten().map_or(0, |body| body.len())
}

/// The encoded batch of a putBatch; `None` if there is none.
pub(crate) fn batch_bytes(op: &Op) -> Option<Vec<u8>> {
    batch::encoded(op, order_of(op)).ok()
}
