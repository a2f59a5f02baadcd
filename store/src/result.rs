//! What a put answers (`PutMessageResult` and `AppendMessageResult`, spec 01 sections 1.6 and 9).

use core::fmt;
use core::net::SocketAddr;

use mqstore_core::cause::{Cause, Refusal};
use mqstore_core::log::{Appended, NotAppended};
use mqstore_core::record::msgid::MessageId;
use mqstore_core::status::{AppendMessageStatus, PutMessageStatus};

/// The answer to a put.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PutMessageResult {
    /// What RocketMQ would answer.
    pub status: PutMessageStatus,
    /// Why, if it is not `PUT_OK`.
    pub cause: Option<Cause>,
    /// Where the message lies; present whenever it was stored, also when its flush or its
    /// replica was not in time.
    pub append: Option<AppendMessageResult>,
}

/// Where a message or a batch lies in the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppendMessageResult {
    /// What the append answered.
    pub status: AppendMessageStatus,
    /// Log offset of the first byte.
    pub wrote_offset: u64,
    /// Bytes written.
    pub wrote_bytes: u32,
    /// The time in the record, milliseconds since 1970; 0 if nothing was written.
    pub store_timestamp: i64,
    /// Queue offset of the (first) message (`logicsOffset`).
    pub queue_offset: i64,
    /// How many messages.
    pub msg_num: u32,
    /// Milliseconds the put took, exact to a few (where RocketMQ has `pagecacheRT`).
    pub elapsed_millis: i64,
    /// The host in the message ids.
    store_host: SocketAddr,
    /// Log offsets of the messages of a batch.
    batch_offsets: Option<Box<[u64]>>,
}

impl AppendMessageResult {
    pub(crate) fn new(appended: &Appended, store_host: SocketAddr) -> Self {
        Self {
            status: AppendMessageStatus::PutOk,
            wrote_offset: appended.wrote_offset,
            wrote_bytes: appended.wrote_bytes,
            store_timestamp: appended.store_timestamp,
            queue_offset: appended.queue_offset,
            msg_num: appended.msg_num,
            elapsed_millis: 0,
            store_host,
            batch_offsets: None,
        }
    }

    pub(crate) fn with_batch(mut self, offsets: Box<[u64]>) -> Self {
        self.batch_offsets = Some(offsets);
        self
    }

    /// An append that failed, as RocketMQ answers it: all numbers 0, except that of the messages.
    fn failed(status: AppendMessageStatus) -> Self {
        Self {
            status,
            wrote_offset: 0,
            wrote_bytes: 0,
            store_timestamp: 0,
            queue_offset: 0,
            msg_num: 1,
            elapsed_millis: 0,
            store_host: mqstore_core::message::local_host(0),
            batch_offsets: Some(Box::default()),
        }
    }

    /// The message ids, one per message; made when asked for.
    pub fn message_ids(&self) -> impl Iterator<Item = MessageId> + '_ {
        let single = self.batch_offsets.is_none().then_some(self.wrote_offset);
        let batch = self.batch_offsets.as_deref().unwrap_or_default().iter().copied();
        single.into_iter().chain(batch).map(|offset| MessageId::new(&self.store_host, offset))
    }

    /// The message ids joined by commas, as `getMsgId` gives them.
    #[must_use]
    pub fn msg_id(&self) -> String {
        let ids: Vec<String> = self.message_ids().map(|id| id.to_string()).collect();
        ids.join(",")
    }
}

impl PutMessageResult {
    pub(crate) const fn stored(append: AppendMessageResult) -> Self {
        Self { status: PutMessageStatus::PutOk, cause: None, append: Some(append) }
    }

    /// The message was stored, but something behind that was not as it should be.
    pub(crate) fn but(mut self, status: PutMessageStatus, cause: Cause) -> Self {
        self.status = status;
        self.cause = Some(cause);
        self
    }

    /// Whether the message is in the log (`isOk`), whatever became of flush and replica.
    #[must_use]
    pub fn is_ok(&self) -> bool {
        self.append.as_ref().is_some_and(|a| a.status == AppendMessageStatus::PutOk)
    }
}

impl From<Refusal> for PutMessageResult {
    fn from(refusal: Refusal) -> Self {
        Self { status: refusal.status, cause: Some(refusal.cause), append: None }
    }
}

impl From<NotAppended> for PutMessageResult {
    fn from(not: NotAppended) -> Self {
        Self { append: not.append.map(AppendMessageResult::failed), ..not.refusal.into() }
    }
}

impl fmt::Display for PutMessageResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.status.java_name())?;
        match &self.cause {
            Some(cause) => write!(f, ": {cause}"),
            None => Ok(()),
        }
    }
}
