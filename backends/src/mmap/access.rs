//! Writing staged bytes to their file, behind a trait so that a test can put a bad disk there.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// What the commit of a staged segment needs of its file.
pub trait Access: Send + Sync {
    /// Writes some of `bytes` at `at` and says how many.
    ///
    /// # Errors
    /// What the operating system says.
    fn write_at(&self, at: u64, bytes: &[u8]) -> io::Result<usize>;

    /// Makes everything written so far durable.
    ///
    /// # Errors
    /// What the operating system says.
    fn sync(&self) -> io::Result<()>;
}

impl Access for File {
    fn write_at(&self, at: u64, bytes: &[u8]) -> io::Result<usize> {
        FileExt::write_at(self, bytes, at)
    }

    fn sync(&self) -> io::Result<()> {
        self.sync_data()
    }
}

/// Writes all of `bytes` at `at`, however few a call takes. A call that takes none is tried
/// once more.
pub(crate) fn write_all(file: &dyn Access, mut at: u64, mut bytes: &[u8]) -> io::Result<()> {
    let mut none_before = false;
    while !bytes.is_empty() {
        let taken = match file.write_at(at, bytes) {
            Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
            taken => taken?,
        };
        if taken == 0 && none_before {
            return Err(io::ErrorKind::WriteZero.into());
        }
        none_before = taken == 0;
        bytes = bytes.get(taken..).unwrap_or_default();
        at += taken as u64;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::vec::Vec;

    use super::*;

    /// Takes as many bytes as the list says, then no more.
    struct Takes(Mutex<(Vec<usize>, Vec<u8>)>);

    impl Access for Takes {
        fn write_at(&self, at: u64, bytes: &[u8]) -> io::Result<usize> {
            let mut inner = self.0.lock().unwrap();
            assert_eq!(at, inner.1.len() as u64);
            let n = inner.0.pop().unwrap_or(0).min(bytes.len());
            inner.1.extend(&bytes[..n]);
            Ok(n)
        }

        fn sync(&self) -> io::Result<()> {
            Ok(())
        }
    }

    fn takes(mut each: Vec<usize>) -> Takes {
        each.reverse();
        Takes(Mutex::new((each, Vec::new())))
    }

    #[test]
    fn short_writes_are_continued_where_they_ended() {
        let file = takes(std::vec![3, 0, 1, 0, 7]);
        write_all(&file, 0, b"hello world").unwrap();
        assert_eq!(file.0.lock().unwrap().1, b"hello world");
    }

    #[test]
    fn a_write_that_takes_nothing_twice_in_a_row_fails() {
        let file = takes(std::vec![3, 0, 0, 8]);
        let e = write_all(&file, 0, b"hello world").unwrap_err();
        assert_eq!(e.kind(), io::ErrorKind::WriteZero);
    }
}
