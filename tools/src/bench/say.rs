//! Lines on stdout, for whoever may have stopped reading.

use core::fmt::Arguments;
use std::io::{self, Write as _};

/// Prints. Where nobody reads any more (`mqstore demo | head`), the work goes on in silence.
pub(crate) fn show(text: Arguments<'_>) {
    let _ = io::stdout().lock().write_fmt(text);
}

/// `println!` for whoever may have stopped reading.
macro_rules! say {
    () => { $crate::bench::show(format_args!("\n")) };
    ($($words:tt)*) => {{
        $crate::bench::show(format_args!($($words)*));
        $crate::bench::show(format_args!("\n"));
    }};
}
pub(crate) use say;
