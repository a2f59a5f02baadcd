//! Opening the store on whatever a power cut has left: this version of it refuses a torn log
//! with its place, and the harness cuts it there, as a recovery would.

use std::sync::Arc;

use mqstore::{ManualClock, OpenError, Store, StoreClock, StoreOptions};
use mqstore_core::segment::{Found, Medium, SegmentBackend, Series};
use mqstore_sim::{MediumOptions, SimDisk, SimMedium};

use crate::log::SIZE;

const NOW: i64 = 1_700_000_000_000;
/// A log that has to be cut more often than this has something else.
const CUTS_MAX: u32 = 8;

/// Opens the store as it is.
pub(crate) fn open_once(disk: &Arc<SimDisk>, options: MediumOptions) -> Result<Store, OpenError> {
    let settings = [
        ("mappedFileSizeCommitLog", SIZE.to_string()),
        ("maxMessageSize", "2000".to_owned()),
        ("flushDiskType", "SYNC_FLUSH".to_owned()),
        ("mqstore.preparedBytes", "0".to_owned()),
    ];
    let mut store = StoreOptions::default().clock(StoreClock::Manual(ManualClock::new(NOW)));
    for (name, value) in &settings {
        store = store.set(name, value).unwrap();
    }
    store.open_on(SimMedium::new(disk, options))
}

/// Opens the store, and answers how often its log had to be cut for that.
pub(crate) fn open(disk: &Arc<SimDisk>, options: MediumOptions) -> Result<(Store, u32), OpenError> {
    for cuts in 0..CUTS_MAX {
        match open_once(disk, options) {
            Ok(store) => return Ok((store, cuts)),
            Err(OpenError::Damaged { offset, .. }) => cut(disk, options, offset),
            Err(e) => return Err(e),
        }
    }
    open_once(disk, options).map(|store| (store, CUTS_MAX))
}

/// Takes everything at and behind `offset` away.
fn cut(disk: &Arc<SimDisk>, options: MediumOptions, offset: u64) {
    let log = SimMedium::new(disk, options).segments(Series::CommitLog, SIZE).unwrap();
    let at = offset % u64::from(SIZE);
    let base = offset - at;
    let mut bases = Vec::new();
    log.list(&mut |base| bases.push(base)).unwrap();
    for later in bases.into_iter().filter(|b| *b > base).rev() {
        log.remove(later).unwrap();
    }
    drop(log.open(base).unwrap().resume(u32::try_from(at).unwrap()).unwrap());
}
