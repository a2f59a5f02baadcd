//! Light queues: other queues that a message also goes to (multi-dispatch, spec 01 section 7).

use crate::cause::{Illegal, Refusal};
use crate::check::{LIGHT_QUEUE_LEN_MAX, is_folder_name};
use crate::delay::SCHEDULE_TOPIC;
use crate::record::decimal::{Decimal, decimal_len};
use crate::record::emit::{WrongRoom, write_bytes};
use crate::record::parse::RecordView;
use crate::record::props::{
    PROPERTY_INNER_MULTI_DISPATCH, PROPERTY_INNER_MULTI_QUEUE_OFFSET, PROPERTY_REAL_TOPIC,
};

/// What the name of a light queue begins with, if [`MultiDispatchRules::enable_lmq`].
pub const LMQ_PREFIX: &str = "%LMQ%";
/// What the name of a retry topic begins with.
pub const RETRY_PREFIX: &str = "%RETRY%";

/// How a list of light queues is treated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MultiDispatchRules {
    /// Names with `%LMQ%` in front have one queue, 0, and a table of their own (`enableLmq`).
    pub enable_lmq: bool,
    /// Lists count at all (`enableMultiDispatch`).
    pub enable_multi_dispatch: bool,
    /// Lists of messages that a consumer has sent back do not count: their light queues have
    /// had them already (corrected answers).
    pub skip_retry_topics: bool,
}

/// One queue of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LightQueue<'a> {
    /// Its name, which takes the place of a topic. An empty name has a count, but no queue.
    pub name: &'a str,
    /// Its queue id: 0 with the prefix, else the message's.
    pub queue_id: i32,
    /// Whether it is counted in `lmqTopicQueueTable` rather than in `topicQueueTable`.
    pub is_lmq: bool,
}

/// The queues of a list, in its order; the same one may come twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LightQueues<'a> {
    /// Names separated by commas; `None`: no more.
    rest: Option<&'a str>,
    queue_id: i32,
    enable_lmq: bool,
}

impl<'a> LightQueues<'a> {
    /// Empty names at the end are dropped, as by Java's split; a list may so have no name.
    fn new(list: &'a str, queue_id: i32, rules: MultiDispatchRules) -> Self {
        let rest = Some(list.trim_end_matches(',')).filter(|names| !names.is_empty());
        Self { rest, queue_id, enable_lmq: rules.enable_lmq }
    }

    /// The queues of this list of a message to `topic`; `None` if it does not count.
    pub(super) fn asked_for(
        list: &'a str,
        queue_id: i32,
        topic: &str,
        rules: MultiDispatchRules,
    ) -> Result<Option<Self>, Refusal> {
        let skipped = rules.skip_retry_topics && topic.starts_with(RETRY_PREFIX);
        if !rules.enable_multi_dispatch || skipped || is_blank(list) {
            return Ok(None);
        }
        let queues = Self::new(list, queue_id, rules);
        let mut names = queues.map(|queue| queue.name);
        match names.position(|name| !name.is_empty() && !can_be_queue(name)) {
            Some(index) => Err(Refusal::illegal(Illegal::LightQueueName { index })),
            None => Ok(Some(queues)),
        }
    }
}

impl<'a> Iterator for LightQueues<'a> {
    type Item = LightQueue<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        let names = self.rest?;
        let (name, rest) = match names.split_once(',') {
            Some((name, rest)) => (name, Some(rest)),
            None => (names, None),
        };
        self.rest = rest;
        let is_lmq = self.enable_lmq && name.starts_with(LMQ_PREFIX);
        Some(LightQueue { name, queue_id: if is_lmq { 0 } else { self.queue_id }, is_lmq })
    }
}

/// Length of the offsets of these queues, separated by commas, in bytes.
pub(super) fn offsets_len<'a>(
    light: LightQueues<'a>,
    offsets: &mut impl FnMut(LightQueue<'a>) -> i64,
) -> usize {
    light.map(|queue| decimal_len(offsets(queue)) + 1).sum::<usize>().saturating_sub(1)
}

/// Writes the offsets of these queues, separated by commas; answers their length.
pub(super) fn write_offsets<'a>(
    light: LightQueues<'a>,
    offsets: &mut impl FnMut(LightQueue<'a>) -> i64,
    out: &mut [u8],
) -> Result<usize, WrongRoom> {
    let room = out.len();
    let mut rest = out;
    for (i, queue) in light.enumerate() {
        if i > 0 {
            rest = write_bytes(b",", rest)?;
        }
        rest = write_bytes(Decimal::new(offsets(queue)).as_bytes(), rest)?;
    }
    Ok(room - rest.len())
}

/// The light queues that a stored record goes to, with its offset in each.
///
/// None if lists do not count, if names and offsets are not equally many, or if one of the
/// offsets is no number. Names that no queue can have are left out.
#[must_use]
pub fn stored_light_queues<'a>(
    record: &RecordView<'a>,
    rules: MultiDispatchRules,
) -> StoredLightQueues<'a> {
    let both = if rules.enable_multi_dispatch { both_lists(record, rules) } else { None };
    let (names, offsets) = both.unwrap_or_default();
    let queues = LightQueues::new(names, record.queue_id(), rules);
    let found = StoredLightQueues { queues, offsets: Offsets::new(offsets) };
    let all_numbers = found.offsets.clone().all(|offset| offset.is_some());
    if all_numbers && found.queues.count() == found.offsets.clone().count() {
        return found;
    }
    let queues = LightQueues::new("", 0, rules);
    StoredLightQueues { queues, offsets: Offsets::new("") }
}

/// The lists of names and of offsets, if both are there and count.
fn both_lists<'a>(
    record: &RecordView<'a>,
    rules: MultiDispatchRules,
) -> Option<(&'a str, &'a str)> {
    let list = |name| core::str::from_utf8(record.property(name)?).ok().filter(|l| !is_blank(l));
    let both = (list(PROPERTY_INNER_MULTI_DISPATCH)?, list(PROPERTY_INNER_MULTI_QUEUE_OFFSET)?);
    let is_retry = |topic: &[u8]| topic.starts_with(RETRY_PREFIX.as_bytes());
    let topic = record.topic_bytes();
    // Such a message may wait in the schedule topic.
    let skipped = rules.skip_retry_topics
        && (is_retry(topic)
            || topic == SCHEDULE_TOPIC.as_bytes()
                && record.property(PROPERTY_REAL_TOPIC).is_some_and(is_retry));
    (!skipped).then_some(both)
}

/// Iterator of [`stored_light_queues`].
#[derive(Clone, Debug)]
pub struct StoredLightQueues<'a> {
    queues: LightQueues<'a>,
    offsets: Offsets<'a>,
}

impl<'a> Iterator for StoredLightQueues<'a> {
    type Item = (LightQueue<'a>, i64);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let (queue, offset) = (self.queues.next()?, self.offsets.next()??);
            if can_be_queue(queue.name) {
                return Some((queue, offset));
            }
        }
    }
}

/// Decimal numbers separated by commas; an item is `None` if it is no number.
#[derive(Clone, Debug)]
struct Offsets<'a> {
    rest: Option<&'a str>,
}

impl<'a> Offsets<'a> {
    fn new(list: &'a str) -> Self {
        Self { rest: Some(list.trim_end_matches(',')).filter(|numbers| !numbers.is_empty()) }
    }
}

impl Iterator for Offsets<'_> {
    type Item = Option<i64>;

    fn next(&mut self) -> Option<Self::Item> {
        let numbers = self.rest?;
        let (number, rest) = match numbers.split_once(',') {
            Some((number, rest)) => (number, Some(rest)),
            None => (numbers, None),
        };
        self.rest = rest;
        Some(number.parse().ok())
    }
}

/// Whether there can be a queue of this name.
fn can_be_queue(name: &str) -> bool {
    !name.is_empty() && name.len() <= LIGHT_QUEUE_LEN_MAX && is_folder_name(name)
}

/// `StringUtils.isBlank`: only white space as Java sees it, or nothing at all.
fn is_blank(text: &str) -> bool {
    text.chars().all(|c| match c {
        // Java does not count spaces that forbid a line break.
        '\u{A0}' | '\u{2007}' | '\u{202F}' | '\u{85}' => false,
        '\u{1C}'..='\u{1F}' => true,
        c => c.is_whitespace(),
    })
}

#[cfg(test)]
mod tests;
