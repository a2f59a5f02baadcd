//! The RocketMQ 4.9.3 message store as a library: the same bytes and answers, and nothing lost
//! that was acknowledged.
//!
//! ```
//! use mqstore::{Message, PutMessageStatus, Store};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! let store = Store::open(folder.path())?;
//! let result = store.put(&Message::new("TopicTest", 0, b"hello"));
//! assert_eq!(result.status, PutMessageStatus::PutOk);
//! store.close()?;
//! # Ok(())
//! # }
//! ```
//!
//! What a store *is* lies in `mqstore-core`, where its bytes live in `mqstore-backends`; this
//! crate says who runs when: threads, folders, configuration.
#![warn(clippy::unwrap_used)]

mod batch;
mod checkpoint;
mod clock;
pub mod config;
mod drive;
mod engine;
mod error;
mod events;
mod offsets;
mod options;
#[cfg_attr(not(test), expect(dead_code, reason = "joined to the engine next"))]
mod queues;
mod result;
pub mod stats;
mod status;
mod store;
mod table;
mod timing;

pub use batch::BatchBody;
pub use clock::{ManualClock, StoreClock};
pub use engine::HostMedium;
pub use error::{FlushFailure, OpenError};
pub use mqstore_core::cause::{Cause, Illegal, Refusal};
pub use mqstore_core::flags::{Reason, RunningFlags};
pub use mqstore_core::message::{MapOrder, Message, MessageBatch, Properties, PropertyMap};
pub use mqstore_core::record::msgid::MessageId;
pub use mqstore_core::segment::ErrorKind;
pub use mqstore_core::status::{AppendMessageStatus, BrokerRole, FlushDiskType, PutMessageStatus};
pub use options::StoreOptions;
pub use result::{AppendMessageResult, PutMessageResult};
pub use status::StoreStatus;
pub use store::Store;
