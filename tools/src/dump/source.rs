//! A file that is read in small pieces, whatever its length.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;

use sha2::{Digest as _, Sha256};

use crate::replay::data::hex;

/// How much is read at a time.
const WINDOW: usize = 64 * 1024;
/// As much of nothing.
static ZEROS: [u8; WINDOW] = [0; WINDOW];

/// An open file and the piece of it that was read last.
pub(super) struct Source {
    file: File,
    len: u64,
    window: Vec<u8>,
    window_at: u64,
}

impl Source {
    /// Opens a regular file: anything else (a pipe, a folder) could make a reader wait.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        if !std::fs::metadata(path)?.is_file() {
            return Err(io::Error::other("not a regular file"));
        }
        let file = File::open(path)?;
        let len = file.metadata()?.len();
        Ok(Self { file, len, window: Vec::new(), window_at: 0 })
    }

    /// Its length when it was opened.
    pub(super) fn len(&self) -> u64 {
        self.len
    }

    /// The bytes from `at` on, at least one and at most [`WINDOW`]; none at the end.
    fn piece(&mut self, at: u64) -> io::Result<&[u8]> {
        let inside = |window: &[u8], start: u64| {
            at.checked_sub(start)
                .and_then(|skip| usize::try_from(skip).ok())
                .filter(|skip| *skip < window.len())
        };
        if inside(&self.window, self.window_at).is_none() {
            self.fill(at)?;
        }
        let skip = inside(&self.window, self.window_at).unwrap_or(self.window.len());
        Ok(self.window.get(skip..).unwrap_or_default())
    }

    fn fill(&mut self, at: u64) -> io::Result<()> {
        self.window.clear();
        self.window_at = at;
        let want = self.len.saturating_sub(at).min(WINDOW as u64);
        if want > 0 {
            self.file.seek(SeekFrom::Start(at))?;
            self.file.by_ref().take(want).read_to_end(&mut self.window)?;
        }
        Ok(())
    }

    /// Copies `[at, at + out.len())`; false if the file ends before.
    pub(super) fn copy(&mut self, at: u64, out: &mut [u8]) -> io::Result<bool> {
        let mut done = 0;
        while done < out.len() {
            let piece = self.piece(at + done as u64)?;
            if piece.is_empty() {
                return Ok(false);
            }
            let n = piece.len().min(out.len() - done);
            out[done..done + n].copy_from_slice(&piece[..n]);
            done += n;
        }
        Ok(true)
    }

    /// `N` bytes at `at`; `None` if the file ends before.
    pub(super) fn bytes<const N: usize>(&mut self, at: u64) -> io::Result<Option<[u8; N]>> {
        let mut out = [0; N];
        Ok(self.copy(at, &mut out)?.then_some(out))
    }

    /// A 32-bit number at `at`.
    pub(super) fn int(&mut self, at: u64) -> io::Result<Option<i32>> {
        Ok(self.bytes(at)?.map(i32::from_be_bytes))
    }

    /// A 64-bit number at `at`.
    pub(super) fn long(&mut self, at: u64) -> io::Result<Option<i64>> {
        Ok(self.bytes(at)?.map(i64::from_be_bytes))
    }

    /// Shows `[from, to)` piece by piece; answers false if the file ends before `to`.
    pub(super) fn each(
        &mut self,
        from: u64,
        to: u64,
        mut show: impl FnMut(u64, &[u8]),
    ) -> io::Result<bool> {
        let mut at = from;
        while at < to {
            let piece = self.piece(at)?;
            let n = usize::try_from(to - at).unwrap_or(usize::MAX).min(piece.len());
            if n == 0 {
                return Ok(false);
            }
            show(at, &piece[..n]);
            at += n as u64;
        }
        Ok(true)
    }

    /// The SHA-256 of `[from, to)`, or of what there is of it.
    pub(super) fn sha256(&mut self, from: u64, to: u64) -> io::Result<String> {
        let mut hash = Sha256::new();
        self.each(from, to, |_, piece| hash.update(piece))?;
        Ok(hex(&hash.finalize()))
    }

    /// The first byte at or behind `from` that is not zero.
    pub(super) fn first_non_zero(&mut self, from: u64) -> io::Result<Option<u64>> {
        let mut at = from;
        loop {
            let piece = self.piece(at)?;
            if piece.is_empty() {
                return Ok(None);
            }
            // a whole comparison first: most of a log file is zeros, and that is one memcmp
            let zeros = ZEROS.get(..piece.len()).is_some_and(|zeros| zeros == piece);
            if !zeros && let Some(i) = piece.iter().position(|b| *b != 0) {
                return Ok(Some(at + i as u64));
            }
            at += piece.len() as u64;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_put_together_across_windows() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        let bytes = crate::replay::data::fill(WINDOW * 2 + 17, 3);
        std::fs::write(&path, &bytes).unwrap();
        let mut source = Source::open(&path).unwrap();
        let mut out = vec![0; 100];
        for at in [0, WINDOW - 50, 7, WINDOW * 2 - 83] {
            assert!(source.copy(at as u64, &mut out).unwrap());
            assert_eq!(out, bytes[at..at + 100]);
        }
        assert!(!source.copy((WINDOW * 2 - 82) as u64, &mut out).unwrap());
        assert_eq!(source.bytes::<8>(u64::MAX).unwrap(), None);
        let whole = source.sha256(0, bytes.len() as u64).unwrap();
        assert_eq!(whole, hex(&Sha256::digest(&bytes)));
    }

    #[test]
    fn a_folder_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        assert!(Source::open(folder.path()).is_err());
    }
}
