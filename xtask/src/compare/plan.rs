//! The order of things: each case in pairs, ours and theirs in turn, then the long run.

use indicatif::{ProgressBar, ProgressStyle};

use super::case::{CASES, Case, LONG, SUSTAINED, Side};
use super::options::Options;
use super::programs::Programs;
use super::report::Report;
use super::run::Ground;
use super::summary::Summary;
use super::{peers, run};

/// Measures everything that was asked for.
pub(super) fn carry_out(options: &Options) -> Result<(), String> {
    eprintln!("compare: building");
    let programs = Programs::build()?;
    let ground = Ground::new(options)?;
    let report = Report::new(options.json);
    report.preface(options, programs.java.as_ref().err().map(String::as_str));

    let cases: Vec<&Case> = CASES.iter().filter(|c| options.wants(c.name)).collect();
    let long = options.wants(SUSTAINED) && options.sustained;
    let sides = Side::ALL.len();
    let runs = cases.len() * options.pairs * sides + if long { sides } else { 0 };
    let bar = progress(runs);
    for case in cases {
        let summary = measured(case, options.pairs, options, &programs, &ground, &bar)?;
        bar.suspend(|| report.case(case, &summary));
    }
    if long {
        let summary = measured(&LONG, 1, options, &programs, &ground, &bar)?;
        bar.suspend(|| report.case(&LONG, &summary));
    }
    bar.finish_and_clear();
    if let Some(folder) = &options.peers {
        peers::run(folder, options, &ground, &report)?;
    }
    Ok(())
}

/// All pairs of one case.
fn measured(
    case: &Case,
    pairs: usize,
    options: &Options,
    programs: &Programs,
    ground: &Ground,
    bar: &ProgressBar,
) -> Result<Summary, String> {
    let mut summary = Summary::default();
    for pair in 1..=pairs {
        for side in Side::ALL {
            bar.set_message(format!("{} {pair}/{pairs}: {}", case.name, side.name()));
            if side != Side::Java || programs.java.is_ok() {
                summary.add(side, run::measure(case, side, options, programs, ground)?);
            }
            bar.inc(1);
        }
    }
    Ok(summary)
}

fn progress(runs: usize) -> ProgressBar {
    // indicatif draws nothing where stderr is no terminal
    let bar = ProgressBar::new(runs as u64);
    let template = "{bar:30} {pos}/{len} {elapsed_precise} (about {eta} more) {msg}";
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar.enable_steady_tick(core::time::Duration::from_millis(250));
    bar
}
