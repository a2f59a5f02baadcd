//! What a simulated disk keeps and what it loses.

use std::sync::Arc;

use mqstore_core::segment::ErrorKind;
use mqstore_sim::disk::{FileRef, Loss, Process, SECTOR};
use mqstore_sim::{DiskOptions, Effect, Fault, Op, Rates, Rng, SimDisk};

const LEN: u64 = 4 * SECTOR as u64;

/// A disk with a file `a/f` of four sectors of `old`, all of it durable.
fn with_file(seed: u64, options: DiskOptions, loss: Loss, old: u8) -> (Arc<SimDisk>, FileRef) {
    let disk = SimDisk::new(seed, options);
    let process = disk.process();
    let file = process.create(LEN, loss).unwrap();
    process.write_all(&file, "a/f", 0, &[old; LEN as usize]).unwrap();
    process.sync_all(&file, "a/f").unwrap();
    process.link(&file, "a/f").unwrap();
    process.sync_name("a/f").unwrap();
    (disk, file)
}

fn contents(process: &Process) -> Vec<u8> {
    let file = process.open("a/f").unwrap().unwrap();
    let mut out = vec![0; usize::try_from(process.len(&file).unwrap()).unwrap()];
    process.read(&file, "a/f", 0, &mut out).unwrap();
    out
}

/// What is left of `a/f` by seed when all of it was overwritten and `then` was done.
fn after_cut(
    seed: u64,
    options: DiskOptions,
    loss: Loss,
    then: impl Fn(&Process, &FileRef),
) -> Vec<u8> {
    let (disk, file) = with_file(seed, options, loss, 1);
    let process = disk.process();
    process.write_all(&file, "a/f", 0, &[2; LEN as usize]).unwrap();
    then(&process, &file);
    disk.power_cut(&mut Rng::new(seed));
    contents(&disk.process())
}

#[test]
fn an_unsynced_sector_is_old_or_new_or_torn_or_noise() {
    let (mut old, mut new, mut torn, mut noise) = (0, 0, 0, 0);
    for seed in 0..500 {
        let left = after_cut(seed, DiskOptions::default(), Loss::Any, |_, _| ());
        for sector in left.chunks(SECTOR) {
            match (sector.contains(&1), sector.contains(&2), sector.iter().any(|b| *b > 2)) {
                (_, _, true) => noise += 1,
                (true, true, _) => torn += 1,
                (true, false, _) => old += 1,
                (false, _, _) => new += 1,
            }
        }
    }
    assert!(old > 300 && new > 300 && torn > 50 && noise > 50, "{old} {new} {torn} {noise}");
}

#[test]
fn what_was_synced_is_there_and_with_a_lying_cache_it_is_not() {
    let sync = |p: &Process, f: &FileRef| p.sync_all(f, "a/f").unwrap();
    let mut lost = 0;
    for seed in 0..50 {
        let left = after_cut(seed, DiskOptions::default(), Loss::Any, sync);
        assert_eq!(left, [2; LEN as usize], "{seed}");
        let (disk, _) =
            with_file(seed, DiskOptions { lying: true, ..Default::default() }, Loss::Any, 1);
        disk.power_cut(&mut Rng::new(seed));
        lost += usize::from(disk.process().open("a/f").unwrap().is_none());
    }
    assert!(lost > 10, "{lost}");
}

#[test]
fn a_sync_of_a_range_covers_its_sectors_only() {
    let (mut first, mut last) = (0, 0);
    for seed in 0..50 {
        let part = |p: &Process, f: &FileRef| p.sync(f, "a/f", 10, SECTOR as u64 + 1).unwrap();
        let left = after_cut(seed, DiskOptions::default(), Loss::Any, part);
        first += usize::from(left[..2 * SECTOR] != [2; 2 * SECTOR]);
        last += usize::from(left[2 * SECTOR..] != [2; 2 * SECTOR]);
    }
    assert_eq!(first, 0);
    assert!(last > 20, "{last}");
}

#[test]
fn bytes_that_share_a_torn_sector_with_new_ones_stay_unless_there_can_be_noise_anywhere() {
    let mut hurt = 0;
    for seed in 0..500 {
        for noise_anywhere in [false, true] {
            let options = DiskOptions { noise_anywhere, ..Default::default() };
            let (disk, file) = with_file(seed, options, Loss::Any, 1);
            disk.process().write_all(&file, "a/f", 100, &[2; 300]).unwrap();
            disk.power_cut(&mut Rng::new(seed));
            let left = contents(&disk.process());
            let whole = left[..100] == [1; 100] && left[400..] == [1; LEN as usize - 400];
            assert!(whole || noise_anywhere, "{seed}");
            hurt += usize::from(!whole);
        }
    }
    assert!(hurt > 20, "{hurt}");
}

#[test]
fn words_are_old_or_new_and_never_torn() {
    let mut mixed = 0;
    for seed in 0..100 {
        let left = after_cut(seed, DiskOptions::default(), Loss::Words, |_, _| ());
        assert!(left.chunks(4).all(|w| w == [1; 4] || w == [2; 4]), "{seed}");
        mixed += usize::from(left.contains(&1) && left.contains(&2));
    }
    assert!(mixed > 30, "{mixed}");
}

#[test]
fn a_killed_process_leaves_what_it_wrote_and_can_do_no_more() {
    let (disk, file) = with_file(1, DiskOptions::default(), Loss::Any, 1);
    let process = disk.process();
    process.write_all(&file, "a/f", 0, &[2; LEN as usize]).unwrap();
    disk.kill();
    assert_eq!(process.write_all(&file, "a/f", 0, &[3; 9]), Err(ErrorKind::Device));
    process.store(&file, "a/f", 0, &[4; 9]);
    assert_eq!(contents(&disk.process()), [2; LEN as usize]);
    assert!(disk.unsynced() > 0);
}

#[test]
fn the_power_goes_in_the_middle_of_the_operation_that_was_named() {
    let (disk, file) = with_file(1, DiskOptions::default(), Loss::Any, 1);
    let process = disk.process();
    disk.stop_after(1);
    process.write_all(&file, "a/f", 0, &[2; 9]).unwrap();
    assert!(!disk.is_stopped());
    assert_eq!(process.write_all(&file, "a/f", 9, &[2; 9]), Err(ErrorKind::Device));
    assert!(disk.is_stopped());
    let nothing = process.read(&file, "a/f", 0, &mut [0; 9]);
    assert_eq!(nothing, Err(ErrorKind::Device));
    disk.power_cut(&mut Rng::new(1));
    assert_eq!(contents(&disk.process()).len(), LEN as usize);
}

#[test]
fn a_sync_behind_a_failed_one_does_not_save_what_the_system_has_forgotten() {
    let mut lost = 0;
    for seed in 0..50 {
        let left = after_cut(seed, DiskOptions::default(), Loss::Any, |p, f| {
            let name = "a/f";
            p.disk().plan(Fault::new(Op::Sync, Effect::Fail(ErrorKind::Device)).below(name));
            assert_eq!(p.sync_all(f, name), Err(ErrorKind::Device));
            p.sync_all(f, name).unwrap();
        });
        lost += usize::from(left.contains(&1));
    }
    assert!(lost > 30, "{lost}");
}

#[test]
fn faults_come_by_plan_and_by_chance() {
    let (disk, file) = with_file(1, DiskOptions::default(), Loss::Any, 1);
    let process = disk.process();
    disk.plan(Fault::new(Op::Write, Effect::Short).after(1).below("a/"));
    assert_eq!(process.write(&file, "a/f", 0, &[2; 9]), Ok(9));
    assert!(process.write(&file, "a/f", 0, &[2; 9]).unwrap() < 9);
    assert_eq!(process.create(1 << 30, Loss::Any).unwrap_err(), ErrorKind::NoSpace);
    assert!(disk.make_unreadable("a/f", SECTOR + 1));
    let mut out = [0; 9];
    let beside = process.read(&file, "a/f", 2 * SECTOR as u64, &mut out);
    let there = process.read(&file, "a/f", SECTOR as u64 - 1, &mut out);
    assert_eq!((beside, there), (Ok(()), Err(ErrorKind::Device)));
    process.write_all(&file, "a/f", SECTOR as u64, &[3; SECTOR]).unwrap();
    assert_eq!(process.read(&file, "a/f", SECTOR as u64, &mut out), Ok(()));
    assert!(disk.flip("a/f", SECTOR, 7));
    process.read(&file, "a/f", SECTOR as u64, &mut out).unwrap();
    assert_eq!(out[0], 3 ^ 0x80);
    disk.rates(Rates { read_error: 2, sync_error: 2, ..Rates::default() });
    let failed = (0..100).filter(|_| process.sync_all(&file, "a/f").is_err()).count();
    assert!((25..75).contains(&failed), "{failed}");
    disk.heal();
    process.sync_all(&file, "a/f").unwrap();
}

/// A run that hangs on its seed in every way there is.
fn run(disk: &Arc<SimDisk>, seed: u64) -> (u64, Vec<u64>) {
    let mut rng = Rng::new(seed);
    disk.rates(Rates { write_error: 9, sync_error: 9, short_write: 5, ..Rates::default() });
    let mut seen = Vec::new();
    for round in 0..20 {
        let process = disk.process();
        disk.stop_after(rng.below(40));
        while !disk.is_stopped() {
            let name = format!("d/{}", rng.below(5));
            let opened = process.open(&name).ok().flatten();
            let file = opened.or_else(|| {
                let file = process.create(rng.below(3000), Loss::Any).ok()?;
                process.link(&file, &name).ok().map(|()| file)
            });
            let Some(file) = file else { continue };
            let (at, mut bytes) = (rng.below(2000), vec![0; rng.index(900)]);
            rng.fill(&mut bytes);
            let _ = process.write(&file, &name, at, &bytes);
            let _ = (rng.one_in(3)).then(|| process.sync_all(&file, &name));
            let _ = (rng.one_in(9)).then(|| process.remove(&name));
            let _ = (rng.one_in(5)).then(|| process.sync_name(&name));
        }
        disk.power_cut(&mut rng);
        if round % 3 == 0 {
            disk.kill();
        }
        seen.push(disk.fingerprint());
    }
    (disk.now(), seen)
}

#[test]
fn the_same_seed_is_the_same_run_also_on_a_disk_that_was_used_before() {
    let disk = SimDisk::new(5, DiskOptions::default());
    let first = run(&disk, 5);
    run(&disk, 6);
    disk.reset(5);
    assert_eq!(run(&disk, 5), first);
    disk.reset(6);
    assert_ne!(run(&disk, 6), first);
}
