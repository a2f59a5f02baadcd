//! Going from one file to the next: what a refusal leaves, and what a kill would leave.

use super::*;

const ZEROS: [u8; 4096] = [0; 4096];

/// 4000 bytes of the first of two files of 4096.
fn nearly_full(mut w: World) -> World {
    for _ in 0..20 {
        w.put_r(100).unwrap();
    }
    w
}

#[test]
fn a_border_that_refuses_leaves_no_byte_on_either_side() {
    // the window of the record, and that of the filler before it
    for base in [4096, 0] {
        let mut w = nearly_full(World::new(4096));
        w.backend.faults.window_of.set(Some((base, 0, ErrorKind::Device)));
        let refused = w.put_r(100).unwrap_err().refusal;
        assert_eq!(refused.cause, Cause::WriteFailed(ErrorKind::Device));
        assert_eq!((w.log.max_offset(), w.log.table().len()), (4000, 1));
        // gives the files up, as a close does
        w.writer.let_go();
        assert!(w.backend.bytes(4096) == ZEROS, "the refused record is in the next file");
        assert!(w.record_at(0, 4000) == ZEROS[..96], "a filler behind the end");
    }
}

#[test]
fn a_border_that_has_refused_is_crossed_by_the_next_put() {
    for base in [4096, 0] {
        let mut w = nearly_full(World::new(4096));
        w.backend.faults.window_of.set(Some((base, 0, ErrorKind::Device)));
        w.put_r(200).unwrap_err();
        let a = w.put_r(100).unwrap();
        assert_eq!((a.wrote_offset, a.queue_offset, a.rolled), (4096, 20, true));
        assert_eq!(stamp_of(&w.record_at(4096, 0)), (20, 4096, NOW));
        assert_eq!(w.backend.faults.creates.get(), 2);
    }
}

#[test]
fn a_filler_that_was_written_before_a_refusal_gives_way_to_a_shorter_record() {
    let mut w = World::new(4096);
    for _ in 0..15 {
        w.put_r(150).unwrap();
    }
    w.backend.faults.window_of.set(Some((4096, 1, ErrorKind::Device)));
    w.put_r(300).unwrap_err();
    assert!(w.backend.bytes(4096) == ZEROS);
    assert_eq!(w.put_r(100).unwrap().wrote_offset, 3750);
    assert_eq!(stamp_of(&w.record_at(0, 3750)), (15, 3750, NOW));
    assert!(w.record_at(0, 3950) == ZEROS[..146]);
    assert_eq!(w.put_r(300).unwrap().wrote_offset, 4096);
}

/// The first file has a buffer, and there is none for the second one.
fn staged_before_in_place() -> World {
    let w = World::staged(4096);
    w.backend.faults.buffers.set(Some(1));
    nearly_full(w)
}

fn busy(refusal: Refusal) {
    let busy = Refusal::new(PutMessageStatus::OsPageCacheBusy, Cause::Backpressure);
    assert_eq!(refusal, busy);
}

#[test]
fn no_record_is_put_in_place_before_all_staged_ones_and_their_filler_are_committed() {
    let mut w = staged_before_in_place();
    busy(w.put_r(100).unwrap_err().refusal);
    assert_eq!((w.log.written_offset(), w.log.table().len()), (4096, 1), "the filler only");
    assert!(w.backend.bytes(4096) == ZEROS, "a record that a kill would leave behind a hole");
    assert_eq!(w.record_at(0, 4000)[..8], [0, 0, 0, 96, 0xCB, 0xD4, 0x31, 0x94]);
    busy(w.put_r(100).unwrap_err().refusal);
    busy(w.put_batch(&[&[1; 10]]).unwrap_err().refusal);
    assert_eq!(ok(w.log.poll_commit(&mut cx(), 4)), Step::Moved);
    assert_eq!(w.log.committed_where(), 4096);
    let a = w.put_r(100).unwrap();
    assert_eq!((a.wrote_offset, a.queue_offset, a.rolled), (4096, 20, true));
    assert_eq!((w.log.max_offset(), w.backend.faults.creates.get()), (4296, 2));
    assert_eq!(ok(w.log.poll_flush_to(&mut cx(), 4296)), 4296);
}

#[test]
fn a_committed_file_still_has_its_filler_committed_before_a_record_is_put_in_place() {
    let mut w = staged_before_in_place();
    ok(w.log.poll_commit(&mut cx(), 0));
    busy(w.put_batch(&[&[1; 10]]).unwrap_err().refusal);
    assert_eq!((w.log.max_offset(), w.log.written_offset()), (4000, 4096));
    ok(w.log.poll_commit(&mut cx(), 0));
    assert_eq!(w.put_r(100).unwrap().wrote_offset, 4096);
}

#[test]
fn raw_bytes_wait_for_the_commit_of_a_staged_file_before_they_go_on_in_place() {
    let mut w = staged_before_in_place();
    w.raw(4000, &[0; 96]).unwrap();
    busy(w.raw(4096, &[1; 5]).unwrap_err());
    assert!(w.backend.bytes(4096) == ZEROS);
    ok(w.log.poll_commit(&mut cx(), 0));
    assert_eq!(w.raw(4096, &[1; 5]), Ok(4101));
    assert_eq!(w.backend.faults.creates.get(), 2);
}

#[test]
fn a_staged_file_needs_no_commit_before_the_next_one_if_that_is_staged_too() {
    let mut w = nearly_full(World::staged(4096));
    assert_eq!(w.put_r(100).unwrap().wrote_offset, 4096);
    assert_eq!(w.log.committed_where(), 0);
}

#[test]
fn a_staged_file_whose_filler_cannot_be_written_takes_the_record_next_time() {
    let mut w = staged_before_in_place();
    w.backend.faults.window_of.set(Some((0, 0, ErrorKind::Busy)));
    busy(w.put_r(100).unwrap_err().refusal);
    assert_eq!(w.log.written_offset(), 4000);
    busy(w.put_r(100).unwrap_err().refusal);
    assert_eq!(w.log.written_offset(), 4096);
}

#[test]
fn a_log_that_has_stopped_with_its_last_file_full_does_not_go_on_in_the_next_one() {
    let stopped =
        Refusal::new(PutMessageStatus::ServiceNotAvailable, Cause::WriteFailed(ErrorKind::Stopped));
    let failing = [(false, Some(ErrorKind::Device)), (true, None)];
    for (mut w, (staged, flush)) in
        [nearly_full(World::new(4096)), staged_before_in_place()].into_iter().zip(failing)
    {
        let filler = [[0, 0, 0, 96, 0xCB, 0xD4, 0x31, 0x94].as_slice(), &[0; 88]].concat();
        w.raw(4000, &filler).unwrap();
        w.writer.learn_from(4096);
        w.backend.faults.flush.set(flush);
        w.backend.faults.commit.set(staged.then_some(ErrorKind::Device));
        assert!(matches!(w.log.poll_flush_to(&mut cx(), 4096), Poll::Ready(Err(_))));
        assert_eq!(w.put_r(100).unwrap_err().refusal, stopped, "staged: {staged}");
        assert_eq!(w.raw(4096, &[1; 5]), Err(stopped), "staged: {staged}");
        assert_eq!(w.log.table().len(), 1);
    }
}
