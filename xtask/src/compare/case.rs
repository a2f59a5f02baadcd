//! The cases: what is put, by how many writers, and how that is said to each program.

use super::options::Options;

/// The long run at the end.
pub(super) const SUSTAINED: &str = "sustained";

/// Bytes of a record besides its body: the fixed fields, topic `bench-topic-0`, tag `TagA`.
const RECORD_EXTRA: u64 = 91 + 13 + 9;
/// What a RocketMQ store needs until its compiler has seen the hot path.
const JAVA_WARMUP: f64 = 2.5;
/// Ours has no compiler to wait for; it finds its first pages present.
const OUR_WARMUP: f64 = 0.2;

/// One kind of work.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Case {
    pub(super) name: &'static str,
    pub(super) body: u64,
    pub(super) writers: u64,
    pub(super) batch: u64,
    pub(super) pool: bool,
    pub(super) sync: bool,
    /// How many times `--gb` is written.
    pub(super) volume: f64,
}

const fn put(name: &'static str, body: u64, writers: u64) -> Case {
    Case { name, body, writers, batch: 1, pool: false, sync: false, volume: 1.0 }
}

/// All cases, in the order in which they run.
pub(super) const CASES: [Case; 9] = [
    put("put-100-1w", 100, 1),
    put("put-1024-1w", 1024, 1),
    put("put-4096-1w", 4096, 1),
    put("put-1024-4w", 1024, 4),
    put("put-1024-16w", 1024, 16),
    Case { batch: 16, ..put("batch16-1024-1w", 1024, 1) },
    Case { pool: true, ..put("pool-1024-1w", 1024, 1) },
    Case { sync: true, ..put("sync-1024-1w", 1024, 1) },
    Case { sync: true, ..put("sync-1024-16w", 1024, 16) },
];

/// Far beyond what the kernel keeps in memory before it makes writers wait.
pub(super) const LONG: Case = Case { volume: 4.0, ..put(SUSTAINED, 1024, 1) };

/// The case with this name.
pub(super) fn find(name: &str) -> Option<&'static Case> {
    CASES.iter().find(|c| c.name == name)
}

/// Whose turn it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Ours,
    Java,
    Floor,
}

impl Side {
    /// All sides, in the order of a pair.
    pub(super) const ALL: [Self; 3] = [Self::Ours, Self::Java, Self::Floor];

    /// What it is called in the output.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Ours => "ours",
            Self::Java => "java",
            Self::Floor => "floor",
        }
    }
}

impl Case {
    /// Length of each record in bytes.
    const fn record(&self) -> u64 {
        self.body + RECORD_EXTRA
    }

    /// Messages in all, where the volume and not the time is given.
    pub(super) fn count(&self, options: &Options) -> u64 {
        let bytes = options.gb * self.volume * f64::from(1 << 30);
        let calls = bytes as u64 / self.record() / self.batch;
        calls.max(self.writers) * self.batch
    }

    /// The words behind the program's own verb.
    pub(super) fn words(&self, side: Side, options: &Options, folder: &str) -> Vec<String> {
        let mut words = match side {
            Side::Ours => self.our_words(options, folder),
            Side::Java => self.java_words(options, folder),
            Side::Floor => self.floor_words(folder),
        };
        let (body, writers) = (self.body.to_string(), self.writers.to_string());
        let batch = self.batch.to_string();
        words.extend(owned(&["--body", &body, "--threads", &writers, "--batch", &batch]));
        if self.sync {
            words.extend(owned(&["--seconds", &options.seconds.to_string()]));
        } else {
            words.extend(owned(&["--count", &self.count(options).to_string()]));
        }
        words
    }

    fn our_words(&self, options: &Options, folder: &str) -> Vec<String> {
        let warm = if self.sync { options.seconds.min(1.0) } else { OUR_WARMUP };
        let flush = if self.sync { "sync" } else { "async" };
        let mut words = owned(&["bench", "--json", "--store", folder, "--flush", flush]);
        words.extend(owned(&["--warmup-seconds", &warm.to_string()]));
        if self.pool {
            words.push("--pool".to_owned());
        }
        words
    }

    fn java_words(&self, options: &Options, folder: &str) -> Vec<String> {
        let warm = if options.quick { 1.0 } else { JAVA_WARMUP };
        let flush = if self.sync { "SYNC_FLUSH" } else { "ASYNC_FLUSH" };
        let mut words = owned(&["bench", "--store", folder, "--flush", flush]);
        words.extend(owned(&["--warmup-seconds", &warm.to_string()]));
        if self.pool {
            words.push("--transient-pool".to_owned());
        }
        words
    }

    fn floor_words(&self, folder: &str) -> Vec<String> {
        let mode = if self.sync { "group" } else { "mapped" };
        owned(&[mode, "--dir", folder, "--record", &self.record().to_string()])
    }
}

fn owned(words: &[&str]) -> Vec<String> {
    words.iter().map(|w| (*w).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn volumes_become_counts_of_whole_calls() {
        let options = Options::parse(&[]).unwrap().unwrap();
        let case = find("batch16-1024-1w").unwrap();
        let count = case.count(&options);
        assert_eq!(count % 16, 0);
        assert!((1_880_000..1_890_000).contains(&count), "{count}");
        assert_eq!(LONG.count(&options) / find("put-1024-1w").unwrap().count(&options), 4);
    }

    #[test]
    fn sync_cases_go_by_time() {
        let options = Options::parse(&[]).unwrap().unwrap();
        let words = find("sync-1024-16w").unwrap().words(Side::Ours, &options, "x").join(" ");
        assert!(words.contains("--flush sync") && words.contains("--seconds 8"), "{words}");
        assert!(!words.contains("--count"), "{words}");
    }
}
