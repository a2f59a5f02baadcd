//! What the demo puts: six kinds of messages, drawn from a seed.

use core::fmt::Write as _;

use mqstore::{
    BatchBody, Message, MessageBatch, Properties, PutMessageResult, PutMessageStatus, Store,
};
use mqstore_core::record::sysflag::{
    TRANSACTION_COMMIT_TYPE, TRANSACTION_PREPARED_TYPE, TRANSACTION_ROLLBACK_TYPE,
};

use crate::bench::{fill, splitmix64, wall_millis};

/// A kind of message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Small,
    Order,
    Large,
    Batch,
    Transaction,
    Delayed,
}

impl Kind {
    /// All kinds, in the order of the table.
    pub(super) const ALL: [Self; 6] =
        [Self::Small, Self::Order, Self::Large, Self::Batch, Self::Transaction, Self::Delayed];

    /// What the table says.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Small => "small, 20 B to 200 B",
            Self::Order => "tags and keys, 200 B to 1.5 KiB",
            Self::Large => "large, 4 KiB to 8 KiB",
            Self::Batch => "batches of 16 (a put each)",
            Self::Transaction => "transactions, both halves",
            Self::Delayed => "delayed, levels 1 to 18",
        }
    }

    /// Of 1000 puts: batches and transactions bring several messages each.
    const fn drawn(of_1000: u64) -> Self {
        match of_1000 {
            0..555 => Self::Small,
            555..885 => Self::Order,
            885..920 => Self::Large,
            920..940 => Self::Batch,
            940..970 => Self::Transaction,
            _ => Self::Delayed,
        }
    }
}

/// Draws the messages of one writer.
pub(super) struct Content {
    seed: u64,
    bytes: Vec<u8>,
    properties: String,
    encoded: BatchBody,
    topic: String,
}

impl Content {
    pub(super) fn new(writer: u64) -> Self {
        Self {
            seed: writer,
            bytes: fill(16 << 10, writer),
            properties: String::new(),
            encoded: BatchBody::new(),
            topic: String::new(),
        }
    }

    /// What comes next, if `left` messages may still be put.
    pub(super) fn next_kind(&mut self, left: u64) -> Kind {
        let kind = Kind::drawn(self.below(1000));
        let fits = match kind {
            Kind::Batch => left >= 16,
            Kind::Transaction => left >= 2,
            _ => true,
        };
        if fits { kind } else { Kind::Small }
    }

    /// Puts one of this kind; a transaction takes two puts. `timed` runs and times each of them.
    pub(super) fn put(
        &mut self,
        kind: Kind,
        store: &Store,
        timed: &mut impl FnMut(&mut dyn FnMut() -> PutMessageResult) -> PutMessageResult,
    ) {
        let queue = self.below(4) as i32;
        let number = self.below(1_000_000);
        self.describe(kind, number);
        let len = self.body_len(kind);
        let at = self.below(4096) as usize;
        if kind == Kind::Batch {
            self.encode_batch(at);
        }
        let body = self.bytes.get(at..at + len).unwrap_or_default();
        let properties = match self.properties.as_str() {
            "" => Properties::None,
            text => Properties::Text(text),
        };
        let message = Message {
            born_timestamp: wall_millis(),
            properties,
            ..Message::new(&self.topic, queue, body)
        };
        match kind {
            Kind::Batch => {
                let head = Message {
                    body: self.encoded.as_bytes(),
                    properties: Properties::None,
                    ..message
                };
                timed(&mut || store.put_batch(&MessageBatch { head }));
            }
            Kind::Transaction => {
                let half = Message { sys_flag: TRANSACTION_PREPARED_TYPE, ..message };
                let prepared = timed(&mut || store.put(&half));
                let offset = prepared.append.map_or(0, |a| a.wrote_offset);
                let rollback = number.is_multiple_of(8);
                let end = Message {
                    sys_flag: if rollback {
                        TRANSACTION_ROLLBACK_TYPE
                    } else {
                        TRANSACTION_COMMIT_TYPE
                    },
                    prepared_transaction_offset: i64::try_from(offset).unwrap_or(i64::MAX),
                    ..message
                };
                if prepared.status == PutMessageStatus::PutOk {
                    timed(&mut || store.put(&end));
                }
            }
            _ => {
                timed(&mut || store.put(&message));
            }
        }
    }

    /// A number below `n`.
    fn below(&mut self, n: u64) -> u64 {
        splitmix64(&mut self.seed) % n
    }

    fn body_len(&mut self, kind: Kind) -> usize {
        let (least, most) = match kind {
            Kind::Small => (20, 200),
            Kind::Order | Kind::Transaction => (200, 1536),
            Kind::Large => (4 << 10, 8 << 10),
            Kind::Batch => (0, 1),
            Kind::Delayed => (100, 500),
        };
        (least + self.below(most - least)) as usize
    }

    /// Chooses topic and properties. Writing to a string cannot fail.
    fn describe(&mut self, kind: Kind, number: u64) {
        self.topic.clear();
        self.properties.clear();
        let shop = number % 10;
        let _ = match kind {
            Kind::Small => write!(self.topic, "demo-metrics-{shop}"),
            Kind::Order => {
                let _ = write!(
                    self.properties,
                    "TAGS\u{1}shop-{shop}\u{2}KEYS\u{1}order-{number} customer-{}\u{2}\
                     UNIQ_KEY\u{1}7F00000118B4AAC2{number:016X}",
                    number % 977
                );
                write!(self.topic, "demo-orders")
            }
            Kind::Large => {
                self.properties.push_str("TAGS\u{1}png");
                write!(self.topic, "demo-pictures")
            }
            Kind::Batch => write!(self.topic, "demo-events-{}", number % 3),
            Kind::Transaction => {
                let _ = write!(
                    self.properties,
                    "TRAN_MSG\u{1}true\u{2}PGROUP\u{1}demo-payments\u{2}KEYS\u{1}pay-{number}"
                );
                write!(self.topic, "demo-payments")
            }
            Kind::Delayed => {
                let _ = write!(self.properties, "DELAY\u{1}{}\u{2}TAGS\u{1}later", number % 18 + 1);
                write!(self.topic, "demo-reminders")
            }
        };
    }

    fn encode_batch(&mut self, at: usize) {
        self.encoded.clear();
        for i in 0..16 {
            let len = 100 + self.below(200) as usize;
            let body = self.bytes.get(at + i..at + i + len).unwrap_or_default();
            // a few hundred bytes can be encoded
            let _ = self.encoded.push(0, body, "TAGS\u{1}event");
        }
    }
}
