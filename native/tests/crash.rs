//! Whatever stops a conversion, the output is the old one or none, and one error says why.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "a test of files and processes")]
#![cfg(unix)]

mod common;

use std::{
    fs,
    io::Write,
    process::{Child, ChildStdin, Command, Output, Stdio},
    thread,
    time::{Duration, Instant},
};

use common::{FOREBAY, Folder, bmp, error_of, forebay, tar};

fn archive(samples: u32) -> Vec<u8> {
    tar(&(0..samples).map(|i| (format!("{i:05}.bmp"), bmp(400, i))).collect::<Vec<_>>())
}

/// A conversion that has begun to write and waits for the second half of its input.
fn half_done(folder: &Folder, more: &[&str]) -> (Child, ChildStdin) {
    let file = archive(2000);
    let mut child = Command::new(FOREBAY)
        .args(["convert", "-", "out.tbl", "--quiet"])
        .args(more)
        .current_dir(folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(&file[..file.len() / 2]).unwrap();
    let begun = Instant::now();
    let written = || {
        let parts = folder.names().into_iter().filter(|name| name.ends_with(".part"));
        parts.filter_map(|name| fs::metadata(folder.at(&name)).ok()).any(|meta| meta.len() > 100_000)
    };
    while !written() {
        assert!(begun.elapsed() < Duration::from_secs(60), "nothing was written: {:?}", folder.names());
        thread::sleep(Duration::from_millis(5));
    }
    (child, stdin)
}

fn signal(child: &Child, name: &str) {
    let done = Command::new("sh").arg("-c").arg(format!("kill -{name} {}", child.id())).status().unwrap();
    assert!(done.success());
}

#[test]
fn killed_in_the_middle_it_leaves_no_output() {
    let folder = Folder::new();
    let (mut child, _stdin) = half_done(&folder, &[]);
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!folder.at("out.tbl").exists(), "{:?}", folder.names());
}

#[test]
fn killed_in_the_middle_it_leaves_the_old_output() {
    let folder = Folder::new();
    fs::write(folder.at("out.tbl"), "the old one").unwrap();
    let (mut child, _stdin) = half_done(&folder, &["--force"]);
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(fs::read(folder.at("out.tbl")).unwrap(), b"the old one");
}

#[test]
fn interrupted_in_the_middle_it_cleans_up() {
    for (name, code) in [("INT", 130), ("TERM", 143)] {
        let folder = Folder::new();
        fs::write(folder.at("out.tbl"), "the old one").unwrap();
        let (mut child, _stdin) = half_done(&folder, &["--force"]);
        signal(&child, name);
        let status = child.wait().unwrap();
        assert_eq!(status.code(), Some(code), "{name}");
        assert_eq!(folder.names(), ["out.tbl"], "{name}");
        assert_eq!(fs::read(folder.at("out.tbl")).unwrap(), b"the old one");
    }
}

#[test]
fn an_input_that_ends_in_the_middle_leaves_nothing() {
    let folder = Folder::new();
    let (child, stdin) = half_done(&folder, &["--json"]);
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(error_of(&output)["code"], "tar.truncated");
    assert_eq!(folder.names(), [] as [&str; 0]);
}

#[test]
fn a_conversion_that_may_finish_replaces_the_old_output() {
    let folder = Folder::new();
    fs::write(folder.at("out.tbl"), "the old one").unwrap();
    let (child, mut stdin) = half_done(&folder, &["--force"]);
    let file = archive(2000);
    stdin.write_all(&file[file.len() / 2..]).unwrap();
    drop(stdin);
    assert!(child.wait_with_output().unwrap().status.success());
    assert_eq!(folder.names(), ["out.tbl"]);
    assert_eq!(forebay_native::Dataset::open(folder.at("out.tbl")).unwrap().len(), 2000);
}

/// The one error of a command that failed for a reason outside the files, and the folder as it was.
#[track_caller]
fn refused(folder: &Folder, output: &Output, code: &str, left: &[&str]) -> String {
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let error = error_of(output);
    assert_eq!(error["code"], code, "{error}");
    assert_eq!(folder.names(), left);
    error["message"].as_str().unwrap().to_owned()
}

fn convert(folder: &Folder, more: &[&str]) -> Output {
    Command::new(FOREBAY).args(["convert", "--json"]).args(more).current_dir(folder.path()).output().unwrap()
}

#[test]
fn a_full_device_is_one_clear_error() {
    if !std::path::Path::new("/dev/full").exists() {
        return eprintln!("skipped: there is no /dev/full");
    }
    let folder = Folder::new();
    fs::write(folder.at("in.tar"), archive(50)).unwrap();
    for to in ["tbl", "tar"] {
        let output = convert(&folder, &["in.tar", "/dev/full", "--to", to]);
        let message = refused(&folder, &output, "io", &["in.tar"]);
        assert!(message.contains("space"), "{message}");
    }
}

#[test]
fn a_disk_that_fills_up_leaves_nothing() {
    let folder = Folder::new();
    fs::write(folder.at("in.tar"), archive(500)).unwrap();
    // A limit on the size of files stands in for a full disk: it is met in the middle of writing.
    for output in ["out.tbl", "out.tar"] {
        let script = "trap '' XFSZ; ulimit -f 400; exec \"$0\" convert --json in.tar \"$1\"";
        let done =
            Command::new("sh").args(["-c", script, FOREBAY, output]).current_dir(folder.path()).output().unwrap();
        let message = refused(&folder, &done, "io", &["in.tar"]);
        assert!(message.contains("write"), "{message}");
    }
}

#[test]
fn a_missing_input_is_one_clear_error() {
    let folder = Folder::new();
    let message = refused(&folder, &convert(&folder, &["gone.tar", "out.tbl"]), "io", &[]);
    assert!(message.contains("open") || message.contains("No such file"), "{message}");
}

#[test]
fn a_folder_that_is_missing_is_one_clear_error() {
    let folder = Folder::new();
    fs::write(folder.at("in.tar"), archive(5)).unwrap();
    refused(&folder, &convert(&folder, &["in.tar", "nowhere/out.tbl"]), "io", &["in.tar"]);
}

#[test]
fn a_file_that_vanishes_from_a_folder_leaves_nothing() {
    let folder = Folder::new();
    fs::create_dir(folder.at("photos")).unwrap();
    for i in 0..20 {
        fs::write(folder.at(&format!("photos/{i:02}.bmp")), bmp(8, i)).unwrap();
    }
    let dataset = forebay_native::Dataset::open(folder.at("photos")).unwrap();
    fs::remove_file(folder.at("photos/15.bmp")).unwrap();
    use forebay_native::convert::{Job, Options, To};
    let e = Job::new(vec![dataset], Options::new(To::Tbl)).run(&folder.at("out.tbl")).unwrap_err();
    assert_eq!(e.code().id(), "io", "{e}");
    assert!(e.to_string().contains("15.bmp"), "{e}");
    assert_eq!(folder.names(), ["photos"]);
}

#[test]
fn an_output_that_exists_is_refused_without_force() {
    let folder = Folder::new();
    fs::write(folder.at("in.tar"), archive(5)).unwrap();
    fs::write(folder.at("out.tbl"), "the old one").unwrap();
    let message = refused(&folder, &convert(&folder, &["in.tar", "out.tbl"]), "usage.argument", &["in.tar", "out.tbl"]);
    assert!(message.contains("--force"), "{message}");
    assert_eq!(fs::read(folder.at("out.tbl")).unwrap(), b"the old one");
    assert!(convert(&folder, &["in.tar", "out.tbl", "--force"]).status.success());
    assert_eq!(forebay_native::Dataset::open(folder.at("out.tbl")).unwrap().len(), 5);
    assert_eq!(folder.names(), ["in.tar", "out.tbl"]);
}

#[test]
fn a_read_only_folder_is_one_clear_error() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    fs::write(folder.at("in.tar"), archive(5)).unwrap();
    fs::create_dir(folder.at("locked")).unwrap();
    fs::set_permissions(folder.at("locked"), fs::Permissions::from_mode(0o555)).unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    // Root may write anywhere, so as root the command runs as nobody, who can reach it only in a common place.
    let is_root = fs::write(folder.at("locked/probe"), "").is_ok();
    let arguments = ["convert", "--json", "in.tar", "locked/out.tbl"];
    let output = if is_root {
        let _ = fs::remove_file(folder.at("locked/probe"));
        fs::copy(FOREBAY, folder.at("command")).unwrap();
        let done = Command::new("setpriv")
            .args(["--reuid=65534", "--regid=65534", "--clear-groups", "./command"])
            .args(arguments)
            .current_dir(folder.path())
            .output();
        let done = match done {
            Ok(done) if String::from_utf8_lossy(&done.stderr).starts_with("setpriv:") => {
                return eprintln!("skipped: setpriv cannot drop root's rights here");
            }
            Ok(done) => done,
            Err(e) => return eprintln!("skipped: running as root, and setpriv: {e}"),
        };
        fs::remove_file(folder.at("command")).unwrap();
        done
    } else {
        Command::new(FOREBAY).args(arguments).current_dir(folder.path()).output().unwrap()
    };
    let message = refused(&folder, &output, "io", &["in.tar", "locked"]);
    assert!(message.contains("locked"), "{message}");
    assert_eq!(fs::read_dir(folder.at("locked")).unwrap().count(), 0);
}

#[test]
fn errors_without_json_go_to_stderr_alone() {
    let output = forebay(["convert", "/nowhere/gone.tar", "/nowhere/out.tbl"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
    assert_eq!(String::from_utf8(output.stderr).unwrap().trim().lines().count(), 1);
}
