//! Signals, one by one: what ends the command takes half-written outputs along.

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use crate::{
    common::{FOREBAY, Folder},
    faults::stock::{WRITING, archive, command, outputs, run, run_after, said, stocked},
};

/// The signals that end a process, and their numbers.
pub const ENDING: [(&str, i32); 5] = [("HUP", 1), ("INT", 2), ("QUIT", 3), ("TERM", 15), ("XCPU", 24)];

/// Fails if this run was itself started with the signal ignored, as `&` in a script does: no shell can undo that for the
/// command, which would wait for ever.
fn is_heard(name: &str, number: i32) {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let bits = ignored.and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok()).unwrap_or(0);
    assert!(
        bits >> (number - 1) & 1 == 0,
        "these tests were started with {name} ignored; start them in the foreground"
    );
}

/// Sends a signal.
pub fn send(child: &Child, name: &str) {
    let done = Command::new("sh").args(["-c", &format!("kill -{name} {}", child.id())]).status().unwrap();
    assert!(done.success(), "{name}");
}

/// A conversion into o.tbl that has begun to write and waits for the second half of its input, begun by a shell that
/// ignores some signals; and that half.
pub fn half_done(folder: &Folder, ignored: &str, more: &str) -> (Child, ChildStdin, Vec<u8>) {
    let mut file = archive(3000, 0);
    let begin = if ignored.is_empty() { String::new() } else { format!("trap '' {ignored}; ") };
    let mut child = Command::new("sh")
        .args(["-c", &format!("{begin}exec \"$0\" convert - o.tbl --quiet {more}"), FOREBAY])
        .current_dir(folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let rest = file.split_off(file.len() / 2);
    stdin.write_all(&file).unwrap();
    let begun = Instant::now();
    let parts = || folder.names().into_iter().filter(|name| name.ends_with(".part"));
    while !parts().filter_map(|name| fs::metadata(folder.at(&name)).ok()).any(|meta| meta.len() > 50_000) {
        assert!(begun.elapsed() < Duration::from_secs(120), "nothing was written: {:?}", folder.names());
        thread::sleep(Duration::from_millis(5));
    }
    (child, stdin, rest)
}

#[test]
fn each_signal_cleans_up_and_is_the_exit_code_also_where_another_is_ignored() {
    for (name, number) in ENDING {
        is_heard(name, number);
        for ignored in ["", "INT", "HUP", "INT QUIT", "HUP TERM PIPE", "XFSZ"] {
            if ignored.split(' ').any(|i| i == name) {
                continue;
            }
            let folder = Folder::new();
            fs::write(folder.at("o.tbl"), "the old one").unwrap();
            let (child, _stdin, _) = half_done(&folder, ignored, "--force");
            send(&child, name);
            let done = child.wait_with_output().unwrap();
            assert_eq!(done.status.code(), Some(128 + number), "{name}, ignored: {ignored:?}: {done:?}");
            assert_eq!(folder.names(), ["o.tbl"], "{name}, ignored: {ignored:?}");
            assert_eq!(fs::read(folder.at("o.tbl")).unwrap(), b"the old one");
        }
    }
}

#[test]
fn what_is_ignored_at_the_start_stays_ignored() {
    let folder = Folder::new();
    let (child, mut stdin, rest) = half_done(&folder, "INT HUP QUIT", "");
    for name in ["INT", "HUP", "QUIT", "PIPE"] {
        send(&child, name);
    }
    thread::sleep(Duration::from_millis(50));
    stdin.write_all(&rest).unwrap();
    drop(stdin);
    let done = child.wait_with_output().unwrap();
    assert!(done.status.success(), "{done:?}");
    assert_eq!(folder.names(), ["o.tbl"]);
}

/// A file over the limit of the process is an error of the write, whether or not the caller ignores its signal.
#[test]
fn a_file_that_may_not_grow_is_an_error_and_leaves_nothing() {
    for args in WRITING {
        let usual = stocked();
        assert!(run(&usual, args).status.success(), "{args}");
        for before in ["ulimit -f 4", "trap '' XFSZ; ulimit -f 4", "ulimit -f 0"] {
            let folder = stocked();
            let done = run_after(&folder, before, args);
            let text = said(&done);
            if done.status.success() {
                assert_eq!(outputs(&folder), outputs(&usual), "{args}, {before}: small enough");
                continue;
            }
            assert_eq!(done.status.code(), Some(2), "{args}, {before}: {text}");
            assert!(text.contains("write") || text.contains("spool"), "{args}: {text}");
            assert!(!text.contains(".part"), "{args}: {text}");
            let usual = outputs(&usual);
            for (name, bytes) in outputs(&folder) {
                // Of several files those before are there, each whole.
                assert_eq!(Some(&bytes), usual.get(&name), "{args}, {before}: {name}");
            }
        }
    }
}

#[test]
fn serving_ends_at_the_first_signal_with_0() {
    for (name, number) in ENDING {
        is_heard(name, number);
        let folder = stocked();
        let mut serving = command(&folder, "serve a.tbl --port 0 --json");
        let mut child = serving.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        if line.contains("serve.no_viewer") {
            child.wait().unwrap();
            return eprintln!("skipped: this build has no viewer to serve");
        }
        assert!(line.contains("\"url\""), "{line}");
        send(&child, name);
        let done = child.wait_with_output().unwrap();
        assert_eq!(done.status.code(), Some(0), "{name}: {done:?}");
    }
}
