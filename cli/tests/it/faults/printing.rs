//! Standard output and standard error, closed or full: what they end is the printing.

use std::{
    fs::{self, File},
    io::{BufRead, BufReader},
    process::{Command, Stdio},
};

use crate::faults::stock::{READING, TAR_TO_TBL, WRITING, command, outputs, run, said, shell, stocked};

/// The writing end of a pipe that nobody reads.
fn unread() -> Stdio {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    writer.into()
}

fn full() -> Stdio {
    File::options().write(true).open("/dev/full").unwrap().into()
}

/// Runs a command in every way of printing, with what it must come to: the exit code and the outputs as always, but
/// that a 0 whose result could not be printed is a 2.
fn in_every_way(args: &str) {
    let usual = stocked();
    let done = run(&usual, args);
    said(&done);
    let code = done.status.code().unwrap();
    let prints = !done.stdout.is_empty();
    type Made = fn() -> Stdio;
    let ways: [(&str, Made, Made); 7] = [
        ("output unread", unread, Stdio::piped),
        ("errors unread", Stdio::piped, unread),
        ("both unread", unread, unread),
        ("output full", full, Stdio::piped),
        ("errors full", Stdio::piped, full),
        ("both full", full, full),
        ("output full, errors unread", full, unread),
    ];
    for (way, stdout, stderr) in ways {
        let folder = stocked();
        let done = command(&folder, args).stdout(stdout()).stderr(stderr()).output().unwrap();
        let text = said(&done);
        let lost = way.contains("output full") || way == "both full";
        let wanted = if lost && prints && code == 0 { 2 } else { code };
        assert_eq!(done.status.code(), Some(wanted), "{args:?}, {way}: {text}");
        assert_eq!(outputs(&folder), outputs(&usual), "{args:?}, {way}");
        if way == "output full" && prints {
            assert!(text.contains("standard output") || code == 2, "{args:?}: {text}");
        }
    }
    // Closed from the beginning: nothing that is opened later is taken for them.
    for closed in [">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-"] {
        let folder = stocked();
        let done = shell(&folder, &format!("exec \"$0\" {args} {closed}"));
        said(&done);
        assert_eq!(done.status.code(), Some(code), "{args:?} {closed}");
        assert_eq!(outputs(&folder), outputs(&usual), "{args:?} {closed}");
    }
}

#[test]
fn reading_never_panics_and_keeps_its_exit_code() {
    READING.iter().for_each(|args| in_every_way(args));
}

#[test]
fn reading_as_json_never_panics_and_keeps_its_exit_code() {
    let plain = |args: &&&str| !args.contains("help") && !args.contains("version") && !args.is_empty();
    READING.iter().filter(plain).for_each(|args| in_every_way(&format!("{args} --json")));
}

#[test]
fn writing_is_done_whoever_listens() {
    for (n, args) in WRITING.iter().enumerate() {
        in_every_way(&format!("{args} {}", ["--json", "--verbose"][n % 2]));
    }
}

#[test]
fn the_other_command_keeps_to_it_too() {
    for (args, code, full_code) in
        [("a.tar o.tbl", 0, 0), ("a.tar o.tbl --json", 0, 2), ("--help", 0, 2), ("", 2, 2), ("nowhere o.tbl", 2, 2)]
    {
        for (stdout, stderr, wanted) in [(unread(), unread(), code), (full(), full(), full_code)] {
            let folder = stocked();
            let mut command = Command::new(TAR_TO_TBL);
            command.args(args.split(' ').filter(|a| !a.is_empty())).current_dir(folder.path());
            let done = command.stdout(stdout).stderr(stderr).output().unwrap();
            assert_eq!(done.status.code(), Some(wanted), "{args:?}");
        }
    }
}

#[test]
fn a_reader_who_leaves_in_the_middle_ends_no_work() {
    let folder = stocked();
    let mut bad = fs::read(folder.at("a.tbl")).unwrap();
    let middle = bad.len() / 2;
    bad[middle] ^= 1;
    fs::write(folder.at("bad.tbl"), bad).unwrap();
    let after_a_line = |args: &str| {
        let mut child = command(&folder, args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert!(!line.is_empty(), "{args}");
        let done = child.wait_with_output().unwrap();
        said(&done);
        done.status.code()
    };
    assert_eq!(after_a_line("split a.tbl --shards 100 -o o --json"), Some(0));
    assert_eq!(fs::read_dir(folder.at("o")).unwrap().count(), 100);
    assert!(run(&folder, "concat o/*.tbl -o o.tbl").status.success());
    assert!(run(&folder, "diff o.tbl a.tbl").status.success());
    let many = "a.tbl ".repeat(200);
    assert_eq!(after_a_line(&format!("check {many} bad.tbl --json")), Some(1), "the last one was looked at");
    assert_eq!(after_a_line(&format!("inspect {many} nowhere.tbl --json")), Some(2), "the last one was looked at");
    assert_eq!(after_a_line(&format!("head {many} --json")), Some(0), "nothing but printing ends");
    assert_eq!(after_a_line("plan a.tbl --batch 1 --rank 0 --json"), Some(0));
}

#[test]
fn bytes_that_are_the_output_itself_are_not_lost_in_silence() {
    let folder = stocked();
    for args in [
        "convert a.tar - --to tbl",
        "convert a.tbl - --to tar",
        "convert t.csv - --to jsonl",
        "convert t.csv - --to idv",
        "extract a.tbl -i 3 -o -",
        "concat a.tbl b.tbl -o - --to tar",
    ] {
        let before = folder.names();
        for way in [full, unread] {
            let done = command(&folder, args).stdout(way()).stderr(Stdio::piped()).output().unwrap();
            assert_eq!(done.status.code(), Some(2), "{args}");
            assert!(said(&done).contains("cannot write"), "{args}: {}", said(&done));
        }
        assert_eq!(folder.names(), before, "{args}");
    }
    // A few bytes wait in a buffer until the end, where nobody looked.
    fs::create_dir(folder.at("small")).unwrap();
    fs::write(folder.at("small/x.bmp"), b"BM..").unwrap();
    let done = command(&folder, "extract small -i 0 -o -").stdout(full()).stderr(Stdio::piped()).output().unwrap();
    assert_eq!(done.status.code(), Some(2), "{}", said(&done));
}
