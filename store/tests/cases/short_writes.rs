//! A file that takes fewer bytes than asked: C-06.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use mqstore::{Cause, PutMessageStatus, Store};
use mqstore_backends::mmap::access::Access;
use mqstore_backends::mmap::{Staging, TransientPool};

use crate::support::{log_bytes, put_r, small, with};
use crate::world::{World, folder};

const MODES: [[(&str, &str); 1]; 2] =
    [[("flushDiskType", "SYNC_FLUSH")], [("transientStorePoolEnable", "true")]];

/// Takes so many bytes a call at most.
struct Short(File, Arc<AtomicUsize>);

impl Access for Short {
    fn write_at(&self, at: u64, bytes: &[u8]) -> io::Result<usize> {
        let most = bytes.len().min(self.1.load(Ordering::SeqCst));
        if most == 0 {
            return Ok(0);
        }
        self.0.write_at(at, &bytes[..most])
    }

    fn sync(&self) -> io::Result<()> {
        self.0.sync()
    }
}

fn open(path: &Path, mode: &[(&str, &str)], most: &Arc<AtomicUsize>) -> Store {
    let mut staging = Staging::new(TransientPool::new(2, 4096).unwrap());
    staging.resumed = true;
    let most = Arc::clone(most);
    staging.access = Arc::new(move |file| Box::new(Short(file, Arc::clone(&most))));
    with(small(path), mode).open_on(folder(path, Some(staging))).unwrap()
}

#[test]
fn c_06_writes_that_take_seven_bytes_each_leave_the_bytes_of_whole_ones() {
    let normal = World::folder();
    let store = normal.open(&[]);
    for _ in 0..3 {
        put_r(&store, 100);
    }
    store.close().unwrap();
    for mode in MODES {
        let dir = tempfile::tempdir().unwrap();
        let store = open(dir.path(), &mode, &Arc::new(AtomicUsize::new(7)));
        for _ in 0..3 {
            assert_eq!(put_r(&store, 100).status, PutMessageStatus::PutOk, "{mode:?}");
        }
        store.close().unwrap();
        assert!(log_bytes(dir.path()) == normal.log(), "{mode:?}");
        let again = small(dir.path()).open().unwrap();
        assert_eq!(again.status().written_offset, 600, "{mode:?}");
    }
}

#[test]
fn c_06_a_file_that_takes_nothing_twice_in_a_row_acknowledges_nothing() {
    for mode in MODES {
        let dir = tempfile::tempdir().unwrap();
        let most = Arc::new(AtomicUsize::new(7));
        let store = open(dir.path(), &mode, &most);
        assert_eq!(put_r(&store, 100).status, PutMessageStatus::PutOk);
        assert_eq!(store.flush().unwrap(), 200);
        most.store(0, Ordering::SeqCst);
        let second = put_r(&store, 100);
        if mode == MODES[0] {
            assert_eq!(second.status, PutMessageStatus::FlushDiskTimeout);
            assert!(matches!(second.cause, Some(Cause::FlushFailed(_))), "{second}");
        } else {
            assert!(store.flush().is_err(), "the pool is committed later");
        }
        most.store(usize::MAX, Ordering::SeqCst);
        let third = put_r(&store, 100);
        assert_eq!(third.status, PutMessageStatus::ServiceNotAvailable, "{mode:?}");
        assert_eq!(store.status().flushed_where, 200, "{mode:?}");
        assert!(store.close().is_err(), "{mode:?}");
        assert!(log_bytes(dir.path())[200..].iter().all(|b| *b == 0), "{mode:?}");
    }
}
