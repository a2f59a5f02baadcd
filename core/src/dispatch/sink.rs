//! What dispatch calls for each record, and what it tells about the log on its way.

use super::arrival::Arrival;
use super::request::DispatchRequest;
use super::resync::Gap;
use crate::record::parse::RecordView;

/// The dispatchers behind the log: queues, index, and those who wait for messages.
///
/// All of them may be called again for a record that they have had: after an error, and after a
/// start. A queue lets pass what [`DispatchRequest::is_below`] its end, and the index likewise.
pub trait Dispatch {
    /// Why a record could not be dispatched.
    type Error;

    /// Puts an entry into each of the request's [`DispatchRequest::targets`] (spec 04
    /// section 10). Not called for prepared and rolled back messages.
    ///
    /// # Errors
    /// The step stops before this record.
    fn queue(&mut self, request: &DispatchRequest<'_>) -> Result<(), Self::Error>;

    /// Puts the record's keys into the index (spec 02 section 9), if there is one.
    ///
    /// # Errors
    /// The step stops before this record; [`Self::queue`] will be called for it again.
    fn index(&mut self, request: &DispatchRequest<'_>) -> Result<(), Self::Error>;

    /// A message has arrived at a queue. Not asked whether anybody wants to hear of it: a slave
    /// does not, nor does a store without `longPollingEnable`.
    fn arrived(&mut self, arrival: &Arrival<'_>) {
        let _ = arrival;
    }

    /// What the queues know of this record's place, asked behind damage.
    fn entry(&mut self, record: &RecordView<'_>) -> Entry {
        let _ = record;
        Entry::Unknown
    }

    /// The size in a queue entry that points at this log offset, asked where a damaged record
    /// does not say its own.
    fn size_at(&mut self, offset: u64) -> Option<u32> {
        let _ = offset;
        None
    }

    /// A damaged run of the log is left out.
    fn skipped(&mut self, gap: &Gap) {
        let _ = gap;
    }

    /// No queue can have the name of this record's topic.
    fn no_queue(&mut self, request: &DispatchRequest<'_>) {
        let _ = request;
    }

    /// What lay below `to`, the first byte there still is, has been removed before it was
    /// dispatched.
    fn jumped(&mut self, from: u64, to: u64) {
        let _ = (from, to);
    }
}

/// What the entry at a record's own topic, queue and queue offset says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// It points at the record, with its size.
    Here,
    /// It points at something else.
    Elsewhere,
    /// There is none.
    Unknown,
}
