use core::task::{Context, Poll, Waker};

use super::*;

/// Spec 02 section 7.3, as run.
#[test]
fn the_minimum_is_the_first_entry_at_or_behind_the_logs_and_fillers_count_for_0() {
    let mut w = World::new();
    for k in 203..210 {
        w.put(k).unwrap();
    }
    assert!(matches!(w.queue.correct_min_offset(1201), Ok(Live::From(206, _))));
    assert_eq!(w.bounds(), (206, 210));
    assert!(matches!(w.queue.correct_min_offset(1200), Ok(Live::From(205, _))));
    assert!(matches!(w.queue.correct_min_offset(0), Ok(Live::From(200, _))));
    assert_eq!(w.queue.min_offset(), 200);
    assert!(matches!(w.queue.correct_min_offset(-1), Ok(Live::From(200, _))));
}

#[test]
fn halving_finds_what_a_scan_of_the_first_file_finds() {
    let w = World::of(250);
    for phy_min in (0..30_000).step_by(37) {
        let scan = (0..200).find(|k| 1000 + 100 * *k >= phy_min);
        let before = w.queue.min_offset();
        w.queue.correct_min_offset(phy_min).unwrap();
        let expected = scan.map_or(before, i64::cast_unsigned);
        assert_eq!(w.queue.min_offset(), expected, "{phy_min}");
    }
}

#[test]
fn a_hole_left_by_damage_hides_no_entry_before_it() {
    let w = World::of(100);
    w.scribble(0, 40 * 20, &[0; 400]);
    for phy_min in (0..11_000).step_by(50) {
        let live = |k: i64| !(40..60).contains(&k) && 1000 + 100 * k >= phy_min;
        let expected = (0..100).find(|k| live(*k)).map(i64::cast_unsigned);
        let Live::From(found, _) = w.queue.first_live(phy_min).unwrap() else {
            assert_eq!(expected, None);
            continue;
        };
        // zeros have the physical offset 0
        assert!(Some(found) == expected || phy_min == 0, "{phy_min}: {found}");
    }
}

#[test]
fn expired_entries_leave_the_minimum_alone_and_can_be_told_and_hidden() {
    let w = World::of(250);
    assert_eq!(w.queue.correct_min_offset(22_000), Ok(Live::Nothing), "only the first file");
    assert_eq!(w.queue.min_offset(), 0);
    assert!(matches!(w.queue.hide_expired(22_000), Ok(Live::From(210, _))));
    assert_eq!(w.bounds(), (210, 250));
    assert_eq!(w.queue.hide_expired(53_248), Ok(Live::Nothing));
    assert_eq!(w.bounds(), (250, 250), "C-23");
    assert_eq!(World::new().queue.correct_min_offset(0), Ok(Live::NoFiles));
}

#[test]
fn a_run_ends_with_its_file_and_is_the_same_lent_copied_or_one_by_one() {
    for backend in [TestBackend::new(FILE, false), TestBackend::lending_nothing(FILE)] {
        let mut w = World::with(backend, 1000);
        for k in 0..230 {
            w.put(k).unwrap();
        }
        for scratch in [0, 19, 20, 50, 4000] {
            let run = w.queue.run(190).unwrap();
            let mut scratch = vec![0; scratch];
            let tags: Vec<i64> = run.cells(&mut scratch).map(|c| c.unwrap().tags_code).collect();
            assert_eq!(tags, (190..200).collect::<Vec<_>>());
            assert_eq!(run.len(), 10);
        }
        assert_eq!(w.queue.run(200).unwrap().at_most(7).len(), 7);
        assert_eq!(w.queue.run(200).unwrap().at_most(70).len(), 30);
        assert!(w.queue.run(230).is_none());
        w.queue.set_min_offset(195);
        assert!(w.queue.run(194).is_none() && w.queue.run(195).is_some());
        assert_eq!(w.queue.cell(194), Ok(None));
    }
}

#[test]
fn the_next_file_begins_behind_the_entries_own() {
    let w = World::of(1);
    assert_eq!(w.queue.next_file(0), Some(200));
    assert_eq!(w.queue.next_file(199), Some(200));
    assert_eq!(w.queue.next_file(200), Some(400));
    assert_eq!(w.queue.next_file(u64::MAX), None);
}

#[test]
fn a_file_may_go_when_its_last_entry_has_expired_and_it_is_not_the_last_file() {
    let w = World::of(250);
    assert_eq!(w.queue.oldest_file_has_expired(20_900), Ok(false));
    assert_eq!(w.queue.oldest_file_has_expired(20_901), Ok(true));
    w.queue.table().pop_first().unwrap();
    assert_eq!(w.queue.oldest_file_has_expired(i64::MAX), Ok(false));
    assert_eq!(w.queue.cell(199), Ok(None));
    assert!(w.queue.run(200).is_some());
}

#[test]
fn a_queue_is_flushed_like_the_log_from_its_first_file_on() {
    let mut w = World::new();
    for k in 203..450 {
        w.put(k).unwrap();
    }
    let mut cx = Context::from_waker(Waker::noop());
    assert_eq!(w.queue.files().not_flushed(), 9000);
    assert_eq!(w.queue.files().poll_flush_to(&mut cx, u64::MAX), Poll::Ready(Ok(9000)));
    assert_eq!(w.queue.table().first().unwrap().marks().flushed(), FILE);
}
