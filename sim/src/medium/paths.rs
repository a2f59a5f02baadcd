//! How a store's files are called: as RocketMQ calls them in a folder.

use mqstore_core::segment::{CellsFile, ErrorKind, QueueSeries, Series, SmallFile};

/// The longest name that a file system takes, in bytes.
const NAME_MAX: usize = 255;
/// Where index files lie.
pub(crate) const INDEX: &str = "index/";

/// The folder of a kind of queue series, with its `/`.
pub(crate) const fn of_queues(kind: QueueSeries) -> &'static str {
    match kind {
        QueueSeries::ConsumeQueue => "consumequeue/",
        QueueSeries::ConsumeQueueExt => "consumequeue_ext/",
    }
}

/// The folder of a series, with its `/`.
pub(crate) fn of_series(series: Series<'_>) -> Result<String, ErrorKind> {
    let (kind, topic, id) = match series {
        Series::CommitLog => return Ok("commitlog/".to_owned()),
        Series::ConsumeQueue(topic, id) => (QueueSeries::ConsumeQueue, topic, id),
        Series::ConsumeQueueExt(topic, id) => (QueueSeries::ConsumeQueueExt, topic, id),
    };
    let bad = matches!(topic, "" | "." | "..") || topic.contains(['/', '\0']);
    if bad || topic.len() > NAME_MAX {
        return Err(ErrorKind::BadName);
    }
    Ok(format!("{}{topic}/{id}/", of_queues(kind)))
}

/// Topic and queue id of a file of this kind.
pub(crate) fn queue_of(name: &str, kind: QueueSeries) -> Option<(&str, i32)> {
    let mut parts = name.strip_prefix(of_queues(kind))?.split('/');
    Some((parts.next()?, parts.next()?.parse().ok()?))
}

/// A segment of the series in this folder.
pub(crate) fn of_segment(folder: &str, base: u64) -> String {
    format!("{folder}{base:020}")
}

pub(crate) fn of_cells(file: CellsFile) -> String {
    match file {
        CellsFile::Checkpoint => "checkpoint".to_owned(),
        CellsFile::Index(name) => format!("{INDEX}{name:017}"),
    }
}

pub(crate) fn of_small(file: SmallFile) -> String {
    match file {
        SmallFile::Abort => "abort".to_owned(),
        SmallFile::DelayOffset => "config/delayOffset.json".to_owned(),
        SmallFile::State => "mqstore.state".to_owned(),
        SmallFile::Cut(offset) => format!("mqstore.cut-{offset}"),
    }
}
