//! Everything about a record that can be done before the put lock (spec 01 section 2.1).
//!
//! [`prepare`] reads what the properties ask for, sends delayed messages to the schedule topic,
//! takes the body's checksum and measures the record; a [`Prepared`] message then needs only a
//! [`Stamp`] to be written straight into its place. [`prepare_batch`] does the same for a
//! batch. What [`crate::check`] refuses must have been refused before.

mod batch;
mod light;
mod stored;
mod wishes;

pub use batch::{PreparedBatch, prepare_batch};
pub use light::{
    LMQ_PREFIX, LightQueue, LightQueues, MultiDispatchRules, RETRY_PREFIX, StoredLightQueues,
    stored_light_queues,
};

use core::net::SocketAddr;

use self::stored::Stored;
use self::wishes::Wishes;
use crate::cause::{Cause, Illegal, Refusal};
use crate::check::Limits;
use crate::delay::{DelayLevels, SCHEDULE_TOPIC};
use crate::message::Message;
use crate::record::Stamp;
use crate::record::emit::{Head, WrongRoom, canonical, sys_flag_of};
use crate::record::hash_order::OrderRoomView;
use crate::record::layout::{
    self, END_FILE_MIN_BLANK_LENGTH, PROPERTIES_LEN_MAX, TOPIC_LEN_MAX, fixed_len,
};
use crate::record::map_string::Overlay;
use crate::record::{self, sysflag};
use crate::status::PutMessageStatus;

/// A message that only waits for its place and its time.
#[derive(Clone, Copy, Debug)]
pub struct Prepared<'a> {
    message: &'a Message<'a>,
    topic: &'a str,
    queue_id: i32,
    sys_flag: i32,
    body_crc: u32,
    born_host: SocketAddr,
    store_host: SocketAddr,
    wait_store_ok: bool,
    /// Length without the offsets of light queues.
    record_len: u32,
    properties: Stored<'a>,
    light: Option<LightQueues<'a>>,
    limits: Limits,
}

/// Prepares one message that [`crate::check::message`] has let pass.
///
/// `order` is room to put a property map into the order of Java's, should that be needed; see
/// [`crate::record::hash_order::OrderRoom`].
///
/// # Errors
/// `PROPERTIES_SIZE_EXCEEDED` for a property string of more than 32767 bytes;
/// `MESSAGE_ILLEGAL` for a record that is longer than `maxMessageSize` or than a file can hold,
/// for a `DELAY` that is no number, and for a light queue with an impossible name.
pub fn prepare<'a>(
    message: &'a Message<'a>,
    levels: &DelayLevels,
    limits: &Limits,
    multi: MultiDispatchRules,
    order: &'a mut OrderRoomView,
) -> Result<Prepared<'a>, Refusal> {
    let wishes = Wishes::of(&message.properties);
    let mut overlay = Overlay::default();
    let (mut topic, mut queue_id) = (message.topic, message.queue_id);
    if sysflag::is_dispatched(message.sys_flag) {
        let level = wishes.delay_level()?;
        if level > 0 {
            let max = levels.max_level();
            overlay.delay_level = (level > max).then_some(max);
            overlay.real = Some((topic, queue_id));
            (topic, queue_id) = (SCHEDULE_TOPIC, level.min(max) - 1);
        }
    }
    let light = match wishes.multi_dispatch {
        Some(list) => LightQueues::asked_for(list, queue_id, message.topic, multi)?,
        None => None,
    };

    let (born_host, store_host) = (canonical(&message.born_host), canonical(&message.store_host));
    let mut prepared = Prepared {
        message,
        topic,
        queue_id,
        sys_flag: sys_flag_of(message.sys_flag, &born_host, &store_host),
        body_crc: record::body_crc(message.body),
        born_host,
        store_host,
        wait_store_ok: wishes.wait_store_ok(),
        record_len: 0,
        properties: Stored::Text(""),
        light,
        limits: *limits,
    };
    if light.is_some() {
        // RocketMQ measures the string as it is before the offsets are added, too.
        let before = Stored::new(&message.properties, overlay, &mut *order).len();
        prepared.record_len = prepared.measure(before)?;
        overlay.multi_dispatch = true;
        prepared.properties = Stored::new(&message.properties, overlay, order);
    } else {
        prepared.properties = Stored::new(&message.properties, overlay, order);
        prepared.record_len = prepared.measure(prepared.properties.len())?;
    }
    Ok(prepared)
}

impl<'a> Prepared<'a> {
    /// The topic it is stored under, after a delay rewrite.
    #[must_use]
    pub const fn topic(&self) -> &'a str {
        self.topic
    }

    /// The queue it is stored in, after a delay rewrite.
    #[must_use]
    pub const fn queue_id(&self) -> i32 {
        self.queue_id
    }

    /// SYSFLAG as it is stored: its two IPv6 bits are those of the hosts.
    #[must_use]
    pub const fn sys_flag(&self) -> i32 {
        self.sys_flag
    }

    /// The transaction field of SYSFLAG.
    #[must_use]
    pub const fn tran_type(&self) -> i32 {
        sysflag::tran_type(self.sys_flag)
    }

    /// Whether it gets a queue offset and a queue entry.
    #[must_use]
    pub const fn is_dispatched(&self) -> bool {
        sysflag::is_dispatched(self.sys_flag)
    }

    /// Whether its put waits for flush and replica (property `WAIT`).
    #[must_use]
    pub const fn wait_store_ok(&self) -> bool {
        self.wait_store_ok
    }

    /// BODYCRC.
    #[must_use]
    pub const fn body_crc(&self) -> u32 {
        self.body_crc
    }

    /// The broker's address; an IPv4 address mapped into IPv6 has become an IPv4 address.
    #[must_use]
    pub const fn store_host(&self) -> SocketAddr {
        self.store_host
    }

    /// The light queues that it also goes to; `None` if it has no such list, or lists count
    /// for nothing.
    #[must_use]
    pub const fn multi_dispatch(&self) -> Option<LightQueues<'a>> {
        self.light
    }

    /// Length of its record in bytes; of a message for light queues, without their offsets.
    #[must_use]
    pub const fn record_len(&self) -> u32 {
        self.record_len
    }

    /// Length of its record in bytes, with these offsets in the light queues.
    ///
    /// `offsets` is asked once for each of [`Self::multi_dispatch`], in order.
    ///
    /// # Errors
    /// [`Illegal::MultiDispatchTooLong`] or [`Illegal::LargerThanFile`] if the offsets make it
    /// too long.
    pub fn record_len_with(
        &self,
        mut offsets: impl FnMut(LightQueue<'a>) -> i64,
    ) -> Result<u32, Illegal> {
        let Some(light) = self.light else { return Ok(self.record_len) };
        let properties = self.properties.len() + light::offsets_len(light, &mut offsets);
        let bytes = (self.bare_len() + properties) as u64;
        let limit = u64::from(self.limits.max_message_size);
        if properties > PROPERTIES_LEN_MAX || bytes > limit {
            return Err(Illegal::MultiDispatchTooLong);
        }
        fits_into_file(bytes, &self.limits)
    }

    /// Writes its record over all of `out`.
    ///
    /// # Panics
    /// If `out` has another length than [`Self::record_len`], or the message is for light
    /// queues ([`Self::emit_with`]).
    #[inline]
    pub fn emit(&self, stamp: &Stamp, out: &mut [u8]) {
        self.emit_with(stamp, |_| 0, out);
    }

    /// Writes its record, with these offsets in the light queues, over all of `out`.
    ///
    /// `offsets` is asked once for each of [`Self::multi_dispatch`], in order, and answers as
    /// it did when the record was measured.
    ///
    /// # Panics
    /// If `out` has another length than [`Self::record_len_with`] has answered.
    #[inline]
    pub fn emit_with(
        &self,
        stamp: &Stamp,
        mut offsets: impl FnMut(LightQueue<'a>) -> i64,
        out: &mut [u8],
    ) {
        let written = self.write(stamp, &mut offsets, out);
        assert_eq!(written, Ok(()), "a record needs room of exactly its length");
    }

    #[inline]
    fn write(
        &self,
        stamp: &Stamp,
        offsets: &mut impl FnMut(LightQueue<'a>) -> i64,
        out: &mut [u8],
    ) -> Result<(), WrongRoom> {
        let message = self.message;
        let properties_len = properties_len(out.len(), self.bare_len())?;
        let head = Head {
            body_crc: self.body_crc,
            queue_id: self.queue_id,
            flag: message.flag,
            sys_flag: self.sys_flag,
            born_timestamp: message.born_timestamp,
            born_host: self.born_host,
            store_host: self.store_host,
            reconsume_times: message.reconsume_times,
            prepared_transaction_offset: message.prepared_transaction_offset,
            body: message.body,
            topic: self.topic,
        };
        let room = head.write(stamp, properties_len, out)?;
        self.properties.write(room, |out| match self.light {
            Some(light) => light::write_offsets(light, offsets, out),
            None => Ok(0),
        })
    }

    /// Length of everything but the properties.
    fn bare_len(&self) -> usize {
        fixed_len(self.sys_flag) + self.message.body.len() + self.topic.len()
    }

    /// The record's length with properties of this length, if nothing is too long.
    fn measure(&self, properties: usize) -> Result<u32, Refusal> {
        if self.topic.len() > TOPIC_LEN_MAX {
            return Err(Refusal::illegal(Illegal::TopicTooLong { bytes: self.topic.len() }));
        }
        if properties > PROPERTIES_LEN_MAX {
            let why = Cause::Illegal(Illegal::PropertiesTooLong { bytes: properties });
            return Err(Refusal::new(PutMessageStatus::PropertiesSizeExceeded, why));
        }
        let (body, topic) = (self.message.body.len(), self.topic.len());
        let bytes = layout::record_len(self.sys_flag, body, topic, properties);
        let limit = u64::from(self.limits.max_message_size);
        if bytes > limit {
            return Err(Refusal::illegal(Illegal::RecordTooLong { bytes, limit }));
        }
        fits_into_file(bytes, &self.limits).map_err(Refusal::illegal)
    }
}

/// The length, if a file can hold that many bytes and a filler.
fn fits_into_file(bytes: u64, limits: &Limits) -> Result<u32, Illegal> {
    let limit = limits.segment_size.saturating_sub(END_FILE_MIN_BLANK_LENGTH);
    match u32::try_from(bytes) {
        Ok(len) if len <= limit => Ok(len),
        _ => Err(Illegal::LargerThanFile { bytes, limit: u64::from(limit) }),
    }
}

/// The length of the properties in a record of this length.
fn properties_len(record_len: usize, bare_len: usize) -> Result<u16, WrongRoom> {
    let len = record_len.checked_sub(bare_len).ok_or(WrongRoom)?;
    u16::try_from(len).map_err(|_| WrongRoom)
}

#[cfg(test)]
mod tests;
