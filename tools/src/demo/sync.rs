//! Writers that wait until each of their messages is durable: alone, and several together.

use core::time::Duration;
use std::panic::resume_unwind;
use std::thread;
use std::time::Instant;

use indicatif::{ProgressBar, ProgressStyle};
use mqstore::{Message, Properties, PutMessageStatus, Store};

use super::mixed::describe;
use super::table::Row;
use crate::bench::{fill, stand_still_if_interrupted, wall_millis};
use crate::cli::CliError;

/// Puts for this time, half of it with one writer and half with 16.
pub(super) fn run(store: &Store, time: Duration) -> Result<Vec<Row>, CliError> {
    let bar = ProgressBar::new_spinner();
    if let Ok(style) = ProgressStyle::with_template("{spinner} synchronous flush, {msg}") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(100));
    let mut rows = Vec::new();
    for (threads, name) in [(1, "1 writer, 1 KiB"), (16, "16 writers, 1 KiB")] {
        bar.set_message(name);
        rows.push(together(store, threads, name, time / 2)?);
    }
    bar.finish_and_clear();
    Ok(rows)
}

fn together(
    store: &Store,
    threads: u64,
    name: &'static str,
    time: Duration,
) -> Result<Row, CliError> {
    let mut row = Row::new(name);
    let start = Instant::now();
    let ended: Vec<Result<Row, String>> = thread::scope(|scope| {
        let writers: Vec<_> =
            (0..threads).map(|id| scope.spawn(move || writer(store, id, name, time))).collect();
        let join =
            |w: thread::ScopedJoinHandle<'_, _>| w.join().unwrap_or_else(|p| resume_unwind(p));
        writers.into_iter().map(join).collect()
    });
    for of_writer in ended {
        row.add(&of_writer.map_err(CliError::Failed)?);
    }
    row.took = Some(start.elapsed());
    Ok(row)
}

fn writer(store: &Store, id: u64, name: &'static str, time: Duration) -> Result<Row, String> {
    let mut row = Row::new(name);
    let body = fill(1024, id);
    let begun = Instant::now();
    while begun.elapsed() < time {
        let message = Message {
            born_timestamp: wall_millis(),
            properties: Properties::Text("TAGS\u{1}ledger"),
            ..Message::new("demo-ledger", (id % 4) as i32, &body)
        };
        stand_still_if_interrupted();
        let start = Instant::now();
        let result = store.put(&message);
        row.record(start.elapsed(), &result);
        if result.status != PutMessageStatus::PutOk {
            return Err(format!("a put was refused: {}", describe(&result)));
        }
    }
    Ok(row)
}
