//! The atomics the store uses: the machine's own, or loom's when a model checks them.
#![cfg_attr(loom, allow(unused_imports, reason = "the model uses a part of them"))]

#[cfg(not(loom))]
pub(crate) use portable_atomic::{AtomicI64, AtomicU8, AtomicU32, AtomicU64, Ordering};

#[cfg(loom)]
pub(crate) use loom::sync::atomic::{AtomicI64, AtomicU8, AtomicU32, AtomicU64, Ordering};
