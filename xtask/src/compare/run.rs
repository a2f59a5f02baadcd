//! One measurement: an empty folder, a quiet disk, one program, one line of JSON.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use super::case::{Case, Side};
use super::options::Options;
use super::programs::{Programs, target_dir};

/// Where the data of the measurements goes; removed when this is dropped.
pub(super) struct Ground {
    folder: PathBuf,
}

impl Ground {
    /// Makes the folder.
    pub(super) fn new(options: &Options) -> Result<Self, String> {
        let parent = options.dir.clone().unwrap_or_else(target_dir);
        let folder = parent.join(format!("mqstore-compare-{}", std::process::id()));
        fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        Ok(Self { folder })
    }

    /// The folder that all data is in.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// An empty folder, with nothing of the last measurement left to be written.
    pub(super) fn fresh(&self) -> Result<PathBuf, String> {
        let run = self.folder.join("run");
        if run.exists() {
            fs::remove_dir_all(&run).map_err(|e| format!("{}: {e}", run.display()))?;
        }
        sync();
        Ok(run)
    }
}

impl Drop for Ground {
    fn drop(&mut self) {
        if let Err(e) = fs::remove_dir_all(&self.folder) {
            eprintln!("compare: {} stays behind: {e}", self.folder.display());
        }
    }
}

/// Waits until the kernel has written everything.
fn sync() {
    // without it the next run only starts on a busier disk
    let _ = Command::new("sync").stdin(Stdio::null()).status();
}

/// What a program has measured.
#[derive(Clone, Debug)]
pub(super) struct Measured(Value);

impl Measured {
    /// A number of its line, 0 if it is not there.
    pub(super) fn number(&self, field: &str) -> f64 {
        self.0.get(field).and_then(Value::as_f64).unwrap_or(0.0)
    }

    /// Messages per second.
    pub(super) fn rate(&self) -> f64 {
        self.number("msgsPerSec")
    }

    /// Messages per second if what was put aside for later had been part of it.
    pub(super) fn rate_with_rest(&self) -> f64 {
        let seconds = self.number("seconds") + self.number("dispatchDrainMs") / 1e3;
        if seconds > 0.0 { self.number("msgs") / seconds } else { 0.0 }
    }
}

/// Runs a case on one side.
pub(super) fn measure(
    case: &Case,
    side: Side,
    options: &Options,
    programs: &Programs,
    ground: &Ground,
) -> Result<Measured, String> {
    let folder = ground.fresh()?;
    let mut command = programs.command(side)?;
    command.args(case.words(side, options, &folder.to_string_lossy()));
    let words = command.get_args().map(|a| a.to_string_lossy()).collect::<Vec<_>>().join(" ");
    let failed = |why: &str| format!("{} ({}): {why}; arguments: {words}", side.name(), case.name);

    let output = command.stdin(Stdio::null()).output().map_err(|e| failed(&e.to_string()))?;
    let text = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() {
        let words = String::from_utf8_lossy(&output.stderr);
        return Err(failed(&format!("ended with {}: {}", output.status, words.trim())));
    }
    let line = text.lines().rev().find(|l| l.starts_with('{'));
    let value: Value = line
        .ok_or_else(|| failed("printed no line of JSON"))
        .and_then(|l| serde_json::from_str(l).map_err(|e| failed(&e.to_string())))?;
    let measured = Measured(value);
    if measured.number("failedCalls") > 0.0 {
        let last = measured.0.get("lastFailure").map(Value::to_string).unwrap_or_default();
        let calls = measured.number("failedCalls");
        return Err(failed(&format!("{calls} puts were refused, the last with {last}")));
    }
    Ok(measured)
}
