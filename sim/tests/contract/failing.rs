//! What the contract says about failures, with faults that come from the disk.

use mqstore_backends::contract::{CAPACITY, failure};
use mqstore_core::segment::ErrorKind;
use mqstore_sim::{Effect, Fault, Op, SimDisk};

use super::rig;

const VARIANTS: [(u32, u64, bool); 6] = [
    (0, 0, true),
    (0, 4, false),
    (1024, 0, true),
    (1024, 4, false),
    (CAPACITY, 0, false),
    (CAPACITY, 4, true),
];

fn fails(disk: &SimDisk, op: Op, kind: ErrorKind) {
    disk.plan(Fault::new(op, Effect::Fail(kind)));
}

#[test]
fn a_segment_whose_flush_failed_takes_no_more() {
    for (stage, polls, views) in VARIANTS {
        let rig = rig(stage, polls, views);
        let fail = || fails(&rig.1, Op::Sync, ErrorKind::Device);
        failure::a_segment_whose_flush_failed_takes_no_more(&rig, fail, ErrorKind::Device);
    }
}

#[test]
fn a_segment_whose_commit_failed_takes_no_more() {
    for (stage, polls, views) in VARIANTS.into_iter().filter(|v| v.0 > 0) {
        for kind in [ErrorKind::Device, ErrorKind::NoSpace] {
            let rig = rig(stage, polls, views);
            let fail = || fails(&rig.1, Op::Write, kind);
            failure::a_segment_whose_commit_failed_takes_no_more(&rig, fail, kind);
        }
    }
}

#[test]
fn a_create_that_fails_at_any_step_leaves_nothing() {
    for (stage, polls, views) in VARIANTS {
        for op in [Op::Create, Op::Sync, Op::Link, Op::SyncDir] {
            let rig = rig(stage, polls, views);
            let fail = || fails(&rig.1, op, ErrorKind::NoSpace);
            failure::a_create_that_fails_leaves_nothing_and_the_next_one_works(
                &rig,
                fail,
                ErrorKind::NoSpace,
            );
        }
    }
}

#[test]
fn short_writes_bring_everything_to_the_file() {
    for seed in 0..20 {
        let rig = rig(1024, 2, seed % 2 == 0);
        rig.1.rates(mqstore_sim::Rates { short_write: 3, ..Default::default() });
        mqstore_backends::contract::marks::a_full_segment_takes_its_last_byte_and_no_more(&rig);
        assert!(rig.1.counts().faults > 0);
    }
}
