//! Who is told that a message has arrived: those who wait at its queues (spec 04 section 9.6).

use super::request::DispatchRequest;
use crate::prepare::MultiDispatchRules;
use crate::record::props::Entries;

/// What `MessageArrivingListener.arriving` is called with.
#[derive(Clone, Copy, Debug)]
pub struct Arrival<'a> {
    /// Topic, or name of a light queue.
    pub topic: &'a str,
    /// Queue id.
    pub queue_id: i32,
    /// The queue's end behind the message: its queue offset plus 1.
    pub next_offset: i64,
    /// The request's tags code, never the address of an extension unit.
    pub tags_code: i64,
    /// STORETIMESTAMP, milliseconds since 1970.
    pub store_timestamp: i64,
    /// The record's properties.
    pub properties: Entries<'a>,
}

impl<'a> DispatchRequest<'a> {
    /// The calls that this record leads to: one for its queue, one for each light queue.
    ///
    /// As in Java they also come for prepared and rolled back messages, and light queues are
    /// told whether or not `enableMultiDispatch` is set.
    pub fn arrivals(&self) -> impl Iterator<Item = Arrival<'a>> + use<'a> {
        let rules = MultiDispatchRules { enable_multi_dispatch: true, ..self.multi };
        let (tags_code, store_timestamp) = (self.tags_code, self.store_timestamp);
        let properties = self.properties();
        self.every_target(rules).map(move |target| Arrival {
            topic: target.name,
            queue_id: target.queue_id,
            next_offset: target.queue_offset.wrapping_add(1),
            tags_code,
            store_timestamp,
            properties,
        })
    }
}
