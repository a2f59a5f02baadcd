//! Raw bytes of a master's log, as a slave appends them (`appendToCommitLog`, spec 04 section 8).

use super::place::Files;
use super::{CommitLog, LogWriter};
use crate::cause::{Cause, Refusal};
use crate::observe::Observer;
use crate::offsets::QueueOffsets;
use crate::segment::{SegmentBackend, SegmentTable};
use crate::status::PutMessageStatus;

fn refused(cause: Cause) -> Refusal {
    Refusal::new(PutMessageStatus::UnknownError, cause)
}

impl<B: SegmentBackend, Q: QueueOffsets> LogWriter<B, Q> {
    /// Appends `bytes`, which lie at `offset` in the master's log: called with the put lock
    /// held. They may begin and end in the middle of a record, but must lie in one segment.
    ///
    /// Answers the end of the log behind them. Queue offsets are learned from the bytes when the
    /// next ones come, or before the first message is put, as far as they are visible then;
    /// where the medium lends no views, the driver does that by [`Self::learn`].
    ///
    /// # Errors
    /// [`Cause::NotContinuous`] when they do not continue the log (an empty log begins at the
    /// start of any segment), [`Cause::DoesNotFit`], or what the medium says; nothing has moved
    /// then.
    pub fn append_raw<T: SegmentTable<B::Segment>>(
        &mut self,
        log: &CommitLog<B::Segment, T>,
        offset: u64,
        bytes: &[u8],
        observer: &impl Observer,
    ) -> Result<u64, Refusal> {
        let capacity = u64::from(self.backend_capacity());
        let begins = self.files.current.is_none();
        let expected = if begins { offset - offset % capacity } else { self.files.end() };
        if offset != expected {
            return Err(refused(Cause::NotContinuous { expected }));
        }
        if bytes.len() as u64 > capacity - offset % capacity {
            return Err(refused(Cause::DoesNotFit));
        }
        if bytes.is_empty() {
            return Ok(offset);
        }
        if begins {
            self.learned = offset;
        }
        self.learn_ahead(log);
        match self.files.current.as_mut().filter(|open| open.room() > 0) {
            Some(open) => Files::<B>::place_raw(open, bytes, observer)?,
            None => self.files.place_raw_in_next(log, offset, bytes, observer)?,
        }
        Ok(self.files.end())
    }

    fn backend_capacity(&self) -> u32 {
        self.files.backend.geometry().capacity.max(1)
    }
}
