//! Files of cells: the checkpoint and index files.

use mqstore_core::segment::{Cells, CellsFile, ErrorKind, Medium};

use super::{Rig, kind_of, must};

const LEN: u64 = 4096;

fn checkpoint<R: Rig>(rig: &R) -> <R::Medium as Medium>::Cells {
    must(rig.medium().cells(CellsFile::Checkpoint, LEN))
}

/// As RocketMQ's.
pub fn fresh_cells_read_as_zeros<R: Rig>(rig: &R) {
    let cells = checkpoint(rig);
    assert_eq!(cells.len(), LEN);
    assert!(!cells.is_empty());
    let mut out = [0xEE; LEN as usize];
    must(cells.get(0, &mut out));
    assert_eq!(out, [0; LEN as usize]);
}

/// By every handle.
pub fn cells_keep_what_was_set<R: Rig>(rig: &R) {
    let cells = checkpoint(rig);
    let other = cells.clone();
    must(cells.set(8, &[1, 2, 3, 4, 5, 6, 7, 8]));
    must(cells.set(LEN - 4, &[9; 4]));
    must(cells.set(12, &[0xA, 0xB, 0xC, 0xD]));
    let mut out = [0; 16];
    must(other.get(4, &mut out));
    assert_eq!(out, [0, 0, 0, 0, 1, 2, 3, 4, 0xA, 0xB, 0xC, 0xD, 0, 0, 0, 0]);
    must(cells.sync());
}

/// Misuse.
pub fn cells_are_reached_at_multiples_of_four_and_inside_only<R: Rig>(rig: &R) {
    let cells = checkpoint(rig);
    for (at, len) in [(1, 4), (2, 4), (0, 3), (LEN, 4), (LEN - 4, 8), (u64::MAX - 3, 4)] {
        let mut buffer = [0xEE; 8];
        let buffer = &mut buffer[..len];
        assert_eq!(kind_of(cells.get(at, buffer)), ErrorKind::OutOfBounds, "{at} {len}");
        assert_eq!(kind_of(cells.set(at, buffer)), ErrorKind::OutOfBounds, "{at} {len}");
    }
    let mut all = [0xEE; LEN as usize];
    must(cells.get(0, &mut all));
    assert_eq!(all, [0; LEN as usize], "nothing was written");
    must(cells.get(LEN, &mut []));
}

/// A store that is opened again.
pub fn cells_are_there_when_they_are_opened_again<R: Rig>(rig: &R) {
    assert_eq!(must(rig.medium().cells_len(CellsFile::Checkpoint)), None);
    let cells = checkpoint(rig);
    must(cells.set(0, b"kept"));
    must(cells.sync());
    drop(cells);
    assert_eq!(must(rig.medium().cells_len(CellsFile::Checkpoint)), Some(LEN));
    let mut out = [0; 4];
    must(checkpoint(rig).get(0, &mut out));
    assert_eq!(&out, b"kept");
}

/// A checkpoint that was cut short.
pub fn cells_grow_and_keep_what_was_in_them<R: Rig>(rig: &R) {
    let short = must(rig.medium().cells(CellsFile::Checkpoint, 64));
    must(short.set(60, b"kept"));
    must(short.sync());
    drop(short);
    let cells = checkpoint(rig);
    assert_eq!(cells.len(), LEN);
    let mut out = [0xEE; 8];
    must(cells.get(60, &mut out));
    assert_eq!(&out, b"kept\0\0\0\0");
    must(cells.set(LEN - 4, b"last"));
    drop(cells);
    let again = must(rig.medium().cells(CellsFile::Checkpoint, 64));
    assert_eq!(again.len(), LEN, "never shortened");
}

/// Whoever holds them reads on.
pub fn cells_that_are_removed_are_gone<R: Rig>(rig: &R) {
    let medium = rig.medium();
    let file = CellsFile::Index(20_220_221_120_000_123);
    let cells = must(medium.cells(file, 64));
    must(cells.set(0, b"gone"));
    must(medium.remove_cells(file));
    must(medium.remove_cells(file));
    assert_eq!(must(medium.cells_len(file)), None);
    let mut out = [0; 4];
    must(cells.get(0, &mut out));
    assert_eq!(&out, b"gone");
    let fresh = must(medium.cells(file, 64));
    must(fresh.get(0, &mut out));
    assert_eq!(out, [0; 4]);
}

/// In whatever order they were made.
pub fn index_files_are_listed_in_ascending_order<R: Rig>(rig: &R) {
    let names = [20_220_221_120_000_123, 20_191_231_235_959_999, 20_220_221_120_000_124];
    for name in names {
        drop(must(rig.medium().cells(CellsFile::Index(name), 64)));
    }
    drop(checkpoint(rig));
    let mut last = 0;
    let mut count = 0;
    must(rig.medium().index_files(&mut |name| {
        assert!(name > last && names.contains(&name));
        last = name;
        count += 1;
    }));
    assert_eq!(count, names.len());
}
