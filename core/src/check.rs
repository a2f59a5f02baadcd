//! What a message may be, before anything is done with it (`checkMessage`, spec 01 section 1.4).
//!
//! RocketMQ does not count what is refused here as a failed put. What only the record can tell
//! (its length, and that of its property string in bytes) is checked in [`crate::prepare`].

use crate::cause::{Illegal, Refusal};
use crate::message::{Message, MessageBatch, Properties, PropertyMap};
use crate::record::layout::{PROPERTIES_LEN_MAX, TOPIC_LEN_MAX};
use crate::record::props::holds_separator;

/// Longest name of a folder, and so of a light queue, in bytes.
pub const LIGHT_QUEUE_LEN_MAX: usize = 255;

/// The limits that a configuration sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Longest record, and longest batch in either encoding, in bytes (`maxMessageSize`).
    pub max_message_size: u32,
    /// Length of a log file in bytes (`mappedFileSizeCommitLog`).
    pub segment_size: u32,
    /// Whether a topic must have a name (corrected answers); RocketMQ takes an empty one.
    pub refuse_empty_topic: bool,
}

impl Default for Limits {
    /// 4 MiB, 1 GiB, and empty topics as in RocketMQ.
    fn default() -> Self {
        Self { max_message_size: 4 << 20, segment_size: 1 << 30, refuse_empty_topic: false }
    }
}

/// Checks one message.
///
/// # Errors
/// `MESSAGE_ILLEGAL` for a topic that is too long or cannot be a folder, for properties of more
/// than 32767 characters, and for a map with separators in it.
pub fn message(message: &Message<'_>, limits: &Limits) -> Result<(), Refusal> {
    topic(message.topic, limits)?;
    property_map(&message.properties)?;
    properties_chars(&message.properties)
}

/// Checks a batch; its properties count for every message and are checked with those.
///
/// # Errors
/// `MESSAGE_ILLEGAL` for a topic that is too long or cannot be a folder, for an encoding longer
/// than `maxMessageSize`, and for a map with separators in it.
pub fn batch(batch: &MessageBatch<'_>, limits: &Limits) -> Result<(), Refusal> {
    topic(batch.head.topic, limits)?;
    let (bytes, limit) = (batch.head.body.len() as u64, u64::from(limits.max_message_size));
    if bytes > limit {
        return Err(Refusal::illegal(Illegal::BatchTooLong { bytes, limit }));
    }
    property_map(&batch.head.properties)
}

/// Whether a name can be that of a folder: not `.` or `..`, and without `/` and NUL.
///
/// The empty name is not asked for here.
#[must_use]
pub fn is_folder_name(name: &str) -> bool {
    // Without an early exit this is a few vector instructions.
    let broken = name.bytes().fold(false, |seen, b| seen | matches!(b, b'/' | 0));
    !broken && !matches!(name, "." | "..")
}

/// The topic's length in bytes, which also covers RocketMQ's limit in characters, and its name.
fn topic(topic: &str, limits: &Limits) -> Result<(), Refusal> {
    let why = if topic.len() > TOPIC_LEN_MAX {
        Illegal::TopicTooLong { bytes: topic.len() }
    } else if topic.is_empty() && limits.refuse_empty_topic {
        Illegal::TopicEmpty
    } else if !is_folder_name(topic) {
        Illegal::TopicName
    } else {
        return Ok(());
    };
    Err(Refusal::illegal(why))
}

/// A map's names and values cannot hold what separates them in its string.
fn property_map(properties: &Properties<'_>) -> Result<(), Refusal> {
    let (Properties::Map(map) | Properties::Both { map, .. }) = properties else { return Ok(()) };
    let bad = |(name, value): &(&str, &str)| holds_separator(name) || holds_separator(value);
    match map.entries.iter().position(bad) {
        Some(index) => Err(Refusal::illegal(Illegal::PropertySeparator { index })),
        None => Ok(()),
    }
}

/// The length of the property string in characters.
fn properties_chars(properties: &Properties<'_>) -> Result<(), Refusal> {
    let bytes = match properties {
        Properties::None => 0,
        Properties::Text(text) | Properties::Both { text, .. } => text.len(),
        Properties::Map(map) => map_len(map, str::len),
    };
    // There are at least as many bytes as characters.
    if bytes <= PROPERTIES_LEN_MAX {
        return Ok(());
    }
    let chars = match properties {
        Properties::None => 0,
        Properties::Text(text) | Properties::Both { text, .. } => utf16_len(text),
        Properties::Map(map) => map_len(map, utf16_len),
    };
    if chars <= PROPERTIES_LEN_MAX {
        return Ok(());
    }
    Err(Refusal::illegal(Illegal::PropertiesTooLong { bytes }))
}

/// The length of a map's string, each part measured by `len`.
fn map_len(map: &PropertyMap<'_>, len: impl Fn(&str) -> usize) -> usize {
    let with_last = map.entries.iter().map(|(name, value)| len(name) + len(value) + 2);
    with_last.sum::<usize>().saturating_sub(1)
}

fn utf16_len(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

#[cfg(test)]
mod tests;
