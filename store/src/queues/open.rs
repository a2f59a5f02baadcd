//! Opening all queues of a store in two parts: looking, which changes nothing, and settling,
//! which brings them into line with the log.
//!
//! Between the two the log is recovered, which may ask for [`FoundQueues::entry`]; and what
//! `mqstore.state` promises is lowered to [`FoundQueues::dispatch_from`], before anything is cut
//! (spec 08 section 1).

use core::fmt;
use std::sync::Arc;

use mqstore_core::queue::Cell;
use mqstore_core::segment::{QueueSeries, Readable, SegmentBackend, Series};

use super::error::{Name, QueueError};
use super::look::{Look, Trouble};
use super::rest::within;
use super::{QueueSettings, Queues, parallel, settle};
use crate::engine::HostMedium;
use crate::error::OpenError;

/// The queues that lie on a medium.
pub(crate) struct FoundQueues<M: HostMedium> {
    medium: Arc<M>,
    settings: QueueSettings,
    /// In order of their names.
    looks: Vec<Look>,
}

/// Where a log that was recovered begins and ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LogBounds {
    /// Its first byte; `None` without files.
    pub(crate) min: Option<u64>,
    /// Where the next record goes.
    pub(crate) end: u64,
}

impl LogBounds {
    /// `getMinOffset`, as core's queues want it: -1 without files.
    pub(super) fn phy_min(self) -> i64 {
        self.min.map_or(-1, |min| min.try_into().unwrap_or(i64::MAX))
    }
}

/// A queue that was not as a store leaves it, and what was done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Report {
    /// Which queue, and what was wrong.
    pub(crate) error: QueueError,
    /// What was done.
    pub(crate) done: Done,
}

/// What was done with a queue that was damaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Done {
    /// All its files were removed: dispatch makes it anew.
    Rebuilt,
    /// It was cut where the damage begins: dispatch makes the rest anew.
    Cut,
    /// Its extension was removed: filters let those messages pass.
    ExtensionRemoved,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let done = match self.done {
            Done::Rebuilt => "it is made anew from the log",
            Done::Cut => "it is made anew from there on",
            Done::ExtensionRemoved => "its extension was removed",
        };
        write!(f, "{}; {done}", self.error)
    }
}

impl<M: HostMedium> FoundQueues<M> {
    /// Looks at all queues of a medium, on all cores.
    ///
    /// # Errors
    /// A queue that cannot be read, by name; one that can and is damaged is no error.
    pub(crate) fn look(medium: Arc<M>, settings: QueueSettings) -> Result<Self, OpenError> {
        let mut names: Vec<(Box<str>, i32)> = Vec::new();
        medium
            .queues(QueueSeries::ConsumeQueue, &mut |topic, id| names.push((topic.into(), id)))
            .map_err(|e| OpenError::medium("looking for consume queues", &e))?;
        names.sort_unstable();
        // `7` and `07` are the same queue, which lies in `7`
        names.dedup();
        let looks = parallel::map(&names, |(topic, queue_id)| {
            Look::at(&*medium, &settings, Name { topic, queue_id: *queue_id })
        });
        let looks = looks.into_iter().collect::<Result<_, _>>()?;
        Ok(Self { medium, settings, looks })
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.looks.len()
    }

    /// The end of the last record that any queue has an entry of, bytes in the log.
    pub(crate) fn max_physical(&self) -> Option<i64> {
        self.looks.iter().filter_map(|look| look.rest.max_physical).max()
    }

    /// The entry under this queue offset: for who recovers the log, and seldom asks.
    ///
    /// # Errors
    /// What the medium says, by the queue's name.
    pub(crate) fn entry(
        &self,
        topic: &str,
        queue_id: i32,
        entry: u64,
    ) -> Result<Option<Cell>, QueueError> {
        let found =
            self.looks.binary_search_by(|l| (&*l.topic, l.queue_id).cmp(&(topic, queue_id)));
        let Some(look) = found.ok().and_then(|k| self.looks.get(k)) else { return Ok(None) };
        let rest = &look.rest;
        let Some(position) = entry.checked_mul(Cell::LEN.into()).filter(|p| *p < rest.end) else {
            return Ok(None);
        };
        let Some(base) = rest.bases.iter().rev().find(|base| **base <= position) else {
            return Ok(None);
        };
        let mut bytes = [0; Cell::LEN as usize];
        let series = Series::ConsumeQueue(topic, queue_id);
        self.medium
            .segments(series, self.settings.file_size)
            .and_then(|files| files.open(*base)?.read(within(*base, position), &mut bytes))
            .map_err(look.name().medium("reading an entry"))?;
        Ok(Some(Cell::decode(&bytes)))
    }

    /// Where dispatch begins, so that every queue gets what it has lost (C-09): at `durable`, up
    /// to which all queues are known to be durable (`None`: nothing is known), or earlier if one
    /// of them is damaged.
    pub(crate) fn dispatch_from(&self, log: LogBounds, durable: Option<u64>) -> u64 {
        let min = log.min.unwrap_or(0);
        let needs = self.looks.iter().filter_map(|look| match &look.trouble {
            None => None,
            Some(Trouble::Unusable(_)) => Some(min),
            Some(Trouble::Damaged(_)) => {
                Some(look.rest.max_physical.map_or(min, |max| max.try_into().unwrap_or(min)))
            }
        });
        needs.chain([durable.unwrap_or(min)]).min().unwrap_or(min).clamp(min, log.end.max(min))
    }

    /// Cuts what is behind the log's end or behind damage, makes durable what a process that did
    /// not close its store (`left_open`) has left, and finds where each queue begins. All of them
    /// rest then.
    ///
    /// # Errors
    /// What the medium says, by the queue's name; all of it may be looked at again.
    pub(crate) fn settle(
        self,
        log: LogBounds,
        left_open: bool,
    ) -> Result<(Queues<M>, Vec<Report>), OpenError> {
        let Self { medium, settings, looks } = self;
        let settled =
            parallel::map(&looks, |look| settle::settle(&*medium, &settings, look, log, left_open));
        let queues = Queues::new(medium, settings);
        let mut reports = Vec::new();
        for (look, settled) in looks.iter().zip(settled) {
            let (rest, told) = settled?;
            queues.map.insert(&look.topic, look.queue_id, rest);
            reports.extend(told);
        }
        for report in &reports {
            log::warn!(target: "mqstore", "{report}");
        }
        Ok((queues, reports))
    }
}
