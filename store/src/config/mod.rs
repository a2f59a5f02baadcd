//! Settings: RocketMQ's own ([`MessageStoreConfig`]) and ours ([`MqstoreSettings`]), each in one
//! table, read from a broker's properties file as it is. [`crate::StoreOptions::from_file`] takes
//! over all of it; what is read can also be looked at first:
//!
//! ```
//! use mqstore::config::{ConfigError, load_properties};
//!
//! # fn main() -> Result<(), ConfigError> {
//! let text = "brokerName = broker-a\nstorePathRootDir = /data/rmq\nflushDiskType = SYNC_FLUSH\n";
//! let loaded = load_properties(text)?;
//! assert_eq!(loaded.config.store_path_commit_log, "/data/rmq/commitlog");
//! assert_eq!(loaded.ignored[0].name, "brokerName");
//! # Ok(())
//! # }
//! ```

mod derived;
mod error;
mod file;
mod mqstore;
mod nearest;
mod properties;
mod rocketmq;
mod table;
#[cfg(test)]
mod tests;
mod validate;
mod value;

pub(crate) use derived::not_yet_used;
pub use error::ConfigError;
pub use file::{Ignored, Loaded, load_file, load_properties};
pub use mqstore::{MqstoreSettings, PREPARED_BYTES_DEFAULT};
pub use properties::{Entry, parse_properties};
pub use rocketmq::MessageStoreConfig;
pub use table::{Setting, Use};
pub use value::{Answers, Backend};
