//! What only a folder can get wrong: names, lengths, holes, space, owners.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "the helpers of these tests fail as the tests do")]

use core::task::{Context, Poll, Waker};
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::{FileExt, MetadataExt, symlink};
use std::path::Path;
use std::process::{Command, Stdio};

use mqstore_backends::BackendError;
use mqstore_backends::mmap::{FolderConfig, FolderMedium, FolderSegments, Staging, TransientPool};
use mqstore_core::segment::{
    Cells, CellsFile, ErrorKind, Found, Medium, MediumError, Readable, Segment, SegmentBackend,
    Series, SmallFile, Tail,
};

/// Nobody to wake: a test asks again by itself.
fn cx() -> Context<'static> {
    Context::from_waker(Waker::noop())
}

const SIZE: u32 = 8192;

fn open(root: &Path) -> FolderMedium {
    FolderMedium::open(FolderConfig::new(root))
}

fn log(medium: &FolderMedium) -> FolderSegments {
    medium.segments(Series::CommitLog, SIZE).unwrap()
}

fn kind<T>(result: Result<T, BackendError>) -> ErrorKind {
    result.err().expect("it fails").kind()
}

fn list(segments: &FolderSegments) -> Result<Vec<u64>, BackendError> {
    let mut bases = Vec::new();
    segments.list(&mut |base| bases.push(base))?;
    Ok(bases)
}

/// Writes at the start of a new segment and flushes.
fn put(segments: &FolderSegments, base: u64, bytes: &[u8]) {
    let (mut tail, segment) = segments.create(base).unwrap();
    let len = u32::try_from(bytes.len()).unwrap();
    tail.window(0, len).unwrap().copy_from_slice(bytes);
    tail.publish(len);
    assert!(matches!(segment.poll_commit(&mut cx(), len), Poll::Ready(Ok(_))));
    assert!(matches!(segment.poll_flush(&mut cx(), len), Poll::Ready(Ok(_))));
}

/// Everything in a folder and below, with the content of files.
fn tree(root: &Path) -> Vec<(String, Vec<u8>)> {
    let mut all = Vec::new();
    for entry in fs::read_dir(root).into_iter().flatten() {
        let path = entry.unwrap().path();
        let name = path.strip_prefix(root).unwrap().display().to_string();
        if path.is_dir() {
            all.push((format!("{name}/"), Vec::new()));
            all.extend(tree(&path).into_iter().map(|(n, b)| (format!("{name}/{n}"), b)));
        } else {
            all.push((name, fs::read(&path).unwrap()));
        }
    }
    all.sort();
    all
}

fn names(root: &Path) -> Vec<String> {
    tree(root).into_iter().map(|(name, _)| name).collect()
}

/// An unmodified RocketMQ has to find them.
#[test]
fn files_lie_where_rocketmq_puts_them() {
    let dir = tempfile::tempdir().unwrap();
    let medium = open(dir.path());
    let lock = medium.lock().unwrap();
    put(&log(&medium), u64::from(SIZE), b"x");
    put(&medium.segments(Series::ConsumeQueue("Topic", 3), 40).unwrap(), 0, b"x");
    put(&medium.segments(Series::ConsumeQueueExt("Topic", 3), 64).unwrap(), 0, b"x");
    medium.cells(CellsFile::Checkpoint, 4096).unwrap();
    medium.cells(CellsFile::Index(20_220_221_120_000_123), 64).unwrap();
    for file in [SmallFile::Abort, SmallFile::DelayOffset, SmallFile::State, SmallFile::Cut(4096)] {
        medium.save(file, b"").unwrap();
    }
    let expected = [
        "abort",
        "checkpoint",
        "commitlog/",
        "commitlog/00000000000000008192",
        "config/",
        "config/delayOffset.json",
        "consumequeue/",
        "consumequeue/Topic/",
        "consumequeue/Topic/3/",
        "consumequeue/Topic/3/00000000000000000000",
        "consumequeue_ext/",
        "consumequeue_ext/Topic/",
        "consumequeue_ext/Topic/3/",
        "consumequeue_ext/Topic/3/00000000000000000000",
        "index/",
        "index/20220221120000123",
        "lock",
        "mqstore.cut-4096",
        "mqstore.state",
    ];
    assert_eq!(names(dir.path()), expected);
    assert_eq!(fs::read(dir.path().join("lock")).unwrap(), b"lock");
    drop(lock);
    assert!(dir.path().join("lock").exists(), "never deleted");
}

/// Also a file that a crash of another program left short, or empty.
#[test]
fn a_file_of_another_length_is_named_as_such() {
    let dir = tempfile::tempdir().unwrap();
    let medium = open(dir.path());
    put(&log(&medium), 0, b"x");
    let path = dir.path().join("commitlog/00000000000000000000");
    for len in [0, 100, u64::from(SIZE) + 1] {
        File::options().write(true).open(&path).unwrap().set_len(len).unwrap();
        let error = log(&medium).open(0).err().unwrap();
        assert_eq!(error.kind(), ErrorKind::WrongSize);
        assert_eq!(error.path().as_deref(), Some(&*path));
        let text = error.to_string();
        let numbers = format!("it has {len} bytes, and mappedFileSizeCommitLog is {SIZE};");
        assert!(text.contains(&numbers), "{text}");
    }
}

/// A file that is no segment is neither skipped nor touched.
#[test]
fn a_file_that_does_not_belong_there_is_named() {
    let odd = "its name is not an offset of 20 digits".to_owned();
    let other = format!("its name is no multiple of mappedFileSizeCommitLog, which is {SIZE};");
    for (name, why) in [
        ("00000000000000000000.bak", &odd),
        ("readme", &odd),
        ("00000000000000000001", &other),
        ("1", &odd),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let medium = open(dir.path());
        put(&log(&medium), 0, b"x");
        let path = dir.path().join("commitlog").join(name);
        fs::write(&path, b"mine").unwrap();
        let error = list(&log(&medium)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Foreign);
        assert_eq!(error.path().as_deref(), Some(&*path));
        assert!(error.to_string().contains(why.as_str()), "{error}");
        assert_eq!(fs::read(&path).unwrap(), b"mine");
    }
}

#[test]
fn a_folder_in_the_place_of_a_segment_is_foreign() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir_all(dir.path().join("commitlog/00000000000000000000")).unwrap();
    assert_eq!(kind(log(&open(dir.path())).open(0)), ErrorKind::Foreign);
    assert_eq!(kind(log(&open(dir.path())).create(0)), ErrorKind::Exists);
}

/// 7 of the contract: RocketMQ's own files have holes; a write into one would kill the process
/// once the disk is full.
#[test]
fn the_space_of_a_file_is_real_when_it_is_made_and_when_it_is_resumed() {
    let dir = tempfile::tempdir().unwrap();
    let medium = open(dir.path());
    let segments = medium.segments(Series::CommitLog, 1 << 20).unwrap();
    let blocks = |base: u64| {
        fs::metadata(dir.path().join(format!("commitlog/{base:020}"))).unwrap().blocks() * 512
    };
    drop(segments.create(0).unwrap());
    assert!(blocks(0) >= 1 << 20);
    let sparse = File::create(dir.path().join("commitlog/00000000000001048576")).unwrap();
    sparse.set_len(1 << 20).unwrap();
    sparse.write_all_at(b"record", 0).unwrap();
    assert!(blocks(1 << 20) < 1 << 20);
    let found = segments.open(1 << 20).unwrap();
    let (_tail, segment) = found.resume(6).unwrap();
    assert!(blocks(1 << 20) >= 1 << 20);
    assert_eq!(segment.view(0, 6), Some(&b"record"[..]));
}

#[test]
fn a_checkpoint_with_holes_gets_its_space_when_it_is_opened() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("checkpoint");
    File::create(&path).unwrap().set_len(4096).unwrap();
    assert_eq!(fs::metadata(&path).unwrap().blocks(), 0);
    drop(open(dir.path()).cells(CellsFile::Checkpoint, 4096).unwrap());
    assert!(fs::metadata(&path).unwrap().blocks() > 0);
}

/// Beside a store that is being written.
#[test]
fn a_read_only_opener_changes_nothing_and_sees_what_is_there() {
    let dir = tempfile::tempdir().unwrap();
    let writer = open(dir.path());
    let _lock = writer.lock().unwrap();
    let (mut tail, _segment) = log(&writer).create(0).unwrap();
    tail.window(0, 5).unwrap().copy_from_slice(b"hello");
    tail.publish(5);
    writer.cells(CellsFile::Checkpoint, 4096).unwrap().set(0, b"cell").unwrap();
    let before = tree(dir.path());

    let reader = FolderMedium::open_read_only(FolderConfig::new(dir.path()));
    let segments = log(&reader);
    assert_eq!(list(&segments).unwrap(), [0]);
    let found = segments.open(0).unwrap();
    assert!(found.view(0, 5).is_none(), "bytes that may change are never lent");
    let mut out = [0; 5];
    found.read(0, &mut out).unwrap();
    assert_eq!(&out, b"hello");
    assert_eq!(kind(found.read(SIZE - 4, &mut out)), ErrorKind::OutOfBounds);
    let sealed = segments.open(0).unwrap().seal();
    sealed.read(0, &mut out).unwrap();
    assert_eq!(kind(found.resume(5)), ErrorKind::ReadOnly);
    let cells = reader.cells(CellsFile::Checkpoint, 8192).unwrap();
    let mut cell = [0; 4];
    cells.get(0, &mut cell).unwrap();
    assert_eq!((&cell, cells.len()), (b"cell", 4096));

    assert_eq!(kind(cells.set(0, b"cell")), ErrorKind::ReadOnly);
    assert_eq!(kind(reader.lock()), ErrorKind::ReadOnly);
    assert_eq!(kind(segments.create(u64::from(SIZE))), ErrorKind::ReadOnly);
    assert_eq!(kind(segments.remove(0)), ErrorKind::ReadOnly);
    assert_eq!(kind(reader.remove_series(Series::CommitLog)), ErrorKind::ReadOnly);
    assert_eq!(kind(reader.save(SmallFile::State, b"x")), ErrorKind::ReadOnly);
    assert_eq!(kind(reader.erase(SmallFile::State)), ErrorKind::ReadOnly);
    assert_eq!(kind(reader.remove_cells(CellsFile::Checkpoint)), ErrorKind::ReadOnly);
    assert_eq!(kind(reader.cells(CellsFile::Index(1), 64)), ErrorKind::NotFound);
    assert_eq!(tree(dir.path()), before);
}

#[test]
fn a_read_only_opener_of_an_empty_place_makes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let reader = FolderMedium::open_read_only(FolderConfig::new(dir.path().join("none")));
    assert_eq!(list(&log(&reader)).unwrap(), []);
    assert_eq!(reader.load(SmallFile::State, &mut []).unwrap(), None);
    assert_eq!(kind(reader.space(Series::CommitLog)), ErrorKind::NotFound);
    assert_eq!(names(dir.path()), [""; 0]);
}

/// Says that this test cannot run here. Not by `println!`: that is shown only of tests that fail.
fn skipped(why: &str) {
    let test = std::thread::current();
    let _ = writeln!(std::io::stderr(), "skipped: {}: {why}", test.name().unwrap_or("?"));
}

/// libtest shows what a test prints only if it fails; a skipped one passes.
#[test]
fn a_test_that_is_skipped_says_so_though_it_passes() {
    const NAME: &str = "a_test_that_is_skipped_says_so_though_it_passes";
    if std::env::var_os("MQSTORE_TEST_SKIP").is_some() {
        return skipped("to be seen");
    }
    let mut again = Command::new(std::env::current_exe().unwrap());
    again.args(["--exact", NAME, "--test-threads=2"]).env("MQSTORE_TEST_SKIP", "1");
    let done = again.output().unwrap();
    assert!(done.status.success());
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    assert_eq!(said, format!("skipped: {NAME}: to be seen\n"));
}

/// A mount of its own, if this process may have one.
struct Mount(tempfile::TempDir);

impl Mount {
    fn tmpfs(options: &str) -> Option<Self> {
        let dir = tempfile::tempdir().unwrap();
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", options, "tmpfs"])
            .arg(dir.path())
            .stderr(Stdio::null())
            .status();
        if mounted.is_ok_and(|s| s.success()) {
            return Some(Self(dir));
        }
        skipped("mounting a tmpfs takes root");
        None
    }

    fn remount(&self, options: &str) {
        let options = format!("remount,{options}");
        let done = Command::new("mount").args(["-o", &options]).arg(self.0.path()).status();
        assert!(done.unwrap().success());
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.0.path()).status();
    }
}

/// C-64, as far as it is the medium's: the process lives, nothing is left behind, and freed
/// space can be used.
#[test]
fn a_full_file_system_refuses_a_segment_and_takes_one_again_when_there_is_space() {
    let Some(mount) = Mount::tmpfs("size=16m") else { return };
    let medium = open(mount.0.path());
    let _lock = medium.lock().unwrap();
    let size = 4 << 20;
    let segments = medium.segments(Series::CommitLog, size).unwrap();
    let mut made = Vec::new();
    let refused = loop {
        match segments.create(made.len() as u64 * u64::from(size)) {
            Ok(halves) => made.push(halves),
            Err(e) => break e,
        }
    };
    assert_eq!(refused.kind(), ErrorKind::NoSpace);
    assert_eq!(made.len(), 3, "room for three, and for a page of everything else");
    for (tail, segment) in &mut made {
        // every page was reserved: no SIGBUS
        tail.window(0, size).unwrap().fill(0xAB);
        tail.publish(size);
        assert!(matches!(segment.poll_flush(&mut cx(), size), Poll::Ready(Ok(_))));
    }
    assert_eq!(list(&segments).unwrap().len(), 3, "no empty file");
    assert_eq!(kind(medium.cells(CellsFile::Index(1), 8 << 20)), ErrorKind::NoSpace);
    assert_eq!(medium.cells_len(CellsFile::Index(1)).unwrap(), None);
    drop(made.remove(0));
    segments.remove(0).unwrap();
    segments.create(3 * u64::from(size)).unwrap();
}

/// C-65, as far as it is the medium's.
#[test]
fn a_read_only_file_system_is_named_as_such() {
    let Some(mount) = Mount::tmpfs("size=16m") else { return };
    let medium = open(mount.0.path());
    put(&log(&medium), 0, b"x");
    mount.remount("ro");
    assert_eq!(kind(log(&medium).create(u64::from(SIZE))), ErrorKind::ReadOnly);
    assert_eq!(kind(medium.save(SmallFile::State, b"x")), ErrorKind::ReadOnly);
    assert_eq!(kind(medium.lock()), ErrorKind::ReadOnly);
    let reader = FolderMedium::open_read_only(FolderConfig::new(mount.0.path()));
    let mut out = [0];
    log(&reader).open(0).unwrap().read(0, &mut out).unwrap();
    assert_eq!(&out, b"x");
}

/// C-70 inside one process.
#[test]
fn a_second_opener_is_refused_by_whatever_path_he_comes_and_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("store");
    symlink(&root, dir.path().join("link")).unwrap();
    let first = open(&root);
    let lock = first.lock().unwrap();
    put(&log(&first), 0, b"x");
    let before = tree(&root);
    let dotted = dir.path().join("./store/../store/.");
    for path in [&root, &dir.path().join("link"), &dotted] {
        let error = open(path).lock().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Locked, "{}", path.display());
    }
    assert_eq!(tree(&root), before);
    drop(lock);
    open(&dir.path().join("link")).lock().unwrap();
}

const CHILD: &str = "MQSTORE_TEST_LOCK_CHILD";

/// Not a test by itself: what the second process does.
#[test]
fn child_takes_the_lock_and_waits() {
    let Ok(root) = std::env::var(CHILD) else { return };
    let lock = open(Path::new(&root)).lock();
    println!("\nCHILD {}", if lock.is_ok() { "has it" } else { "was refused" });
    std::io::stdout().flush().unwrap();
    let mut line = String::new();
    let _ = std::io::stdin().read_line(&mut line);
}

fn child(root: &Path) -> (std::process::Child, String) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child_takes_the_lock_and_waits", "--nocapture"])
        .env(CHILD, root)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let said = lines.map(Result::unwrap).find(|l| l.starts_with("CHILD ")).unwrap();
    (child, said)
}

/// C-70 between processes.
#[test]
fn another_process_is_refused_until_the_owner_is_killed() {
    let dir = tempfile::tempdir().unwrap();
    let (mut owner, said) = child(dir.path());
    assert_eq!(said, "CHILD has it");
    assert_eq!(kind(open(dir.path()).lock()), ErrorKind::Locked);
    let (mut second, said) = child(dir.path());
    assert_eq!(said, "CHILD was refused");
    owner.kill().unwrap();
    owner.wait().unwrap();
    open(dir.path()).lock().unwrap();
    second.kill().unwrap();
    second.wait().unwrap();
}

/// 8 of the contract holds for every opener in the process, not only for one medium.
#[test]
fn two_media_over_one_folder_do_not_get_two_tails() {
    let dir = tempfile::tempdir().unwrap();
    symlink(dir.path(), dir.path().join("link")).unwrap();
    let (a, b) = (open(dir.path()), open(&dir.path().join("link")));
    let halves = log(&a).create(0).unwrap();
    assert_eq!(kind(log(&b).open(0)), ErrorKind::Busy);
    drop(halves);
    let found = log(&b).open(0).unwrap();
    assert_eq!(kind(log(&a).open(0).unwrap().resume(0)), ErrorKind::Busy);
    drop(found);
    log(&a).open(0).unwrap().resume(0).unwrap();
}

#[test]
fn new_files_go_to_the_folders_in_turn_and_are_found_in_all_of_them() {
    let dir = tempfile::tempdir().unwrap();
    let mut config = FolderConfig::new(dir.path());
    config.commit_log_dirs = ["a", "b"].map(|d| dir.path().join(d)).into();
    config.read_only_commit_log_dirs = vec![dir.path().join("old")];
    fs::create_dir(dir.path().join("old")).unwrap();
    fs::write(dir.path().join("old/00000000000000000000"), [7; SIZE as usize]).unwrap();
    let medium = FolderMedium::open(config);
    let _lock = medium.lock().unwrap();
    let size = u64::from(SIZE);
    for n in [1, 2, 3] {
        put(&log(&medium), n * size, b"x");
    }
    assert_eq!(list(&log(&medium)).unwrap(), [0, size, 2 * size, 3 * size]);
    let all = names(dir.path());
    for name in ["a/00000000000000016384", "b/00000000000000008192", "b/00000000000000024576"] {
        assert!(all.iter().any(|n| n == name), "{name} in {all:?}");
    }
    assert_eq!(log(&medium).open(0).unwrap().view(0, 2), Some(&[7, 7][..]));
    assert_eq!(kind(log(&medium).create(0)), ErrorKind::Exists);
    assert!(medium.space(Series::CommitLog).unwrap().free > 0);
}

#[test]
fn a_file_that_lies_in_two_folders_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let mut config = FolderConfig::new(dir.path());
    config.commit_log_dirs = ["a", "b"].map(|d| dir.path().join(d)).into();
    for d in ["a", "b"] {
        fs::create_dir(dir.path().join(d)).unwrap();
        fs::write(dir.path().join(d).join("00000000000000000000"), [0; SIZE as usize]).unwrap();
    }
    assert_eq!(list(&log(&FolderMedium::open(config))).unwrap_err().kind(), ErrorKind::Foreign);
}

fn with_pool(root: &Path, buffers: usize) -> (FolderConfig, Staging) {
    let mut config = FolderConfig::new(root);
    let staging = Staging::new(TransientPool::new(buffers, SIZE).unwrap());
    config.staging = Some(staging.clone());
    (config, staging)
}

/// `TransientStorePool`: what was committed whole needs no buffer any more.
#[test]
fn a_buffer_goes_back_when_its_segment_is_committed_or_given_up() {
    let dir = tempfile::tempdir().unwrap();
    let (config, staging) = with_pool(dir.path(), 2);
    let medium = FolderMedium::open(config);
    let (mut tail, segment) = log(&medium).create(0).unwrap();
    let other = log(&medium).create(u64::from(SIZE)).unwrap();
    assert_eq!(staging.pool.available(), 0);
    tail.window(0, SIZE).unwrap().fill(0xAB);
    tail.publish(SIZE);
    assert!(matches!(segment.poll_commit(&mut cx(), SIZE / 2), Poll::Ready(Ok(4096))));
    assert_eq!(staging.pool.available(), 0);
    assert!(matches!(segment.poll_commit(&mut cx(), SIZE), Poll::Ready(Ok(SIZE))));
    assert_eq!(staging.pool.available(), 1);
    assert!(matches!(segment.poll_flush(&mut cx(), SIZE), Poll::Ready(Ok(SIZE))));
    assert_eq!(segment.view(SIZE - 2, 2), Some(&[0xAB, 0xAB][..]));
    drop(other);
    assert_eq!(staging.pool.available(), 2);
}

#[test]
fn without_a_buffer_a_segment_is_written_in_place_or_refused() {
    let dir = tempfile::tempdir().unwrap();
    let (mut config, mut staging) = with_pool(dir.path(), 0);
    let (_tail, segment) = log(&FolderMedium::open(config.clone())).create(0).unwrap();
    assert!(!segment.geometry().staged);
    staging.fail_fast = true;
    config.staging = Some(staging);
    let strict = FolderMedium::open(config);
    assert_eq!(kind(log(&strict).create(u64::from(SIZE))), ErrorKind::Exhausted);
    assert_eq!(list(&log(&strict)).unwrap(), [0]);
}

/// What an earlier segment left in a buffer belongs to no other file.
#[test]
fn what_a_buffer_held_before_never_reaches_the_next_file() {
    let dir = tempfile::tempdir().unwrap();
    let (config, _) = with_pool(dir.path(), 1);
    let medium = FolderMedium::open(config);
    put(&log(&medium), 0, &[0xAB; SIZE as usize]);
    let (mut tail, segment) = log(&medium).create(u64::from(SIZE)).unwrap();
    tail.window(0, 8).unwrap().fill(1);
    tail.publish(SIZE);
    assert!(matches!(segment.poll_commit(&mut cx(), SIZE), Poll::Ready(Ok(SIZE))));
    assert_eq!(segment.view(8, SIZE - 8).unwrap(), vec![0; SIZE as usize - 8]);
}

/// RocketMQ's segments that were there at start have no buffer.
#[test]
fn a_resumed_segment_is_staged_only_if_that_is_asked_for() {
    let dir = tempfile::tempdir().unwrap();
    let (config, mut staging) = with_pool(dir.path(), 1);
    put(&log(&FolderMedium::open(config.clone())), 0, b"x");
    let resume = |config: FolderConfig| {
        let (_tail, segment) = log(&FolderMedium::open(config)).open(0).unwrap().resume(1).unwrap();
        segment.geometry().staged
    };
    assert!(!resume(config.clone()));
    staging.resumed = true;
    assert!(resume(FolderConfig { staging: Some(staging), ..config }));
}

/// Pages made present ahead of the writer are dirty zeros; they are not to be waited for.
#[test]
fn pages_made_present_ahead_hold_zeros_and_leave_what_is_written_alone() {
    let dir = tempfile::tempdir().unwrap();
    let segments = open(dir.path()).segments(Series::CommitLog, 4 << 20).unwrap();
    let (mut tail, segment) = segments.create(0).unwrap();
    tail.window(0, 100).unwrap().fill(1);
    match segment.prepare(1 << 20) {
        Ok(reached) => assert_eq!(reached, 1 << 20),
        Err(e) => println!("this kernel cannot make pages present: {e}"),
    }
    tail.publish(100);
    assert_eq!(segment.view(0, 100).unwrap(), [1; 100]);
    assert_eq!(tail.window(100, 1 << 20).unwrap(), vec![0; 1 << 20]);
}

#[test]
fn a_lock_that_was_let_go_is_free_although_a_copy_of_its_descriptor_lives() {
    let dir = tempfile::tempdir().unwrap();
    let lock = open(dir.path()).lock().unwrap();
    // what a process has that another thread is just starting
    let copy = inherited(dir.path());
    drop(lock);
    drop(open(dir.path()).lock().unwrap());
    drop(copy);
}

/// A copy of this process's descriptor of the folder's lock file.
fn inherited(root: &Path) -> File {
    let is_lock = |path: &Path| path.canonicalize().is_ok_and(|p| p == root.join("lock"));
    let fds = std::fs::read_dir("/proc/self/fd").unwrap();
    let fd = fds.filter_map(|e| Some(e.ok()?.path())).find(|p| is_lock(p)).unwrap();
    let fd = fd.file_name().unwrap().to_str().unwrap().parse().unwrap();
    // SAFETY: the descriptor is open: the lock that has it lives.
    unsafe { std::os::fd::BorrowedFd::borrow_raw(fd) }.try_clone_to_owned().unwrap().into()
}
