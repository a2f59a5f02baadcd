//! Messages that are refused leave no trace: C-21, C-60 and C-62.

use mqstore::{
    Cause, ErrorKind, Illegal, MapOrder, Message, Properties, PropertyMap, PutMessageStatus,
};
use mqstore_backends::over::Op;

use crate::support::put_r;
use crate::world::World;

#[test]
fn c_21_a_refused_put_uses_no_queue_offset_and_no_place() {
    for world in World::all() {
        let name = world.name();
        let world = world.size(16 << 20);
        let store = world.open(&[]);
        assert_eq!(put_r(&store, 100).append.unwrap().queue_offset, 0, "{name}");
        let long = "p".repeat(40_000);
        let mut message = Message::new("TopicTest", 0, b"x");
        message.properties = Properties::Text(&long);
        let refused = store.put(&message);
        assert_eq!(refused.status, PutMessageStatus::MessageIllegal, "{name}");
        assert_eq!(put_r(&store, (4 << 20) + 1).status, PutMessageStatus::MessageIllegal);
        world.plan.fail_next(Op::Window, ErrorKind::Device);
        let refused = put_r(&store, 100);
        assert_eq!(refused.cause, Some(Cause::WriteFailed(ErrorKind::Device)), "{name}");
        let last = put_r(&store, 100).append.unwrap();
        assert_eq!((last.wrote_offset, last.queue_offset), (200, 1), "{name}");
        store.close().unwrap();
        let found: Vec<_> = world.records().iter().map(|r| (r.offset, r.queue_offset)).collect();
        assert_eq!(found, [(0, 0), (200, 1)], "{name}");
    }
}

#[test]
fn c_60_a_record_that_can_never_fit_is_refused_and_no_file_is_made_for_it() {
    for world in World::all() {
        let name = world.name();
        let store = world.open(&[]);
        let first = put_r(&store, 3988);
        assert_eq!(first.status, PutMessageStatus::PutOk, "{name}");
        assert_eq!(first.append.unwrap().wrote_offset, 0, "{name}");
        for body in [3989, 8000] {
            let refused = put_r(&store, body);
            assert_eq!(refused.status, PutMessageStatus::MessageIllegal, "{name}");
            let bytes = body as u64 + 100;
            let why = Illegal::LargerThanFile { bytes, limit: 4088 };
            assert_eq!(refused.cause, Some(Cause::Illegal(why)), "{name}");
        }
        assert_eq!(store.status().commit_log_files, [0], "{name}");
        if world.path().is_some() {
            assert_eq!(world.files(), [0], "{name}");
        }
        let last = put_r(&store, 100).append.unwrap();
        assert_eq!((last.wrote_offset, last.queue_offset), (4096, 1), "{name}");
        store.close().unwrap();
        assert_eq!(world.files(), [0, 4096], "{name}");
    }
}

#[test]
fn c_62_separators_in_a_property_map_are_refused_and_all_else_is_kept_as_put() {
    let world = World::mem();
    let store = world.open(&[]);
    let put = |entries: &[(&str, &str)]| {
        let map = PropertyMap { entries, order: MapOrder::Given };
        let mut message = Message::new("TopicTest", 0, b"body");
        message.properties = Properties::Map(map);
        store.put(&message)
    };
    for entries in [[("k", "a\u{2}TAGS\u{1}B")], [("k\u{1}x", "v")]] {
        let refused = put(&entries);
        assert_eq!(refused.status, PutMessageStatus::MessageIllegal, "{entries:?}");
        let why = Illegal::PropertySeparator { index: 0 };
        assert_eq!(refused.cause, Some(Cause::Illegal(why)), "{entries:?}");
    }
    assert_eq!(store.status().written_offset, 0, "nothing is written");
    for entries in [[("k", "")], [("k", "a=b;c")]] {
        assert_eq!(put(&entries).status, PutMessageStatus::PutOk, "{entries:?}");
    }
    store.close().unwrap();
    let found: Vec<_> = world.records().into_iter().map(|r| r.properties).collect();
    // as Java writes a map: nothing behind the last value
    assert_eq!(found, [b"k\x01".to_vec(), b"k\x01a=b;c".to_vec()]);
}
