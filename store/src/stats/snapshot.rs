//! All counters at one time.

use super::bounds::BUCKETS;
use super::samples::Rates;

/// The counters of a store since it was opened, with Java's names. Times are milliseconds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PutStats {
    /// Messages put.
    pub put_message_times_total: u64,
    /// Bytes of their records.
    pub put_message_size_total: u64,
    /// Puts that were not answered with `PUT_OK`, although gates and checks let them in.
    pub put_message_failed_times: u64,
    /// The longest put.
    pub put_message_entire_time_max: i64,
    /// How long puts took: the classes of [`super::BUCKET_NAMES`].
    pub put_message_distribute_time: [u64; BUCKETS],
    /// Messages put per second.
    pub put_tps: Rates,
    /// Topic, messages and bytes, in the order of topics.
    pub topics: Vec<(String, u64, u64)>,
    /// Gets that found a message.
    pub get_message_times_total_found: u64,
    /// Gets that found none.
    pub get_message_times_total_miss: u64,
    /// Messages handed out by gets.
    pub get_message_transfered_msg_count: u64,
    /// The longest get.
    pub get_message_entire_time_max: i64,
}
