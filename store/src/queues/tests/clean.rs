//! Files whose records the log has no more.

use mqstore_backends::over::{Fault, FaultPlan, Faulty, Op, Place};
use mqstore_core::segment::ErrorKind;

use super::super::clean::Cleaned;
use super::*;

/// The log's first byte; how many files of 200 entries go, and the minimum as Java's and
/// corrected, of a queue with 450 entries.
const ROUNDS: [(u64, usize, u64, u64); 7] = [
    (0, 0, 0, 0),
    (5000, 0, 50, 50),
    (19_900, 0, 199, 199),
    (19_901, 1, 200, 200),
    (39_900, 0, 399, 399),
    (44_850, 1, 449, 449),
    (90_000, 0, 449, 450),
];

fn is_cleaned<M: HostMedium>(medium: M, corrected: bool, awake: bool) {
    let q = Queues::new(Arc::new(medium), settings().corrected(corrected));
    q.fill("T", 0, 0..450);
    q.rest_all();
    for (min, removed, java, better) in ROUNDS {
        if awake {
            q.cell_of("T", 0, 449);
        }
        let mut pauses = 0;
        let cleaned = q.clean(min, || pauses += 1);
        assert_eq!(cleaned, Cleaned { files: removed, errors: Vec::new() }, "log from {min}");
        assert_eq!(pauses, usize::from(removed > 0));
        assert_eq!(q.awake(), usize::from(awake), "nothing is woken for it");
        let first = if corrected { better } else { java };
        assert_eq!(q.bounds("T", 0), bounds(first, 450), "log from {min}");
        q.rest_all();
        assert_eq!(q.bounds("T", 0), bounds(first, 450));
    }
    q.fill("T", 0, 450..700);
}

#[test]
fn files_of_expired_entries_go_but_never_the_last_one() {
    for corrected in [false, true] {
        for awake in [false, true] {
            is_cleaned(mem(), corrected, awake);
            let at = temp();
            is_cleaned(folder(&at), corrected, awake);
            let there = [0, 4000, 8000].map(|base| file_of(at.path(), "T", 0, base).exists());
            assert_eq!(there, [false, false, true]);
        }
    }
}

#[test]
fn a_file_that_cannot_be_removed_is_named_and_the_others_go() {
    for awake in [false, true] {
        let plan = Arc::new(FaultPlan::new());
        let q = queues(Faulty::new(mem(), Arc::clone(&plan)));
        q.fill("T", 0, 0..450);
        q.fill("T", 1, 0..450);
        q.rest_all();
        if awake {
            q.cell_of("T", 0, 449);
            q.cell_of("T", 1, 449);
        }
        plan.add(Fault::new(Op::Remove, ErrorKind::Denied).only(Place::ConsumeQueue).nth(2));
        let Cleaned { files, errors } = q.clean(44_900, || ());
        let [error] = &errors[..] else { panic!("{errors:?}") };
        assert_eq!((files, error.kind), (3, ErrorKind::Denied));
        assert_eq!(q.clean(44_900, || ()).files, 1);
        assert_eq!((q.bounds("T", 0), q.bounds("T", 1)), (bounds(449, 450), bounds(449, 450)));
        q.fill("T", 0, 450..451);
        q.fill("T", 1, 450..451);
    }
}
