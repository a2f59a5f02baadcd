use super::*;

/// All bytes behind entry `count` of the file at `base`.
fn is_zero_behind(w: &World, base: u64, count: usize) -> bool {
    w.backend.bytes(base)[count * 20..].iter().all(|b| *b == 0)
}

#[test]
fn a_queue_ends_at_its_first_place_without_an_entry() {
    for count in [0, 1, 199, 200, 201, 850] {
        let mut w = World::of(count);
        let max = w.writer.max_physical();
        w.reopen(i64::MAX);
        assert_eq!((w.bounds(), w.writer.max_physical()), ((0, count.cast_unsigned()), max));
        assert_eq!(w.put(count), Ok(Put::At { entry: count.cast_unsigned() }));
    }
}

#[test]
fn an_empty_last_file_stays_as_the_end() {
    let mut w = World::of(201);
    w.scribble(4000, 0, &[0; 20]);
    w.reopen(i64::MAX);
    assert_eq!((w.bounds(), w.queue.table().len()), ((0, 200), 2));
    assert_eq!(w.writer.max_physical(), Some(21_000));
    w.log = 21_000;
    assert_eq!(w.put(200), Ok(Put::At { entry: 200 }));
}

#[test]
fn fillers_are_entries_but_say_nothing_about_the_log() {
    let mut w = World::new();
    w.put(203).unwrap();
    w.scribble(4000, 60, &[0; 20]);
    w.reopen(i64::MAX);
    assert_eq!((w.bounds(), w.writer.max_physical()), ((0, 203), None));
    w.log = 1000;
    assert_eq!(w.put(203), Ok(Put::At { entry: 203 }), "RocketMQ would leave it out");
}

#[test]
fn fillers_that_a_crash_has_cut_short_are_completed() {
    for left in [0, 1, 3] {
        let mut w = World::new();
        w.put(203).unwrap();
        w.scribble(4000, left * 20, &[0; 80][..80 - left as usize * 20]);
        w.reopen(i64::MAX);
        w.log = 1000;
        assert_eq!(w.put(203), Ok(Put::At { entry: 203 }), "{left} left");
        assert_eq!(w.bounds(), (203, 204));
    }
}

#[test]
fn a_cut_takes_entries_at_or_behind_it_and_files_that_hold_no_other() {
    for (phy, left) in [(1000 + 40_000, 400), (1000 + 20_000, 200), (1000 + 19_950, 200), (1050, 1)]
    {
        let mut w = World::of(450);
        w.reopen(phy);
        assert_eq!(w.bounds(), (0, left), "{phy}");
        let end = 1000 + 100 * left.cast_signed();
        assert_eq!(w.writer.max_physical(), Some(end));
        w.log = end;
        assert_eq!(w.put(left.cast_signed()), Ok(Put::At { entry: left }));
    }
    let mut w = World::of(450);
    w.reopen(1000);
    assert_eq!((w.bounds(), w.queue.table().len()), ((0, 0), 0));
    w.log = 1000;
    assert_eq!(w.put(7), Ok(Put::At { entry: 7 }));
}

/// Spec 03 section 7.3, the defect: 4.9.3 makes an entry (0, 0, 0) up.
#[test]
fn an_empty_last_file_gets_no_made_up_entry_from_a_cut() {
    let mut w = World::of(201);
    w.scribble(4000, 0, &[0; 20]);
    let empty = w.backend.open(4000).unwrap();
    assert_eq!(cut_file(&empty, 50_000, &mut []), Ok(None));
    w.reopen(50_000);
    assert_eq!((w.bounds(), w.writer.max_physical()), ((0, 200), Some(21_000)));
}

#[test]
fn a_cut_queue_of_fillers_takes_the_next_message_where_it_belongs() {
    let mut w = World::new();
    w.put(203).unwrap();
    w.reopen(500);
    assert_eq!((w.bounds(), w.writer.max_physical()), ((0, 203), None));
    w.log = 500;
    assert_eq!(w.put(205), Ok(Put::At { entry: 205 }));
    assert_eq!(w.bounds(), (205, 206));
}

#[test]
fn what_lies_behind_the_end_is_zeroed_and_does_not_come_back() {
    let mut w = World::of(10);
    w.reopen(1500);
    assert!(is_zero_behind(&w, 0, 5));
    w.put(5).unwrap();
    w.reopen(i64::MAX);
    assert_eq!(w.bounds(), (0, 6));
}

#[test]
fn the_last_extension_address_is_told() {
    let w = World::of(3);
    let ext = i64::MIN + 40;
    let cell = Cell { physical_offset: 1100, size: SIZE, tags_code: ext };
    w.scribble(0, 20, &cell.encode());
    let found = find_end(&w.backend.open(0).unwrap(), i64::MAX, &mut [0; 64]).unwrap();
    assert_eq!(found, FileEnd { end: 60, max_physical: Some(1300), max_ext: Some(ext) });
}
