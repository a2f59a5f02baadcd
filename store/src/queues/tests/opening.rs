//! Opening queues again: as they were left, cut, damaged, or not usable at all.

use mqstore_backends::over::{FaultPlan, Faulty, Op};
use mqstore_core::segment::{ErrorKind, Medium, QueueSeries, SegmentBackend, Series};

use super::*;

/// Two queues as a store leaves them that was closed: 450 entries and 3, flushed.
fn left<M: HostMedium>(medium: M) {
    let q = queues(medium);
    q.fill("T", 0, 0..450);
    q.fill("%LMQ%x", 0, 0..3);
    q.rest_all();
}

/// Changes the file of queue `T` 0 at this base.
fn change(root: &Path, base: u64, change: impl FnOnce(&mut Vec<u8>)) {
    let path = file_of(root, "T", 0, base);
    let mut bytes = std::fs::read(&path).unwrap();
    change(&mut bytes);
    std::fs::write(path, bytes).unwrap();
}

fn look<M: HostMedium>(medium: M) -> FoundQueues<M> {
    FoundQueues::look(Arc::new(medium), settings()).unwrap()
}

fn opens_as_it_was_left<M: HostMedium + Clone>(medium: M) {
    left(medium.clone());
    let found = look(medium.clone());
    assert_eq!((found.len(), found.max_physical()), (2, Some(45_000)));
    for k in [0, 449] {
        assert_eq!(found.entry("T", 0, k), Ok(Some(cell(k as i64 * 100))));
    }
    for (topic, k) in [("T", 450), ("T", u64::MAX), ("U", 0)] {
        assert_eq!(found.entry(topic, 0, k), Ok(None));
    }
    assert_eq!(found.dispatch_from(log(0, 45_000), Some(44_000)), 44_000);
    assert_eq!(found.dispatch_from(log(8000, 45_000), None), 8000, "nothing is known");
    assert_eq!(found.dispatch_from(log(0, 45_000), Some(50_000)), 45_000);
    assert_eq!(found.dispatch_from(LogBounds { min: None, end: 0 }, Some(9)), 0);
    let (q, reports) = found.settle(log(0, 45_000), false).unwrap();
    assert_eq!((reports.len(), q.len(), q.awake()), (0, 2, 0));
    assert_eq!(q.bounds("T", 0), bounds(0, 450));
    assert_eq!(q.find("T", 0).unwrap().max_physical(), Some(45_000));
    assert_eq!(q.bounds("%LMQ%x", 0), bounds(0, 3));
    assert_eq!(q.put_nth("T", 0, 449), Ok(Put::AlreadyThere));
    q.fill("T", 0, 450..601);
    q.rest_all();
    assert_eq!(reopen(medium, 60_100).bounds("T", 0), bounds(0, 601));
}

#[test]
fn queues_open_as_they_were_left() {
    opens_as_it_was_left(mem());
    opens_as_it_was_left(folder(&temp()));
}

#[test]
fn entries_at_or_behind_the_end_of_the_log_are_cut_and_do_not_come_back() {
    for (end, max) in [(44_950, 450), (44_900, 449), (40_000, 400), (12_345, 124), (0, 0)] {
        let at = temp();
        left(folder(&at));
        let (q, reports) = look(folder(&at)).settle(log(0, end), false).unwrap();
        assert_eq!(reports, [], "a log that was cut is no damage of a queue");
        assert_eq!(q.bounds("T", 0), bounds(0, max));
        drop(q);
        let q = reopen(folder(&at), 100_000);
        assert_eq!(q.bounds("T", 0).max, max, "cut at {end}");
        q.fill("T", 0, max.cast_signed()..460);
    }
}

#[test]
fn the_minimum_is_the_first_entry_whose_record_is_there() {
    // the log's first byte, then the minimum as Java's and corrected
    for (min, java, corrected) in
        [(0, 0, 0), (150, 2, 2), (19_900, 199, 199), (20_000, 0, 200), (44_901, 0, 450)]
    {
        for (is_corrected, expected) in [(false, java), (true, corrected)] {
            let medium = mem();
            left(medium.clone());
            let settings = settings().corrected(is_corrected);
            let found = FoundQueues::look(Arc::new(medium), settings).unwrap();
            let (q, _) = found.settle(log(min, 45_000), false).unwrap();
            assert_eq!(q.bounds("T", 0), bounds(expected, 450), "log from {min}");
        }
    }
}

/// Spec 02 section 7.3, as run.
#[test]
fn a_log_from_0_makes_the_first_filler_the_minimum() {
    let medium = mem();
    let q = queues(medium.clone());
    q.put("T", 0, cell(1000), 203, None).unwrap();
    q.rest_all();
    assert_eq!(reopen(medium.clone(), 1100).bounds("T", 0), bounds(200, 204));
    let (q, _) = look(medium).settle(log(1000, 1100), false).unwrap();
    assert_eq!(q.bounds("T", 0), bounds(203, 204));
}

/// The defect of spec 03 section 7.3.
#[test]
fn a_file_without_entries_gets_none() {
    let at = temp();
    left(folder(&at));
    std::fs::write(file_of(at.path(), "T", 0, 12_000), [0; FILE as usize]).unwrap();
    for base in [8000, 4000] {
        change(at.path(), base, |bytes| bytes.fill(0));
    }
    // as if a process had died behind making each of the files
    let (q, reports) = look(folder(&at)).settle(log(0, 20_000), false).unwrap();
    assert_eq!((reports.len(), q.bounds("T", 0)), (0, bounds(0, 200)));
    assert!(!file_of(at.path(), "T", 0, 12_000).exists());
    q.fill("T", 0, 200..650);
}

#[test]
fn a_hole_is_named_cut_and_filled_again_from_the_log() {
    let at = temp();
    left(folder(&at));
    change(at.path(), 4000, |bytes| bytes[400..800].fill(0));
    let found = look(folder(&at));
    assert_eq!(found.dispatch_from(log(0, 45_000), Some(44_000)), 22_000);
    let (q, reports) = found.settle(log(0, 45_000), false).unwrap();
    let [report] = &reports[..] else { panic!("{reports:?}") };
    assert_eq!(report.done, Done::Cut);
    assert_eq!(
        report.to_string(),
        "consume queue T/0: entry 220 is missing, and there are others behind it; it is made \
         anew from there on"
    );
    assert_eq!(q.bounds("T", 0), bounds(0, 220));
    q.fill("T", 0, 220..450);
    q.rest_all();
    assert_eq!(reopen(folder(&at), 45_000).bounds("T", 0), bounds(0, 450));
}

#[test]
fn a_queue_with_a_hole_of_whose_entries_no_record_is_left_is_made_anew() {
    let at = temp();
    left(folder(&at));
    change(at.path(), 4000, |bytes| bytes[400..800].fill(0));
    let (q, reports) = look(folder(&at)).settle(log(30_000, 45_000), false).unwrap();
    assert_eq!(reports[0].done, Done::Rebuilt);
    assert_eq!(q.bounds("T", 0), bounds(0, 0));
    q.fill("T", 0, 300..450);
    assert_eq!(q.bounds("T", 0), bounds(300, 450), "numbered as its records are");
}

/// How a folder is damaged, and what is said of it.
type Damage = (fn(&Path), &'static str);

#[test]
fn a_queue_whose_files_cannot_be_used_keeps_no_store_shut() {
    let damages: [Damage; 4] = [
        (|root| change(root, 4000, |bytes| bytes.truncate(3990)), "3990 bytes"),
        (|root| change(root, 0, |bytes| bytes.push(0)), "00000000000000000000"),
        (|root| std::fs::remove_file(file_of(root, "T", 0, 4000)).unwrap(), "for 4000 to 8000"),
        (
            |root| {
                let odd = file_of(root, "T", 0, 0).with_file_name("00000000000000000007");
                std::fs::write(odd, []).unwrap();
            },
            "00000000000000000007",
        ),
    ];
    for (damage, words) in damages {
        let at = temp();
        left(folder(&at));
        damage(at.path());
        let found = look(folder(&at));
        assert_eq!(found.dispatch_from(log(0, 45_000), Some(45_000)), 0);
        let (q, reports) = found.settle(log(0, 45_000), true).unwrap();
        let [report] = &reports[..] else { panic!("{reports:?}") };
        assert_eq!((&*report.error.topic, report.done), ("T", Done::Rebuilt));
        let said = report.to_string();
        assert!(said.starts_with("consume queue T/0: ") && said.contains(words), "{said}");
        assert_eq!((q.bounds("T", 0), q.bounds("%LMQ%x", 0)), (bounds(0, 0), bounds(0, 3)));
        q.fill("T", 0, 0..450);
        q.rest_all();
        assert_eq!(reopen(folder(&at), 45_000).bounds("T", 0), bounds(0, 450));
    }
}

#[test]
fn a_file_that_no_store_has_made_stays_and_is_named_at_each_start() {
    let at = temp();
    left(folder(&at));
    let odd = file_of(at.path(), "T", 0, 0).with_file_name("notes.txt");
    std::fs::write(&odd, "mine").unwrap();
    for _ in 0..2 {
        let (q, reports) = look(folder(&at)).settle(log(0, 45_000), false).unwrap();
        assert!(reports[0].to_string().contains("notes.txt"), "{}", reports[0]);
        q.fill("T", 0, 0..450);
        q.rest_all();
    }
    assert_eq!(std::fs::read(odd).unwrap(), b"mine");
}

#[test]
fn a_queue_that_cannot_be_read_is_named_and_nothing_is_removed() {
    let medium = mem();
    left(medium.clone());
    let plan = Arc::new(FaultPlan::new());
    let faulty = Arc::new(Faulty::new(medium.clone(), Arc::clone(&plan)));
    plan.fail_next(Op::Open, ErrorKind::Device);
    let failed = FoundQueues::look(Arc::clone(&faulty), settings());
    let said = failed.err().unwrap().to_string();
    assert!(said.contains("consume queue %LMQ%x/0: looking at the queue"), "{said}");
    plan.fail_next(Op::SyncFound, ErrorKind::Device);
    let failed = FoundQueues::look(faulty, settings()).unwrap().settle(log(0, 45_000), true);
    let said = failed.err().unwrap().to_string();
    assert!(said.contains("consume queue %LMQ%x/0: bringing"), "{said}");
    assert_eq!(reopen(medium, 45_000).bounds("%LMQ%x", 0), bounds(0, 3));
}

#[test]
fn looking_changes_nothing() {
    let at = temp();
    left(folder(&at));
    change(at.path(), 4000, |bytes| bytes[400..800].fill(0));
    let all = || [0, 4000, 8000].map(|base| std::fs::read(file_of(at.path(), "T", 0, base)));
    let before = all().map(Result::unwrap);
    drop(look(folder(&at)));
    assert_eq!(all().map(Result::unwrap), before);
}

#[test]
fn a_removed_queue_is_gone_and_its_name_begins_anew() {
    let at = temp();
    let medium = folder(&at);
    left(medium.clone());
    let q = reopen(medium.clone(), 45_000);
    let held = q.open(&q.find("T", 0).unwrap()).unwrap().unwrap();
    let old = q.find("T", 0).unwrap();
    assert_eq!(q.wholly_expired(45_000).len(), 1);
    assert_eq!(q.wholly_expired(45_001).len(), 2);
    assert_eq!(q.remove("T", 0), Ok(true));
    assert_eq!((q.remove("T", 0), q.remove_topic("U"), q.light_queues()), (Ok(false), Ok(0), 1));
    assert_eq!(held.entries.cell(449).unwrap(), Some(cell(44_900)), "who reads it reads on");
    assert!(q.open(&old).unwrap().is_none());
    assert_eq!((old.bounds(), old.max_physical()), (bounds(0, 0), None));
    let mut left = Vec::new();
    medium.queues(QueueSeries::ConsumeQueue, &mut |topic, _| left.push(topic.to_owned())).unwrap();
    assert_eq!(left, ["%LMQ%x"]);
    assert!(!at.path().join("consumequeue").join("T").exists());
    drop(held);
    q.fill("T", 0, 0..3);
    q.fill("T", 1, 0..3);
    assert_eq!(q.remove_topic("T"), Ok(2));
    let files = medium.segments(Series::ConsumeQueue("T", 0), FILE).unwrap();
    files.list(&mut |base| panic!("{base}")).unwrap();
    assert_eq!((q.remove("%LMQ%x", 0), q.light_queues(), q.len()), (Ok(true), 0, 0));
}
