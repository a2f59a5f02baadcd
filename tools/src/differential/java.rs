//! The Java store, behind the harness in `tools/java`.

use core::time::Duration;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// The harness, built.
#[derive(Clone, Debug)]
pub struct Java {
    script: PathBuf,
}

/// One call of the harness.
#[derive(Clone, Debug)]
pub struct Call {
    /// Where its lines go.
    pub output: PathBuf,
    /// Verb and arguments.
    pub words: Vec<String>,
}

/// Exit code of the harness's script when Java or Maven is missing.
const MISSING: i32 = 3;

impl Java {
    /// Builds the harness of this repository if it is not built yet. `Ok(Err(why))`: Java or
    /// Maven is missing.
    ///
    /// # Errors
    /// The script cannot be run, or the build fails.
    pub fn build() -> io::Result<Result<Self, String>> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("java/run.sh");
        let built = Command::new(&script).arg("build").stdin(Stdio::null()).output()?;
        let said = String::from_utf8_lossy(&built.stderr).trim().to_owned();
        match built.status.code() {
            Some(0) => Ok(Ok(Self { script })),
            Some(MISSING) => Ok(Err(said)),
            _ => Err(io::Error::other(format!("the Java harness cannot be built: {said}"))),
        }
    }

    /// Makes all calls in one JVM, so many at the same time; answers the exit code of each,
    /// `None` for one that had not ended after `patience`.
    ///
    /// # Errors
    /// The script cannot be run.
    pub fn batch(
        &self,
        calls: &[Call],
        jobs: usize,
        scratch: &Path,
        patience: Duration,
    ) -> io::Result<Vec<Option<i32>>> {
        let (list, said) = (scratch.join("calls.txt"), scratch.join("calls.out"));
        let lines = calls.iter().map(|call| {
            let words = call.words.join("\t");
            format!("{}\t{words}", call.output.display())
        });
        let lines: Vec<String> = lines.collect();
        std::fs::write(&list, lines.join("\n") + "\n")?;
        let mut child = Command::new(&self.script)
            .arg("batch")
            .arg(&list)
            .args(["--jobs", &jobs.to_string()])
            .stdin(Stdio::null())
            .stdout(File::create(&said)?)
            .spawn()?;
        let end = Instant::now() + patience;
        while child.try_wait()?.is_none() {
            if Instant::now() >= end {
                child.kill()?;
                child.wait()?;
                break;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        let said = std::fs::read_to_string(said)?;
        let ends: Vec<(&str, &str)> = said.lines().filter_map(|l| l.split_once('\t')).collect();
        let code_of = |line: &String| {
            let (code, _) = ends.iter().find(|(_, rest)| rest == line)?;
            code.parse().ok()
        };
        Ok(lines.iter().map(code_of).collect())
    }
}
