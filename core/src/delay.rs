//! Delay levels: how long a message with property `DELAY` waits (`messageDelayLevel`, spec 02
//! section 7.1).

use core::fmt;

/// The topic in which delayed messages wait, one queue for each level.
pub const SCHEDULE_TOPIC: &str = "SCHEDULE_TOPIC_XXXX";

/// How many levels there can be.
pub const LEVELS_MAX: usize = 64;

/// The value of `messageDelayLevel` unless it is set.
pub const DEFAULT_LEVELS: &str = "1s 5s 10s 30s 1m 2m 3m 4m 5m 6m 7m 8m 9m 10m 20m 30m 1h 2h";

/// The delays of all levels, counted from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DelayLevels {
    millis: heapless::Vec<i64, LEVELS_MAX>,
}

/// The text of `messageDelayLevel` cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadDelayLevel {
    /// The level, from 1.
    pub level: usize,
    /// The part of the text that stands for it, cut after 32 bytes.
    pub part: heapless::String<32>,
    /// What is wrong with it.
    pub why: BadDelayLevelKind,
}

/// What is wrong with a delay level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadDelayLevelKind {
    /// It is not a whole number followed by `s`, `m`, `h` or `d`.
    NotADelay,
    /// It is more than 64 bits can hold in milliseconds.
    TooLong,
    /// There are more than [`LEVELS_MAX`] levels.
    TooMany,
}

impl DelayLevels {
    /// Reads delays that are separated by single spaces, such as `1s 5s 10m 2h 1d`.
    ///
    /// # Errors
    /// [`BadDelayLevel`] for the first part that is none; Java refuses to start then.
    pub fn parse(text: &str) -> Result<Self, BadDelayLevel> {
        let mut millis = heapless::Vec::new();
        // As Java's split does, which drops what is empty at the end only.
        for (i, part) in text.trim_end_matches(' ').split(' ').enumerate() {
            let bad = |why| BadDelayLevel { level: i + 1, part: cut(part), why };
            let delay = parse_delay(part).map_err(bad)?;
            millis.push(delay).map_err(|_| bad(BadDelayLevelKind::TooMany))?;
        }
        Ok(Self { millis })
    }

    /// The highest level.
    #[must_use]
    pub fn max_level(&self) -> i32 {
        // At most LEVELS_MAX.
        i32::try_from(self.millis.len()).unwrap_or(i32::MAX)
    }

    /// The delay of a level in milliseconds, if there is such a level.
    #[must_use]
    pub fn millis(&self, level: i32) -> Option<i64> {
        let index = usize::try_from(level).ok()?.checked_sub(1)?;
        self.millis.get(index).copied()
    }

    /// When a message stored at this time is due, milliseconds since 1970: a second later if
    /// there is no such level.
    #[must_use]
    pub fn deliver_at(&self, level: i32, store_timestamp: i64) -> i64 {
        store_timestamp.wrapping_add(self.millis(level).unwrap_or(1000))
    }
}

impl Default for DelayLevels {
    /// The 18 levels of [`DEFAULT_LEVELS`].
    fn default() -> Self {
        const S: i64 = 1000;
        const M: i64 = 60 * S;
        const H: i64 = 60 * M;
        let millis = heapless::Vec::from_array([
            S,
            5 * S,
            10 * S,
            30 * S,
            M,
            2 * M,
            3 * M,
            4 * M,
            5 * M,
            6 * M,
            7 * M,
            8 * M,
            9 * M,
            10 * M,
            20 * M,
            30 * M,
            H,
            2 * H,
        ]);
        Self { millis }
    }
}

fn parse_delay(part: &str) -> Result<i64, BadDelayLevelKind> {
    let not = BadDelayLevelKind::NotADelay;
    let unit = part.chars().next_back().ok_or(not)?;
    let number = part.strip_suffix(unit).ok_or(not)?;
    let unit = match unit {
        's' => 1000,
        'm' => 60 * 1000,
        'h' => 60 * 60 * 1000,
        'd' => 24 * 60 * 60 * 1000,
        _ => return Err(not),
    };
    let number: i64 = number.parse().map_err(|_| not)?;
    number.checked_mul(unit).ok_or(BadDelayLevelKind::TooLong)
}

/// The beginning of `part`.
fn cut(part: &str) -> heapless::String<32> {
    let mut cut = heapless::String::new();
    for c in part.chars() {
        if cut.push(c).is_err() {
            break;
        }
    }
    cut
}

impl fmt::Display for BadDelayLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (level, part) = (self.level, &self.part);
        match self.why {
            BadDelayLevelKind::NotADelay => {
                write!(f, "delay level {level}, '{part}', is no number with s, m, h or d")
            }
            BadDelayLevelKind::TooLong => write!(f, "delay level {level}, '{part}', is too long"),
            BadDelayLevelKind::TooMany => write!(f, "more than {LEVELS_MAX} delay levels"),
        }
    }
}

impl core::error::Error for BadDelayLevel {}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;

    #[test]
    fn the_default_is_what_its_text_says() {
        let levels = DelayLevels::default();
        assert_eq!(DelayLevels::parse(DEFAULT_LEVELS), Ok(levels.clone()));
        assert_eq!(levels.max_level(), 18);
        assert_eq!(levels.millis(3), Some(10_000));
        assert_eq!(levels.millis(18), Some(7_200_000));
        for none in [i32::MIN, -1, 0, 19, i32::MAX] {
            assert_eq!(levels.millis(none), None);
            assert_eq!(levels.deliver_at(none, 5), 1005);
        }
        assert_eq!(levels.deliver_at(3, 1), 10_001);
    }

    #[test]
    fn units_signs_and_trailing_spaces_are_read_as_in_java() {
        let levels = DelayLevels::parse("3s 2m 1h 1d -5s +7s 0s  ").unwrap();
        let millis = [3_000, 120_000, 3_600_000, 86_400_000, -5_000, 7_000, 0];
        assert_eq!(levels.millis, millis);
    }

    #[test]
    fn a_bad_part_is_named() {
        for (text, level) in
            [("", 1), (" ", 1), (" 1s", 1), ("1s  2s", 2), ("1s 2x", 2), ("s", 1), ("1s 2", 2)]
        {
            let bad = DelayLevels::parse(text).unwrap_err();
            assert_eq!((bad.level, bad.why), (level, BadDelayLevelKind::NotADelay), "{text:?}");
        }
        let bad = DelayLevels::parse("1s 9223372036854775807d").unwrap_err();
        assert_eq!(bad.why, BadDelayLevelKind::TooLong);
        let bad = DelayLevels::parse("1s 2\u{fc}").unwrap_err();
        assert_eq!(bad.to_string(), "delay level 2, '2\u{fc}', is no number with s, m, h or d");
        let bad = DelayLevels::parse(&"x".repeat(99)).unwrap_err();
        assert_eq!(bad.part.len(), 32);
    }

    #[test]
    fn there_are_at_most_64_levels() {
        let text = ["1s"; LEVELS_MAX].join(" ");
        assert_eq!(DelayLevels::parse(&text).unwrap().max_level(), 64);
        let bad = DelayLevels::parse(&std::format!("{text} 1s")).unwrap_err();
        assert_eq!((bad.level, bad.why), (65, BadDelayLevelKind::TooMany));
    }
}
