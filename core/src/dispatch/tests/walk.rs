//! Healthy logs: order, files, limits, errors of dispatchers, media without views.

use super::*;

#[test]
fn every_record_is_dispatched_in_order_and_over_the_ends_of_files() {
    let mut w = World::new();
    for _ in 0..50 {
        w.put_r(100);
    }
    let (mut reput, mut sink) = (Reput::new(0), Sink::default());
    assert_eq!(w.step(&mut reput, &mut sink), Step::Done);
    assert_eq!(reput.position(), w.log.max_offset());
    assert_eq!(reput.behind(w.log.max_offset()), 0);
    // 20 records of 200 bytes a file
    let places: Vec<u64> = (0..50).map(|i| i / 20 * 4096 + i % 20 * 200).collect();
    assert_eq!(sink.offsets(), places);
    assert_eq!(sink.indexed, places);
    let queue_offsets: Vec<i64> = sink.queued.iter().map(|q| q.2).collect();
    assert_eq!(queue_offsets, (0..50).collect::<Vec<_>>());
    assert_eq!(sink.arrived.last(), Some(&("TopicTest".to_string(), 0, 50)));
    assert_eq!((sink.gaps.len(), sink.jumps.len()), (0, 0));
}

#[test]
fn a_step_ends_after_so_many_records_and_at_the_limit() {
    let mut w = World::new();
    for _ in 0..50 {
        w.put_r(100);
    }
    w.rules.records_a_step = 7;
    let (mut reput, mut sink) = (Reput::new(0), Sink::default());
    assert_eq!(w.step(&mut reput, &mut sink), Step::More);
    assert_eq!(reput.position(), 1400);
    // the confirmed offset, or the flushed one
    let mut until = |limit| reput.step(&w.log, limit, &mut [], &w.rules, &mut sink);
    assert_eq!(until(2000), Step::Done);
    assert_eq!(until(2100), Step::NotVisible { offset: 2000 });
    assert_eq!(until(2200), Step::Done);
    assert_eq!(until(4000), Step::More);
    assert_eq!(until(4000), Step::Done);
    while w.step(&mut reput, &mut sink) == Step::More {}
    assert_eq!(sink.queued.len(), 50);
}

#[test]
fn a_medium_without_views_is_read_record_by_record() {
    let mut w = World::with(TestBackend::lending_nothing(4096));
    for _ in 0..25 {
        w.put_r(100);
    }
    let (mut reput, mut sink) = (Reput::new(0), Sink::default());
    let end = w.log.max_offset();
    let mut step = |scratch: &mut [u8]| reput.step(&w.log, end, scratch, &w.rules, &mut sink);
    assert_eq!(step(&mut []), Step::Scratch { needed: 91 });
    assert_eq!(step(&mut [0; 199]), Step::Scratch { needed: 200 });
    assert_eq!(step(&mut [0; 200]), Step::Done);
    assert_eq!(sink.queued.len(), 25);
}

#[test]
fn staged_bytes_are_dispatched_once_they_are_committed() {
    use crate::segment::Segment;
    use core::task::{Context, Waker};
    let mut w = World::with(TestBackend::new(4096, true));
    w.put_r(100);
    let (mut reput, mut sink) = (Reput::new(0), Sink::default());
    assert_eq!(w.step(&mut reput, &mut sink), Step::Done);
    assert_eq!(
        reput.step(&w.log, w.log.written_offset(), &mut [], &w.rules, &mut sink),
        Step::NotVisible { offset: 0 }
    );
    let segment = w.log.table().last().unwrap();
    assert!(segment.poll_commit(&mut Context::from_waker(Waker::noop()), 200).is_ready());
    assert_eq!(w.step(&mut reput, &mut sink), Step::Done);
    assert_eq!(sink.offsets(), [0]);
}

#[test]
fn a_slave_dispatches_what_has_come_whole() {
    let mut master = World::new();
    for _ in 0..3 {
        master.put_r(100);
    }
    let bytes = master.backend.bytes(0);
    let mut w = World::new();
    let (mut reput, mut sink) = (Reput::new(0), Sink::default());
    for (from, to, step) in [
        (0, 3, Step::NotVisible { offset: 0 }),
        (3, 50, Step::NotVisible { offset: 0 }),
        (50, 300, Step::NotVisible { offset: 200 }),
        (300, 600, Step::Done),
    ] {
        w.raw(from as u64, &bytes[from..to]);
        assert_eq!(w.step(&mut reput, &mut sink), step, "up to {to}");
    }
    assert_eq!(sink.offsets(), [0, 200, 400]);
}

#[test]
fn a_slave_whose_medium_lends_nothing_waits_for_whole_records_too() {
    let mut master = World::new();
    master.put_r(100);
    let bytes = master.backend.bytes(0);
    let mut w = World::with(TestBackend::lending_nothing(4096));
    let (mut reput, mut sink) = (Reput::new(0), Sink::default());
    for (from, to) in [(0, 3), (3, 95), (95, 199), (199, 200)] {
        w.raw(from as u64, &bytes[from..to]);
        let step = reput.step(&w.log, to as u64, &mut [0; 200], &w.rules, &mut sink);
        let whole = to == 200;
        assert_eq!(step, if whole { Step::Done } else { Step::NotVisible { offset: 0 } });
    }
    assert_eq!(sink.offsets(), [0]);
}

#[test]
fn a_refused_record_stops_the_step_and_is_tried_again() {
    let mut w = World::new();
    for _ in 0..3 {
        w.put_r(100);
    }
    let (mut reput, mut sink) = (Reput::new(0), Sink::default());
    sink.refuse_queue = Some(200);
    let refused = |error| Step::Refused { offset: 200, error };
    assert_eq!(w.step(&mut reput, &mut sink), refused("no queue"));
    assert_eq!((sink.offsets(), reput.position()), (vec![0], 200));
    sink.refuse_queue = None;
    sink.refuse_index = Some(200);
    assert_eq!(w.step(&mut reput, &mut sink), refused("no index"));
    assert_eq!(sink.arrived.len(), 1, "nobody is told before all is done");
    sink.refuse_index = None;
    assert_eq!(w.step(&mut reput, &mut sink), Step::Done);
    assert_eq!(sink.offsets(), [0, 200, 400], "the queue had it already");
}

#[test]
fn dispatch_from_the_lowest_point_adds_only_what_a_queue_lacks() {
    let mut w = World::new();
    for i in 0..6 {
        w.put(&Message::new("TopicTest", i % 2, &[7; 100]));
    }
    let mut sink = Sink::default();
    sink.ends.insert(("TopicTest".to_string(), 0), 600);
    sink.ends.insert(("TopicTest".to_string(), 1), 400);
    assert_eq!(w.step(&mut Reput::new(400), &mut sink), Step::Done);
    assert_eq!(sink.offsets(), [600, 800, 1000]);
}

#[test]
fn what_has_been_removed_is_jumped_over_and_named() {
    let mut w = World::new();
    for _ in 0..50 {
        w.put_r(100);
    }
    w.log.table().pop_first();
    let (mut reput, mut sink) = (Reput::new(200), Sink::default());
    assert_eq!(w.step(&mut reput, &mut sink), Step::Done);
    assert_eq!(sink.jumps, [(200, 4096)]);
    assert_eq!(sink.offsets()[0], 4096);
}

#[test]
fn an_empty_log_has_nothing_to_do() {
    let w = World::new();
    let (mut reput, mut sink) = (Reput::new(0), Sink::default());
    assert_eq!(w.step(&mut reput, &mut sink), Step::Done);
    let step = reput.step(&w.log, 100, &mut [], &w.rules, &mut sink);
    assert_eq!(step, Step::NotVisible { offset: 0 });
}

#[test]
fn messages_without_properties_do_not_stop_light_queues() {
    // spec 04 section 9.5, DEFECT; C-58
    let mut w = World::new();
    for text in [None, Some("INNER_MULTI_DISPATCH="), Some(",,"), Some("%LMQ%a,,%LMQ%b")] {
        let text = text.map(|t| {
            let name = if t.contains('=') { "" } else { "INNER_MULTI_DISPATCH=" };
            properties(&(name.to_string() + t))
        });
        let properties = text.as_deref().map_or(Properties::None, Properties::Text);
        w.put(&Message { properties, ..Message::new("TopicTest", 0, &[7; 10]) });
    }
    let (mut reput, mut sink) = (Reput::new(0), Sink::default());
    assert_eq!(w.step(&mut reput, &mut sink), Step::Done);
    let main = sink.queued.iter().filter(|q| q.0 == "TopicTest").count();
    let light: Vec<_> =
        sink.queued.iter().filter(|q| q.0 != "TopicTest").map(|q| (&*q.0, q.1, q.2)).collect();
    assert_eq!(main, 4);
    assert_eq!(light, [("%LMQ%a", 0, 0), ("%LMQ%b", 0, 0)], "no other queue is made");
}

#[test]
fn prepared_and_rolled_back_messages_are_indexed_and_arrive_but_have_no_entry() {
    let mut w = World::new();
    for sys_flag in [4, 8, 12, 0] {
        w.put(&Message { sys_flag, ..Message::new("T", 0, b"") });
    }
    let (mut reput, mut sink) = (Reput::new(0), Sink::default());
    assert_eq!(w.step(&mut reput, &mut sink), Step::Done);
    assert_eq!(sink.queued.len(), 2);
    assert_eq!(sink.indexed.len(), 4);
    let next: Vec<i64> = sink.arrived.iter().map(|a| a.2).collect();
    assert_eq!(next, [1, 1, 1, 2]);
}
