//! What a put under the lock cannot wait for: room in a staged log's buffer, and raw bytes whose
//! queue offsets are not known yet.

use std::thread;

use mqstore_core::cause::Cause;
use mqstore_core::lock::PutLock;
use mqstore_core::log::{LearnError, Learned};

use super::{Engine, HostMedium};

impl<M: HostMedium> Engine<M> {
    /// Removes the reason of a refusal, outside of the lock; false: it stands.
    pub(super) fn overcome(&self, cause: Cause) -> bool {
        match cause {
            Cause::Backpressure => self.make_room(),
            Cause::NotLearned { .. } => self.learn(),
            _ => false,
        }
    }

    /// Commits, so that a buffer becomes free.
    fn make_room(&self) -> bool {
        match self.commit_round(0, None) {
            Ok(true) => true,
            Ok(false) => {
                // somebody else commits
                thread::yield_now();
                true
            }
            Err(_) => false,
        }
    }

    /// Reads the raw bytes at the log's end, in steps, so that others get the lock in between.
    fn learn(&self) -> bool {
        let mut scratch = Vec::new();
        loop {
            let learned = self.lock.with(|guarded| {
                let end = guarded.writer.end();
                guarded.writer.learn(&self.log, end, &mut scratch)
            });
            match learned {
                Ok(Learned::UpTo(_)) => {}
                Err(LearnError::Scratch { needed }) => scratch.resize(needed, 0),
                Err(LearnError::NotVisible { .. }) => {
                    if !self.make_room() {
                        return false;
                    }
                }
                Err(LearnError::Medium { .. } | LearnError::Missing { .. }) => return false,
                // what else there is to say, the next try says
                Ok(Learned::All) | Err(LearnError::NoRecord { .. } | LearnError::TableFull(_)) => {
                    return true;
                }
            }
        }
    }
}
