//! Small files, the owner, and space.

use mqstore_core::segment::{ErrorKind, Medium, Series, SmallFile};

use super::{Rig, kind_of, must};

const ALL: [SmallFile; 4] =
    [SmallFile::Abort, SmallFile::DelayOffset, SmallFile::State, SmallFile::Cut(4096)];

#[track_caller]
fn expect<R: Rig>(rig: &R, file: SmallFile, bytes: Option<&[u8]>) {
    let mut out = [0xEE; 256];
    let len = must(rig.medium().load(file, &mut out));
    assert_eq!(len, bytes.map(<[u8]>::len), "{file:?}");
    if let Some(bytes) = bytes {
        assert_eq!(&out[..bytes.len()], bytes, "{file:?}");
    }
}

/// A fresh store.
pub fn a_small_file_that_was_never_saved_is_not_there<R: Rig>(rig: &R) {
    for file in ALL {
        expect(rig, file, None);
    }
}

/// Longer, shorter, the same length.
pub fn a_small_file_is_replaced_as_a_whole<R: Rig>(rig: &R) {
    for bytes in [&b"first"[..], b"the second one", b"3rd", b"4th"] {
        must(rig.medium().save(SmallFile::State, bytes));
        expect(rig, SmallFile::State, Some(bytes));
    }
}

/// So that the caller can ask again.
pub fn a_short_buffer_gets_the_start_and_the_whole_length<R: Rig>(rig: &R) {
    must(rig.medium().save(SmallFile::State, b"0123456789"));
    let mut out = [0; 4];
    assert_eq!(must(rig.medium().load(SmallFile::State, &mut out)), Some(10));
    assert_eq!(&out, b"0123");
    assert_eq!(must(rig.medium().load(SmallFile::State, &mut [])), Some(10));
}

/// Closing a store, and closing it again.
pub fn an_erased_file_is_gone_and_erasing_it_again_is_no_error<R: Rig>(rig: &R) {
    for file in ALL {
        must(rig.medium().save(file, b"x"));
        must(rig.medium().save(file, b"y"));
        must(rig.medium().erase(file));
        expect(rig, file, None);
        must(rig.medium().erase(file));
    }
}

/// The abort file.
pub fn an_empty_file_is_there<R: Rig>(rig: &R) {
    must(rig.medium().save(SmallFile::Abort, &[]));
    expect(rig, SmallFile::Abort, Some(&[]));
}

/// Each has its own name.
pub fn small_files_do_not_mix<R: Rig>(rig: &R) {
    let all = [SmallFile::DelayOffset, SmallFile::State, SmallFile::Cut(0), SmallFile::Cut(9)];
    for (n, file) in (1_u8..).zip(all) {
        must(rig.medium().save(file, &[n; 3]));
    }
    for (n, file) in (1_u8..).zip(all) {
        expect(rig, file, Some(&[n; 3]));
    }
}

/// Also within one process.
pub fn a_store_has_one_owner_at_a_time<R: Rig>(rig: &R) {
    let lock = must(rig.medium().lock());
    assert_eq!(kind_of(rig.medium().lock()), ErrorKind::Locked);
    drop(lock);
    drop(must(rig.medium().lock()));
}

/// Asked of a store that is open.
pub fn some_space_is_free_and_not_more_than_all<R: Rig>(rig: &R) {
    let _lock = must(rig.medium().lock());
    for series in [Series::CommitLog, Series::ConsumeQueue("t", 0)] {
        let space = must(rig.medium().space(series));
        assert!(space.free > 0 && space.free <= space.total, "{space:?}");
    }
}
