//! The first story: the production store with synchronous flush on a disk whose power goes, over
//! and over, at any operation. Everything that was acknowledged is there afterwards.
//!
//! The threads are the store's own for now, so a seed fixes what the disk does with each
//! operation, and not which operations there are.

mod faults;
mod life;
mod log;
mod model;
mod recover;
mod tale;

use mqstore_sim::{DiskOptions, MediumOptions, Rates};

use tale::{Sum, Tale, tell_all, tell_until};

/// How many seeds each test takes.
fn seeds() -> u64 {
    std::env::var("MQSTORE_SIM_SEEDS").ok().and_then(|s| s.parse().ok()).unwrap_or(80)
}

/// How the log may be written.
const MEDIA: [MediumOptions; 4] = [
    MediumOptions { stage: 0, polls: 0, views: true, rewrite: true, sync_names: true },
    MediumOptions { stage: 0, polls: 3, views: false, rewrite: true, sync_names: true },
    MediumOptions { stage: 2048, polls: 3, views: true, rewrite: true, sync_names: true },
    MediumOptions { stage: 8192, polls: 0, views: false, rewrite: true, sync_names: true },
];

const KIND: Tale = Tale {
    disk: DiskOptions { bytes: 1 << 20, lying: false, noise_anywhere: false },
    rates: Rates {
        write_error: 0,
        sync_error: 0,
        short_write: 0,
        no_space: 0,
        read_error: 0,
        read_flip: 0,
    },
    kills: false,
    heads: true,
};

fn nothing_is_lost(name: &str, tale: Tale, medium: MediumOptions) -> Sum {
    let sum = tell_all(tale, medium, seeds());
    println!("{name}: {sum} {:?}", sum.spoiled.first());
    assert_eq!(sum.lost, Vec::<String>::new(), "{name}");
    assert!(sum.acknowledged > seeds() * 5, "{name}: {sum}");
    assert!(sum.cuts > 0 && sum.survivors > 0, "{name}: {sum}");
    sum
}

#[test]
fn what_was_acknowledged_survives_every_power_cut() {
    for (n, medium) in MEDIA.into_iter().enumerate() {
        let sum = nothing_is_lost(&format!("power cuts, medium {n}"), KIND, medium);
        assert!(sum.torn > 0, "no log was ever torn: {sum}");
    }
}

#[test]
fn what_was_acknowledged_survives_kills_between_power_cuts() {
    let tale = Tale { kills: true, ..KIND };
    for (n, medium) in MEDIA.into_iter().enumerate() {
        nothing_is_lost(&format!("kills, medium {n}"), tale, medium);
    }
}

#[test]
fn what_was_acknowledged_survives_a_disk_that_fails_now_and_then() {
    let rates = Rates { write_error: 60, sync_error: 60, short_write: 9, ..Rates::default() };
    let tale = Tale { kills: true, rates, ..KIND };
    for (n, medium) in MEDIA.into_iter().enumerate() {
        let sum = nothing_is_lost(&format!("faults, medium {n}"), tale, medium);
        assert!(sum.faults > 0, "{sum}");
    }
}

/// The teeth of the simulator.
#[test]
fn with_a_lying_cache_acknowledged_messages_are_lost_and_that_is_found() {
    let tale = Tale { disk: DiskOptions { lying: true, ..KIND.disk }, ..KIND };
    for (n, medium) in MEDIA.into_iter().enumerate() {
        let sum = tell_all(tale, medium, 20);
        println!("lying cache, medium {n}: {sum}");
        assert!(sum.lost.len() >= 15, "{sum}");
    }
}

/// Files that are written in place rely on it that a disk writes a sector as a whole, or at
/// least keeps what it is given again.
#[test]
fn a_disk_that_spoils_what_shares_a_sector_is_found_out() {
    let tale = Tale { disk: DiskOptions { noise_anywhere: true, ..KIND.disk }, ..KIND };
    let sum = tell_until(tale, MEDIA[0], 5000, |sum| !sum.lost.is_empty());
    println!("noise anywhere: {sum}");
    assert!(!sum.lost.is_empty(), "{sum}");
}

/// What a folder does: it syncs what a process has left that died behind a failed sync, and the
/// system says that there is nothing to do.
#[test]
fn a_medium_that_does_not_write_again_what_a_failed_sync_has_left_is_found_out() {
    let rates = Rates { sync_error: 20, ..Rates::default() };
    let tale = Tale { kills: true, rates, ..KIND };
    for (n, medium) in MEDIA.into_iter().enumerate() {
        let sum = nothing_is_lost(&format!("failing syncs, medium {n}"), tale, medium);
        assert!(sum.faults > 0, "{sum}");
        let folder = MediumOptions { rewrite: false, ..medium };
        let sum = tell_until(tale, folder, 5000, |sum| !sum.lost.is_empty());
        println!("as a folder, medium {n}: {sum} {:?}", sum.lost.first());
        assert!(!sum.lost.is_empty(), "{sum}");
    }
}

/// What this version of the store does: each record's checksum covers its body only.
#[test]
fn torn_heads_that_nobody_looks_at_become_messages_and_that_is_found() {
    let tale = Tale { heads: false, ..KIND };
    let sum = tell_until(tale, MEDIA[0], 5000, |sum| !sum.spoiled.is_empty());
    println!("torn heads: {sum} {:?}", sum.spoiled.first());
    assert!(!sum.spoiled.is_empty(), "{sum}");
}
