use super::*;

/// A queue whose records have these store times.
fn at(times: &[i64]) -> (World, BTreeMap<i64, i64>) {
    let w = World::of(times.len() as i64);
    let by_record = times.iter().zip(0..).map(|(t, k)| (1000 + 100 * k, *t)).collect();
    (w, by_record)
}

type Times = BTreeMap<i64, i64>;

fn old(w: &World, times: &Times, t: i64, phy_min: i64) -> u64 {
    let time = |cell: Cell| times.get(&cell.physical_offset).copied();
    let file = file_by_time(&w.queue, t, |file| newest(file).map(|cell| cell.and_then(time)));
    nearest(&w.queue, &file.unwrap().unwrap(), t, phy_min, time).unwrap()
}

fn lower(w: &World, times: &Times, t: i64, phy_min: i64) -> u64 {
    let time = |cell: Cell| times.get(&cell.physical_offset).copied();
    first_at_or_after(&w.queue, t, phy_min, time).unwrap()
}

fn upper(w: &World, times: &Times, t: i64, phy_min: i64) -> u64 {
    let time = |cell: Cell| times.get(&cell.physical_offset).copied();
    last_at_or_before(&w.queue, t, phy_min, time).unwrap()
}

/// Spec 06 section 4.1, as seen.
#[test]
fn rocketmq_finds_the_nearest_and_of_equal_ones_that_which_it_meets_first() {
    let (w, times) = at(&[0, 0, 101, 101, 202, 202]);
    for (t, found) in [(-1, 0), (0, 0), (10, 1), (60, 2), (101, 2), (202, 4), (702, 5)] {
        assert_eq!(old(&w, &times, t, 0), found, "{t}");
    }
}

#[test]
fn rocketmq_takes_the_earlier_of_two_that_are_as_near() {
    let (w, times) = at(&[1000, 2000, 3000]);
    assert_eq!(old(&w, &times, 2500, 0), 1);
    assert_eq!(old(&w, &times, 2501, 0), 2);
}

#[test]
fn rocketmq_answers_0_for_what_cannot_be_read_and_the_entry_before_the_file_when_all_expired() {
    let (w, mut times) = at(&[1000, 2000, 3000]);
    assert_eq!(old(&w, &times, 2000, 50_000), 0, "all expired, first file");
    times.remove(&1100);
    assert_eq!(old(&w, &times, 3000, 0), 0);
    let many: Vec<i64> = (0..250).map(|k| k * 10).collect();
    let (w, times) = at(&many);
    assert_eq!(old(&w, &times, 2400, 0), 240);
    assert_eq!(old(&w, &times, 2400, 50_000), 199);
    assert_eq!(old(&w, &times, 9999, 0), 249);
}

#[test]
fn rocketmq_searches_from_the_queues_minimum_on() {
    let (w, times) = at(&[1000, 2000, 3000, 4000]);
    w.queue.set_min_offset(2);
    assert_eq!(old(&w, &times, 1000, 0), 2);
}

#[test]
fn c_32_store_times_decide() {
    let many: Vec<i64> = (1..=450).map(|k| k * 1000).collect();
    let (w, times) = at(&many);
    for (t, k) in [(6000, 5), (11_000, 10), (1000, 0), (449_001, 449)] {
        assert_eq!(lower(&w, &times, t, 0), k);
    }
}

#[test]
fn c_33_with_a_clock_that_went_back_it_is_one_behind_an_earlier_one() {
    let (w, times) = at(&[100_000, 95_000, 101_000]);
    assert_eq!(lower(&w, &times, 95_000, 0), 0);
    assert_eq!(lower(&w, &times, 100_500, 0), 2);
}

#[test]
fn c_34_behind_the_last_message_is_the_maximum() {
    let (w, times) = at(&[1000, 2000, 3000]);
    for (t, k) in [(5000, 3), (3001, 3), (500, 0)] {
        assert_eq!(lower(&w, &times, t, 0), k);
    }
    assert_eq!(lower(&World::new(), &times, 500, 0), 0);
    assert_eq!(upper(&World::new(), &times, 500, 0), 0);
}

#[test]
fn c_35_of_equal_times_the_first_counts() {
    let mut all = vec![1000; 10];
    all.extend([2000; 80]);
    all.extend([3000; 10]);
    let (w, times) = at(&all);
    assert_eq!([2000, 1000, 3000].map(|t| lower(&w, &times, t, 0)), [10, 0, 90]);
    assert_eq!([2000, 1000, 3000].map(|t| upper(&w, &times, t, 0)), [89, 9, 99]);
}

#[test]
fn c_36_a_side_can_be_named() {
    let (w, times) = at(&[1000, 2000, 3000]);
    assert_eq!((lower(&w, &times, 2100, 0), upper(&w, &times, 2100, 0)), (2, 1));
    assert_eq!((lower(&w, &times, 2900, 0), upper(&w, &times, 1999, 0)), (2, 0));
    assert_eq!((lower(&w, &times, 2000, 0), upper(&w, &times, 2000, 0)), (1, 1));
    assert_eq!(upper(&w, &times, 1, 0), 0);
}

#[test]
fn expired_entries_and_fillers_are_before_every_time_and_unreadable_ones_are_skipped() {
    let (w, mut times) = at(&[1000, 2000, 3000, 4000]);
    assert_eq!(lower(&w, &times, 500, 1150), 2);
    assert_eq!(upper(&w, &times, 500, 1150), 2, "the first live one");
    assert_eq!(lower(&w, &times, 500, 90_000), 4);
    times.remove(&1100);
    times.remove(&1200);
    assert_eq!(lower(&w, &times, 4000, 0), 3);
    assert_eq!(upper(&w, &times, 4000, 0), 3);
    let mut w = World::new();
    w.put(203).unwrap();
    w.queue.correct_min_offset(0).unwrap();
    assert_eq!(lower(&w, &[(1000, 70)].into(), 70, 0), 203);
}

/// The golden case a-offset-by-time of the 4.9.3 store: queue files of 10 entries, times counted
/// from that of the first message; its files were touched as here.
#[test]
fn rocketmq_answers_as_in_its_golden_case() {
    let times = [
        0, 60000, 61000, 61001, 61001, 61001, 62001, 122001, 122006, 122007, 122007, 122008,
        123008, 123009, 123009, 123009, 183009, 184009, 184010, 184015, 185015, 245015, 246015,
        246020, 247020, 247021, 307021, 308021, 308026, 309026, 369026, 369027, 369032, 370032,
        371032, 431032, 432032,
    ];
    let asked = [
        -1, 0, 1, 400, 61000, 61001, 61002, 61401, 62000, 62001, 62002, 62401, 122006, 122007,
        122008, 122407, 123007, 123008, 123009, 123010, 123408, 123409, 184009, 184010, 184011,
        184410, 245014, 245015, 245016, 245415, 247019, 247020, 247021, 247420, 308020, 308021,
        308022, 308421, 369025, 369026, 369027, 369426, 370031, 370032, 370033, 370432, 432031,
        432032, 432033, 432432, 1000432032,
    ];
    let found = [
        0, 0, 0, 0, 2, 4, 5, 5, 6, 6, 6, 6, 8, 9, 11, 11, 12, 12, 14, 15, 15, 15, 17, 18, 18, 20,
        21, 21, 21, 21, 24, 24, 25, 25, 27, 27, 27, 28, 30, 30, 31, 32, 33, 33, 33, 33, 36, 36, 36,
        36, 36,
    ];
    let mut w = World::with(TestBackend::new(200, false), 1000);
    for k in 0..times.len() as i64 {
        w.put(k).unwrap();
    }
    let by_record: Times = times.iter().zip(0..).map(|(t, k)| (1000 + 100 * k, *t)).collect();
    for (t, found) in asked.into_iter().zip(found) {
        assert_eq!(old(&w, &by_record, t, 0), found, "{t}");
    }
}
