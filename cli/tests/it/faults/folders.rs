//! Labels that become a folder of files, killed at chance moments: there is no folder, or a whole one.

use std::{fs, process::Stdio, thread, time::Instant};

use crate::{
    common::Folder,
    dice::Dice,
    faults::{
        signals::send,
        stock::{command, run, said, tree},
    },
};

/// How often each format is killed where the environment does not say: `npm run test:kills` says 1,000.
const USUAL: u64 = 30;
const SIGNALS: [&str; 4] = ["KILL", "TERM", "INT", "HUP"];

/// Labels of 400 images in folders of their own.
fn labels() -> String {
    let images: Vec<_> =
        (0..400).map(|i| format!(r#"{{"id":{i},"file_name":"d{}/{i}.jpg","width":80,"height":60}}"#, i % 7)).collect();
    let boxes: Vec<_> = (0..400)
        .map(|i| {
            format!(r#"{{"id":{},"image_id":{i},"category_id":1,"bbox":[1,2,30,40],"area":1200,"iscrowd":0}}"#, i + 1)
        })
        .collect();
    let categories = r#"[{"id":1,"name":"boat"}]"#;
    format!(r#"{{"images":[{}],"annotations":[{}],"categories":{categories}}}"#, images.join(","), boxes.join(","))
}

#[test]
fn labels_killed_while_they_become_a_folder_leave_none_or_all_of_it() {
    let rounds = std::env::var("FOREBAY_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(USUAL);
    let text = labels();
    for format in ["yolo", "voc", "labelme"] {
        let args = format!("labels convert labels.json out --to {format}");
        let begin = || {
            let folder = Folder::new();
            fs::write(folder.at("labels.json"), &text).unwrap();
            folder
        };
        let folder = begin();
        let begun = Instant::now();
        assert!(run(&folder, &args).status.success());
        let (takes, right) = (begun.elapsed(), tree(&folder.at("out")));
        let mut dice = Dice(7);
        let (mut none, mut whole) = (0, 0);
        for round in 0..rounds {
            let folder = begin();
            let signal = SIGNALS[dice.below(4) as usize];
            let what = format!("round {round} of {format}, {signal}");
            let mut command = command(&folder, &args);
            let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
            thread::sleep(takes.mul_f64(dice.below(1200) as f64 / 1000.0));
            send(&child, signal);
            let done = child.wait_with_output().unwrap();
            said(&done);
            if folder.at("out").exists() {
                assert!(tree(&folder.at("out")) == right, "{what}: half a folder");
                whole += 1;
            } else {
                assert!(!done.status.success(), "{what}: success was said, and nothing is there");
                none += 1;
            }
            if signal != "KILL" {
                let left: Vec<_> =
                    folder.names().into_iter().filter(|name| !["labels.json", "out"].contains(&&**name)).collect();
                assert!(left.is_empty(), "{what}: {left:?}");
            }
            // The next run is not hindered by what a killed one left.
            if !folder.at("out").exists() {
                let again = run(&folder, &args);
                assert!(again.status.success(), "{what}: then {}", said(&again));
                assert!(tree(&folder.at("out")) == right, "{what}: then half a folder");
            }
        }
        println!("{format}: {none} without a folder, {whole} with a whole one");
    }
}
