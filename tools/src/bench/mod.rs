//! `mqstore bench`: how many messages a second, and how long each one takes.
//!
//! A closed loop: each writer puts a message, waits for its answer, and puts the next. The work
//! for each message is that of the Java harness's `bench`, and so are the names in the output.

mod bars;
mod folder;
mod interrupt;
mod load;
mod numbers;
mod options;
mod report;
mod say;
mod source;
mod target;

use std::process::ExitCode;

use lexopt::Parser;
use mqstore::Store;

use crate::cli::CliError;

pub(crate) use folder::{WorkFolder, entries_in};
pub(crate) use interrupt::stand_still_if_interrupted;
pub(crate) use load::empty_histogram;
pub(crate) use numbers::{bytes_text, nanos_text, thousands};
pub(crate) use say::{say, show};
pub(crate) use source::{fill, splitmix64, wall_millis};

use load::{Load, Until};
use options::Options;

/// What `mqstore bench --help` prints.
pub const HELP: &str = "\
Puts messages in a closed loop, and says how many a second and how long each took.

Usage: mqstore bench [OPTIONS]

  --store DIR           an empty folder for the log, on the disk to be measured
                        (default: a fresh one among the system's temporary files)
  --keep                leave the folder there
  --backend mmap|mem    where the bytes live (default: mmap); mem holds 256 MiB
  --threads N           writers (default: 1)
  --body BYTES          length of each body (default: 1024)
  --count N             messages in all (default: 1000000; mem: 100000)
  --seconds S           how long, instead of how many
  --batch K             messages to a put (default: 1)
  --flush async|sync    when a put is answered (default: async)
  --pool                stage the log in buffers (transientStorePoolEnable)
  --topics N            topics bench-topic-0 and so on (default: 1)
  --queues N            queues of each topic (default: 4)
  --props none|tags|full  properties of each message (default: tags)
  --file-size SIZE      length of each log file, such as 64m (default: 1g; mem: 16m)
  --warmup-seconds S    how long to put before measuring (default: 1; mem: 0)
  --config K=V ...      any other setting, by its Java name or as mqstore.NAME
  --json                one line of JSON
  --histogram           the distribution of latencies as bars

Latencies are those of the put call alone; making the message counts for the rate.
";

/// Runs the command.
///
/// # Errors
/// [`CliError`] when the arguments make no sense, or the store cannot be opened or written.
pub fn run(parser: &mut Parser) -> Result<ExitCode, CliError> {
    let Some(options) = Options::parse(parser)? else {
        show(format_args!("{HELP}"));
        return Ok(ExitCode::SUCCESS);
    };
    let folder = WorkFolder::new(options.store.as_deref(), "mqstore-bench", options.keep)?;
    let store = target::open(&options, &folder)?;
    // not before the settings have been looked at
    if !options.json {
        say!("{}", report::headline(&options, &folder));
    }
    let measured = measure(&store, &options)?;
    store.close().map_err(|e| CliError::Failed(format!("closing the store: {e}")))?;
    report::print(&options, &measured);
    Ok(if measured.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// What has been measured.
pub(crate) struct Measured {
    pub(crate) load: load::Done,
    /// Puts that were refused.
    pub(crate) failed: u64,
    /// Bytes that were answered, but had not left their buffers at the end.
    pub(crate) behind: u64,
    /// Whether they have left them since.
    pub(crate) drained: bool,
    /// How long that took.
    pub(crate) drain: core::time::Duration,
}

fn measure(store: &Store, options: &Options) -> Result<Measured, CliError> {
    let load = Load { store, options };
    if !options.warmup().is_zero() {
        load.run(Until::Time(options.warmup()))?;
        target::drained(store);
    }
    let until = match options.time {
        Some(time) => Until::Time(time),
        None => Until::Calls((options.count() / options.batch as u64).max(1)),
    };
    let done = load.run(until)?;
    let status = store.status();
    let behind = status.written_offset.saturating_sub(status.max_phy_offset);
    let start = std::time::Instant::now();
    let drained = target::drained(store);
    Ok(Measured { failed: done.failed, load: done, behind, drained, drain: start.elapsed() })
}
