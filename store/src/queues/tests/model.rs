//! Whatever is done in whatever order, a queue is what a list of entries would be.

use std::collections::BTreeMap;

use super::*;

const QUEUES: i32 = 5;

/// A number below `n`, from a generator that always gives the same ones.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

/// What a queue should be.
#[derive(Default)]
struct Model {
    /// Log offsets of its records, by queue offset.
    entries: BTreeMap<u64, i64>,
    min: u64,
    next: u64,
    /// Of a queue without entries: up to where its fillers stay.
    fillers: u64,
}

impl Model {
    fn correct(&mut self, log_min: i64) {
        let live = self.entries.iter().find(|(_, at)| **at >= log_min);
        self.min = live.map_or(self.max(), |(k, _)| *k);
    }

    /// Files go with their last entry, but for the last of them.
    fn remove_files(&mut self, log_min: i64) {
        let per_file = u64::from(FILE / 20);
        while let Some(first) = self.entries.first_key_value().map(|(k, _)| *k) {
            let next = first - first % per_file + per_file;
            let lives = self.entries.get(&(next - 1)).is_none_or(|at| *at >= log_min);
            if lives || next >= self.max() {
                break;
            }
            self.entries = self.entries.split_off(&next);
        }
    }

    /// Entries go from the end of the log on; fillers before the first one stay.
    fn cut(&mut self, log_end: i64) {
        let Some((first, _)) = self.entries.first_key_value().map(|(k, at)| (*k, *at)) else {
            return;
        };
        let before = self.entries.len();
        self.entries.retain(|_, at| *at < log_end);
        if self.entries.is_empty() {
            self.fillers = if first % u64::from(FILE / 20) == 0 { 0 } else { first };
        }
        if self.entries.len() < before {
            self.next = self.max();
        }
    }

    fn max(&self) -> u64 {
        self.entries.last_key_value().map_or(self.fillers, |(k, _)| k + 1)
    }
}

struct World<M: HostMedium + Clone> {
    medium: M,
    queues: Queues<M>,
    models: Vec<Model>,
    log: std::ops::Range<i64>,
    dice: Dice,
}

impl<M: HostMedium + Clone> World<M> {
    fn new(medium: M, seed: u64) -> Self {
        let queues = Queues::new(Arc::new(medium.clone()), Self::settings());
        let models = (0..QUEUES).map(|_| Model::default()).collect();
        Self { medium, queues, models, log: 1000..1000, dice: Dice(seed) }
    }

    fn settings() -> QueueSettings {
        settings().corrected(true).awake_max(3)
    }

    fn put(&mut self) {
        let queue_id = self.dice.below(QUEUES as u64) as i32;
        let model = &mut self.models[queue_id as usize];
        for _ in 0..=self.dice.below(90) {
            let (k, at) = (model.next, self.log.end);
            let put = self.queues.put("T", queue_id, cell(at), k.cast_signed(), None);
            assert_eq!(put, Ok(Put::At { entry: k }));
            if model.entries.is_empty() {
                model.min = k;
            }
            model.entries.insert(k, at);
            model.next += 1;
            self.log.end += i64::from(SIZE);
        }
    }

    fn clean(&mut self) {
        let len = (self.log.end - self.log.start).cast_unsigned();
        self.log.start += self.dice.below(len / 2 + 1).cast_signed() / 100 * 100;
        let cleaned = self.queues.clean(self.log.start.cast_unsigned(), || ());
        assert_eq!(cleaned.errors, []);
        for model in &mut self.models {
            model.remove_files(self.log.start);
            model.correct(self.log.start);
        }
    }

    fn remove(&mut self) {
        let queue_id = self.dice.below(QUEUES as u64) as i32;
        let model = &mut self.models[queue_id as usize];
        self.queues.remove("T", queue_id).unwrap();
        let next = model.next + self.dice.below(500);
        *model = Model { next, ..Model::default() };
    }

    /// Closes, opens again, and perhaps cuts the log.
    fn reopen(mut self) -> Self {
        self.queues.flush(0).unwrap();
        drop(self.queues);
        if self.dice.below(3) == 0 {
            self.log.end -= 100 * (self.dice.below(30).cast_signed());
            self.log.end = self.log.end.max(self.log.start);
        }
        let log = log(self.log.start.cast_unsigned(), self.log.end.cast_unsigned());
        let found = FoundQueues::look(Arc::new(self.medium.clone()), Self::settings()).unwrap();
        let (queues, reports) = found.settle(log, self.dice.below(2) == 0).unwrap();
        assert_eq!(reports, []);
        self.queues = queues;
        for model in &mut self.models {
            model.cut(self.log.end);
            model.correct(self.log.start);
        }
        self
    }

    fn check(&self) {
        for (queue_id, model) in (0..).zip(&self.models) {
            let (min, max) = (model.min, model.max());
            assert_eq!(self.queues.bounds("T", queue_id), bounds(min, max), "queue {queue_id}");
            for k in [min, min + (max - min) / 2, max.saturating_sub(1), max] {
                let at = model.entries.get(&k).filter(|_| k >= min);
                assert_eq!(self.queues.cell_of("T", queue_id, k), at.map(|at| cell(*at)), "{k}");
            }
        }
    }
}

fn run<M: HostMedium + Clone>(medium: M, seed: u64) {
    let mut w = World::new(medium, seed);
    for _ in 0..150 {
        match w.dice.below(12) {
            0 => w.clean(),
            1 => w.remove(),
            2 => w = w.reopen(),
            3 => w.queues.rest_all(),
            4 => w.queues.flush(1).unwrap(),
            _ => w.put(),
        }
        w.check();
    }
}

#[test]
fn a_queue_is_what_a_list_of_entries_would_be() {
    for seed in 1..=20 {
        run(mem(), seed);
    }
    for seed in 21..=24 {
        run(folder(&temp()), seed);
    }
}
