//! The messages of the benchmark: those of the Java harness, byte for byte but for the times.

use core::fmt::Write as _;
use core::net::SocketAddr;
use std::time::{SystemTime, UNIX_EPOCH};

use mqstore::{BatchBody, Message, MessageBatch, Properties, PutMessageResult, Store};
use mqstore_core::message::local_host;

use super::options::{Options, Props};

const BORN: SocketAddr = local_host(40000);
const STORE: SocketAddr = local_host(10911);

/// Makes the messages of one writer, in buffers that it uses again.
pub(crate) struct Source {
    thread: u64,
    topics: Vec<String>,
    queues: u64,
    batch: usize,
    props: Props,
    body: Vec<u8>,
    properties: String,
    encoded: BatchBody,
    born: i64,
    topic: usize,
    queue: i32,
}

impl Source {
    pub(crate) fn new(options: &Options, thread: u64) -> Self {
        Self {
            thread,
            topics: (0..options.topics).map(|t| format!("bench-topic-{t}")).collect(),
            queues: options.queues,
            batch: options.batch,
            props: options.props,
            body: fill(options.body, 42),
            properties: String::new(),
            encoded: BatchBody::new(),
            born: 0,
            topic: 0,
            queue: 0,
        }
    }

    /// Makes the `n`-th message, or batch, of this writer.
    pub(crate) fn make(&mut self, n: u64) {
        let topics = self.topics.len() as u64;
        self.topic = ((n + self.thread) % topics) as usize;
        self.queue = ((n / topics) % self.queues) as i32;
        self.born = wall_millis();
        if self.batch == 1 {
            self.properties_of(n);
            return;
        }
        self.encoded.clear();
        for i in 0..self.batch {
            self.properties_of(n * self.batch as u64 + i as u64);
            // neither is longer than can be encoded, by the options' limits
            let _ = self.encoded.push(0, &self.body, &self.properties);
        }
    }

    /// Puts what was made last.
    pub(crate) fn put(&self, store: &Store) -> PutMessageResult {
        let topic = self.topics.get(self.topic).map_or("", String::as_str);
        let message = Message {
            born_timestamp: self.born,
            born_host: BORN,
            store_host: STORE,
            ..Message::new(topic, self.queue, &self.body)
        };
        if self.batch == 1 {
            let properties = match self.props {
                Props::None => Properties::None,
                Props::Tags | Props::Full => Properties::Text(&self.properties),
            };
            store.put(&Message { properties, ..message })
        } else {
            store.put_batch(&MessageBatch {
                head: Message { body: self.encoded.as_bytes(), ..message },
            })
        }
    }

    fn properties_of(&mut self, n: u64) {
        self.properties.clear();
        if self.props == Props::None {
            return;
        }
        self.properties.push_str("TAGS\u{1}TagA");
        if self.props == Props::Full {
            let (thread, hex) = (self.thread, n | 0x1_0000_0000);
            // writing to a string cannot fail
            let _ = write!(
                self.properties,
                "\u{2}UNIQ_KEY\u{1}7F0000010B2A18B4AAC2{thread:x}{hex:x}\
                 \u{2}CLUSTER\u{1}DefaultCluster\u{2}KEYS\u{1}order-{n}"
            );
        }
    }
}

/// Milliseconds since 1970.
pub(crate) fn wall_millis() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// The next number of splitmix64.
pub(crate) fn splitmix64(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// Bytes of splitmix64, little-endian.
pub(crate) fn fill(len: usize, seed: u64) -> Vec<u8> {
    let mut state = seed;
    let mut bytes = Vec::with_capacity(len + 8);
    while bytes.len() < len {
        bytes.extend_from_slice(&splitmix64(&mut state).to_le_bytes());
    }
    bytes.truncate(len);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bytes_are_those_of_splitmix64() {
        // the first outputs for seed 0, as published with the generator
        assert_eq!(fill(11, 0)[..8], 0xE220_A839_7B1D_CDAF_u64.to_le_bytes());
        assert_eq!(fill(11, 0)[8..], 0x6E78_9E6A_A1B9_65F4_u64.to_le_bytes()[..3]);
    }

    #[test]
    fn properties_have_no_separator_at_the_end() {
        let options = Options { props: Props::Full, ..Options::default() };
        let mut source = Source::new(&options, 2);
        source.make(7);
        let parts: Vec<&str> = source.properties.split('\u{2}').collect();
        assert_eq!(parts[0], "TAGS\u{1}TagA");
        assert_eq!(parts[1], "UNIQ_KEY\u{1}7F0000010B2A18B4AAC22100000007");
        assert_eq!(parts[3], "KEYS\u{1}order-7");
        assert_eq!(parts.len(), 4);
    }
}
