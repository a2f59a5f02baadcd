//! The command line: which subcommand runs, and what all of them have in common.

use std::ffi::OsString;
use std::process::ExitCode;

use lexopt::{Arg, Parser, ValueExt as _};

/// Why a command ends without having done what it was asked for.
#[derive(Debug)]
pub enum CliError {
    /// The command line makes no sense: exit code 2.
    Usage(String),
    /// Something went wrong on the way: exit code 1.
    Failed(String),
}

impl From<lexopt::Error> for CliError {
    fn from(error: lexopt::Error) -> Self {
        Self::Usage(error.to_string())
    }
}

impl From<std::io::Error> for CliError {
    fn from(error: std::io::Error) -> Self {
        Self::Failed(error.to_string())
    }
}

/// One subcommand.
struct Command {
    name: &'static str,
    about: &'static str,
    help: &'static str,
    run: fn(&mut Parser) -> Result<ExitCode, CliError>,
}

/// All subcommands, in the order in which they are shown.
const COMMANDS: &[Command] = &[
    Command {
        name: "demo",
        about: "put a million messages, say what they cost, show what lies on disk",
        help: crate::demo::HELP,
        run: crate::demo::run,
    },
    Command {
        name: "append",
        about: "put the lines of a file or of stdin as messages",
        help: crate::append::HELP,
        run: crate::append::run,
    },
    Command {
        name: "bench",
        about: "measure how fast messages are put",
        help: crate::bench::HELP,
        run: crate::bench::run,
    },
    Command {
        name: "dump",
        about: "show what lies in a store's folder",
        help: crate::dump::cli::HELP,
        run: crate::dump::cli::run,
    },
    Command {
        name: "replay",
        about: "run a trace and print one result line per operation",
        help: crate::replay::cli::HELP,
        run: crate::replay::cli::run,
    },
];

/// Runs the command that the process was called with.
#[must_use]
pub fn main() -> ExitCode {
    let mut parser = Parser::from_env();
    match dispatch(&mut parser) {
        Ok(code) => code,
        Err(CliError::Usage(why)) => {
            eprintln!("mqstore: {why}");
            eprintln!("'mqstore help' and 'mqstore COMMAND --help' say more.");
            ExitCode::from(2)
        }
        Err(CliError::Failed(why)) => {
            eprintln!("mqstore: {why}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(parser: &mut Parser) -> Result<ExitCode, CliError> {
    let name = match parser.next()? {
        None => {
            print!("{}", overview());
            return Ok(ExitCode::from(2));
        }
        Some(Arg::Long("help") | Arg::Short('h')) => {
            print!("{}", overview());
            return Ok(ExitCode::SUCCESS);
        }
        Some(Arg::Long("version") | Arg::Short('V')) => {
            println!("mqstore {}", env!("CARGO_PKG_VERSION"));
            return Ok(ExitCode::SUCCESS);
        }
        Some(Arg::Value(name)) => name.string()?,
        Some(other) => return Err(other.unexpected().into()),
    };
    if name == "help" {
        let about = parser.optional_value().or_else(|| next_word(parser));
        let command = about.and_then(|a| a.into_string().ok()).and_then(|a| find(&a));
        print!("{}", command.map_or_else(overview, |c| c.help.to_owned()));
        return Ok(ExitCode::SUCCESS);
    }
    let command =
        find(&name).ok_or_else(|| CliError::Usage(format!("there is no command '{name}'")))?;
    (command.run)(parser)
}

fn next_word(parser: &mut Parser) -> Option<OsString> {
    match parser.next() {
        Ok(Some(Arg::Value(word))) => Some(word),
        _ => None,
    }
}

fn find(name: &str) -> Option<&'static Command> {
    COMMANDS.iter().find(|c| c.name == name)
}

fn overview() -> String {
    let mut text = String::from(
        "mqstore: the RocketMQ 4.9.3 message store\n\nUsage: mqstore COMMAND [OPTIONS]\n\nCommands:\n",
    );
    for Command { name, about, .. } in COMMANDS {
        text += &format!("  {name:<8} {about}\n");
    }
    text + "\n'mqstore COMMAND --help' shows the options of a command.\n"
}

/// Reads what follows `--config`: one or more words `name=value`.
///
/// # Errors
/// [`CliError::Usage`] for a word without `=`.
pub fn config_words(parser: &mut Parser, into: &mut Vec<(String, String)>) -> Result<(), CliError> {
    into.push(name_and_value(&parser.value()?.string()?)?);
    let mut words = parser.raw_args()?;
    let another = |word: &std::ffi::OsStr| {
        word.to_str().is_some_and(|w| !w.starts_with('-') && w.contains('='))
    };
    while let Some(word) = words.next_if(another) {
        into.push(name_and_value(&word.string()?)?);
    }
    Ok(())
}

fn name_and_value(word: &str) -> Result<(String, String), CliError> {
    match word.split_once('=') {
        Some((name, value)) => Ok((name.to_owned(), value.to_owned())),
        None => Err(CliError::Usage(format!("--config wants name=value, and got '{word}'"))),
    }
}

/// The value of an option that must be there.
///
/// # Errors
/// [`CliError::Usage`] that names it.
pub fn required<T>(value: Option<T>, name: &str) -> Result<T, CliError> {
    value.ok_or_else(|| CliError::Usage(format!("missing {name}")))
}
