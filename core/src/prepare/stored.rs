//! The property string of a record, as it is given or made from a map.

use crate::message::Properties;
use crate::record::emit::{WrongRoom, write_bytes};
use crate::record::hash_order::OrderRoomView;
use crate::record::map_string::{Base, MapString, Overlay};

/// The property string of a record.
#[derive(Clone, Copy, Debug)]
pub(super) enum Stored<'a> {
    Text(&'a str),
    Map(MapString<'a>),
}

impl<'a> Stored<'a> {
    /// What is stored of these properties with these changes.
    pub(super) fn new(
        properties: &Properties<'a>,
        overlay: Overlay<'a>,
        order: &'a mut OrderRoomView,
    ) -> Self {
        let changed = overlay.real.is_some() || overlay.multi_dispatch;
        let base = match *properties {
            Properties::None => return Self::Text(""),
            Properties::Text(text) | Properties::Both { text, .. } if !changed => {
                return Self::Text(text);
            }
            Properties::Text(text) => Base::Text(text),
            Properties::Map(map) | Properties::Both { map, .. } => Base::Map(map),
        };
        Self::Map(MapString::new(base, overlay, order))
    }

    /// Length in bytes, without offsets of light queues.
    pub(super) const fn len(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Map(map) => map.len(),
        }
    }

    #[inline]
    pub(super) fn write(
        &self,
        room: &mut [u8],
        offsets: impl FnMut(&mut [u8]) -> Result<usize, WrongRoom>,
    ) -> Result<(), WrongRoom> {
        match self {
            Self::Text(text) => {
                let rest = write_bytes(text.as_bytes(), room)?;
                if rest.is_empty() { Ok(()) } else { Err(WrongRoom) }
            }
            Self::Map(map) => map.write(room, offsets),
        }
    }
}
