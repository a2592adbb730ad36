//! A process that ends in the middle: there is no object, or a whole one.

use std::{
    process::Stdio,
    thread,
    time::{Duration, Instant},
};

use crate::writing::place::{Place, archive};

/// Numbers without a pattern, the same in every run.
fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *state >> 33
}

/// How often each kind of writing is killed where the environment does not say: `npm run test:kills` says 1,000.
const USUAL: u64 = 40;

fn rounds() -> u64 {
    std::env::var("FOREBAY_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(USUAL)
}

/// What is written, by which command: `OUT` stands for a folder, here or in the store.
const WRITES: [(&str, &[&str]); 5] = [
    ("convert some.tar OUT/out.tbl", &["out.tbl"]),
    ("convert a.tar OUT/out.tbl", &["out.tbl"]),
    ("convert some.tbl OUT/out.tar", &["out.tar"]),
    ("convert t.csv OUT/out.parquet", &["out.parquet"]),
    ("shards some.tar -o OUT --shards 2 --name out", &["out-00000-of-00002.tbl", "out-00001-of-00002.tbl"]),
];

/// The command with its output in a folder.
fn words(place: &Place, write: &str, out: &str) -> Vec<String> {
    let word = |word: &str| match word {
        "convert" | "shards" => word.to_owned(),
        _ if word.contains("OUT") => word.replace("OUT", out),
        _ if word.contains('.') => place.local(word),
        _ => word.to_owned(),
    };
    write.split(' ').map(word).chain(["-q".into(), "--force".into()]).collect()
}

/// Kills writing at chance moments, and looks what is there: nothing, or all of it.
fn kill_writing(
    out: impl Fn(&Place) -> String,
    there: impl Fn(&Place, &str) -> Option<Vec<u8>>,
    clear: impl Fn(&Place),
) {
    let place = Place::new();
    std::fs::write(place.folder.at("some.tar"), archive(200, 18_000_000)).unwrap();
    std::fs::write(place.folder.at("t.csv"), "name,age\n".to_owned() + &"ann,31\n".repeat(20_000)).unwrap();
    place.succeed(&["convert", &place.local("some.tar"), &place.local("some.tbl"), "-q"]);
    let run = |write: &str, out: &str| {
        let words = words(&place, write, out);
        place.command(&words.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let right: Vec<_> = WRITES
        .iter()
        .enumerate()
        .map(|(number, (write, names))| {
            let folder = place.folder.at(&format!("right-{number}"));
            std::fs::create_dir(&folder).unwrap();
            let begun = Instant::now();
            assert!(run(write, folder.to_str().unwrap()).status().unwrap().success(), "{write}");
            let bytes: Vec<_> = names.iter().map(|name| std::fs::read(folder.join(name)).unwrap()).collect();
            (bytes, begun.elapsed())
        })
        .collect();
    place.server.latency(Duration::from_millis(5));
    let (mut state, mut ended, mut whole) = (1, 0, 0);
    for round in 0..rounds() {
        let number = (random(&mut state) % WRITES.len() as u64) as usize;
        let ((write, names), (right, takes)) = (WRITES[number], &right[number]);
        let mut child = run(write, &out(&place)).stderr(Stdio::null()).stdout(Stdio::null()).spawn().unwrap();
        thread::sleep(takes.mul_f64((random(&mut state) % 1500) as f64 / 1000.0));
        // SIGKILL.
        child.kill().unwrap();
        let done = child.wait().unwrap().success();
        ended += u64::from(done);
        for (name, right) in names.iter().zip(right) {
            let found = there(&place, name);
            assert!(found.as_ref().is_none_or(|found| found == right), "round {round}: half of {name}, by {write}");
            assert!(found.is_some() || !done, "round {round}: {name} is said to be there, by {write}");
            whole += u64::from(found.is_some());
        }
        // What a request did that was sent before the end may be seen a round later.
        thread::sleep(Duration::from_millis(20));
        clear(&place);
    }
    println!("{} kills, of which {ended} came too late; {whole} outputs were whole, none was half", rounds());
    assert!(ended < rounds(), "nothing was killed");
}

#[test]
fn a_killed_process_leaves_no_half_object() {
    kill_writing(
        |_| "s3://bucket".into(),
        |place, name| place.there(name),
        |place| place.server.paths().iter().for_each(|path| place.server.remove(path)),
    );
}

#[test]
fn a_killed_process_leaves_no_half_file() {
    kill_writing(
        |place| {
            std::fs::create_dir_all(place.folder.at("out")).unwrap();
            place.local("out")
        },
        |place, name| std::fs::read(place.folder.at("out").join(name)).ok(),
        |place| std::fs::remove_dir_all(place.folder.at("out")).unwrap(),
    );
}

#[cfg(unix)]
#[test]
fn a_signal_takes_the_parts_along() {
    for (name, number) in [("INT", 2), ("TERM", 15), ("HUP", 1)] {
        let place = Place::with_big();
        place.server.fail("partNumber=2", crate::server::Fault::Late(Duration::from_secs(3)));
        let mut child = place
            .command(&["convert", &place.local("big.tar"), "s3://bucket/out.tbl", "-q"])
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        while !place.server.has_asked("partNumber=3") {
            thread::sleep(Duration::from_millis(5));
        }
        let sent = std::process::Command::new("sh").args(["-c", &format!("kill -{name} {}", child.id())]).status();
        assert!(sent.unwrap().success());
        assert_eq!(child.wait().unwrap().code(), Some(128 + number));
        assert_eq!((place.there("out.tbl"), place.server.uploads()), (None, 0), "{name}");
    }
}
