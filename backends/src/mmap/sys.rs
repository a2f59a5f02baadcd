//! The calls of Linux that the standard library does not have.

use core::mem::MaybeUninit;
use std::ffi::CString;
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use mqstore_core::segment::Space;

/// Retries a call that answers -1 while a signal interrupts it.
fn retry(mut call: impl FnMut() -> libc::c_int) -> io::Result<()> {
    loop {
        if call() == 0 {
            return Ok(());
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
}

fn c_string(path: &Path) -> io::Result<CString> {
    CString::new(path.as_os_str().as_bytes())
        .map_err(|_| io::Error::from_raw_os_error(libc::EINVAL))
}

/// To open a file by its name and nothing that stands for another one, or that makes the opener
/// wait.
pub(crate) const NO_SURPRISES: libc::c_int = libc::O_NOFOLLOW | libc::O_NONBLOCK;

/// The file, if it is one.
pub(crate) fn regular(file: File) -> io::Result<File> {
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::ErrorKind::InvalidInput.into()) }
}

/// Makes the space of `[0, len)` real; what lies there stays.
pub(crate) fn allocate(file: &File, len: u64) -> io::Result<()> {
    let too_big = |_| io::Error::from_raw_os_error(libc::EFBIG);
    let len = libc::off_t::try_from(len).map_err(too_big)?;
    // SAFETY: the descriptor is open as long as `file` is borrowed; the rest are numbers.
    retry(|| unsafe { libc::fallocate(file.as_raw_fd(), 0, 0, len) })
}

/// Makes `[at, at + len)` zeros whose space is real.
pub(crate) fn zero(file: &File, at: u64, len: u64) -> io::Result<()> {
    let too_big = |_| io::Error::from_raw_os_error(libc::EFBIG);
    let at = libc::off_t::try_from(at).map_err(too_big)?;
    let len = libc::off_t::try_from(len).map_err(too_big)?;
    let mode = libc::FALLOC_FL_ZERO_RANGE;
    // SAFETY: the descriptor is open as long as `file` is borrowed; the rest are numbers.
    retry(|| unsafe { libc::fallocate(file.as_raw_fd(), mode, at, len) })
}

/// Locks a file or folder as a whole against everybody else who does, without waiting.
pub(crate) fn lock_whole(file: &File) -> io::Result<()> {
    // SAFETY: the descriptor is open as long as `file` is borrowed; the rest are numbers.
    retry(|| unsafe { libc::flock(file.as_raw_fd(), libc::LOCK_EX | libc::LOCK_NB) })
}

/// Lets go of it, whoever else has a copy of the descriptor.
pub(crate) fn unlock_whole(file: &File) {
    // SAFETY: as above. A lock that is not there is no error.
    let _ = retry(|| unsafe { libc::flock(file.as_raw_fd(), libc::LOCK_UN) });
}

/// Locks the first byte against every other open file description, of whatever process, and
/// against POSIX locks such as Java's. Goes with the file.
pub(crate) fn lock_first_byte(file: &File) -> io::Result<()> {
    set_lock(file, libc::F_WRLCK)
}

/// Lets go of it, whoever else has a copy of the descriptor.
pub(crate) fn unlock_first_byte(file: &File) -> io::Result<()> {
    set_lock(file, libc::F_UNLCK)
}

fn set_lock(file: &File, kind: libc::c_int) -> io::Result<()> {
    // SAFETY: `flock` is plain numbers; zero is a value of each.
    let mut lock: libc::flock = unsafe { MaybeUninit::zeroed().assume_init() };
    lock.l_type = kind as libc::c_short;
    lock.l_whence = libc::SEEK_SET as libc::c_short;
    lock.l_len = 1;
    // SAFETY: the descriptor is open as long as `file` is borrowed, and the kernel only reads
    // the structure, which lives until the call returns.
    retry(|| unsafe { libc::fcntl(file.as_raw_fd(), libc::F_OFD_SETLK, &raw const lock) })
}

/// Gives a file that has no name yet this one.
pub(crate) fn name_file(file: &File, path: &Path) -> io::Result<()> {
    let from = c_string(Path::new(&std::format!("/proc/self/fd/{}", file.as_raw_fd())))?;
    let to = c_string(path)?;
    // SAFETY: both are strings with a zero behind them that live until the call returns.
    retry(|| unsafe {
        libc::linkat(
            libc::AT_FDCWD,
            from.as_ptr(),
            libc::AT_FDCWD,
            to.as_ptr(),
            libc::AT_SYMLINK_FOLLOW,
        )
    })
}

/// How full the file system is that carries `path`.
pub(crate) fn space(path: &Path) -> io::Result<Space> {
    let path = c_string(path)?;
    let mut stat = MaybeUninit::<libc::statvfs>::uninit();
    // SAFETY: the path is a string with a zero behind it, and the kernel fills the structure.
    retry(|| unsafe { libc::statvfs(path.as_ptr(), stat.as_mut_ptr()) })?;
    // SAFETY: the call has succeeded, so the structure is filled.
    let stat = unsafe { stat.assume_init() };
    let unit = stat.f_frsize;
    // as Java counts: used is what is not free, and all is that and what a user still gets
    let used = stat.f_blocks.saturating_sub(stat.f_bfree);
    let free = stat.f_bavail.saturating_mul(unit);
    Ok(Space { total: used.saturating_mul(unit).saturating_add(free), free })
}
