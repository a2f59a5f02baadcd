//! A batch, prepared: every message of it measured and checked before any is written (spec 01
//! sections 3 and 4.2).

use core::net::SocketAddr;

use super::stored::Stored;
use super::wishes::Wishes;
use super::{fits_into_file, properties_len};
use crate::cause::{Illegal, Refusal};
use crate::check::Limits;
use crate::message::{MessageBatch, Properties};
use crate::record::batch::{BatchItem, Inner, inners};
use crate::record::emit::{Head, WrongRoom, canonical, sys_flag_of, write_bytes};
use crate::record::hash_order::OrderRoomView;
use crate::record::layout::{PROPERTIES_LEN_MAX, TOPIC_LEN_MAX, fixed_len, record_len};
use crate::record::props::PROPERTY_SEPARATOR;
use crate::record::{Stamp, body_crc, sysflag};

/// A batch that only waits for its place and its time.
#[derive(Clone, Copy, Debug)]
pub struct PreparedBatch<'a> {
    batch: &'a MessageBatch<'a>,
    items: &'a [BatchItem],
    properties: Stored<'a>,
    sys_flag: i32,
    born_host: SocketAddr,
    store_host: SocketAddr,
    wait_store_ok: bool,
    total_len: u32,
}

/// Prepares a batch that [`crate::check::batch`] has let pass.
///
/// `items` is room for one item per message ([`crate::record::batch::count`]); `order` as in
/// [`super::prepare`]. An empty batch is legal, and has 0 messages and 0 bytes.
///
/// # Errors
/// `MESSAGE_ILLEGAL` for a batch that is delayed or part of a transaction, for an encoding that
/// is torn or holds more messages than `items`, for properties of more than 32767 bytes, alone
/// or together with those of a message, and for records that are, each or together, longer than
/// `maxMessageSize` or than a file can hold.
pub fn prepare_batch<'a>(
    batch: &'a MessageBatch<'a>,
    limits: &Limits,
    items: &'a mut [BatchItem],
    order: &'a mut OrderRoomView,
) -> Result<PreparedBatch<'a>, Refusal> {
    let head = &batch.head;
    let wishes = Wishes::of(&head.properties);
    if sysflag::tran_type(head.sys_flag) != sysflag::TRANSACTION_NOT_TYPE {
        return Err(Refusal::illegal(Illegal::BatchTransaction));
    }
    if wishes.delay_level()? > 0 {
        return Err(Refusal::illegal(Illegal::BatchDelayed));
    }
    if head.topic.len() > TOPIC_LEN_MAX {
        return Err(Refusal::illegal(Illegal::TopicTooLong { bytes: head.topic.len() }));
    }
    // RocketMQ makes the string from the batch's map, whatever string it was given.
    let given = match head.properties {
        Properties::Both { map, .. } => Properties::Map(map),
        other => other,
    };
    let properties = Stored::new(&given, super::Overlay::default(), order);
    if properties.len() > PROPERTIES_LEN_MAX {
        return Err(Refusal::illegal(Illegal::PropertiesTooLong { bytes: properties.len() }));
    }

    let (born_host, store_host) = (canonical(&head.born_host), canonical(&head.store_host));
    let mut prepared = PreparedBatch {
        batch,
        items: &[],
        properties,
        sys_flag: sys_flag_of(head.sys_flag, &born_host, &store_host),
        born_host,
        store_host,
        wait_store_ok: wishes.wait_store_ok(),
        total_len: 0,
    };
    let limit = items.len();
    let mut rest = items.iter_mut();
    let mut total = 0;
    for (index, inner) in inners(head.body).enumerate() {
        let inner = inner.map_err(Refusal::illegal)?;
        let item = rest.next().ok_or(Refusal::illegal(Illegal::BatchTooMany { limit }))?;
        *item = prepared.item(index, &inner, limits).map_err(Refusal::illegal)?;
        total += u64::from(item.record_len);
        let limit = u64::from(limits.max_message_size);
        if total > limit {
            return Err(Refusal::illegal(Illegal::BatchTooLong { bytes: total, limit }));
        }
    }
    let unused = rest.len();
    if total > 0 {
        prepared.total_len = fits_into_file(total, limits).map_err(Refusal::illegal)?;
    }
    prepared.items = items.get(..limit - unused).unwrap_or_default();
    Ok(prepared)
}

impl<'a> PreparedBatch<'a> {
    /// The topic of all messages.
    #[must_use]
    pub const fn topic(&self) -> &'a str {
        self.batch.head.topic
    }

    /// The queue of all messages.
    #[must_use]
    pub const fn queue_id(&self) -> i32 {
        self.batch.head.queue_id
    }

    /// SYSFLAG as it is stored: its two IPv6 bits are those of the hosts.
    #[must_use]
    pub const fn sys_flag(&self) -> i32 {
        self.sys_flag
    }

    /// The broker's address; an IPv4 address mapped into IPv6 has become an IPv4 address.
    #[must_use]
    pub const fn store_host(&self) -> SocketAddr {
        self.store_host
    }

    /// Whether its put waits for flush and replica (property `WAIT` of the batch).
    #[must_use]
    pub const fn wait_store_ok(&self) -> bool {
        self.wait_store_ok
    }

    /// Length of all records together, in bytes.
    #[must_use]
    pub const fn total_len(&self) -> u32 {
        self.total_len
    }

    /// How many messages it has.
    #[must_use]
    pub fn len(&self) -> u32 {
        // Each has a record of 91 bytes or more, all of them together less than 4 GiB.
        u32::try_from(self.items.len()).unwrap_or(u32::MAX)
    }

    /// Whether it has no message.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Length of each record in bytes, in order.
    pub fn record_lens(&self) -> impl ExactSizeIterator<Item = u32> + 'a {
        self.items.iter().map(|item| item.record_len)
    }

    /// Writes its records, one behind the other, over all of `out`.
    ///
    /// The first one lies at `physical_offset` and has the given queue offset, each further one
    /// the next; all have the same store time (milliseconds since 1970).
    ///
    /// # Panics
    /// If `out` has another length than [`Self::total_len`].
    pub fn emit(
        &self,
        first_queue_offset: i64,
        physical_offset: u64,
        store_timestamp: i64,
        out: &mut [u8],
    ) {
        let stamp = Stamp { queue_offset: first_queue_offset, physical_offset, store_timestamp };
        let written = self.write(stamp, out);
        assert_eq!(written, Ok(()), "a batch needs room of exactly its length");
    }

    fn write(&self, mut stamp: Stamp, mut out: &mut [u8]) -> Result<(), WrongRoom> {
        for (item, inner) in self.items.iter().zip(inners(self.batch.head.body)) {
            // It has been read without an error before.
            let inner = inner.map_err(|_| WrongRoom)?;
            let len = usize::try_from(item.record_len).map_err(|_| WrongRoom)?;
            let (record, rest) = out.split_at_mut_checked(len).ok_or(WrongRoom)?;
            self.write_one(item, &inner, &stamp, record)?;
            out = rest;
            stamp.queue_offset += 1;
            stamp.physical_offset += u64::from(item.record_len);
        }
        if out.is_empty() { Ok(()) } else { Err(WrongRoom) }
    }

    fn write_one(
        &self,
        item: &BatchItem,
        inner: &Inner<'_>,
        stamp: &Stamp,
        out: &mut [u8],
    ) -> Result<(), WrongRoom> {
        let shared = &self.batch.head;
        let bare_len = fixed_len(self.sys_flag) + inner.body.len() + shared.topic.len();
        let head = Head {
            body_crc: item.body_crc,
            queue_id: shared.queue_id,
            flag: inner.flag,
            sys_flag: self.sys_flag,
            born_timestamp: shared.born_timestamp,
            born_host: self.born_host,
            store_host: self.store_host,
            reconsume_times: shared.reconsume_times,
            prepared_transaction_offset: 0,
            body: inner.body,
            topic: shared.topic,
        };
        let mut room = head.write(stamp, properties_len(out.len(), bare_len)?, out)?;
        room = write_bytes(inner.properties, room)?;
        if inner.needs_separator(self.properties.len()) {
            room = write_bytes(&[PROPERTY_SEPARATOR], room)?;
        }
        self.properties.write(room, |_| Ok(0))
    }

    /// Measures one message, and takes its checksum.
    fn item(&self, index: usize, inner: &Inner<'_>, limits: &Limits) -> Result<BatchItem, Illegal> {
        let own = inner.properties.len();
        let shared = self.properties.len();
        let bytes = own + usize::from(inner.needs_separator(shared)) + shared;
        if bytes > PROPERTIES_LEN_MAX {
            return Err(Illegal::BatchPropertiesTooLong { index, bytes });
        }
        let topic = self.batch.head.topic.len();
        let bytes = record_len(self.sys_flag, inner.body.len(), topic, bytes);
        let limit = u64::from(limits.max_message_size);
        match u32::try_from(bytes) {
            Ok(record_len) if bytes <= limit => {
                Ok(BatchItem { body_crc: body_crc(inner.body), record_len })
            }
            _ => Err(Illegal::RecordTooLong { bytes, limit }),
        }
    }
}

#[cfg(test)]
mod tests;
