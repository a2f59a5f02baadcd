//! Everything that a dispatcher needs to know of one record (`DispatchRequest`, spec 03
//! section 3).

use crate::check::is_folder_name;
use crate::delay::{DelayLevels, SCHEDULE_TOPIC};
use crate::prepare::{MultiDispatchRules, stored_light_queues};
use crate::record::java_hash;
use crate::record::parse::RecordView;
use crate::record::props::{
    self, Entries, PROPERTY_DELAY_TIME_LEVEL, PROPERTY_INNER_MULTI_DISPATCH, PROPERTY_KEYS,
    PROPERTY_TAGS, PROPERTY_UNIQ_CLIENT_MESSAGE_ID_KEYIDX,
};

/// One record on its way into its queues and into the index.
#[derive(Clone, Copy, Debug)]
pub struct DispatchRequest<'a> {
    /// TOPIC as stored; after a delay rewrite the schedule topic.
    pub topic: &'a [u8],
    /// QUEUEID.
    pub queue_id: i32,
    /// PHYSICALOFFSET as stored, which is its place: nothing else is dispatched.
    pub physical_offset: u64,
    /// TOTALSIZE, in bytes.
    pub size: u32,
    /// Hash of the tags; of a delayed message, when it is due (spec 02 section 7.1).
    pub tags_code: i64,
    /// STORETIMESTAMP, milliseconds since 1970.
    pub store_timestamp: i64,
    /// QUEUEOFFSET.
    pub queue_offset: i64,
    /// Property `KEYS`: index keys, separated by spaces.
    pub keys: Option<&'a [u8]>,
    /// Property `UNIQ_KEY`: the client's unique message id.
    pub uniq_key: Option<&'a [u8]>,
    /// SYSFLAG.
    pub sys_flag: i32,
    /// PREPARED TRANSACTION OFFSET.
    pub prepared_transaction_offset: i64,
    pub(super) record: RecordView<'a>,
    pub(super) multi: MultiDispatchRules,
    /// Whether it may name light queues at all.
    pub(super) names_light_queues: bool,
}

/// One queue that a record goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target<'a> {
    /// Topic, or name of the light queue.
    pub name: &'a str,
    /// Queue id.
    pub queue_id: i32,
    /// Index of its entry there.
    pub queue_offset: i64,
    /// Whether it is the record's own queue, not a light queue that it names.
    pub is_main: bool,
}

/// The properties that dispatchers ask for, of equal names the last one.
#[derive(Default)]
struct Asked<'a> {
    tags: Option<&'a [u8]>,
    keys: Option<&'a [u8]>,
    uniq_key: Option<&'a [u8]>,
    delay: Option<&'a [u8]>,
    light_queues: bool,
}

impl<'a> Asked<'a> {
    /// One pass, because properties are most of what is read of a record.
    fn of(record: &RecordView<'a>) -> Self {
        let mut asked = Self::default();
        for (name, value) in props::entries(record.properties_bytes()) {
            match core::str::from_utf8(name).unwrap_or_default() {
                PROPERTY_TAGS => asked.tags = Some(value),
                PROPERTY_KEYS => asked.keys = Some(value),
                PROPERTY_UNIQ_CLIENT_MESSAGE_ID_KEYIDX => asked.uniq_key = Some(value),
                PROPERTY_DELAY_TIME_LEVEL => asked.delay = Some(value),
                PROPERTY_INNER_MULTI_DISPATCH => asked.light_queues = true,
                _ => {}
            }
        }
        asked
    }

    /// The tags code of the record.
    fn tags_code(&self, record: &RecordView<'a>, levels: &DelayLevels) -> i64 {
        let is_delayed = record.topic_bytes() == SCHEDULE_TOPIC.as_bytes();
        match self.delay.filter(|_| is_delayed).and_then(level_of) {
            Some(level) if level > 0 => {
                levels.deliver_at(level.min(levels.max_level()), record.store_timestamp())
            }
            _ => java_hash::tags_code(self.tags),
        }
    }
}

/// The number in a property `DELAY`.
///
/// Java takes a record without one for a damaged record, and with it the rest of the file. Here
/// such a message, which no put lets in, is due at once.
fn level_of(text: &[u8]) -> Option<i32> {
    core::str::from_utf8(text).ok()?.parse().ok()
}

impl<'a> DispatchRequest<'a> {
    /// What this record asks for.
    ///
    /// A record without properties has neither tags nor keys nor light queues (spec 04
    /// section 9.5, DEFECT: there Java's dispatch stops for ever).
    #[must_use]
    pub fn new(record: RecordView<'a>, levels: &DelayLevels, multi: MultiDispatchRules) -> Self {
        let asked = Asked::of(&record);
        Self {
            topic: record.topic_bytes(),
            queue_id: record.queue_id(),
            physical_offset: record.physical_offset(),
            size: record.total_size(),
            tags_code: asked.tags_code(&record, levels),
            store_timestamp: record.store_timestamp(),
            queue_offset: record.queue_offset(),
            keys: asked.keys,
            uniq_key: asked.uniq_key,
            sys_flag: record.sys_flag(),
            prepared_transaction_offset: record.prepared_transaction_offset(),
            record,
            multi,
            names_light_queues: asked.light_queues,
        }
    }

    /// The record itself.
    #[must_use]
    pub const fn record(&self) -> &RecordView<'a> {
        &self.record
    }

    /// Its properties.
    #[must_use]
    pub fn properties(&self) -> Entries<'a> {
        props::entries(self.record.properties_bytes())
    }

    /// The name of its queue; `None` if there can be no such queue: the record stays in the log
    /// and can be read by its offset (spec 08 section 3, "names").
    #[must_use]
    pub fn queue_name(&self) -> Option<&'a str> {
        core::str::from_utf8(self.topic).ok().filter(|name| is_folder_name(name))
    }

    /// The queues that it goes to: its own and the light queues that it names. None for a
    /// prepared or rolled back message, which has no queue offset.
    pub fn targets(&self) -> impl Iterator<Item = Target<'a>> + use<'a> {
        let is_dispatched = self.record.is_dispatched();
        self.every_target(self.multi).filter(move |_| is_dispatched)
    }

    /// The same, as if it were no part of a transaction.
    pub(super) fn every_target(
        &self,
        multi: MultiDispatchRules,
    ) -> impl Iterator<Item = Target<'a>> + use<'a> {
        let main = self.queue_name().map(|name| Target {
            name,
            queue_id: self.queue_id,
            queue_offset: self.queue_offset,
            is_main: true,
        });
        let light = self.names_light_queues.then(|| stored_light_queues(&self.record, multi));
        let light = light.into_iter().flatten().map(|(queue, queue_offset)| Target {
            name: queue.name,
            queue_id: queue.queue_id,
            queue_offset,
            is_main: false,
        });
        main.into_iter().chain(light)
    }

    /// Whether a queue whose entries reach up to this log offset has it already (or has left it
    /// out): dispatch may so begin at the lowest point that any queue needs.
    #[must_use]
    pub const fn is_below(&self, max_physical_offset: u64) -> bool {
        self.physical_offset.saturating_add(self.size as u64) <= max_physical_offset
    }
}
