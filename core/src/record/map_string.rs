//! The property string of a map, with the few changes that the store makes to it
//! (`MessageDecoder.messageProperties2String`, spec 02 section 4).

use core::convert::Infallible;
use core::mem::take;

use super::decimal::{Decimal, decimal_len};
use super::emit::{WrongRoom, write_byte, write_bytes};
use super::hash_order::{OrderKey, OrderRoomView, spread, table_size};
use super::props::{
    NAME_VALUE_SEPARATOR, PROPERTY_DELAY_TIME_LEVEL, PROPERTY_INNER_MULTI_QUEUE_OFFSET,
    PROPERTY_REAL_QUEUE_ID, PROPERTY_REAL_TOPIC, PROPERTY_SEPARATOR, PROPERTY_WAIT_STORE_MSG_OK,
    Spans, text_entries,
};
use crate::message::{MapOrder, PropertyMap};

/// What a map is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Base<'a> {
    /// The decoded form of this string, which is a `java.util.HashMap`.
    Text(&'a str),
    /// A map that the caller has given.
    Map(PropertyMap<'a>),
}

/// The changes that the store makes to a map before it is written.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Overlay<'a> {
    /// `DELAY` becomes this level.
    pub(crate) delay_level: Option<i32>,
    /// `REAL_TOPIC` and `REAL_QID` become these.
    pub(crate) real: Option<(&'a str, i32)>,
    /// `WAIT` is left out, `INNER_MULTI_QUEUE_OFFSET` becomes the offsets.
    pub(crate) multi_dispatch: bool,
}

/// A value to be written.
#[derive(Clone, Copy, Debug)]
enum Value<'a> {
    Text(&'a str),
    Number(i32),
    /// Known only under the put lock.
    Offsets,
}

/// Names that an overlay may add behind the map's own, in this order.
const ADDED: [&str; 3] =
    [PROPERTY_REAL_TOPIC, PROPERTY_REAL_QUEUE_ID, PROPERTY_INNER_MULTI_QUEUE_OFFSET];
/// Places at and above this one stand for [`ADDED`].
const ADDED_AT: u16 = u16::MAX - 2;

impl<'a> Overlay<'a> {
    /// What becomes of an entry; `None`: it is left out.
    fn apply(&self, name: &'a str, value: &'a str) -> Option<(&'a str, Value<'a>)> {
        let new = match name {
            PROPERTY_DELAY_TIME_LEVEL => self.delay_level.map(Value::Number),
            PROPERTY_WAIT_STORE_MSG_OK if self.multi_dispatch => return None,
            _ => ADDED.iter().position(|a| *a == name).and_then(|i| self.added(i)),
        };
        Some((name, new.unwrap_or(Value::Text(value))))
    }

    /// The value of the `i`-th added name.
    fn added(&self, i: usize) -> Option<Value<'a>> {
        match i {
            0 => self.real.map(|(topic, _)| Value::Text(topic)),
            1 => self.real.map(|(_, queue_id)| Value::Number(queue_id)),
            _ => self.multi_dispatch.then_some(Value::Offsets),
        }
    }
}

/// The string of a map: measured and put in order, ready to be written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MapString<'a> {
    base: Base<'a>,
    overlay: Overlay<'a>,
    /// Which of [`ADDED`] the map does not hold yet.
    missing: [bool; 3],
    /// The order of a hash map; `None`: as they come.
    order: Option<&'a [OrderKey]>,
    /// Length in bytes, without the offsets.
    len: usize,
}

impl<'a> MapString<'a> {
    /// Measures the string of `base` with these changes, and finds its order.
    pub(crate) fn new(base: Base<'a>, overlay: Overlay<'a>, room: &'a mut OrderRoomView) -> Self {
        let mut missing = [0, 1, 2].map(|i| overlay.added(i).is_some());
        base.each(|name| {
            for (absent, added) in missing.iter_mut().zip(ADDED) {
                *absent &= name != added;
            }
        });
        let mut string = Self { base, overlay, missing, order: None, len: 0 };
        string.order = string.sort(room);
        let mut with_last = 0;
        let Ok(()) = string.each(&mut |name, value| {
            let value = match value {
                Value::Text(text) => text.len(),
                Value::Number(n) => decimal_len(i64::from(n)),
                Value::Offsets => 0,
            };
            with_last += name.len() + value + 2;
            Ok::<(), Infallible>(())
        });
        string.len = with_last.saturating_sub(1);
        string
    }

    /// Length in bytes; offsets of light queues come on top.
    pub(crate) const fn len(&self) -> usize {
        self.len
    }

    /// Writes the string over all of `out`; `offsets` writes those of the light queues, and
    /// answers what it has left.
    pub(crate) fn write(
        &self,
        mut out: &mut [u8],
        mut offsets: impl FnMut(&mut [u8]) -> Result<usize, WrongRoom>,
    ) -> Result<(), WrongRoom> {
        let mut first = true;
        self.each(&mut |name, value| {
            let mut rest = take(&mut out);
            if !first {
                rest = write_byte(PROPERTY_SEPARATOR, rest)?;
            }
            first = false;
            rest = write_bytes(name.as_bytes(), rest)?;
            rest = write_byte(NAME_VALUE_SEPARATOR, rest)?;
            out = match value {
                Value::Text(text) => write_bytes(text.as_bytes(), rest)?,
                Value::Number(n) => write_bytes(Decimal::new(i64::from(n)).as_bytes(), rest)?,
                Value::Offsets => {
                    let written = offsets(rest)?;
                    rest.get_mut(written..).ok_or(WrongRoom)?
                }
            };
            Ok(())
        })?;
        if out.is_empty() { Ok(()) } else { Err(WrongRoom) }
    }

    /// Shows names and values in the order in which they are written.
    fn each<E>(
        &self,
        visit: &mut impl FnMut(&'a str, Value<'a>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut show = |entry| match entry {
            Some((name, value)) => visit(name, value),
            None => Ok(()),
        };
        match (self.order, self.base) {
            (Some(keys), _) => return keys.iter().try_for_each(|key| show(self.at(key.last))),
            (None, Base::Map(map)) => map
                .entries
                .iter()
                .try_for_each(|(name, value)| show(self.overlay.apply(name, value)))?,
            (None, Base::Text(text)) => text_entries(text)
                .try_for_each(|(name, value)| show(self.overlay.apply(name, value)))?,
        }
        let missing = (ADDED_AT..=u16::MAX).zip(self.missing).filter(|(_, missing)| *missing);
        missing.map(|(place, _)| place).try_for_each(|place| show(self.at(place)))
    }

    /// The entry at a place that an [`OrderKey`] names.
    fn at(&self, place: u16) -> Option<(&'a str, Value<'a>)> {
        if let Some(i) = place.checked_sub(ADDED_AT) {
            let i = usize::from(i);
            return Some((*ADDED.get(i)?, self.overlay.added(i)?));
        }
        let (name, value) = self.base.at(usize::from(place))?;
        self.overlay.apply(name, value)
    }

    /// The name at a place of the map, whether or not it is left out in the end.
    fn name_at(&self, place: u16) -> &'a str {
        self.base.at(usize::from(place)).map_or("", |(name, _)| name)
    }

    /// The order of iteration of a hash map; `None` if it is not one, or has no room.
    fn sort(&self, room: &'a mut OrderRoomView) -> Option<&'a [OrderKey]> {
        room.clear();
        match self.base {
            Base::Map(PropertyMap { order: MapOrder::Given, .. }) => return None,
            Base::Map(map) => {
                for (place, (name, _)) in map.entries.iter().enumerate() {
                    push(room, place, name)?;
                }
            }
            Base::Text(text) => {
                for span in Spans::from(text, 0) {
                    push(room, span.start, span.of_text(text).map_or("", |(name, _)| name))?;
                }
                self.drop_repeated(room);
            }
        }
        for (place, name) in (ADDED_AT..=u16::MAX).zip(ADDED) {
            if self.missing.get(usize::from(place - ADDED_AT)) == Some(&true) {
                room.push(key(place, name)).ok()?;
            }
        }
        // The table has the size of the fullest moment: entries that are left out were in it.
        // A string of 32767 bytes has fewer than 2^14 entries, so fewer than 2^16 buckets.
        let mask = low_half(table_size(room.len()) - 1);
        for key in room.iter_mut() {
            key.bucket &= mask;
        }
        room.sort_unstable();
        Some(room)
    }

    /// Of entries with one name keeps the place of the first and the value of the last.
    fn drop_repeated(&self, room: &mut OrderRoomView) {
        // By hash first, because names are far away; by name then, so that no choice of names
        // makes this slow.
        room.sort_unstable_by(|a, b| {
            let names = || self.name_at(a.first).cmp(self.name_at(b.first));
            a.bucket.cmp(&b.bucket).then_with(names).then(a.first.cmp(&b.first))
        });
        let mut kept: usize = 0;
        for i in 0..room.len() {
            let Some(key) = room.get(i).copied() else { break };
            let before = kept.checked_sub(1).and_then(|before| room.get_mut(before));
            let same = before.filter(|before| {
                before.bucket == key.bucket && self.name_at(before.first) == self.name_at(key.first)
            });
            if let Some(same) = same {
                same.last = key.last;
            } else if let Some(slot) = room.get_mut(kept) {
                *slot = key;
                kept += 1;
            }
        }
        room.truncate(kept);
    }
}

/// A key for an entry of the map; none if there is no room, or the place is too far.
fn push(room: &mut OrderRoomView, place: usize, name: &str) -> Option<()> {
    let place = u16::try_from(place).ok().filter(|place| *place < ADDED_AT)?;
    room.push(key(place, name)).ok()
}

/// A key for a table of 2^16 buckets, of which smaller tables take the lower bits.
fn key(place: u16, name: &str) -> OrderKey {
    OrderKey { bucket: low_half(spread(name)), first: place, last: place }
}

const fn low_half(hash: u32) -> u16 {
    (hash & 0xFFFF) as u16
}

impl<'a> Base<'a> {
    /// Shows every name.
    fn each(self, mut visit: impl FnMut(&str)) {
        match self {
            Self::Text(text) => text_entries(text).for_each(|(name, _)| visit(name)),
            Self::Map(map) => map.entries.iter().for_each(|(name, _)| visit(name)),
        }
    }

    /// The entry at this index of a map, or at this byte of a text.
    fn at(self, place: usize) -> Option<(&'a str, &'a str)> {
        match self {
            Self::Text(text) => Spans::from(text, place).next()?.of_text(text),
            Self::Map(map) => map.entries.get(place).copied(),
        }
    }
}

#[cfg(test)]
mod tests;
