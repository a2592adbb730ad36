//! Shards of many datasets: what is there is found again, and a run that is ended anywhere goes on where it stood.

use std::{collections::BTreeMap, process::Stdio, thread, time::Duration};

use serde_json::Value;

use crate::{
    common::Folder,
    dice::Dice,
    faults::{
        signals::send,
        stock::{command, run, said, stocked, tree},
    },
};

const RUN: &str = "shards a.tbl b.tar -o o --shards 9 --name all --shuffle 7 --compression lz4 --no-sync";

/// With `--json`, what was printed, of a command that ends with this code.
#[track_caller]
fn json(folder: &Folder, args: &str, code: i32) -> Value {
    let done = run(folder, &format!("{args} --json"));
    assert_eq!(done.status.code(), Some(code), "{args}: {} {}", said(&done), String::from_utf8_lossy(&done.stdout));
    let report = serde_json::from_slice(&done.stdout).unwrap();
    crate::schemas::hold(&args.split(' ').collect::<Vec<_>>(), [&report]);
    report
}

/// The shards that lie there, without records.
fn shards(folder: &Folder) -> BTreeMap<String, Vec<u8>> {
    tree(&folder.at("o")).into_iter().filter(|(name, _)| !name.starts_with('.')).collect()
}

#[test]
fn several_runs_make_one_set() {
    let folder = stocked();
    let first = json(&folder, &format!("{RUN} --only 8,2..4"), 0);
    assert_eq!([&first["made"], &first["reused"], &first["left"], &first["shards"]], [4, 0, 5, 9], "{first}");
    let numbers: Vec<u64> =
        first["outputs"].as_array().unwrap().iter().map(|one| one["shard"].as_u64().unwrap()).collect();
    assert_eq!(numbers, [2, 3, 4, 8]);
    let all = json(&folder, &format!("{RUN} --jobs 3"), 0);
    assert_eq!([&all["made"], &all["reused"], &all["left"], &all["samples"]], [5, 4, 0, 500], "{all}");
    assert_eq!(json(&folder, RUN, 0)["reused"], 9);
    assert!(run(&folder, "concat o/all-*.tbl -o joined.tbl").status.success());
    assert!(run(&folder, "concat a.tbl b.tbl -o both.tbl").status.success());
    // The same samples, by their names where these are their own: here they stand in both, so they are counted.
    assert_eq!(json(&folder, "stats joined.tbl", 0)["bytes"], json(&folder, "stats both.tbl", 0)["bytes"]);
    assert!(run(&folder, "check joined.tbl").status.success());
    // Others under the same names are refused, and replaced if that is said.
    let others = RUN.replace("--shuffle 7", "--shuffle 8");
    assert_eq!(json(&folder, &others, 2)["error"]["code"], "shards.foreign");
    assert_eq!(json(&folder, &format!("{others} --force"), 0)["made"], 9);
    // A plan is shown and nothing is made.
    let plan = json(&folder, "shards a.tbl b.tar -o none --shards 3 --dry-run", 0);
    assert_eq!((&plan["settings"]["shards"], &plan["inputs"][1]["samples"]), (&3.into(), &200.into()));
    assert!(!folder.at("none").exists());
}

#[test]
fn what_makes_no_sense_is_refused_in_words() {
    let folder = stocked();
    for (args, words) in [
        ("shards a.tbl -o o --shards 0", "1 to 1,000,000"),
        ("shards a.tbl -o o --shards 3 --only 3", "no shard 3"),
        ("shards a.tbl -o o --shards 3 --only 2..1", "ranges such as 7..9"),
        ("shards a.tbl -o o --shards 3 --name x/y", "a name without folders"),
        ("shards a.tbl -o o --shards 3 --blocks 4x4", "--shuffle"),
        ("shards a.tbl -o o --shards 3 --to tar --layout guide", "--layout changes nothing"),
        ("shards t.csv -o o --shards 3", "this is a table"),
        ("shards nowhere.tbl -o o --shards 3", "nowhere.tbl"),
        ("shards a.tbl -o o --shards 3 --class-level 1", "for folders of images"),
        ("shards a.tbl -o o --shards 3 --where width>99999", "selects no sample"),
        ("shards a.tbl -o http://127.0.0.1:9/o --shards 3", "remote.write"),
    ] {
        let done = run(&folder, args);
        assert_ne!(done.status.code(), Some(0), "{args}");
        assert!(said(&done).contains(words), "{args}: {}", said(&done));
        assert!(!folder.at("o").exists(), "{args}");
    }
}

#[test]
fn killed_anywhere_no_shard_is_half_and_the_next_run_goes_on() {
    let whole = stocked();
    assert!(run(&whole, RUN).status.success());
    let expected = shards(&whole);
    assert_eq!(expected.len(), 9);
    let mut dice = Dice(11);
    let folder = stocked();
    let mut kills = 0;
    for turn in 0..60 {
        let mut child = command(&folder, &format!("{RUN} --jobs 2 --workers 1 -q"));
        let mut child = child.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        thread::sleep(Duration::from_millis(dice.below(60)));
        send(&child, if turn % 3 == 0 { "TERM" } else { "KILL" });
        kills += u32::from(!child.wait().unwrap().success());
        if folder.at("o").exists() {
            for (name, bytes) in shards(&folder) {
                assert!(expected.get(&name) == Some(&bytes), "turn {turn}: {name} is not whole");
            }
        }
        // Not only the first turns meet an unfinished set.
        if turn % 4 == 3 && folder.at("o").exists() {
            for name in shards(&folder).into_keys().filter(|_| dice.below(2) == 0) {
                std::fs::remove_file(folder.at("o").join(name)).unwrap();
            }
        }
    }
    assert!(kills > 0);
    assert!(run(&folder, RUN).status.success());
    assert_eq!(shards(&folder), expected);
    let left: Vec<String> = tree(&folder.at("o")).into_keys().filter(|name| name.ends_with(".part")).collect();
    assert!(left.is_empty(), "{left:?}");
}
