//! The contract of the border, kept by the simulated medium in each of its variants.

mod failing;

use std::sync::Arc;

use mqstore_backends::contract;
use mqstore_sim::{DiskOptions, MediumOptions, SimDisk, SimMedium};

/// A fresh medium, and its disk.
pub(crate) fn rig(stage: u32, polls: u64, views: bool) -> (SimMedium, Arc<SimDisk>) {
    let disk = SimDisk::new(7, DiskOptions::default());
    let options = MediumOptions { stage, polls, views, ..MediumOptions::default() };
    (SimMedium::new(&disk, options), disk)
}

contract!(in_place, || rig(0, 0, true));
contract!(in_place_without_views, || rig(0, 0, false));
contract!(in_place_and_pending, || rig(0, 5, true));
contract!(staged_in_a_short_buffer, || rig(1024, 0, true));
contract!(staged_in_a_whole_buffer, || rig(contract::CAPACITY, 0, false));
contract!(staged_and_pending, || rig(1024, 5, true));
contract!(staged_and_pending_without_views, || rig(contract::CAPACITY, 3, false));
