//! How far `append` is: a bar for a file, a count for a pipe.

use indicatif::{ProgressBar, ProgressStyle};

/// Drawn only on a terminal, and only for more than a few lines.
pub(super) struct Progress {
    bar: ProgressBar,
}

/// Lines between two looks at the clock.
const EVERY: u64 = 1024;

impl Progress {
    /// For an input of this length, if it is known.
    pub(super) fn new(len: Option<u64>) -> Self {
        let (bar, template) = match len {
            Some(len) => {
                (ProgressBar::new(len), "{bar:40} {bytes} of {total_bytes}, {msg} messages")
            }
            None => (ProgressBar::new_spinner(), "{spinner} {bytes}, {msg} messages"),
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        Self { bar }
    }

    /// So many lines and bytes have been put.
    pub(super) fn at(&self, lines: u64, bytes: u64) {
        if lines.is_multiple_of(EVERY) && !self.bar.is_hidden() {
            self.bar.set_message(crate::bench::thousands(lines));
            self.bar.set_position(bytes);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
