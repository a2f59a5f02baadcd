//! A file of an extended consume queue: units of varying length.

use std::io;

use super::item::{ExtUnit, Item, TailOf};
use super::queue::Place;
use super::source::Source;
use super::{DumpOptions, Sink, folder};

/// Bytes of a unit without a bit map.
const UNIT_LEN_MIN: i16 = 20;

/// A file of an extended consume queue.
pub(super) fn file(
    options: &DumpOptions,
    place: &Place<'_>,
    source: &mut Source,
    sink: &mut Sink<'_>,
) -> io::Result<()> {
    let mut pos = 0;
    while let Some(size) = source.bytes::<2>(pos)?.map(i16::from_be_bytes) {
        let addr = place.base + pos;
        if size == -1 {
            sink(&Item::ExtEnd { addr })?;
            pos += 2;
            break;
        }
        let len = u64::try_from(size).unwrap_or(0);
        if size < UNIT_LEN_MIN || len > source.len() - pos {
            break;
        }
        let Some(unit) = unit(place, source, pos, size)? else { break };
        sink(&Item::ExtUnit(unit))?;
        pos += len;
    }
    if pos < source.len() {
        folder::tail(options, TailOf::Ext, place.file, source, pos, place.base, sink)?;
    }
    Ok(())
}

fn unit(
    place: &Place<'_>,
    source: &mut Source,
    pos: u64,
    size: i16,
) -> io::Result<Option<ExtUnit>> {
    let (Some(tags), Some(store_time), Some(bit_map_size)) =
        (source.long(pos + 2)?, source.long(pos + 10)?, source.bytes(pos + 18)?)
    else {
        return Ok(None);
    };
    let bit_map_size = i16::from_be_bytes(bit_map_size);
    // at most 32767 bytes, and not more than the file has
    let mut bit_map = vec![0; usize::try_from(bit_map_size).unwrap_or(0)];
    if !source.copy(pos + 20, &mut bit_map)? {
        return Ok(None);
    }
    Ok(Some(ExtUnit {
        topic: place.topic.to_owned(),
        queue_id: place.queue_id,
        addr: place.base + pos,
        size,
        tags,
        store_time,
        bit_map_size,
        bit_map,
    }))
}
