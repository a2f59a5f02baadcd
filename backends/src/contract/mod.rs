//! The contract of the border as a suite that any medium can run.
//!
//! Each case is a function over a [`Rig`] and is named as a sentence; it panics when the medium
//! breaks its word. The macro [`contract!`](crate::contract!) makes a test of each:
//!
//! ```
//! # #[cfg(feature = "std")] mod tests {
//! use mqstore_backends::mem::MemMedium;
//! mqstore_backends::contract!(in_memory, || (MemMedium::heap(1 << 20), ()));
//! # }
//! ```
//!
//! A medium that is not written in Rust runs the same functions through its adapter.

pub mod cells;
#[cfg(feature = "std")]
pub mod concurrent;
pub mod failure;
pub mod found;
pub mod marks;
pub mod series;
pub mod small;
pub mod windows;

use core::task::{Context, Poll};

use mqstore_core::segment::{
    ErrorKind, Medium, MediumError, Readable, Segment, SegmentBackend, Series, Tail,
};

/// Bytes of each segment of the suite: two pages.
pub const CAPACITY: u32 = 8192;

/// A medium to be tested: fresh, with room for about 1 MiB, and everything it needs.
pub trait Rig {
    /// The medium.
    type Medium: Medium;

    /// The medium.
    fn medium(&self) -> &Self::Medium;
}

impl<M: Medium, K> Rig for (M, K) {
    type Medium = M;

    fn medium(&self) -> &M {
        &self.0
    }
}

/// A series of a rig's medium.
pub type SeriesOf<R> = <<R as Rig>::Medium as Medium>::Segments;
/// A tail of a rig's medium.
pub type TailOf<R> = <SeriesOf<R> as SegmentBackend>::Tail;
/// A segment of a rig's medium.
pub type SegmentOf<R> = <SeriesOf<R> as SegmentBackend>::Segment;

/// The value, or a failed test.
#[track_caller]
pub(crate) fn must<T, E: MediumError>(result: Result<T, E>) -> T {
    match result {
        Ok(value) => value,
        Err(error) => panic!("the medium says: {error}"),
    }
}

/// The kind of failure; a success is a failed test.
#[track_caller]
pub(crate) fn kind_of<T, E: MediumError>(result: Result<T, E>) -> ErrorKind {
    match result {
        Ok(_) => panic!("the medium should have failed"),
        Err(error) => error.kind(),
    }
}

/// The log of a rig.
pub(crate) fn log<R: Rig>(rig: &R) -> SeriesOf<R> {
    must(rig.medium().segments(Series::CommitLog, CAPACITY))
}

/// The first segment of the log.
pub(crate) fn first<R: Rig>(rig: &R) -> (TailOf<R>, SegmentOf<R>) {
    must(log(rig).create(0))
}

/// Polls until it is done; each time it is not, whoever waits must be woken.
#[cfg(feature = "std")]
pub(crate) fn wait<T>(mut poll: impl FnMut(&mut Context<'_>) -> Poll<T>) -> T {
    let woken = std::sync::Arc::new(Woken::default());
    let waker = woken.clone().into();
    let mut cx = Context::from_waker(&waker);
    loop {
        if let Poll::Ready(value) = poll(&mut cx) {
            return value;
        }
        woken.wait();
    }
}

/// Polls until it is done.
#[cfg(not(feature = "std"))]
pub(crate) fn wait<T>(mut poll: impl FnMut(&mut Context<'_>) -> Poll<T>) -> T {
    let mut cx = Context::from_waker(core::task::Waker::noop());
    loop {
        if let Poll::Ready(value) = poll(&mut cx) {
            return value;
        }
    }
}

/// Tells whether somebody has been woken.
#[cfg(feature = "std")]
#[derive(Default)]
struct Woken(std::sync::Mutex<bool>, std::sync::Condvar);

#[cfg(feature = "std")]
impl Woken {
    /// Longer than any medium of a test takes.
    const PATIENCE: core::time::Duration = core::time::Duration::from_secs(60);

    fn wait(&self) {
        let Ok(woken) = self.0.lock() else { panic!("a waker panicked") };
        let waited = self.1.wait_timeout_while(woken, Self::PATIENCE, |woken| !*woken);
        let Ok((mut woken, timeout)) = waited else { panic!("a waker panicked") };
        assert!(!timeout.timed_out(), "pending, and whoever waits is not woken");
        *woken = false;
    }
}

#[cfg(feature = "std")]
impl std::task::Wake for Woken {
    fn wake(self: std::sync::Arc<Self>) {
        if let Ok(mut woken) = self.0.lock() {
            *woken = true;
        }
        self.1.notify_all();
    }
}

/// Writes `bytes` at `at` and publishes them; commits when a buffer is full.
pub(crate) fn put<T: Tail, S: Segment>(tail: &mut T, segment: &S, at: u32, bytes: &[u8]) {
    let len = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
    loop {
        match tail.window(at, len) {
            Ok(window) => {
                window.copy_from_slice(bytes);
                break;
            }
            Err(e) if e.kind() == ErrorKind::Busy => commit(segment),
            Err(e) => panic!("no window of {len} at {at}: {e}"),
        }
    }
    tail.publish(at + len);
}

/// Commits everything.
pub(crate) fn commit<S: Segment>(segment: &S) {
    let end = segment.marks().published();
    let reached = must(wait(|cx| segment.poll_commit(cx, end)));
    assert!(reached >= end, "committed up to {reached} of {end}");
}

/// Commits and flushes everything.
pub(crate) fn flush<S: Segment>(segment: &S) {
    commit(segment);
    let end = segment.marks().published();
    let reached = must(wait(|cx| segment.poll_flush(cx, end)));
    assert!(reached >= end, "flushed up to {reached} of {end}");
}

/// Compares what a reader sees, lent and copied.
#[track_caller]
pub(crate) fn expect_bytes<S: Readable>(segment: &S, at: u32, bytes: &[u8]) {
    let len = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
    if let Some(seen) = segment.view(at, len) {
        assert_eq!(seen, bytes, "lent at {at}");
    }
    let mut copy = [0xEE_u8; CAPACITY as usize];
    let copy = &mut copy[..bytes.len()];
    must(segment.read(at, copy));
    assert_eq!(copy, bytes, "copied at {at}");
}

/// Checks that a reader does not get `[at, at + len)`.
#[track_caller]
pub(crate) fn expect_hidden<S: Readable>(segment: &S, at: u32, len: u32) {
    assert!(segment.view(at, len).is_none(), "lent at {at}");
    let mut copy = [0; CAPACITY as usize + 8];
    let out = &mut copy[..len as usize];
    assert_eq!(kind_of(segment.read(at, out)), ErrorKind::OutOfBounds);
}

/// Makes a module with a test for each case of the contract, over the rigs that the closure
/// makes.
#[macro_export]
macro_rules! contract {
    ($name:ident, $make:expr) => {
        mod $name {
            #[allow(unused_imports, reason = "what the closure needs lies around the module")]
            use super::*;

            $crate::contract_cases! { $make;
                marks: a_fresh_segment_has_all_its_marks_at_zero,
                marks: a_fresh_segment_reads_as_zeros_also_where_another_one_was,
                marks: bytes_are_seen_once_published_or_when_staged_committed,
                marks: marks_follow_each_other_and_never_go_back,
                marks: a_commit_or_flush_goes_no_further_than_what_there_is,
                marks: published_bytes_stay_while_the_tail_writes_on,
                marks: a_view_outlives_the_removal_of_its_segment,
                marks: a_full_segment_takes_its_last_byte_and_no_more,
                marks: what_is_published_without_being_lent_reads_as_zeros,
                windows: a_window_counts_only_when_it_is_published,
                windows: a_window_that_was_given_up_is_overwritten,
                windows: a_window_may_begin_behind_the_published_mark,
                windows: a_window_outside_is_refused_without_a_panic,
                windows: a_window_of_nothing_is_lent_everywhere,
                windows: the_longest_window_is_lent,
                windows: preparing_changes_nothing_that_can_be_seen,
                windows: a_reader_is_not_let_outside,
                found: what_was_flushed_is_there_when_it_is_opened_again,
                found: a_found_segment_shows_all_its_bytes,
                found: a_sealed_segment_has_all_its_marks_at_the_capacity,
                found: a_resumed_segment_goes_on_at_its_end,
                found: a_resumed_segment_holds_zeros_behind_its_end,
                found: a_segment_is_not_resumed_behind_its_capacity,
                found: a_segment_that_is_written_is_not_opened,
                found: a_segment_that_is_read_is_not_resumed_below_what_is_read,
                found: a_full_segment_is_resumed_although_it_is_read,
                series: a_base_has_one_segment,
                series: bases_lie_at_multiples_of_the_capacity,
                series: segments_are_listed_in_ascending_order,
                series: what_is_not_there_is_not_found,
                series: a_segment_of_another_size_is_not_opened,
                series: a_removed_segment_can_be_made_again,
                series: series_do_not_mix,
                series: queues_are_shown_once_each,
                series: a_removed_series_is_gone_with_its_segments,
                series: impossible_names_and_sizes_are_refused,
                series: an_announcement_is_only_a_hint,
                cells: fresh_cells_read_as_zeros,
                cells: cells_keep_what_was_set,
                cells: cells_are_reached_at_multiples_of_four_and_inside_only,
                cells: cells_are_there_when_they_are_opened_again,
                cells: cells_grow_and_keep_what_was_in_them,
                cells: cells_that_are_removed_are_gone,
                cells: index_files_are_listed_in_ascending_order,
                small: a_small_file_that_was_never_saved_is_not_there,
                small: a_small_file_is_replaced_as_a_whole,
                small: a_short_buffer_gets_the_start_and_the_whole_length,
                small: an_erased_file_is_gone_and_erasing_it_again_is_no_error,
                small: an_empty_file_is_there,
                small: small_files_do_not_mix,
                small: a_store_has_one_owner_at_a_time,
                small: some_space_is_free_and_not_more_than_all,
                concurrent: readers_never_see_half_of_a_record,
                concurrent: a_flush_beside_the_writer_covers_whole_records_only,
                concurrent: segments_come_and_go_beside_readers,
            }
        }
    };
}

/// One test for each case; see [`contract!`](crate::contract!).
#[doc(hidden)]
#[macro_export]
macro_rules! contract_cases {
    ($make:expr; $($part:ident: $case:ident,)*) => {
        $(
            #[test]
            fn $case() {
                let rig = $make();
                $crate::contract::$part::$case(&rig);
            }
        )*
    };
}
