//! What `mqstore append` is asked to do.

use std::path::PathBuf;

use lexopt::{Arg, Parser, ValueExt as _};

use crate::cli::{CliError, config_words, required};

/// The command line.
#[derive(Clone, Debug)]
pub(super) struct Options {
    pub(super) store: PathBuf,
    pub(super) topic: String,
    pub(super) queue: i32,
    pub(super) tags: Option<String>,
    pub(super) keys: Option<String>,
    pub(super) file: Option<PathBuf>,
    /// `None`: all of the input is one message.
    pub(super) delimiter: Option<Vec<u8>>,
    pub(super) sync: bool,
    pub(super) config: Vec<(String, String)>,
}

impl Options {
    /// Reads the command line; `None` asks for help.
    pub(super) fn parse(parser: &mut Parser) -> Result<Option<Self>, CliError> {
        let (mut store, mut topic) = (None, None);
        let mut options = Self {
            store: PathBuf::new(),
            topic: String::new(),
            queue: 0,
            tags: None,
            keys: None,
            file: None,
            delimiter: Some(b"\n".to_vec()),
            sync: false,
            config: Vec::new(),
        };
        while let Some(arg) = parser.next()? {
            match arg {
                Arg::Long("help") | Arg::Short('h') => return Ok(None),
                Arg::Long("store") => store = Some(parser.value()?.into()),
                Arg::Long("topic") => topic = Some(parser.value()?.string()?),
                Arg::Long("queue") => options.queue = parser.value()?.parse()?,
                Arg::Long("tags") => options.tags = Some(parser.value()?.string()?),
                Arg::Long("keys") => options.keys = Some(parser.value()?.string()?),
                Arg::Long("file") => options.file = Some(parser.value()?.into()),
                Arg::Long("whole") => options.delimiter = None,
                Arg::Long("delimiter") => {
                    options.delimiter = Some(delimiter(&parser.value()?.string()?)?);
                }
                Arg::Long("sync") => options.sync = true,
                Arg::Long("config") => config_words(parser, &mut options.config)?,
                other => return Err(other.unexpected().into()),
            }
        }
        if options.queue < 0 {
            return Err(CliError::Usage(format!("--queue {}: must be 0 or more", options.queue)));
        }
        options.store = required(store, "--store DIR")?;
        options.topic = required(topic, "--topic TOPIC")?;
        Ok(Some(options))
    }
}

/// Bytes of a delimiter, with the usual escapes.
fn delimiter(text: &str) -> Result<Vec<u8>, CliError> {
    let bad = || CliError::Usage(format!("'{text}' is no delimiter"));
    let mut out = Vec::new();
    let mut rest = text.chars();
    let mut utf8 = [0; 4];
    while let Some(c) = rest.next() {
        let c = match c {
            '\\' => match rest.next().ok_or_else(bad)? {
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                '0' => '\0',
                '\\' => '\\',
                _ => return Err(bad()),
            },
            c => c,
        };
        out.extend_from_slice(c.encode_utf8(&mut utf8).as_bytes());
    }
    if out.is_empty() { Err(bad()) } else { Ok(out) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delimiters_have_escapes() {
        assert_eq!(delimiter("\\r\\n").unwrap(), b"\r\n");
        assert_eq!(delimiter("\\0--\\\\").unwrap(), b"\0--\\");
        for bad in ["", "\\", "\\x"] {
            assert!(delimiter(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_queue_below_zero_is_refused() {
        match Options::parse(&mut Parser::from_args(["--queue=-1"])) {
            Err(CliError::Usage(why)) => assert_eq!(why, "--queue -1: must be 0 or more"),
            other => panic!("{other:?}"),
        }
        let one = ["--store", "d", "--topic", "t", "--queue", "-1"];
        assert!(matches!(Options::parse(&mut Parser::from_args(one)), Err(CliError::Usage(_))));
    }

    #[test]
    fn store_and_topic_must_be_given() {
        for (words, missing) in [(["--store", "d"], "--topic"), (["--topic", "t"], "--store")] {
            match Options::parse(&mut Parser::from_args(words)) {
                Err(CliError::Usage(why)) => assert!(why.contains(missing), "{why}"),
                other => panic!("{other:?}"),
            }
        }
    }
}
