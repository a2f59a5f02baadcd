//! Messages put behind raw bytes: what a slave does that becomes a master.

use super::*;

/// Two records of 400 bytes and the filler behind them, as a master writes them.
fn two_records_and_a_filler() -> Vec<u8> {
    let mut master = World::new(1024);
    for _ in 0..3 {
        master.put_r(300).unwrap();
    }
    master.backend.bytes(0)
}

#[test]
fn a_message_behind_a_part_of_a_filler_goes_to_the_next_file() {
    let bytes = two_records_and_a_filler();
    for cut in 808..=1024 {
        let mut slave = World::new(1024);
        slave.raw(0, &bytes[..cut]).unwrap();
        // which would fit behind most of the cuts
        let a = slave.put_r(0).unwrap();
        assert_eq!((a.wrote_offset, a.queue_offset, a.rolled), (1024, 2, true), "cut at {cut}");
        assert_eq!(slave.log.table().first().unwrap().marks().published(), 1024);
        assert!(slave.record_at(0, 0) == bytes, "cut at {cut}: the filler has changed");
        assert_eq!(slave.put_batch(&[&[1; 10]]).unwrap().wrote_offset, 1124);
    }
}

#[test]
fn less_than_the_head_of_a_filler_is_a_torn_tail() {
    let bytes = two_records_and_a_filler();
    for cut in 801..808 {
        let mut slave = World::new(1024);
        slave.raw(0, &bytes[..cut]).unwrap();
        let refused = slave.put_r(0).unwrap_err().refusal;
        assert_eq!(refused.cause, Cause::TornTail { offset: 800 }, "cut at {cut}");
        assert_eq!(slave.log.max_offset(), cut as u64);
    }
}

#[test]
fn behind_a_part_of_a_filler_a_file_that_cannot_be_made_is_made_by_the_next_put() {
    let bytes = two_records_and_a_filler();
    let mut slave = World::new(1024);
    slave.raw(0, &bytes[..900]).unwrap();
    slave.backend.faults.create.set(Some(ErrorKind::NoSpace));
    let refused = slave.put_r(0).unwrap_err().refusal;
    assert_eq!(refused.cause, Cause::CreateFailed(ErrorKind::NoSpace));
    assert_eq!(slave.put_batch(&[]).unwrap().msg_num, 0);
    let a = slave.put_r(0).unwrap();
    assert_eq!((a.wrote_offset, a.queue_offset), (1024, 2));
    assert!(slave.record_at(0, 0) == bytes, "the filler has changed");
}
