//! What one queue looks like that was found, before anything of it is changed (spec 03 sections
//! 7.1, 7.2 and 7.5).
//!
//! A queue is made from the log. So one whose files cannot be used is no reason not to open a
//! store: it is named, removed, and made again. A place that cannot be *read* is another matter:
//! it may be readable tomorrow, and nothing is removed for it.

use mqstore_core::queue::ext::{self, offset_of};
use mqstore_core::queue::{Cell, FileEnd, QueueRecovery, Verdict, files_to_skip, find_end};
use mqstore_core::segment::{ErrorKind, MediumError, Readable, SegmentBackend, Series};

use super::QueueSettings;
use super::error::{Name, QueueError};
use super::rest::{ExtRest, Rest};
use crate::engine::HostMedium;

/// A medium that lends nothing is read in pieces of so many bytes, whole entries.
pub(super) const SCRATCH: usize = 64 * 1024 - 64 * 1024 % Cell::LEN as usize;

/// What is wrong with a queue.
#[derive(Clone, Debug)]
pub(super) enum Trouble {
    /// There are entries behind a place without one.
    Damaged(QueueError),
    /// Its files are not those of a queue with these settings.
    Unusable(QueueError),
}

/// A queue that was found.
#[derive(Clone, Debug)]
pub(super) struct Look {
    pub(super) topic: Box<str>,
    pub(super) queue_id: i32,
    /// Where it ends; its minimum is not known yet.
    pub(super) rest: Rest,
    /// Files behind its end.
    pub(super) surplus: Vec<u64>,
    pub(super) trouble: Option<Trouble>,
    /// Files behind the end of its extension.
    pub(super) ext_surplus: Vec<u64>,
    /// Why its extension cannot be used.
    pub(super) ext_trouble: Option<QueueError>,
}

/// Why files could not be looked at.
enum Failed<E> {
    Medium(E),
    /// Files for this range are missing between others.
    Missing(u64, u64),
}

impl<E> From<E> for Failed<E> {
    fn from(e: E) -> Self {
        Self::Medium(e)
    }
}

impl<E: MediumError> Failed<E> {
    /// The error, and whether the files can be done without.
    fn named(self, name: Name<'_>, what: &'static str) -> (QueueError, bool) {
        match self {
            Self::Medium(e) => {
                let unusable = matches!(e.kind(), ErrorKind::WrongSize | ErrorKind::Foreign);
                (name.medium(what)(e), unusable)
            }
            Self::Missing(from, to) => {
                let why = format!("{what}: the files for {from} to {to} are missing");
                (name.error(ErrorKind::NotFound, why), true)
            }
        }
    }
}

impl Look {
    pub(super) fn name(&self) -> Name<'_> {
        Name { topic: &self.topic, queue_id: self.queue_id }
    }

    /// Looks at this queue.
    ///
    /// # Errors
    /// It cannot be read.
    pub(super) fn at<M: HostMedium>(
        medium: &M,
        settings: &QueueSettings,
        name: Name<'_>,
    ) -> Result<Self, QueueError> {
        let Name { topic, queue_id } = name;
        let mut look = Self {
            topic: topic.into(),
            queue_id,
            rest: Rest::default(),
            surplus: Vec::new(),
            trouble: None,
            ext_surplus: Vec::new(),
            ext_trouble: None,
        };
        let files = medium
            .segments(Series::ConsumeQueue(topic, queue_id), settings.file_size)
            .map_err(name.medium("choosing the queue's folder"))?;
        let max_ext = match look.entries(&files, name) {
            Ok(max_ext) => max_ext,
            Err(failed) => {
                let (error, unusable) = failed.named(name, "looking at the queue");
                if !unusable {
                    return Err(error);
                }
                look.trouble = Some(Trouble::Unusable(error));
                return Ok(look);
            }
        };
        let Some(size) = settings.ext_file_size else { return Ok(look) };
        let files = medium
            .segments(Series::ConsumeQueueExt(topic, queue_id), size)
            .map_err(name.medium("choosing the folder of the extension"))?;
        if let Err(failed) = look.units(&files, max_ext) {
            let (error, unusable) = failed.named(name, "looking at the extension");
            if !unusable {
                return Err(error);
            }
            look.ext_trouble = Some(error);
        }
        Ok(look)
    }

    /// Finds where the entries end; answers the last address of an extension unit.
    fn entries<B: SegmentBackend>(
        &mut self,
        files: &B,
        name: Name<'_>,
    ) -> Result<Option<i64>, Failed<B::Error>> {
        let mut bases = bases_of(files)?;
        let capacity = u64::from(files.geometry().capacity);
        let mut recovery = QueueRecovery::default();
        let mut scratch = vec![0; SCRATCH];
        let (mut end, mut ended, mut damaged) = (0, None, false);
        for (k, base) in bases.iter().enumerate() {
            // also those that are full: one of a wrong size says so here
            let found = files.open(*base)?;
            if k < files_to_skip(bases.len()) {
                continue;
            }
            if ended.is_some() {
                damaged |= find_end(&found, i64::MAX, &mut scratch)? != FileEnd::default();
                continue;
            }
            match recovery.look_at(&found, &mut scratch)? {
                Verdict::Full => end = base + capacity,
                Verdict::EndsAt(at) => {
                    end = base + u64::from(at);
                    ended = Some(k + 1);
                    damaged |= has_entry_behind(&found, at, &mut scratch)?;
                }
            }
        }
        self.surplus = bases.split_off(ended.unwrap_or(bases.len()));
        let QueueRecovery { max_physical, max_ext } = recovery;
        self.rest = Rest { min: 0, end, max_physical, bases: bases.into(), ext: None };
        if damaged {
            let entry = self.rest.max();
            let why = format!("entry {entry} is missing, and there are others behind it");
            self.trouble = Some(Trouble::Damaged(name.error(ErrorKind::Corrupt, why)));
        }
        Ok(max_ext)
    }

    /// Finds where the units end: behind the last one to which an entry points.
    fn units<B: SegmentBackend>(
        &mut self,
        files: &B,
        max_ext: Option<i64>,
    ) -> Result<(), Failed<B::Error>> {
        let mut bases = bases_of(files)?;
        let Some(last) = bases.last() else { return Ok(()) };
        // also those that are full: one of a wrong size says so here
        bases.iter().try_for_each(|base| files.open(*base).map(drop))?;
        let mut end = last + u64::from(ext::find_end(&files.open(*last)?)?);
        if let Some(address) = max_ext {
            let offset = offset_of(address).unwrap_or(0);
            let behind = bases.partition_point(|base| *base <= offset);
            if let Some(base) = behind.checked_sub(1).and_then(|k| bases.get(k))
                && let Some(cut) = ext::end_behind(&files.open(*base)?, address)?
            {
                end = cut;
                self.ext_surplus = bases.split_off(behind);
            }
        }
        self.rest.ext = Some(Box::new(ExtRest { end, bases: bases.into() }));
        Ok(())
    }
}

/// The bases of all files, which must follow each other.
fn bases_of<B: SegmentBackend>(files: &B) -> Result<Vec<u64>, Failed<B::Error>> {
    let mut bases = Vec::new();
    files.list(&mut |base| bases.push(base))?;
    let size = u64::from(files.geometry().capacity);
    for (a, b) in bases.iter().zip(bases.iter().skip(1)) {
        if a + size != *b {
            return Err(Failed::Missing(a + size, *b));
        }
    }
    Ok(bases)
}

/// Whether there is an entry soon behind this place, which has none: a page that got lost.
fn has_entry_behind<R: Readable>(file: &R, at: u32, scratch: &mut [u8]) -> Result<bool, R::Error> {
    let rest = (file.geometry().capacity - at) as usize;
    let len = rest.min(scratch.len());
    let Some(out) = scratch.get_mut(..len) else { return Ok(false) };
    file.read(at, out)?;
    Ok(out.as_chunks().0.iter().any(|bytes| Cell::decode(bytes).is_valid()))
}
