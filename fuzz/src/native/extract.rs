//! Lines as the names of samples' files: each gets a path beneath the folder that no other has, also where the file
//! system takes names for the same that differ in case; what is written there is there, and nothing is anywhere else.

use std::{
    collections::HashMap,
    fs,
    path::{Component, Path, PathBuf},
};

use forebay_native::output::{Beneath, Names, Written};

pub(crate) fn body(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let (mut names, mut given) = (Names::default(), HashMap::new());
    for (i, name) in text.split('\n').enumerate().take(64) {
        let free = |path: &Path| Ok(!given.contains_key(&path.to_string_lossy().to_lowercase()));
        let Ok(path) = names.give(name, i as u64 % 3, free) else { continue };
        assert!(path.components().all(|part| matches!(part, Component::Normal(_))), "{name:?} goes to {path:?}");
        assert!(path.components().count() > 0);
        let other = given.insert(path.to_string_lossy().to_lowercase(), name);
        assert_eq!(other, None, "{name:?} goes to {path:?} too");
    }
    // Real files take a hundred times as long.
    if data.iter().fold(0u8, |sum, byte| sum.wrapping_add(*byte)) % 64 == 0 {
        real(text);
    }
}

fn real(text: &str) {
    let outer = tempfile::tempdir().expect("a folder");
    let folder = outer.path().join("in").join("to");
    let (mut names, mut written) = (Names::default(), HashMap::new());
    let mut beneath = Beneath::open(&folder).expect("a folder");
    for (i, name) in text.split('\n').enumerate().take(16) {
        let content = i.to_string();
        let write = |path: &Path| Ok(beneath.write(path, content.as_bytes(), false)? == Written::Whole);
        // A file stands where a folder is needed, or a name is too long.
        if let Ok(path) = names.give(name, i as u64 % 3, write) {
            written.insert(path, content);
        }
    }
    let mut found = HashMap::new();
    files(outer.path(), &mut found);
    let expected = written.into_iter().map(|(path, content)| (folder.join(path), content)).collect();
    assert_eq!(found, expected);
}

fn files(folder: &Path, found: &mut HashMap<PathBuf, String>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files(&path, found);
        } else {
            let content = fs::read_to_string(&path).expect("a file");
            found.insert(path, content);
        }
    }
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    [
        "a/b.jpg\na/b.cls\nA/B.jpg\na//b.jpg\n./a/b.jpg\na/b~1.jpg",
        "../x\n/etc/passwd\na/../b\n..\n.\n\na/.\nb\nb/c",
        ".hidden\né.seg.png\nE\u{301}.png\n~\nc:x\\..\\y",
    ]
    .map(|text| text.as_bytes().to_vec())
    .to_vec()
}
