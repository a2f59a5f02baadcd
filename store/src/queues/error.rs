//! What went wrong with one queue, by its name.

use mqstore_core::queue::NotPut;
use mqstore_core::segment::{ErrorKind, MediumError};

use crate::error::OpenError;

/// Something went wrong with this queue; with the others it did not.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("consume queue {topic}/{queue_id}: {why}")]
pub(crate) struct QueueError {
    /// Its topic.
    pub(crate) topic: Box<str>,
    /// Its queue id.
    pub(crate) queue_id: i32,
    /// The kind of failure.
    pub(crate) kind: ErrorKind,
    /// What was tried, and what was said: on a folder with the path of the file.
    pub(crate) why: String,
}

/// A queue's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Name<'a> {
    pub(super) topic: &'a str,
    pub(super) queue_id: i32,
}

impl Name<'_> {
    /// An error of this queue.
    pub(super) fn error(self, kind: ErrorKind, why: String) -> QueueError {
        QueueError { topic: self.topic.into(), queue_id: self.queue_id, kind, why }
    }

    /// What the medium said while `what` was being done.
    pub(super) fn medium<E: MediumError>(self, what: &'static str) -> impl Fn(E) -> QueueError {
        move |e| self.error(e.kind(), format!("{what}: {e}"))
    }

    /// An entry was not put.
    pub(super) fn not_put(self, why: NotPut) -> QueueError {
        let kind = match why {
            NotPut::CreateFailed { kind, .. } | NotPut::WriteFailed { kind, .. } => kind,
            NotPut::OffsetTooLarge => ErrorKind::OutOfBounds,
            NotPut::LetGo => ErrorKind::Other,
        };
        self.error(kind, why.to_string())
    }
}

impl From<QueueError> for OpenError {
    fn from(e: QueueError) -> Self {
        Self::Medium { what: "opening the consume queues", kind: e.kind, error: e.to_string() }
    }
}
