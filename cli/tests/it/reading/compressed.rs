//! Compressed archives and texts that are cut or damaged are damaged files, and no failures of the system.

use std::{fs, io::Write, process::Command};

use crate::{
    common::{FOREBAY, Folder, error_of},
    reading::place::{Files, run},
};

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    let mut packer = zstd::stream::write::Encoder::new(Vec::new(), 1).unwrap();
    packer.include_checksum(true).unwrap();
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

/// Each kind of compressed file: its name, its bytes, what it is converted to.
fn packed() -> Vec<(&'static str, Vec<u8>, &'static str)> {
    let read = |name: &str| fs::read(Files::get().at(name)).unwrap();
    vec![
        ("a.tar.gz", gzip(&read("a.tar")), "out.tbl"),
        ("a.tar.zst", zstd(&read("a.tar")), "out.tbl"),
        ("t.csv.gz", gzip(&read("t.csv")), "out.tbf"),
        ("t.csv.zst", zstd(&read("t.csv")), "out.tbf"),
    ]
}

/// What converting such a file gives: exit code, code of the error, and how many were written.
fn convert(name: &str, bytes: &[u8], to: &str) -> (Option<i32>, Option<String>, Option<u64>) {
    let folder = Folder::new();
    fs::write(folder.at(name), bytes).unwrap();
    let output = run(Command::new(FOREBAY).args(["convert", name, to, "--json"]).current_dir(folder.path()), None);
    if output.status.success() {
        let said: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        return (Some(0), None, said["samples"].as_u64().or(said["rows"].as_u64()));
    }
    assert_eq!(folder.names(), [name], "{output:?}");
    let error = error_of(&output);
    assert!(error["file"].as_str().is_some_and(|file| file.ends_with(name)), "{output:?}");
    (output.status.code(), error["code"].as_str().map(str::to_owned), None)
}

#[test]
fn every_cut_is_damage() {
    for (name, bytes, to) in packed() {
        let whole = convert(name, &bytes, to);
        assert_eq!(whole.0, Some(0), "{name}");
        for cut in [4, 20, bytes.len() / 3, bytes.len() / 2, bytes.len() - 9, bytes.len() - 4, bytes.len() - 1] {
            let (exit, code, _) = convert(name, &bytes[..cut], to);
            assert_eq!((exit, code.as_deref()), (Some(1), Some("codec.corrupt")), "{name} cut to {cut}");
        }
    }
}

#[test]
fn wrong_bytes_and_bytes_behind_are_damage() {
    for (name, bytes, to) in packed() {
        // The checksum at the end, a byte in the middle, the end of what is packed.
        for at in [bytes.len() - 2, bytes.len() / 2] {
            let mut wrong = bytes.clone();
            wrong[at] ^= 0x55;
            let (exit, code, _) = convert(name, &wrong, to);
            assert_eq!(exit, Some(1), "{name} byte {at}: {code:?}");
        }
        let behind = [&bytes[..], b"garbage behind the end"].concat();
        let (exit, code, _) = convert(name, &behind, to);
        assert_eq!((exit, code.as_deref()), (Some(1), Some("codec.corrupt")), "{name}");
    }
}

#[test]
fn several_packed_parts_are_one_file() {
    let text = fs::read(Files::get().at("t.csv")).unwrap();
    let (a, b) = text.split_at(text.len() / 2);
    for (name, bytes) in [("t.csv.gz", [gzip(a), gzip(b)].concat()), ("t.csv.zst", [zstd(a), zstd(b)].concat())] {
        assert_eq!(convert(name, &bytes, "out.tbf"), (Some(0), None, Some(12_000)), "{name}");
    }
}
