//! Where the bytes of an mqstore live.
//!
//! The border is [`mqstore_core::segment`]: its traits and their contract. Behind it are
//!
//! - [`mem`]: a medium in memory, without std and without an allocator;
//! - [`mmap`]: a folder with mapped files, as RocketMQ lays them out (feature `std`);
//! - [`over`]: middleware that is itself a medium over any other: `Faulty`, `Traced`, `Ahead`;
//! - `contract`: the contract as one suite which every medium runs (feature `contract`).
//!
//! # Unsafe code
//!
//! It is denied except in eight small files. `region` reaches raw memory; `segment` lends it
//! by the rule that holds everywhere: one writer, only behind the published mark, readers only
//! below it. `mem::arena` and `mem::hold` give `segment` memory of a pool, `mmap::map` and
//! `mmap::hold` that of a mapping; `mmap::sys` and `os` call the operating system.
#![no_std]
#![deny(unsafe_code)]
#![warn(clippy::unwrap_used)]
#![warn(clippy::std_instead_of_core)]

#[cfg(any(feature = "std", test))]
extern crate std;

#[cfg(feature = "contract")]
pub mod contract;
mod error;
pub mod mem;
#[cfg(all(feature = "std", target_os = "linux"))]
pub mod mmap;
#[cfg(feature = "std")]
#[expect(unsafe_code, reason = "asks the operating system and the processor for the time")]
pub mod os;
pub mod over;
#[expect(unsafe_code, reason = "raw memory behind handles; see its proofs")]
mod region;
#[expect(unsafe_code, reason = "lends raw memory by the rule of the marks; see its proofs")]
mod segment;
mod stage;

pub use error::{BackendError, Reason};
