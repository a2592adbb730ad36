//! Names from archives: no file is lost, none leaves the folder, and nothing there is followed or waited for.

use std::{collections::BTreeSet, fs, os::unix::fs::symlink, process::Command};

use crate::{
    common::{Folder, tar},
    dice::Dice,
    faults::stock::{run, said, shell, tree},
};

/// Extracts an archive of these names, each file with bytes of its own; what came of it.
fn extracted(folder: &Folder, names: &[String]) -> (std::process::Output, BTreeSet<Vec<u8>>) {
    let members: Vec<(String, Vec<u8>)> =
        names.iter().enumerate().map(|(i, name)| (name.clone(), format!("BM file {i}").into_bytes())).collect();
    fs::write(folder.at("in.tar"), tar(&members)).unwrap();
    let done = run(folder, "extract in.tar --all --to out --force");
    let found = tree(&folder.at("out")).into_iter().filter(|(name, _)| !name.ends_with('/')).map(|(_, bytes)| bytes);
    (done, found.collect())
}

fn all(names: &[String]) -> BTreeSet<Vec<u8>> {
    (0..names.len()).map(|i| format!("BM file {i}").into_bytes()).collect()
}

#[test]
fn a_name_that_is_made_up_is_nobody_elses() {
    for names in [
        vec!["a.jpg", "a~2.jpg", "a.jpg"],
        vec!["a.jpg", "a.jpg", "a~1.jpg"],
        vec!["a.jpg", "a~2.jpg", "a.jpg", "a~2~2.jpg", "a~3.jpg", "a.jpg", "a.jpg"],
        vec!["d/a.jpg", "d//a.jpg", "./d/a.jpg", "d/./a.jpg"],
    ] {
        let folder = Folder::new();
        let names: Vec<String> = names.into_iter().map(str::to_owned).collect();
        let (done, found) = extracted(&folder, &names);
        assert_eq!(done.status.code(), Some(0), "{names:?}: {}", said(&done));
        assert_eq!(found, all(&names), "{names:?}: {:?}", tree(&folder.at("out")).keys());
    }
}

/// Names out of few pieces, so that they meet in every way.
#[test]
fn however_names_meet_every_file_comes_out_or_it_is_an_error() {
    let mut dice = Dice(7);
    for _ in 0..40 {
        let count = 2 + dice.below(12);
        let names: Vec<String> = (0..count)
            .map(|_| {
                let stem = ["a", "b", "a~1", "a~2", "a~3", "a~1~1", "d/a", "d/./a", "d//b"][dice.below(9) as usize];
                format!("{stem}.{}", ["jpg", "bmp"][dice.below(2) as usize])
            })
            .collect();
        let folder = Folder::new();
        let (done, found) = extracted(&folder, &names);
        assert_eq!(done.status.code(), Some(0), "{names:?}: {}", said(&done));
        assert_eq!(found, all(&names), "{names:?}: {:?}", tree(&folder.at("out")).keys());
    }
}

#[test]
fn names_that_are_changed_are_counted_and_the_first_is_named() {
    let folder = Folder::new();
    let members = [
        ("a.jpg", "BM 0"),
        ("a.jpg", "BM 1"),
        ("a.jpg", "BM 2"),
        ("../b.jpg", "BM 3"),
        ("../b.cls", "3"),
        ("c.jpg", "BM 4"),
    ];
    fs::write(folder.at("in.tar"), tar(&members)).unwrap();
    let done = run(&folder, "extract in.tar --all --to out --json");
    let value: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
    assert_eq!((&value["samples"], &value["files"], &value["renamed"]), (&5.into(), &6.into(), &4.into()), "{value}");
    let notes = value["notes"].as_array().unwrap();
    assert_eq!(notes[0], r#"1 name left its folder and is another now: sample 3, "../b.jpg", is "__/b.jpg""#);
    let taken = r#"2 names were taken or too long and are others now; the first: sample 1, "a.jpg", is "a~1.jpg""#;
    assert_eq!(notes[1], taken);
    assert_eq!(fs::read(folder.at("out/a~1.jpg")).unwrap(), b"BM 1");
    let said = said(&run(&folder, "extract in.tar --all --to other"));
    assert!(said.contains(taken) && said.contains("left its folder"), "{said}");
    // If nothing is changed nothing is said.
    let one = run(&folder, "extract in.tar -i 4 --to third --json");
    let value: serde_json::Value = serde_json::from_slice(&one.stdout).unwrap();
    assert_eq!((&value["renamed"], value["notes"].as_array().unwrap().len()), (&0.into(), 0), "{value}");
}

#[test]
fn a_file_and_a_folder_of_one_name_are_an_error_and_nothing_of_the_file_is_lost() {
    let folder = Folder::new();
    let (done, found) = extracted(&folder, &["a.jpg".into(), "a.jpg/b.jpg".into()]);
    assert_eq!(done.status.code(), Some(2), "{}", said(&done));
    assert!(found.contains(b"BM file 0".as_slice()), "{found:?}");
    assert!(said(&done).contains("name of a folder"), "{}", said(&done));
}

#[test]
fn no_link_is_followed_and_nothing_is_made_behind_one() {
    let names = ["a.jpg".to_owned(), "sub/new/dir/x.jpg".to_owned()];
    let folder = Folder::new();
    fs::create_dir_all(folder.at("victim")).unwrap();
    fs::create_dir_all(folder.at("out/inside")).unwrap();
    fs::write(folder.at("victim/file"), "victim").unwrap();
    // A link in place of the file is replaced, and what it led to stays.
    symlink("../victim/file", folder.at("out/a.jpg")).unwrap();
    let (done, found) = extracted(&folder, &names);
    assert_eq!(done.status.code(), Some(0), "{}", said(&done));
    assert_eq!(found, all(&names));
    assert_eq!(fs::read(folder.at("victim/file")).unwrap(), b"victim");
    assert!(fs::symlink_metadata(folder.at("out/a.jpg")).unwrap().is_file());
    // A link in place of a folder is refused, wherever it leads.
    for target in ["../victim", "inside", "../nowhere"] {
        let _ = fs::remove_dir_all(folder.at("out/sub"));
        let _ = fs::remove_file(folder.at("out/sub"));
        symlink(target, folder.at("out/sub")).unwrap();
        let (done, _) = extracted(&folder, &names);
        assert_eq!(done.status.code(), Some(2), "{target}");
        assert!(said(&done).contains("link is in the way"), "{}", said(&done));
        assert_eq!(fs::read_dir(folder.at("victim")).unwrap().count(), 1, "{target}");
        assert_eq!(fs::read_dir(folder.at("out/inside")).unwrap().count(), 0, "{target}");
    }
    // Without --force what exists is refused, whatever it is.
    let done = run(&folder, "extract in.tar -i 0 --to out");
    assert_eq!(done.status.code(), Some(2));
    // The folder itself may be a link: the user named it.
    symlink("out2", folder.at("named")).unwrap();
    fs::create_dir(folder.at("out2")).unwrap();
    assert!(run(&folder, "extract in.tar --all --to named").status.success());
    assert_eq!(fs::read(folder.at("out2/a.jpg")).unwrap(), b"BM file 0");
}

#[test]
fn a_pipe_in_the_way_is_refused_or_replaced_and_never_waited_for() {
    let folder = Folder::new();
    fs::create_dir(folder.at("out")).unwrap();
    fs::write(folder.at("in.tar"), tar(&[("a.jpg", "BM file 0")])).unwrap();
    let pipe = || Command::new("mkfifo").arg(folder.at("out/a.jpg")).status().unwrap().success();
    assert!(pipe());
    // Who waits for a pipe waits for ever.
    let bounded = |args: &str| shell(&folder, &format!("timeout 60 \"$0\" {args}"));
    let done = bounded("extract in.tar --all --to out");
    assert_eq!(done.status.code(), Some(2), "{}", said(&done));
    assert!(bounded("extract in.tar --all --to out --force").status.success());
    assert_eq!(fs::read(folder.at("out/a.jpg")).unwrap(), b"BM file 0");
}

#[test]
fn what_is_replaced_keeps_its_permissions() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    fs::create_dir(folder.at("out")).unwrap();
    fs::write(folder.at("out/a.jpg"), "old").unwrap();
    fs::set_permissions(folder.at("out/a.jpg"), fs::Permissions::from_mode(0o600)).unwrap();
    let (done, _) = extracted(&folder, &["a.jpg".into()]);
    assert!(done.status.success());
    assert_eq!(crate::faults::stock::mode(&folder.at("out/a.jpg")), 0o600);
    assert_eq!(fs::read(folder.at("out/a.jpg")).unwrap(), b"BM file 0");
}
