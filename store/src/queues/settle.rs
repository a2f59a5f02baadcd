//! Bringing one queue that was looked at into line with the log (spec 03 sections 7.3 and 7.4).

use mqstore_core::queue::{Cell, ConsumeQueue, Live, cut_file};
use mqstore_core::segment::{Found, Medium, SegmentBackend, SegmentTable, Series};

use super::QueueSettings;
use super::error::{Name, QueueError};
use super::look::{Look, SCRATCH, Trouble};
use super::open::{Done, LogBounds, Report};
use super::queue::Entries;
use super::rest::{Rest, within};
use crate::engine::HostMedium;
use crate::table::GrowingTable;

/// What is kept of this queue, and what was wrong with it.
///
/// # Errors
/// What the medium says.
pub(super) fn settle<M: HostMedium>(
    medium: &M,
    settings: &QueueSettings,
    look: &Look,
    log: LogBounds,
    left_open: bool,
) -> Result<(Rest, Vec<Report>), QueueError> {
    let name = look.name();
    if let Some(error) = must_go(look, log) {
        remove_all(medium, name).map_err(name.medium("removing a damaged queue"))?;
        return Ok((Rest::default(), vec![Report { error, done: Done::Rebuilt }]));
    }
    let mut reports = Vec::new();
    if let Some(Trouble::Damaged(error)) = &look.trouble {
        reports.push(Report { error: error.clone(), done: Done::Cut });
    }
    let mut rest = look.rest.clone();
    let series = Series::ConsumeQueue(name.topic, name.queue_id);
    medium
        .segments(series, settings.file_size)
        .and_then(|files| {
            // the last one first: whenever this ends, no hole is left
            look.surplus.iter().rev().try_for_each(|base| files.remove(*base))?;
            let mut cut = look.trouble.is_some() || !look.surplus.is_empty();
            if look.rest.max_physical.is_some_and(|max| max.cast_unsigned() > log.end) {
                cut_behind(&files, &mut rest, log.end)?;
                cut = true;
            }
            finish(&files, &rest.bases, rest.end, left_open, cut)?;
            let live = first_live::<M>(&files, &rest, log.phy_min(), settings.corrected)?;
            rest.min = live.0.unwrap_or(rest.min);
            Ok(())
        })
        .map_err(name.medium("bringing the queue into line with the log"))?;
    let ext = settings.ext_file_size.map(|size| settle_ext(medium, size, look, left_open));
    reports.extend(ext.transpose().map_err(name.medium("settling the extension"))?.flatten());
    Ok((rest, reports))
}

/// Why nothing of this queue can stay.
///
/// One that was cut, and of whose entries no record is left, would number those that follow
/// wrong: they go behind the last one there is.
fn must_go(look: &Look, log: LogBounds) -> Option<QueueError> {
    match look.trouble.as_ref()? {
        Trouble::Unusable(error) => Some(error.clone()),
        Trouble::Damaged(error) => {
            let nothing_left = look.rest.max_physical.is_none_or(|max| max <= log.phy_min());
            nothing_left.then(|| error.clone())
        }
    }
}

fn remove_all<M: Medium>(medium: &M, name: Name<'_>) -> Result<(), M::Error> {
    medium.remove_series(Series::ConsumeQueueExt(name.topic, name.queue_id))?;
    medium.remove_series(Series::ConsumeQueue(name.topic, name.queue_id))
}

/// Cuts entries whose records are at or behind the log's end (`truncateDirtyLogicFiles`).
fn cut_behind<B: SegmentBackend>(files: &B, rest: &mut Rest, log_end: u64) -> Result<(), B::Error> {
    let phy = i64::try_from(log_end).unwrap_or(i64::MAX);
    let mut scratch = vec![0; SCRATCH];
    let mut bases = rest.bases.to_vec();
    (rest.end, rest.max_physical) = (0, None);
    while let Some(last) = bases.last().copied() {
        if let Some(end) = cut_file(&files.open(last)?, phy, &mut scratch)? {
            (rest.end, rest.max_physical) = (last + u64::from(end.end), end.max_physical);
            break;
        }
        files.remove(last)?;
        bases.pop();
    }
    rest.bases = bases.into();
    Ok(())
}

/// Makes durable what was found, and what lies behind a cut zero.
fn finish<B: SegmentBackend>(
    files: &B,
    bases: &[u64],
    end: u64,
    left_open: bool,
    cut: bool,
) -> Result<(), B::Error> {
    if left_open {
        bases.iter().try_for_each(|base| files.open(*base)?.sync())?;
    }
    match bases.last() {
        // what lies behind the end of the others is made zero when they wake
        Some(last) if cut => files.open(*last)?.resume(within(*last, end)).map(drop),
        _ => Ok(()),
    }
}

fn settle_ext<M: HostMedium>(
    medium: &M,
    size: u32,
    look: &Look,
    left_open: bool,
) -> Result<Option<Report>, M::Error> {
    let series = Series::ConsumeQueueExt(&look.topic, look.queue_id);
    if let Some(error) = look.ext_trouble.clone() {
        medium.remove_series(series)?;
        return Ok(Some(Report { error, done: Done::ExtensionRemoved }));
    }
    let Some(rest) = &look.rest.ext else { return Ok(None) };
    let files = medium.segments(series, size)?;
    look.ext_surplus.iter().rev().try_for_each(|base| files.remove(*base))?;
    finish(&files, &rest.bases, rest.end, left_open, !look.ext_surplus.is_empty())?;
    Ok(None)
}

/// The first entry of a queue that rests whose record is at or behind `phy_min`
/// (`correctMinOffset`), with the entry itself; `None`: the minimum stays as it is.
pub(super) fn first_live<M: HostMedium>(
    files: &M::Segments,
    rest: &Rest,
    phy_min: i64,
    corrected: bool,
) -> Result<(Option<u64>, Option<Cell>), M::Error> {
    // RocketMQ looks at the first file only
    let asked = if corrected { rest.bases.len() } else { 1 };
    let entries = sealed::<M>(files, rest.bases.get(..asked).unwrap_or_default())?;
    Ok(match entries.first_live(phy_min)? {
        // of zeros behind the end every one has offset 0
        Live::From(entry, cell) if entry < rest.max() => (Some(entry), Some(cell)),
        Live::From(..) | Live::Nothing if corrected => (Some(rest.max()), None),
        _ => (None, None),
    })
}

/// The entries of these files, to be read only; what lies behind their end counts as an entry.
pub(super) fn sealed<M: HostMedium>(
    files: &M::Segments,
    bases: &[u64],
) -> Result<Entries<M>, M::Error> {
    let table = GrowingTable::default();
    for base in bases {
        let found = files.open(*base)?;
        // a growing table takes every segment
        let _ = table.push(found.seal());
    }
    Ok(ConsumeQueue::new(table, 0))
}
