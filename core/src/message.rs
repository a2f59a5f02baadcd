//! What a caller hands in: one message, or a batch in the client's encoding.

use core::net::{IpAddr, Ipv4Addr, SocketAddr};

/// Who made the order of a property map, which decides the order in which a rewritten
/// map is stored (spec 02 section 4.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MapOrder {
    /// The entries stay in the order given, new ones go to the end (`LinkedHashMap`).
    #[default]
    Given,
    /// The entries were put, in the order given, into a `java.util.HashMap`, as in a broker.
    JavaHash,
}

/// A property map as the caller holds it: names with their values, each name once.
#[derive(Clone, Copy, Debug, Default)]
pub struct PropertyMap<'a> {
    /// Name and value, in the order of insertion.
    pub entries: &'a [(&'a str, &'a str)],
    /// How the map is iterated.
    pub order: MapOrder,
}

/// The properties of a message in one of the forms in which callers have them.
#[derive(Clone, Copy, Debug, Default)]
pub enum Properties<'a> {
    /// No properties at all.
    #[default]
    None,
    /// A ready-made string (spec 02 section 4), stored as it is; what the store needs to know
    /// (`DELAY`, `WAIT`, `INNER_MULTI_DISPATCH`) is read from it.
    Text(&'a str),
    /// A map; the store writes its string, without leaving anything out.
    Map(PropertyMap<'a>),
    /// Both, as a broker has them: the string is stored, the map says how to treat the message
    /// and is what a rewritten string is made from (spec 01 sections 2.1 and 7).
    Both {
        /// The string to store.
        text: &'a str,
        /// The map behind it, which may hold more (a broker keeps `WAIT` out of the string).
        map: PropertyMap<'a>,
    },
}

/// One message as it comes in (`MessageExtBrokerInner`).
#[derive(Clone, Copy, Debug)]
pub struct Message<'a> {
    /// Topic name, at most 127 bytes of UTF-8.
    pub topic: &'a str,
    /// Queue of the topic.
    pub queue_id: i32,
    /// The caller's own flag, opaque to the store.
    pub flag: i32,
    /// Bits of [`crate::record::sysflag`]; the two IPv6 bits are set from the hosts.
    pub sys_flag: i32,
    /// When the message was made, milliseconds since 1970.
    pub born_timestamp: i64,
    /// Where the message was made.
    pub born_host: SocketAddr,
    /// The broker that stores it; part of the message id.
    pub store_host: SocketAddr,
    /// How often consumers have sent it back.
    pub reconsume_times: i32,
    /// Log offset of the prepared message, for the second half of a transaction.
    pub prepared_transaction_offset: i64,
    /// The payload.
    pub body: &'a [u8],
    /// Tags, keys and whatever else goes with the message.
    pub properties: Properties<'a>,
}

/// `127.0.0.1:port`, for callers that have no addresses of their own.
#[must_use]
pub const fn local_host(port: u16) -> SocketAddr {
    SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port)
}

impl<'a> Message<'a> {
    /// A message with this topic, queue and body, and defaults for the rest
    /// (both hosts `127.0.0.1`, no properties, no flags).
    #[must_use]
    pub const fn new(topic: &'a str, queue_id: i32, body: &'a [u8]) -> Self {
        Self {
            topic,
            queue_id,
            flag: 0,
            sys_flag: 0,
            born_timestamp: 0,
            born_host: local_host(0),
            store_host: local_host(10911),
            reconsume_times: 0,
            prepared_transaction_offset: 0,
            body,
            properties: Properties::None,
        }
    }
}

/// Several messages of one topic and queue in the encoding of RocketMQ's client
/// (`MessageExtBatch`, spec 02 section 5).
///
/// `head.body` is that encoding; flag, body and properties of each message come from it, all
/// else from `head`, whose own properties are appended to those of every message.
#[derive(Clone, Copy, Debug)]
pub struct MessageBatch<'a> {
    /// What all messages share.
    pub head: Message<'a>,
}
