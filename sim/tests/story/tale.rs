//! Several lives of one store on one disk, and what many of them add up to.

use core::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use mqstore_sim::{DiskOptions, MediumOptions, Rates, Rng, SimDisk};

use crate::model::Model;
use crate::{life, recover};

/// What happens in the lives of a store.
#[derive(Clone, Copy)]
pub(crate) struct Tale {
    pub(crate) disk: DiskOptions,
    pub(crate) rates: Rates,
    /// Some lives end by a kill.
    pub(crate) kills: bool,
    /// Recovery looks at the heads of records, too.
    pub(crate) heads: bool,
}

/// What has come of many tales.
#[derive(Default)]
pub(crate) struct Sum {
    pub(crate) cuts: u64,
    kills: u64,
    pub(crate) acknowledged: u64,
    /// Records in the last log that were never acknowledged.
    pub(crate) survivors: u64,
    /// Logs that had to be cut.
    pub(crate) torn: u64,
    pub(crate) faults: u64,
    files: u64,
    opens: u32,
    opening: Duration,
    took: Duration,
    /// Records whose head is not what was sent: a checksum covers bodies only.
    pub(crate) spoiled: Vec<String>,
    /// What was acknowledged and is not there, by seed.
    pub(crate) lost: Vec<String>,
}

impl fmt::Display for Sum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let each = |d: Duration| d.as_micros() / u128::from(self.opens.max(1));
        write!(
            f,
            "{} cuts, {} kills, {} faults, {} acknowledged, {} more survived, {} torn, {} spoiled, \
             {} files, {} lost; {} us per open, {} us per life",
            self.cuts,
            self.kills,
            self.faults,
            self.acknowledged,
            self.survivors,
            self.torn,
            self.spoiled.len(),
            self.files,
            self.lost.len(),
            each(self.opening),
            each(self.took),
        )
    }
}

/// Tells the tale of each seed, until there is enough.
pub(crate) fn tell_until(
    tale: Tale,
    medium: MediumOptions,
    seeds: u64,
    enough: impl Fn(&Sum) -> bool,
) -> Sum {
    let mut sum = Sum::default();
    let start = Instant::now();
    for seed in 0..seeds {
        if enough(&sum) {
            break;
        }
        if let Err(why) = tell(seed, tale, medium, &mut sum) {
            sum.lost.push(format!("seed {seed}: {why}"));
        }
    }
    sum.took = start.elapsed();
    sum
}

/// Tells the tale of each seed.
pub(crate) fn tell_all(tale: Tale, medium: MediumOptions, seeds: u64) -> Sum {
    tell_until(tale, medium, seeds, |_| false)
}

fn tell(seed: u64, tale: Tale, medium: MediumOptions, sum: &mut Sum) -> Result<(), String> {
    let disk = SimDisk::new(seed, tale.disk);
    let (mut rng, mut model) = (Rng::new(!seed), Model::default());
    for _ in 0..rng.between(2, 6) {
        one_life(&disk, &mut rng, &mut model, tale, medium, sum)?;
    }
    disk.heal();
    let (store, _) = recover::open(&disk, medium, tale.heads).map_err(|e| e.to_string())?;
    let checked = model.check(&disk);
    store.close().map_err(|e| e.to_string())?;
    sum.acknowledged += model.len();
    sum.survivors += model.unasked;
    sum.faults += disk.counts().faults;
    sum.files += crate::log::files(&disk).len() as u64;
    checked
}

/// Opens the store, checks what it has, lets it live, and ends it.
fn one_life(
    disk: &Arc<SimDisk>,
    rng: &mut Rng,
    model: &mut Model,
    tale: Tale,
    medium: MediumOptions,
    sum: &mut Sum,
) -> Result<(), String> {
    disk.heal();
    let start = Instant::now();
    let opened = recover::open(disk, medium, tale.heads);
    sum.opening += start.elapsed();
    sum.opens += 1;
    let (store, cuts) = opened.map_err(|e| e.to_string())?;
    sum.torn += u64::from(cuts > 0);
    model.check(disk)?;
    sum.spoiled.append(&mut model.spoiled);
    disk.rates(tale.rates);
    let kill = tale.kills && rng.one_in(2);
    // a process may also die when it rests
    let rests = kill && rng.one_in(2);
    if !rests {
        disk.stop_after(rng.between(1, 120));
    }
    let most = if rests { rng.between(1, 60) } else { 1000 };
    let told = life::live(&store, disk, rng, model, most);
    // the old process notices at once that it is dead, or only afterwards
    let store = rng.one_in(2).then_some(store);
    if kill {
        disk.kill();
        sum.kills += 1;
    } else {
        disk.power_cut(rng);
        sum.cuts += 1;
    }
    drop(store);
    told.iter().for_each(|(sent, r)| model.answered_late(sent, r));
    Ok(())
}
