//! Whatever stops a conversion, the output is the old one or none, and one error says why.

use std::{
    fs,
    io::Write,
    process::{Command, Output},
};

use crate::{
    common::{FOREBAY, Folder, bmp, error_of, forebay, tar},
    faults::signals::half_done,
};

fn archive(samples: u32) -> Vec<u8> {
    tar(&(0..samples).map(|i| (format!("{i:05}.bmp"), bmp(400, i))).collect::<Vec<_>>())
}

#[test]
fn killed_in_the_middle_it_leaves_no_output_or_the_old_one() {
    for (more, old) in [("", None), ("--force", Some(b"the old one"))] {
        let folder = Folder::new();
        old.iter().for_each(|old| fs::write(folder.at("o.tbl"), old).unwrap());
        let (mut child, _stdin, _) = half_done(&folder, "", more);
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(fs::read(folder.at("o.tbl")).ok().as_deref(), old.map(<[u8; 11]>::as_slice), "{:?}", folder.names());
    }
}

#[test]
fn an_input_that_ends_in_the_middle_leaves_nothing() {
    let folder = Folder::new();
    let (child, stdin, _) = half_done(&folder, "", "--json");
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(error_of(&output)["code"], "tar.truncated");
    assert_eq!(folder.names(), [] as [&str; 0]);
}

#[test]
fn a_conversion_that_may_finish_replaces_the_old_output() {
    let folder = Folder::new();
    fs::write(folder.at("o.tbl"), "the old one").unwrap();
    let (child, mut stdin, rest) = half_done(&folder, "", "--force");
    stdin.write_all(&rest).unwrap();
    drop(stdin);
    assert!(child.wait_with_output().unwrap().status.success());
    assert_eq!(folder.names(), ["o.tbl"]);
    assert_eq!(forebay_native::Dataset::open(folder.at("o.tbl")).unwrap().len(), 3000);
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
