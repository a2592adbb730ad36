//! A system that gives no threads: the work is done by those that there are.

use crate::faults::{
    shim,
    stock::{READING, WRITING, command, outputs, run, said, stocked},
};

/// Runs a command where only this many threads can be made.
fn with_threads(args: &str, most: u64) -> Option<(std::process::Output, crate::common::Folder)> {
    let folder = stocked();
    let mut command = command(&folder, args);
    let there = shim::before(&mut command, &[("SHIM_THREADS", most.to_string())]);
    there.then(|| (command.output().unwrap(), folder))
}

#[test]
fn every_command_does_its_work_with_the_threads_that_there_are() {
    for args in READING.iter().chain(WRITING) {
        let usual = stocked();
        let done = run(&usual, args);
        // The loader measures or feeds as many workers as were asked for, or none.
        let loader = args.starts_with("bench");
        for most in 0..4 {
            let Some((fewer, folder)) = with_threads(args, most) else { return };
            let text = said(&fewer);
            if loader && fewer.status.code() == Some(2) {
                assert!(text.contains("thread") && text.ends_with("[io]\n"), "{text}");
                continue;
            }
            assert_eq!(fewer.status.code(), done.status.code(), "{args:?} with {most} threads: {text}");
            assert_eq!(outputs(&folder), outputs(&usual), "{args:?} with {most} threads");
        }
    }
}

#[test]
fn the_loader_says_that_it_has_no_threads() {
    let Some((done, _)) = with_threads("bench a.tbl --batch 16 --image 8 --workers 2 --json", 1) else { return };
    let text = String::from_utf8(done.stdout.clone()).unwrap();
    assert_eq!(done.status.code(), Some(2), "{text}");
    assert!(text.contains(r#""code":"io""#) && text.contains("thread"), "{text}");
}

/// Threads with stacks that no machine has: an error that says what to do, and no panic.
#[cfg(target_os = "linux")]
#[test]
fn threads_that_cannot_be_made_are_an_error_that_says_what_to_do() {
    let folder = stocked();
    let mut command = command(&folder, "bench a.tbl --workers 4 --decode-alone 0 --json");
    let output = command.env("RUST_MIN_STACK", (1_u64 << 46).to_string()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(2), "{said} {}", String::from_utf8_lossy(&output.stderr));
    assert!(said.contains("of 4") && said.contains("fewer workers"), "{said}");
}
