//! Outputs and what stands in their way: nothing is replaced that was not to be, and nothing is left over.

use std::{
    fs,
    io::Write,
    os::unix::fs::{PermissionsExt, symlink},
    process::{Child, ChildStdin, Output},
};

use crate::{
    common::Folder,
    faults::{
        shim,
        signals::{half_done, send},
        stock::{command, has, mode, outputs, run, said, shell, stocked},
    },
};

fn finish((child, mut stdin, rest): (Child, ChildStdin, Vec<u8>)) -> Output {
    // Who has ended reads no more.
    let _ = stdin.write_all(&rest);
    drop(stdin);
    let done = child.wait_with_output().unwrap();
    said(&done);
    done
}

fn parts(folder: &Folder) -> Vec<String> {
    folder.names().into_iter().filter(|name| name.ends_with(".part")).collect()
}

#[test]
fn an_output_that_appears_during_the_work_is_left_as_it_is() {
    let folder = Folder::new();
    let work = half_done(&folder, "", "");
    fs::write(folder.at("o.tbl"), "precious").unwrap();
    let done = finish(work);
    assert_eq!(done.status.code(), Some(2), "{done:?}");
    assert!(said(&done).contains("exists since this began"), "{done:?}");
    assert_eq!(fs::read(folder.at("o.tbl")).unwrap(), b"precious");
    assert_eq!(folder.names(), ["o.tbl"]);
}

#[test]
fn of_two_that_write_the_same_one_wins_and_the_other_says_so() {
    let folder = Folder::new();
    let (first, second) = (half_done(&folder, "", ""), half_done(&folder, "", ""));
    assert_eq!(parts(&folder).len(), 2, "the second leaves the living first one's file alone");
    let codes = [finish(first).status.code(), finish(second).status.code()];
    assert_eq!(codes, [Some(0), Some(2)]);
    assert_eq!(folder.names(), ["o.tbl"]);
}

#[test]
fn what_a_killed_run_left_is_cleared_by_the_next_and_a_living_ones_is_not() {
    let folder = stocked();
    let (mut dead, _stdin, _) = half_done(&folder, "", "");
    dead.kill().unwrap();
    dead.wait().unwrap();
    let left = parts(&folder);
    assert_eq!(left.len(), 1, "a killed process cannot clean up");
    fs::write(folder.at(".o.tbl.backup.part"), "another program's").unwrap();
    fs::write(folder.at(".x.tbl.forebay-aaaaaa.part"), "another output's").unwrap();
    let living = half_done(&folder, "", "");
    assert!(!folder.at(&left[0]).exists(), "{left:?}");
    assert!(run(&folder, "convert a.tbl o.tbl").status.success());
    assert_eq!(parts(&folder).len(), 3, "{:?}", folder.names());
    assert_eq!(finish(living).status.code(), Some(2));
    assert_eq!(parts(&folder), [".o.tbl.backup.part", ".x.tbl.forebay-aaaaaa.part"]);
}

#[test]
fn that_something_cannot_be_looked_at_is_an_error() {
    let folder = stocked();
    let deep = format!("{}o.tbl", "d/".repeat(2500));
    for output in [deep.as_str(), "a.tar/o.tbl"] {
        let done = run(&folder, &format!("convert a.tar {output}"));
        assert_eq!(done.status.code(), Some(2), "{output}: {done:?}");
    }
    symlink("loop", folder.at("loop")).unwrap();
    assert_eq!(run(&folder, "convert a.tar loop --to tbl").status.code(), Some(2));
    assert_eq!(fs::read_link(folder.at("loop")).unwrap().to_str(), Some("loop"));
}

#[test]
fn a_private_file_is_private_while_it_is_replaced_and_after() {
    let folder = stocked();
    fs::write(folder.at("o.tbl"), "old").unwrap();
    fs::set_permissions(folder.at("o.tbl"), fs::Permissions::from_mode(0o600)).unwrap();
    let work = half_done(&folder, "", "--force");
    assert_eq!(mode(&folder.at(&parts(&folder)[0])), 0o600);
    assert!(finish(work).status.success());
    assert_eq!(mode(&folder.at("o.tbl")), 0o600);
    // Those of others stay too, whatever the mask, but for the bits that lend the owner's rights.
    fs::set_permissions(folder.at("o.tbl"), fs::Permissions::from_mode(0o4664)).unwrap();
    assert!(shell(&folder, "umask 077; \"$0\" convert a.tbl o.tbl --force").status.success());
    assert_eq!(mode(&folder.at("o.tbl")), 0o664);
    assert!(shell(&folder, "umask 027; \"$0\" convert a.tbl o2.tbl").status.success());
    assert_eq!(mode(&folder.at("o2.tbl")), 0o640);
}

#[test]
fn a_link_is_written_through_and_stays_a_link() {
    let folder = stocked();
    fs::create_dir(folder.at("disk")).unwrap();
    symlink("disk/real.tbl", folder.at("o.tbl")).unwrap();
    symlink("o.tbl", folder.at("o2.tbl")).unwrap();
    // To nothing yet, then to what is there.
    assert!(run(&folder, "convert a.tbl o2.tbl").status.success());
    assert!(folder.at("disk/real.tbl").exists());
    assert_eq!(run(&folder, "convert b.tbl o2.tbl").status.code(), Some(2));
    assert!(run(&folder, "convert b.tbl o2.tbl --force").status.success());
    assert!(run(&folder, "diff b.tbl disk/real.tbl").status.success());
    assert_eq!(fs::read_link(folder.at("o.tbl")).unwrap().to_str(), Some("disk/real.tbl"));
    assert_eq!(fs::read_link(folder.at("o2.tbl")).unwrap().to_str(), Some("o.tbl"));
    // If its folder is missing, so is the place.
    symlink("gone/real.tbl", folder.at("o3.tbl")).unwrap();
    assert_eq!(run(&folder, "convert a.tbl o3.tbl --force").status.code(), Some(2));
    assert!(fs::symlink_metadata(folder.at("o3.tbl")).unwrap().is_symlink());
}

#[test]
fn a_name_of_any_length_is_written() {
    let folder = stocked();
    let name = format!("o{}.tbl", "x".repeat(250));
    assert!(run(&folder, &format!("convert a.tbl {name}")).status.success());
    assert!(folder.at(&name).exists());
}

#[test]
fn paths_that_are_no_text_are_read_and_written() {
    let folder = stocked();
    let done = shell(
        &folder,
        "set -e; n=$(printf 'o\\377.tbl'); \"$0\" convert a.tar \"$n\"; \"$0\" check \"$n\" a.tbl; \"$0\" stats \"$n\"; \
         \"$0\" inspect \"$n\"; \"$0\" head \"$n\"; \"$0\" plan \"$n\"; \"$0\" concat \"$n\" \"$n\" -o o2.tbl; \
         \"$0\" convert \"$n\" o3.tbl; \"$0\" split \"$n\" --shards 2 -o o; \"$0\" diff \"$n\" o3.tbl; \
         \"$0\" extract \"$n\" --all --to o4; \"$0\" bench \"$n\" --batch 4 --image 8 --json",
    );
    assert!(done.status.success(), "{}", said(&done));
}

#[test]
fn a_disk_that_does_not_take_the_bytes_is_an_error() {
    for (what, code, wanted) in [
        ("SHIM_FSYNC", 5, "cannot write"),
        ("SHIM_FSYNC", 28, "cannot write"),
        ("SHIM_FSYNC_FOLDER", 5, "in place"),
        ("SHIM_FSYNC_FOLDER", 28, "in place"),
    ] {
        for args in ["convert a.tbl o.tbl", "convert t.csv o.parquet", "split a.tbl --shards 2 -o o"] {
            let folder = stocked();
            let mut command = command(&folder, args);
            if !shim::before(&mut command, &[(what, code.to_string())]) {
                return;
            }
            let done = command.output().unwrap();
            assert_eq!(done.status.code(), Some(2), "{args}, {what}={code}: {done:?}");
            assert!(said(&done).contains(wanted), "{args}, {what}={code}: {}", said(&done));
            let left: Vec<_> = outputs(&folder).into_keys().collect();
            assert!(left.iter().all(|name| !name.contains(".part")), "{left:?}");
            // What is said to be in place is there, and nothing else.
            let files = left.iter().filter(|name| !name.ends_with('/')).count();
            let made = if args.starts_with("split") { 2 } else { 1 };
            assert_eq!(files, if wanted == "in place" { made } else { 0 }, "{args}, {what}={code}: {left:?}");
        }
    }
    // A file system that has no such thing refuses with EINVAL or EOPNOTSUPP, and that is all right.
    for code in [22, 95] {
        let folder = stocked();
        let mut command = command(&folder, "convert a.tbl o.tbl");
        if shim::before(&mut command, &[("SHIM_FSYNC_FOLDER", code.to_string())]) {
            assert!(command.status().unwrap().success(), "{code}");
        }
    }
}

#[test]
fn a_full_disk_leaves_nothing() {
    let mounted = "mount -t tmpfs -o size=128k tmpfs small";
    if !has("unshare") || !shell(&stocked(), &format!("mkdir small; unshare -m sh -c '{mounted}'")).status.success() {
        return eprintln!("skipped: no small file system can be mounted here");
    }
    for args in [
        "convert a.tar small/o.tbl",
        "convert a.tbl small/o.tar",
        "convert t.csv small/o.jsonl",
        "concat a.tbl b.tbl -o small/o.tbl",
        "split a.tbl --shards 2 -o small",
        "extract a.tbl --all --to small",
    ] {
        let folder = stocked();
        let script = format!(
            "mkdir small; unshare -m sh -c '{mounted}; \"$0\" {args}; echo $?; ls -A small | grep -c part; find small -size 0 -type f' \"$0\""
        );
        let done = shell(&folder, &script);
        let text = String::from_utf8_lossy(&done.stdout).into_owned();
        assert_eq!(text, "2\n0\n", "{args}: {}", said(&done));
        assert!(said(&done).contains("space"), "{args}: {}", said(&done));
    }
}

#[test]
fn messages_name_the_output_and_not_the_file_that_it_was_on_its_way_in() {
    let folder = stocked();
    for args in ["convert a.tbl nowhere/o.tbl", "convert a.tbl a.tar/o.tbl", "split a.tbl --shards 2 -o a.tar"] {
        let done = run(&folder, args);
        let text = said(&done);
        assert_eq!(done.status.code(), Some(2), "{args}: {text}");
        assert!(!text.contains(".part") && !text.contains("at path"), "{args}: {text}");
    }
}

#[test]
fn an_interrupted_run_that_was_to_replace_leaves_the_old_one_with_its_permissions() {
    let folder = stocked();
    fs::write(folder.at("o.tbl"), "old").unwrap();
    fs::set_permissions(folder.at("o.tbl"), fs::Permissions::from_mode(0o640)).unwrap();
    let (child, _stdin, _) = half_done(&folder, "", "--force");
    send(&child, "TERM");
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(143));
    assert_eq!((mode(&folder.at("o.tbl")), fs::read(folder.at("o.tbl")).unwrap()), (0o640, b"old".to_vec()));
    assert!(parts(&folder).is_empty());
}
