//! The pool of buffers in which segments are staged (RocketMQ's `TransientStorePool`).

use core::fmt;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::vec::Vec;

use super::map::Anonymous;
use super::populate::populate;
use crate::region::Region;

/// Buffers of equal length. The one that came back last goes out first; what was in it stays
/// in it, and never reaches a file.
pub struct TransientPool {
    len: u32,
    count: usize,
    free: Mutex<Vec<Anonymous>>,
}

impl TransientPool {
    /// `count` buffers of `len` bytes, present and, where that is allowed, locked in memory.
    ///
    /// RocketMQ's are as long as a segment. Shorter ones cost less memory: a window that does
    /// not fit any more is `Busy` until what the buffer holds is committed.
    ///
    /// # Errors
    /// When there is not enough memory.
    pub fn new(count: usize, len: u32) -> io::Result<Arc<Self>> {
        let mut free = Vec::with_capacity(count);
        for _ in 0..count {
            let buffer = Anonymous::new(len)?;
            // both only make the first writes faster
            let _ = populate(buffer.raw(), 0, len);
            let _ = buffer.raw().lock();
            free.push(buffer);
        }
        Ok(Arc::new(Self { len, count, free: Mutex::new(free) }))
    }

    /// How many buffers nobody uses.
    #[must_use]
    pub fn available(&self) -> usize {
        self.buffers().len()
    }

    /// How long each buffer is.
    #[must_use]
    pub fn buffer_len(&self) -> u32 {
        self.len
    }

    fn buffers(&self) -> MutexGuard<'_, Vec<Anonymous>> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a buffer, if there is one.
    pub(crate) fn take(self: &Arc<Self>) -> Option<Buffer> {
        let memory = self.buffers().pop()?;
        Some(Buffer { memory: Some(memory), pool: self.clone() })
    }
}

impl fmt::Debug for TransientPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (count, len, free) = (self.count, self.len, self.available());
        write!(f, "TransientPool({count} of {len} bytes, {free} free)")
    }
}

/// A buffer in use; it goes back to its pool when it is dropped.
pub(crate) struct Buffer {
    memory: Option<Anonymous>,
    pool: Arc<TransientPool>,
}

impl Buffer {
    /// Its bytes.
    pub(crate) fn region(&self) -> Option<Region> {
        self.memory.as_ref().and_then(Anonymous::region)
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        if let Some(memory) = self.memory.take() {
            self.pool.buffers().push(memory);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_go_out_last_in_first_out_and_come_back() {
        let pool = TransientPool::new(2, 4096).unwrap();
        let (a, b) = (pool.take().unwrap(), pool.take().unwrap());
        assert!(pool.take().is_none());
        assert_eq!(pool.available(), 0);
        let at = |b: &Buffer| std::format!("{:?}", b.region());
        let place = at(&a);
        drop(b);
        drop(a);
        assert_eq!(pool.available(), 2);
        assert_eq!(at(&pool.take().unwrap()), place);
    }
}
