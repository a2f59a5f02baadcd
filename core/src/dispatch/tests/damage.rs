//! Damaged logs: what is left out, what is not, and what is said about it.

use super::*;

/// Ten records of 200 bytes.
fn ten() -> World {
    let mut w = World::new();
    for _ in 0..10 {
        w.put_r(100);
    }
    w
}

/// All steps until there is nothing more to do.
fn run(w: &World, reput: &mut Reput, sink: &mut Sink) -> Step<&'static str> {
    loop {
        match w.step(reput, sink) {
            Step::More => {}
            step => return step,
        }
    }
}

fn gap(from: u64, to: u64, sink: &Sink) {
    let gaps: Vec<_> = sink.gaps.iter().map(|g| (g.from, g.to)).collect();
    assert_eq!(gaps, [(from, to)]);
}

/// Changes a length inside of the record at 800, so that its size does not match.
fn mismatch(bytes: &mut [u8]) {
    let body_len_at = 800 + 84;
    bytes[body_len_at + 3] -= 1;
}

#[test]
fn a_record_of_a_wrong_size_is_left_out_and_the_position_never_passes_the_end() {
    // spec 04 section 9.4, DEFECT: behind becomes negative, and nothing is dispatched any more
    for a_step in [1, 2, 3, 10_000] {
        let mut w = ten().damaged(|bytes| mismatch(bytes));
        w.rules.records_a_step = a_step;
        let (mut reput, mut sink) = (Reput::new(0), Sink::default());
        assert_eq!(run(&w, &mut reput, &mut sink), Step::Done);
        assert_eq!((reput.position(), reput.behind(2000)), (2000, 0));
        assert_eq!(sink.offsets(), [0, 200, 400, 600, 1000, 1200, 1400, 1600, 1800]);
        gap(800, 1000, &sink);
    }
}

#[test]
fn a_damaged_body_is_for_reads_to_find() {
    // C-13: dispatch does not read bodies
    let w = ten().damaged(|bytes| bytes[888] ^= 1);
    let (mut reput, mut sink) = (Reput::new(0), Sink::default());
    assert_eq!(run(&w, &mut reput, &mut sink), Step::Done);
    assert_eq!((sink.queued.len(), sink.gaps.len()), (10, 0));
}

#[test]
fn damage_of_which_nothing_holds_stops_dispatch_and_says_so_until_told() {
    let w = ten().damaged(|bytes| bytes[804..808].fill(0));
    let (mut reput, mut sink) = (Reput::new(0), Sink::default());
    let damaged = Step::Damaged { offset: 800, why: Why::NoRecord(ParseError::Magic(0)) };
    for _ in 0..3 {
        assert_eq!(run(&w, &mut reput, &mut sink), damaged);
    }
    assert_eq!((sink.queued.len(), reput.behind(2000)), (4, 1200));
    reput.skip_to(1000);
    assert_eq!(run(&w, &mut reput, &mut sink), Step::Done);
    assert_eq!(sink.queued.len(), 9);
}

#[test]
fn a_queue_entry_says_the_size_that_the_record_does_not() {
    let w = ten().damaged(|bytes| bytes[800..804].fill(0xFF));
    let (mut reput, mut sink) = (Reput::new(0), Sink::default());
    sink.sizes.insert(800, 200);
    assert_eq!(run(&w, &mut reput, &mut sink), Step::Done);
    gap(800, 1000, &sink);
    // one that leads nowhere is not believed
    let (mut reput, mut sink) = (Reput::new(0), Sink::default());
    sink.sizes.insert(800, 203);
    assert!(matches!(run(&w, &mut reput, &mut sink), Step::Damaged { offset: 800, .. }));
    reput.look_again();
    sink.sizes.insert(800, 200);
    assert_eq!(run(&w, &mut reput, &mut sink), Step::Done);
}

#[test]
fn a_stored_size_that_leads_nowhere_gives_way_to_that_of_a_queue_entry() {
    // 456 and not 200: behind it lies the middle of another record
    let w = ten().damaged(|bytes| bytes[802] = 1);
    let (mut reput, mut sink) = (Reput::new(0), Sink::default());
    assert!(matches!(run(&w, &mut reput, &mut sink), Step::Damaged { offset: 800, .. }));
    reput.look_again();
    sink.sizes.insert(800, 200);
    assert_eq!(run(&w, &mut reput, &mut sink), Step::Done);
    gap(800, 1000, &sink);
}

#[test]
fn a_damaged_run_of_records_is_one_gap() {
    let w = ten().damaged(|bytes| {
        mismatch(bytes);
        bytes[1000 + 84 + 3] += 1;
    });
    let (mut reput, mut sink) = (Reput::new(0), Sink::default());
    assert_eq!(run(&w, &mut reput, &mut sink), Step::Done);
    gap(800, 1200, &sink);
    assert_eq!(sink.queued.len(), 8);
}

#[test]
fn without_an_unbroken_chain_to_the_end_only_an_entry_counts() {
    let w = ten().damaged(|bytes| {
        mismatch(bytes);
        bytes[1604] = 0;
    });
    let (mut reput, mut sink) = (Reput::new(0), Sink::default());
    assert!(matches!(run(&w, &mut reput, &mut sink), Step::Damaged { offset: 800, .. }));
    assert_eq!(sink.queued.len(), 4);
    reput.look_again();
    sink.entries.insert((0, 5), (1000, 200));
    assert!(matches!(run(&w, &mut reput, &mut sink), Step::Damaged { offset: 1600, .. }));
    gap(800, 1000, &sink);
    assert_eq!(sink.queued.len(), 7);
}

#[test]
fn a_copy_whose_entry_points_elsewhere_never_counts() {
    let w = ten().damaged(|bytes| mismatch(bytes));
    let (mut reput, mut sink) = (Reput::new(0), Sink::default());
    sink.entries.insert((0, 6), (99_000, 200));
    assert!(matches!(run(&w, &mut reput, &mut sink), Step::Damaged { offset: 800, .. }));
    assert_eq!(sink.queued.len(), 4);
}

#[test]
fn a_record_of_another_place_is_not_dispatched() {
    // C-12
    let w = ten()
        .damaged(|bytes| bytes[800 + 28..800 + 36].copy_from_slice(&[0, 0, 0, 0, 64, 0, 0, 0]));
    let (mut reput, mut sink) = (Reput::new(0), Sink::default());
    let why = Why::NoRecord(ParseError::PhysicalOffset);
    assert_eq!(run(&w, &mut reput, &mut sink), Step::Damaged { offset: 800, why });
}

#[test]
fn a_forged_record_inside_of_a_damaged_one_is_never_looked_at() {
    let mut w = World::new();
    w.put_r(100);
    // a whole record with the right place, inside of a body: 88 bytes behind the record at 200
    let mut forged = w.backend.bytes(0)[..200].to_vec();
    forged[28..36].copy_from_slice(&288_u64.to_be_bytes());
    w.put(&Message::new("TopicTest", 0, &forged));
    w.put_r(100);
    let whole = w.log.max_offset();
    for at in [200, 204, 228, 284, 287] {
        let w = w.damaged(|bytes| bytes[at] ^= 0x10);
        let (mut reput, mut sink) = (Reput::new(0), Sink::default());
        let step = run(&w, &mut reput, &mut sink);
        assert!(!sink.offsets().contains(&288), "byte {at}: {step:?}");
        assert!(matches!(
            step,
            Step::Done | Step::Damaged { offset: 200, .. } | Step::NotVisible { offset: 200 }
        ));
        assert!(reput.position() <= whole);
    }
}

#[test]
fn any_flipped_byte_costs_at_most_its_own_record_or_stops_dispatch_there() {
    let whole = ten();
    for at in 0..2000 {
        let w = whole.damaged(|bytes| bytes[at] ^= 0xFF);
        let (mut reput, mut sink) = (Reput::new(0), Sink::default());
        let hit = at as u64 / 200 * 200;
        let step = run(&w, &mut reput, &mut sink);
        let others: Vec<u64> = (0..10).map(|i| i * 200).filter(|o| *o != hit).collect();
        let mut got = sink.offsets();
        got.retain(|o| *o != hit);
        match step {
            Step::Done => assert_eq!(got, others, "byte {at}"),
            Step::Damaged { offset, .. } | Step::NotVisible { offset } => {
                assert_eq!((offset, reput.position()), (hit, hit), "byte {at}");
                assert!(others.starts_with(&got), "byte {at}");
            }
            step => panic!("byte {at}: {step:?}"),
        }
    }
}

#[test]
fn a_missing_file_is_a_gap_up_to_the_next_one() {
    let mut w = World::new();
    for _ in 0..70 {
        w.put_r(100);
    }
    let table = w.log.table();
    let all: Vec<_> = core::iter::from_fn(|| table.pop_first()).collect();
    for (i, segment) in all.into_iter().enumerate() {
        if i != 1 {
            table.push(segment).unwrap();
        }
    }
    let (mut reput, mut sink) = (Reput::new(0), Sink::default());
    assert_eq!(run(&w, &mut reput, &mut sink), Step::Done);
    gap(4096, 8192, &sink);
    assert_eq!(sink.gaps[0].why, Why::Missing);
    assert_eq!(sink.queued.len(), 50);
}

#[test]
fn a_file_without_room_for_a_filler_goes_on_in_the_next_one() {
    let mut w = World::new();
    w.put_r(3980);
    w.put_r(0);
    let mut bytes = w.backend.bytes(0);
    // the record with 13 bytes more of body leaves 3 bytes of the file
    bytes[87] += 13;
    bytes[..4].copy_from_slice(&4093_u32.to_be_bytes());
    let body = bytes[88];
    bytes.splice(88..88, [body; 13]);
    bytes.truncate(4093);
    bytes.extend([0; 3]);
    bytes.extend(&w.backend.bytes(4096)[..100]);
    let mut w = World::new();
    w.raw(0, &bytes);
    let (mut reput, mut sink) = (Reput::new(0), Sink::default());
    assert_eq!(run(&w, &mut reput, &mut sink), Step::Done);
    assert_eq!(sink.offsets(), [0, 4096]);
}

#[test]
fn a_topic_that_can_have_no_queue_is_named() {
    let w = ten().damaged(|bytes| {
        let at = 800 + 88 + 100 + 1;
        assert_eq!(&bytes[at..at + 9], b"TopicTest");
        bytes[at] = b'/';
    });
    let (mut reput, mut sink) = (Reput::new(0), Sink::default());
    assert_eq!(run(&w, &mut reput, &mut sink), Step::Done);
    assert_eq!((sink.no_queue.as_slice(), sink.queued.len()), (&[800][..], 9));
    assert_eq!(sink.indexed.len(), 10);
}

#[test]
fn whatever_is_damaged_no_step_runs_on_for_ever_or_passes_the_end() {
    use crate::record::tests::Random;
    let mut whole = World::new();
    for i in 0..60 {
        whole.put_r(i * 7 % 300);
    }
    let mut all = Sink::default();
    assert_eq!(run(&whole, &mut Reput::new(0), &mut all), Step::Done);
    let end = whole.log.max_offset();
    let mut random = Random(15);
    for _ in 0..500 {
        let mut w = whole.damaged(|bytes| {
            for _ in 0..=random.below(3) {
                let from = random.below(end);
                let len = random.below(12).min(bytes.len() - from);
                bytes[from..from + len].fill_with(|| random.next() as u8);
            }
        });
        w.rules.records_a_step = 1 + random.below(9) as u32;
        let (mut reput, mut sink) = (Reput::new(0), Sink::default());
        let mut steps = 0;
        while w.step(&mut reput, &mut sink) == Step::More {
            steps += 1;
            assert!(steps < 500, "it does not end");
        }
        assert!(reput.position() <= end);
        assert!(sink.offsets().iter().all(|o| all.offsets().contains(o)), "a made-up record");
        assert!(sink.offsets().is_sorted());
        assert!(sink.gaps.iter().all(|g| g.from < g.to && g.to <= end));
    }
}

#[test]
fn a_confirmed_record_further_on_does_not_make_those_before_it_count() {
    let w = ten().damaged(|bytes| {
        mismatch(bytes);
        bytes[1604] = 0;
    });
    let (mut reput, mut sink) = (Reput::new(0), Sink::default());
    sink.entries.insert((0, 6), (1200, 200));
    assert!(matches!(run(&w, &mut reput, &mut sink), Step::Damaged { offset: 800, .. }));
}

#[test]
fn prepared_messages_have_no_entry_that_could_point_elsewhere() {
    let mut w = World::new();
    w.put_r(100);
    w.put_r(100);
    w.put(&Message { sys_flag: 4, ..Message::new("TopicTest", 0, &[7; 100]) });
    let w = w.damaged(|bytes| bytes[200 + 87] -= 1);
    let (mut reput, mut sink) = (Reput::new(0), Sink::default());
    // its queue offset is 0, as that of the first record
    sink.entries.insert((0, 0), (0, 200));
    assert_eq!(run(&w, &mut reput, &mut sink), Step::Done);
    gap(200, 400, &sink);
}

#[test]
fn a_candidate_beyond_the_end_does_not_count_yet() {
    let w = ten().damaged(|bytes| bytes[804..808].fill(0));
    let (mut reput, mut sink) = (Reput::new(0), Sink::default());
    sink.sizes.insert(800, 5000);
    assert!(matches!(run(&w, &mut reput, &mut sink), Step::Damaged { offset: 800, .. }));
    assert_eq!(reput.position(), 800);
}

#[test]
fn a_damaged_filler_that_leaves_no_room_for_a_record_is_a_gap() {
    for (body, rest) in [(3988, 8), (3987, 9), (3906, 90)] {
        let mut w = World::new();
        w.put_r(body);
        w.put_r(100);
        let w = w.damaged(|bytes| bytes[100 + body..4096].fill(0));
        let (mut reput, mut sink) = (Reput::new(0), Sink::default());
        assert_eq!(run(&w, &mut reput, &mut sink), Step::Done, "{rest}");
        gap(4096 - rest, 4096, &sink);
        assert_eq!(sink.offsets(), [0, 4096]);
    }
    // in a longer one there might be a record
    let mut w = World::new();
    w.put_r(3905);
    w.put_r(100);
    let w = w.damaged(|bytes| bytes[4005..4096].fill(0));
    let step = run(&w, &mut Reput::new(0), &mut Sink::default());
    assert!(matches!(step, Step::Damaged { offset: 4005, .. }), "{step:?}");
}

#[test]
fn a_record_that_fills_its_file_is_waited_for_and_left_out_like_any_other() {
    let mut w = World::new();
    w.put_r(3980);
    let mut bytes = w.backend.bytes(0);
    bytes[84..88].copy_from_slice(&3996_u32.to_be_bytes());
    bytes[..4].copy_from_slice(&4096_u32.to_be_bytes());
    bytes.truncate(4080);
    bytes.splice(88..88, [7; 16]);
    let mut w = World::new();
    let (mut reput, mut sink) = (Reput::new(0), Sink::default());
    w.raw(0, &bytes[..4000]);
    assert_eq!(run(&w, &mut reput, &mut sink), Step::NotVisible { offset: 0 });
    w.raw(4000, &bytes[4000..]);
    assert_eq!(run(&w, &mut reput, &mut sink), Step::Done);
    let w = w.damaged(|bytes| bytes[87] -= 1);
    let (mut reput, mut sink) = (Reput::new(0), Sink::default());
    assert_eq!(run(&w, &mut reput, &mut sink), Step::Done);
    gap(0, 4096, &sink);
}

#[test]
fn damage_further_on_breaks_the_chain_also_where_its_size_holds() {
    let w = ten().damaged(|bytes| {
        mismatch(bytes);
        bytes[1400 + 87] -= 1;
    });
    let (mut reput, mut sink) = (Reput::new(0), Sink::default());
    assert!(matches!(run(&w, &mut reput, &mut sink), Step::Damaged { offset: 800, .. }));
    assert_eq!(sink.queued.len(), 4);
}
