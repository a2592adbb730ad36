//! A warehouse that several machines build into a store: each is a process here, and they share nothing but the store.

use std::{
    collections::BTreeMap,
    path::PathBuf,
    process::{Child, Command, Stdio},
    thread,
    time::Duration,
};

use forebay_native::warehouse::{self, Existing, Settings};

use crate::remote::{Folder, bmp, server::Server};

const OUT: &str = "s3://bucket/w";

fn settings_of_build() -> Settings {
    let mut settings = Settings::default().with_size(8, 8);
    // Four shards of 10 pictures each.
    settings.shard_bytes = 10 * (8 * 8 * 3 * 4 + 16 * 16 + 16);
    (settings.created_at_ms, settings.existing, settings.workers) = (Some(1), Existing::Reuse, Some(1));
    settings
}

/// Pictures, the warehouse of them as files by their names, and a store.
struct Place {
    folder: Folder,
    server: Server,
    right: BTreeMap<String, Vec<u8>>,
}

impl Place {
    fn new() -> Place {
        let folder = Folder::new();
        std::fs::create_dir(folder.at("pictures")).unwrap();
        for i in 0..40 {
            std::fs::write(folder.at(&format!("pictures/{i:02}.bmp")), bmp(8 + i % 3, i)).unwrap();
        }
        let built = warehouse::build(&[folder.at("pictures")], &folder.at("right"), &settings_of_build()).unwrap();
        assert!(built.shards >= 3, "{built:?}");
        let version = built.manifest.parent().unwrap();
        let file = |entry: std::fs::DirEntry| {
            let name = format!("bucket/w/{}/{}", version.file_name().unwrap().display(), entry.file_name().display());
            (name, std::fs::read(entry.path()).unwrap())
        };
        let right = std::fs::read_dir(version).unwrap().map(|entry| file(entry.unwrap())).collect();
        Place { folder, server: Server::start(), right }
    }

    /// A process of a machine of its own.
    fn step(&self, step: &str) -> Child {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["remote::sharing::a_step_of_a_build", "--exact", "--ignored"]).env("FOREBAY_STEP", step);
        command.env("FOREBAY_PICTURES", self.folder.at("pictures"));
        let own = self.folder.at(&format!("tmp-{step}"));
        std::fs::create_dir_all(&own).unwrap();
        command.env("TMPDIR", own).env("HOME", self.folder.path()).env("AWS_ENDPOINT_URL", self.server.url());
        command.env("AWS_ACCESS_KEY_ID", "KEY").env("AWS_SECRET_ACCESS_KEY", "secret").env("AWS_REGION", "us-east-1");
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    }
    fn succeed(&self, step: &str) {
        assert!(self.step(step).wait().unwrap().success(), "{step}");
    }
    /// What is in the store, but for what is hidden.
    fn there(&self) -> BTreeMap<String, Vec<u8>> {
        let seen = self.server.paths().into_iter().filter(|path| !path.contains("/."));
        seen.map(|path| (path.clone(), self.server.get(&path).unwrap())).collect()
    }
    fn is_whole(&self) {
        let there = self.there();
        assert_eq!(there.keys().collect::<Vec<_>>(), self.right.keys().collect::<Vec<_>>());
        assert!(there == self.right);
        assert!(!self.server.paths().iter().any(|path| path.contains("/.")), "{:?}", self.server.paths());
    }
}

#[test]
#[ignore = "the tests here start it, with a step to make"]
fn a_step_of_a_build() {
    let step = std::env::var("FOREBAY_STEP").unwrap();
    let (sources, settings) = ([PathBuf::from(std::env::var_os("FOREBAY_PICTURES").unwrap())], settings_of_build());
    match step.split_once(' ') {
        Some((_, part)) => {
            let part = part.parse().unwrap();
            assert!(warehouse::make_part(&sources, OUT.as_ref(), &settings, part, &mut |_| {}).unwrap() > 0);
        }
        None if step == "begin" => assert!(warehouse::begin_parts(&sources, OUT.as_ref(), &settings).unwrap() >= 3),
        None => assert!(warehouse::build(&sources, OUT.as_ref(), &settings).unwrap().shards >= 3),
    }
}

#[test]
fn parts_that_several_machines_make_become_one_warehouse() {
    let place = Place::new();
    assert!(!place.step("part 0").wait().unwrap().success(), "no build was begun");
    place.succeed("begin");
    for mut part in ["part 0", "part 1", "part 2", "part 0"].map(|step| place.step(step)) {
        assert!(part.wait().unwrap().success());
    }
    assert!(place.there().is_empty(), "nobody sees it yet: {:?}", place.there().keys());
    place.server.asked();
    place.succeed("build");
    place.is_whole();
    // Shards of others are copied by the store, and the last that was written is the manifest.
    let asked = place.server.asked();
    let written: Vec<_> = asked.iter().filter(|one| one.method == "PUT").collect();
    let copied = written.iter().filter(|one| one.headers.contains_key("x-amz-copy-source")).count();
    assert!(copied == 3 && written.last().unwrap().path.ends_with("manifest.json"), "{written:?}");
    // Once more, it is all there.
    place.succeed("build");
    place.is_whole();
}

#[test]
fn machines_that_die_leave_no_half_warehouse_and_damaged_parts_are_made_anew() {
    let place = Place::new();
    place.server.latency(Duration::from_millis(3));
    let (mut state, mut killed) = (7_u64, 0);
    for round in 0..12 {
        place.succeed("begin");
        for step in ["part 0", "part 1", "build"] {
            let mut child = place.step(step);
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            thread::sleep(Duration::from_millis((state >> 33) % 120));
            child.kill().unwrap();
            killed += u32::from(!child.wait().unwrap().success());
            let there = place.there();
            let has_manifest = there.keys().any(|path| path.ends_with("manifest.json"));
            assert!(!has_manifest || there == place.right, "round {round}: a manifest without its shards");
        }
        // A part that is not what was brought there.
        if let Some(part) = place.server.paths().iter().find(|path| path.contains("/chunk-")) {
            place.server.put(part, vec![0; 100]);
        }
        place.succeed("build");
        assert!(place.there() == place.right);
        place.server.paths().iter().for_each(|path| place.server.remove(path));
    }
    assert!(killed > 0, "nothing was killed");
}
