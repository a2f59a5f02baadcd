//! What `mqstore bench` prints.

use serde_json::{Value, json};

use super::Measured;
use super::bars;
use super::folder::WorkFolder;
use super::numbers::{bytes_text, nanos_text, thousands};
use super::options::Options;
use super::say::{say, show};
use crate::json;

/// What is about to be done, and where.
pub(crate) fn headline(options: &Options, folder: &WorkFolder) -> String {
    let plural = if options.threads == 1 { "" } else { "s" };
    let (threads, body) = (options.threads, options.body);
    let mut text = format!("{threads} writer{plural}, bodies of {body} bytes");
    if options.batch > 1 {
        text += &format!(", batches of {}", options.batch);
    }
    text += &format!(", {}, {}", flush_name(options), options.backend);
    if options.pool {
        text += " with the transient pool";
    }
    if options.in_memory() {
        return text;
    }
    let what_then = if folder.stays() { "stays" } else { "removed at the end" };
    format!("{text}\nfolder      {} ({what_then})", folder.path().display())
}

/// The figures.
pub(crate) fn print(options: &Options, measured: &Measured) {
    if options.json {
        say!("{}", json_line(options, measured));
    } else {
        text(options, measured);
    }
    if options.histogram {
        show(format_args!("{}", bars::draw(&measured.load.latencies)));
    }
}

const fn flush_name(options: &Options) -> &'static str {
    if options.sync { "SYNC_FLUSH" } else { "ASYNC_FLUSH" }
}

fn text(options: &Options, measured: &Measured) {
    let done = &measured.load;
    let seconds = done.took.as_secs_f64().max(1e-9);
    let rate = done.messages as f64 / seconds;
    let stored = (done.stored_bytes as f64 / seconds) as u64;
    say!("messages    {} in {seconds:.2} s", thousands(done.messages));
    say!("rate        {} messages/s, {}/s of log", thousands(rate as u64), bytes_text(stored));
    // refusals are quick: their times say nothing about puts
    let at = |q| match done.messages {
        0 => "-".to_owned(),
        _ => nanos_text(done.latencies.value_at_quantile(q)),
    };
    let of = if options.batch > 1 { " (a batch)" } else { "" };
    say!("latency     p50 {}, p99 {}, p99.9 {}, max {}{of}", at(0.5), at(0.99), at(0.999), at(1.0));
    if measured.behind > 0 {
        let (behind, drain) = (bytes_text(measured.behind), measured.drain.as_secs_f64());
        say!("left over   {behind} not committed at the end, and {drain:.2} s later");
    }
    if let Some(why) = &done.last_failure {
        say!("refused     {} puts, the last with {why}", thousands(done.failed));
    }
}

/// One line with the names of the Java harness, in its order.
fn json_line(options: &Options, measured: &Measured) -> String {
    let done = &measured.load;
    let seconds = done.took.as_secs_f64().max(1e-9);
    let bodies = done.messages as f64 * options.body as f64;
    let micros = |q| {
        let some = done.messages > 0;
        some.then(|| round(done.latencies.value_at_quantile(q) as f64 / 1e3))
    };
    let mut line = json!({
        "bench": "put",
        "threads": options.threads,
        "bodyBytes": options.body,
        "batch": options.batch,
        "flush": flush_name(options),
        "transientPool": options.pool,
        "topics": options.topics,
        "queues": options.queues,
        "props": options.props.name(),
        "fileSize": options.file_size(),
        "msgs": done.messages,
        "failedCalls": done.failed,
    });
    let rest = json!({
        "seconds": round(seconds),
        "msgsPerSec": (done.messages as f64 / seconds).round() as u64,
        "bodyMBPerSec": round(bodies / 1e6 / seconds),
        "storedMBPerSec": round(done.stored_bytes as f64 / 1e6 / seconds),
        "p50us": micros(0.5),
        "p99us": micros(0.99),
        "p999us": micros(0.999),
        "maxus": micros(1.0),
        "dispatchBehindAtEnd": measured.behind,
        "dispatchDrained": measured.drained,
        "dispatchDrainMs": round(measured.drain.as_secs_f64() * 1e3),
        "engine": "mqstore",
        "backend": options.backend,
    });
    if let (Value::Object(line), Value::Object(mut rest)) = (&mut line, rest) {
        if let Some(why) = &done.last_failure {
            line.insert("lastFailure".to_owned(), Value::from(why.as_str()));
        }
        line.append(&mut rest);
    }
    json::text(&line)
}

fn round(x: f64) -> f64 {
    (x * 100.0).round() / 100.0
}
