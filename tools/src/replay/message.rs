//! The message that an operation describes.

use core::net::SocketAddr;

use mqstore::{Message, MessageBatch, Properties, PropertyMap};

use super::properties::{JavaMap, order_of};
use super::trace::{Op, plain, string_of};
use super::{batch, data, host};

/// Why an operation has no answer of the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum OpError {
    /// The trace is at fault, and ends here.
    Usage(String),
    /// Java would throw this at its caller.
    Exception { class: &'static str, message: String },
}

impl OpError {
    /// Something is null that may not be.
    pub(super) fn null(message: &str) -> Self {
        let class = "java.lang.NullPointerException";
        Self::Exception { class, message: message.to_owned() }
    }

    /// Something is not what it has to be.
    pub(super) fn illegal(message: String) -> Self {
        Self::Exception { class: "java.lang.IllegalArgumentException", message }
    }
}

/// A message with all it borrows.
pub(super) struct OwnedMessage {
    topic: String,
    queue_id: i32,
    flag: i32,
    sys_flag: i32,
    born_timestamp: i64,
    born_host: SocketAddr,
    store_host: SocketAddr,
    reconsume_times: i32,
    prepared_transaction_offset: i64,
    body: Vec<u8>,
    /// The string to be stored; of a batch, the map's.
    text: Option<String>,
    map: JavaMap,
}

impl OwnedMessage {
    /// The message of a `put` at this time.
    pub(super) fn single(op: &Op, now: i64) -> Result<Self, OpError> {
        let map = JavaMap::of(op, order_of(op));
        let mut message = Self::head(op, now, map)?;
        message.body = data::bytes_of(op.get("body")).map_err(OpError::Usage)?.unwrap_or_default();
        message.text = Some(match op.get("propertiesString") {
            Some(given) => string_of(given).unwrap_or_default(),
            None => message.map.text_without_wait(),
        });
        Ok(message)
    }

    /// The batch of a `putBatch` at this time.
    pub(super) fn batch(op: &Op, now: i64) -> Result<Self, OpError> {
        let order = order_of(op);
        let mut message = Self::head(op, now, JavaMap::of(op, order))?;
        message.body = batch::encoded(op, order)?;
        Ok(message)
    }

    fn head(op: &Op, now: i64, map: JavaMap) -> Result<Self, OpError> {
        let host = |field: &str, default: &str| {
            let text = op.get(field).map_or_else(|| default.to_owned(), plain);
            host::parse(&text).map_err(OpError::illegal)
        };
        let topic = op.get("topic").and_then(string_of);
        Ok(Self {
            topic: topic.ok_or_else(|| OpError::null("the message has no topic"))?,
            queue_id: op.int("queueId"),
            flag: op.int("flag"),
            sys_flag: op.int("sysFlag"),
            born_timestamp: op.maybe_long("bornTimestamp").unwrap_or(now),
            born_host: host("bornHost", "127.0.0.1:10000")?,
            store_host: host("storeHost", "127.0.0.1:10911")?,
            reconsume_times: op.int("reconsumeTimes"),
            prepared_transaction_offset: op.long("preparedTransactionOffset"),
            body: Vec::new(),
            text: None,
            map,
        })
    }

    /// Shows it as the store wants it.
    pub(super) fn with<R>(&self, f: impl FnOnce(&Message<'_>) -> R) -> R {
        let entries = self.map.entries();
        let map = PropertyMap { entries: &entries, order: self.map.order() };
        let properties = match &self.text {
            Some(text) => Properties::Both { text, map },
            None => Properties::Map(map),
        };
        f(&Message {
            topic: &self.topic,
            queue_id: self.queue_id,
            flag: self.flag,
            sys_flag: self.sys_flag,
            born_timestamp: self.born_timestamp,
            born_host: self.born_host,
            store_host: self.store_host,
            reconsume_times: self.reconsume_times,
            prepared_transaction_offset: self.prepared_transaction_offset,
            body: &self.body,
            properties,
        })
    }

    /// The same as a batch.
    pub(super) fn with_batch<R>(&self, f: impl FnOnce(&MessageBatch<'_>) -> R) -> R {
        self.with(|head| f(&MessageBatch { head: *head }))
    }
}
