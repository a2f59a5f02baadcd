//! Real records on their way from a log into their queues.

use mqstore_core::check::Limits;
use mqstore_core::clock::At;
use mqstore_core::delay::DelayLevels;
use mqstore_core::dispatch::{Dispatch, DispatchRequest, Reput, Rules, Step};
use mqstore_core::lock::TimeInLock;
use mqstore_core::log::{CommitLog, LogWriter};
use mqstore_core::message::{Message, Properties};
use mqstore_core::observe::Silent;
use mqstore_core::prepare::{self, MultiDispatchRules};
use mqstore_core::queue::ext;
use mqstore_core::record::hash_order::OrderRoom;
use mqstore_core::segment::{Medium, QueueSeries, Series};

use super::*;
use crate::engine::SegmentOf;
use crate::offsets::GrowingOffsets;
use crate::table::GrowingTable;

/// 2087-10-23, as in the example of spec 02 section 8.
const NOW: i64 = 0x01A2_284D_AE2C;

const LMQ: MultiDispatchRules =
    MultiDispatchRules { enable_lmq: true, enable_multi_dispatch: true, skip_retry_topics: false };

/// A log in memory, and its writer.
struct World {
    log: CommitLog<SegmentOf<Mem>, GrowingTable<SegmentOf<Mem>>>,
    writer: LogWriter<<Mem as Medium>::Segments, GrowingOffsets>,
    rules: Rules,
}

impl World {
    fn new() -> Self {
        let files = mem().segments(Series::CommitLog, 1 << 20).unwrap();
        Self {
            log: CommitLog::new(GrowingTable::default(), 0),
            writer: LogWriter::new(files, GrowingOffsets::default(), GrowingOffsets::default()),
            rules: Rules { multi: LMQ, ..Rules::default() },
        }
    }

    fn put(&mut self, topic: &str, queue_id: i32, properties: &str) {
        let text = properties.replace('=', "\u{1}").replace(';', "\u{2}");
        let message = Message {
            properties: Properties::Text(&text),
            ..Message::new(topic, queue_id, b"hello")
        };
        let mut room: OrderRoom = OrderRoom::new();
        let limits = Limits { segment_size: 1 << 20, ..Limits::default() };
        let levels = DelayLevels::default();
        let prepared = prepare::prepare(&message, &levels, &limits, LMQ, &mut room).unwrap();
        let held = TimeInLock::new();
        self.writer.append(&self.log, &prepared, &At(NOW), &held, &Silent).unwrap();
    }

    /// 300 messages: each fourth in queue 0, each fourth of those also for two light queues.
    fn filled() -> Self {
        let mut w = Self::new();
        for k in 0..300 {
            let light = if k % 16 == 0 { ";INNER_MULTI_DISPATCH=%LMQ%a,%LMQ%b" } else { "" };
            w.put("T", k % 4, &format!("TAGS=TagA{light}"));
        }
        w
    }

    /// Dispatches everything from here on.
    fn dispatch<M: HostMedium>(&self, queues: &Queues<M>, from: u64) {
        let mut reput = Reput::new(from);
        let end = self.log.max_offset();
        let step = reput.step(&self.log, end, &mut [], &self.rules, &mut Sink(queues));
        assert_eq!(step, Step::Done);
    }
}

struct Sink<'a, M: HostMedium>(&'a Queues<M>);

impl<M: HostMedium> Dispatch for Sink<'_, M> {
    type Error = QueueError;

    fn queue(&mut self, request: &DispatchRequest<'_>) -> Result<(), QueueError> {
        self.0.put_all(request, &[])
    }

    fn index(&mut self, _: &DispatchRequest<'_>) -> Result<(), QueueError> {
        Ok(())
    }
}

/// The bytes of all queue files of a store.
fn files(at: &TempDir) -> Vec<(String, i32, Vec<u8>)> {
    let mut names = Vec::new();
    let visit = &mut |topic: &str, id: i32| names.push((topic.to_owned(), id));
    folder(at).queues(QueueSeries::ConsumeQueue, visit).unwrap();
    names.sort();
    let read = |(topic, id): (String, i32)| {
        let bytes = std::fs::read(file_of(at.path(), &topic, id, 0)).unwrap();
        (topic, id, bytes)
    };
    names.into_iter().map(read).collect()
}

#[test]
fn a_message_goes_to_its_queue_and_to_the_light_queues_that_it_names() {
    let (w, at) = (World::filled(), temp());
    let q = queues(folder(&at));
    w.dispatch(&q, 0);
    assert_eq!((q.len(), q.dispatched()), (6, NOW));
    for queue_id in 0..4 {
        assert_eq!(q.bounds("T", queue_id), bounds(0, 75));
    }
    assert_eq!(q.bounds("%LMQ%a", 0), bounds(0, 19));
    assert_eq!(q.cell_of("%LMQ%b", 0, 18), q.cell_of("T", 0, 72));
    assert_eq!(q.cell_of("T", 0, 0).unwrap().tags_code, 0x0027_A807);
    q.rest_all();
    let once = files(&at);
    w.dispatch(&q, 0);
    assert_eq!((q.awake(), files(&at) == once), (0, true), "what they have they let pass");
}

/// C-09: RocketMQ goes on behind the last entry of any queue, and what the others have lost is
/// never filled in.
#[test]
fn the_lost_tail_of_each_queue_is_filled_in_again() {
    let (w, at) = (World::filled(), temp());
    let end = w.log.max_offset();
    let q = queues(folder(&at));
    w.dispatch(&q, 0);
    q.rest_all();
    drop(q);
    let whole = files(&at);
    // a crash: of what was not flushed, some entries of some queues are there, and some are not
    let lose = |topic, id, entries: std::ops::Range<usize>| {
        let path = file_of(at.path(), topic, id, 0);
        let mut bytes = std::fs::read(&path).unwrap();
        bytes[entries.start * 20..entries.end * 20].fill(0);
        std::fs::write(path, bytes).unwrap();
    };
    lose("T", 0, 40..75);
    lose("T", 1, 70..75);
    lose("T", 2, 50..60);
    lose("%LMQ%a", 0, 0..19);
    std::fs::remove_dir_all(at.path().join("consumequeue").join("%LMQ%b")).unwrap();
    let found = FoundQueues::look(Arc::new(folder(&at)), settings()).unwrap();
    let from = found.dispatch_from(log(0, end), None);
    let (q, reports) = found.settle(log(0, end), true).unwrap();
    assert_eq!(reports.len(), 1, "only the hole is damage");
    w.dispatch(&q, from);
    q.rest_all();
    assert!(files(&at) == whole);
}

/// Spec 02 section 8, as run.
#[test]
fn extension_units_hold_what_filters_need_and_entries_point_at_them() {
    let mut w = World::new();
    for k in 0..12 {
        w.put("T", 0, if k == 0 { "TAGS=TG" } else { "TAGS=TG;INNER_MULTI_DISPATCH=%LMQ%a" });
    }
    let at = temp();
    let with_ext = settings().with_ext(100);
    let q = Queues::new(Arc::new(folder(&at)), with_ext);
    w.dispatch(&q, 0);
    w.dispatch(&q, 0);
    let path = |base: u64| {
        at.path().join("consumequeue_ext").join("T").join("0").join(format!("{base:020}"))
    };
    let unit = [0, 0x14, 0, 0, 0, 0, 0, 0, 0x0A, 0x73, 0, 0, 1, 0xA2, 0x28, 0x4D, 0xAE, 0x2C, 0, 0];
    let bytes = std::fs::read(path(0)).unwrap();
    assert_eq!(
        (&bytes[..20], &bytes[60..80], &bytes[80..82]),
        (&unit[..], &unit[..], &[0xFF; 2][..])
    );
    let address = |k: u64| q.cell_of("T", 0, k).map(|cell| ext::offset_of(cell.tags_code).unwrap());
    assert_eq!((address(0), address(4), address(11)), (Some(0), Some(100), Some(260)));
    assert_eq!(q.cell_of("%LMQ%a", 0, 0).unwrap().tags_code, 0x0A73, "light queues have none");
    assert!(!at.path().join("consumequeue_ext").join("%LMQ%a").exists());
    q.rest_all();
    drop(q);

    let found = FoundQueues::look(Arc::new(folder(&at)), with_ext).unwrap();
    let (q, reports) = found.settle(log(0, w.log.max_offset()), false).unwrap();
    assert_eq!(reports, []);
    w.put("T", 0, "TAGS=TG");
    w.dispatch(&q, 0);
    let open = q.open(&q.find("T", 0).unwrap()).unwrap().unwrap();
    let last = open.entries.cell(12).unwrap().unwrap();
    assert_eq!(ext::offset_of(last.tags_code), Some(300));
    let stored = ext::find(open.ext.as_ref().unwrap(), last.tags_code).unwrap().unwrap();
    assert_eq!(stored.unit(&mut []).unwrap().unwrap().tags_code, 0x0A73);
    drop((open, stored));
    // the first file holds only units of expired entries
    let min = q.cell_of("T", 0, 5).unwrap().physical_offset;
    q.rest_all();
    q.clean(min.cast_unsigned(), || ());
    assert_eq!(
        (path(0).exists(), path(100).exists(), q.bounds("T", 0)),
        (false, true, bounds(5, 13))
    );
    std::fs::write(path(100), [0; 7]).unwrap();
    let found = FoundQueues::look(Arc::new(folder(&at)), with_ext).unwrap();
    let (q, reports) = found.settle(log(0, w.log.max_offset()), false).unwrap();
    assert_eq!(reports[0].done, Done::ExtensionRemoved);
    assert_eq!(q.bounds("T", 0).max, 13);
}
