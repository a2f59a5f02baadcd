//! Going from one file to the next: what a refusal leaves.

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
