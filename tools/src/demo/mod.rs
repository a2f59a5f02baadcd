//! `mqstore demo`: a million messages of all kinds, what they cost, and what lies on disk then.

mod census;
mod content;
mod mixed;
mod on_disk;
mod sync;
mod table;

use core::time::Duration;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use lexopt::{Arg, Parser, ValueExt as _};
use mqstore::config::MessageStoreConfig;
use mqstore::{FlushDiskType, Store, StoreOptions};

use crate::bench::{WorkFolder, say, show, thousands};
use crate::cli::CliError;
use census::Census;

/// What `mqstore demo --help` prints.
pub const HELP: &str = "\
Puts a million messages of all kinds, says what they cost, and shows what lies on disk.

Usage: mqstore demo [OPTIONS]

  --store DIR         an empty folder for the store
                      (default: a fresh one among the system's temporary files)
  --keep              leave the store there, to look at it with 'mqstore dump'
  --messages N        how many to put (default: 1000000, about 0.7 GiB)
  --threads N         how many writers (default: 4)
  --sync-seconds S    how long to put with synchronous flush (default: 3)
";

/// Length of each log file: a few rolls can be seen, and little disk is taken ahead.
const FILE_SIZE: i32 = 256 << 20;

/// The command line.
#[derive(Clone, Debug)]
struct Options {
    store: Option<PathBuf>,
    keep: bool,
    messages: u64,
    threads: u64,
    sync: Duration,
}

impl Options {
    fn parse(parser: &mut Parser) -> Result<Option<Self>, CliError> {
        let sync = Duration::from_secs(3);
        let mut options = Self { store: None, keep: false, messages: 1_000_000, threads: 4, sync };
        while let Some(arg) = parser.next()? {
            match arg {
                Arg::Long("help") | Arg::Short('h') => return Ok(None),
                Arg::Long("keep") => options.keep = true,
                Arg::Long("store") => options.store = Some(parser.value()?.into()),
                Arg::Long("messages") => options.messages = parser.value()?.parse()?,
                Arg::Long("threads") => options.threads = parser.value()?.parse()?,
                Arg::Long("sync-seconds") => {
                    let text = parser.value()?.string()?;
                    let time = text.parse().ok().and_then(|s| Duration::try_from_secs_f64(s).ok());
                    options.sync = time.ok_or_else(|| {
                        CliError::Usage(format!("'{text}' is no number of seconds"))
                    })?;
                }
                other => return Err(other.unexpected().into()),
            }
        }
        if !(1..=256).contains(&options.threads) || options.messages == 0 {
            let why = "--threads must be 1 to 256, and --messages at least 1";
            return Err(CliError::Usage(why.to_owned()));
        }
        Ok(Some(options))
    }
}

/// Runs the command.
///
/// # Errors
/// [`CliError`] when the arguments make no sense, a put is refused, or the store cannot be
/// opened, closed or read.
pub fn run(parser: &mut Parser) -> Result<ExitCode, CliError> {
    let Some(options) = Options::parse(parser)? else {
        show(format_args!("{HELP}"));
        return Ok(ExitCode::SUCCESS);
    };
    let folder = WorkFolder::new(options.store.as_deref(), "mqstore-demo", options.keep)?;
    let what_then = if options.keep { "stays" } else { "removed at the end" };
    say!("store in {} ({what_then})\n", folder.path().display());

    let mut acknowledged = mixed_part(&options, folder.path())?;
    if !options.sync.is_zero() {
        acknowledged += sync_part(&options, folder.path())?;
    }
    let census = Census::of(folder.path())?;
    on_disk::print(folder.path(), &census)?;
    verdict(&options, &folder, acknowledged, &census)
}

fn open(folder: &Path, flush: FlushDiskType) -> Result<Store, CliError> {
    let mut config = MessageStoreConfig {
        mapped_file_size_commit_log: FILE_SIZE,
        flush_disk_type: flush,
        ..MessageStoreConfig::default()
    };
    config.set_root(&folder.to_string_lossy());
    let opened = StoreOptions::with_config(config).open();
    opened.map_err(|e| CliError::Failed(format!("the store does not open: {e}")))
}

fn close(store: &Store) -> Result<(), CliError> {
    store.close().map_err(|e| CliError::Failed(format!("closing the store: {e}")))
}

/// All kinds of messages, answered when they are in the log.
fn mixed_part(options: &Options, folder: &Path) -> Result<u64, CliError> {
    let store = open(folder, FlushDiskType::AsyncFlush)?;
    let done = mixed::run(&store, options.messages, options.threads)?;
    say!("{} writers, answered when the message is in the log (ASYNC_FLUSH)", options.threads);
    show(format_args!("{}", table::draw(&done.rows, done.took)));
    let start = Instant::now();
    close(&store)?;
    say!("flushed and closed in {:.2} s\n", start.elapsed().as_secs_f64());
    Ok(done.acknowledged())
}

/// The same store again, now answering when the message is durable.
fn sync_part(options: &Options, folder: &Path) -> Result<u64, CliError> {
    let start = Instant::now();
    let store = open(folder, FlushDiskType::SyncFlush)?;
    let opened = start.elapsed().as_secs_f64();
    let rows = sync::run(&store, options.sync)?;
    say!("opened again in {opened:.2} s; answered when the message is durable (SYNC_FLUSH)");
    show(format_args!("{}", table::draw(&rows, options.sync)));
    close(&store)?;
    say!();
    Ok(rows.iter().map(|r| r.messages).sum())
}

/// Whether every acknowledged message is there, and nothing else.
fn verdict(
    options: &Options,
    folder: &WorkFolder,
    acknowledged: u64,
    census: &Census,
) -> Result<ExitCode, CliError> {
    let (told, found) = (thousands(acknowledged), thousands(census.records()));
    if let Some(damage) = &census.damage {
        say!("\nFAILED: the log cannot be read: {damage}");
        return Ok(ExitCode::FAILURE);
    }
    if acknowledged != census.records() || census.bad_checksums > 0 {
        let bad = census.bad_checksums;
        say!("\nFAILED: {told} messages acknowledged, {found} in the log, {bad} bad checksums");
        return Ok(ExitCode::FAILURE);
    }
    say!("\nchecked: {told} messages acknowledged, {found} in the log, every checksum right");
    if options.keep {
        say!("to look at it: mqstore dump --store {}", folder.path().display());
    } else {
        say!("to look at a store: mqstore demo --store DIR --keep, then mqstore dump --store DIR");
    }
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_demo_finds_what_it_has_put() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("demo");
        let words = ["--messages", "3000", "--threads", "3", "--sync-seconds", "0.1", "--store"];
        let words = words.iter().map(std::ffi::OsString::from).chain([folder.clone().into()]);
        assert!(matches!(run(&mut Parser::from_args(words)), Ok(ExitCode::SUCCESS)));
        assert!(!folder.exists());
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for words in [["--threads", "0"], ["--messages", "0"], ["--sync-seconds", "x"]] {
            assert!(matches!(run(&mut Parser::from_args(words)), Err(CliError::Usage(_))));
        }
    }
}
