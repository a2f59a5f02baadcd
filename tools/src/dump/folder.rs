//! The files of a store's folder, in the order in which they are shown.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use super::commit_log::Budget;
use super::item::{Checkpoint, Item, Tail, TailOf};
use super::queue::Place;
use super::source::Source;
use super::{DumpOptions, Sink, commit_log, ext, index, java_text, queue};

/// Small files are shown up to this length.
const SMALL: u64 = 1 << 20;

/// Everything in the folder.
pub(super) fn all(options: &DumpOptions, sink: &mut Sink<'_>) -> io::Result<()> {
    let root = &options.root;
    let only_log = options.from.is_some() || options.limit.is_some();
    if !only_log {
        let lock = root.join("lock");
        let lock = lock.exists().then(|| small_text(&lock));
        sink(&Item::Store { abort: root.join("abort").exists(), lock })?;
        checkpoint(root, sink)?;
    }
    let mut budget = Budget(options.limit);
    let in_root = [root.join("commitlog")];
    let folders: &[PathBuf] =
        if options.commit_log.is_empty() { &in_root } else { &options.commit_log };
    for path in folders.iter().flat_map(|folder| list(folder)) {
        if !budget.is_spent() {
            log_file(options, &path, &mut budget, sink)?;
        }
    }
    if only_log {
        return Ok(());
    }
    for (name, of) in [("consumequeue", TailOf::Queue), ("consumequeue_ext", TailOf::Ext)] {
        for topic in list(&root.join(name)) {
            for queue in list(&topic) {
                for file in list(&queue) {
                    queue_file(options, of, &topic, &queue, &file, sink)?;
                }
            }
        }
    }
    for path in list(&root.join("index")) {
        with_source(options, &path, sink, |source, sink| {
            file_item(options, &path, source, sink)?;
            index::file(options, &name_of(&path), source, sink)
        })?;
    }
    for path in list(&root.join("config")) {
        sink(&Item::Config { file: name_of(&path), text: small_text(&path) })?;
    }
    Ok(())
}

fn log_file(
    options: &DumpOptions,
    path: &Path,
    budget: &mut Budget,
    sink: &mut Sink<'_>,
) -> io::Result<()> {
    let name = name_of(path);
    let base = name.parse::<i64>().ok().and_then(|n| u64::try_from(n).ok());
    with_source(options, path, sink, |source, sink| {
        let wanted = options.from.unwrap_or(0);
        if base.is_some_and(|b| b.saturating_add(source.len()) <= wanted) && wanted > 0 {
            return Ok(());
        }
        file_item(options, path, source, sink)?;
        match base {
            Some(base) => commit_log::file(options, &name, source, base, budget, sink),
            None => problem(options, path, "its name is no offset", sink),
        }
    })
}

fn queue_file(
    options: &DumpOptions,
    of: TailOf,
    topic: &Path,
    queue: &Path,
    path: &Path,
    sink: &mut Sink<'_>,
) -> io::Result<()> {
    let (topic, queue, name) = (name_of(topic), name_of(queue), name_of(path));
    with_source(options, path, sink, |source, sink| {
        file_item(options, path, source, sink)?;
        let base = name.parse::<i64>().ok().and_then(|n| u64::try_from(n).ok());
        let (Some(base), Ok(queue_id)) = (base, queue.parse()) else {
            return problem(options, path, "its name, or its folder's, is no number", sink);
        };
        let file = format!("{topic}/{queue}/{name}");
        let place = Place { topic: &topic, queue_id, file: &file, base };
        match of {
            TailOf::Ext => ext::file(options, &place, source, sink),
            _ => queue::file(options, &place, source, sink),
        }
    })
}

fn checkpoint(root: &Path, sink: &mut Sink<'_>) -> io::Result<()> {
    let path = root.join("checkpoint");
    let mut found = Checkpoint::default();
    if let Ok(mut source) = Source::open(&path) {
        found.size = Some(source.len());
        if let (Some(log), Some(queues), Some(index)) =
            (source.long(0)?, source.long(8)?, source.long(16)?)
        {
            found.times = Some([log, queues, index]);
            found.rest_zero = source.first_non_zero(24)?.is_none();
        }
    }
    sink(&Item::Checkpoint(found))
}

/// What lies behind the last whole thing of a file, from position `pos` on.
pub(super) fn tail(
    options: &DumpOptions,
    of: TailOf,
    file: &str,
    source: &mut Source,
    pos: u64,
    base: u64,
    sink: &mut Sink<'_>,
) -> io::Result<()> {
    let first_non_zero = source.first_non_zero(pos)?;
    let sha256 = match first_non_zero {
        Some(_) if options.record_sha => Some(source.sha256(pos, source.len())?),
        _ => None,
    };
    sink(&Item::Tail(Tail {
        of,
        file: file.to_owned(),
        from: base + pos,
        len: source.len() - pos,
        first_non_zero: first_non_zero.map(|at| base + at),
        sha256,
    }))
}

fn file_item(
    options: &DumpOptions,
    path: &Path,
    source: &mut Source,
    sink: &mut Sink<'_>,
) -> io::Result<()> {
    let sha256 = if options.file_sha { Some(source.sha256(0, source.len())?) } else { None };
    sink(&Item::File { path: below(options, path), size: source.len(), sha256 })
}

/// Opens a file and shows what is in it. What cannot be read is said, and the next file follows.
fn with_source(
    options: &DumpOptions,
    path: &Path,
    sink: &mut Sink<'_>,
    show: impl FnOnce(&mut Source, &mut Sink<'_>) -> io::Result<()>,
) -> io::Result<()> {
    let mut refused = None;
    let result = Source::open(path).and_then(|mut source| {
        show(&mut source, &mut |item| {
            sink(item).inspect_err(|error| {
                // the reader of these lines is gone: that is not the file's fault
                refused = Some(io::Error::from(error.kind()));
            })
        })
    });
    match (result, refused) {
        (Ok(()), _) => Ok(()),
        (Err(_), Some(error)) => Err(error),
        (Err(error), None) => problem(options, path, &error.to_string(), sink),
    }
}

fn problem(options: &DumpOptions, path: &Path, what: &str, sink: &mut Sink<'_>) -> io::Result<()> {
    sink(&Item::Problem { file: below(options, path), at: 0, what: what.to_owned() })
}

/// What lies in a folder, sorted as Java sorts names; nothing if it is no folder.
fn list(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let mut paths: Vec<PathBuf> = entries.filter_map(|e| Some(e.ok()?.path())).collect();
    paths.sort_by(|a, b| java_text::compare(&name_of(a), &name_of(b)));
    paths
}

fn name_of(path: &Path) -> String {
    path.file_name().map(OsStr::to_string_lossy).unwrap_or_default().into_owned()
}

fn below(options: &DumpOptions, path: &Path) -> String {
    path.strip_prefix(&options.root).unwrap_or(path).to_string_lossy().into_owned()
}

/// The text of a file, at most [`SMALL`] bytes of it.
fn small_text(path: &Path) -> String {
    let mut bytes = Vec::new();
    if let Ok(mut source) = Source::open(path) {
        let end = source.len().min(SMALL);
        // what could be read is shown
        let _ = source.each(0, end, |_, piece| bytes.extend_from_slice(piece));
    }
    java_text::decode(&bytes)
}
