use super::*;

#[test]
fn entries_follow_each_other_over_files() {
    let w = World::of(401);
    assert_eq!(w.bounds(), (0, 401));
    assert_eq!(w.queue.table().len(), 3);
    assert_eq!(w.writer.end(), Some(8020));
    assert_eq!(w.writer.max_physical(), Some(1000 + 40_100));
    let cell = Cell { physical_offset: 1000 + 20_000, size: SIZE, tags_code: 200 };
    assert_eq!(w.queue.cell(200), Ok(Some(cell)));
    assert_eq!(w.backend.bytes(4000)[..20], cell.encode());
    assert_eq!(w.queue.cell(401), Ok(None));
    assert!(w.heard.gaps.borrow().is_empty());
}

/// Spec 02 section 7.2, as run: size 4000, first offset 203.
#[test]
fn a_first_file_holds_the_queue_offset_behind_three_fillers() {
    let mut w = World::new();
    assert_eq!(w.put(203), Ok(Put::At { entry: 203 }));
    assert_eq!(w.bounds(), (203, 204));
    let first = w.queue.table().first().unwrap();
    assert_eq!((first.base(), first.marks().published()), (4000, 80));
    let mut expected = Vec::new();
    for _ in 0..3 {
        expected.extend([0, 0, 0, 0, 0, 0, 0, 0, 0x7F, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0, 0, 0, 0]);
    }
    assert_eq!(w.backend.bytes(4000)[..60], expected);
    assert_eq!(w.queue.cell(202), Ok(None), "a filler is not given out");
}

/// Spec 04 section 10, as run.
#[test]
fn a_gap_is_closed_up_and_told_a_taken_offset_ignored_and_0_put_without_a_look() {
    let mut w = World::new();
    w.put(203).unwrap();
    assert_eq!(w.put(210), Ok(Put::At { entry: 204 }));
    assert_eq!(*w.heard.gaps.borrow(), [(210, 204)]);
    assert_eq!(w.put(203), Ok(Put::Behind));
    assert_eq!(w.put(0), Ok(Put::At { entry: 205 }));
    assert_eq!(w.put(-1), Ok(Put::Behind));
    assert_eq!(w.bounds(), (203, 206));
    assert_eq!(w.heard.gaps.borrow().len(), 1);
}

#[test]
fn a_first_offset_at_the_border_of_a_file_needs_no_filler() {
    let mut w = World::new();
    assert_eq!(w.put(400), Ok(Put::At { entry: 400 }));
    assert_eq!(w.bounds(), (400, 401));
    assert_eq!(w.queue.table().first().unwrap().base(), 8000);
}

#[test]
fn a_record_that_was_entered_before_is_left_out() {
    let mut w = World::of(5);
    w.log -= 200;
    assert_eq!(w.put(5), Ok(Put::AlreadyThere));
    assert_eq!(w.put(6), Ok(Put::AlreadyThere));
    assert_eq!(w.put(5), Ok(Put::At { entry: 5 }));
}

#[test]
fn a_file_that_cannot_be_made_is_named_and_the_next_try_makes_it() {
    let mut w = World::of(200);
    w.backend.faults.create.set(Some(ErrorKind::NoSpace));
    assert_eq!(w.put(200), Err(NotPut::CreateFailed { base: 4000, kind: ErrorKind::NoSpace }));
    assert_eq!((w.bounds(), w.heard.failed.get()), ((0, 200), 1));
    assert_eq!(w.put(200), Ok(Put::At { entry: 200 }));
}

#[test]
fn a_table_without_room_makes_no_file() {
    let mut w = World::of(1600);
    let made = w.backend.faults.creates.get();
    let kind = ErrorKind::Exhausted;
    assert_eq!(w.put(1600), Err(NotPut::CreateFailed { base: 32_000, kind }));
    assert_eq!(w.backend.faults.creates.get(), made);
}

#[test]
fn a_write_that_fails_moves_nothing_and_its_file_is_kept_for_the_next_try() {
    let mut w = World::new();
    for works in 0..2 {
        // the fillers, then the entry
        w.backend.faults.window_of.set(Some((4000, works, ErrorKind::Device)));
        let failed = w.put(203).unwrap_err();
        assert!(matches!(failed, NotPut::WriteFailed { kind: ErrorKind::Device, .. }));
        assert_eq!((w.bounds(), w.queue.table().len()), ((0, 0), 0));
    }
    assert_eq!(w.put(203), Ok(Put::At { entry: 203 }));
    assert_eq!((w.bounds(), w.backend.faults.creates.get()), ((203, 204), 1));
}

#[test]
fn a_file_made_for_a_first_entry_that_was_given_up_is_removed() {
    for other in [400, 201] {
        let mut w = World::new();
        w.backend.faults.window_of.set(Some((4000, 1, ErrorKind::Device)));
        assert!(w.put(203).is_err());
        assert_eq!(w.put(other), Ok(Put::At { entry: other.cast_unsigned() }));
        let mut bases = Vec::new();
        w.backend.list(&mut |base| bases.push(base)).unwrap();
        assert_eq!(bases, [if other == 400 { 8000 } else { 4000 }]);
    }
}

#[test]
fn behind_a_full_file_that_was_stopped_nothing_is_put() {
    let mut w = World::of(200);
    w.queue.table().last().unwrap().marks().stop(ErrorKind::Device);
    let kind = ErrorKind::Stopped;
    assert_eq!(w.put(200), Err(NotPut::WriteFailed { position: 4000, kind }));
    assert_eq!(w.bounds(), (0, 200));
}

#[test]
fn an_idle_queue_lets_go_and_goes_on_in_its_last_file() {
    let mut w = World::of(203);
    let max = w.writer.max_physical();
    w.writer.let_go();
    assert_eq!((w.put(203), w.writer.end()), (Err(NotPut::LetGo), None));
    w.reopen(i64::MAX);
    assert_eq!(w.writer.max_physical(), max);
    assert_eq!(w.put(203), Ok(Put::At { entry: 203 }));
}

#[test]
fn a_queue_offset_that_no_queue_has_room_for_is_an_error() {
    let mut w = World::new();
    assert_eq!(w.put(i64::MAX), Err(NotPut::OffsetTooLarge));
}

#[test]
fn fillers_are_written_in_windows_that_the_medium_lends() {
    let mut w = World::new();
    w.backend.faults.window_max.set(Some(70));
    w.put(399).unwrap();
    assert_eq!(w.bounds(), (399, 400));
    let bytes = w.backend.bytes(4000);
    let fillers = bytes.chunks(20).filter(|c| **c == Cell::FILLER.encode());
    assert_eq!(fillers.count(), 199);
}

/// Spec 04 section 10, in its own words, over a list of entries.
#[derive(Default)]
struct Java {
    base: usize,
    cells: Vec<Cell>,
    max_physical: i64,
    min: usize,
}

impl Java {
    fn put(&mut self, cell: Cell, queue_offset: i64) {
        let end = cell.physical_offset + i64::from(cell.size);
        if end <= self.max_physical {
            return;
        }
        let wanted = usize::try_from(queue_offset).unwrap();
        if self.cells.is_empty() {
            self.base = wanted - wanted % 200;
            self.cells = vec![Cell::FILLER; wanted % 200];
            self.min = wanted;
        }
        if wanted != 0 && wanted < self.base + self.cells.len() {
            return;
        }
        self.max_physical = end;
        self.cells.push(cell);
    }
}

#[test]
fn whatever_comes_the_entries_are_those_of_the_rules() {
    let mut seed = 7_u64;
    let mut random = |below: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (seed >> 33) % below
    };
    for _ in 0..40 {
        let mut w = World::new();
        let mut java = Java { max_physical: -1, ..Java::default() };
        let mut next = random(500).cast_signed();
        for _ in 0..random(400) {
            match random(20) {
                0 => next += 3,
                1 => next = (next - 5).max(0),
                2 => next = 0,
                3 => w.log = (w.log - 300).max(0),
                4 => w.backend.faults.create.set(Some(ErrorKind::NoSpace)),
                5 => w.backend.faults.window.set(Some(ErrorKind::Device)),
                _ => {}
            }
            let cell = Cell { physical_offset: w.log, size: SIZE, tags_code: next };
            while w.put(next).is_err() {}
            java.put(cell, next);
            next = w.queue.max_offset().cast_signed();
        }
        let run = java.base..java.base + java.cells.len();
        assert_eq!(w.queue.max_offset(), if run.is_empty() { 0 } else { run.end as u64 });
        assert_eq!(w.queue.min_offset(), java.min as u64);
        for (k, cell) in run.zip(&java.cells) {
            assert_eq!(w.queue.any_cell(k as u64), Ok(Some(*cell)));
        }
    }
}
