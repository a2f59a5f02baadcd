//! A program's way to the disk: the calls of a file system, each of which may fail, take its
//! time, or be the one in which the power goes.

use std::sync::Arc;

use mqstore_core::segment::ErrorKind;

use super::SimDisk;
use super::faults::{Effect, Op};
use super::file::Loss;
use super::names::folder_of;
use super::pin::FileRef;
use super::world::World;

/// A program that runs until it is killed or the power goes. Clones are threads of it.
#[derive(Clone)]
pub struct Process {
    disk: Arc<SimDisk>,
    boot: u64,
}

type Answer<T> = Result<T, ErrorKind>;

/// As the number of a byte in memory; none is beyond it.
fn index(at: u64) -> Answer<usize> {
    usize::try_from(at).map_err(|_| ErrorKind::OutOfBounds)
}

impl Process {
    pub(super) fn new(disk: Arc<SimDisk>) -> Self {
        let boot = disk.world().boot;
        Self { disk, boot }
    }

    /// The disk it uses.
    #[must_use]
    pub fn disk(&self) -> &Arc<SimDisk> {
        &self.disk
    }

    /// Carries an operation out, unless it is to fail; the program is not told how the one ends
    /// in which the power goes.
    fn run<T>(
        &self,
        op: Op,
        name: &str,
        act: impl FnOnce(&mut World, Option<Effect>) -> Answer<T>,
    ) -> Answer<T> {
        let mut world = self.disk.world();
        let effect = world.begin(self.boot, op, name)?;
        if let Some(Effect::Fail(kind)) = effect {
            return Err(kind);
        }
        let done = act(&mut world, effect);
        if world.stopped { Err(ErrorKind::Device) } else { done }
    }

    /// Makes a file of `len` zeros that has no name; its space is real.
    pub fn create(&self, len: u64, loss: Loss) -> Answer<FileRef> {
        self.run(Op::Create, "", |world, _| world.create(index(len)?, loss))
    }

    /// Gives a file this name, which must be free.
    pub fn link(&self, file: &FileRef, name: &str) -> Answer<()> {
        self.run(Op::Link, name, |world, _| {
            if world.names.get(name).is_some() {
                return Err(ErrorKind::Exists);
            }
            world.names.change(vec![(name.to_owned(), Some(file.0.id))]);
            Ok(())
        })
    }

    /// Takes a name away.
    pub fn remove(&self, name: &str) -> Answer<()> {
        self.run(Op::Remove, name, |world, _| {
            world.names.get(name).ok_or(ErrorKind::NotFound)?;
            world.names.change(vec![(name.to_owned(), None)]);
            Ok(())
        })
    }

    /// Moves a name within its folder, over one that may be there.
    pub fn rename(&self, from: &str, to: &str) -> Answer<()> {
        self.run(Op::Rename, to, |world, _| {
            let file = world.names.get(from).ok_or(ErrorKind::NotFound)?;
            world.names.change(vec![(to.to_owned(), Some(file)), (from.to_owned(), None)]);
            Ok(())
        })
    }

    /// Makes the names of a folder durable.
    pub fn sync_dir(&self, folder: &str) -> Answer<()> {
        self.run(Op::SyncDir, folder, |world, _| {
            if !world.stopped && !world.options.lying {
                world.names.sync(folder);
            }
            Ok(())
        })
    }

    /// The names that begin like this, in ascending order.
    pub fn names(&self, starting: &str) -> Answer<Vec<String>> {
        self.run(Op::List, starting, |world, _| Ok(world.names.starting(starting)))
    }

    /// Opens a file; `None` if it is not there.
    pub fn open(&self, name: &str) -> Answer<Option<FileRef>> {
        self.run(Op::List, name, |world, _| match world.open(name) {
            Err(ErrorKind::NotFound) => Ok(None),
            opened => opened.map(Some),
        })
    }

    /// How long a file is.
    pub fn len(&self, file: &FileRef) -> Answer<u64> {
        self.run(Op::List, "", |world, _| Ok(world.contents(file)?.0.len() as u64))
    }

    /// Makes a file longer, with zeros; its space is real.
    pub fn grow(&self, file: &FileRef, len: u64) -> Answer<()> {
        self.run(Op::Grow, "", |world, _| {
            let old = world.contents(file)?.0.len() as u64;
            world.need_room(len.saturating_sub(old))?;
            world.contents(file)?.0.grow(index(len)?);
            Ok(())
        })
    }

    /// Reads all of `out`.
    pub fn read(&self, file: &FileRef, name: &str, at: u64, out: &mut [u8]) -> Answer<()> {
        self.run(Op::Read, name, |world, effect| {
            let (contents, rng) = world.contents(file)?;
            contents.read(index(at)?, out)?;
            if effect == Some(Effect::Flip) {
                flip_one(out, rng.bits());
            }
            Ok(())
        })
    }

    /// Writes bytes inside the file, and answers how many were taken.
    pub fn write(&self, file: &FileRef, name: &str, at: u64, bytes: &[u8]) -> Answer<usize> {
        self.run(Op::Write, name, |world, effect| {
            let (contents, rng) = world.contents(file)?;
            let mut bytes = bytes.to_vec();
            match effect {
                Some(Effect::Short) => bytes.truncate(rng.index(bytes.len())),
                Some(Effect::Flip) => flip_one(&mut bytes, rng.bits()),
                _ => {}
            }
            contents.write(index(at)?, &bytes, rng)?;
            Ok(bytes.len())
        })
    }

    /// Writes all of it, in as many calls as it takes; a disk that takes nothing twice is full.
    pub fn write_all(&self, file: &FileRef, name: &str, at: u64, bytes: &[u8]) -> Answer<()> {
        let (mut done, mut nothing) = (0, 0);
        while let Some(rest) = bytes.get(done..).filter(|rest| !rest.is_empty()) {
            match self.write(file, name, at + done as u64, rest)? {
                0 if nothing == 1 => return Err(ErrorKind::NoSpace),
                0 => nothing += 1,
                taken => {
                    done += taken;
                    nothing = 0;
                }
            }
        }
        Ok(())
    }

    /// Stores bytes through a mapping. Nobody is told if that does not work.
    pub fn store(&self, file: &FileRef, name: &str, at: u64, bytes: &[u8]) {
        let _ = self.run(Op::Store, name, |world, _| {
            let (contents, rng) = world.contents(file)?;
            contents.write(index(at)?, bytes, rng)
        });
    }

    /// Makes `[from, to)` zeros.
    pub fn zero(&self, file: &FileRef, name: &str, from: u64, to: u64) -> Answer<()> {
        self.run(Op::Zero, name, |world, _| {
            let (contents, rng) = world.contents(file)?;
            contents.write(index(from)?, &vec![0; index(to.saturating_sub(from))?], rng)
        })
    }

    /// Makes `[from, to)` and the length of a file durable. After a failure the system has
    /// forgotten a part of what it had to write, and later syncs do not know of it.
    pub fn sync(&self, file: &FileRef, name: &str, from: u64, to: u64) -> Answer<()> {
        let mut world = self.disk.world();
        let effect = world.begin(self.boot, Op::Sync, name)?;
        if world.stopped {
            return Err(ErrorKind::Device);
        }
        let lying = world.options.lying;
        let (contents, rng) = world.contents(file)?;
        match effect {
            Some(Effect::Fail(kind)) => {
                contents.sync_failed(rng);
                return Err(kind);
            }
            _ if lying => {}
            _ => contents.sync(index(from)?, usize::try_from(to).unwrap_or(usize::MAX)),
        }
        Ok(())
    }

    /// Makes all of a file durable.
    pub fn sync_all(&self, file: &FileRef, name: &str) -> Answer<()> {
        self.sync(file, name, 0, u64::MAX)
    }

    /// Makes the name of a file durable.
    pub fn sync_name(&self, name: &str) -> Answer<()> {
        self.sync_dir(folder_of(name))
    }

    /// Room on the disk, and how much of it is free, in bytes.
    pub fn space(&self) -> Answer<(u64, u64)> {
        self.run(Op::List, "", |world, _| Ok((world.options.bytes, world.free())))
    }

    /// Takes the disk for one store.
    pub(crate) fn own(&self) -> Answer<()> {
        self.run(Op::List, "", |world, _| match world.owned {
            true => Err(ErrorKind::Locked),
            false => {
                world.owned = true;
                Ok(())
            }
        })
    }

    /// Gives it back, unless this process is dead and somebody else may have it.
    pub(crate) fn disown(&self) {
        let mut world = self.disk.world();
        if world.boot == self.boot {
            world.owned = false;
        }
    }

    /// Claims an open file for writing, against everybody who opens it.
    pub(crate) fn claim(&self, file: &FileRef, although_read: bool) -> Answer<()> {
        self.run(Op::List, "", |_, _| match (although_read || file.is_alone()) && file.claim() {
            true => Ok(()),
            false => Err(ErrorKind::Busy),
        })
    }

    /// For how many polls work is pending that was just begun, at most `most`.
    pub(crate) fn polls(&self, most: u64) -> u64 {
        if most == 0 { 0 } else { self.disk.world().rng.below(most + 1) }
    }
}

fn flip_one(bytes: &mut [u8], bits: u64) {
    let at = usize::try_from(bits >> 8).unwrap_or(0).checked_rem(bytes.len());
    if let Some(byte) = at.and_then(|at| bytes.get_mut(at)) {
        *byte ^= 1 << (bits % 8);
    }
}
