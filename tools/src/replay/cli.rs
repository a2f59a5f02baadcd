//! `mqstore replay`: arguments, and lines to the standard output.

use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use lexopt::{Arg, Parser, ValueExt as _};
use mqstore::config::Backend;

use super::trace::Trace;
use super::{ReplayOptions, replay};
use crate::cli::{CliError, config_words, required};

/// What `mqstore replay --help` prints.
pub(crate) const HELP: &str = "\
mqstore replay: run a trace and print one result line per operation

Usage: mqstore replay TRACE.jsonl --store DIR [OPTIONS]

The trace has the format of the Java oracle, and so have the result lines: tools/java/README.md
describes both, and `diff` shows where the two stores disagree. Operations that are not built yet
(reads, queries, cleaning, ...) answer \"status\":\"not yet\"; how many there were is said at the
end.

Options:
  --store DIR              the store's folder; it is made if it is not there
  --backend mmap|mem       mapped files (default), or memory, which leaves nothing in DIR
  --config NAME=VALUE ...  settings by their RocketMQ names; they win over the trace's
  --answers WHICH          rocketmq-4.9.3 (default): as Java answers;
                           corrected: the better answer where Java's is a defect.
                           Some rules differ with either: see docs/compatibility.md
  --crash                  end the process without closing the store, as if it were killed
  --stable-index-names     name index files 20200101000000000 and so on instead of after the clock

Exit code: 0 the trace ran to its end; 1 the store failed; 2 the command line or the trace is wrong.
";

/// Runs `mqstore replay`.
pub(crate) fn run(parser: &mut Parser) -> Result<ExitCode, CliError> {
    let (mut trace, mut store) = (None::<PathBuf>, None::<PathBuf>);
    let (mut crash, mut stable_index_names) = (false, false);
    let mut options = ReplayOptions::new("");
    while let Some(arg) = parser.next()? {
        match arg {
            Arg::Value(file) if trace.is_none() => trace = Some(file.into()),
            Arg::Long("store") => store = Some(parser.value()?.into()),
            Arg::Long("backend") => backend(&mut options, parser)?,
            Arg::Long("answers") => set(&mut options, "mqstore.answers", parser)?,
            Arg::Long("config") => config_words(parser, &mut options.config)?,
            Arg::Long("crash") => crash = true,
            Arg::Long("stable-index-names") => stable_index_names = true,
            Arg::Long("help") | Arg::Short('h') => {
                print!("{HELP}");
                return Ok(ExitCode::SUCCESS);
            }
            other => return Err(other.unexpected().into()),
        }
    }
    let trace = Trace::read(&required(trace, "the trace")?).map_err(CliError::Usage)?;
    options.root = required(store, "--store")?;

    let mut out = BufWriter::new(std::io::stdout());
    let replayed = replay(&trace, &options, |line| writeln!(out, "{}", crate::json::line(line)));
    out.flush()?;
    let replayed = replayed.map_err(|e| match e {
        super::ReplayError::Usage(why) => CliError::Usage(why),
        other => CliError::Failed(other.to_string()),
    })?;
    if replayed.not_yet > 0 {
        eprintln!("mqstore: {} operations are not built yet", replayed.not_yet);
    }
    if crash {
        name_index_files(&options.root, stable_index_names)?;
        // nothing is closed and no destructor runs: what remains is what a killed process leaves
        std::process::exit(0);
    }
    if let Some(store) = replayed.store {
        store.close().map_err(|e| CliError::Failed(e.to_string()))?;
    }
    name_index_files(&options.root, stable_index_names)?;
    Ok(ExitCode::SUCCESS)
}

/// Where the bytes live: what there is, not all that may be configured one day.
fn backend(options: &mut ReplayOptions, parser: &mut Parser) -> Result<(), CliError> {
    let word = parser.value()?.string()?;
    options.settings.backend = match word.as_str() {
        "mmap" => Backend::Mmap,
        "mem" => Backend::Mem,
        _ => {
            let why = format!("--backend is one of mmap, mem, not '{word}'");
            return Err(CliError::Usage(why));
        }
    };
    Ok(())
}

/// Takes a setting of our own from the next word.
fn set(options: &mut ReplayOptions, name: &str, parser: &mut Parser) -> Result<(), CliError> {
    let value = parser.value()?.string()?;
    options.settings.set(name, &value).map_err(|e| CliError::Usage(e.to_string()))
}

/// Index files are named after the wall clock; gives them made-up names in the same order.
fn name_index_files(root: &Path, wanted: bool) -> Result<(), CliError> {
    let folder = root.join("index");
    if !wanted || !folder.is_dir() {
        return Ok(());
    }
    let mut files = Vec::new();
    for entry in std::fs::read_dir(&folder)? {
        files.push(entry?.path());
    }
    files.sort();
    for (n, file) in files.iter().enumerate() {
        std::fs::rename(file, folder.join(format!("20200101000000{n:03}")))?;
    }
    Ok(())
}
