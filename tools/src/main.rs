//! The `mqstore` command.
#![warn(clippy::unwrap_used)]

use std::process::ExitCode;

fn main() -> ExitCode {
    mqstore_tools::cli::main()
}
