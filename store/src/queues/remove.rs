//! Removing whole queues: when their topic is deleted, or nothing of them is in the log any more
//! (`cleanUnusedTopic`, `cleanExpiredConsumerQueue`, spec 06 section 5).

use std::sync::Arc;

use mqstore_core::segment::Series;

use super::Queues;
use super::error::QueueError;
use super::queue::{Queue, State};
use crate::engine::HostMedium;

impl<M: HostMedium> Queues<M> {
    /// Removes a queue with its files and its extension; false if there is none. Whoever reads it
    /// reads on. Its next offset, which the log's writer has, is not touched.
    ///
    /// # Errors
    /// What the medium says: the queue stays, and may have lost files; remove it again.
    pub(crate) fn remove(&self, topic: &str, queue_id: i32) -> Result<bool, QueueError> {
        match self.find(topic, queue_id) {
            Some(queue) => self.remove_queue(&queue),
            None => Ok(false),
        }
    }

    /// Removes all queues of a topic; answers how many.
    ///
    /// # Errors
    /// As [`Queues::remove`]; those before it are gone.
    pub(crate) fn remove_topic(&self, topic: &str) -> Result<usize, QueueError> {
        let mut removed = 0;
        for queue in self.map.all().iter().filter(|q| q.topic() == topic) {
            removed += usize::from(self.remove_queue(queue)?);
        }
        Ok(removed)
    }

    /// The queues of which no record is in the log any more, whose first byte is at `log_min`.
    /// One that never had an entry is not among them.
    pub(crate) fn wholly_expired(&self, log_min: i64) -> Vec<Arc<Queue<M>>> {
        let mut all = self.map.all();
        all.retain(|q| q.max_physical().is_some_and(|max| max < log_min));
        all
    }

    fn remove_queue(&self, queue: &Arc<Queue<M>>) -> Result<bool, QueueError> {
        let name = queue.name();
        // dispatch waits here, and then makes a new queue
        let mut writing = queue.writing();
        if matches!(*queue.state(), State::Removed) {
            return Ok(false);
        }
        for series in [
            Series::ConsumeQueueExt(name.topic, name.queue_id),
            Series::ConsumeQueue(name.topic, name.queue_id),
        ] {
            self.medium.remove_series(series).map_err(name.medium("removing the queue"))?;
        }
        *queue.state_mut() = State::Removed;
        *writing = None;
        self.map.remove(queue);
        Ok(true)
    }
}
