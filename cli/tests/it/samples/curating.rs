//! Duplicates, outliers and splits, as the command tells and writes them.

use std::{fs, process::Output};

use serde_json::{Value, json};

use crate::common::{FOREBAY, Folder, error_of, tar};

/// A bitmap of a scene that looks the same at every size.
fn scene(kind: u32, width: u32, height: u32, light: f64) -> Vec<u8> {
    let line = (width as usize * 3).div_ceil(4) * 4;
    let mut pixels = vec![0; line * height as usize];
    for y in 0..height {
        for x in 0..width {
            let (u, v) = (f64::from(x) / f64::from(width), f64::from(y) / f64::from(height));
            let k = f64::from(kind);
            let wave = |j: f64| {
                (18.0 - j) * ((j * 2.3 + k * 1.1) * u + (7.0 - j) * 1.9 * v + j * k).sin()
                    + (16.0 - j) * ((6.5 - j + k) * u * v * 2.0 + j * 1.7 * v - j * 0.7 * k).cos()
            };
            let level = 120.0 + [1.0, 2.0, 3.0, 4.0, 5.0, 6.0].map(wave).iter().sum::<f64>();
            let at = y as usize * line + x as usize * 3;
            pixels[at..at + 3].fill((level * light).clamp(0.0, 255.0) as u8);
        }
    }
    bitmap(width, height, &pixels)
}

fn bitmap(width: u32, height: u32, pixels: &[u8]) -> Vec<u8> {
    let mut bytes = b"BM".to_vec();
    bytes.extend((54 + pixels.len() as u32).to_le_bytes());
    bytes.extend([0; 4]);
    bytes.extend([54_u32, 40, width, height].map(u32::to_le_bytes).concat());
    bytes.extend([1, 0, 24, 0]);
    bytes.extend([0; 24]);
    bytes.extend(pixels);
    bytes
}

struct Place(Folder);

impl Place {
    fn run(&self, line: &str) -> Output {
        std::process::Command::new(FOREBAY).args(line.split(' ')).current_dir(self.0.path()).output().unwrap()
    }
    fn json(&self, line: &str, code: i32) -> Value {
        let done = self.run(&format!("{line} --json"));
        assert_eq!(done.status.code(), Some(code), "{line}: {done:?}");
        let report = serde_json::from_slice(&done.stdout).unwrap();
        crate::schemas::hold(&line.split(' ').collect::<Vec<_>>(), [&report]);
        report
    }
    fn text(&self, line: &str) -> String {
        let done = self.run(line);
        assert!(done.status.success(), "{line}: {done:?}");
        String::from_utf8(done.stdout).unwrap()
    }
}

/// Six scenes, of which the first is there four times: smaller, darker, and as a copy of that; and two plain pictures.
fn alike() -> Place {
    let mut members: Vec<(String, Vec<u8>)> = Vec::new();
    for kind in 0..6 {
        members.push((format!("{kind}.bmp"), scene(kind, 96, 72, 1.0)));
        members.push((format!("{kind}.cls"), kind.to_string().into_bytes()));
    }
    for (name, picture) in [("small", scene(0, 48, 36, 1.0)), ("dark", scene(0, 64, 48, 0.7))] {
        members.push((format!("{name}.bmp"), picture));
        members.push((format!("{name}.cls"), b"0".to_vec()));
    }
    members.push(("copy.bmp".into(), scene(0, 64, 48, 0.7)));
    members.push(("copy.cls".into(), b"5".to_vec()));
    for (name, level) in [("plain", 20), ("white", 255)] {
        members.push((format!("{name}.bmp"), bitmap(8, 8, &[level; 192])));
    }
    let place = Place(Folder::new());
    fs::write(place.0.at("a.tar"), tar(&members)).unwrap();
    assert!(place.run("convert a.tar a.tbl").status.success());
    place
}

fn names(group: &Value) -> Vec<&str> {
    group["samples"].as_array().unwrap().iter().map(|sample| sample["name"].as_str().unwrap()).collect()
}

#[test]
fn the_same_picture_is_found_at_other_sizes_and_lights() {
    let place = alike();
    for file in ["a.tar", "a.tbl"] {
        let found = place.json(&format!("duplicates {file}"), 0);
        assert_eq!((&found["samples"], &found["plain"], &found["duplicates"]), (&json!(11), &json!(2), &json!(3)));
        let groups = found["groups"].as_array().unwrap();
        assert_eq!((groups.len(), names(&groups[0])), (1, vec!["0.bmp", "dark.bmp", "copy.bmp", "small.bmp"]));
        let group = &groups[0];
        assert_eq!((&group["classes"], &group["exact"]), (&json!(["0", "5"]), &json!(false)), "{group}");
        assert_eq!(group["samples"][3]["width"], 48);
        let exact = place.json(&format!("duplicates {file} --exact"), 0);
        assert_eq!(exact["groups"].as_array().unwrap().len(), 1);
        assert_eq!(names(&exact["groups"][0]), ["dark.bmp", "copy.bmp"]);
        assert_eq!(exact["groups"][0]["exact"], true);
    }
    let some = place.json("duplicates a.tbl --where name!='0.bmp' --label cls", 0);
    assert_eq!(names(&some["groups"][0]), ["dark.bmp", "copy.bmp", "small.bmp"]);
    let text = place.text("duplicates a.tar");
    assert!(text.starts_with("1 group; 3 of 11 samples have a better one\n"), "{text}");
    assert!(
        text.contains("of several classes: 0, 5") && text.contains("same bytes") || text.contains("bits"),
        "{text}"
    );
    assert_eq!(place.json("duplicates a.tbl --distance 0 --workers 1", 0)["duplicates"], 1);
}

#[test]
fn what_is_found_becomes_a_journal_and_a_list() {
    let place = alike();
    place.json("duplicates a.tbl --edits j.jsonl --groups g.csv", 0);
    let list = fs::read_to_string(place.0.at("g.csv")).unwrap();
    assert!(list.starts_with("group,file,i,name,class,keep,distance,exact,width,height,bytes\n0,,"), "{list}");
    assert_eq!(list.lines().count(), 5);
    let applied = place.json("apply a.tbl j.jsonl -o b.tbl", 0);
    assert_eq!((&applied["samples"], &applied["removed"]), (&json!(8), &json!(3)));
    assert_eq!(place.json("duplicates b.tbl", 0)["groups"], json!([]));
    // What is there stays without --force.
    let refused = place.run("duplicates a.tbl --edits j.jsonl --json");
    assert_eq!(refused.status.code(), Some(2), "{refused:?}");
    place.json("duplicates a.tbl --edits j.jsonl --force", 0);
    // Several datasets are one, and say where each is; a journal is of one.
    assert!(place.run("convert b.tbl c.tar").status.success());
    let both = place.json("duplicates b.tbl c.tar --exact", 0);
    assert_eq!(both["groups"].as_array().unwrap().len(), 8);
    assert_eq!(
        (&both["groups"][0]["samples"][0]["file"], &both["groups"][0]["samples"][1]["file"]),
        (&json!("b.tbl"), &json!("c.tar"))
    );
    let refused = place.run("duplicates b.tbl c.tar --edits k.jsonl --json");
    assert_eq!(error_of(&refused)["code"], "usage.argument");
    assert_eq!(place.run("duplicates a.tbl --distance 16 --json").status.code(), Some(2));
}

#[test]
fn pictures_that_do_not_decode_are_named_and_hide_no_other() {
    let place = alike();
    let broken = [&[0xff, 0xd8, 0xff, 0xe0][..], &[0; 40]].concat();
    let mut members = vec![("broken.jpg".to_owned(), broken.clone()), ("again.jpg".to_owned(), broken)];
    members.extend((0..2).map(|i| (format!("{i}.bmp"), scene(1, 60, 40, 1.0))));
    members.push(("film.mp4".into(), b"\0\0\0\x18ftypisom".to_vec()));
    fs::write(place.0.at("broken.tar"), tar(&members)).unwrap();
    let found = place.json("duplicates broken.tar", 1);
    assert_eq!((&found["fault_count"], &found["not_pictures"]), (&json!(2), &json!(1)), "{found}");
    assert_eq!(found["faults"][0]["sample"], 0);
    // The same bytes are the same bytes.
    assert_eq!(found["groups"].as_array().unwrap().len(), 2);
    assert_eq!(place.json("outliers broken.tar", 1)["fault_count"], 2);
}

#[test]
fn a_fault_of_several_datasets_says_whose_it_is() {
    let place = Place(Folder::new());
    let broken = scene(1, 64, 48, 1.0)[..400].to_vec();
    for name in ["a.tar", "b.tar"] {
        fs::write(place.0.at(name), tar(&[("0.bmp", scene(2, 64, 48, 1.0)), ("1.bmp", broken.clone())])).unwrap();
    }
    for command in ["duplicates", "outliers"] {
        let found = place.json(&format!("{command} a.tar b.tar"), 1);
        let files: Vec<_> = found["faults"].as_array().unwrap().iter().map(|fault| fault["file"].clone()).collect();
        assert_eq!(files, ["a.tar", "b.tar"], "{command}");
        let told = place.run(&format!("{command} a.tar b.tar"));
        assert!(String::from_utf8_lossy(&told.stderr).contains("fault: b.tar, "), "{told:?}");
        // Of one it is known.
        assert_eq!(place.json(&format!("{command} a.tar"), 1)["faults"][0]["file"], Value::Null);
    }
    let joined = place.json("convert a.tar b.tar joined.tbl --decode 8 --keep-going", 1);
    assert_eq!((&joined["faults"][0]["file"], &joined["faults"][1]["file"]), (&"a.tar".into(), &"b.tar".into()));
}

#[test]
fn how_far_it_is_never_passes_the_end() {
    use forebay_native::{Dataset, curate};
    let place = alike();
    let broken = [&[0xff, 0xd8, 0xff, 0xe0][..], &[0; 40]].concat();
    fs::write(place.0.at("b.tar"), tar(&[("a.jpg".to_owned(), broken)])).unwrap();
    let dataset = Dataset::open(place.0.at("b.tar")).unwrap();
    let mut last = (0, 0);
    curate::duplicates(&[dataset], Some(6), &curate::SurveyOptions::default(), &mut |done, of| last = (done, of))
        .unwrap();
    assert_eq!(last, (1, 1));
}

#[test]
fn what_cannot_be_written_is_refused_before_anything_is() {
    let place = alike();
    fs::write(place.0.at("there"), "mine").unwrap();
    for wrong in [
        "duplicates a.tbl --groups new --edits there",
        "outliers a.tbl --list new --edits there",
        "duplicates a.tbl --groups new --edits new --force",
        "outliers a.tbl --list - --edits -",
    ] {
        let refused = place.run(&format!("{wrong} --json"));
        assert_eq!(error_of(&refused)["code"], "usage.argument", "{wrong}");
        assert!(!place.0.at("new").exists(), "{wrong}");
        assert_eq!(fs::read_to_string(place.0.at("there")).unwrap(), "mine");
    }
    fs::create_dir(place.0.at("out")).unwrap();
    fs::write(place.0.at("out/val.tbl"), "mine").unwrap();
    let refused = place.run("split a.tbl --train 0.5 --val 0.5 -o out --list new --json");
    assert_eq!(error_of(&refused)["code"], "usage.argument");
    assert!(!place.0.at("new").exists());
    assert_eq!(fs::read_dir(place.0.at("out")).unwrap().count(), 1);
}

#[test]
fn what_goes_to_standard_output_is_alone_there() {
    let place = alike();
    for more in ["", " --json"] {
        let list = place.text(&format!("duplicates a.tbl --groups -{more}"));
        assert_eq!((list.starts_with("group,file,"), list.lines().count()), (true, 5), "{list}");
        let list = place.text(&format!("split a.tbl --train 1 --list -{more}"));
        assert_eq!((list.starts_with("i,name,part\n"), list.lines().count()), (true, 12), "{list}");
        fs::write(place.0.at("j.jsonl"), place.text(&format!("duplicates a.tbl --edits -{more}"))).unwrap();
        assert_eq!(place.json("edits check j.jsonl --of a.tbl", 0)["removed"], 3);
    }
}

#[test]
fn one_group_is_one_part_and_what_does_not_read_is_told_once() {
    let place = Place(Folder::new());
    let mut members: Vec<(String, Vec<u8>)> = Vec::new();
    for i in 0..10_u32 {
        let json = if i == 4 { "{\"run\": 1, ".to_owned() } else { format!("{{\"run\": 1, \"n\": {i}}}") };
        members.push((format!("{i}.bmp"), scene(i % 5, 40, 30, 1.0)));
        members.push((format!("{i}.json"), json.into_bytes()));
    }
    fs::write(place.0.at("a.tar"), tar(&members)).unwrap();
    let told = |line: &str| {
        let done = place.run(&format!("split a.tar --train 0.5 --val 0.5 {line} --force --json"));
        serde_json::from_slice::<Value>(&done.stdout).unwrap()
    };
    let far = told("--where json.run==1 --list l.csv");
    let near = told("--where json.run==1 --near 0 --list l.csv");
    assert_eq!(near["fault_count"], far["fault_count"], "{near}");
    let one = told("--where json.run==1 --group json.run --list l.csv");
    let of = |part: usize| one["parts"][part]["samples"].as_u64().unwrap();
    assert_eq!((of(0).min(of(1)), &one["groups"]), (0, &json!(1)), "{one}");
    // A part without a sample is a file without a sample.
    place.run("split a.tar --train 0.5 --val 0.5 --where json.run==1 --group json.run -o out --to tbl");
    let sizes =
        ["train", "val"].map(|part| place.json(&format!("check out/{part}.tbl"), 0)["samples"].as_u64().unwrap());
    assert_eq!(sizes, [of(0), of(1)]);
}

#[test]
fn outliers_have_reasons_and_become_tags() {
    let place = Place(Folder::new());
    let mut members: Vec<(String, Vec<u8>)> =
        (0..30).map(|i| (format!("{i:02}.bmp"), scene(i % 6, 90 + i % 4, 70, 0.9 + f64::from(i % 5) / 20.0))).collect();
    members.push(("night.bmp".into(), scene(2, 90, 70, 0.02)));
    members.push(("strip.bmp".into(), scene(3, 300, 4, 1.0)));
    fs::write(place.0.at("a.tar"), tar(&members)).unwrap();
    let found = place.json("outliers a.tar --edits j.jsonl --list l.csv", 0);
    assert_eq!(found["samples"], 32);
    let reasons = |name: &str| -> Vec<String> {
        let rows = found["outliers"].as_array().unwrap();
        let row = rows.iter().find(|row| row["name"] == name).unwrap_or_else(|| panic!("{found}"));
        row["reasons"].as_array().unwrap().iter().map(|r| r["reason"].as_str().unwrap().to_owned()).collect()
    };
    assert!(reasons("night.bmp").contains(&"dark".to_owned()));
    assert!(reasons("strip.bmp").contains(&"wide".to_owned()));
    assert_eq!(found["traits"].as_array().unwrap().len(), 6);
    assert!(
        fs::read_to_string(place.0.at("l.csv")).unwrap().starts_with("file,i,name,reason,trait,value,usual,score\n")
    );
    place.json("apply a.tar j.jsonl -o b.tbl", 0);
    let done = std::process::Command::new(FOREBAY)
        .args(["head", "b.tbl", "--where", "'dark' in tags", "--json"])
        .current_dir(place.0.path())
        .output()
        .unwrap();
    assert_eq!(serde_json::from_slice::<Value>(&done.stdout).unwrap()["name"], "night.bmp");
    // Without one of how pictures look nothing is decoded.
    let shapes = place.json("outliers a.tar --by aspect,pixels", 0);
    assert_eq!(shapes["traits"].as_array().unwrap().len(), 2);
    assert_eq!(place.run("outliers a.tar --score 0 --json").status.code(), Some(2));
    assert!(place.text("outliers a.tar").contains("are outliers"));
}

#[test]
fn parts_have_their_share_of_every_class_and_groups_stay_together() {
    let place = Place(Folder::new());
    let mut members: Vec<(String, Vec<u8>)> = Vec::new();
    for i in 0..40_u32 {
        members.push((format!("{i:02}.bmp"), scene(i % 5, 20 + i, 20, 1.0)));
        members.push((format!("{i:02}.json"), format!("{{\"label\":\"c{}\",\"run\":{}}}", i % 4, i / 4).into_bytes()));
    }
    fs::write(place.0.at("a.tar"), tar(&members)).unwrap();
    let by = "split a.tar --train 0.75 --val 0.25 --by json.label";
    let made = place.json(&format!("{by} -o out --to tbl --list l.csv"), 0);
    let parts = made["parts"].as_array().unwrap();
    assert_eq!(
        (&parts[0]["part"], &parts[0]["samples"], &parts[1]["samples"]),
        (&json!("train"), &json!(30), &json!(10))
    );
    for class in parts[1]["classes"].as_array().unwrap() {
        assert!([2, 3].contains(&class["samples"].as_u64().unwrap()), "{class}");
    }
    assert_eq!(place.json("stats out/train.tbl", 0)["samples"], 30);
    assert_eq!(place.json("check out/val.tbl", 0)["samples"], 10);
    let list = fs::read_to_string(place.0.at("l.csv")).unwrap();
    assert_eq!((list.lines().count(), list.lines().nth(1).unwrap().starts_with("0,00.bmp,")), (41, true));
    // The same seed, the same parts; another, others.
    let listed = |seed: u32| {
        place.json(&format!("{by} --seed {seed} --list s{seed}.csv --force"), 0);
        fs::read_to_string(place.0.at(&format!("s{seed}.csv"))).unwrap()
    };
    assert_eq!(listed(0), list);
    assert_ne!(listed(1), list);
    assert_eq!(place.run(&format!("{by} -o out --to tbl")).status.code(), Some(2), "what is there stays");
    // Runs are not torn, and neither are pictures that are alike.
    let made = place.json("split a.tar --train 0.5 --test 0.5 --group json.run --list g.csv", 0);
    assert_eq!(made["groups"], 10);
    let list = fs::read_to_string(place.0.at("g.csv")).unwrap();
    let part = |i: usize| list.lines().nth(i + 1).unwrap().rsplit(',').next().unwrap();
    assert!((0..40).all(|i| part(i) == part(i / 4 * 4)), "{list}");
    let near = place.json("split a.tar --train 0.5 --test 0.5 --near 6 --list n.csv", 0);
    assert!(near["groups"].as_u64().unwrap() >= 1, "{near}");
    for wrong in [
        "split a.tar --train 0.8 --val 0.3 -o p",
        "split a.tar --train 0.8 --val 0.2",
        "split a.tar --train 1 --by nothing -o p",
        "split a.tar --train 1 --group nothing -o p",
        "split a.tar --shards 2 --train 0.5 -o p",
        "split a.tar --shards 2 --list l.csv -o p",
        "split a.tar --shards 2 --seed 3 -o p",
        "split a.tar -o p",
    ] {
        let refused = place.run(&format!("{wrong} --json"));
        assert_eq!(
            (refused.status.code(), &error_of(&refused)["code"]),
            (Some(2), &json!("usage.argument")),
            "{wrong}"
        );
    }
    assert!(!place.0.at("p").exists());
}
