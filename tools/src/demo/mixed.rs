//! Several writers that put all kinds of messages, with a bar that shows how far they are.

use core::time::Duration;
use std::panic::resume_unwind;
use std::thread;
use std::time::Instant;

use indicatif::{ProgressBar, ProgressStyle};
use mqstore::{PutMessageResult, PutMessageStatus, Store};

use super::content::{Content, Kind};
use super::table::Row;
use crate::bench::stand_still_if_interrupted;
use crate::cli::CliError;

/// A store that is busy refuses; so often a writer asks again before it gives up.
const PATIENCE: u32 = 500;
const PAUSE: Duration = Duration::from_millis(10);
/// The bar moves after this many messages of a writer.
const BAR_STEP: u64 = 2000;

/// What all writers have done.
pub(super) struct Done {
    pub(super) rows: Vec<Row>,
    pub(super) took: Duration,
}

impl Done {
    /// Messages that were answered with `PUT_OK`.
    pub(super) fn acknowledged(&self) -> u64 {
        self.rows.iter().map(|r| r.messages).sum()
    }
}

/// Puts so many messages.
pub(super) fn run(store: &Store, messages: u64, threads: u64) -> Result<Done, CliError> {
    let bar = bar(messages);
    let mut rows: Vec<Row> = Kind::ALL.iter().map(|k| Row::new(k.name())).collect();
    let start = Instant::now();
    let ended: Vec<Result<Vec<Row>, String>> = thread::scope(|scope| {
        let writers: Vec<_> = (0..threads)
            .map(|id| {
                let share = messages / threads + u64::from(id < messages % threads);
                let bar = &bar;
                scope.spawn(move || writer(store, id, share, bar))
            })
            .collect();
        let join =
            |w: thread::ScopedJoinHandle<'_, _>| w.join().unwrap_or_else(|p| resume_unwind(p));
        writers.into_iter().map(join).collect()
    });
    let took = start.elapsed();
    bar.finish_and_clear();
    for of_writer in ended {
        let of_writer = of_writer.map_err(CliError::Failed)?;
        rows.iter_mut().zip(&of_writer).for_each(|(row, more)| row.add(more));
    }
    Ok(Done { rows, took })
}

fn bar(messages: u64) -> ProgressBar {
    // draws nothing where stderr is no terminal
    let bar = ProgressBar::new(messages);
    let template = "{bar:40} {human_pos} of {human_len} messages, {per_sec}";
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar
}

fn writer(store: &Store, id: u64, share: u64, bar: &ProgressBar) -> Result<Vec<Row>, String> {
    let mut rows: Vec<Row> = Kind::ALL.iter().map(|k| Row::new(k.name())).collect();
    let mut content = Content::new(id);
    let (mut put, mut shown) = (0, 0);
    while put < share {
        stand_still_if_interrupted();
        let kind = content.next_kind(share - put);
        let Some(row) = rows.get_mut(kind as usize) else { break };
        let mut refused = None;
        content.put(kind, store, &mut |once| {
            let result = patiently(once, row);
            match &result.append {
                Some(append) if result.status == PutMessageStatus::PutOk => {
                    put += u64::from(append.msg_num);
                }
                _ => refused = Some(describe(&result)),
            }
            result
        });
        if let Some(why) = refused {
            return Err(format!("a put was refused: {why}"));
        }
        if put - shown >= BAR_STEP {
            bar.inc(put - shown);
            shown = put;
        }
    }
    bar.inc(put - shown);
    Ok(rows)
}

/// Puts until the store is not too busy.
fn patiently(once: &mut dyn FnMut() -> PutMessageResult, row: &mut Row) -> PutMessageResult {
    let mut left = PATIENCE;
    loop {
        let start = Instant::now();
        let result = once();
        row.record(start.elapsed(), &result);
        let busy = result.append.is_none() && result.status == PutMessageStatus::OsPageCacheBusy;
        if !busy || left == 0 {
            return result;
        }
        left -= 1;
        thread::sleep(PAUSE);
    }
}

/// Status and cause.
pub(super) fn describe(result: &PutMessageResult) -> String {
    let cause = result.cause.map(|c| format!(": {c}")).unwrap_or_default();
    format!("{}{cause}", result.status.java_name())
}
