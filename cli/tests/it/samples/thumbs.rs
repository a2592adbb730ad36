//! Thumbnails in a file of their own, as the command makes and checks them.

use std::{fs, process::Output};

use forebay_native::{Dataset, thumbs::Strip};
use serde_json::Value;

use crate::common::{FOREBAY, Folder, error_of, tar};

fn run(folder: &Folder, line: &str) -> Output {
    std::process::Command::new(FOREBAY).args(line.split(' ')).current_dir(folder.path()).output().unwrap()
}
fn json(folder: &Folder, line: &str, code: i32) -> Value {
    let done = run(folder, &format!("{line} --json"));
    assert_eq!(done.status.code(), Some(code), "{line}: {done:?}");
    let report = serde_json::from_slice(&done.stdout).unwrap();
    crate::schemas::hold(&line.split(' ').collect::<Vec<_>>(), [&report]);
    report
}

/// A bitmap of one color.
fn bitmap(width: u32, height: u32, level: u8) -> Vec<u8> {
    let line = (width as usize * 3).next_multiple_of(4);
    let pixels = vec![level; line * height as usize];
    let mut bytes = b"BM".to_vec();
    bytes.extend((54 + pixels.len() as u32).to_le_bytes());
    bytes.extend([0; 4]);
    bytes.extend([54_u32, 40, width, height].map(u32::to_le_bytes).concat());
    bytes.extend([1, 0, 24, 0]);
    bytes.extend([0; 24]);
    bytes.extend(pixels);
    bytes
}

/// Pictures of several shapes, one that is damaged and a text.
fn folder() -> Folder {
    let mut members: Vec<(String, Vec<u8>)> = Vec::new();
    for i in 0..300_u32 {
        members.push((format!("{i:03}.bmp"), bitmap(40 + i, 30, i as u8)));
        members.push((format!("{i:03}.cls"), (i % 3).to_string().into_bytes()));
    }
    members.push(("damaged.jpg".into(), vec![0xff, 0xd8, 0xff, 0xe0, 0, 0]));
    members.push(("text.txt".into(), b"no picture".to_vec()));
    let folder = Folder::new();
    fs::write(folder.at("a.tar"), tar(&members)).unwrap();
    assert!(run(&folder, "convert a.tar a.tbl --compression lz4").status.success());
    folder
}

#[test]
fn every_sample_has_its_place_in_a_strip_that_says_what_it_is_of() {
    let folder = folder();
    for name in ["a.tbl", "a.tar"] {
        let made = json(&folder, &format!("thumbs {name} --size 32"), 1);
        let output = format!("{name}.thumbs");
        assert_eq!((made["samples"].as_u64(), made["output"].as_str()), (Some(302), Some(output.as_str())));
        assert_eq!((made["not_pictures"].as_u64(), made["fault_count"].as_u64()), (Some(1), Some(1)));
        assert_eq!(made["faults"][0]["sample"], 300);
        assert_eq!(made["output_bytes"], fs::metadata(folder.at(&output)).unwrap().len());
        let dataset = Dataset::open(folder.at(name)).unwrap();
        let strip = Strip::open(&folder.at(&output), &dataset).unwrap();
        assert_eq!((strip.len(), strip.size()), (302, 32));
        assert!(strip.get(17).unwrap().is_some() && strip.get(300).unwrap().is_none());
        assert!(strip.get(301).unwrap().is_none());
        // It is a dataset like any other, and sound.
        assert!(run(&folder, &format!("check {output} --decode")).status.success());
        let own = Dataset::open(folder.at(&output)).unwrap();
        assert_eq!((own.info(17).unwrap().width, own.info(17).unwrap().height), (32, 17));
        assert_eq!(own.sample_name(17).unwrap().as_deref(), Some("17.jpg"));
        let source = own.document().unwrap()["source"].as_str().unwrap().to_owned();
        assert_eq!(source, format!("thumbnails of {name} ({})", made["digest"].as_str().unwrap()));
        assert_eq!(json(&folder, &format!("thumbs {name} --check"), 0)["size"], 32);
    }
    // The same bytes whatever the number of threads.
    for workers in [1, 3] {
        assert_eq!(
            run(&folder, &format!("thumbs a.tbl --size 32 --workers {workers} -o b.thumbs -f")).status.code(),
            Some(1)
        );
        assert_eq!(fs::read(folder.at("b.thumbs")).unwrap(), fs::read(folder.at("a.tbl.thumbs")).unwrap());
    }
}

#[test]
fn strips_of_other_files_and_of_earlier_ones_are_refused() {
    let folder = folder();
    json(&folder, "thumbs a.tbl --size 16", 1);
    assert_eq!(error_of(&run(&folder, "thumbs a.tbl --json"))["kind"], "usage");
    let refused = |line: &str| error_of(&run(&folder, line))["code"].as_str().unwrap().to_owned();
    assert_eq!(refused("thumbs a.tar --check -o a.tbl.thumbs --json"), "thumbs.other_file");
    assert_eq!(refused("thumbs a.tbl --check -o a.tbl --json"), "thumbs.other_file");
    // The same samples with other bytes of metadata.
    assert!(run(&folder, "convert a.tbl b.tbl --compression lz4 --metadata-format msgpack").status.success());
    assert_eq!(refused("thumbs b.tbl --check -o a.tbl.thumbs --json"), "thumbs.other_file");
    fs::write(folder.at("short.thumbs"), &fs::read(folder.at("a.tbl.thumbs")).unwrap()[..900]).unwrap();
    assert_ne!(run(&folder, "thumbs a.tbl --check -o short.thumbs").status.code(), Some(0));
    fs::create_dir(folder.at("d")).unwrap();
    fs::write(folder.at("d/x.bmp"), bitmap(8, 8, 1)).unwrap();
    assert_eq!(refused("thumbs d --json"), "usage.argument");
    assert_eq!(run(&folder, "thumbs a.tbl --size 1").status.code(), Some(2));
    assert_eq!(run(&folder, "thumbs a.tbl --check --force").status.code(), Some(2));
}
