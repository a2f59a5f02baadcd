//! What can be wrong with a setting, in words that name it, its value and what is allowed.

use std::path::PathBuf;

/// A setting that cannot be taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// No setting has this name.
    #[error("there is no setting '{}'{}", shown(.name), hint(*.nearest))]
    UnknownName {
        /// The name that was asked for.
        name: String,
        /// The known name that looks most like it, if one does.
        nearest: Option<&'static str>,
    },
    /// The text is no such value, or the value is out of range.
    #[error("{name} = '{}': {allowed}", shown(.value))]
    BadValue {
        /// Java name of the setting.
        name: &'static str,
        /// What it was to be.
        value: String,
        /// What it may be.
        allowed: String,
    },
    /// The setting only counts when a store is opened.
    #[error(
        "{name} = '{}': cannot change while the store runs (it is '{}')",
        shown(.value),
        shown(.present)
    )]
    NotLive {
        /// Java name of the setting.
        name: &'static str,
        /// What it was to be.
        value: String,
        /// What it stays.
        present: String,
    },
    /// Two settings do not go together.
    #[error("{first} does not go with {second}: {why}")]
    Conflict {
        /// One of them, as `name = value`.
        first: String,
        /// The other one.
        second: String,
        /// What would happen.
        why: &'static str,
    },
    /// A `\u` in a properties file without its four hexadecimal digits.
    #[error("line {line}: \\u must be followed by four hexadecimal digits")]
    BadEscape {
        /// Line of the file, from 1.
        line: usize,
    },
    /// A properties file that could not be read.
    #[error("{}: {error}", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The operating system's words.
        error: String,
    },
}

impl ConfigError {
    pub(super) fn bad(name: &'static str, value: impl Into<String>, allowed: &str) -> Self {
        Self::BadValue { name, value: value.into(), allowed: allowed.to_owned() }
    }
}

/// A name or value from outside, printable and not too long.
pub(super) fn shown(text: &str) -> String {
    const LONGEST: usize = 120;
    let mut shown: String = text.chars().take(LONGEST).flat_map(char::escape_debug).collect();
    if text.chars().nth(LONGEST).is_some() {
        shown.push_str("...");
    }
    shown
}

fn hint(nearest: Option<&str>) -> String {
    nearest.map_or_else(String::new, |near| format!("; did you mean '{near}'?"))
}
