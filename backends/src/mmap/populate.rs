//! Making pages of a mapping present ahead of the writer.
//!
//! `MADV_POPULATE_WRITE` does what the first store to each page would do and changes no byte,
//! so it may run beside the writer. Kernels before 5.14 do not have it: then nothing is made
//! ready, and the writer pays for its pages itself.

use std::io;

use memmap2::{Advice, MmapRaw};

/// Makes `[from, to)` present.
pub(crate) fn populate(map: &MmapRaw, from: u32, to: u32) -> io::Result<()> {
    loop {
        match map.advise_range(Advice::PopulateWrite, from as usize, (to - from) as usize) {
            Err(e) if is_passing(&e) => {}
            done => return done,
        }
    }
}

fn is_passing(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EINTR | libc::EAGAIN))
}
