//! A split that is ended in the middle: what is left is the old set, the new one, or visibly a part of one.

use std::{fs, process::Output};

use crate::{
    common::Folder,
    faults::{
        shim,
        stock::{command, has, run, said, shell, stocked, tree},
    },
};

/// A folder with four old shards, of b under the name of a.
fn with_old() -> Folder {
    let folder = stocked();
    fs::rename(folder.at("a.tbl"), folder.at("new.tbl")).unwrap();
    fs::copy(folder.at("b.tbl"), folder.at("a.tbl")).unwrap();
    assert!(run(&folder, "split a.tbl --shards 4 -o o").status.success());
    fs::rename(folder.at("new.tbl"), folder.at("a.tbl")).unwrap();
    folder
}

/// Joins what is there by a pattern: it is refused, or it is one of the two sets whole.
pub fn never_a_mix(folder: &Folder, what: &str) -> Output {
    let _ = fs::remove_file(folder.at("joined.tbl"));
    let done = run(folder, "concat o/a-*.tbl -o joined.tbl");
    if done.status.success() {
        let same = |of: &str| run(folder, &format!("diff joined.tbl {of} --payloads")).status.success();
        assert!(same("a.tbl") || same("b.tbl"), "{what}: a mix was joined");
    } else {
        assert_eq!(done.status.code(), Some(2), "{what}: {}", said(&done));
    }
    done
}

#[test]
fn killed_at_any_step_it_leaves_no_mix() {
    let again = |folder: &Folder, what: &str| {
        never_a_mix(folder, what);
        assert!(run(folder, "split a.tbl --shards 4 -o o --force").status.success());
        assert_eq!(tree(&folder.at("o")).len(), 4, "{what}: {:?}", tree(&folder.at("o")).keys());
        assert!(never_a_mix(folder, what).status.success(), "{what}");
    };
    for step in 1..=5 {
        let folder = with_old();
        let mut command = command(&folder, "split a.tbl --shards 4 -o o --force");
        if shim::before(&mut command, &[("SHIM_UNLINK", step.to_string())]) {
            assert_eq!(command.status().unwrap().success(), step > 4, "{step}");
            again(&folder, &format!("killed instead of removing file {step}"));
        }
    }
    let traced = "strace -f -qq -o /dev/null -e trace=renameat2 -e inject=renameat2:signal=KILL:when=";
    if !has("strace") || !shell(&with_old(), &format!("{traced}99 \"$0\" --version")).status.success() {
        return eprintln!("skipped: no strace to kill at a chosen call");
    }
    for step in 1..=5 {
        let folder = with_old();
        let done = shell(&folder, &format!("{traced}{step} \"$0\" split a.tbl --shards 4 -o o --force -q"));
        assert_eq!(done.status.success(), step > 4, "{step}: {done:?}");
        again(&folder, &format!("killed at rename {step}"));
    }
}

#[test]
fn an_error_in_the_middle_leaves_the_old_set() {
    let folder = with_old();
    let before = tree(&folder.at("o"));
    let done = shell(&folder, "ulimit -f 8; exec \"$0\" split a.tbl --shards 4 -o o --force");
    assert_eq!(done.status.code(), Some(2), "{}", said(&done));
    assert_eq!(tree(&folder.at("o")), before);
    fs::remove_file(folder.at("o/a-00002-of-00004.tbl")).unwrap();
    fs::create_dir(folder.at("o/a-00002-of-00004.tbl")).unwrap();
    let done = run(&folder, "split a.tbl --shards 4 -o o --force");
    assert_eq!(done.status.code(), Some(2), "{}", said(&done));
    assert!(said(&done).contains("folder has the name"), "{}", said(&done));
    assert_eq!(tree(&folder.at("o")).len(), 4);
}

#[test]
fn a_pattern_that_finds_part_of_a_set_or_two_sets_is_refused() {
    let folder = with_old();
    assert!(run(&folder, "split a.tbl --shards 2 -o o").status.success());
    for command in ["concat o/*.tbl -o joined.tbl", "convert o/*.tbl joined.tbl"] {
        let done = run(&folder, command);
        assert_eq!(done.status.code(), Some(2));
        assert!(said(&done).contains("of 2 and of 4"), "{}", said(&done));
    }
    fs::remove_file(folder.at("o/a-00001-of-00004.tbl")).unwrap();
    let done = run(&folder, "concat o/*-of-00004.tbl -o joined.tbl");
    assert_eq!(done.status.code(), Some(2));
    assert!(said(&done).contains("3 of 4 shards of a, and not number 1"), "{}", said(&done));
    // Who names the files means them.
    let done = run(&folder, "concat o/a-00000-of-00004.tbl o/a-00003-of-00004.tbl -o joined.tbl");
    assert!(done.status.success(), "{}", said(&done));
}
