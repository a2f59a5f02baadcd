//! What `mqstore bench` is asked to do.

use core::time::Duration;
use std::path::PathBuf;

use lexopt::{Arg, Parser, ValueExt as _};

use super::numbers::size;
use crate::cli::{CliError, config_words};

/// Which properties each message has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Props {
    None,
    Tags,
    Full,
}

impl Props {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Tags => "tags",
            Self::Full => "full",
        }
    }
}

/// The command line.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    pub(crate) store: Option<PathBuf>,
    pub(crate) keep: bool,
    pub(crate) backend: &'static str,
    pub(crate) threads: usize,
    pub(crate) body: usize,
    pub(super) count: Option<u64>,
    pub(crate) time: Option<Duration>,
    pub(crate) batch: usize,
    pub(crate) sync: bool,
    pub(crate) pool: bool,
    pub(crate) topics: u64,
    pub(crate) queues: u64,
    pub(crate) props: Props,
    /// `None`: as the backend wants it.
    pub(super) file_size: Option<u64>,
    pub(super) warmup: Option<Duration>,
    pub(crate) config: Vec<(String, String)>,
    pub(crate) json: bool,
    pub(crate) histogram: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            store: None,
            keep: false,
            backend: "mmap",
            threads: 1,
            body: 1024,
            count: None,
            time: None,
            batch: 1,
            sync: false,
            pool: false,
            topics: 1,
            queues: 4,
            props: Props::Tags,
            file_size: None,
            warmup: None,
            config: Vec::new(),
            json: false,
            histogram: false,
        }
    }
}

impl Options {
    /// Reads the command line; `None` asks for help.
    pub(crate) fn parse(parser: &mut Parser) -> Result<Option<Self>, CliError> {
        let mut options = Self::default();
        while let Some(arg) = parser.next()? {
            match arg {
                Arg::Long("help") | Arg::Short('h') => return Ok(None),
                Arg::Long("config") => config_words(parser, &mut options.config)?,
                Arg::Long(name) => {
                    let name = name.to_owned();
                    options.take(&name, parser)?;
                }
                other => return Err(other.unexpected().into()),
            }
        }
        options.check()?;
        Ok(Some(options))
    }

    /// Length of each log file in bytes. A store in memory has little room.
    pub(crate) fn file_size(&self) -> u64 {
        self.file_size.unwrap_or(if self.in_memory() { 16 << 20 } else { 1 << 30 })
    }

    /// Messages in all.
    pub(crate) fn count(&self) -> u64 {
        self.count.unwrap_or(if self.in_memory() { 100_000 } else { 1_000_000 })
    }

    /// How long to put before measuring; what is put then stays in the log.
    pub(crate) fn warmup(&self) -> Duration {
        self.warmup.unwrap_or(Duration::from_secs(if self.in_memory() { 0 } else { 1 }))
    }

    pub(super) fn in_memory(&self) -> bool {
        self.backend == "mem"
    }

    fn take(&mut self, name: &str, parser: &mut Parser) -> Result<(), CliError> {
        match name {
            "keep" => self.keep = true,
            "json" => self.json = true,
            "histogram" => self.histogram = true,
            "pool" | "transient-pool" => self.pool = true,
            "store" => self.store = Some(parser.value()?.into()),
            "backend" => {
                let all = ["mmap", "mem"];
                let chosen = choice(name, parser, &all)?;
                self.backend = all.get(chosen).copied().unwrap_or("mmap");
            }
            "threads" => self.threads = parser.value()?.parse()?,
            "body" => self.body = parser.value()?.parse()?,
            "count" => self.count = Some(parser.value()?.parse()?),
            "batch" => self.batch = parser.value()?.parse()?,
            "topics" => self.topics = parser.value()?.parse()?,
            "queues" => self.queues = parser.value()?.parse()?,
            "seconds" => self.time = Some(seconds(&parser.value()?.string()?)?),
            "warmup-seconds" => self.warmup = Some(seconds(&parser.value()?.string()?)?),
            "file-size" => self.file_size = Some(size(&parser.value()?.string()?)?),
            "flush" => {
                self.sync =
                    choice(name, parser, &["async", "sync", "ASYNC_FLUSH", "SYNC_FLUSH"])? % 2 == 1;
            }
            "props" => {
                let all = [Props::None, Props::Tags, Props::Full];
                let chosen = choice(name, parser, &all.map(Props::name))?;
                self.props = all.get(chosen).copied().unwrap_or(Props::Tags);
            }
            other => return Err(CliError::Usage(format!("invalid option '--{other}'"))),
        }
        Ok(())
    }

    fn check(&self) -> Result<(), CliError> {
        let range = |name: &str, value: u64, most: u64| {
            if (1..=most).contains(&value) {
                return Ok(());
            }
            Err(CliError::Usage(format!("--{name} must be 1 to {most}, and is {value}")))
        };
        range("threads", self.threads as u64, 1024)?;
        range("count", self.count(), u64::MAX)?;
        range("batch", self.batch as u64, 100_000)?;
        range("topics", self.topics, 1_000_000)?;
        range("queues", self.queues, 1_000_000)?;
        if self.count.is_some() && self.time.is_some() {
            let why = "--count says how many and --seconds how long: one of them";
            return Err(CliError::Usage(why.to_owned()));
        }
        if self.body > 64 << 20 {
            return Err(CliError::Usage(format!("--body {} is more than 64 MiB", self.body)));
        }
        Ok(())
    }
}

/// Index of the word that is the option's value.
fn choice(name: &str, parser: &mut Parser, words: &[&str]) -> Result<usize, CliError> {
    let given = parser.value()?.string()?;
    words.iter().position(|w| *w == given).ok_or_else(|| {
        CliError::Usage(format!("--{name} is one of {}, not '{given}'", words.join(", ")))
    })
}

fn seconds(text: &str) -> Result<Duration, CliError> {
    let seconds = text.parse().ok().and_then(|s| Duration::try_from_secs_f64(s).ok());
    seconds.ok_or_else(|| CliError::Usage(format!("'{text}' is no number of seconds")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(words: &[&str]) -> Result<Option<Options>, CliError> {
        Options::parse(&mut Parser::from_args(words))
    }

    #[test]
    fn every_option_of_the_help_is_known() {
        for line in super::super::HELP.lines() {
            let Some(words) = line.trim_start().strip_prefix("--") else { continue };
            let mut words = words.split_whitespace();
            let name = format!("--{}", words.next().unwrap());
            let sample = match words.next() {
                Some("DIR") => "d",
                Some("mmap|mem") => "mem",
                Some("async|sync") => "sync",
                Some("none|tags|full") => "full",
                Some("SIZE") => "64m",
                Some("K=V") => "a=b",
                _ => "3",
            };
            let given = match name.as_str() {
                "--keep" | "--pool" | "--json" | "--histogram" => vec![name.as_str()],
                _ => vec![name.as_str(), sample],
            };
            assert!(matches!(parse(&given), Ok(Some(_))), "{given:?}");
        }
    }

    #[test]
    fn count_and_seconds_contradict_each_other() {
        assert!(parse(&["--count", "9"]).is_ok() && parse(&["--seconds", "9"]).is_ok());
        match parse(&["--seconds", "9", "--count", "9"]) {
            Err(CliError::Usage(why)) => assert!(why.contains("--count"), "{why}"),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_makes_no_sense_is_named() {
        for (words, named) in [
            (["--threads", "0"], "threads"),
            (["--flush", "never"], "never"),
            (["--backend", "raw"], "--backend is one of mmap, mem, not 'raw'"),
            (["--backend", "block:x"], "--backend is one of mmap, mem, not"),
            (["--seconds", "-1"], "-1"),
            (["--file-size", "big"], "big"),
            (["--frobnicate", "1"], "frobnicate"),
        ] {
            match parse(&words) {
                Err(CliError::Usage(why)) => assert!(why.contains(named), "{why}"),
                other => panic!("{words:?}: {other:?}"),
            }
        }
    }
}
