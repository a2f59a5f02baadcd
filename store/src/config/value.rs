//! The types a setting can have: how each is read from text and written as text.

use core::ops::RangeInclusive;

use mqstore_core::status::{BrokerRole, FlushDiskType};

/// A type of a setting.
pub(super) trait Value: Sized {
    /// Java's name of the type.
    const JAVA_TYPE: &'static str;

    /// Reads it; the error says what is allowed.
    fn parse(text: &str, range: &RangeInclusive<i64>) -> Result<Self, String>;

    /// As it stands in a properties file.
    fn text(&self) -> String;

    /// Its number, if it is one.
    fn number(&self) -> Option<i64> {
        None
    }
}

/// What a number may be, in words.
pub(super) fn allowed_number(range: &RangeInclusive<i64>) -> String {
    format!("must be a whole number from {} to {}", range.start(), range.end())
}

fn number<T: TryFrom<i64>>(text: &str, range: &RangeInclusive<i64>) -> Result<T, String> {
    let number = text.trim().parse::<i64>().ok().filter(|n| range.contains(n));
    number.and_then(|n| T::try_from(n).ok()).ok_or_else(|| allowed_number(range))
}

impl Value for i32 {
    const JAVA_TYPE: &'static str = "int";

    fn parse(text: &str, range: &RangeInclusive<i64>) -> Result<Self, String> {
        number(text, range)
    }

    fn text(&self) -> String {
        self.to_string()
    }

    fn number(&self) -> Option<i64> {
        Some(i64::from(*self))
    }
}

impl Value for i64 {
    const JAVA_TYPE: &'static str = "long";

    fn parse(text: &str, range: &RangeInclusive<i64>) -> Result<Self, String> {
        number(text, range)
    }

    fn text(&self) -> String {
        self.to_string()
    }

    fn number(&self) -> Option<i64> {
        Some(*self)
    }
}

impl Value for bool {
    const JAVA_TYPE: &'static str = "boolean";

    fn parse(text: &str, _: &RangeInclusive<i64>) -> Result<Self, String> {
        let text = text.trim();
        if text.eq_ignore_ascii_case("true") {
            Ok(true)
        } else if text.eq_ignore_ascii_case("false") {
            Ok(false)
        } else {
            // Java would take it for false without a word
            Err("must be true or false".to_owned())
        }
    }

    fn text(&self) -> String {
        self.to_string()
    }
}

impl Value for String {
    const JAVA_TYPE: &'static str = "String";

    fn parse(text: &str, _: &RangeInclusive<i64>) -> Result<Self, String> {
        Ok(text.to_owned())
    }

    fn text(&self) -> String {
        self.clone()
    }
}

/// Java's `null` is the empty text.
impl Value for Option<String> {
    const JAVA_TYPE: &'static str = "String";

    fn parse(text: &str, _: &RangeInclusive<i64>) -> Result<Self, String> {
        Ok((!text.is_empty()).then(|| text.to_owned()))
    }

    fn text(&self) -> String {
        self.clone().unwrap_or_default()
    }
}

/// Finds the one with this name; the error lists them all.
fn one_of<T: Copy>(text: &str, all: &[T], name: fn(T) -> &'static str) -> Result<T, String> {
    let text = text.trim();
    all.iter().copied().find(|t| name(*t) == text).ok_or_else(|| {
        let names: Vec<_> = all.iter().map(|t| name(*t)).collect();
        format!("must be one of {}", names.join(", "))
    })
}

impl Value for BrokerRole {
    const JAVA_TYPE: &'static str = "BrokerRole";

    fn parse(text: &str, _: &RangeInclusive<i64>) -> Result<Self, String> {
        one_of(text, &[Self::AsyncMaster, Self::SyncMaster, Self::Slave], Self::java_name)
    }

    fn text(&self) -> String {
        self.java_name().to_owned()
    }
}

impl Value for FlushDiskType {
    const JAVA_TYPE: &'static str = "FlushDiskType";

    fn parse(text: &str, _: &RangeInclusive<i64>) -> Result<Self, String> {
        one_of(text, &[Self::SyncFlush, Self::AsyncFlush], Self::java_name)
    }

    fn text(&self) -> String {
        self.java_name().to_owned()
    }
}

/// Whose answers the store gives where RocketMQ 4.9.3's can be improved on without changing a
/// byte (`docs/compatibility.md`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Answers {
    /// Exactly those of RocketMQ 4.9.3.
    Rocketmq493,
    /// The better ones.
    #[default]
    Corrected,
}

impl Answers {
    /// `rocketmq-4.9.3` or `corrected`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rocketmq493 => "rocketmq-4.9.3",
            Self::Corrected => "corrected",
        }
    }
}

impl Value for Answers {
    const JAVA_TYPE: &'static str = "Answers";

    fn parse(text: &str, _: &RangeInclusive<i64>) -> Result<Self, String> {
        one_of(text, &[Self::Rocketmq493, Self::Corrected], Self::name)
    }

    fn text(&self) -> String {
        self.name().to_owned()
    }
}

/// Where the bytes of a store live.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Backend {
    /// `mmap`: in mapped files, as RocketMQ's do.
    #[default]
    Mmap,
    /// `mem`: in memory, gone with the process.
    Mem,
    /// `block:PATH`: on the raw device, or in the one file, at this path.
    Block(String),
}

impl Value for Backend {
    const JAVA_TYPE: &'static str = "Backend";

    fn parse(text: &str, _: &RangeInclusive<i64>) -> Result<Self, String> {
        match text.trim() {
            "mmap" => Ok(Self::Mmap),
            "mem" => Ok(Self::Mem),
            other => match other.strip_prefix("block:") {
                Some(path) if !path.is_empty() => Ok(Self::Block(path.to_owned())),
                _ => Err("must be mmap, mem or block:PATH".to_owned()),
            },
        }
    }

    fn text(&self) -> String {
        match self {
            Self::Mmap => "mmap".to_owned(),
            Self::Mem => "mem".to_owned(),
            Self::Block(path) => format!("block:{path}"),
        }
    }
}
