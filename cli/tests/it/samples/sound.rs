//! What `convert` writes, `check` calls sound, whatever it was made of; and what it did not understand is still there.
//!
//! `FOREBAY_SOUND_ROUNDS=2000` tries that many random inputs of each kind; `FOREBAY_SOUND_SEED` begins elsewhere.

use std::{
    collections::BTreeMap,
    env, fs,
    path::{Path, PathBuf},
};

use forebay::{
    Limits,
    codec::{Codec, Compression},
    tar::scan,
    tbl::{Layout, MetadataFormat},
};
use forebay_native::{
    Dataset,
    check::check,
    convert::{Job, MetadataChoice, Options, Summary, To},
};

use crate::{common::Folder, core_common::corpus, dice::Dice, samples::odd};

/// A number from the environment, for a long run.
fn setting(name: &str, usual: u64) -> u64 {
    env::var(name).ok().map_or(usual, |text| text.parse().expect("a number"))
}

fn dice(salt: u64) -> Dice {
    Dice(setting("FOREBAY_SOUND_SEED", 1).wrapping_mul(0x1_0000_0001).wrapping_add(salt))
}

/// Every way to write samples.
fn routes() -> Vec<Options> {
    let mut all = vec![Options::new(To::Tar)];
    let compressions = [(Codec::None, None), (Codec::Lz4, None), (Codec::Lz4, Some(9)), (Codec::Zstd, Some(1))];
    for layout in [Layout::Guide, Layout::Turboloader] {
        for (codec, level) in compressions {
            if layout == Layout::Turboloader && codec == Codec::Zstd {
                continue;
            }
            let protobuf =
                MetadataChoice::parse(vec![8, 150, 1, 255], MetadataFormat::Protobuf, &Limits::host()).unwrap();
            let own = br#"{"version":"1","samples":[{"added":1.50},null,{"name":"given.jpg"}]}"#.to_vec();
            let own = MetadataChoice::parse(own, MetadataFormat::Json, &Limits::host()).unwrap();
            let json = MetadataChoice::of(MetadataFormat::Json);
            let msgpack = MetadataChoice::of(MetadataFormat::Msgpack);
            for metadata in [json, msgpack, protobuf, own] {
                let whole = metadata.protobuf.is_some() || !metadata.samples.is_empty();
                if layout == Layout::Turboloader && whole {
                    continue;
                }
                let mut options = Options::new(To::Tbl);
                (options.layout, options.metadata) = (layout, metadata);
                options.compression = Compression::new(codec, level).unwrap();
                all.push(options);
            }
        }
    }
    all
}

/// One of the ways, for an input of this many samples.
fn route(dice: &mut Dice, samples: u64) -> Options {
    let all = routes();
    let mut options = loop {
        let options = all[dice.below(all.len() as u64) as usize].clone();
        // The user's own `samples` must be as many.
        if options.metadata.samples.is_empty() || samples == 3 {
            break options;
        }
    };
    (options.workers, options.sync, options.verify) = (2, false, dice.below(2) == 0);
    options
}

fn convert(from: &Path, to: &Path, options: Options) -> forebay::Result<Summary> {
    Job::new(vec![Dataset::open(from)?], options).run(to)
}

/// Holds an output to the rules: sound, every record reads, and as many samples as were written.
#[track_caller]
fn sound(path: &Path, samples: u64, what: &str) {
    let dataset = Dataset::open(path).unwrap_or_else(|e| panic!("{what}: {e}"));
    let report = check(&dataset, 2, &mut |_| {}).unwrap();
    assert!(report.ok, "{what}: {report:?}");
    assert_eq!(dataset.len(), samples, "{what}");
    for i in 0..dataset.len() {
        let (_, kept) = dataset.find_metadata(i).unwrap_or_else(|e| panic!("{what}: {e}")).unwrap_or_default();
        assert!(kept.is_none(), "{what}: what is written reads: {kept:?}");
    }
}

fn output(folder: &Folder, options: &Options) -> PathBuf {
    folder.at(if options.to == To::Tar { "out.tar" } else { "out.tbl" })
}

/// Converts in some way, and what comes out in another, and holds all of it to the rules.
fn go_around(folder: &Folder, input: &Path, dice: &mut Dice, what: &str) {
    let Ok(dataset) = Dataset::open(input) else { panic!("{what}: does not open") };
    let samples = dataset.len();
    let options = route(dice, samples);
    let what = format!("{what}, {options:?}");
    let out = output(folder, &options);
    let summary = convert(input, &out, options).unwrap_or_else(|e| panic!("{what}: {e}"));
    assert_eq!(summary.faults, [], "{what}");
    if out.extension().is_some_and(|e| e == "tbl") {
        sound(&out, summary.samples, &what);
        assert_eq!(summary.samples, samples, "{what}");
    }
    let second = folder.at("second");
    fs::create_dir_all(&second).unwrap();
    let options = route(dice, summary.samples);
    let what = format!("{what}, then {options:?}");
    let again = second.join(if options.to == To::Tar { "out.tar" } else { "out.tbl" });
    let summary = convert(&out, &again, options).unwrap_or_else(|e| panic!("{what}: {e}"));
    if again.extension().is_some_and(|e| e == "tbl") {
        sound(&again, summary.samples, &what);
    }
    fs::remove_file(&again).unwrap();
    fs::remove_file(&out).unwrap();
}

/// The members of an archive.
fn members(path: &Path) -> Vec<(String, Vec<u8>)> {
    let file = bytes::Bytes::from(fs::read(path).unwrap());
    let archive = scan(&file, &Limits::host()).unwrap();
    let member =
        |m: forebay::tar::Member<'_>| (m.name.to_owned(), file[m.offset as usize..m.range().end as usize].to_vec());
    archive.members.iter().map(member).collect()
}

#[test]
fn odd_blocks_come_through_every_route_and_are_kept_byte_for_byte() {
    let mut dice = dice(1);
    for round in 0..setting("FOREBAY_SOUND_ROUNDS", 120) {
        let folder = Folder::new();
        let (file, blocks) = odd::tbl(&mut dice);
        let input = folder.at("in.tbl");
        fs::write(&input, file).unwrap();
        let what =
            format!("round {round}, {:?}", blocks.iter().map(|b| String::from_utf8_lossy(b)).collect::<Vec<_>>());
        go_around(&folder, &input, &mut dice, &what);
        // Whatever a record was, an archive of it has it, and so has one that was made by way of another TBL.
        let mut options = Options::new(To::Tar);
        options.sync = false;
        convert(&input, &folder.at("direct.tar"), options.clone()).unwrap();
        let direct = members(&folder.at("direct.tar"));
        let dataset = Dataset::open(&input).unwrap();
        for (i, block) in blocks.iter().enumerate() {
            let found = dataset.find_metadata(i as u64).unwrap();
            if found.is_some_and(|(_, kept)| kept.is_some()) {
                assert!(direct.iter().any(|(_, content)| content == block), "{what}: {i} is not in {direct:?}");
            }
        }
        let mut tbl = Options::new(To::Tbl);
        (tbl.sync, tbl.layout) = (false, if round % 2 == 0 { Layout::Guide } else { Layout::Turboloader });
        convert(&input, &folder.at("middle.tbl"), tbl).unwrap();
        convert(&folder.at("middle.tbl"), &folder.at("around.tar"), options).unwrap();
        assert_eq!(members(&folder.at("around.tar")), direct, "{what}");
    }
}

#[test]
fn odd_archives_and_folders_come_through_every_route() {
    let mut dice = dice(2);
    for round in 0..setting("FOREBAY_SOUND_ROUNDS", 120) {
        let folder = Folder::new();
        let file = odd::tar(&mut dice);
        let input = folder.at("in.tar");
        fs::write(&input, &file).unwrap();
        go_around(&folder, &input, &mut dice, &format!("archive {round}"));
        // The same files in a folder, as far as it can have them.
        let pictures = folder.at("pictures");
        let mut some = false;
        for (name, content) in members(&input) {
            let path = pictures.join(&name);
            if forebay::sample::record::safe_name(&name).is_ok()
                && path.parent().is_some_and(|p| fs::create_dir_all(p).is_ok())
            {
                some |= fs::write(&path, content).is_ok() && name.ends_with(".bmp") && !name.starts_with('.');
            }
        }
        if some && Dataset::open(&pictures).is_ok_and(|d| !d.is_empty()) {
            go_around(&folder, &pictures, &mut dice, &format!("folder {round}"));
        }
    }
}

#[test]
fn what_other_programs_wrote_comes_through_every_route_damaged_or_not() {
    let mut dice = dice(3);
    let mut files: Vec<PathBuf> = ["tbl", "tbl/hostile", "tar"]
        .into_iter()
        .flat_map(|folder| fs::read_dir(corpus(folder)).unwrap().map(|entry| entry.unwrap().path()))
        .filter(|path| path.extension().is_some_and(|e| e == "tbl" || e == "tar"))
        .collect();
    files.sort();
    assert!(files.len() > 50);
    let mut opened = BTreeMap::new();
    for path in &files {
        let whole = fs::read(path).unwrap();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if whole.len() > 4 << 20 {
            continue;
        }
        for round in 0..1 + setting("FOREBAY_SOUND_ROUNDS", 3) {
            let folder = Folder::new();
            let mut file = whole.clone();
            // The first time as it is, then with a few bytes changed.
            for _ in 0..if round == 0 || file.is_empty() { 0 } else { 1 + dice.below(4) } {
                let at = dice.below(file.len() as u64) as usize;
                file[at] ^= 1 << dice.below(8);
            }
            let input = folder.at(&name);
            fs::write(&input, &file).unwrap();
            let Ok(dataset) = Dataset::open(&input) else { continue };
            let mut options = route(&mut dice, dataset.len());
            options.keep_going = true;
            let what = format!("{name}, round {round}, {options:?}");
            let out = output(&folder, &options);
            match convert(&input, &out, options) {
                Ok(summary) if out.extension().is_some_and(|e| e == "tbl") => {
                    *opened.entry(name.clone()).or_insert(0) += 1;
                    sound(&out, summary.samples, &what);
                }
                Ok(_) => {}
                Err(e) => {
                    assert_ne!(e.code().id(), "convert.verify", "{what}: {e}");
                    assert!(!out.exists(), "{what}: {e}");
                }
            }
        }
    }
    assert!(opened.len() > 30, "most of them go through: {opened:?}");
}

#[test]
fn what_readers_would_refuse_is_refused_while_it_is_written() {
    let folder = Folder::new();
    let big = vec![0; 3 << 20];
    fs::write(folder.at("a.tar"), crate::common::tar(&[("a.bin", &big[..]), ("b.bin", &big[..10])])).unwrap();
    let options = |codec, item| {
        let mut options = Options::new(To::Tbl);
        options.compression = Compression::new(codec, None).unwrap();
        (options.limits, options.sync, options.force) = (Limits::host().with_item_bytes(item), false, true);
        options
    };
    let run = |options: Options| convert(&folder.at("a.tar"), &folder.at("a.tbl"), options);
    for codec in [Codec::Lz4, Codec::Zstd] {
        let e = run(options(codec, 1 << 20)).unwrap_err();
        assert_eq!((e.code().id(), e.place().sample), ("limit.item", Some(0)), "{e}");
        assert!(!folder.at("a.tbl").exists());
        let mut left_out = options(codec, 1 << 20);
        left_out.keep_going = true;
        let summary = run(left_out).unwrap();
        assert_eq!((summary.samples, summary.faults[0].code, summary.faults[0].kind), (1, "limit.item", "limit"));
        fs::remove_file(folder.at("a.tbl")).unwrap();
        run(options(codec, 4 << 20)).unwrap();
        fs::remove_file(folder.at("a.tbl")).unwrap();
    }
    // What is stored as it is costs a reader nothing.
    run(options(Codec::None, 1 << 20)).unwrap();
    sound(&folder.at("a.tbl"), 2, "stored");
}
