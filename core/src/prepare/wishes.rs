//! What the properties of a message ask the store to do (spec 02 section 4.2).

use crate::cause::{Illegal, Refusal};
use crate::message::Properties;
use crate::record::props::{
    PROPERTY_DELAY_TIME_LEVEL, PROPERTY_INNER_MULTI_DISPATCH, PROPERTY_WAIT_STORE_MSG_OK, pieces,
};

/// What the properties ask the store to do.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Wishes<'a> {
    delay: Option<&'a str>,
    wait: Option<&'a str>,
    pub(super) multi_dispatch: Option<&'a str>,
}

impl<'a> Wishes<'a> {
    pub(super) fn of(properties: &Properties<'a>) -> Self {
        let mut wishes = Self::default();
        match properties {
            Properties::None => {}
            Properties::Text(text) => {
                for piece in pieces(text) {
                    wishes.read_piece(piece);
                }
            }
            Properties::Map(map) | Properties::Both { map, .. } => {
                for (name, value) in map.entries {
                    if let Some(wish) = wishes.named(name) {
                        *wish = Some(value);
                    }
                }
            }
        }
        wishes
    }

    /// Reads one piece of a string; most begin with another letter and cost one comparison.
    fn read_piece(&mut self, piece: &'a str) {
        if !matches!(piece.as_bytes().first(), Some(b'D' | b'W' | b'I')) {
            return;
        }
        if let Some((name, value)) = piece.split_once('\u{1}')
            && let Some(wish) = self.named(name)
            && !value.is_empty()
        {
            *wish = Some(value);
        }
    }

    fn named(&mut self, name: &str) -> Option<&mut Option<&'a str>> {
        match name {
            PROPERTY_DELAY_TIME_LEVEL => Some(&mut self.delay),
            PROPERTY_WAIT_STORE_MSG_OK => Some(&mut self.wait),
            PROPERTY_INNER_MULTI_DISPATCH => Some(&mut self.multi_dispatch),
            _ => None,
        }
    }

    /// `Message.getDelayTimeLevel`: as `Integer.parseInt` reads it, 0 without the property.
    pub(super) fn delay_level(&self) -> Result<i32, Refusal> {
        let not_a_number = |_| Refusal::illegal(Illegal::DelayNotANumber);
        self.delay.map_or(Ok(0), |text| text.parse().map_err(not_a_number))
    }

    /// `Message.isWaitStoreMsgOK`: as `Boolean.parseBoolean` reads it, true without the property.
    pub(super) fn wait_store_ok(&self) -> bool {
        self.wait.is_none_or(|text| text.eq_ignore_ascii_case("true"))
    }
}
