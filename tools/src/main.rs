//! The `mqstore` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    mqstore_tools::cli::main()
}
