//! When a get is not answered at all (spec 06 section 1.1): Java gives null, and the broker says
//! "store getMessage return null".

use core::fmt;

use crate::prepare::LMQ_PREFIX;

/// What decides whether a get is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadGate {
    /// The store has been started and not been shut down.
    pub open: bool,
    /// Nothing has flagged it unreadable.
    pub readable: bool,
    /// How many queues with `%LMQ%` there are, and `maxLmqConsumeQueueNum`; `None` where light
    /// queues are switched off.
    pub light_queues: Option<(usize, usize)>,
}

/// Why a get is not answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoAnswer {
    /// The store is not open.
    Shutdown,
    /// The store is flagged unreadable.
    NotReadable,
    /// There are more light queues than there may be, and one of them was asked for.
    TooManyLightQueues {
        /// How many there are.
        have: usize,
        /// How many there may be.
        limit: usize,
    },
    /// A negative number of messages was asked for; Java throws.
    NegativeCount(i32),
}

impl ReadGate {
    /// Whether a get of at most `max_msg_nums` messages of this topic is answered.
    ///
    /// # Errors
    /// [`NoAnswer`], the first that holds.
    pub fn check(&self, topic: &str, max_msg_nums: i32) -> Result<(), NoAnswer> {
        if !self.open {
            return Err(NoAnswer::Shutdown);
        }
        if !self.readable {
            return Err(NoAnswer::NotReadable);
        }
        if let Some((have, limit)) = self.light_queues
            && have > limit
            && topic.starts_with(LMQ_PREFIX)
        {
            return Err(NoAnswer::TooManyLightQueues { have, limit });
        }
        if max_msg_nums < 0 {
            return Err(NoAnswer::NegativeCount(max_msg_nums));
        }
        Ok(())
    }
}

impl fmt::Display for NoAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Shutdown => f.write_str("the store is not open"),
            Self::NotReadable => f.write_str("the store is flagged unreadable"),
            Self::TooManyLightQueues { have, limit } => {
                write!(f, "there are {have} light queues, and {limit} are allowed")
            }
            Self::NegativeCount(count) => write!(f, "{count} messages were asked for"),
        }
    }
}

impl core::error::Error for NoAnswer {}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_get_is_answered_unless_the_store_is_closed_unreadable_or_has_too_many_light_queues() {
        let gate = ReadGate { open: true, readable: true, light_queues: Some((3, 2)) };
        assert_eq!(gate.check("T", 0), Ok(()));
        let too_many = NoAnswer::TooManyLightQueues { have: 3, limit: 2 };
        assert_eq!(gate.check("%LMQ%a", 32), Err(too_many));
        assert_eq!(gate.check("T", -1), Err(NoAnswer::NegativeCount(-1)));
        let full = ReadGate { light_queues: Some((2, 2)), ..gate };
        assert_eq!(full.check("%LMQ%a", 32), Ok(()));
        let off = ReadGate { light_queues: None, ..gate };
        assert_eq!(off.check("%LMQ%a", 32), Ok(()));
        let dark = ReadGate { readable: false, ..gate };
        assert_eq!(dark.check("T", 32), Err(NoAnswer::NotReadable));
        assert_eq!(ReadGate { open: false, ..dark }.check("T", 32), Err(NoAnswer::Shutdown));
    }
}
