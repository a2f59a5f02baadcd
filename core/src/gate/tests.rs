use core::cell::RefCell;
use std::vec::Vec;

use super::*;
use crate::clock::At;

#[derive(Default)]
struct Heard(RefCell<Vec<(PutMessageStatus, u64)>>);

impl Observer for Heard {
    fn refused(&self, refusal: &Refusal, before: u64) {
        self.0.borrow_mut().push((refusal.status, before));
    }
}

fn rules(role: BrokerRole) -> GateRules {
    GateRules { role, page_cache_busy_millis: 1000 }
}

const MASTER: BrokerRole = BrokerRole::AsyncMaster;

fn ask(g: &Gates, role: BrokerRole, now: i64, heard: &Heard) -> Result<(), Refusal> {
    g.check(&rules(role), &At(now), heard)
}

#[test]
fn the_gates_answer_in_rocketmqs_order_and_each_names_its_cause() {
    // every combination of the four conditions
    for bits in 0..16u32 {
        let (shut, slave, flagged, busy) =
            (bits & 1 != 0, bits & 2 != 0, bits & 4 != 0, bits & 8 != 0);
        let g = Gates::new();
        g.open();
        if shut {
            assert!(g.shut(77));
        }
        if flagged {
            g.flags.get_and_make_disk_full(55);
        }
        if busy {
            g.time_in_lock.enter(1);
        }
        let role = if slave { BrokerRole::Slave } else { MASTER };
        let answer = ask(&g, role, 1002, &Heard::default());
        let service = PutMessageStatus::ServiceNotAvailable;
        let expected = if shut {
            Err(Refusal::new(service, Cause::Shutdown { since: 77 }))
        } else if slave {
            Err(Refusal::new(service, Cause::RoleSlave))
        } else if flagged {
            let cause = Cause::NotWriteable { reason: Reason::DiskFull, since: 55 };
            Err(Refusal::new(service, cause))
        } else if busy {
            let cause = Cause::PageCacheBusy { held_millis: 1001 };
            Err(Refusal::new(PutMessageStatus::OsPageCacheBusy, cause))
        } else {
            Ok(())
        };
        assert_eq!(answer, expected, "combination {bits:04b}");
    }
}

#[test]
fn of_refusals_by_role_and_flags_the_first_is_told_and_then_each_50000th() {
    let g = Gates::new();
    g.open();
    let heard = Heard::default();
    g.flags.get_and_make_not_writeable(1);
    for i in 0..100_001 {
        // role and flags share one counter
        let role = if i % 2 == 0 { BrokerRole::Slave } else { MASTER };
        assert!(ask(&g, role, 5, &heard).is_err());
    }
    let told: Vec<u64> = heard.0.borrow().iter().map(|&(_, before)| before).collect();
    assert_eq!(told, [0, 50_000, 100_000]);
}

#[test]
fn the_count_begins_anew_once_the_store_is_writeable_even_if_it_is_busy_then() {
    let g = Gates::new();
    g.open();
    let heard = Heard::default();
    for busy in [false, true] {
        g.flags.get_and_make_not_writeable(1);
        assert!(ask(&g, MASTER, 5, &heard).is_err());
        assert!(ask(&g, MASTER, 5, &heard).is_err());
        g.flags.get_and_make_writeable();
        if busy {
            g.time_in_lock.enter(1);
        }
        assert_eq!(ask(&g, MASTER, 5000, &heard).is_err(), busy);
        g.time_in_lock.leave();
    }
    let told: Vec<u64> = heard.0.borrow().iter().map(|&(_, before)| before).collect();
    assert_eq!(told, [0, 0], "the first of each series");
}

#[test]
fn a_slave_does_not_reset_the_count() {
    let g = Gates::new();
    g.open();
    let heard = Heard::default();
    g.flags.get_and_make_not_writeable(1);
    assert!(ask(&g, MASTER, 5, &heard).is_err());
    g.flags.get_and_make_writeable();
    assert!(ask(&g, BrokerRole::Slave, 5, &heard).is_err());
    assert_eq!(heard.0.borrow().len(), 1);
}

#[test]
fn a_shut_store_is_told_every_time_and_leaves_the_count_alone() {
    let g = Gates::new();
    let heard = Heard::default();
    for _ in 0..3 {
        let refusal = ask(&g, MASTER, 5, &heard).unwrap_err();
        assert_eq!(refusal.cause, Cause::Shutdown { since: 0 });
    }
    assert_eq!(heard.0.borrow().len(), 3);
    assert_eq!(g.print_times.count(), 0);
}

#[test]
fn only_the_first_shut_counts() {
    let g = Gates::new();
    assert!(!g.shut(1), "never opened");
    g.open();
    assert!(g.shut(9));
    assert!(!g.shut(10));
    let refusal = ask(&g, MASTER, 5, &Heard::default()).unwrap_err();
    assert_eq!(refusal.cause, Cause::Shutdown { since: 9 });
}
