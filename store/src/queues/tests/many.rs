//! Thousands of queues.

use super::*;

const QUEUES: i32 = 10_000;

/// How many descriptors and maps this process has, other tests' included.
fn held() -> Option<(usize, usize)> {
    let descriptors = std::fs::read_dir("/proc/self/fd").ok()?.count();
    let maps = std::fs::read_to_string("/proc/self/maps").ok()?.lines().count();
    Some((descriptors, maps))
}

#[test]
fn ten_thousand_queues_open_and_close_with_few_descriptors() {
    // where nothing reaches a disk, if there is such a place
    let at = tempfile::tempdir_in("/dev/shm").unwrap_or_else(|_| temp());
    let settings = QueueSettings::new(40).awake_max(256);
    let name = |k: i32| (format!("Topic{}", k / 100), k % 100);
    let q = Queues::new(Arc::new(folder(&at)), settings);
    let put = |q: &Queues<_>, k: i32, offset: i64| {
        let (topic, queue_id) = name(k);
        let record = (i64::from(k) + offset * i64::from(QUEUES)) * 100;
        q.put(&topic, queue_id, cell(record), offset, None)
    };
    for k in 0..QUEUES {
        assert_eq!(put(&q, k, 0), Ok(Put::At { entry: 0 }));
    }
    q.rest_all();
    drop(q);
    let found = FoundQueues::look(Arc::new(folder(&at)), settings).unwrap();
    assert_eq!(found.len(), 10_000);
    let (q, reports) = found.settle(log(0, 1_000_000), true).unwrap();
    assert_eq!((reports.len(), q.len(), q.awake()), (0, 10_000, 0));
    for k in (0..QUEUES).step_by(7) {
        assert!(put(&q, k, 1).is_ok());
    }
    assert!(q.awake() <= 256);
    if let Some((descriptors, maps)) = held() {
        assert!(descriptors < 1000 && maps < 3000, "{descriptors} descriptors, {maps} maps");
    }
    q.rest_all();
    for k in 0..QUEUES {
        let (topic, queue_id) = name(k);
        assert_eq!(q.bounds(&topic, queue_id), bounds(0, 1 + u64::from(k % 7 == 0)));
    }
}
