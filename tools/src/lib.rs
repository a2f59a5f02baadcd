//! What the `mqstore` command is made of: putting messages and measuring that, looking into store
//! folders, replaying traces, and comparing with the Java store.
#![warn(clippy::unwrap_used)]

pub mod append;
pub mod bench;
pub mod cli;
pub mod compare;
pub mod demo;
pub mod differential;
pub mod dump;
pub mod json;
pub mod replay;
