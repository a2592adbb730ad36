//! Disks that fail, calls that are interrupted or give little, and files that change while they are read: the right result
//! or an error with its place, and never the end of the process.

use std::{
    fs,
    process::{Command, Output},
};

use serde_json::Value;

use crate::{
    common::{FOREBAY, Folder, error_of},
    reading::{
        commands::{Case, OF_SAMPLES, OF_TABLES},
        place::{Files, SAMPLES, TABLES, run, said},
    },
};

fn cases() -> impl Iterator<Item = (&'static str, &'static Case)> {
    let of = |files: &'static [&'static str], cases: &'static [Case]| {
        files.iter().flat_map(move |file| cases.iter().map(move |case| (*file, case)))
    };
    of(&SAMPLES, OF_SAMPLES).chain(of(&TABLES, OF_TABLES))
}

/// What a run printed, and the names and lengths of what it wrote.
type Result = (Vec<Value>, Vec<(String, u64)>);

fn result(output: &Output, folder: &Folder, file: &str) -> Result {
    let mut written = Vec::new();
    let mut look = vec![folder.path().to_owned()];
    while let Some(path) = look.pop() {
        for entry in fs::read_dir(path).unwrap().map(|entry| entry.unwrap()) {
            let name = entry.path().strip_prefix(folder.path()).unwrap().to_string_lossy().into_owned();
            match entry.metadata().unwrap() {
                found if found.is_dir() => look.push(entry.path()),
                found if name != file && name != "other" => written.push((name, found.len())),
                _ => {}
            }
        }
    }
    written.sort();
    (said(output), written)
}

/// The arguments of a case. Without `--from`, the footer of a Parquet file is read twice: once to tell images from a table.
fn arguments(file: &str, case: &Case) -> Vec<String> {
    let mut arguments = case.arguments(file, "out");
    if file.ends_with(".parquet") {
        arguments.extend(["--from", "parquet"].map(str::to_owned));
    }
    arguments
}

/// Runs a case with a fault. What it gives must be what it gives without, or an error with a place; true for an error.
#[track_caller]
fn outcome(file: &str, case: &Case, fault: &str, right: &Result, codes: &[&str]) -> Option<bool> {
    let files = Files::get();
    let folder = files.copy(file);
    fs::write(folder.at("other"), "another file\n".repeat(40_000)).unwrap();
    let arguments = arguments(file, case);
    let output = run(files.faulty(&folder, file, fault)?.args(&arguments), None);
    let told = format!("{fault}: forebay {}: {output:?}", arguments.join(" "));
    match output.status.code() {
        Some(0) => {
            assert_eq!(&result(&output, &folder, file), right, "{told}");
            Some(false)
        }
        Some(2) => {
            let text = String::from_utf8(output.stdout.clone()).unwrap();
            let last = text.lines().last().unwrap_or_default();
            let error = error_of(&Output { stdout: last.into(), ..output });
            assert!(codes.contains(&error["code"].as_str().unwrap()), "{told}");
            assert!(error["file"].as_str().is_some_and(|name| name.ends_with(file)), "{told}");
            assert!(error["offset"].is_u64() || error["message"].as_str().unwrap().contains("written"), "{told}");
            let left = folder.names();
            assert!(!left.iter().any(|name| name.contains(".part") || name.starts_with("out.")), "{left:?} {told}");
            Some(true)
        }
        other => panic!("{other:?}: {told}"),
    }
}

/// A run without a fault.
fn right(file: &str, case: &Case) -> Result {
    let files = Files::get();
    let folder = files.copy(file);
    let mut command = Command::new(FOREBAY);
    let output = run(command.args(arguments(file, case)).current_dir(folder.path()), None);
    assert!(output.status.success(), "{} {file}: {output:?}", case.arguments);
    result(&output, &folder, file)
}

fn length(file: &str) -> u64 {
    fs::metadata(Files::get().at(file)).unwrap().len()
}

/// Commands that read a whole file cannot but meet what is in its middle. An archive's payloads have nothing that tells.
fn must_fail(file: &str, case: &Case) -> bool {
    case.whole || (case.arguments.starts_with("check") && file == "a.tbl")
}

#[test]
fn bytes_that_cannot_be_read_are_an_error_with_their_place() {
    for (file, case) in cases() {
        let (right, len) = (right(file, case), length(file));
        let middle = format!("eio {} {}", len * 2 / 5, len * 3 / 5);
        let Some(failed) = outcome(file, case, &middle, &right, &["io"]) else { return };
        assert!(failed || !must_fail(file, case), "{file}: {}", case.arguments);
        outcome(file, case, &format!("eio {} {len}", len * 3 / 5), &right, &["io"]);
        assert_eq!(outcome(file, case, &format!("eio 0 {len}"), &right, &["io"]), Some(true), "{}", case.arguments);
    }
}

#[test]
fn interrupted_and_short_reads_change_nothing() {
    for (file, case) in cases() {
        let right = right(file, case);
        for fault in ["eintr", "short"] {
            let Some(failed) = outcome(file, case, fault, &right, &[]) else { return };
            assert!(!failed);
        }
    }
}

#[test]
fn a_file_that_changes_while_it_is_read_is_refused() {
    for (file, case) in cases() {
        let (right, at) = (right(file, case), length(file) / 2);
        for fault in ["cut", "grow", "write"] {
            let Some(failed) = outcome(file, case, &format!("{fault} {at}"), &right, &["source.changed"]) else {
                return;
            };
            assert!(failed || !must_fail(file, case), "{fault} {file}: {}", case.arguments);
        }
    }
}

#[test]
fn a_file_that_loses_its_name_while_it_is_read_is_read_to_its_end() {
    for (file, case) in cases() {
        // What reads its input twice finds it gone, or another, the second time.
        let twice = ["--verify", "FILE FILE", "bench"].iter().any(|word| case.arguments.contains(word));
        if twice || (file == "t.tbf" && !case.arguments.starts_with("check")) {
            continue;
        }
        let (right, at) = (right(file, case), length(file) / 2);
        for fault in ["gone", "swap"] {
            let fault = format!("{fault} {at}");
            let files = Files::get();
            let folder = files.copy(file);
            fs::write(folder.at("other"), "another file\n".repeat(40_000)).unwrap();
            let arguments = arguments(file, case);
            let Some(mut command) = files.faulty(&folder, file, &fault) else { return };
            let output = run(command.args(&arguments), None);
            match output.status.code() {
                Some(0) => {
                    let (mut said, written) = result(&output, &folder, file);
                    // `inspect` asks for the length by the name.
                    let same = |lines: &mut Vec<Value>| {
                        lines.iter_mut().filter_map(Value::as_object_mut).for_each(|o| drop(o.remove("bytes")))
                    };
                    let mut expected = right.clone();
                    if case.arguments.starts_with("inspect") {
                        same(&mut said);
                        same(&mut expected.0);
                    }
                    assert_eq!((said, written), expected, "{fault}: {arguments:?}");
                }
                other => panic!("{other:?} {fault}: {arguments:?}: {output:?}"),
            }
        }
    }
}
