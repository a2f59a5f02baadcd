//! A store's surroundings: a medium that can be told to fail, and a clock moved by hand.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use std::{fs, thread};

use mqstore::{ManualClock, Message, PutMessageResult, Store, StoreClock, StoreOptions};
use mqstore_backends::mem::{HeapPool, MemMedium};
use mqstore_backends::mmap::{FolderConfig, FolderMedium, Staging, TransientPool};
use mqstore_backends::over::{Ahead, FaultPlan, Faulty, Op};
use mqstore_core::record::parse::{Parsed, RecordView};
use mqstore_core::segment::{Medium, Readable, SegmentBackend, Series};
use tempfile::TempDir;

use crate::support::{NOW, with};

/// Bytes of a log file unless a case says otherwise.
pub(crate) const SIZE: u32 = 4096;

/// Where the bytes live.
enum Place {
    Mem(MemMedium<Arc<HeapPool>>),
    Folder(TempDir),
}

/// A place for one store, which may be closed and opened again.
pub(crate) struct World {
    place: Place,
    pub(crate) size: u32,
    /// Log files are made on a thread of their own, as in production.
    pub(crate) ahead: bool,
    /// What goes wrong.
    pub(crate) plan: Arc<FaultPlan>,
    /// Shows [`NOW`] until it is moved.
    pub(crate) clock: ManualClock,
}

impl World {
    fn new(place: Place) -> Self {
        let clock = ManualClock::new(NOW);
        Self { place, size: SIZE, ahead: false, plan: Arc::default(), clock }
    }

    pub(crate) fn mem() -> Self {
        let pool = Arc::new(HeapPool::new(64 << 20, 1024));
        Self::new(Place::Mem(MemMedium::new(pool)))
    }

    pub(crate) fn folder() -> Self {
        Self::new(Place::Folder(tempfile::tempdir().unwrap()))
    }

    /// One of each kind.
    pub(crate) fn all() -> [Self; 2] {
        [Self::mem(), Self::folder()]
    }

    pub(crate) fn size(mut self, size: u32) -> Self {
        self.size = size;
        self
    }

    pub(crate) fn ahead(mut self, ahead: bool) -> Self {
        self.ahead = ahead;
        self
    }

    /// What a failed assertion should name.
    pub(crate) fn name(&self) -> &'static str {
        match (&self.place, self.ahead) {
            (Place::Mem(_), false) => "mem",
            (Place::Mem(_), true) => "mem, files ahead",
            (Place::Folder(_), false) => "folder",
            (Place::Folder(_), true) => "folder, files ahead",
        }
    }

    /// The folder, if it is one.
    pub(crate) fn path(&self) -> Option<&Path> {
        match &self.place {
            Place::Mem(_) => None,
            Place::Folder(dir) => Some(dir.path()),
        }
    }

    /// Opens the store that lives here.
    pub(crate) fn open(&self, settings: &[(&str, &str)]) -> Store {
        let options = match &self.place {
            Place::Mem(_) => StoreOptions::default(),
            Place::Folder(dir) => StoreOptions::new(dir.path()),
        };
        let options = options.clock(StoreClock::Manual(self.clock.clone()));
        let size = self.size.to_string();
        let options = with(options, &[("mappedFileSizeCommitLog", &size)]);
        let options = with(options, settings);
        match &self.place {
            Place::Mem(medium) => self.open_on(options, medium.clone()),
            Place::Folder(dir) => {
                self.open_on(options, folder(dir.path(), staging(settings, self.size)))
            }
        }
    }

    fn open_on<M: mqstore::HostMedium>(&self, options: StoreOptions, medium: M) -> Store {
        let faulty = Faulty::new(medium, Arc::clone(&self.plan));
        if self.ahead {
            options.open_on(Ahead::new(faulty)).unwrap()
        } else {
            options.open_on(faulty).unwrap()
        }
    }

    /// The bytes of all log files; in memory, of a closed store.
    pub(crate) fn log(&self) -> Vec<u8> {
        match &self.place {
            Place::Mem(medium) => log_of(medium, self.size).1,
            Place::Folder(dir) => log_of(&read_only(dir.path()), self.size).1,
        }
    }

    /// Where the log's files begin.
    pub(crate) fn files(&self) -> Vec<u64> {
        match &self.place {
            Place::Mem(medium) => log_of(medium, self.size).0,
            Place::Folder(dir) => log_of(&read_only(dir.path()), self.size).0,
        }
    }

    /// The records of the log, each checked against its place and its checksum.
    pub(crate) fn records(&self) -> Vec<Record> {
        records(&self.log(), self.size)
    }

    /// Waits until a call of the store is held up by the plan, and stays so.
    pub(crate) fn until_blocked(&self) {
        until("a call is held up", || {
            (0..5).all(|_| {
                thread::sleep(Duration::from_millis(2));
                self.plan.blocked() > 0
            })
        });
    }

    /// A call of this kind is held up until the guard goes, also when a test fails.
    pub(crate) fn block(&self, op: Op) -> Blocked {
        self.plan.block(op);
        Blocked(Arc::clone(&self.plan), op)
    }
}

/// Lets calls go on when it is dropped.
pub(crate) struct Blocked(Arc<FaultPlan>, Op);

impl Drop for Blocked {
    fn drop(&mut self) {
        self.0.go_on(self.1);
    }
}

/// One record of a log.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Record {
    pub(crate) offset: u64,
    pub(crate) len: u32,
    pub(crate) queue_offset: i64,
    pub(crate) body: Vec<u8>,
    pub(crate) properties: Vec<u8>,
}

/// The medium of the folder as production makes it.
pub(crate) fn folder(path: &Path, staging: Option<Staging>) -> FolderMedium {
    let mut config = FolderConfig::new(path);
    config.staging = staging;
    FolderMedium::open(config)
}

/// Looks at a folder without taking its lock.
pub(crate) fn read_only(path: &Path) -> FolderMedium {
    FolderMedium::open_read_only(FolderConfig::new(path))
}

/// The staging that these settings ask for, as `StoreOptions::open` chooses it.
pub(crate) fn staging(settings: &[(&str, &str)], size: u32) -> Option<Staging> {
    let is = |name, value| settings.contains(&(name, value));
    if is("transientStorePoolEnable", "true") {
        return Some(Staging::new(TransientPool::new(5, size).unwrap()));
    }
    is("flushDiskType", "SYNC_FLUSH").then(|| {
        let mut staging = Staging::new(TransientPool::new(2, size).unwrap());
        staging.resumed = true;
        staging.written_ahead = true;
        staging
    })
}

/// Starts and bytes of a medium's log files.
fn log_of<M: Medium>(medium: &M, size: u32) -> (Vec<u64>, Vec<u8>) {
    let files = medium.segments(Series::CommitLog, size).unwrap();
    let (mut bases, mut log) = (Vec::new(), Vec::new());
    files.list(&mut |base| bases.push(base)).unwrap();
    for base in &bases {
        let mut bytes = vec![0; size as usize];
        files.open(*base).unwrap().read(0, &mut bytes).unwrap();
        log.extend(bytes);
    }
    (bases, log)
}

/// The records of a log that begins at 0.
pub(crate) fn records(log: &[u8], size: u32) -> Vec<Record> {
    let (mut found, mut at) = (Vec::new(), 0);
    while at < log.len() {
        if log[at..].iter().take(8).all(|b| *b == 0) {
            break;
        }
        match RecordView::parse(&log[at..]).unwrap() {
            Parsed::Blank { .. } => at = at.next_multiple_of(size as usize),
            Parsed::Record(r) => {
                assert_eq!(r.physical_offset(), at as u64, "a record of another place");
                assert!(r.body_crc_ok(), "the body at {at} is damaged");
                found.push(Record {
                    offset: at as u64,
                    len: r.total_size(),
                    queue_offset: r.queue_offset(),
                    body: r.body().to_vec(),
                    properties: r.properties_bytes().to_vec(),
                });
                at += r.total_size() as usize;
            }
        }
    }
    found
}

/// A copy of a store's log as it is now, in a folder of its own: what a killed process leaves.
pub(crate) fn copy_of_log(from: &Path) -> TempDir {
    let to = tempfile::tempdir().unwrap();
    fs::create_dir(to.path().join("commitlog")).unwrap();
    for file in files_of(from) {
        let name = file.file_name().unwrap();
        fs::copy(&file, to.path().join("commitlog").join(name)).unwrap();
    }
    to
}

/// The log files of a folder.
fn files_of(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder.join("commitlog")).unwrap();
    entries.map(|e| e.unwrap().path()).collect()
}

/// Puts this body into queue 0 of `TopicTest`.
pub(crate) fn put_body(store: &Store, body: &[u8]) -> PutMessageResult {
    store.put(&Message::new("TopicTest", 0, body))
}

/// Waits until something is so, which it must be some time.
pub(crate) fn until(what: &str, mut is: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(30);
    while !is() {
        assert!(Instant::now() < deadline, "never: {what}");
        thread::sleep(Duration::from_millis(1));
    }
}
