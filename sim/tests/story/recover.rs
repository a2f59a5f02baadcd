//! Opening the store on whatever a power cut has left: this version of it refuses a torn log
//! with its place, and the harness cuts it there, as a recovery would.

use std::sync::Arc;

use mqstore::{ManualClock, OpenError, Store, StoreClock, StoreOptions};
use mqstore_core::segment::{Found, Medium, SegmentBackend, Series};
use mqstore_sim::{MediumOptions, SimDisk, SimMedium};

use crate::log::{self, SIZE};
use crate::model::Queues;

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
///
/// The checksum of a record covers its body only. With `heads` a record is also no record if its
/// queue offset is not the next one of its queue: else one whose head was torn is taken for a
/// message, and its queue counts on from whatever is left in it.
pub(crate) fn open(
    disk: &Arc<SimDisk>,
    options: MediumOptions,
    heads: bool,
) -> Result<(Store, u32), OpenError> {
    let torn_head = heads.then(|| first_torn_head(disk)).flatten();
    if let Some(at) = torn_head {
        cut(disk, options, at);
    }
    for cuts in torn_head.iter().map(|_| 1).sum()..CUTS_MAX {
        match open_once(disk, options) {
            Ok(store) => return Ok((store, cuts)),
            Err(OpenError::Damaged { offset, .. }) => cut(disk, options, offset),
            Err(e) => return Err(e),
        }
    }
    open_once(disk, options).map(|store| (store, CUTS_MAX))
}

fn first_torn_head(disk: &Arc<SimDisk>) -> Option<u64> {
    let (mut queues, mut first) = (Queues::default(), None);
    log::each(&log::files(disk), |at, record| {
        if !queues.follows(&record) {
            first = first.or(Some(at));
        }
    });
    first
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
