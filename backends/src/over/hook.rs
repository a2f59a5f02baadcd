//! What a middleware is asked before and after each call of a medium.

use mqstore_core::segment::{ErrorKind, Series};

/// What a medium is asked to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Op {
    /// `Medium::lock`
    Lock,
    /// `SegmentBackend::create`
    Create,
    /// `SegmentBackend::open`
    Open,
    /// `Found::sync`
    SyncFound,
    /// `Found::resume`
    Resume,
    /// `SegmentBackend::remove`, `Medium::remove_series`
    Remove,
    /// `SegmentBackend::list`, `Medium::queues`, `Medium::index_files`
    List,
    /// `Tail::window`
    Window,
    /// `Tail::publish`, which cannot fail
    Publish,
    /// `Segment::poll_commit`
    Commit,
    /// `Segment::poll_flush`
    Flush,
    /// `Segment::prepare`
    Prepare,
    /// `Readable::read`
    Read,
    /// `Medium::cells`
    OpenCells,
    /// `Cells::get`
    GetCells,
    /// `Cells::set`
    SetCells,
    /// `Cells::sync`
    SyncCells,
    /// `Medium::remove_cells`
    RemoveCells,
    /// `Medium::load`
    Load,
    /// `Medium::save`
    Save,
    /// `Medium::erase`
    Erase,
    /// `Medium::space`
    Space,
}

/// How many there are.
pub(crate) const OPS: usize = Op::Space as usize + 1;

/// Which files a call is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// The log.
    CommitLog,
    /// A consume queue.
    ConsumeQueue,
    /// The extension of one.
    ConsumeQueueExt,
    /// The checkpoint or an index file.
    Cells,
    /// A small file.
    Small,
    /// The medium as a whole.
    Medium,
}

impl From<Series<'_>> for Place {
    fn from(series: Series<'_>) -> Self {
        match series {
            Series::CommitLog => Self::CommitLog,
            Series::ConsumeQueue(..) => Self::ConsumeQueue,
            Series::ConsumeQueueExt(..) => Self::ConsumeQueueExt,
        }
    }
}

/// One call of a medium.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// What is asked.
    pub op: Op,
    /// About which files.
    pub place: Place,
    /// Offset in the series or the file: of the segment, of the window, or of what is to be
    /// committed or flushed.
    pub at: u64,
    /// How many bytes it is about.
    pub len: u64,
}

/// What becomes of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Go {
    /// The medium is asked.
    On,
    /// A poll answers that it is not done yet; other calls go on.
    Pending,
}

/// Stands between a store and its medium.
pub trait Hook {
    /// Before the medium is asked.
    ///
    /// # Errors
    /// The medium is not asked, and answers with this.
    fn before(&self, call: &Call) -> Result<Go, ErrorKind> {
        let _ = call;
        Ok(Go::On)
    }

    /// After it has done what it was asked.
    ///
    /// # Errors
    /// It answers with this as if it had failed: a segment that it made is removed again.
    fn after(&self, call: &Call) -> Result<(), ErrorKind> {
        let _ = call;
        Ok(())
    }

    /// Whether bytes may be lent; otherwise readers have to ask for a copy, which can fail.
    fn lends(&self) -> bool {
        true
    }
}

impl<H: Hook + ?Sized> Hook for &H {
    fn before(&self, call: &Call) -> Result<Go, ErrorKind> {
        (**self).before(call)
    }

    fn after(&self, call: &Call) -> Result<(), ErrorKind> {
        (**self).after(call)
    }

    fn lends(&self) -> bool {
        (**self).lends()
    }
}

#[cfg(feature = "std")]
impl<H: Hook + ?Sized> Hook for std::sync::Arc<H> {
    fn before(&self, call: &Call) -> Result<Go, ErrorKind> {
        (**self).before(call)
    }

    fn after(&self, call: &Call) -> Result<(), ErrorKind> {
        (**self).after(call)
    }

    fn lends(&self) -> bool {
        (**self).lends()
    }
}

/// Asks the hook, the medium, and the hook again.
pub(crate) fn through<H: Hook, T, E: From<ErrorKind>>(
    hook: &H,
    call: Call,
    ask: impl FnOnce() -> Result<T, E>,
) -> Result<T, E> {
    hook.before(&call)?;
    let answer = ask()?;
    hook.after(&call)?;
    Ok(answer)
}
