//! How a table of settings is written down once, and becomes a struct, its defaults, its parser
//! and its documentation.

use core::fmt;
use core::ops::RangeInclusive;

use super::error::ConfigError;
use super::nearest::{nearest, tolerance};
use super::value::allowed_number;

/// What the store does with a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// It counts; by which part.
    Used(&'static str),
    /// It is kept and does nothing yet; with what it comes.
    NotYet(&'static str),
    /// It is kept and never does anything; why.
    Never(&'static str),
}

impl fmt::Display for Use {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Used(part) => write!(f, "used: {part}"),
            Self::NotYet(with) => write!(f, "not yet: {with}"),
            Self::Never(why) => write!(f, "never: {why}"),
        }
    }
}

/// One setting with its value, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Name in a properties file.
    pub name: &'static str,
    /// Name of the field in Rust.
    pub field: &'static str,
    /// Java's name of its type.
    pub java_type: &'static str,
    /// What it is, as in a properties file; empty for Java's `null`.
    pub value: String,
    /// What it is unless it is set; paths begin with `<user home>`.
    pub default: String,
    /// What it means, with its unit.
    pub doc: &'static str,
    /// Whether it may change while a store runs.
    pub live: bool,
    /// What the store does with it.
    pub usage: Use,
}

/// What a table says of a setting.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) name: &'static str,
    pub(super) field: &'static str,
    pub(super) java_type: &'static str,
    pub(super) doc: &'static str,
    pub(super) live: bool,
    pub(super) range: RangeInclusive<i64>,
    pub(super) usage: Use,
}

/// A struct that was made from a table.
pub(super) trait Settings: Sized {
    /// The table, in its order.
    const ROWS: &'static [Row];

    /// The defaults of a user with this home.
    fn with_home(home: &str) -> Self;

    /// The value as text, if there is such a setting.
    fn text_of(&self, name: &str) -> Option<String>;

    /// The value as a number, if there is such a setting and it is one.
    fn number_of(&self, name: &str) -> Option<i64>;

    /// Takes over a value; the error says what is allowed.
    fn take(&mut self, row: &Row, text: &str) -> Result<(), String>;

    /// The row with this name, or with the name Java's setter gives it.
    fn row(name: &str) -> Result<&'static Row, ConfigError> {
        let name = if name == "enableBatchPush" { "isEnableBatchPush" } else { name };
        Self::ROWS.iter().find(|row| row.name == name).ok_or_else(|| ConfigError::UnknownName {
            name: name.to_owned(),
            nearest: nearest(name, Self::names(), tolerance(name)),
        })
    }

    /// All names, in the order of the table.
    fn names() -> impl Iterator<Item = &'static str> {
        Self::ROWS.iter().map(|row| row.name)
    }

    /// Sets a value by name.
    fn set_text(&mut self, name: &str, text: &str) -> Result<(), ConfigError> {
        let row = Self::row(name)?;
        self.take(row, text).map_err(|allowed| ConfigError::bad(row.name, text, &allowed))
    }

    /// Sets a value by name if that makes no difference, or may change while a store runs.
    fn set_text_live(&mut self, name: &str, text: &str) -> Result<(), ConfigError> {
        let row = Self::row(name)?;
        let before = self.text_of(row.name).unwrap_or_default();
        if row.live || before == text.trim() {
            return self.set_text(name, text);
        }
        let present = before;
        Err(ConfigError::NotLive { name: row.name, value: text.to_owned(), present })
    }

    /// Whether every number is within its range.
    fn check_ranges(&self) -> Result<(), ConfigError> {
        for row in Self::ROWS {
            if let Some(number) = self.number_of(row.name)
                && !row.range.contains(&number)
            {
                let allowed = allowed_number(&row.range);
                return Err(ConfigError::bad(row.name, number.to_string(), &allowed));
            }
        }
        Ok(())
    }

    /// Names of the settings that do nothing yet and have another value than `defaults`.
    fn set_in_vain(&self, defaults: &Self) -> Vec<&'static str> {
        let rows = Self::ROWS.iter().filter(|row| matches!(row.usage, Use::NotYet(_)));
        let rows = rows.filter(|row| self.text_of(row.name) != defaults.text_of(row.name));
        rows.map(|row| row.name).collect()
    }

    /// Every setting with its value, in the order of the table.
    fn all(&self) -> Vec<Setting> {
        let defaults = Self::with_home("<user home>");
        let settings = Self::ROWS.iter().map(|row| Setting {
            name: row.name,
            field: row.field,
            java_type: row.java_type,
            value: self.text_of(row.name).unwrap_or_default(),
            default: defaults.text_of(row.name).unwrap_or_default(),
            doc: row.doc.trim(),
            live: row.live,
            usage: row.usage,
        });
        settings.collect()
    }
}

/// A table of settings:
///
/// ```text
/// /// Meaning, unit.
/// field: type = default, "javaName", live | fixed, range, use;
/// ```
macro_rules! settings {
    (
        $(#[$meta:meta])*
        pub struct $Name:ident($home:ident) {
            $(
                $(#[doc = $doc:literal])+
                $field:ident: $type:ty = $default:expr,
                $java:literal, $live:ident, $range:expr, $usage:expr;
            )+
        }
    ) => {
        $(#[$meta])*
        pub struct $Name {
            $( $(#[doc = $doc])+ #[doc = concat!("\n\n`", $java, "`")] pub $field: $type, )+
        }

        impl $crate::config::table::Settings for $Name {
            const ROWS: &'static [$crate::config::table::Row] = &[$(
                $crate::config::table::Row {
                    name: $java,
                    field: stringify!($field),
                    java_type: <$type as $crate::config::value::Value>::JAVA_TYPE,
                    doc: concat!($($doc),+),
                    live: $crate::config::table::is_live!($live),
                    range: $range,
                    usage: $usage,
                },
            )+];

            fn with_home($home: &str) -> Self {
                Self { $( $field: $default, )+ }
            }

            fn text_of(&self, name: &str) -> Option<String> {
                use $crate::config::value::Value;
                match name {
                    $( $java => Some(self.$field.text()), )+
                    _ => None,
                }
            }

            fn number_of(&self, name: &str) -> Option<i64> {
                use $crate::config::value::Value;
                match name {
                    $( $java => self.$field.number(), )+
                    _ => None,
                }
            }

            fn take(
                &mut self,
                row: &$crate::config::table::Row,
                text: &str,
            ) -> Result<(), String> {
                use $crate::config::value::Value;
                match row.name {
                    $( $java => self.$field = Value::parse(text, &row.range)?, )+
                    _ => {}
                }
                Ok(())
            }
        }

        impl $Name {
            /// The value of a setting as it would stand in a properties file.
            #[must_use]
            pub fn get(&self, name: &str) -> Option<String> {
                use $crate::config::table::Settings;
                self.text_of(Self::row(name).ok()?.name)
            }

            /// Every setting with its value, default, meaning and use, in the order of the
            /// table.
            #[must_use]
            pub fn fields(&self) -> Vec<$crate::config::Setting> {
                $crate::config::table::Settings::all(self)
            }
        }
    };
}

/// Whether a row of a table says `live` or `fixed`.
macro_rules! is_live {
    (live) => {
        true
    };
    (fixed) => {
        false
    };
}

pub(super) use {is_live, settings};
