//! Putting a batch together, as RocketMQ's clients do (`MessageDecoder.encodeMessages`).

use mqstore_core::cause::Illegal;
use mqstore_core::record::batch::Inner;

/// The body of a [`MessageBatch`](crate::MessageBatch): messages in the clients' encoding.
///
/// ```
/// use mqstore::{BatchBody, Message, MessageBatch};
///
/// # fn main() -> Result<(), mqstore::Illegal> {
/// let mut body = BatchBody::new();
/// body.push(0, b"one", "TAGS\u{1}a")?;
/// body.push(0, b"two", "")?;
/// let batch = MessageBatch { head: Message::new("TopicTest", 0, body.as_bytes()) };
/// # let _ = batch;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BatchBody(Vec<u8>);

impl BatchBody {
    /// No messages.
    #[must_use]
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Adds a message: its flag, body, and property string.
    ///
    /// # Errors
    /// [`Illegal`] for properties of more than 32767 bytes, and a body that no record can hold;
    /// nothing is added then.
    pub fn push(&mut self, flag: i32, body: &[u8], properties: &str) -> Result<(), Illegal> {
        let inner = Inner { flag, body, properties: properties.as_bytes() };
        let (at, len) = (self.0.len(), inner.encoded_len()?);
        self.0.resize(at + len, 0);
        // there is room for all of it
        let _ = inner.encode(self.0.get_mut(at..).unwrap_or_default());
        Ok(())
    }

    /// Takes all messages out; the memory stays.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// The encoding.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}
