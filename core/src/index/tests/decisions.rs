//! Which files stay after a crash, and from where keys are put again.

use super::*;
use crate::index::load::{Decisions, Durable, FoundIndex, IndexMark, Situation, Verdict};

const GEOMETRY: (u32, u32) = (10, 11);

fn situation() -> Situation {
    Situation {
        clean: false,
        index_timestamp: 0,
        durable: None,
        log_begin: 0,
        log_end: 100_000,
        geometry: geometry(GEOMETRY.0, GEOMETRY.1),
    }
}

/// A file with messages of these places, stored as many milliseconds after T.
fn found(name: u64, begin: i64, end: i64, index_count: i32) -> FoundIndex {
    let header = IndexHeader {
        begin_timestamp: T + begin,
        end_timestamp: T + end,
        begin_offset: begin,
        end_offset: end,
        slot_count: 5,
        index_count,
    };
    FoundIndex { name, len: 40 + 40 + 220, header }
}

fn judge(situation: Situation, files: &[FoundIndex]) -> (Vec<Verdict>, Option<u64>) {
    let mut decisions = Decisions::new(situation);
    let verdicts = files.iter().map(|file| decisions.judge(file)).collect();
    (verdicts, decisions.rebuild_from())
}

fn three() -> [FoundIndex; 3] {
    [found(1, 100, 1000, 11), found(2, 1100, 2000, 11), found(3, 2100, 2500, 6)]
}

#[test]
fn after_a_clean_exit_every_file_stays() {
    let clean = Situation { clean: true, ..situation() };
    assert_eq!(judge(clean, &three()), (vec![Verdict::Keep; 3], None));
    assert_eq!(judge(clean, &[]), (vec![], None));
}

#[test]
fn without_a_mark_files_stay_as_in_java_and_the_others_keys_are_put_again() {
    let at = |time| Situation { index_timestamp: time, ..situation() };
    let (keep, drop) = (Verdict::Keep, Verdict::Drop);
    assert_eq!(judge(at(T + 2000), &three()), (vec![keep, keep, drop], Some(2000)));
    assert_eq!(judge(at(T + 1000), &three()), (vec![keep, drop, drop], Some(1000)));
    // Nothing stays: from where the first one began, or from the log's first byte.
    assert_eq!(judge(at(0), &three()), (vec![drop; 3], Some(100)));
    assert_eq!(judge(at(0), &[]), (vec![], Some(0)));
    let expired = Situation { log_begin: 4096, ..situation() };
    assert_eq!(judge(expired, &three()).1, Some(4096));
}

#[test]
fn behind_a_file_that_does_not_stay_no_other_does() {
    // The clock went back: the second file ends later than the third.
    let mut files = three();
    files[2].header = IndexHeader { end_timestamp: T + 900, index_count: 11, ..files[2].header };
    let situation = Situation { index_timestamp: T + 1000, ..situation() };
    let (verdicts, from) = judge(situation, &files);
    assert_eq!(verdicts, [Verdict::Keep, Verdict::Drop, Verdict::Drop]);
    assert_eq!(from, Some(1000));
}

#[test]
fn c_26_with_a_mark_the_newest_file_is_cut_and_nothing_is_read_twice() {
    let mark = IndexMark { name: 2, header: found(2, 1100, 1500, 5).header };
    let durable = Some(Durable { position: 1550, mark: Some(mark) });
    let situation = Situation { durable, ..situation() };
    let (verdicts, from) = judge(situation, &three());
    assert_eq!(verdicts, [Verdict::Keep, Verdict::CutTo(mark.header), Verdict::Drop]);
    assert_eq!(from, Some(1550));
}

#[test]
fn a_marked_file_that_was_full_stays_as_it_is() {
    let mark = IndexMark { name: 2, header: three()[1].header };
    let durable = Some(Durable { position: 2050, mark: Some(mark) });
    let (verdicts, from) = judge(Situation { durable, ..situation() }, &three());
    assert_eq!(verdicts, [Verdict::Keep, Verdict::Keep, Verdict::Drop]);
    assert_eq!(from, Some(2050));
}

#[test]
fn a_mark_without_a_file_then_takes_all_files_for_new() {
    let durable = Some(Durable { position: 90, mark: None });
    let (verdicts, from) = judge(Situation { durable, ..situation() }, &three());
    assert_eq!(verdicts, [Verdict::Drop; 3]);
    assert_eq!(from, Some(90));
}

#[test]
fn a_marked_file_that_is_missing_or_another_is_built_again() {
    let mark = IndexMark { name: 2, header: found(2, 1100, 1500, 5).header };
    let durable = Some(Durable { position: 1550, mark: Some(mark) });
    let situation = Situation { durable, ..situation() };
    let [first, second, _] = three();
    assert_eq!(judge(situation, &[first]), (vec![Verdict::Keep], Some(1000)));
    assert_eq!(judge(situation, &[]), (vec![], Some(1100)));
    let other = FoundIndex { header: IndexHeader { index_count: 3, ..second.header }, ..second };
    assert_eq!(judge(situation, &[first, other]).1, Some(1000));
}

#[test]
fn entries_behind_the_end_of_the_log_are_taken_out() {
    let clean = Situation { clean: true, log_end: 1200, ..situation() };
    let (verdicts, from) = judge(clean, &three());
    assert_eq!(verdicts, [Verdict::Keep, Verdict::CutBelow(1200, None), Verdict::Drop]);
    assert_eq!(from, None);
    // A new file inherits an end that the next messages would be below of.
    let empty = found(4, 2500, 2500, 0);
    assert_eq!(judge(clean, &[empty]).0, [Verdict::Drop]);
    let gone = Situation { clean: true, log_end: 0, ..situation() };
    assert_eq!(judge(gone, &three()).0, [Verdict::Drop; 3]);
    let fresh = FoundIndex { header: IndexHeader::default(), ..empty };
    assert_eq!(judge(gone, &[fresh]).0, [Verdict::Keep]);
}

#[test]
fn a_file_of_another_geometry_is_left_alone() {
    let clean = Situation { clean: true, ..situation() };
    let [first, mut second, third] = three();
    second.len += 20;
    let (verdicts, from) = judge(clean, &[first, second]);
    assert_eq!(verdicts, [Verdict::Keep, Verdict::Ignore]);
    assert_eq!(from, Some(1000));
    assert_eq!(judge(clean, &[first, second, third]).1, None);
    let stub = FoundIndex { len: 0, header: IndexHeader::default(), ..third };
    assert_eq!(judge(clean, &[stub]).0, [Verdict::Drop]);
}

#[test]
fn a_mark_is_48_bytes_or_zeros() {
    let mark = IndexMark { name: 20_240_101_120_000_000, header: found(1, 5, 6, 7).header };
    let bytes = IndexMark::encode(Some(&mark));
    assert_eq!(bytes.len(), 48);
    assert_eq!(IndexMark::decode(&bytes), Some(mark));
    assert_eq!(IndexMark::encode(None), [0; 48]);
    assert_eq!(IndexMark::decode(&[0; 48]), None);
}
