//! A store from open to close and open again: files, marks, locks, settings.

mod support;

use std::fs;
use std::sync::mpsc;

use mqstore::{BrokerRole, Cause, Message, OpenError, PutMessageStatus, StoreOptions};
use support::{NOW, log_bytes, put_r, small, with};

#[test]
fn a_closed_store_leaves_the_files_of_rocketmq_and_goes_on_where_it_ended() {
    let dir = tempfile::tempdir().unwrap();
    let store = small(dir.path()).open().unwrap();
    assert!(dir.path().join("abort").exists(), "while it is open");
    for i in 0..45 {
        let r = put_r(&store, 100);
        assert_eq!(r.status, PutMessageStatus::PutOk);
        assert_eq!(r.append.unwrap().queue_offset, i);
    }
    assert_eq!(store.status().max_phy_offset, 9192);
    store.close().unwrap();
    store.close().unwrap();
    assert!(!dir.path().join("abort").exists());
    assert_eq!(fs::read(dir.path().join("lock")).unwrap(), b"lock");
    let checkpoint = fs::read(dir.path().join("checkpoint")).unwrap();
    assert_eq!(checkpoint.len(), 4096);
    assert_eq!(checkpoint[..8], NOW.to_be_bytes());
    let refused = put_r(&store, 100);
    assert_eq!(refused.status, PutMessageStatus::ServiceNotAvailable);
    assert!(matches!(refused.cause, Some(Cause::Shutdown { .. })));

    let store = small(dir.path()).open().unwrap();
    assert_eq!(store.status().max_phy_offset, 9192);
    let append = put_r(&store, 100).append.unwrap();
    assert_eq!((append.wrote_offset, append.queue_offset), (9192, 45));
}

#[test]
fn a_store_that_was_dropped_without_close_is_closed() {
    let dir = tempfile::tempdir().unwrap();
    let store = small(dir.path()).open().unwrap();
    let other = store.clone();
    drop(store);
    assert!(put_r(&other, 1).is_ok());
    drop(other);
    assert!(!dir.path().join("abort").exists());
    assert!(small(dir.path()).open().is_ok());
}

#[test]
fn a_second_opener_is_refused_and_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let store = small(dir.path()).open().unwrap();
    put_r(&store, 100);
    let before = log_bytes(dir.path());
    let link = dir.path().join("link");
    std::os::unix::fs::symlink(dir.path(), &link).unwrap();
    for folder in [dir.path(), &link] {
        assert!(matches!(small(folder).open(), Err(OpenError::Locked(_))));
    }
    // the next file may have been made ahead meanwhile
    assert!(log_bytes(dir.path()).starts_with(&before));
    assert!(put_r(&store, 100).is_ok());
}

#[test]
fn the_bytes_are_the_same_in_every_flush_mode_and_with_every_lock() {
    let modes: [&[(&str, &str)]; 5] = [
        &[],
        &[("flushDiskType", "SYNC_FLUSH")],
        &[("transientStorePoolEnable", "true")],
        &[("transientStorePoolEnable", "true"), ("flushDiskType", "SYNC_FLUSH")],
        &[("useReentrantLockWhenPutMessage", "false"), ("flushCommitLogTimed", "false")],
    ];
    let mut logs = Vec::new();
    for mode in modes {
        let dir = tempfile::tempdir().unwrap();
        let store = with(small(dir.path()), mode).open().unwrap();
        for i in 0..60 {
            let r = put_r(&store, i * 13);
            assert_eq!(r.status, PutMessageStatus::PutOk, "{mode:?}: {r}");
        }
        let end = store.flush().unwrap();
        assert_eq!(end, store.status().written_offset);
        store.close().unwrap();
        logs.push(log_bytes(dir.path()));
    }
    for (log, mode) in logs.iter().zip(modes) {
        // a file that was made ahead may be missing or there
        let len = log.len().min(logs[0].len());
        assert!(log[..len] == logs[0][..len], "{mode:?}");
    }
}

#[test]
fn c_07_a_synchronous_put_is_durable_when_it_is_answered_also_with_the_pool() {
    for pool in ["false", "true"] {
        let dir = tempfile::tempdir().unwrap();
        let settings = [("flushDiskType", "SYNC_FLUSH"), ("transientStorePoolEnable", pool)];
        let store = with(small(dir.path()), &settings).open().unwrap();
        assert_eq!(put_r(&store, 100).status, PutMessageStatus::PutOk);
        assert!(store.status().flushed_where >= 200, "pool {pool}");
        // what a copy of the folder at this moment holds
        assert_eq!(log_bytes(dir.path())[..4], 200u32.to_be_bytes());
    }
}

#[test]
fn a_completion_comes_once_for_each_put_also_across_close() {
    let dir = tempfile::tempdir().unwrap();
    let options = with(small(dir.path()), &[("flushDiskType", "SYNC_FLUSH")]);
    let store = options.open().unwrap();
    let (tell, told) = mpsc::channel();
    for i in 0..100 {
        let tell = tell.clone();
        let message = Message::new("TopicTest", 0, b"x");
        store.put_then(&message, move |r| tell.send((i, r.status)).unwrap());
    }
    store.close().unwrap();
    let message = Message::new("TopicTest", 0, b"late");
    let late = tell.clone();
    store.put_then(&message, move |r| late.send((100, r.status)).unwrap());
    drop(tell);
    let mut all: Vec<_> = told.iter().collect();
    all.sort_by_key(|(i, _)| *i);
    assert_eq!(all.len(), 101);
    assert!(all[..100].iter().all(|(_, s)| *s == PutMessageStatus::PutOk), "{all:?}");
    assert_eq!(all[100].1, PutMessageStatus::ServiceNotAvailable);
}

#[test]
fn a_completion_may_put_again_and_drop_the_last_handle() {
    let dir = tempfile::tempdir().unwrap();
    let options = with(small(dir.path()), &[("flushDiskType", "SYNC_FLUSH")]);
    let store = options.open().unwrap();
    let (tell, told) = mpsc::channel();
    let again = store.clone();
    store.put_then(&Message::new("TopicTest", 0, b"first"), move |_| {
        let r = again.put(&Message::new("TopicTest", 0, b"second"));
        drop(again);
        tell.send(r.status).unwrap();
    });
    drop(store);
    assert_eq!(told.recv().unwrap(), PutMessageStatus::PutOk);
}

#[test]
fn role_flags_and_settings_change_while_it_runs() {
    let dir = tempfile::tempdir().unwrap();
    let store = small(dir.path()).open().unwrap();
    store.set_role(BrokerRole::Slave).unwrap();
    assert_eq!(put_r(&store, 1).cause, Some(Cause::RoleSlave));
    store.set_role(BrokerRole::SyncMaster).unwrap();
    let stored = put_r(&store, 1);
    assert_eq!(stored.status, PutMessageStatus::SlaveNotAvailable);
    assert!(stored.is_ok(), "stored all the same");
    store.set_role(BrokerRole::AsyncMaster).unwrap();
    store.flags().get_and_make_disk_full(store.now());
    assert_eq!(put_r(&store, 1).status, PutMessageStatus::ServiceNotAvailable);
    assert_eq!(store.reasons().len(), 1);
    store.flags().get_and_make_disk_ok();
    store.set("maxMessageSize", "150").unwrap();
    assert_eq!(put_r(&store, 51).status, PutMessageStatus::MessageIllegal);
    assert_eq!(put_r(&store, 50).status, PutMessageStatus::PutOk);
    assert!(store.set("maxMessageSize", "-1").is_err());
    assert!(store.set("mappedFileSizeCommitLog", "8192").is_err(), "only at open");
    assert!(store.set("noSuchThing", "1").is_err());
    assert_eq!(put_r(&store, 50).status, PutMessageStatus::PutOk);
}

#[test]
fn a_slave_that_becomes_a_master_goes_on_with_its_queues() {
    let (a, b) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let master = small(a.path()).open().unwrap();
    for _ in 0..30 {
        put_r(&master, 100);
    }
    master.close().unwrap();
    let log = log_bytes(a.path());
    let slave = with(small(b.path()), &[("brokerRole", "SLAVE")]).open().unwrap();
    let mut at = 0;
    for chunk in log[..4096 + 2000].chunks(1024) {
        at = slave.append_raw(at, chunk).unwrap();
    }
    slave.set_role(BrokerRole::AsyncMaster).unwrap();
    let append = put_r(&slave, 100).append.unwrap();
    assert_eq!((append.wrote_offset, append.queue_offset), (6096, 30));
}

#[test]
fn what_is_not_as_a_store_leaves_it_is_refused_with_its_place_and_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let store = small(dir.path()).open().unwrap();
    for _ in 0..45 {
        put_r(&store, 100);
    }
    store.close().unwrap();
    drop(store);
    let first = dir.path().join("commitlog/00000000000000000000");
    let whole = fs::read(&first).unwrap();
    let mut flipped = whole.clone();
    flipped[1090] ^= 1;
    fs::write(&first, &flipped).unwrap();
    match small(dir.path()).open() {
        Err(OpenError::Damaged { offset: 1000, .. }) => {}
        other => panic!("{:?}", other.err()),
    }
    assert!(fs::read(&first).unwrap() == flipped, "it was changed");
    fs::write(&first, &whole).unwrap();
    let second = dir.path().join("commitlog/00000000000000004096");
    let kept = dir.path().join("kept");
    fs::rename(&second, &kept).unwrap();
    match small(dir.path()).open() {
        Err(OpenError::Missing { from: 4096, to: 8192 }) => {}
        other => panic!("{:?}", other.err()),
    }
    fs::rename(&kept, &second).unwrap();
    assert!(small(dir.path()).open().is_ok());
}

#[test]
fn a_folder_that_cannot_be_written_and_settings_that_do_not_go_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("file");
    fs::write(&file, b"x").unwrap();
    let not_a_folder = format!(
        "taking the lock: making the folder: {}: exists already: it is not a folder",
        file.display()
    );
    for root in [file.clone(), file.join("below"), file.join("below/more")] {
        assert_eq!(StoreOptions::new(&root).open().err().unwrap().to_string(), not_a_folder);
    }
    for (name, value) in [
        ("mappedFileSizeCommitLog", "0"),
        ("mappedFileSizeCommitLog", "-4096"),
        ("maxMessageSize", "0"),
        ("messageDelayLevel", "1s 2x"),
        ("flushDiskType", "SOMETIMES"),
        ("enableLmq", "maybe"),
        ("fileReservedTime", "99999999999999999999"),
    ] {
        let opened = small(dir.path()).set(name, value).map(StoreOptions::open);
        assert!(!matches!(opened, Ok(Ok(_))), "{name}={value} was accepted");
    }
    assert!(!dir.path().join("commitlog").exists(), "nothing was made");
}

#[test]
fn a_limit_that_the_medium_cannot_carry_is_refused_at_once_and_while_the_store_runs() {
    let pool = std::sync::Arc::new(mqstore_backends::mem::HeapPool::new(1 << 20, 64));
    let staged = || mqstore_backends::mem::MemMedium::staged(pool.clone(), 2048);
    let options = |longest: &str| {
        with(
            StoreOptions::default(),
            &[("mappedFileSizeCommitLog", "8192"), ("maxMessageSize", longest)],
        )
    };
    let refused = options("4096").open_on(staged()).map(|_| ()).unwrap_err();
    let words = refused.to_string();
    assert!(words.contains("maxMessageSize") && words.contains("2048"), "{words}");
    let store = options("2000").open_on(staged()).unwrap();
    assert_eq!(put_r(&store, 1800).status, PutMessageStatus::PutOk);
    assert!(store.set("maxMessageSize", "2049").is_err());
    store.set("maxMessageSize", "2048").unwrap();
    assert_eq!(put_r(&store, 1948).status, PutMessageStatus::PutOk);
    store.close().unwrap();
}

#[test]
fn a_log_file_that_does_not_fit_in_memory_is_refused_at_once_and_one_that_does_takes_puts() {
    let options = |size| {
        let settings = [("mqstore.backend", "mem"), ("mappedFileSizeCommitLog", size)];
        with(StoreOptions::new("/unused"), &settings)
    };
    for size in ["1073741824", "67108865"] {
        let error = options(size).open().err().unwrap().to_string();
        assert_eq!(
            error,
            format!(
                "configuration: mappedFileSizeCommitLog = '{size}': with mqstore.backend = mem a \
                 log file has at most 67108864 bytes, a quarter of the memory"
            )
        );
    }
    let store = options("67108864").open().unwrap();
    assert_eq!(put_r(&store, 100).status, PutMessageStatus::PutOk);
    store.close().unwrap();
}

#[test]
fn two_roots_do_not_share_one_log() {
    let dir = tempfile::tempdir().unwrap();
    let open = |root: &str| {
        let log = dir.path().join("log");
        small(&dir.path().join(root))
            .set("storePathCommitLog", log.to_str().unwrap())
            .unwrap()
            .open()
    };
    let store = open("a").unwrap();
    put_r(&store, 10);
    assert!(matches!(open("b"), Err(OpenError::Locked(_))));
    store.close().unwrap();
    let store = open("b").unwrap();
    assert_eq!(put_r(&store, 10).append.unwrap().queue_offset, 1);
    store.close().unwrap();
}

#[test]
fn what_lies_in_the_place_of_a_small_file_is_neither_followed_nor_waited_for() {
    let fifo = |path: &std::path::Path| {
        assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
    };
    for name in ["abort", "abort.tmp", "checkpoint", "lock"] {
        for pipe in [false, true] {
            let dir = tempfile::tempdir().unwrap();
            let store = small(dir.path()).open().unwrap();
            put_r(&store, 100);
            store.close().unwrap();
            let log = log_bytes(dir.path());
            let path = dir.path().join(name);
            let _ = fs::remove_file(&path);
            if pipe {
                fifo(&path);
            } else {
                std::os::unix::fs::symlink("commitlog/00000000000000000000", &path).unwrap();
            }
            // opened or refused, but at once, and the log is as it was
            if let Ok(store) = small(dir.path()).open() {
                store.close().unwrap();
            }
            assert_eq!(log_bytes(dir.path()), log, "{name}");
        }
    }
}

#[test]
fn a_message_that_is_refused_for_its_light_queues_leaves_none_behind() {
    let dir = tempfile::tempdir().unwrap();
    let settings = [
        ("mappedFileSizeCommitLog", "1048576"),
        ("enableLmq", "true"),
        ("enableMultiDispatch", "true"),
    ];
    let store = with(StoreOptions::new(dir.path()), &settings).open().unwrap();
    // their offsets do not fit behind their names
    let names: String = (0..5000).map(|n| format!("{n:05},")).collect();
    let text = format!("INNER_MULTI_DISPATCH\u{1}{names}");
    let mut message = Message::new("T", 0, b"x");
    message.properties = mqstore::Properties::Text(&text);
    assert!(!store.put(&message).is_ok());
    assert!(store.status().queues.len() <= 1, "{}", store.status().queues.len());
    store.close().unwrap();
}
