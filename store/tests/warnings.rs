//! What a store says in the log when it is opened with settings that may not be meant.

use std::fs;
use std::sync::Mutex;

use log::{Level, Log, Metadata, Record};
use mqstore::StoreOptions;

/// Keeps every warning of this process.
struct Kept(Mutex<Vec<String>>);

static KEPT: Kept = Kept(Mutex::new(Vec::new()));

impl Log for Kept {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.level() <= Level::Warn
    }

    fn log(&self, record: &Record<'_>) {
        if self.enabled(record.metadata()) {
            self.0.lock().unwrap().push(record.args().to_string());
        }
    }

    fn flush(&self) {}
}

/// The warnings of opening a store with this file, whose folder is set.
fn warnings(more: &str) -> (tempfile::TempDir, Vec<String>) {
    static ONE: Mutex<()> = Mutex::new(());
    let _one = ONE.lock();
    let _ = log::set_logger(&KEPT).map(|()| log::set_max_level(log::LevelFilter::Trace));
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("broker.conf");
    let root = folder.path().display();
    fs::write(&file, format!("storePathRootDir={root}/s\nbrokerName=a\n{more}")).unwrap();
    KEPT.0.lock().unwrap().clear();
    StoreOptions::from_file(&file).unwrap().open().unwrap().close().unwrap();
    (folder, KEPT.0.lock().unwrap().clone())
}

#[test]
fn a_mistyped_name_in_a_brokers_file_is_logged_when_the_store_is_opened() {
    let (folder, said) = warnings("mappedFileSizeCommitLog=65536\nflushDiskTyp=SYNC_FLUSH\n");
    let file = folder.path().join("broker.conf");
    let why = "'flushDiskTyp' is no setting of the store; did you mean 'flushDiskType'?";
    assert_eq!(said, [format!("{}: line 4: {why}", file.display())]);
}

#[test]
fn a_brokers_file_brings_our_own_settings_too() {
    let text = "mappedFileSizeCommitLog=65536\nmqstore.backend=mem\n";
    let (folder, said) = warnings(text);
    assert_eq!(said, [""; 0]);
    // in memory: there is no folder
    assert!(!folder.path().join("s").exists());
}

#[test]
fn settings_that_do_nothing_yet_are_logged_in_one_line_when_the_store_is_opened() {
    let text = "mappedFileSizeCommitLog=65536\nfileReservedTime=24\ndeleteWhen=05\n\
                mqstore.verifyReads=false\nflushDiskType=SYNC_FLUSH\n";
    let (_folder, said) = warnings(text);
    assert_eq!(said, ["deleteWhen, fileReservedTime, mqstore.verifyReads do nothing yet"]);
}
