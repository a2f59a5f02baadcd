//! The lines of the comparison, as text or as JSON.

use serde_json::{Map, Value, json};

use super::case::{Case, Side};
use super::options::Options;
use super::summary::{Spread, Summary};

/// Prints as it goes.
pub(super) struct Report {
    json: bool,
}

const NOTES: [&str; 4] = [
    "java builds consume queues and the key index behind the log, mqstore does not yet",
    "ours, java, floor: messages per second, medians; ratio and floor_share: ours through theirs, \
     pair by pair",
    "floor: the same bytes copied and checksummed into present pages by as many threads without \
     a log between them; in sync cases a group commit with pwrite and fdatasync",
    "latencies are those of closed loops, each put timed",
];

impl Report {
    pub(super) const fn new(json: bool) -> Self {
        Self { json }
    }

    /// What has to be known to read the rest.
    pub(super) fn preface(&self, options: &Options, no_java: Option<&str>) {
        let mut notes: Vec<String> = NOTES.iter().map(|n| (*n).to_owned()).collect();
        let (pairs, gb, seconds) = (options.pairs, options.gb, options.seconds);
        notes.push(format!("{pairs} pairs, {gb} GiB each, sync cases {seconds} s each"));
        notes.push(machine());
        if let Some(why) = no_java {
            notes.push(format!("SKIPPED: the Java store, because {why}"));
        }
        for note in notes {
            if self.json {
                println!("{}", json!({ "note": note }));
            } else {
                println!("# {note}");
            }
        }
    }

    /// One case.
    pub(super) fn case(&self, case: &Case, summary: &Summary) {
        let fields = fields(case, summary);
        if self.json {
            println!("{}", Value::Object(fields));
            return;
        }
        let shown = |v: &Value| v.as_str().map_or_else(|| v.to_string(), str::to_owned);
        let words: Vec<String> = fields.iter().map(|(k, v)| format!("{k}={}", shown(v))).collect();
        println!("{}", words.join(" "));
    }

    /// A line of another program.
    pub(super) fn peer(&self, name: &str, line: &str) {
        if self.json {
            println!("{}", json!({ "peer": name, "line": line }));
        } else {
            println!("peer={name} {line}");
        }
    }
}

/// What it runs on, and whether it is alone there.
fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').next().unwrap_or_default();
    format!("{cores} cores, load before the first run {load} (a busy machine measures itself)")
}

fn fields(case: &Case, summary: &Summary) -> Map<String, Value> {
    let mut out = Map::new();
    let mut put = |name: &str, value: Option<f64>, digits: i32| {
        let value = value.map_or(Value::from("-"), |v| rounded(v, digits));
        out.insert(name.to_owned(), value);
    };
    let median = |s: Option<Spread>| s.map(|s| s.median);
    let (ratio, share) = (summary.ratio(Side::Java), summary.ratio(Side::Floor));
    let field = |side, name| median(summary.field(side, name));
    put("ours", median(summary.rate(Side::Ours)), 0);
    put("java", median(summary.rate(Side::Java)), 0);
    put("ratio", median(ratio), 2);
    put("floor_share", median(share), 3);
    put("p999_us", field(Side::Ours, "p999us"), 2);
    put("java_p999_us", field(Side::Java, "p999us"), 2);
    put("p50_us", field(Side::Ours, "p50us"), 2);
    put("java_p50_us", field(Side::Java, "p50us"), 2);
    put("max_us", field(Side::Ours, "maxus"), 0);
    put("java_max_us", field(Side::Java, "maxus"), 0);
    put("ratio_min", ratio.map(|s| s.min), 2);
    put("ratio_max", ratio.map(|s| s.max), 2);
    put("ours_spread", summary.rate(Side::Ours).map(relative), 3);
    put("java_spread", summary.rate(Side::Java).map(relative), 3);
    put("floor", median(summary.rate(Side::Floor)), 0);
    // what a store still had to do when the last put was answered
    for side in [Side::Ours, Side::Java] {
        let rest = field(side, "dispatchDrainMs").unwrap_or(0.0);
        if rest > 20.0 {
            let name = format!("{}_with_rest", side.name());
            put(&name, median(summary.rate_with_rest(side)), 0);
        }
    }
    let mut line = Map::new();
    line.insert("case".to_owned(), Value::from(case.name));
    line.append(&mut out);
    line
}

/// The distance of the two ends, as a part of the median.
fn relative(spread: Spread) -> f64 {
    if spread.median > 0.0 { (spread.max - spread.min) / spread.median } else { 0.0 }
}

fn rounded(x: f64, digits: i32) -> Value {
    if digits == 0 {
        return Value::from(x.round() as u64);
    }
    let by = 10f64.powi(digits);
    Value::from((x * by).round() / by)
}
