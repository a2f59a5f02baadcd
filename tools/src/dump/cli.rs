//! `mqstore dump`: arguments, and lines to the standard output.

use std::io::{self, BufWriter};
use std::path::PathBuf;
use std::process::ExitCode;

use lexopt::{Arg, Parser, ValueExt as _};

use super::item::Item;
use super::{DumpOptions, TextLines, dump, to_json};
use crate::cli::{CliError, config_words, required};
use crate::replay::trace::Trace;

/// What `mqstore dump --help` prints.
pub(crate) const HELP: &str = "\
mqstore dump: show what lies in a store's folder

Usage: mqstore dump --store DIR [OPTIONS]

Shows every record of the commit log, the blanks at the ends of files, what lies behind the end,
the consume queues, the index, and what is wrong. Nothing is changed and no lock is taken: this
works beside a running store, on a folder of RocketMQ's own, and on damaged ones.

Options:
  --store DIR              the store's folder
  --json                   one JSON object a line, as the Java oracle's `dump` prints them;
                           what is wrong goes to the standard error then
  --from OFFSET            only the commit log, from the first record at or behind OFFSET
  --limit N                only the commit log, and at most N records
  --entries                also a line for each queue and index entry (--json: always)
  --config NAME=VALUE ...  settings by their RocketMQ names; mappedFileSizeCommitLog,
                           storePathCommitLog, maxHashSlotNum and maxIndexNum count here
  --trace-config TRACE     the settings of a trace's `open` and `reopen` lines
  --no-file-sha            do not name files by their SHA-256 (--json)

In a line of the log: place and size, topic/queue @ queue offset, store time, length of the body,
properties, where it was made, message id.

A line that begins with '!' says where something is wrong, and what: bytes that are no record with
something behind them, checksums, missing log files, wrong lengths. The length of log files is
--config mappedFileSizeCommitLog=.., or that of most of them. Beside a running store the last
record may be half written.

Exit code: 0 the folder was shown, whatever is wrong in it; 1 there is no store, or not all of it
could be read; 2 wrong command line.
";

/// Runs `mqstore dump`.
pub(crate) fn run(parser: &mut Parser) -> Result<ExitCode, CliError> {
    let (mut store, mut trace) = (None::<PathBuf>, None::<PathBuf>);
    let (mut json, mut entries) = (false, false);
    let mut config = Vec::new();
    let mut options = DumpOptions::new("");
    while let Some(arg) = parser.next()? {
        match arg {
            Arg::Long("store") => store = Some(parser.value()?.into()),
            Arg::Long("json") => json = true,
            Arg::Long("entries") => entries = true,
            Arg::Long("from") => options.from = Some(parser.value()?.parse()?),
            Arg::Long("limit") => options.limit = Some(parser.value()?.parse()?),
            Arg::Long("config") => config_words(parser, &mut config)?,
            Arg::Long("trace-config") => trace = Some(parser.value()?.into()),
            Arg::Long("no-file-sha") => options.file_sha = false,
            Arg::Long("help") | Arg::Short('h') => {
                print!("{HELP}");
                return Ok(ExitCode::SUCCESS);
            }
            other => return Err(other.unexpected().into()),
        }
    }
    options.root = required(store, "--store")?;
    match std::fs::metadata(&options.root) {
        Ok(found) if found.is_dir() => {}
        Err(e) if e.kind() != io::ErrorKind::NotFound => {
            return Err(CliError::Failed(format!("{}: {e}", options.root.display())));
        }
        _ => return Err(CliError::Usage(format!("no folder {}", options.root.display()))),
    }
    let of_trace = match trace {
        Some(file) => Trace::read(&file).map_err(CliError::Usage)?.config(),
        None => Vec::new(),
    };
    for (name, value) in of_trace.iter().chain(&config) {
        options.set(name, value).map_err(CliError::Usage)?;
    }
    options.find_store().map_err(CliError::Failed)?;
    let out = BufWriter::new(io::stdout().lock());
    let mut unread = false;
    let shown = if json {
        json_lines(&options, out, &mut unread)
    } else {
        text_lines(options, out, entries, &mut unread)
    };
    match shown {
        // `mqstore dump | head` is no error
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
        _ if unread => Ok(ExitCode::FAILURE),
        _ => Ok(ExitCode::SUCCESS),
    }
}

fn json_lines(options: &DumpOptions, mut out: impl io::Write, unread: &mut bool) -> io::Result<()> {
    dump(options, &mut |item| match (to_json(item), item) {
        (Some(object), _) => writeln!(out, "{}", crate::json::line(&object)),
        (None, Item::Problem { file, at, what }) => {
            eprintln!("mqstore: {file} at {at}: {what}");
            Ok(())
        }
        (None, Item::Unreadable { file, why }) => {
            *unread = true;
            eprintln!("mqstore: {file} cannot be read: {why}");
            Ok(())
        }
        (None, _) => Ok(()),
    })?;
    out.flush()
}

fn text_lines(
    mut options: DumpOptions,
    out: impl io::Write,
    entries: bool,
    unread: &mut bool,
) -> io::Result<()> {
    // nobody reads them, and they cost a second look at every byte
    (options.file_sha, options.record_sha) = (false, false);
    let mut lines = TextLines::new(out, entries);
    dump(&options, &mut |item| {
        *unread |= matches!(item, Item::Unreadable { .. });
        lines.item(item)
    })?;
    match lines.finish()? {
        0 => {}
        1 => eprintln!("mqstore: one thing is wrong, see the line that begins with '!'"),
        n => eprintln!("mqstore: {n} things are wrong, see the lines that begin with '!'"),
    }
    Ok(())
}
