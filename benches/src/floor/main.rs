//! The floor: how fast this machine could append the same bytes if there were no store.
//!
//! `mapped` copies a record into a mapped file whose pages are present, and takes the body's
//! checksum; `group` is a minimal group commit with `pwrite` and `fdatasync`. Both time every
//! call, as the benchmarks that are held against them do. One line of JSON on stdout.
#![warn(clippy::unwrap_used)]

mod args;
mod group;
mod mapped;
mod samples;

use std::io;
use std::process::ExitCode;

use args::{Args, Mode};
use samples::Samples;

const USAGE: &str = "\
usage: mqstore-floor mapped|group --dir DIR [--threads 1] [--body 1024] [--record BYTES]
                                  [--batch 1] [--count N | --seconds S]

  --record  bytes copied per message (default: the body and 91 more)
  --batch   messages per timed call
  --count   messages in all; --seconds, a limit in time
";

fn main() -> ExitCode {
    let args = match Args::from_env() {
        Ok(Some(args)) => args,
        Ok(None) => {
            print!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        Err(why) => {
            eprintln!("mqstore-floor: {why}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match measure(&args) {
        Ok(line) => {
            println!("{line}");
            ExitCode::SUCCESS
        }
        Err(why) => {
            eprintln!("mqstore-floor: {}: {why}", args.dir.display());
            ExitCode::FAILURE
        }
    }
}

/// Measures in a file of its own, which is removed at the end.
fn measure(args: &Args) -> io::Result<String> {
    std::fs::create_dir_all(&args.dir)?;
    let path = args.dir.join(format!("floor-{}", std::process::id()));
    let samples: io::Result<Samples> = match args.mode {
        Mode::Mapped => mapped::run(args, &path),
        Mode::Group => group::run(args, &path),
    };
    // what could not be made cannot be removed
    let _ = std::fs::remove_file(&path);
    Ok(samples?.line(args))
}
