//! Several processes that use one folder at once.

use std::{
    path::Path,
    process::{Child, Command},
};

use forebay_native::cache::Cache;

use crate::{
    common::Folder,
    elsewhere::{
        cache::blocks,
        fake::{Fake, noise},
    },
};

const FOLDER: &str = "FOREBAY_TEST_CACHE";
/// Less than the source has, so that all of them make room all the time.
const MOST: u64 = 6 << 20;

/// Reads here and there through a cache, and what others may have damaged.
fn read(folder: &Path, seed: u64) {
    let bytes = noise(8 << 20, 5);
    let cache = Cache::open(folder).unwrap().bytes(MOST);
    let input = Fake::new(bytes.clone(), "s3://b/a v1").input().cached(&cache);
    let order = forebay::order::Permutation::new(80, seed);
    for at in (0..80).map(|k| order.at(k) as usize * 100_000) {
        let end = (at + 2_100_000).min(bytes.len());
        assert!(input.slice(at as u64..end as u64).unwrap() == bytes[at..end]);
        if at % 7 == 0 {
            // Another process may have removed it.
            let _ = blocks(folder).first().map(|path| std::fs::write(path, "damage"));
        }
    }
}

/// The test that this process runs, in another one.
fn again(folder: &Path) -> Child {
    let name = "elsewhere::shared::two_processes_and_two_threads_share_a_folder";
    Command::new(std::env::current_exe().unwrap())
        .args([name, "--exact", "--nocapture"])
        .env(FOLDER, folder)
        .spawn()
        .unwrap()
}

#[test]
fn two_processes_and_two_threads_share_a_folder() {
    if let Some(folder) = std::env::var_os(FOLDER) {
        return read(folder.as_ref(), std::process::id().into());
    }
    let folder = Folder::new();
    let mut others = [again(folder.path()), again(folder.path())];
    std::thread::scope(|scope| {
        for seed in 0..2 {
            let folder = folder.path();
            scope.spawn(move || read(folder, seed));
        }
    });
    for other in &mut others {
        assert!(other.wait().unwrap().success());
    }
    let cache = Cache::open(folder.path()).unwrap();
    let entries = cache.list().unwrap();
    assert_eq!(entries.len(), 1);
    assert!(entries[0].bytes <= MOST, "{}", entries[0].bytes);
}

#[test]
fn a_process_that_is_killed_leaves_a_cache_that_can_be_used() {
    if let Some(folder) = std::env::var_os(FOLDER) {
        loop {
            read(folder.as_ref(), std::process::id().into());
        }
    }
    let folder = Folder::new();
    for after in [20, 50, 90, 140] {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["elsewhere::shared::a_process_that_is_killed_leaves_a_cache_that_can_be_used", "--exact"])
            .env(FOLDER, folder.path())
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(std::time::Duration::from_millis(after));
        child.kill().unwrap();
        child.wait().unwrap();
        read(folder.path(), after);
    }
    let cache = Cache::open(folder.path()).unwrap();
    cache.clear().unwrap();
    assert_eq!(folder.names(), Vec::<String>::new());
}

/// A limit on files stands for a disk that is full: a block is written in part, and the rest of it is refused.
#[cfg(unix)]
#[test]
fn a_disk_that_takes_half_a_block_leaves_nothing_half_written() {
    if let Some(folder) = std::env::var_os(FOLDER) {
        let bytes = noise(3 << 20, 5);
        let cache = Cache::open(&folder).unwrap();
        let input = Fake::new(bytes.clone(), "a").input().cached(&cache);
        for start in [0, 1 << 20, 100] {
            assert_eq!(input.slice(start..start + 1000).unwrap(), bytes[start as usize..][..1000]);
        }
        assert!(cache.trouble().is_some_and(|trouble| trouble.contains("cannot be written")));
        assert_eq!((cache.stats().written, blocks(folder.as_ref()).len()), (0, 0));
        return;
    }
    let folder = Folder::new();
    let test = "elsewhere::shared::a_disk_that_takes_half_a_block_leaves_nothing_half_written";
    let run = Command::new("sh")
        .args(["-c", "trap '' XFSZ; ulimit -f 512; exec \"$0\" \"$@\""])
        .arg(std::env::current_exe().unwrap())
        .args([test, "--exact", "--nocapture"])
        .env(FOLDER, folder.path())
        .status();
    assert!(run.unwrap().success());
    let mut folders = vec![folder.path().to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            assert!(!entry.file_name().to_string_lossy().ends_with(".part"), "{entry:?}");
            folders.extend(entry.path().is_dir().then(|| entry.path()));
        }
    }
}
