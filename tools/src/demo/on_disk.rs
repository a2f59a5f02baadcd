//! Shows the files of a store and the records in them.

use std::io;
use std::path::Path;

use super::census::{Census, Sum};
use crate::bench::{bytes_text, entries_in, say, thousands};
use crate::cli::CliError;

/// Columns of a line before it is cut.
const LINE: usize = 110;

/// Prints what lies in the folder.
///
/// # Errors
/// [`CliError::Failed`] if the folder cannot be listed.
pub(super) fn print(folder: &Path, census: &Census) -> Result<(), CliError> {
    let failed = |e: io::Error| CliError::Failed(format!("{}: {e}", folder.display()));
    say!("on disk");
    for (path, metadata) in entries_in(folder).map_err(failed)? {
        let name = path.strip_prefix(folder).unwrap_or(&path);
        say!("  {:<34} {:>11}", name.display().to_string(), bytes_text(metadata.len()));
    }
    say!("records");
    for (kind, sum) in &census.kinds {
        line(kind, *sum);
    }
    say!("  {:<34} {:>11}", "fillers at ends of files", thousands(census.fillers));
    say!("topics");
    let mut topics: Vec<(&String, &Sum)> = census.topics.iter().collect();
    topics.sort_by_key(|(_, sum)| core::cmp::Reverse(sum.records));
    for (topic, sum) in topics.iter().take(6) {
        line(topic, **sum);
    }
    if topics.len() > 6 {
        say!("  and {} more", topics.len() - 6);
    }
    say!(
        "records, the first of each kind: log offset, kind, topic/queue, queue offset, body, properties"
    );
    for text in &census.first {
        let cut: String = text.chars().take(LINE).collect();
        say!("  {cut}");
    }
    Ok(())
}

fn line(name: &str, sum: Sum) {
    say!("  {name:<34} {:>11} {:>11}", thousands(sum.records), bytes_text(sum.bytes));
}
