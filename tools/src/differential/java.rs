//! The Java store, behind the harness in `tools/java`.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

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

    /// Makes all calls in one JVM, so many at the same time; answers the exit code of each.
    ///
    /// # Errors
    /// The script cannot be run, or does not say how a call ended.
    pub fn batch(&self, calls: &[Call], jobs: usize, scratch: &Path) -> io::Result<Vec<i32>> {
        let list = scratch.join("calls.txt");
        let lines = calls.iter().map(|call| {
            let words = call.words.join("\t");
            format!("{}\t{words}", call.output.display())
        });
        let lines: Vec<String> = lines.collect();
        std::fs::write(&list, lines.join("\n") + "\n")?;
        let done = Command::new(&self.script)
            .arg("batch")
            .arg(&list)
            .args(["--jobs", &jobs.to_string()])
            .stdin(Stdio::null())
            .output()?;
        let said = String::from_utf8_lossy(&done.stdout);
        let code_of = |line: &String| {
            let ends = said.lines().filter_map(|said| said.split_once('\t'));
            let end = ends.into_iter().find(|(_, rest)| rest == line);
            end.and_then(|(code, _)| code.parse().ok())
        };
        lines
            .iter()
            .map(|line| {
                code_of(line).ok_or_else(|| {
                    let said = String::from_utf8_lossy(&done.stderr);
                    io::Error::other(format!("the Java harness did not run {line}: {said}"))
                })
            })
            .collect()
    }
}
