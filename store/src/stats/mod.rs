//! What a store counts, and in which words RocketMQ shows it (`StoreStatsService.java`, spec 01
//! section 12).

mod bounds;
mod counters;
mod java_double;
mod runtime_info;
mod samples;
mod snapshot;
mod topics;

pub use bounds::{BUCKET_NAMES, BUCKETS, bucket, distribution_text};
pub use counters::StoreStats;
pub use runtime_info::RuntimeInfo;
pub use samples::{Minute, Rates};
pub use snapshot::PutStats;
pub(crate) use topics::SharedTotals;
pub use topics::{PutTotals, TopicTotals};
