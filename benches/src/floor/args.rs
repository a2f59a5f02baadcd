//! What the floor is asked to do.

use core::time::Duration;
use std::path::PathBuf;

use lexopt::{Arg, Parser, ValueExt as _};

/// Which floor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// A copy into a mapped file.
    Mapped,
    /// A group commit.
    Group,
}

/// The command line.
#[derive(Clone, Debug)]
pub(crate) struct Args {
    pub(crate) mode: Mode,
    pub(crate) dir: PathBuf,
    pub(crate) threads: usize,
    pub(crate) body: usize,
    pub(crate) record: usize,
    pub(crate) batch: u64,
    /// Messages in all.
    pub(crate) count: u64,
    /// A limit in time, if one was given.
    pub(crate) limit: Option<Duration>,
}

impl Args {
    /// Reads the command line; `None` asks for help.
    pub(crate) fn from_env() -> Result<Option<Self>, String> {
        Self::read(&mut Parser::from_env())
            .map_err(|e| e.to_string())?
            .map_or(Ok(None), |a| a.checked())
    }

    fn read(parser: &mut Parser) -> Result<Option<Self>, lexopt::Error> {
        let mut args = Self {
            mode: Mode::Mapped,
            dir: PathBuf::new(),
            threads: 1,
            body: 1024,
            record: 0,
            batch: 1,
            count: u64::MAX,
            limit: None,
        };
        while let Some(arg) = parser.next()? {
            match arg {
                Arg::Value(word) if word == "mapped" => args.mode = Mode::Mapped,
                Arg::Value(word) if word == "group" => args.mode = Mode::Group,
                Arg::Long("dir") => args.dir = parser.value()?.into(),
                Arg::Long("threads") => args.threads = parser.value()?.parse()?,
                Arg::Long("body") => args.body = parser.value()?.parse()?,
                Arg::Long("record") => args.record = parser.value()?.parse()?,
                Arg::Long("batch") => args.batch = parser.value()?.parse()?,
                Arg::Long("count") => args.count = parser.value()?.parse()?,
                Arg::Long("seconds") => {
                    let seconds = parser.value()?.parse_with(|s| {
                        s.parse()
                            .map_err(|e| format!("{e}"))
                            .and_then(|s| Duration::try_from_secs_f64(s).map_err(|e| e.to_string()))
                    })?;
                    args.limit = Some(seconds);
                }
                Arg::Long("help") | Arg::Short('h') => return Ok(None),
                other => return Err(other.unexpected()),
            }
        }
        Ok(Some(args))
    }

    fn checked(mut self) -> Result<Option<Self>, String> {
        if self.dir.as_os_str().is_empty() {
            return Err("--dir is missing".to_owned());
        }
        if self.record == 0 {
            self.record = self.body + 91;
        }
        if self.record < self.body + 8 || self.record > 64 << 20 {
            return Err(
                "--record must be at least --body and 8 more, and at most 64 MiB".to_owned()
            );
        }
        if self.threads == 0 || self.threads > 1024 || self.batch == 0 {
            return Err("--threads must be 1 to 1024 and --batch at least 1".to_owned());
        }
        if self.count == u64::MAX && self.limit.is_none() {
            return Err("--count or --seconds is missing".to_owned());
        }
        Ok(Some(self))
    }

    /// Timed calls of each thread.
    pub(crate) fn calls(&self) -> u64 {
        self.count / self.batch / self.threads as u64
    }
}
