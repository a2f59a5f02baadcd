//! Folders that also go when the process is interrupted, which runs no destructor.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};
use std::thread;
use std::time::Duration;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

/// The folders to be removed.
static FOLDERS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Whether the process is about to end.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

fn folders() -> MutexGuard<'static, Vec<PathBuf>> {
    FOLDERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From here on the folder goes with the process, if that ends by Ctrl-C or the like.
///
/// # Errors
/// Whatever keeps signals from being waited for.
pub(super) fn remove_too(folder: &Path) -> io::Result<()> {
    static WAITING: Once = Once::new();
    folders().push(folder.to_owned());
    let mut result = Ok(());
    WAITING.call_once(|| {
        result = Signals::new([SIGINT, SIGTERM, SIGHUP]).and_then(|mut signals| {
            let wait = move || signals.forever().next().map_or((), end);
            thread::Builder::new().name("signals".to_owned()).spawn(wait).map(drop)
        });
    });
    result
}

/// The folder is not to be removed any more.
pub(super) fn forget(folder: &Path) {
    folders().retain(|f| f != folder);
}

/// To be called before each put: never returns once the process is about to end, so that the
/// store makes no more files while they are removed.
pub(crate) fn stand_still_if_interrupted() {
    while INTERRUPTED.load(Ordering::Relaxed) {
        thread::park();
    }
}

/// Ends the process as the signal would have done.
fn end(signal: i32) {
    INTERRUPTED.store(true, Ordering::Relaxed);
    for folder in folders().iter() {
        if !(0..100).any(|_| is_gone(folder)) {
            eprintln!("mqstore: {} could not be removed", folder.display());
        }
    }
    let _ = signal_hook::low_level::emulate_default_handler(signal);
}

/// Removes the folder, and looks whether the store makes it again with a file that is under way.
fn is_gone(folder: &Path) -> bool {
    let _ = fs::remove_dir_all(folder);
    thread::sleep(Duration::from_millis(20));
    !folder.exists()
}
