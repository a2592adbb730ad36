//! What is made of a dataset never stands in the place of the dataset, however it is asked for.

use std::{fs, process::Output};

use crate::common::{FOREBAY, Folder, bmp, error_of, tar};

fn run(folder: &Folder, line: &str) -> Output {
    std::process::Command::new(FOREBAY).args(line.split(' ')).current_dir(folder.path()).output().unwrap()
}

/// A dataset of four pictures as a TBL called `train` and as a TAR, whose last sample has the archive's own name.
fn folder() -> Folder {
    let folder = Folder::new();
    let mut members: Vec<(String, Vec<u8>)> = Vec::new();
    for i in 0..4_u8 {
        members.push((format!("{i}.bmp"), bmp(8, u32::from(i) + 1)));
        members.push((format!("{i}.cls"), (i % 2).to_string().into_bytes()));
    }
    members.push(("a.tar".into(), b"a sample with the archive's name".to_vec()));
    fs::write(folder.at("a.tar"), tar(&members)).unwrap();
    assert!(run(&folder, "convert a.tar train.tbl").status.success());
    assert!(run(&folder, "shards train.tbl -o . --shards 2 --name s").status.success());
    fs::remove_dir_all(folder.at(".forebay-shards")).unwrap();
    let built = run(&folder, "warehouse build train.tbl -o w --boxes none --size 8x8 -q");
    assert!(built.status.success() || folder.at("w").is_dir(), "{built:?}");
    #[cfg(unix)]
    std::os::unix::fs::symlink("train.tbl", folder.at("link.tbl")).unwrap();
    folder
}

/// The one warehouse that is there.
fn warehouse(folder: &Folder) -> String {
    let mut all = fs::read_dir(folder.at("w")).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    format!("w/{}", all.find(|name| name.starts_with('v')).unwrap())
}

#[test]
fn no_file_that_is_written_replaces_what_is_read() {
    let folder = folder();
    let (w, link) = (warehouse(&folder), if cfg!(unix) { "link.tbl" } else { "train.tbl" });
    fs::create_dir(folder.at("d")).unwrap();
    for name in ["d/0.bmp", "d/0.json", "l.json", "c.txt", "m.json", "j.tbl", "r.csv"] {
        fs::write(folder.at(name), if name == "d/0.bmp" { bmp(8, 1) } else { name.into() }).unwrap();
    }
    fs::create_dir(folder.at("y")).unwrap();
    fs::write(folder.at("y/0.txt"), "0 0.5 0.5 0.5 0.5\n").unwrap();
    fs::write(folder.at("y/data.yaml"), "names: [a]\n").unwrap();
    let (manifest, shard) = (format!("{w}/manifest.json"), format!("{w}/shard_00000.bin"));
    let kept = [
        "a.tar",
        "train.tbl",
        "s-00000-of-00002.tbl",
        "s-00001-of-00002.tbl",
        "d/0.bmp",
        "d/0.json",
        "l.json",
        "c.txt",
        "m.json",
        "j.tbl",
        "r.csv",
        "y/0.txt",
        "y/data.yaml",
        &manifest,
        &shard,
    ];
    let before = kept.map(|name| fs::read(folder.at(name)).unwrap());
    for line in [
        "duplicates train.tbl --edits train.tbl --force".to_owned(),
        "duplicates a.tar train.tbl --groups ./train.tbl --force".into(),
        "outliers train.tbl --list train.tbl --force".into(),
        format!("outliers train.tbl --edits {link} --force"),
        "thumbs a.tar -o a.tar --force".into(),
        format!("thumbs train.tbl -o {link} --force"),
        "split train.tbl --train 0.5 --val 0.5 --list train.tbl --force".into(),
        "split train.tbl --train 0.5 --val 0.5 -o . --force".into(),
        "labels skeleton train.tbl --to coco -o train.tbl --force".into(),
        "extract train.tbl -i 1 -o train.tbl --force".into(),
        "shards s-00000-of-00002.tbl s-00001-of-00002.tbl -o . --shards 2 --name s --shuffle 1 --force".into(),
        format!("warehouse export {w} -o {w}/manifest.json --force"),
        format!("warehouse drift {w} {w}/manifest.json --svg {w}/manifest.json --force"),
        "warehouse build train.tbl -o w2 --boxes none --size 8x8 --trace train.tbl".into(),
        "warehouse build train.tbl -o w2 --boxes none --size 8x8 --trace a.tar".into(),
        "labels convert a.tar a.tar --to coco --boxes json.boxes:xywh --force".into(),
        "labels convert l.json l.json --to cvat --force".into(),
        "labels convert y y/data.yaml --to coco --force".into(),
        "labels convert y y/0.txt --to coco --force".into(),
        "labels convert y c.txt --classes c.txt --to coco --force".into(),
        "labels convert l.json d/0.json --pictures d --to coco --force".into(),
        "labels skeleton d --to coco -o d/0.bmp --force".into(),
        "bench train.tbl --batch 2 --image 8 --timeline train.tbl --force".into(),
        "duplicates d --groups d/0.bmp --force".into(),
        "split d --train 0.5 --val 0.5 --list d/0.json --force".into(),
        "convert d d/0.bmp --to tar --force".into(),
        "convert --labels l.json a.tar l.json --to tbl --force".into(),
        "convert --metadata m.json a.tar m.json --to tbl --force".into(),
        "convert r.csv m.json --to jsonl --schema m.json --force".into(),
        format!("convert {w} {shard} --to tar --force"),
        format!("convert {w} {manifest} --to jsonl --force"),
        "apply train.tbl j.tbl -o j.tbl --force".into(),
    ] {
        let done = run(&folder, &format!("{line} --json"));
        assert_eq!(done.status.code(), Some(2), "{line}: {done:?}");
        assert_eq!(error_of(&done)["code"], "usage.argument", "{line}");
        for (name, before) in kept.iter().zip(&before) {
            assert!(fs::read(folder.at(name)).unwrap() == *before, "{line} changed {name}");
        }
    }
    // What an earlier run left is replaced as before.
    for line in ["duplicates train.tbl --groups g.csv --force", "thumbs train.tbl --force"] {
        assert!([run(&folder, line), run(&folder, line)].iter().all(|done| done.status.code() != Some(2)), "{line}");
    }
}

#[test]
fn a_sample_with_the_name_of_its_archive_gets_another() {
    let folder = folder();
    let before = fs::read(folder.at("a.tar")).unwrap();
    for force in ["", " --force"] {
        let done = run(&folder, &format!("extract a.tar --all --to . --json{force}"));
        assert!(done.status.success(), "{done:?}");
        assert!(fs::read(folder.at("a.tar")).unwrap() == before);
        assert_eq!(fs::read(folder.at("a~4.tar")).unwrap(), b"a sample with the archive's name");
    }
}

#[test]
fn a_trace_of_an_earlier_build_is_replaced() {
    let folder = folder();
    for w in ["w3", "w4"] {
        let line = format!("warehouse build a.tar -o {w} --boxes none --size 8x8 --trace t.jsonl");
        let done = run(&folder, &line);
        assert!(done.status.code() != Some(2), "{done:?}");
        assert_eq!(fs::read_to_string(folder.at("t.jsonl")).unwrap().lines().count(), 1);
    }
}
