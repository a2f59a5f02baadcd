//! What is put, where it goes, and what is said when it cannot.

use mqstore_backends::over::{Fault, FaultPlan, Faulty, Op, Place};
use mqstore_core::segment::ErrorKind;

use super::*;

#[test]
fn a_queue_that_is_only_asked_for_is_empty_and_leaves_nothing_behind() {
    let at = temp();
    let q = queues(folder(&at));
    assert!(q.find("T", 0).is_none());
    assert_eq!(q.bounds("T", 0), bounds(0, 0));
    let queue = q.find_or_make("T", 0);
    assert_eq!((q.len(), q.find_or_make("T", 0).queue_id()), (1, 0));
    assert_eq!((queue.bounds(), queue.max_physical()), (bounds(0, 0), None));
    assert!(q.open(&queue).unwrap().is_some());
    assert!(!at.path().join("consumequeue").exists());
}

/// Spec 02 section 7.2 and spec 04 section 10, as run.
fn first_offset_203<M: HostMedium>(medium: M) {
    let q = queues(medium);
    let mut log = 1000;
    let mut put = |k: i64| {
        log += 100;
        q.put("T", 3, cell(log), k, None)
    };
    assert_eq!(put(203), Ok(Put::At { entry: 203 }));
    assert_eq!(q.bounds("T", 3), bounds(203, 204));
    assert_eq!(put(210), Ok(Put::At { entry: 204 }));
    assert_eq!(put(203), Ok(Put::Behind));
    assert_eq!(put(0), Ok(Put::At { entry: 205 }));
    assert_eq!(q.put("T", 3, cell(1100), 206, None), Ok(Put::AlreadyThere));
    assert_eq!(q.bounds("T", 3), bounds(203, 206));
    assert_eq!(q.cell_of("T", 3, 203), Some(cell(1100)));
    assert_eq!(q.cell_of("T", 3, 202), None);
    let max = q.find("T", 3).unwrap().max_physical();
    assert_eq!(max, Some(1500));
    q.rest_all();
    assert_eq!(q.bounds("T", 3), bounds(203, 206));
    assert_eq!(q.cell_of("T", 3, 205), Some(cell(1400)));
}

#[test]
fn the_first_file_of_a_queue_is_filled_up_to_its_first_entry() {
    first_offset_203(mem());
    let at = temp();
    first_offset_203(folder(&at));
    let bytes = std::fs::read(file_of(at.path(), "T", 3, 4000)).unwrap();
    assert_eq!(bytes.len(), 4000);
    for filler in bytes[..60].chunks(20) {
        assert_eq!(filler[..12], [0, 0, 0, 0, 0, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff]);
        assert_eq!(filler[12..], [0; 8]);
    }
    assert_eq!(bytes[60..80], cell(1100).encode());
    assert!(bytes[120..].iter().all(|b| *b == 0));
}

#[test]
fn each_file_is_a_whole_number_of_entries_long() {
    for (asked, size) in [(1, 20), (20, 20), (6_000_000, 6_000_000), (6_000_001, 6_000_020)] {
        assert_eq!(QueueSettings::new(asked).file_size, size);
    }
    assert_eq!(QueueSettings::new(u32::MAX).file_size % 20, 0);
}

#[test]
fn a_file_that_cannot_be_made_is_named_and_the_entry_can_be_put_again() {
    let plan = Arc::new(FaultPlan::new());
    let q = queues(Faulty::new(mem(), Arc::clone(&plan)));
    q.fill("T", 0, 0..200);
    plan.add(Fault::new(Op::Create, ErrorKind::NoSpace).only(Place::ConsumeQueue));
    let failed = q.put_nth("T", 0, 200).unwrap_err();
    assert_eq!(failed.kind, ErrorKind::NoSpace);
    let words = failed.to_string();
    assert!(words.starts_with("consume queue T/0: the queue file at 4000"), "{words}");
    q.fill("Other", 0, 0..1);
    q.flush(0).unwrap();
    q.rest_idle(0);
    assert_eq!(q.awake(), 1, "what was made for an entry that failed is kept");
    q.fill("T", 0, 200..201);
    q.rest_all();
    assert_eq!(q.bounds("T", 0), bounds(0, 201));
}

#[test]
fn an_entry_that_cannot_be_written_moves_nothing() {
    let plan = Arc::new(FaultPlan::new());
    let q = queues(Faulty::new(mem(), Arc::clone(&plan)));
    q.fill("T", 0, 0..3);
    plan.fail_next(Op::Window, ErrorKind::Device);
    assert_eq!(q.put_nth("T", 0, 3).unwrap_err().kind, ErrorKind::Device);
    assert_eq!(q.bounds("T", 0), bounds(0, 3));
    q.fill("T", 0, 3..5);
}

#[test]
fn a_name_that_cannot_be_a_folder_is_an_error_of_that_queue() {
    let q = queues(mem());
    assert_eq!(q.put_nth("a/b", 0, 0).unwrap_err().kind, ErrorKind::BadName);
    q.fill("T", 0, 0..1);
}
