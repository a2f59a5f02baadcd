//! The files of a store's folder, in the order in which they are shown.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use super::commit_log::{Budget, LogPlace};
use super::item::{Checkpoint, Item, Tail, TailOf};
use super::queue::Place;
use super::series::{LogSeries, base_of};
use super::source::Source;
use super::{DumpOptions, Sink, commit_log, ext, index, java_text, queue};

/// Small files are shown up to this length.
const SMALL: u64 = 1 << 20;

/// Everything in the folder.
pub(super) fn all(options: &DumpOptions, sink: &mut Sink<'_>) -> io::Result<()> {
    let root = &options.root;
    let only_log = options.from.is_some() || options.limit.is_some();
    if !only_log {
        store(options, sink)?;
        checkpoint(options, sink)?;
    }
    log_files(options, sink)?;
    if only_log {
        return Ok(());
    }
    for (name, of) in [("consumequeue", TailOf::Queue), ("consumequeue_ext", TailOf::Ext)] {
        for topic in list(options, &root.join(name), sink)? {
            for queue in list(options, &topic, sink)? {
                for file in list(options, &queue, sink)? {
                    queue_file(options, of, &topic, &queue, &file, sink)?;
                }
            }
        }
    }
    for path in list(options, &root.join("index"), sink)? {
        with_source(options, &path, sink, |source, sink| {
            file_item(options, &path, source, sink)?;
            index::file(options, &name_of(&path), source, sink)
        })?;
    }
    for path in list(options, &root.join("config"), sink)? {
        with_source(options, &path, sink, |source, sink| {
            sink(&Item::Config { file: name_of(&path), text: small_text(source)? })
        })?;
    }
    Ok(())
}

/// The folder as a whole. What cannot be seen is said, and counts as not there.
fn store(options: &DumpOptions, sink: &mut Sink<'_>) -> io::Result<()> {
    let (abort, lock) = (options.root.join("abort"), options.root.join("lock"));
    let is_there = abort.try_exists();
    let text = match Source::open(&lock).and_then(|mut source| small_text(&mut source)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        text => text.map(Some),
    };
    let (seen, read) = (*is_there.as_ref().unwrap_or(&false), text.as_ref().ok().cloned());
    sink(&Item::Store { abort: seen, lock: read.flatten() })?;
    if let Err(error) = is_there {
        unreadable(options, &abort, &error, sink)?;
    }
    text.err().map_or(Ok(()), |error| unreadable(options, &lock, &error, sink))
}

/// The files of the log, in all of its folders.
fn log_files(options: &DumpOptions, sink: &mut Sink<'_>) -> io::Result<()> {
    let in_root = [options.root.join("commitlog")];
    let folders: &[PathBuf] =
        if options.commit_log.is_empty() { &in_root } else { &options.commit_log };
    let mut paths = Vec::new();
    for folder in folders {
        // one that somebody names is meant to be there
        if !options.commit_log.is_empty() && matches!(folder.try_exists(), Ok(false)) {
            let why = "it is not there".to_owned();
            sink(&Item::Unreadable { file: below(options, folder), why })?;
        }
        paths.extend(list(options, folder, sink)?);
    }
    let series = LogSeries::of(&paths, options.log_file_size);
    let mut budget = Budget(options.limit);
    for path in paths {
        if !budget.is_spent() {
            log_file(options, &path, &series, &mut budget, sink)?;
        }
    }
    Ok(())
}

fn log_file(
    options: &DumpOptions,
    path: &Path,
    series: &LogSeries,
    budget: &mut Budget,
    sink: &mut Sink<'_>,
) -> io::Result<()> {
    let base = base_of(path);
    with_source(options, path, sink, |source, sink| {
        let wanted = options.from.unwrap_or(0);
        if base.is_some_and(|b| b.saturating_add(source.len()) <= wanted) && wanted > 0 {
            return Ok(());
        }
        file_item(options, path, source, sink)?;
        let Some(base) = base else {
            return problem(options, path, 0, "its name is no offset", sink);
        };
        for what in series.wrong_with(base, source.len()) {
            problem(options, path, base, &what, sink)?;
        }
        let file = below(options, path);
        let place = LogPlace { name: &name_of(path), file: &file, base, more: series.more(base) };
        commit_log::file(options, &place, source, budget, sink)
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
        let (Some(base), Ok(queue_id)) = (base_of(path), queue.parse()) else {
            return problem(options, path, 0, "its name, or its folder's, is no number", sink);
        };
        let file = format!("{topic}/{queue}/{name}");
        let place = Place { topic: &topic, queue_id, file: &file, base };
        match of {
            TailOf::Ext => ext::file(options, &place, source, sink),
            _ => queue::file(options, &place, source, sink),
        }
    })
}

fn checkpoint(options: &DumpOptions, sink: &mut Sink<'_>) -> io::Result<()> {
    let path = options.root.join("checkpoint");
    let found = match Source::open(&path).and_then(|mut source| read_checkpoint(&mut source)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Checkpoint::default(),
        Err(error) => return unreadable(options, &path, &error, sink),
        Ok(found) => found,
    };
    sink(&Item::Checkpoint(found))
}

fn read_checkpoint(source: &mut Source) -> io::Result<Checkpoint> {
    let mut found = Checkpoint { size: Some(source.len()), ..Checkpoint::default() };
    if let (Some(log), Some(queues), Some(index)) =
        (source.long(0)?, source.long(8)?, source.long(16)?)
    {
        found.times = Some([log, queues, index]);
        found.rest_zero = source.first_non_zero(24)?.is_none();
    }
    Ok(found)
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
        (Err(error), None) => unreadable(options, path, &error, sink),
    }
}

/// Says what kept a file or folder from being read.
fn unreadable(
    options: &DumpOptions,
    path: &Path,
    error: &io::Error,
    sink: &mut Sink<'_>,
) -> io::Result<()> {
    // those of ours, such as "not a regular file", say what it is; and a running store removes
    // files between the look into the folder and the one into the file
    if error.raw_os_error().is_none() || error.kind() == io::ErrorKind::NotFound {
        return problem(options, path, 0, &error.to_string(), sink);
    }
    sink(&Item::Unreadable { file: below(options, path), why: error.to_string() })
}

fn problem(
    options: &DumpOptions,
    path: &Path,
    at: u64,
    what: &str,
    sink: &mut Sink<'_>,
) -> io::Result<()> {
    sink(&Item::Problem { file: below(options, path), at, what: what.to_owned() })
}

/// What lies in a folder, sorted as Java sorts names; nothing if it is not there. One that
/// cannot be read is said.
fn list(options: &DumpOptions, folder: &Path, sink: &mut Sink<'_>) -> io::Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder);
    let paths = entries.and_then(|e| e.map(|e| Ok(e?.path())).collect::<io::Result<Vec<_>>>());
    match paths {
        Ok(mut paths) => {
            paths.sort_by(|a, b| java_text::compare(&name_of(a), &name_of(b)));
            return Ok(paths);
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
            problem(options, folder, 0, "not a folder", sink)?;
        }
        Err(error) => unreadable(options, folder, &error, sink)?,
    }
    Ok(Vec::new())
}

fn name_of(path: &Path) -> String {
    path.file_name().map(OsStr::to_string_lossy).unwrap_or_default().into_owned()
}

fn below(options: &DumpOptions, path: &Path) -> String {
    path.strip_prefix(&options.root).unwrap_or(path).to_string_lossy().into_owned()
}

/// The text of a file, at most [`SMALL`] bytes of it.
fn small_text(source: &mut Source) -> io::Result<String> {
    let mut bytes = Vec::new();
    let end = source.len().min(SMALL);
    source.each(0, end, |_, piece| bytes.extend_from_slice(piece))?;
    Ok(java_text::decode(&bytes))
}
