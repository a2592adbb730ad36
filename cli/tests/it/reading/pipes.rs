//! What comes through a pipe is read once, by whatever name the pipe has, and none of it is lost.

use std::{
    fs,
    io::Write,
    path::Path,
    process::{Command, Output},
    thread,
    time::Duration,
};

use serde_json::Value;

use crate::{
    common::{FOREBAY, Folder, error_of},
    reading::{
        commands::{OF_SAMPLES, OF_TABLES},
        place::{Files, SAMPLES, TABLES, run, said},
    },
};

fn fifo(folder: &Folder, name: &str) {
    assert!(Command::new("mkfifo").arg(folder.at(name)).status().unwrap().success());
}

/// Writes a file into a named pipe: a byte, and a little later the rest, as slow programs do. Who hangs up early is let go.
fn feed(pipe: &Path, file: &Path) {
    let (pipe, bytes) = (pipe.to_owned(), fs::read(file).unwrap());
    thread::spawn(move || {
        let mut pipe = fs::OpenOptions::new().write(true).open(pipe).unwrap();
        let slowly = pipe.write_all(&bytes[..1]).and_then(|()| {
            thread::sleep(Duration::from_millis(20));
            pipe.write_all(&bytes[1..])
        });
        slowly.is_ok()
    });
}

fn forebay(folder: &Folder, arguments: &[String]) -> Command {
    let mut command = Command::new(FOREBAY);
    command.args(arguments).current_dir(folder.path());
    command
}

/// What was printed, without what depends on the name: an output has its input's in it; and a pipe has no length.
fn of_any_pipe(output: &Output) -> Vec<Value> {
    let mut lines = said(output);
    for line in lines.iter_mut().filter_map(Value::as_object_mut) {
        line.retain(|key, _| !["bytes", "output_bytes"].contains(&key.as_str()));
    }
    lines
}

/// Exit code, code of the error if there is one, and what was printed.
fn outcome(output: &Output) -> (Option<i32>, Option<Value>, Vec<Value>) {
    match output.status.code() {
        Some(0) => (Some(0), None, of_any_pipe(output)),
        code => (code, Some(error_of(output)["code"].clone()), Vec::new()),
    }
}

/// The formats that are text have no first bytes that tell them.
fn told(file: &str, mut arguments: Vec<String>) -> Vec<String> {
    let extension = file.rsplit('.').next().unwrap_or_default();
    if matches!(extension, "csv" | "jsonl") {
        arguments.extend(["--from".to_owned(), extension.to_owned()]);
    }
    arguments
}

#[test]
fn a_pipe_with_a_name_is_read_as_one_without() {
    let files = Files::get();
    let of_samples = SAMPLES.iter().flat_map(|file| OF_SAMPLES.iter().map(move |case| (file, case)));
    let of_tables = TABLES.iter().flat_map(|file| OF_TABLES.iter().map(move |case| (file, case)));
    let (mut read, mut refused) = (0, 0);
    for (file, case) in of_samples.chain(of_tables) {
        // The same pipe twice is a mistake that has no right answer.
        if case.arguments.contains("FILE FILE") {
            continue;
        }
        let folder = Folder::new();
        let whole =
            run(&mut forebay(&folder, &told(file, case.arguments(files.at(file).to_str().unwrap(), "out"))), None);
        let folder = Folder::new();
        let arguments = told(file, case.arguments("-", "out"));
        let unnamed = outcome(&run(&mut forebay(&folder, &arguments), Some(&files.at(file))));
        let folder = Folder::new();
        fifo(&folder, "pipe");
        feed(&folder.at("pipe"), &files.at(file));
        let arguments = told(file, case.arguments("pipe", "out"));
        let output = run(&mut forebay(&folder, &arguments), None);
        let named = outcome(&output);
        let words = format!("{file}: {arguments:?}: {output:?}");
        assert_eq!(named, unnamed, "{words}");
        match named.0 {
            Some(0) => {
                assert_eq!(named.2, of_any_pipe(&whole), "{words}");
                read += 1;
            }
            _ => {
                let code = named.1.unwrap();
                assert!(["source.pipe", "usage.argument"].contains(&code.as_str().unwrap()), "{words}");
                let error = error_of(&output);
                let message = error["message"].as_str().unwrap();
                assert!(["file", "--from", "--verify"].iter().any(|advice| message.contains(advice)), "{words}");
                refused += 1;
            }
        }
    }
    assert!(read > 20 && refused > 20, "{read} {refused}");
}

#[test]
fn detection_takes_nothing_from_a_pipe() {
    let (files, folder) = (Files::get(), Folder::new());
    for (from, to) in [("t.csv", "out.tbf"), ("t.jsonl", "out.csv"), ("a.tar", "out.tbl"), ("t.arrows", "out.idv")] {
        let extension = from.rsplit('.').next().unwrap();
        // The name tells text, and the first bytes the others.
        let pipe = format!("pipe.{extension}");
        fifo(&folder, &pipe);
        feed(&folder.at(&pipe), &files.at(from));
        let convert = |from: &str, to: &str| ["convert", from, to, "--force", "--json"].map(str::to_owned);
        let done = run(&mut forebay(&folder, &convert(&pipe, to)), None);
        assert!(done.status.success(), "{done:?}");
        let count = |line: &Value| line["rows"].as_u64().or(line["samples"].as_u64());
        let right = if from == "a.tar" { 300 } else { 12_000 };
        assert_eq!(count(&said(&done)[0]), Some(right), "{done:?}");
        // The first is the one that is lost, if any is.
        let head = |file: &str| {
            let file = file.to_owned();
            let done = run(&mut forebay(&folder, &["head".into(), file, "-n3".into(), "--json".into()]), None);
            said(&done).iter().map(|row| (row["id"].clone(), row["name"].clone())).collect::<Vec<_>>()
        };
        assert_eq!(head(to), head(files.at(from).to_str().unwrap()), "{from}");
    }
}

#[test]
fn a_shells_substitutions_are_pipes_too() {
    let (files, folder) = (Files::get(), Folder::new());
    for (file, more, rows) in [
        ("t.csv", "--from csv", "rows"),
        ("t.jsonl", "--from jsonl", "rows"),
        ("t.arrows", "", "rows"),
        ("a.tar", "--to tbl", "samples"),
    ] {
        let to = if rows == "rows" { "out.tbf" } else { "out.tbl" };
        let script = format!("exec \"$0\" convert <(cat \"$1\") {to} --force --json {more}");
        let mut command = Command::new("bash");
        command.args(["-c", &script, FOREBAY]).arg(files.at(file)).current_dir(folder.path());
        let output = run(&mut command, None);
        assert!(output.status.success(), "{file}: {output:?}");
        let count = said(&output)[0][rows].as_u64();
        assert_eq!(count, Some(if rows == "rows" { 12_000 } else { 300 }), "{file}");
        let script = format!("exec \"$0\" convert /dev/stdin {to} --force --json {more}");
        let mut command = Command::new("bash");
        command.args(["-c", &script, FOREBAY]).current_dir(folder.path());
        let output = run(&mut command, Some(&files.at(file)));
        assert_eq!(said(&output)[0][rows].as_u64(), count, "{file}: {output:?}");
    }
}

#[test]
fn a_pipe_of_one_byte_loses_none() {
    let folder = Folder::new();
    fifo(&folder, "one.csv");
    fs::write(folder.at("x"), "x").unwrap();
    feed(&folder.at("one.csv"), &folder.at("x"));
    let arguments = ["inspect", "one.csv", "--json"].map(str::to_owned);
    let output = run(&mut forebay(&folder, &arguments), None);
    assert_eq!(said(&output)[0]["columns"][0]["name"], "x", "{output:?}");
}
