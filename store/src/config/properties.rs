//! The text format of `java.util.Properties`, read as Java reads it.

use super::error::ConfigError;

/// A key with its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The key, without escapes.
    pub key: String,
    /// The value, without escapes. White space at its end belongs to it.
    pub value: String,
    /// The line of the text it begins in, from 1.
    pub line: usize,
}

/// Reads every entry of a properties text, in its order, doubles included. Two differences: a
/// line of a lone backslash at the end is nothing here, and an entry without a key in Java; and
/// half a character, such as `\uD83D` alone, becomes U+FFFD.
///
/// # Errors
/// [`ConfigError::BadEscape`] for a `\u` without four hexadecimal digits; Java refuses it, too.
pub fn parse_properties(text: &str) -> Result<Vec<Entry>, ConfigError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut entries = Vec::new();
    let mut lines = Lines { rest: text, number: 0 };
    while let Some((line, logical)) = lines.next_logical() {
        let (key, value) = split(&logical);
        let key = unescape(key).ok_or(ConfigError::BadEscape { line })?;
        let value = unescape(value).ok_or(ConfigError::BadEscape { line })?;
        entries.push(Entry { key, value, line });
    }
    Ok(entries)
}

const fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\u{c}')
}

/// Cuts a text into lines.
struct Lines<'a> {
    rest: &'a str,
    number: usize,
}

impl<'a> Lines<'a> {
    /// The next line, without white space at its beginning.
    fn next_natural(&mut self) -> Option<&'a str> {
        if self.rest.is_empty() {
            return None;
        }
        self.number += 1;
        let end = self.rest.find(['\n', '\r']).unwrap_or(self.rest.len());
        let (line, rest) = self.rest.split_at(end);
        self.rest = match rest.strip_prefix("\r\n") {
            Some(rest) => rest,
            None => rest.strip_prefix(['\n', '\r']).unwrap_or(rest),
        };
        Some(line.trim_start_matches(is_space))
    }

    /// The next line that holds an entry, put together from those it is continued in, and the
    /// number of its first one.
    fn next_logical(&mut self) -> Option<(usize, String)> {
        let mut logical = String::new();
        let mut number = 0;
        loop {
            let Some(line) = self.next_natural() else {
                return (!logical.is_empty()).then_some((number, logical));
            };
            if logical.is_empty() {
                if line.is_empty() || line.starts_with(['#', '!']) {
                    continue;
                }
                number = self.number;
            }
            let Some(continued) = without_continuation(line) else {
                logical.push_str(line);
                return Some((number, logical));
            };
            logical.push_str(continued);
        }
    }
}

/// A line that ends in an odd number of backslashes, without the last one.
fn without_continuation(line: &str) -> Option<&str> {
    let backslashes = line.len() - line.trim_end_matches('\\').len();
    if backslashes % 2 == 1 { line.strip_suffix('\\') } else { None }
}

/// Cuts a logical line into key and value, both still with their escapes.
fn split(line: &str) -> (&str, &str) {
    let mut escaped = false;
    let end = line.find(|c: char| {
        let ends = !escaped && (is_space(c) || c == '=' || c == ':');
        escaped = !escaped && c == '\\';
        ends
    });
    let (key, rest) = line.split_at(end.unwrap_or(line.len()));
    let rest = rest.trim_start_matches(is_space);
    let rest = rest.strip_prefix(['=', ':']).unwrap_or(rest);
    (key, rest.trim_start_matches(is_space))
}

/// Resolves the escapes; `None` for a broken `\u`.
fn unescape(text: &str) -> Option<String> {
    if !text.contains('\\') {
        return Some(text.to_owned());
    }
    // a character beyond U+FFFF is two escapes, as its two halves in UTF-16
    let mut units: Vec<u16> = Vec::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        let c = if c == '\\' {
            match chars.next()? {
                'u' => {
                    units.push(four_digits(&mut chars)?);
                    continue;
                }
                't' => '\t',
                'n' => '\n',
                'r' => '\r',
                'f' => '\u{c}',
                other => other,
            }
        } else {
            c
        };
        units.extend_from_slice(c.encode_utf16(&mut [0; 2]));
    }
    Some(String::from_utf16_lossy(&units))
}

fn four_digits(chars: &mut core::str::Chars<'_>) -> Option<u16> {
    let mut unit = 0;
    for _ in 0..4 {
        let digit = u16::try_from(chars.next()?.to_digit(16)?).ok()?;
        unit = unit << 4 | digit;
    }
    Some(unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<(String, String)> {
        let entries = parse_properties(text).unwrap();
        entries.into_iter().map(|e| (e.key, e.value)).collect()
    }

    fn one(text: &str) -> (String, String) {
        let mut entries = read(text);
        assert_eq!(entries.len(), 1, "{text:?}: {entries:?}");
        entries.remove(0)
    }

    fn pair(key: &str, value: &str) -> (String, String) {
        (key.to_owned(), value.to_owned())
    }

    #[test]
    fn equals_colon_and_white_space_separate() {
        for text in ["a=b", "a:b", "a b", "a\tb", "a = b", " a : b", "a\u{c}  =b", "a=b\r\n"] {
            assert_eq!(one(text), pair("a", "b"), "{text:?}");
        }
        assert_eq!(one("a==b"), pair("a", "=b"));
        assert_eq!(one("a = : b"), pair("a", ": b"));
        assert_eq!(one("a"), pair("a", ""));
        assert_eq!(one("=b"), pair("", "b"));
        assert_eq!(one("a=b  "), pair("a", "b  "));
    }

    #[test]
    fn comments_and_blank_lines_are_passed_over() {
        assert_eq!(read("# a=1\n  ! b=2\n\n \t\u{c}\r\n#c\\\nd=4"), [pair("d", "4")]);
        assert_eq!(one("a=b # c"), pair("a", "b # c"));
    }

    #[test]
    fn an_odd_number_of_backslashes_continues_the_line() {
        assert_eq!(one("a=1,\\\n   2,\\\r\n\t3"), pair("a", "1,2,3"));
        assert_eq!(read("a=1\\\\\nb=2"), [pair("a", "1\\"), pair("b", "2")]);
        assert_eq!(one("a=1\\"), pair("a", "1"));
        assert_eq!(one("a\\\n  =b"), pair("a", "b"));
        assert_eq!(one("a=1\\\n#2"), pair("a", "1#2"));
        assert_eq!(read("\\\n\nb=1"), [pair("b", "1")]);
        assert_eq!(read("\\\n#2\nb=1"), [pair("b", "1")]);
    }

    #[test]
    fn escapes_are_resolved() {
        assert_eq!(one("a\\ b\\=c\\:d = e\\tf\\nx\\q\\\\"), pair("a b=c:d", "e\tf\nxq\\"));
        assert_eq!(one("C=C:\\\\store"), pair("C", "C:\\store"));
        assert_eq!(one("gr\\u00fc\\u00DF=\\uD83D\\uDE00"), pair("gr\u{fc}\u{df}", "\u{1f600}"));
        assert_eq!(one("a=\\uD83D!"), pair("a", "\u{fffd}!"));
        assert_eq!(one("a=\u{1f600}\\t"), pair("a", "\u{1f600}\t"));
        for broken in ["a=\\u12", "a=\\u12g4", "\\u=1", "a=\\u+123"] {
            let text = format!("x=1\n\n{broken}\n");
            assert_eq!(parse_properties(&text), Err(ConfigError::BadEscape { line: 3 }));
        }
    }

    #[test]
    fn an_entry_knows_the_line_it_begins_in() {
        let entries = parse_properties("\u{feff}a=1\\\n2\n#\nb=3").unwrap();
        assert_eq!(entries.iter().map(|e| e.line).collect::<Vec<_>>(), [1, 4]);
        assert_eq!(entries[0].key, "a");
    }

    #[test]
    fn whatever_the_text_is_it_does_not_panic() {
        let alphabet: Vec<char> =
            "\\\\\\\\ \t\u{c}\r\n\n=:#!uabtnrf0129DFg\u{fc}\u{1f600}".chars().collect();
        let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
        let mut random = move || {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            seed
        };
        for _ in 0..20_000 {
            let length = random() % 40;
            let some = (0..length).map(|_| alphabet[(random() % alphabet.len() as u64) as usize]);
            let text: String = some.collect();
            if let Ok(entries) = parse_properties(&text) {
                assert!(entries.len() <= text.len());
            }
            let bytes: Vec<u8> = (0..length).flat_map(|_| random().to_le_bytes()).collect();
            let _ = parse_properties(&String::from_utf8_lossy(&bytes));
        }
    }
}
