//! What Forebay writes as TAR, GNU tar and Python's `tarfile` read; what they write, Forebay reads.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "a test of files and other programs")]

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use forebay::{
    Limits,
    tar::{END, header_for, padding, scan},
};

use crate::core_common::conformance;

/// A folder of this test's own, gone when it ends.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("forebay-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Runs a program; one that is not here fails the test.
fn run(program: &str, arguments: &[&str], folder: &Path) -> Output {
    let output = Command::new(program).args(arguments).current_dir(folder).env("LC_ALL", "C.UTF-8").output();
    output.unwrap_or_else(|e| panic!("{program}: {e}"))
}

fn succeeds(output: &Output) {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "", "no warnings either");
}

/// Names at every border of the format, each with a payload.
fn files() -> Vec<(String, Vec<u8>)> {
    let long = |a: usize, b: usize| format!("{}/{}", "p".repeat(a), "n".repeat(b));
    let names = [
        "a.jpg".into(),
        "./dot.jpg".into(),
        "with blank and = and \\ .txt".into(),
        "two\nlines.txt".into(),
        "ünïcödé/日本.jpg".into(),
        "n".repeat(100),
        long(155, 100),
        long(100, 99),
        format!("{}/{}", "d/".repeat(60), "e".repeat(90)),
        format!("{}/{}", "g".repeat(150), "h".repeat(150)),
        format!("{}.jpg", "q".repeat(200)),
        format!("{}.jpg", "é".repeat(80)),
    ];
    let payload = |i: usize| vec![b'a' + i as u8; [0, 1, 511, 512, 513, 2000][i % 6]];
    names.into_iter().enumerate().map(|(i, name): (usize, String)| (name, payload(i))).collect()
}

fn archive(files: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut out = Vec::new();
    for (name, payload) in files {
        out.extend(header_for(name, payload.len() as u64).unwrap());
        out.extend_from_slice(payload);
        out.resize(out.len() + padding(payload.len() as u64), 0);
    }
    out.extend_from_slice(&END);
    out
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "GNU tar, and Python as python3")]
fn gnu_tar_extracts_what_is_written() {
    let folder = Folder::new("gnu-reads");
    let files = files();
    fs::write(folder.0.join("f.tar"), archive(&files)).unwrap();
    let output = run("tar", &["-xf", "f.tar"], &folder.0);
    succeeds(&output);
    for (name, payload) in &files {
        assert_eq!(&fs::read(folder.0.join(name)).unwrap(), payload, "{name}");
    }
    let count = run("tar", &["-tf", "f.tar"], &folder.0).stdout.iter().filter(|&&b| b == b'\n').count();
    assert_eq!(count, files.len());
    conformance::read_back("tar", "GNU tar", "names and lengths");
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "GNU tar, and Python as python3")]
fn python_reads_what_is_written() {
    let folder = Folder::new("python-reads");
    let files = files();
    fs::write(folder.0.join("f.tar"), archive(&files)).unwrap();
    let script = "import tarfile\nt = tarfile.open('f.tar')\n\
        for m in t: print(ascii(m.name), m.size, t.extractfile(m).read().hex(), m.mode, m.mtime, m.uid)";
    let output = run("python3", &["-c", script], &folder.0);
    succeeds(&output);
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(said.lines().count(), files.len());
    for (line, (name, payload)) in said.lines().zip(&files) {
        let hex: String = payload.iter().map(|b| format!("{b:02x}")).collect();
        assert!(line.ends_with(&format!(" {} {hex} 420 0 0", payload.len())), "{line}");
        if name.is_ascii() && !name.contains(['\\', '\n']) {
            assert!(line.starts_with(&format!("'{name}'")), "{line}");
        }
    }
    conformance::read_back("tar", "tarfile", "names and lengths");
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "GNU tar, and Python as python3")]
fn a_size_over_eight_gib_is_read_by_others() {
    let folder = Folder::new("huge");
    let size = (8 << 30) + 5;
    let path = folder.0.join("huge.tar");
    let mut file = fs::File::create(&path).unwrap();
    file.write_all(&header_for("huge.bin", size).unwrap()).unwrap();
    // The payload is a hole.
    let behind = fs::metadata(&path).unwrap().len() + size + padding(size) as u64;
    file.set_len(behind).unwrap();
    let mut file = fs::OpenOptions::new().append(true).open(&path).unwrap();
    file.write_all(&header_for("after.txt", 0).unwrap()).unwrap();
    file.write_all(&END).unwrap();
    let script = "import tarfile\nfor m in tarfile.open('huge.tar'): print(m.name, m.size)";
    let python = run("python3", &["-c", script], &folder.0);
    let gnu = run("tar", &["-tf", "huge.tar", "--to-command=true"], &folder.0);
    for (program, output) in [("tarfile", python), ("GNU tar", gnu)] {
        succeeds(&output);
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(said.contains("huge.bin") && said.contains("after.txt"), "{said}");
        assert_eq!(said.contains(' '), said.contains(&format!("huge.bin {size}\n")), "{said}");
        conformance::read_back("tar", program, "over 8 GiB");
    }
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "GNU tar, and Python as python3")]
fn every_format_that_gnu_tar_and_python_write_is_read() {
    let folder = Folder::new("peers-write");
    // Names that a file system takes and every format can hold, as long as each format allows.
    let names = ["a.jpg".to_owned(), format!("{}/b.json", "d".repeat(60)), "c.cls".into()];
    let long = [format!("{}.jpg", "L".repeat(150)), format!("{0}/{0}/{0}/e.jpg", "m".repeat(90)), "é.jpg".into()];
    for name in names.iter().chain(&long) {
        let path = folder.0.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, name.repeat(7)).unwrap();
    }
    for (format, with_long) in [("v7", false), ("ustar", false), ("gnu", true), ("oldgnu", true), ("pax", true)] {
        let all: Vec<&str> = names.iter().chain(if with_long { &long[..] } else { &[] }).map(String::as_str).collect();
        let option = format!("--format={format}");
        let output = run("tar", &[&["-cf", "f.tar", &option][..], &all].concat(), &folder.0);
        succeeds(&output);
        holds(&folder.0, &all, format);
    }
    for format in ["USTAR_FORMAT", "GNU_FORMAT", "PAX_FORMAT"] {
        let with_long = format != "USTAR_FORMAT";
        let all: Vec<&str> = names.iter().chain(if with_long { &long[..] } else { &[] }).map(String::as_str).collect();
        let script = format!(
            "import sys, tarfile\nt = tarfile.open('f.tar', 'w', format=tarfile.{format})\n\
             for n in sys.argv[1:]: t.add(n)\nt.close()"
        );
        let output = run("python3", &[&["-c", &script][..], &all].concat(), &folder.0);
        succeeds(&output);
        holds(&folder.0, &all, format);
    }
}

fn holds(folder: &Path, names: &[&str], format: &str) {
    let bytes = bytes::Bytes::from(fs::read(folder.join("f.tar")).unwrap());
    let archive = scan(&bytes, &Limits::host()).unwrap_or_else(|e| panic!("{format}: {e}"));
    assert!(archive.members.names().eq(names.iter().copied()), "{format}: {:?}", archive.members);
    for m in archive.members.iter() {
        assert_eq!(&bytes[m.range().start as usize..m.range().end as usize], m.name.repeat(7).as_bytes(), "{format}");
    }
}
