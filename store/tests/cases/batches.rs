//! Batches: C-51 and C-52.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::thread;

use mqstore::{BatchBody, Cause, Illegal, Message, MessageBatch, Properties, PutMessageStatus};

use crate::world::World;

const WRITERS: u8 = 8;
const BATCHES: u8 = 200;
const EACH: usize = 5;

#[test]
fn c_51_batches_of_many_threads_stay_together_and_count_without_gaps() {
    for world in World::all() {
        let world = world.size(1 << 16).ahead(true);
        let name = world.name();
        let store = world.open(&[]);
        let answers = Mutex::new(BTreeMap::new());
        thread::scope(|s| {
            for writer in 0..WRITERS {
                let (store, answers) = (&store, &answers);
                s.spawn(move || {
                    for n in 0..BATCHES {
                        let mut encoded = BatchBody::new();
                        for item in 0..EACH as u8 {
                            let mut body = [0; 20];
                            body[..3].copy_from_slice(&[writer, n, item]);
                            encoded.push(0, &body, "").unwrap();
                        }
                        let head = Message::new("TopicTest", 0, encoded.as_bytes());
                        let r = store.put_batch(&MessageBatch { head });
                        assert_eq!(r.status, PutMessageStatus::PutOk);
                        let append = r.append.unwrap();
                        assert_eq!((append.msg_num, append.wrote_bytes), (5, 600));
                        let first = (append.queue_offset, append.wrote_offset);
                        answers.lock().unwrap().insert((writer, n), first);
                    }
                });
            }
        });
        // 109 batches to a file, and 14 fillers of 136 bytes
        assert_eq!(store.status().written_offset, 960_000 + 14 * 136, "{name}");
        assert_eq!(store.status().queues, [("TopicTest".to_owned(), 0, 8000)], "{name}");
        store.close().unwrap();
        let found = world.records();
        assert_eq!(found.len(), 8000, "{name}");
        let answers = answers.into_inner().unwrap();
        assert_eq!(answers.len(), 1600, "{name}");
        for (i, batch) in found.chunks(EACH).enumerate() {
            let key = (batch[0].body[0], batch[0].body[1]);
            let first = (batch[0].queue_offset, batch[0].offset);
            assert_eq!(answers.get(&key), Some(&first), "{name}");
            for (item, record) in batch.iter().enumerate() {
                assert_eq!(record.queue_offset, (i * EACH + item) as i64, "{name}");
                assert_eq!(record.body[..3], [key.0, key.1, item as u8], "{name}");
                assert_eq!(record.offset, first.1 + item as u64 * 120, "{name}");
            }
        }
    }
}

#[test]
fn c_52_properties_that_overflow_together_refuse_the_batch_and_the_limit_itself_passes() {
    for world in World::all() {
        let world = world.size(1 << 20);
        let name = world.name();
        let store = world.open(&[]);
        let put = |own: usize, shared: usize| {
            let own = format!("a\u{1}{}", "x".repeat(own - 2));
            let shared = format!("b\u{1}{}", "y".repeat(shared - 2));
            let mut encoded = BatchBody::new();
            encoded.push(0, b"first", "").unwrap();
            encoded.push(0, b"second", &own).unwrap();
            let mut head = Message::new("TopicTest", 0, encoded.as_bytes());
            head.properties = Properties::Text(&shared);
            store.put_batch(&MessageBatch { head })
        };
        let refused = put(20_000, 20_000);
        assert_eq!(refused.status, PutMessageStatus::MessageIllegal, "{name}");
        let why = Illegal::BatchPropertiesTooLong { index: 1, bytes: 40_001 };
        assert_eq!(refused.cause, Some(Cause::Illegal(why)), "{name}");
        let refused = put(16_000, 16_767);
        assert_eq!(refused.status, PutMessageStatus::MessageIllegal, "{name}: one byte more");
        let status = store.status();
        assert_eq!(status.written_offset, 0, "{name}");
        assert!(status.queues.iter().all(|(.., next)| *next == 0), "{name}");
        let append = put(16_000, 16_766).append.unwrap();
        assert_eq!((append.wrote_offset, append.queue_offset, append.msg_num), (0, 0, 2));
        store.close().unwrap();
        let found = world.records();
        let shared = [b"b\x01".to_vec(), vec![b'y'; 16_764]].concat();
        let own = [b"a\x01".to_vec(), vec![b'x'; 15_998]].concat();
        assert_eq!(found[0].properties, shared, "{name}");
        assert_eq!(found[1].properties, [own, b"\x02".to_vec(), shared].concat(), "{name}");
        assert_eq!(found[1].properties.len(), 32_767, "{name}");
        assert_eq!([&found[0].body[..], &found[1].body[..]], [&b"first"[..], b"second"], "{name}");
    }
}
