//! `cargo xtask compare`: RocketMQ's own store and mqstore, alternately, on the same disk, with
//! the same work, and the floor that the machine sets to both.

mod case;
mod options;
mod peers;
mod plan;
mod programs;
mod report;
mod run;
mod summary;

use std::process::ExitCode;

use options::Options;

const USAGE: &str = "\
usage: cargo xtask compare [--quick] [--json] [--pairs 5] [--gb 2] [--only CASE]
                           [--peers DIR] [--dir DIR] [--seconds 8] [--no-sustained]

  --quick         one pair with little data, to see that everything runs
  --json          JSON lines rather than text
  --pairs N       how often each case is measured on each side; the medians count
  --gb G          GiB of log for each measurement; keep it below the kernel's dirty limit
  --only CASE     one case (several: repeat it); 'sustained' is the last one
  --peers DIR     run the harnesses in DIR/*/run.sh, too
  --dir DIR       where the data goes (default: a folder in cargo's target directory)
  --seconds S     length of each measurement with synchronous flush
  --no-sustained  without the long run at the end
";

/// Runs what the arguments ask for.
pub(crate) fn run(args: &[String]) -> ExitCode {
    let options = match Options::parse(args) {
        Ok(Some(options)) => options,
        Ok(None) => {
            print!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        Err(why) => {
            eprintln!("compare: {why}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match plan::carry_out(&options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("compare: {why}");
            ExitCode::FAILURE
        }
    }
}
