//! A disk with a file system on it, in memory: what programs see, and what survives.
//!
//! A [`SimDisk`] outlives the programs that use it. Each of them is a [`Process`], which ends
//! with a [`SimDisk::kill`] (what it wrote stays in the system's memory) or a
//! [`SimDisk::power_cut`] (what was not synced is in the cut's hands); from then on everything
//! it still asks for is an error, so an old store may be dropped in peace.

mod faults;
mod file;
mod names;
mod pin;
mod process;
mod world;

pub use faults::{Effect, Fault, Op, Rates};
pub use file::{Loss, SECTOR};
pub use pin::FileRef;
pub use process::Process;
pub use world::Counts;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::rng::Rng;
use world::World;

/// What kind of disk it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiskOptions {
    /// How many bytes of files it takes.
    pub bytes: u64,
    /// Its cache lies: every sync is answered, and none is carried out.
    pub lying: bool,
    /// A torn sector may lose bytes that were durable, too, which no file system survives whose
    /// files are written in place.
    pub noise_anywhere: bool,
}

impl Default for DiskOptions {
    fn default() -> Self {
        Self { bytes: 1 << 20, lying: false, noise_anywhere: false }
    }
}

/// A simulated disk. Whatever happens on it comes from its seed and from what it is asked.
pub struct SimDisk {
    world: Mutex<World>,
}

impl SimDisk {
    /// An empty disk.
    #[must_use]
    pub fn new(seed: u64, options: DiskOptions) -> Arc<Self> {
        Arc::new(Self { world: Mutex::new(World::new(seed, options)) })
    }

    pub(crate) fn world(&self) -> MutexGuard<'_, World> {
        // whatever a panic left is as good as what a power cut leaves
        self.world.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A program that uses the disk from now on, beside others.
    #[must_use]
    pub fn process(self: &Arc<Self>) -> Process {
        Process::new(Arc::clone(self))
    }

    /// Empties the disk, as a new one with this seed would be.
    pub fn reset(&self, seed: u64) {
        self.world().reset(seed);
    }

    /// Everything stops in the middle of the `n`th operation from now that changes something; 0
    /// is the next one. From then on every operation fails, until [`SimDisk::power_cut`] or
    /// [`SimDisk::kill`] says what it was.
    pub fn stop_after(&self, n: u64) {
        self.world().stop_after(n);
    }

    /// Whether everything has stopped.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.world().stopped
    }

    /// The power goes and comes back: each sector and name that was not synced
    /// is old, new, or (a sector) torn or noise. All processes are gone.
    pub fn power_cut(&self, rng: &mut Rng) {
        self.world().power_cut(rng);
    }

    /// All processes die, in the middle of an operation if everything has stopped in one; what
    /// they wrote is still in the system's memory.
    pub fn kill(&self) {
        self.world().kill();
    }

    /// Plans a fault.
    pub fn plan(&self, fault: Fault) {
        self.world().faults.add(fault);
    }

    /// From now on faults come by chance, too.
    pub fn rates(&self, rates: Rates) {
        self.world().faults.rates = rates;
    }

    /// Nothing goes wrong any more.
    pub fn heal(&self) {
        self.world().faults.clear();
    }

    /// The sector that holds the byte at `at` of this file cannot be read until it is written as
    /// a whole. Answers whether there is such a file.
    pub fn make_unreadable(&self, name: &str, at: usize) -> bool {
        let mut world = self.world();
        world.named(name).map(|file| file.make_unreadable(at)).is_some()
    }

    /// Flips a bit of the byte at `at` of this file, for good. Answers whether there is such a
    /// file.
    pub fn flip(&self, name: &str, at: usize, bit: u8) -> bool {
        let mut world = self.world();
        world.named(name).map(|file| file.flip(at, bit)).is_some()
    }

    /// Virtual time since the disk was made, nanoseconds.
    #[must_use]
    pub fn now(&self) -> u64 {
        self.world().now
    }

    /// What has happened so far.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.world().counts
    }

    /// How many sectors would be at stake if the power went now.
    #[must_use]
    pub fn unsynced(&self) -> usize {
        self.world().unsynced()
    }

    /// A number that tells two runs apart which did not go the same way: every file's bytes,
    /// every name, and the time.
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        self.world().fingerprint()
    }
}
