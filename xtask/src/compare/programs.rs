//! The three programs that are measured: built, and where they are.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::case::Side;
use crate::suite::{has, root};

/// Where the programs are.
pub(super) struct Programs {
    ours: PathBuf,
    floor: PathBuf,
    /// The Java harness, or why there is none.
    pub(super) java: Result<PathBuf, String>,
}

impl Programs {
    /// Builds all of them.
    pub(super) fn build() -> Result<Self, String> {
        let mut cargo = Command::new("cargo");
        cargo.args(["build", "--release", "--quiet"]);
        cargo.args(["-p", "mqstore-tools", "-p", "mqstore-benches", "--bins"]);
        cargo.current_dir(root()).stdout(Stdio::null());
        for inherited in ["CARGO", "RUSTC", "RUSTDOC", "RUSTUP_TOOLCHAIN", "RUSTFLAGS"] {
            cargo.env_remove(inherited);
        }
        let status = cargo.status().map_err(|e| format!("cargo does not run: {e}"))?;
        if !status.success() {
            return Err(format!("the programs do not build: cargo ended with {status}"));
        }
        let release = target_dir().join("release");
        let exe = |name: &str| release.join(format!("{name}{}", env::consts::EXE_SUFFIX));
        Ok(Self { ours: exe("mqstore"), floor: exe("mqstore-floor"), java: java() })
    }

    /// The program of this side, without arguments.
    pub(super) fn command(&self, side: Side) -> Result<Command, String> {
        match side {
            Side::Ours => Ok(Command::new(&self.ours)),
            Side::Floor => Ok(Command::new(&self.floor)),
            Side::Java => self.java.clone().map(Command::new),
        }
    }
}

/// Where cargo builds.
pub(super) fn target_dir() -> PathBuf {
    match env::var_os("CARGO_TARGET_DIR") {
        // cargo takes it relative to where it was called, which is where we were called
        Some(dir) if !dir.is_empty() => {
            env::current_dir().map_or_else(|_| PathBuf::from(&dir), |here| here.join(&dir))
        }
        _ => root().join("target"),
    }
}

/// Builds the Java harness, if this machine can.
fn java() -> Result<PathBuf, String> {
    if !has("java", &["-version"]) {
        return Err("there is no 'java'".to_owned());
    }
    let run = root().join("tools/java/run.sh");
    let built = Command::new(&run).arg("build").stdout(Stdio::null()).status();
    match built {
        Ok(status) if status.success() => Ok(run),
        // it says itself what it misses
        Ok(status) => Err(format!("{} build ended with {status}", shown(&run))),
        Err(e) => Err(format!("{}: {e}", shown(&run))),
    }
}

fn shown(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}
