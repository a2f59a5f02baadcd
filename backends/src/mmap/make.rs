//! Making files and folders so that they are whole, real and named durably, or not there.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;
use std::vec;

use super::sys;

/// Makes `names` in this folder durable: those there are, and those that are gone.
pub(crate) fn sync_dir(dir: &Path) -> io::Result<()> {
    File::open(dir)?.sync_all()
}

/// Makes a folder and those above it, durably.
pub(crate) fn make_dirs(dir: &Path) -> io::Result<()> {
    if dir.is_dir() {
        return Ok(());
    }
    let above = dir.parent().filter(|p| !p.as_os_str().is_empty());
    if let Some(above) = above {
        make_dirs(above)?;
    }
    match fs::create_dir(dir) {
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists && dir.is_dir() => return Ok(()),
        made => made?,
    }
    sync_dir(above.unwrap_or(Path::new(".")))
}

/// Makes a file of `len` zeros whose space is real and whose name is durable. It must not be
/// there yet, and is not there when this fails.
///
/// Where the file system can, the file gets its name only when it is whole: a process that
/// dies in between leaves nothing behind.
pub(crate) fn make_file(path: &Path, len: u64) -> io::Result<File> {
    if path.symlink_metadata().is_ok() {
        return Err(io::Error::from_raw_os_error(libc::EEXIST));
    }
    let dir = path.parent().unwrap_or(Path::new("."));
    make_dirs(dir)?;
    let file = match make_nameless(dir, path, len) {
        Err(e) if !nameless_is_possible(&e) => make_named(path, len)?,
        made => made?,
    };
    sync_dir(dir).or_else(|e| give_up(path, e))?;
    Ok(file)
}

fn give_up<T>(path: &Path, error: io::Error) -> io::Result<T> {
    // whether this works or not, the first error is the one to tell
    let _ = fs::remove_file(path);
    Err(error)
}

fn nameless_is_possible(error: &io::Error) -> bool {
    // no such files here; a kernel or a mount without them; no /proc to name them by
    let without = [libc::EOPNOTSUPP, libc::EISDIR, libc::EINVAL, libc::ENOENT, libc::ENOSYS];
    !error.raw_os_error().is_some_and(|code| without.contains(&code))
}

fn make_nameless(dir: &Path, path: &Path, len: u64) -> io::Result<File> {
    let mut options = OpenOptions::new();
    let file = options.read(true).write(true).custom_flags(libc::O_TMPFILE).open(dir)?;
    make_real(&file, 0, len)?;
    file.sync_all()?;
    sys::name_file(&file, path)?;
    Ok(file)
}

fn make_named(path: &Path, len: u64) -> io::Result<File> {
    let file = OpenOptions::new().read(true).write(true).create_new(true).open(path)?;
    let real = make_real(&file, 0, len).and_then(|()| file.sync_all());
    real.or_else(|e| give_up(path, e))?;
    Ok(file)
}

/// Makes the space of a file of `old` bytes real up to `len`, its holes included, so that a
/// write to a mapping of it never finds the device full.
pub(crate) fn make_real(file: &File, old: u64, len: u64) -> io::Result<()> {
    match sys::allocate(file, len) {
        Err(e) if e.raw_os_error() == Some(libc::EOPNOTSUPP) => write_zeros(file, old, len),
        made => made,
    }
}

/// Makes `[from, to)` of a file zeros, and leaves its space real.
pub(crate) fn make_zero(file: &File, from: u64, to: u64) -> io::Result<()> {
    if from >= to {
        return Ok(());
    }
    match sys::zero(file, from, to - from) {
        Err(e) if e.raw_os_error() == Some(libc::EOPNOTSUPP) => overwrite(file, from, to),
        made => made,
    }
}

/// The same where the file system cannot: nearly always there are zeros already, and reading
/// them makes no pages dirty.
fn overwrite(file: &File, from: u64, to: u64) -> io::Result<()> {
    const CHUNK: usize = 64 << 10;
    let (zeros, mut read) = (vec![0; CHUNK], vec![0; CHUNK]);
    let mut at = from;
    while at < to {
        let len = usize::try_from(to - at).unwrap_or(CHUNK).min(CHUNK);
        let (zeros, read) = (&zeros[..len], &mut read[..len]);
        file.read_exact_at(read, at)?;
        if read != zeros {
            file.write_all_at(zeros, at)?;
        }
        at += len as u64;
    }
    Ok(())
}

/// The same where it takes writing: only behind what is there.
fn write_zeros(file: &File, from: u64, to: u64) -> io::Result<()> {
    const CHUNK: usize = 1 << 20;
    let zeros = vec![0; CHUNK];
    let mut at = from;
    while at < to {
        let len = usize::try_from(to - at).unwrap_or(CHUNK).min(CHUNK);
        file.write_all_at(zeros.get(..len).unwrap_or_default(), at)?;
        at += len as u64;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_made_whole_and_only_once() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a/b/file");
        let file = make_file(&path, 10_000).unwrap();
        assert_eq!(file.metadata().unwrap().len(), 10_000);
        assert_eq!(fs::read(&path).unwrap(), [0; 10_000]);
        let again = make_file(&path, 10_000).unwrap_err();
        assert_eq!(again.kind(), io::ErrorKind::AlreadyExists);
    }

    #[test]
    fn the_way_of_older_file_systems_makes_the_same_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        make_named(&path, 5000).unwrap();
        assert_eq!(fs::read(&path).unwrap(), [0; 5000]);
        let file = File::options().write(true).open(&path).unwrap();
        write_zeros(&file, 5000, 3 << 20).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().len(), 3 << 20);
    }

    #[test]
    fn the_end_of_a_file_is_made_zero_in_both_ways_and_nothing_before_it() {
        let dir = tempfile::tempdir().unwrap();
        for (name, zero) in [("a", make_zero as fn(&File, u64, u64) -> _), ("b", overwrite)] {
            let path = dir.path().join(name);
            fs::write(&path, [7; 300_000]).unwrap();
            let file = File::options().read(true).write(true).open(&path).unwrap();
            zero(&file, 5001, 300_000).unwrap();
            let bytes = fs::read(&path).unwrap();
            assert_eq!(bytes.len(), 300_000);
            assert!(bytes[..5001].iter().all(|b| *b == 7), "{name}");
            assert!(bytes[5001..].iter().all(|b| *b == 0), "{name}");
        }
    }

    #[test]
    fn a_file_that_cannot_be_made_is_not_there() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        assert!(make_named(&path, u64::MAX).is_err());
        assert!(make_file(&path, u64::MAX).is_err());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}
