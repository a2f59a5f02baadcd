//! Readers beside the writer.

use core::sync::atomic::{AtomicU32, Ordering};
use std::sync::Arc;
use std::thread;

use super::*;
use crate::segment::Cells;

/// Cells as a mapped file has them: words without any order among them.
#[derive(Clone)]
struct Words(Arc<Vec<AtomicU32>>);

impl Words {
    fn at(&self, at: u64, len: usize) -> Result<&[AtomicU32], ErrorKind> {
        let first = usize::try_from(at / 4).unwrap();
        self.0.get(first..first + len / 4).ok_or(ErrorKind::OutOfBounds)
    }
}

impl Cells for Words {
    type Error = ErrorKind;

    fn len(&self) -> u64 {
        self.0.len() as u64 * 4
    }

    fn get(&self, at: u64, out: &mut [u8]) -> Result<(), ErrorKind> {
        for (word, out) in self.at(at, out.len())?.iter().zip(out.chunks_exact_mut(4)) {
            out.copy_from_slice(&word.load(Ordering::Relaxed).to_be_bytes());
        }
        Ok(())
    }

    fn set(&self, at: u64, bytes: &[u8]) -> Result<(), ErrorKind> {
        for (word, new) in self.at(at, bytes.len())?.iter().zip(bytes.as_chunks::<4>().0) {
            word.store(u32::from_be_bytes(*new), Ordering::Relaxed);
        }
        Ok(())
    }

    fn sync(&self) -> Result<(), ErrorKind> {
        Ok(())
    }
}

#[test]
fn a_reader_finds_all_that_was_put_while_the_writer_goes_on() {
    const ENTRIES: u32 = 20_001;
    let geometry = geometry(1, ENTRIES);
    let words = (0..geometry.file_len() / 4).map(|_| AtomicU32::new(0)).collect();
    let cells = Words(Arc::new(words));
    let file = Arc::new(IndexFile::create(cells, geometry, IndexHeader::default()).unwrap());
    let mut writer = IndexWriter::claim(Arc::clone(&file)).unwrap();
    thread::scope(|scope| {
        scope.spawn(|| {
            while !file.is_full() {
                let there = file.header().next_number() - 1;
                let chain = file.chain(hash("k")).unwrap();
                // Looking at the newest ones is enough: each is as new as its slot.
                let numbers: Vec<u32> = chain
                    .take(50)
                    .map(|link| {
                        let Link { number, entry } = link.unwrap();
                        assert_eq!(entry.physical_offset, i64::from(number));
                        assert_eq!(entry.previous.cast_unsigned(), number - 1);
                        number
                    })
                    .collect();
                assert!(numbers.first().copied().unwrap_or(0) >= there);
            }
        });
        for i in 1..ENTRIES {
            assert!(writer.put(hash("k"), u64::from(i), T + i64::from(i)).unwrap());
        }
    });
}
