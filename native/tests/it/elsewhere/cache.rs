//! What is read through a cache is what the source has, whatever happens to the files.

use std::{
    fs,
    io::{Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    sync::atomic::Ordering,
    time::Duration,
};

use forebay_native::cache::{BLOCK, Cache};
use proptest::{prelude::*, test_runner::Config};

use crate::{
    common::Folder,
    elsewhere::fake::{Fake, noise},
};

const MIB: usize = 1 << 20;

/// Every file of the cache that holds bytes.
pub fn blocks(folder: &Path) -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => folders.push(path),
                false if path.extension().is_some_and(|e| e == "block") => all.push(path),
                false => {}
            }
        }
    }
    all.sort();
    all
}

#[derive(Clone, Debug)]
enum Deed {
    Read(usize, usize),
    Flip(usize, usize),
    Cut(usize, usize),
    Remove(usize),
    Swap(usize, usize),
    Clear,
}

fn deed() -> impl Strategy<Value = Deed> {
    prop_oneof![
        8 => (any::<usize>(), 0..3 * MIB).prop_map(|(at, len)| Deed::Read(at, len)),
        2 => (any::<usize>(), any::<usize>()).prop_map(|(i, at)| Deed::Flip(i, at)),
        1 => (any::<usize>(), any::<usize>()).prop_map(|(i, len)| Deed::Cut(i, len)),
        1 => any::<usize>().prop_map(Deed::Remove),
        1 => (any::<usize>(), any::<usize>()).prop_map(|(a, b)| Deed::Swap(a, b)),
        1 => Just(Deed::Clear),
    ]
}

proptest! {
    #![proptest_config(Config { cases: 32, failure_persistence: None, ..Config::default() })]

    #[test]
    fn damaged_cut_removed_and_exchanged_blocks_are_fetched_anew(
        deeds in prop::collection::vec(deed(), 1..24),
        len in 1..5 * MIB,
        most in prop_oneof![Just(0u64), Just(3 << 20), Just(64 << 20)],
    ) {
        let folder = Folder::new();
        let bytes = noise(len, 7);
        let cache = Cache::open(folder.path()).unwrap().bytes(most);
        let input = Fake::new(bytes.clone(), "s3://b/a v1").input().cached(&cache);
        for deed in deeds {
            let all = blocks(folder.path());
            let pick = |i: usize| all.get(i % all.len().max(1));
            match deed {
                Deed::Read(at, n) => {
                    let at = at % len;
                    let end = len.min(at + n);
                    prop_assert!(input.slice(at as u64..end as u64).unwrap() == bytes[at..end]);
                }
                Deed::Flip(i, at) => if let Some(path) = pick(i) {
                    let mut content = fs::read(path).unwrap();
                    let at = at % content.len().max(1);
                    content.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= 0x20);
                    fs::write(path, content).unwrap();
                },
                Deed::Cut(i, n) => if let Some(path) = pick(i) {
                    let file = fs::File::options().write(true).open(path).unwrap();
                    file.set_len(n as u64 % file.metadata().unwrap().len().max(1)).unwrap();
                },
                Deed::Remove(i) => if let Some(path) = pick(i) {
                    fs::remove_file(path).unwrap();
                },
                // Over one of the same length, since the cache cannot know of more.
                Deed::Swap(a, b) => if let (Some(a), Some(b)) = (pick(a), pick(b)) {
                    let content = fs::read(a).unwrap();
                    if content.len() as u64 == fs::metadata(b).unwrap().len() {
                        fs::write(b, content).unwrap();
                    }
                },
                Deed::Clear => {
                    cache.clear().unwrap();
                }
            }
            let held: u64 = blocks(folder.path()).iter().map(|path| fs::metadata(path).unwrap().len()).sum();
            prop_assert!(held <= most, "{held} of {most}");
        }
    }
}

#[test]
fn what_was_read_once_is_not_asked_for_again_by_anybody() {
    let folder = Folder::new();
    let bytes = noise(5 * MIB + 1234, 3);
    let first = Fake::new(bytes.clone(), "s3://b/a v1");
    let cache = Cache::open(folder.path()).unwrap();
    let input = first.input().cached(&cache);
    assert_eq!(input.slice(0..input.len()).unwrap(), bytes);
    // Six blocks that follow each other are one request.
    assert_eq!(first.asked(), [0..bytes.len() as u64]);
    assert_eq!(input.slice(100..4 << 20).unwrap(), bytes[100..4 * MIB]);
    assert_eq!(first.asked(), []);
    // Another run, whose store does not answer.
    let later = Fake::new(bytes.clone(), "s3://b/a v1");
    later.down.store(true, Ordering::SeqCst);
    let input = later.input().cached(&Cache::open(folder.path()).unwrap());
    assert_eq!(input.slice(0..input.len()).unwrap(), bytes);
    assert_eq!(later.asked(), []);
    // Another version, and another length, are other things.
    let other = noise(5 * MIB + 1234, 4);
    for (bytes, identity) in [(&other, "s3://b/a v2"), (&other[..MIB].to_vec(), "s3://b/a v1")] {
        let input = Fake::new(bytes.clone(), identity).input().cached(&cache);
        assert_eq!(&input.slice(0..input.len()).unwrap(), bytes);
    }
    let entries = cache.list().unwrap();
    let mut identities: Vec<_> =
        entries.iter().map(|entry| (entry.identity.as_str(), entry.source_bytes, entry.blocks)).collect();
    identities.sort_unstable();
    let len = bytes.len() as u64;
    assert_eq!(identities, [("s3://b/a v1", 1 << 20, 1), ("s3://b/a v1", len, 6), ("s3://b/a v2", len, 6)]);
    assert_eq!(cache.clear().unwrap().0, 13);
    assert_eq!((cache.list().unwrap().len(), folder.names()), (0, Vec::<String>::new()));
}

#[test]
fn a_source_without_an_identity_or_of_this_machine_is_read_as_it_is() {
    let folder = Folder::new();
    let cache = Cache::open(folder.path()).unwrap();
    let nameless = std::sync::Arc::new(Fake { bytes: noise(1000, 1).into(), ..Fake::default() });
    let path = folder.at("file");
    fs::write(&path, noise(1000, 1)).unwrap();
    for input in [nameless.input(), forebay_native::Input::pieces(&path).unwrap()] {
        let input = input.cached(&cache);
        assert_eq!(input.slice(0..1000).unwrap(), noise(1000, 1));
    }
    assert_eq!((nameless.asked().len(), blocks(folder.path()).len()), (1, 0));
}

#[test]
fn a_damaged_block_is_counted_and_replaced() {
    let folder = Folder::new();
    let bytes = noise(2 * MIB, 3);
    let fake = Fake::new(bytes.clone(), "a");
    let cache = Cache::open(folder.path()).unwrap();
    let input = fake.input().cached(&cache);
    let all = 0..bytes.len() as u64;
    input.slice(all.clone()).unwrap();
    let path = blocks(folder.path()).remove(1);
    let mut file = fs::File::options().write(true).open(path).unwrap();
    file.seek(SeekFrom::End(-1)).unwrap();
    file.write_all(&[!bytes[2 * MIB - 1]]).unwrap();
    fake.asked();
    for asked in [vec![1 << 20..2 << 20], vec![]] {
        assert_eq!(input.slice(all.clone()).unwrap(), bytes);
        assert_eq!(fake.asked(), asked);
    }
    let stats = cache.stats();
    assert_eq!((stats.damaged, stats.written, stats.requests), (1, 3, 2));
}

#[test]
fn a_cache_that_takes_nothing_is_passed_by_and_says_so_once() {
    let folder = Folder::new();
    let bytes = noise(3 * MIB, 3);
    let fake = Fake::new(bytes.clone(), "a");
    let cache = Cache::open(folder.path()).unwrap();
    // A file stands where its folder was.
    fs::remove_dir_all(folder.at("forebay-cache-1")).unwrap();
    fs::write(folder.at("forebay-cache-1"), "").unwrap();
    let input = fake.input().cached(&cache);
    assert_eq!(cache.trouble(), None);
    for start in [0, 100_000, 2 << 20] {
        assert_eq!(input.slice(start..start + 100_000).unwrap(), bytes[start as usize..][..100_000]);
    }
    // Only the first was fetched as a block.
    assert_eq!(fake.asked(), [0..1 << 20, 100_000..200_000, 2 << 20..(2 << 20) + 100_000]);
    let trouble = cache.trouble().unwrap();
    assert!(trouble.contains("cannot be written"), "{trouble}");
    assert_eq!(cache.stats().written, 0);
}

#[test]
fn what_does_not_fit_is_not_fetched_in_blocks() {
    let folder = Folder::new();
    let bytes = noise(8 * MIB, 3);
    let fake = Fake::new(bytes.clone(), "a");
    let cache = Cache::open(folder.path()).unwrap().bytes(4 << 20);
    let input = fake.input().cached(&cache);
    input.slice(100_000..200_000).unwrap();
    assert_eq!(fake.asked(), [100_000..200_000]);
    // Blocks that are asked for as a whole are kept as long as there is room.
    input.slice(3 << 20..5 << 20).unwrap();
    input.slice(3 << 20..5 << 20).unwrap();
    assert_eq!(fake.asked(), [3 << 20..5 << 20]);
}

#[test]
fn a_source_that_fails_or_is_another_one_now_leaves_nothing() {
    let folder = Folder::new();
    let bytes = noise(2 * MIB, 3);
    let fake = Fake::new(bytes.clone(), "a");
    let cache = Cache::open(folder.path()).unwrap();
    let input = fake.input().cached(&cache);
    fake.down.store(true, Ordering::SeqCst);
    assert_eq!(input.slice(0..1000).unwrap_err().message(), "the store does not answer");
    fake.down.store(false, Ordering::SeqCst);
    fake.replaced.store(true, Ordering::SeqCst);
    assert_eq!(input.slice(0..1000).unwrap_err().message(), "another version is there now");
    assert_eq!(blocks(folder.path()).len(), 0);
    fake.replaced.store(false, Ordering::SeqCst);
    assert_eq!(input.slice(0..1000).unwrap(), bytes[..1000]);
    assert!(input.slice(0..input.len() + 1).is_err());
}

#[test]
fn threads_that_want_the_same_block_fetch_it_once() {
    let folder = Folder::new();
    let bytes = noise(4 * MIB, 3);
    let fake = std::sync::Arc::new(Fake {
        bytes: bytes.clone().into(),
        identity: Some("a".into()),
        delay: Duration::from_millis(30),
        ..Fake::default()
    });
    let cache = Cache::open(folder.path()).unwrap();
    let input = fake.input().cached(&cache);
    std::thread::scope(|scope| {
        for thread in 0..8_u64 {
            let (input, bytes) = (&input, &bytes);
            scope.spawn(move || {
                for k in 0..16 {
                    let at = ((k * 5 + thread) % 16) * 260_000;
                    assert_eq!(input.slice(at..at + 3000).unwrap(), bytes[at as usize..][..3000]);
                }
            });
        }
    });
    let mut asked = fake.asked();
    asked.sort_by_key(|range| range.start);
    assert_eq!(asked, [0, 1, 2, 3].map(|block| block << 20..(block + 1) << 20));
}

#[test]
fn two_readers_of_one_process_fetch_a_block_once() {
    let folder = Folder::new();
    let bytes = noise(8 * MIB, 4);
    let fake = std::sync::Arc::new(Fake {
        bytes: bytes.clone().into(),
        identity: Some("a".into()),
        delay: Duration::from_millis(10),
        ..Fake::default()
    });
    // As two loaders that were given the same folder: each opens it, and the object, for itself.
    let read = |from: u64| {
        let input = fake.input().cached(&Cache::open(folder.path()).unwrap());
        for k in 0..24 {
            let at = ((k * 7 + from) % 24) * 340_000;
            assert_eq!(input.slice(at..at + 200_000).unwrap(), bytes[at as usize..][..200_000]);
        }
    };
    std::thread::scope(|scope| {
        for from in 0..4 {
            let read = &read;
            scope.spawn(move || read(from));
        }
    });
    let mut asked: Vec<u64> =
        fake.asked().iter().flat_map(|range| range.start / BLOCK..range.end.div_ceil(BLOCK)).collect();
    asked.sort_unstable();
    assert_eq!(asked, (0..8).collect::<Vec<_>>());
}
