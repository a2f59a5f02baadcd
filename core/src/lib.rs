//! The RocketMQ 4.9.3 message store without an operating system.
//!
//! This crate says *what a store is*: may a message be written ([`gate`]), is it legal
//! ([`check`]), which bytes is it ([`record`]), which queue offset does it get ([`offsets`]),
//! where does it go ([`log`]), and when is it durable ([`duty`]); which queues and keys lead to
//! it ([`dispatch`], [`queue`], [`index`]), and what does a get answer ([`read`]). It has no
//! thread, no clock, no file and no allocator: time, storage, locks and events come in from
//! outside, through [`clock::Clock`], [`segment::Medium`], [`lock::PutLock`] and
//! [`observe::Observer`].
//!
//! Bytes and answers are those of RocketMQ 4.9.3 for every healthy input.
#![no_std]
#![forbid(unsafe_code)]
#![warn(clippy::unwrap_used)]
#![warn(clippy::std_instead_of_core, clippy::alloc_instead_of_core)]

#[cfg(any(test, loom))]
extern crate std;

pub mod cause;
pub mod check;
pub mod clock;
pub mod delay;
pub mod dispatch;
pub mod duty;
pub mod flags;
pub mod gate;
pub mod index;
pub mod lock;
pub mod log;
pub mod message;
pub mod observe;
pub mod offsets;
pub mod prepare;
pub mod queue;
pub mod read;
pub mod record;
pub mod segment;
pub mod status;
mod sync;
