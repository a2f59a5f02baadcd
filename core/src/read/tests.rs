//! Queues in front of a log of plain bytes, and what gets answer.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::vec;
use std::vec::Vec;

use super::*;
use crate::message::{Message, Properties};
use crate::queue::Cell;
use crate::record::Stamp;
use crate::record::tests::written;
use crate::status::GetMessageStatus;
use GetMessageStatus::{
    Found, MessageWasRemoving, NoMatchedMessage, NoMessageInQueue, OffsetFoundNull,
    OffsetOverflowBadly, OffsetOverflowOne, OffsetTooSmall,
};

mod bounds;
mod golden;
mod locate;
mod scan;

/// A queue and the log behind it.
struct Queue {
    topic: &'static str,
    cells: Vec<Cell>,
    records: BTreeMap<u64, Rc<[u8]>>,
    log_end: u64,
    /// Bytes of a log file, entries of a queue segment.
    file: u32,
    units: u32,
    bounds: Bounds,
    rules: BoundsRules,
    limit: BatchLimit,
    memory: i64,
    verify: bool,
    /// The log begins here.
    log_min: u64,
    /// Readers may see what is below.
    visible: u64,
    unreadable: BTreeSet<u64>,
    /// What the last get has taken.
    taken: Vec<u64>,
    /// What it has asked the log for.
    asked: Vec<(u64, u32)>,
}

impl Queue {
    fn new(topic: &'static str, file: u32, units: u32) -> Self {
        Self {
            topic,
            cells: Vec::new(),
            records: BTreeMap::new(),
            log_end: 0,
            file,
            units,
            bounds: Bounds::default(),
            rules: BoundsRules::default(),
            limit: BatchLimit::default(),
            memory: i64::MAX,
            verify: true,
            log_min: 0,
            visible: u64::MAX,
            unreadable: BTreeSet::new(),
            taken: Vec::new(),
            asked: Vec::new(),
        }
    }

    fn put(&mut self, message: &Message<'_>) {
        let stamp = |physical_offset| Stamp {
            queue_offset: self.bounds.max,
            physical_offset,
            store_timestamp: 1,
        };
        let len = written(message, &stamp(0)).len() as u64;
        let file = u64::from(self.file);
        if self.log_end % file + len + 8 > file {
            self.log_end += file - self.log_end % file;
        }
        let at = self.log_end;
        let bytes = written(message, &stamp(at));
        let tags = crate::record::props::find_text(
            match message.properties {
                Properties::Text(text) => text,
                _ => "",
            },
            "TAGS",
        );
        let tags_code = crate::record::java_hash::tags_code(tags.map(str::as_bytes));
        self.cells.push(Cell { physical_offset: at as i64, size: len as i32, tags_code });
        self.records.insert(at, bytes.into());
        self.log_end += len;
        self.bounds.max += 1;
    }

    /// `n` messages with a tag for each tenth of them and for the others.
    fn put_tagged(&mut self, n: usize, body: usize) {
        for i in 0..n {
            let text = if i % 10 == 0 { "TAGS\u{1}A" } else { "TAGS\u{1}B" };
            let properties = Properties::Text(text);
            self.put(&Message { properties, ..Message::new(self.topic, 0, &vec![7; body]) });
        }
    }

    fn record(&self, place: u64, size: u32) -> super::Found<Rc<[u8]>> {
        let end = place + u64::from(size);
        if place < self.log_min {
            super::Found::Removed
        } else if end > self.visible || end > self.log_end {
            super::Found::NotVisible
        } else if self.unreadable.contains(&place) {
            super::Found::Damaged
        } else {
            super::Found::Present(self.records.get(&place).cloned().unwrap_or_default())
        }
    }

    fn get(&mut self, offset: i64, max: i32, filter: &impl MessageFilter) -> GetResult {
        self.taken.clear();
        self.asked.clear();
        if let Err(answer) = self.bounds.check(offset, self.rules) {
            return GetResult::no_scan(answer, self.bounds);
        }
        let mut get = Get::new(Ask {
            offset,
            max_msg_nums: max,
            bounds: self.bounds,
            log_end: self.log_end as i64,
            log_file: self.file,
            limit: self.limit,
            memory: self.memory,
            verify: self.verify,
        });
        let room = get.room(self.units) as usize;
        let (mut taken, mut asked) = (Vec::new(), Vec::new());
        for cell in self.cells.iter().skip(offset as usize).take(room) {
            let mut source = |place, size| {
                asked.push((place, size));
                self.record(place, size)
            };
            match get.offer(*cell, filter, &mut source) {
                Offered::Taken(slice) => {
                    assert_eq!(slice.len(), cell.size as usize);
                    taken.push(cell.physical_offset as u64);
                }
                Offered::Passed(_) => {}
                Offered::Full | Offered::NotVisible => break,
            }
        }
        (self.taken, self.asked) = (taken, asked);
        get.finish()
    }

    /// Status, next offset, number of messages.
    fn brief(&mut self, offset: i64, max: i32) -> (GetMessageStatus, i64, u32) {
        let got = self.get(offset, max, &All);
        assert_eq!(got.messages as usize, self.taken.len());
        (got.status, got.next_begin_offset, got.messages)
    }
}
