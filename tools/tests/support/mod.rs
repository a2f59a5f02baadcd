//! The packed golden cases, unpacked into a temporary folder.
#![allow(dead_code, reason = "each test takes a part")]

use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use mqstore_tools::json::Object;
use mqstore_tools::replay::trace::Trace;
use tempfile::TempDir;

/// One golden case.
pub(crate) struct Case {
    pub(crate) name: String,
    folder: PathBuf,
    /// Keeps what was unpacked.
    scratch: TempDir,
}

impl Case {
    /// The case of this name, from `tools/golden/golden.tar.gz` or, if `MQSTORE_GOLDEN` names a
    /// folder with unpacked cases, from there.
    pub(crate) fn open(name: &str) -> Self {
        let scratch = tempfile::tempdir().unwrap();
        let folder = match std::env::var_os("MQSTORE_GOLDEN") {
            Some(cases) => PathBuf::from(cases).join(name),
            None => unpack_case(name, scratch.path()),
        };
        assert!(folder.join("TRACE.jsonl").is_file(), "no golden case {name}");
        Self { name: name.to_owned(), folder, scratch }
    }

    pub(crate) fn trace(&self) -> Trace {
        Trace::read(&self.folder.join("TRACE.jsonl")).unwrap()
    }

    /// Java's answers, one for each operation.
    pub(crate) fn results(&self) -> Vec<Object> {
        lines(&self.folder.join("results.jsonl"))
    }

    /// Java's dump, as text.
    pub(crate) fn dump(&self) -> String {
        std::fs::read_to_string(self.folder.join("dump.jsonl")).unwrap()
    }

    /// A fresh copy of the store as Java left it.
    pub(crate) fn store(&self) -> PathBuf {
        let packed = self.folder.join("store.tar.gz");
        let copy = self.scratch.path().join("copy/store");
        if packed.is_file() {
            let file = std::fs::File::open(packed).unwrap();
            tar::Archive::new(GzDecoder::new(file))
                .unpack(self.scratch.path().join("copy"))
                .unwrap();
        } else {
            copy_folder(&self.folder.join("store"), &copy);
        }
        copy
    }
}

fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let (path, to) = {
            let entry = entry.unwrap();
            (entry.path(), to.join(entry.file_name()))
        };
        if path.is_dir() {
            copy_folder(&path, &to);
        } else {
            std::fs::copy(&path, &to).unwrap();
        }
    }
}

/// The JSON lines of a file.
pub(crate) fn lines(file: &Path) -> Vec<Object> {
    let text = std::fs::read_to_string(file).unwrap();
    parse_lines(&text)
}

/// The JSON lines of a text; `#` begins a comment.
pub(crate) fn parse_lines(text: &str) -> Vec<Object> {
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    lines.map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Unpacks one case from the pack of all of them.
fn unpack_case(name: &str, into: &Path) -> PathBuf {
    let pack = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/golden.tar.gz");
    let file = std::fs::File::open(&pack).unwrap_or_else(|e| panic!("{}: {e}", pack.display()));
    let mut found = None;
    for entry in tar::Archive::new(GzDecoder::new(file)).entries().unwrap() {
        let mut entry = entry.unwrap();
        let path = entry.path().unwrap().into_owned();
        if path.iter().next().is_none_or(|first| first != name) {
            continue;
        }
        entry.unpack_in(into).unwrap();
        if path.ends_with("TRACE.jsonl") {
            found = path.parent().map(|folder| into.join(folder));
        }
    }
    found.unwrap_or_else(|| panic!("{} has no case {name}", pack.display()))
}
