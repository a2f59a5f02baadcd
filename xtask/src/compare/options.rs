//! What `compare` is asked to do.

use std::path::PathBuf;

use super::case::{self, CASES, SUSTAINED};

/// The command line.
#[derive(Clone, Debug)]
pub(super) struct Options {
    pub(super) quick: bool,
    pub(super) json: bool,
    pub(super) pairs: usize,
    /// GiB of log for each measurement.
    pub(super) gb: f64,
    /// Seconds of each measurement with synchronous flush.
    pub(super) seconds: f64,
    /// Names of cases; none means all.
    pub(super) only: Vec<String>,
    pub(super) peers: Option<PathBuf>,
    pub(super) dir: Option<PathBuf>,
    pub(super) sustained: bool,
}

impl Options {
    /// Reads the arguments; `None` asks for help.
    pub(super) fn parse(args: &[String]) -> Result<Option<Self>, String> {
        let mut options = Self {
            quick: args.iter().any(|a| a == "--quick"),
            json: false,
            pairs: 5,
            gb: 2.0,
            seconds: 8.0,
            only: Vec::new(),
            peers: None,
            dir: None,
            sustained: true,
        };
        if options.quick {
            (options.pairs, options.gb, options.seconds) = (1, 0.25, 2.0);
        }
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            let mut value = || args.next().ok_or_else(|| format!("{arg} needs a value"));
            match arg.as_str() {
                "--quick" => {}
                "--json" => options.json = true,
                "--pairs" => options.pairs = number(arg, value()?)?,
                "--gb" => options.gb = number(arg, value()?)?,
                "--seconds" => options.seconds = number(arg, value()?)?,
                "--only" => options.only.push(value()?.clone()),
                "--peers" => options.peers = Some(value()?.into()),
                "--dir" => options.dir = Some(value()?.into()),
                "--no-sustained" => options.sustained = false,
                "--help" | "-h" => return Ok(None),
                other => return Err(format!("'{other}' is not an option")),
            }
        }
        options.check()?;
        Ok(Some(options))
    }

    fn check(&self) -> Result<(), String> {
        if self.pairs == 0 {
            return Err("--pairs must be at least 1".to_owned());
        }
        if !(0.01..=64.0).contains(&self.gb) || !(0.1..=600.0).contains(&self.seconds) {
            return Err("--gb must be 0.01 to 64, and --seconds 0.1 to 600".to_owned());
        }
        for name in &self.only {
            if name != SUSTAINED && case::find(name).is_none() {
                let known: Vec<&str> = CASES.iter().map(|c| c.name).collect();
                let known = known.join(", ");
                return Err(format!("there is no case '{name}'; there are {known}, {SUSTAINED}"));
            }
        }
        Ok(())
    }

    /// Whether this case is to be measured.
    pub(super) fn wants(&self, name: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|n| n == name)
    }
}

fn number<T: core::str::FromStr>(name: &str, text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("{name} wants a number, and got '{text}'"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(words: &[&str]) -> Result<Option<Options>, String> {
        Options::parse(&words.iter().map(|w| (*w).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn quick_may_be_overruled_wherever_it_stands() {
        let options = parse(&["--pairs", "3", "--quick"]).unwrap().unwrap();
        assert_eq!((options.pairs, options.gb), (3, 0.25));
    }

    #[test]
    fn what_makes_no_sense_is_named() {
        assert!(parse(&["--only", "put-7"]).unwrap_err().contains("put-7"));
        assert!(parse(&["--gb", "lots"]).unwrap_err().contains("lots"));
        assert!(parse(&["--pairs"]).unwrap_err().contains("value"));
        assert!(parse(&["--only", "sustained"]).unwrap().unwrap().wants(SUSTAINED));
        assert!(parse(&["-h"]).unwrap().is_none());
    }
}
