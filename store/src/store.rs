//! `Store`: the handle that programs hold.

use std::path::Path;
use std::sync::Arc;

use mqstore_core::cause::Refusal;
use mqstore_core::flags::{Reason, RunningFlags};
use mqstore_core::message::{Message, MessageBatch};
use mqstore_core::status::BrokerRole;

use crate::config::{ConfigError, MessageStoreConfig, MqstoreSettings};
use crate::engine::{Completion, Engine, HostMedium, Shared};
use crate::error::{FlushFailure, OpenError};
use crate::options::StoreOptions;
use crate::result::PutMessageResult;
use crate::status::StoreStatus;

/// An open message store. Clones share it; it is closed by [`Store::close`], or when the last
/// clone goes.
#[derive(Clone)]
pub struct Store(Arc<Handle>);

/// Closes the store when the last clone of it goes.
struct Handle(Box<dyn AnyEngine>);

impl Drop for Handle {
    fn drop(&mut self) {
        if let Err(e) = self.0.close() {
            log::error!(target: "mqstore", "closing the store: {e}");
        }
    }
}

/// An engine, whatever its medium is.
pub(crate) trait AnyEngine: Send + Sync {
    fn put(&self, message: &Message<'_>) -> PutMessageResult;
    fn put_batch(&self, messages: &MessageBatch<'_>) -> PutMessageResult;
    fn put_then(&self, message: &Message<'_>, done: Completion);
    fn put_batch_then(&self, messages: &MessageBatch<'_>, done: Completion);
    fn append_raw(&self, offset: u64, bytes: &[u8]) -> Result<u64, Refusal>;
    fn flush(&self) -> Result<u64, FlushFailure>;
    fn close(&self) -> Result<(), FlushFailure>;
    fn flags(&self) -> &RunningFlags;
    fn now(&self) -> i64;
    fn set(&self, name: &str, value: &str) -> Result<(), ConfigError>;
    fn config(&self) -> (MessageStoreConfig, MqstoreSettings);
    fn status(&self) -> StoreStatus;
    fn lock_time(&self) -> (i64, bool);
}

impl<M: HostMedium> AnyEngine for Shared<M> {
    fn put(&self, message: &Message<'_>) -> PutMessageResult {
        Engine::put(self, message)
    }

    fn put_batch(&self, messages: &MessageBatch<'_>) -> PutMessageResult {
        Engine::put_batch(self, messages)
    }

    fn put_then(&self, message: &Message<'_>, done: Completion) {
        Engine::put_then(self, message, done);
    }

    fn put_batch_then(&self, messages: &MessageBatch<'_>, done: Completion) {
        Engine::put_batch_then(self, messages, done);
    }

    fn append_raw(&self, offset: u64, bytes: &[u8]) -> Result<u64, Refusal> {
        Engine::append_raw(self, offset, bytes)
    }

    fn flush(&self) -> Result<u64, FlushFailure> {
        Engine::flush(self)
    }

    fn close(&self) -> Result<(), FlushFailure> {
        Engine::close(self)
    }

    fn flags(&self) -> &RunningFlags {
        &self.gates.flags
    }

    fn now(&self) -> i64 {
        Engine::now(self)
    }

    fn set(&self, name: &str, value: &str) -> Result<(), ConfigError> {
        Engine::set(self, name, value)
    }

    fn config(&self) -> (MessageStoreConfig, MqstoreSettings) {
        Engine::config(self)
    }

    fn status(&self) -> StoreStatus {
        Engine::status(self)
    }

    fn lock_time(&self) -> (i64, bool) {
        Engine::lock_time(self)
    }
}

impl Store {
    /// Opens the store in this folder with RocketMQ's default settings, making it if there is
    /// none. For everything else see [`StoreOptions`].
    ///
    /// # Errors
    /// [`OpenError`]: no record has been touched then; folders and the lock file may have been
    /// made.
    pub fn open(folder: impl AsRef<Path>) -> Result<Self, OpenError> {
        StoreOptions::new(folder).open()
    }

    pub(crate) fn new(engine: Box<dyn AnyEngine>) -> Self {
        Self(Arc::new(Handle(engine)))
    }

    /// Puts one message. With asynchronous flush the answer comes when the message lies in the
    /// log and survives the end of this process; with synchronous flush, when it is durable.
    ///
    /// Any thread may put at any time.
    pub fn put(&self, message: &Message<'_>) -> PutMessageResult {
        self.0.0.put(message)
    }

    /// Puts the messages of a batch, all of them or none.
    pub fn put_batch(&self, messages: &MessageBatch<'_>) -> PutMessageResult {
        self.0.0.put_batch(messages)
    }

    /// Puts one message; `done` gets the answer, once. It runs on one of the store's threads,
    /// or on this one if there is nothing to wait for: it must not block, and not close the
    /// store.
    pub fn put_then(
        &self,
        message: &Message<'_>,
        done: impl FnOnce(PutMessageResult) + Send + 'static,
    ) {
        self.0.0.put_then(message, Box::new(done));
    }

    /// Puts a batch; `done` gets the answer as in [`Store::put_then`].
    pub fn put_batch_then(
        &self,
        messages: &MessageBatch<'_>,
        done: impl FnOnce(PutMessageResult) + Send + 'static,
    ) {
        self.0.0.put_batch_then(messages, Box::new(done));
    }

    /// Appends raw bytes of a master's log, as a slave does (`appendToCommitLog`). Answers the
    /// log's end behind them.
    ///
    /// # Errors
    /// [`Refusal`]: nothing has been written.
    pub fn append_raw(&self, offset: u64, bytes: &[u8]) -> Result<u64, Refusal> {
        self.0.0.append_raw(offset, bytes)
    }

    /// Makes everything put so far durable. Answers the log position up to which it is.
    ///
    /// # Errors
    /// [`FlushFailure`]: the store takes no more writes.
    pub fn flush(&self) -> Result<u64, FlushFailure> {
        self.0.0.flush()
    }

    /// Refuses further puts, waits for those under way, makes everything durable and lets the
    /// store go. Closing again does nothing.
    ///
    /// # Errors
    /// [`FlushFailure`]: the store is closed all the same, and its `abort` file stays, so that
    /// the next open looks at the log's end.
    pub fn close(&self) -> Result<(), FlushFailure> {
        self.0.0.close()
    }

    /// Whether messages may be read and put (`RunningFlags`).
    #[must_use]
    pub fn flags(&self) -> &RunningFlags {
        self.0.0.flags()
    }

    /// Each reason for which puts are refused, and since when, milliseconds since 1970.
    #[must_use]
    pub fn reasons(&self) -> Vec<(Reason, i64)> {
        self.flags().reasons().collect()
    }

    /// Milliseconds since 1970 on the store's clock.
    #[must_use]
    pub fn now(&self) -> i64 {
        self.0.0.now()
    }

    /// Changes a setting while the store runs, by its Java name.
    ///
    /// # Errors
    /// [`ConfigError`] for an unknown name, a wrong value, or a setting that only counts when a
    /// store is opened.
    pub fn set(&self, name: &str, value: &str) -> Result<(), ConfigError> {
        self.0.0.set(name, value)
    }

    /// Makes the store a master or a slave.
    ///
    /// # Errors
    /// [`ConfigError`] if the role does not go with the other settings.
    pub fn set_role(&self, role: BrokerRole) -> Result<(), ConfigError> {
        self.set("brokerRole", role.java_name())
    }

    /// The settings in force.
    #[must_use]
    pub fn config(&self) -> (MessageStoreConfig, MqstoreSettings) {
        self.0.0.config()
    }

    /// How long the put lock has been held by whoever is inside, milliseconds; 0: nobody is
    /// (`lockTimeMills`). Takes no lock.
    #[must_use]
    pub fn lock_time_millis(&self) -> i64 {
        self.0.0.lock_time().0
    }

    /// Whether puts are refused because the put lock has been held for too long
    /// (`isOSPageCacheBusy`). Takes no lock.
    #[must_use]
    pub fn is_os_page_cache_busy(&self) -> bool {
        self.0.0.lock_time().1
    }

    /// Positions, counters and whatever else can be seen from outside. Takes the put lock for
    /// a moment.
    #[must_use]
    pub fn status(&self) -> StoreStatus {
        self.0.0.status()
    }
}
