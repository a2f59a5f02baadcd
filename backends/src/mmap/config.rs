//! Where a store's files lie, and how its log is written.

use core::fmt;
use std::boxed::Box;
use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;
use std::vec::Vec;

use super::access::Access;
use super::transient::TransientPool;

/// The folders of a store.
#[derive(Clone, Debug, Default)]
pub struct FolderConfig {
    /// Root of everything but the log (`storePathRootDir`).
    pub root: PathBuf,
    /// Folders of the log (`storePathCommitLog`, split); none: `commitlog` in the root.
    pub commit_log_dirs: Vec<PathBuf>,
    /// More folders of the log, which get no new files (`readOnlyCommitLogStorePaths`).
    pub read_only_commit_log_dirs: Vec<PathBuf>,
    /// Log segments are staged in the buffers of a pool (`transientStorePoolEnable`); otherwise
    /// they are written in place.
    pub staging: Option<Staging>,
}

impl FolderConfig {
    /// Everything below this folder, and the log written in place.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into(), ..Self::default() }
    }
}

/// Makes the way to a staged segment's file.
pub type AccessOf = Arc<dyn Fn(File) -> Box<dyn Access> + Send + Sync>;

/// How log segments are staged.
#[derive(Clone)]
pub struct Staging {
    /// Where the buffers come from.
    pub pool: Arc<TransientPool>,
    /// Without a free buffer no segment is made (`fastFailIfNoBufferInStorePool`); otherwise it
    /// is written in place.
    pub fail_fast: bool,
    /// Whether the segment that is resumed at open is staged, too. RocketMQ's is not.
    pub resumed: bool,
    /// What [`Segment::prepare`](mqstore_core::segment::Segment::prepare) makes ready is also
    /// written: a sync of it later carries no news of the file's extents. Twice the bytes, for
    /// syncs that cost half.
    pub written_ahead: bool,
    /// The way to the files: their own, or one that a test has made worse.
    pub access: AccessOf,
}

impl Staging {
    /// Staged in these buffers, as RocketMQ does.
    #[must_use]
    pub fn new(pool: Arc<TransientPool>) -> Self {
        let access: AccessOf = Arc::new(|file| Box::new(file));
        Self { pool, fail_fast: false, resumed: false, written_ahead: false, access }
    }
}

impl fmt::Debug for Staging {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Staging")
            .field("pool", &self.pool)
            .field("fail_fast", &self.fail_fast)
            .field("resumed", &self.resumed)
            .field("written_ahead", &self.written_ahead)
            .finish_non_exhaustive()
    }
}
