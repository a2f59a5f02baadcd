//! A file system that is full: C-64.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use mqstore::{Cause, ErrorKind, PutMessageStatus, StoreOptions};
use tempfile::TempDir;

use crate::support::{log_bytes, skipped, with};
use crate::world::{copy_of_log, put_body, records};

const FILE: u32 = 4 << 20;
const SETTINGS: [(&str, &str); 3] = [
    ("mappedFileSizeCommitLog", "4194304"),
    ("mappedFileSizeConsumeQueue", "120000"),
    ("messageIndexEnable", "false"),
];

/// A file system of 16 MiB, which goes with it.
struct Tmpfs(TempDir);

impl Tmpfs {
    /// None where this user may not have one.
    fn mount() -> Option<Self> {
        let dir = tempfile::tempdir().unwrap();
        let mount = Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=16m", "mqstore-c-64"])
            .arg(dir.path())
            .output();
        mount.is_ok_and(|out| out.status.success()).then(|| Self(dir))
    }

    fn store(&self) -> PathBuf {
        self.0.path().join("store")
    }
}

impl Drop for Tmpfs {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.0.path()).status();
    }
}

fn options(path: &Path) -> StoreOptions {
    with(StoreOptions::new(path), &SETTINGS)
}

fn body(n: u32) -> Vec<u8> {
    n.to_be_bytes().repeat(250)
}

/// The log holds these puts, in order.
fn holds(log: &[u8], puts: u32) {
    let found = records(log, FILE);
    assert_eq!(found.len(), puts as usize);
    for (n, record) in found.iter().enumerate() {
        assert!(record.body == body(n as u32), "record {n}");
    }
}

#[test]
fn c_64_a_full_file_system_is_an_answer_and_puts_go_on_when_there_is_space() {
    let Some(tmpfs) = Tmpfs::mount() else {
        skipped("it needs a tmpfs of 16 MiB, and this user may not mount one");
        return;
    };
    let modes: [&[(&str, &str)]; 2] = [&[], &[("flushDiskType", "SYNC_FLUSH")]];
    for mode in modes {
        let ballast = tmpfs.0.path().join("ballast");
        fs::write(&ballast, vec![1; 5 << 20]).unwrap();
        let store = with(options(&tmpfs.store()), mode).open().unwrap();
        let mut puts = 0;
        let refused = loop {
            let r = put_body(&store, &body(puts));
            if r.status != PutMessageStatus::PutOk {
                break r;
            }
            puts += 1;
        };
        assert_eq!(refused.status, PutMessageStatus::CreateMapedFileFailed, "{mode:?}");
        assert_eq!(refused.cause, Some(Cause::CreateFailed(ErrorKind::NoSpace)), "{mode:?}");
        // two whole files: what was made could be written
        assert_eq!(puts, 2 * ((FILE - 8) / 1100), "{mode:?}");
        for _ in 0..100 {
            let r = put_body(&store, &body(puts));
            assert_eq!(r.status, PutMessageStatus::CreateMapedFileFailed, "{mode:?}");
        }
        holds(&log_bytes(&tmpfs.store()), puts);
        fs::remove_file(&ballast).unwrap();
        for _ in 0..100 {
            let r = put_body(&store, &body(puts));
            assert_eq!(r.status, PutMessageStatus::PutOk, "{mode:?}: {r}");
            puts += 1;
        }
        // what a killed process leaves
        let copy = copy_of_log(&tmpfs.store());
        let killed = options(copy.path()).open().unwrap();
        assert_eq!(killed.status().queues, [("TopicTest".to_owned(), 0, i64::from(puts))]);
        holds(&log_bytes(copy.path()), puts);
        store.close().unwrap();
        let again = options(&tmpfs.store()).open().unwrap();
        assert_eq!(again.status().queues, [("TopicTest".to_owned(), 0, i64::from(puts))]);
        drop(again);
        fs::remove_dir_all(tmpfs.store()).unwrap();
    }
}
