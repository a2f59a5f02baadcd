//! Everything there is on a disk, and the rules by which it goes on.

use std::collections::BTreeMap;
use std::sync::{Arc, Weak};

use mqstore_core::segment::ErrorKind;

use super::DiskOptions;
use super::faults::{Effect, Faults, Op};
use super::file::{File, Loss};
use super::names::{FileId, Names};
use super::pin::{FileRef, Pin};
use crate::rng::Rng;

/// How often what has happened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Operations that change something.
    pub operations: u64,
    /// Those of them that make something durable.
    pub syncs: u64,
    /// Operations that went wrong, by plan or by chance.
    pub faults: u64,
    /// Power cuts and kills.
    pub ends: u64,
}

/// A file, and who has it open.
struct Entry {
    file: File,
    pin: Weak<Pin>,
}

/// A disk, behind its lock.
pub(crate) struct World {
    pub(crate) options: DiskOptions,
    pub(crate) rng: Rng,
    pub(crate) now: u64,
    /// Which processes are alive: those that have this number.
    pub(crate) boot: u64,
    pub(crate) stopped: bool,
    /// The store has an owner.
    pub(crate) owned: bool,
    pub(crate) names: Names,
    pub(crate) faults: Faults,
    pub(crate) counts: Counts,
    files: BTreeMap<FileId, Entry>,
    next_file: FileId,
    stop_at: Option<u64>,
}

impl World {
    pub(crate) fn new(seed: u64, options: DiskOptions) -> Self {
        Self {
            options,
            rng: Rng::new(seed),
            now: 0,
            boot: 0,
            stopped: false,
            owned: false,
            names: Names::default(),
            faults: Faults::default(),
            counts: Counts::default(),
            files: BTreeMap::new(),
            next_file: 0,
            stop_at: None,
        }
    }

    pub(crate) fn reset(&mut self, seed: u64) {
        // processes of the world before stay dead
        *self = Self { boot: self.boot + 1, ..Self::new(seed, self.options) };
    }

    pub(crate) fn stop_after(&mut self, n: u64) {
        self.stop_at = Some(self.counts.operations + n);
    }

    /// Lets an operation begin: answers how it goes wrong, if it does.
    ///
    /// Afterwards [`World::stopped`] may be set: everything stops in the middle of this one.
    pub(crate) fn begin(
        &mut self,
        boot: u64,
        op: Op,
        name: &str,
    ) -> Result<Option<Effect>, ErrorKind> {
        if self.stopped || self.boot != boot {
            return Err(ErrorKind::Device);
        }
        let (least, most) = op.cost();
        self.now += self.rng.between(least, most);
        if op.changes() {
            self.stopped = self.stop_at.is_some_and(|at| self.counts.operations >= at);
            self.counts.operations += 1;
            self.counts.syncs += u64::from(matches!(op, Op::Sync | Op::SyncDir));
        }
        let effect = self.faults.next(op, name, &mut self.rng);
        self.counts.faults += u64::from(effect.is_some());
        Ok(effect)
    }

    /// A file without a name.
    pub(crate) fn create(&mut self, len: usize, loss: Loss) -> Result<FileRef, ErrorKind> {
        self.need_room(len as u64)?;
        let pin = FileRef::new(self.next_file);
        self.next_file += 1;
        let entry = Entry { file: File::new(len, loss), pin: Arc::downgrade(&pin.0) };
        self.files.insert(pin.0.id, entry);
        Ok(pin)
    }

    /// Complains when `more` bytes do not fit.
    pub(crate) fn need_room(&mut self, more: u64) -> Result<(), ErrorKind> {
        match self.free() < more {
            true => Err(ErrorKind::NoSpace),
            false => Ok(()),
        }
    }

    /// How many bytes are free.
    pub(crate) fn free(&mut self) -> u64 {
        // those that nobody has open and nobody can find are gone
        let named = self.names.files();
        self.files.retain(|id, e| named.contains(id) || e.pin.strong_count() > 0);
        let used: usize = self.files.values().map(|e| e.file.len()).sum();
        self.options.bytes.saturating_sub(used as u64)
    }

    /// Opens the file of this name.
    pub(crate) fn open(&mut self, name: &str) -> Result<FileRef, ErrorKind> {
        let id = self.names.get(name).ok_or(ErrorKind::NotFound)?;
        let entry = self.files.get_mut(&id).ok_or(ErrorKind::NotFound)?;
        if let Some(pin) = entry.pin.upgrade() {
            return Ok(FileRef(pin));
        }
        let pin = FileRef::new(id);
        entry.pin = Arc::downgrade(&pin.0);
        Ok(pin)
    }

    /// An open file's contents, and where its decisions come from.
    pub(crate) fn contents(&mut self, file: &FileRef) -> Result<(&mut File, &mut Rng), ErrorKind> {
        let entry = self.files.get_mut(&file.0.id).ok_or(ErrorKind::NotFound)?;
        Ok((&mut entry.file, &mut self.rng))
    }

    /// The contents of the file of this name.
    pub(crate) fn named(&mut self, name: &str) -> Option<&mut File> {
        let id = self.names.get(name)?;
        self.files.get_mut(&id).map(|e| &mut e.file)
    }

    pub(crate) fn unsynced(&self) -> usize {
        self.files.values().map(|e| e.file.unsynced()).sum()
    }

    pub(crate) fn power_cut(&mut self, rng: &mut Rng) {
        // some cuts take everything, some nothing, most of them a part
        let keep = [0, 1, 5, 5, 5, 9, 10].get(rng.index(7)).copied().unwrap_or(5);
        self.names.cut(rng, keep);
        let noise_anywhere = self.options.noise_anywhere;
        for entry in self.files.values_mut() {
            entry.file.cut(rng, keep, noise_anywhere);
        }
        self.end_processes();
    }

    pub(crate) fn kill(&mut self) {
        self.end_processes();
    }

    fn end_processes(&mut self) {
        self.boot += 1;
        self.stopped = false;
        self.owned = false;
        self.stop_at = None;
        self.counts.ends += 1;
        for entry in self.files.values_mut() {
            entry.pin = Weak::new();
        }
        let named = self.names.files();
        self.files.retain(|id, _| named.contains(id));
    }

    pub(crate) fn fingerprint(&self) -> u64 {
        // FNV-1a
        let mut hash = 0xCBF2_9CE4_8422_2325_u64;
        let mut add = |bytes: &[u8]| {
            for byte in bytes {
                hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01B3);
            }
        };
        for name in self.names.starting("") {
            add(name.as_bytes());
            let entry = self.names.get(&name).and_then(|id| self.files.get(&id));
            add(entry.map_or(&[], |e| e.file.bytes()));
        }
        add(&self.now.to_le_bytes());
        add(&self.counts.operations.to_le_bytes());
        hash
    }
}
