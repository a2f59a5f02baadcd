//! The simulated world of a store: a disk in memory whose power can go at any operation, and a
//! medium over it which keeps the contract of the border.
//!
//! Everything is decided by one seed: how long an operation takes, which of them fails, what a
//! power cut leaves of each sector and name that was not synced. There are no threads, no files
//! and no time of the machine in here; the same calls with the same seed have the same outcome.
//!
//! - [`disk`]: sectors and names, each as programs see it and as it survives;
//! - [`medium`]: the store's files on it, as a folder keeps them;
//! - [`rng`]: where the decisions come from.
//!
//! ```
//! use mqstore_sim::{DiskOptions, MediumOptions, Rng, SimDisk, SimMedium};
//! use mqstore_core::segment::{Medium, SmallFile};
//!
//! # fn main() -> Result<(), mqstore_sim::SimError> {
//! let disk = SimDisk::new(7, DiskOptions::default());
//! SimMedium::new(&disk, MediumOptions::default()).save(SmallFile::State, b"whole")?;
//! disk.power_cut(&mut Rng::new(1));
//! let after = SimMedium::new(&disk, MediumOptions::default());
//! assert_eq!(after.load(SmallFile::State, &mut [])?, Some(5));
//! # Ok(())
//! # }
//! ```
#![forbid(unsafe_code)]
#![warn(clippy::unwrap_used)]

pub mod disk;
pub mod medium;
pub mod rng;

pub use disk::{DiskOptions, Effect, Fault, Op, Rates, SimDisk};
pub use medium::{MediumOptions, SimError, SimMedium};
pub use rng::Rng;
