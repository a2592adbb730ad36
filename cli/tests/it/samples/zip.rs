//! ZIP archives by the command: what they are, what is wrong with them, and what they become.

use serde_json::{Value, json};

use crate::{
    common::{FOREBAY, Folder, bmp, error_of, tar},
    zip_made::archive,
};

struct Place(Folder);

impl Place {
    fn run(&self, args: &[&str]) -> std::process::Output {
        std::process::Command::new(FOREBAY).args(args).arg("--json").current_dir(self.0.path()).output().unwrap()
    }
    fn json(&self, args: &[&str]) -> (bool, Value) {
        let done = self.run(args);
        let text = String::from_utf8(done.stdout).unwrap();
        let line: Option<Value> = text.lines().next().map(|line| serde_json::from_str(line).unwrap());
        crate::schemas::hold(args, &line);
        (done.status.success(), line.unwrap_or_default())
    }
    fn write(&self, name: &str, bytes: &[u8]) {
        std::fs::write(self.0.path().join(name), bytes).unwrap();
    }
    fn bytes(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.0.path().join(name)).unwrap()
    }
}

#[test]
fn a_zip_is_what_the_tar_of_its_sorted_files_is() {
    let place = Place(Folder::new());
    let (one, two) = (bmp(8, 1), bmp(8, 2));
    let members = [
        ("train/2.bmp", &two[..], true),
        ("train/1.json", b"{\"a\": 1}", true),
        ("train/2.cls", b"7", false),
        ("train/", b"", false),
        ("train/1.bmp", &one, false),
    ];
    place.write("a.zip", &archive(&members, false));
    place.write("wide.zip", &archive(&members, true));
    let sorted =
        [("train/1.bmp", &one[..]), ("train/1.json", b"{\"a\": 1}"), ("train/2.bmp", &two), ("train/2.cls", b"7")];
    place.write("a.tar", &tar(&sorted));
    let (ok, facts) = place.json(&["inspect", "a.zip"]);
    assert!(ok, "{facts}");
    assert_eq!((&facts["format"], &facts["samples"], &facts["members"]), (&json!("zip"), &json!(2), &json!(4)));
    assert_eq!((&facts["compression"], &facts["skipped"]["directories"]), (&json!("deflate"), &json!(1)));
    for (from, to) in [("a.zip", "z.tar"), ("wide.zip", "w.tar"), ("a.tar", "t.tar"), ("a.zip", "z.tbl")] {
        let (ok, told) = place.json(&["convert", from, to]);
        assert!(ok && told["samples"] == 2, "{from}: {told}");
    }
    assert_eq!(place.bytes("z.tar"), place.bytes("t.tar"));
    assert_eq!(place.bytes("w.tar"), place.bytes("t.tar"));
    for file in ["a.zip", "z.tbl"] {
        let (ok, report) = place.json(&["check", file]);
        assert!(ok && report["ok"] == true, "{file}: {report}");
    }
    let (_, found) = place.json(&["stats", "a.zip", "--where", "width == 8 && cls == 7"]);
    assert_eq!(found["samples"], 1, "{found}");
}

#[test]
fn what_is_wrong_with_a_zip_is_told_by_member() {
    let place = Place(Folder::new());
    let mut file = archive(&[("a.bmp", &bmp(8, 1), false), ("b.bmp", &bmp(8, 2), false)], false);
    let directory = file.windows(4).position(|bytes| bytes == b"PK\x01\x02").unwrap();
    // The last byte of the second payload.
    file[directory - 1] ^= 1;
    place.write("a.zip", &file);
    let (ok, report) = place.json(&["check", "a.zip"]);
    assert!(!ok && report["fault_count"] == 1, "{report}");
    assert_eq!((&report["faults"][0]["code"], &report["faults"][0]["sample"]), (&json!("zip.crc"), &json!(1)));
    // Encrypted.
    file[directory + 8] |= 1;
    place.write("secret.zip", &file);
    let error = error_of(&place.run(&["head", "secret.zip"]));
    assert_eq!((&error["code"], &error["member"]), (&json!("zip.encrypted"), &json!("a.bmp")));
}

#[test]
fn names_with_a_dot_in_front_hide_nothing() {
    let place = Place(Folder::new());
    let picture = bmp(8, 1);
    let members = [("./1.bmp", &picture[..], true), ("./1.cls", b"7", true), ("../2.bmp", &picture, false)];
    place.write("a.zip", &archive(&members, false));
    place.write("b.tar", &tar(&members.map(|(name, bytes, _)| (name, bytes))));
    for (from, to) in [("a.zip", "a.tbl"), ("b.tar", "b.tbl")] {
        let (fine, said) = place.json(&["convert", from, to]);
        assert!(fine && said["samples"] == 2 && said["skipped_members"] == 0, "{said}");
    }
    let (same, said) = place.json(&["diff", "a.tbl", "b.tbl"]);
    assert!(same && said["equal"] == 2, "{said}");
}
