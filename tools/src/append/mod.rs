//! `mqstore append`: each line of a file or of stdin becomes a message.

mod lines;
mod options;
mod progress;

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::process::ExitCode;

use lexopt::Parser;
use mqstore::config::{MessageStoreConfig, MqstoreSettings};
use mqstore::{
    Message, Properties, PropertyMap, PutMessageResult, PutMessageStatus, Store, StoreOptions,
};

use crate::bench::{bytes_text, say, show, thousands, wall_millis};
use crate::cli::CliError;
use lines::Lines;
use options::Options;
use progress::Progress;

/// What `mqstore append --help` prints.
pub const HELP: &str = "\
Puts each line of a file, or of stdin, as a message, its bytes as they are.

Usage: mqstore append --store DIR --topic TOPIC [OPTIONS]

  --store DIR       the store's folder; made if it is not there
  --topic TOPIC     where the messages go
  --queue N         queue of the topic (default: 0)
  --tags TEXT       tags of every message
  --keys TEXT       keys of every message, separated by spaces
  --file FILE       what to read (default: stdin)
  --delimiter TEXT  what ends a line; \\n, \\r, \\t and \\0 mean what they mean in C
                    (default: \\n)
  --whole           all of the input is one message
  --sync            wait until each message is durable (SYNC_FLUSH)
  --config K=V ...  any other setting, by its Java name or as mqstore.NAME

The delimiter is no part of the message. Stops at the first line that is refused, and says
which one and why. Everything is durable when the command ends.
";

/// Runs the command.
///
/// # Errors
/// [`CliError`] when the arguments make no sense, the store or the input cannot be opened, or a
/// line is refused.
pub fn run(parser: &mut Parser) -> Result<ExitCode, CliError> {
    let Some(options) = Options::parse(parser)? else {
        show(format_args!("{HELP}"));
        return Ok(ExitCode::SUCCESS);
    };
    // before a store is made for nothing
    let (input, len) = input(&options)?;
    let store = open(&options)?;
    let mut done = Done::default();
    let ended = append(&store, &options, input, &Progress::new(len), &mut done);
    let closed = store.close().map_err(|e| {
        CliError::Failed(format!("closing the store: {e}; the last messages may not be durable"))
    });
    say!("{}", done.text(&options));
    ended.and(closed)?;
    Ok(ExitCode::SUCCESS)
}

/// What has been acknowledged.
#[derive(Debug, Default)]
struct Done {
    messages: u64,
    body_bytes: u64,
    /// First and last: log offset and queue offset.
    first: Option<(u64, i64)>,
    last: Option<(u64, i64)>,
}

impl Done {
    fn text(&self, options: &Options) -> String {
        let (n, bytes) = (thousands(self.messages), bytes_text(self.body_bytes));
        let (topic, queue) = (&options.topic, options.queue);
        let word = if self.messages == 1 { "message" } else { "messages" };
        let text = format!("{n} {word} acknowledged ({bytes} of bodies) in {topic}, queue {queue}");
        match self.first.zip(self.last) {
            Some(((first, q), _)) if self.messages == 1 => {
                format!("{text}: log offset {first}, queue offset {q}")
            }
            Some(((first, q), (last, r))) => {
                format!("{text}: log offsets {first} to {last}, queue offsets {q} to {r}")
            }
            None => text,
        }
    }
}

fn input(options: &Options) -> Result<(Box<dyn Read>, Option<u64>), CliError> {
    let Some(path) = &options.file else { return Ok((Box::new(io::stdin().lock()), None)) };
    let failed = |e: io::Error| CliError::Failed(format!("{}: {e}", path.display()));
    let file = File::open(path).map_err(failed)?;
    let len = file.metadata().map_err(failed)?;
    Ok((Box::new(file), len.is_file().then_some(len.len())))
}

fn open(options: &Options) -> Result<Store, CliError> {
    let mut config = MessageStoreConfig::default();
    let mut settings = MqstoreSettings::default();
    config.set_root(&options.store.to_string_lossy());
    if options.sync {
        config.flush_disk_type = mqstore::FlushDiskType::SyncFlush;
    }
    for (name, value) in &options.config {
        let set = if name.starts_with(MqstoreSettings::PREFIX) {
            settings.set(name, value)
        } else {
            config.set(name, value)
        };
        set.map_err(|e| CliError::Usage(e.to_string()))?;
    }
    StoreOptions::with_config(config).settings(settings).open().map_err(|e| {
        CliError::Failed(format!("the store in {} does not open: {e}", options.store.display()))
    })
}

fn append(
    store: &Store,
    options: &Options,
    input: Box<dyn Read>,
    progress: &Progress,
    done: &mut Done,
) -> Result<(), CliError> {
    let entries: Vec<(&str, &str)> = [("TAGS", &options.tags), ("KEYS", &options.keys)]
        .into_iter()
        .filter_map(|(name, value)| Some((name, value.as_deref()?)))
        .collect();
    let properties = match entries.as_slice() {
        [] => Properties::None,
        entries => Properties::Map(PropertyMap { entries, ..PropertyMap::default() }),
    };
    let mut lines = Lines::new(BufReader::with_capacity(1 << 20, input), options.delimiter.clone());
    while let Some(body) = lines.next_line().map_err(CliError::Failed)? {
        let message = Message {
            born_timestamp: wall_millis(),
            properties,
            ..Message::new(&options.topic, options.queue, body)
        };
        let result = store.put(&message);
        let len = body.len() as u64;
        take(&result, len, done).map_err(|why| {
            let what = match options.delimiter {
                Some(_) => format!("line {}", thousands(lines.number())),
                None => "the input".to_owned(),
            };
            let unit = if len == 1 { "byte" } else { "bytes" };
            CliError::Failed(format!("{what} ({len} {unit}) is not acknowledged: {why}"))
        })?;
        progress.at(lines.number(), lines.bytes());
    }
    Ok(())
}

/// Counts an acknowledged message; or says why it is none.
fn take(result: &PutMessageResult, len: u64, done: &mut Done) -> Result<(), String> {
    match &result.append {
        Some(append) if result.status == PutMessageStatus::PutOk => {
            done.messages += 1;
            done.body_bytes += len;
            done.last = Some((append.wrote_offset, append.queue_offset));
            done.first = done.first.or(done.last);
            Ok(())
        }
        _ => {
            let cause = result.cause.map(|c| format!(": {c}")).unwrap_or_default();
            Err(format!("{}{cause}", result.status.java_name()))
        }
    }
}

#[cfg(test)]
mod tests;
