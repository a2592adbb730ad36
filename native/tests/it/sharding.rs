//! Shards of many datasets: pure, found again, never half.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "a test of files")]

use std::{
    collections::HashSet,
    fs,
    path::{Path, PathBuf},
};

use forebay::{
    codec::{Codec, Compression},
    order::{Order, Settings as OrderSettings, Source, Tail},
    tbl::Layout,
};
use forebay_native::{
    Dataset,
    convert::{Job, Options, To},
    sharding::{MakeOptions, Plan, Settings, split},
};

use crate::{
    common::{Folder, bmp, tar},
    whole::sound,
};

const SHARDS: u64 = 7;

/// A TAR, a TBL and a folder, of 40, 25 and 10 samples; where they lie.
fn inputs(folder: &Folder) -> Vec<PathBuf> {
    let members = |from: u32, to: u32| {
        let each =
            |i| [(format!("s{i:03}.bmp"), bmp(3 + i % 50, i)), (format!("s{i:03}.cls"), (i % 5).to_string().into())];
        (from..to).flat_map(each).collect::<Vec<_>>()
    };
    fs::write(folder.at("a.tar"), tar(&members(0, 40))).unwrap();
    fs::write(folder.at("b.tar"), tar(&members(40, 65))).unwrap();
    let job = Job::new(vec![Dataset::open(folder.at("b.tar")).unwrap()], Options::new(To::Tbl));
    job.run(&folder.at("b.tbl")).unwrap();
    fs::create_dir(folder.at("c")).unwrap();
    (65..75).for_each(|i| fs::write(folder.at(&format!("c/s{i:03}.bmp")), bmp(3 + i % 50, i)).unwrap());
    vec![folder.at("a.tar"), folder.at("b.tbl"), folder.at("c")]
}

fn how() -> MakeOptions {
    let mut how = MakeOptions::default();
    (how.sync, how.workers) = (false, 2);
    how
}

fn names(dataset: &Dataset) -> Vec<String> {
    (0..dataset.len()).map(|i| dataset.sample_name(i).unwrap().unwrap()).collect()
}

/// The names of all samples of a set, in order.
fn all_names(plan: &Plan, folder: &Path) -> Vec<String> {
    (0..plan.shards()).flat_map(|shard| names(&sound(&folder.join(plan.name(shard))))).collect()
}

fn code<T: std::fmt::Debug>(result: forebay::Result<T>) -> &'static str {
    result.unwrap_err().code().id()
}

/// Ways to make shards.
fn ways() -> Vec<Settings> {
    let plain = || Settings::new(SHARDS).with_name("x");
    let mut filtered = plain().with_shuffle(9);
    filtered.filter = Some("width > 20".into());
    let mut blocks = plain().with_shuffle(5);
    blocks.blocks = Some((4, 3));
    let mut packed = plain();
    packed.compression = Compression::new(Codec::Zstd, Some(3)).unwrap();
    let mut other = plain().with_shuffle(1);
    other.layout = Layout::Turboloader;
    vec![plain(), plain().with_shuffle(42), filtered, blocks, packed, other, plain().with_format(To::Tar)]
}

#[test]
fn shards_in_order_hold_all_samples_in_order() {
    let folder = Folder::new();
    let inputs = inputs(&folder);
    let plan = Plan::of(&inputs, Settings::new(SHARDS)).unwrap();
    assert_eq!((plan.samples(), plan.name(6)), (75, "shard-00006-of-00007.tbl".into()));
    let out = folder.at("out");
    let report = plan.open().unwrap().make_all(&[0, 1, 2, 3, 4, 5, 6], &out, &how(), 1, &mut |_| {}).unwrap();
    assert_eq!((report.made, report.reused, report.left, report.samples), (7, 0, 0, 75));
    let expected: Vec<String> = (0..75).map(|i| format!("s{i:03}.bmp")).collect();
    assert_eq!(all_names(&plan, &out), expected);
    let lens: HashSet<u64> = report.outputs.iter().map(|one| one.samples).collect();
    assert_eq!(lens, HashSet::from([10, 11]));
    let sizes: u64 = report.outputs.iter().map(|one| fs::metadata(&one.output).unwrap().len()).sum();
    assert_eq!(report.output_bytes, sizes);
    // What a sample carries comes along.
    let second = sound(&out.join(plan.name(1)));
    assert_eq!(second.metadata_value(0).unwrap().unwrap()["cls"], 0);
    // More shards than samples.
    let plan = Plan::of(&inputs[2..], Settings::new(13)).unwrap();
    assert_eq!(plan.name(0), "c-00000-of-00013.tbl");
    let all: Vec<u64> = (0..13).collect();
    plan.open().unwrap().make_all(&all, &out, &how(), 4, &mut |_| {}).unwrap();
    assert_eq!(all_names(&plan, &out), expected[65..]);
}

#[test]
fn a_shard_has_the_same_bytes_whoever_makes_it() {
    let folder = Folder::new();
    let inputs = inputs(&folder);
    for (n, settings) in ways().into_iter().enumerate() {
        let plan = Plan::of(&inputs, settings).unwrap();
        let (one, other) = (folder.at(&format!("one{n}")), folder.at(&format!("other{n}")));
        let all: Vec<u64> = (0..SHARDS).collect();
        let mut told = (0, None);
        let mut hear = |now: &forebay_native::convert::Progress| told = (told.0.max(now.samples), now.total);
        plan.open().unwrap().make_all(&all, &one, &how(), 3, &mut hear).unwrap();
        assert_eq!(told, (plan.samples(), Some(plan.samples())), "{n}");
        // Each by itself, the last first, of a plan that travelled.
        let mut alone = how();
        alone.workers = 1;
        for shard in all.iter().rev() {
            let there = Plan::parse(&plan.to_json()).unwrap();
            assert_eq!(there, plan);
            let made = there.open().unwrap().make(*shard, &other, &alone).unwrap();
            assert!(!made.reused);
            let name = plan.name(*shard);
            assert_eq!(fs::read(one.join(&name)).unwrap(), fs::read(other.join(&name)).unwrap(), "{n}: {name}");
        }
    }
}

#[test]
fn a_shuffle_is_the_order_of_the_loader() {
    let folder = Folder::new();
    let plan = Plan::of(&inputs(&folder), Settings::new(SHARDS).with_shuffle(42)).unwrap();
    let out = folder.at("out");
    let all: Vec<u64> = (0..SHARDS).collect();
    plan.open().unwrap().make_all(&all, &out, &how(), 1, &mut |_| {}).unwrap();
    let sources = vec![Source::new("a", 40), Source::new("b", 25), Source::new("c", 10)];
    let settings = OrderSettings::default().with_seed(42).with_tail(Tail::Uneven);
    let order = Order::new(sources, settings).unwrap();
    let epoch = order.epoch(0).unwrap();
    let expected: Vec<String> = (0..75).map(|k| format!("s{:03}.bmp", epoch.item(k).unwrap().index)).collect();
    assert_eq!(all_names(&plan, &out), expected);
    assert_eq!(expected.iter().collect::<HashSet<_>>().len(), 75);
}

#[test]
fn what_is_there_and_whole_is_left_as_it_is() {
    let folder = Folder::new();
    let inputs = inputs(&folder);
    let plan = Plan::of(&inputs, Settings::new(3).with_shuffle(1)).unwrap();
    let out = folder.at("out");
    let all = [0, 1, 2];
    let make = |how: &MakeOptions| plan.open().unwrap().make_all(&all, &out, how, 1, &mut |_| {});
    let first = make(&how()).unwrap();
    let path = out.join(plan.name(1));
    let bytes = fs::read(&path).unwrap();
    let record = out.join(".forebay-shards").join(format!("{}.json", plan.name(1)));
    let whole_record = fs::read(&record).unwrap();

    let again = make(&how()).unwrap();
    assert_eq!((again.made, again.reused, again.samples), (0, 3, 75));
    assert_eq!((again.payload_bytes, again.output_bytes), (first.payload_bytes, first.output_bytes));

    // A byte that differs, an end that is missing, a record that was begun only: made anew.
    let mut damaged = bytes.clone();
    damaged[bytes.len() / 2] ^= 1;
    let key = serde_json::from_slice::<serde_json::Value>(&whole_record).unwrap()["key"].clone();
    let begun = serde_json::json!({ "forebay_shard": 1, "key": key }).to_string();
    for (file, record_text) in
        [(&damaged[..], &whole_record[..]), (&bytes[..100], &whole_record), (&bytes, begun.as_bytes())]
    {
        fs::write(&path, file).unwrap();
        fs::write(&record, record_text).unwrap();
        let again = make(&how()).unwrap();
        assert_eq!((again.made, again.reused), (1, 2));
        assert_eq!(fs::read(&path).unwrap(), bytes);
    }
    fs::remove_file(&path).unwrap();
    assert_eq!(make(&how()).unwrap().made, 1);
    assert_eq!(fs::read(&path).unwrap(), bytes);

    // A file of somebody else, and something that is not a record: left, unless it is to go.
    for text in [&b""[..], b"{}", b"{\"forebay_shard\":2,\"key\":\"\"}", &[0xff; 40]] {
        fs::write(&record, text).unwrap();
        fs::write(&path, b"mine").unwrap();
        assert_eq!(code(make(&how())), "shards.foreign");
        assert_eq!(fs::read(&path).unwrap(), b"mine");
    }
    let mut forced = how();
    forced.force = true;
    assert_eq!(make(&forced).unwrap().made, 1);
    assert_eq!(fs::read(&path).unwrap(), bytes);

    // Another seed is another set, under the same names.
    let other = Plan::of(&inputs, Settings::new(3).with_shuffle(2)).unwrap().open().unwrap();
    assert_eq!(code(other.make(1, &out, &how())), "shards.foreign");
    assert_eq!(fs::read(&path).unwrap(), bytes);
    assert!(!other.make(1, &out, &forced).unwrap().reused);
    assert_ne!(fs::read(&path).unwrap(), bytes);
}

#[test]
fn an_input_that_changed_is_found_out_and_costs_its_own_shards_only() {
    let folder = Folder::new();
    let inputs = inputs(&folder);
    let (plan, out) = (Plan::of(&inputs, Settings::new(5)).unwrap(), folder.at("out"));
    plan.open().unwrap().make_all(&[0, 1, 2, 3, 4], &out, &how(), 1, &mut |_| {}).unwrap();
    // The last ten of 75 samples are those of the folder.
    fs::write(folder.at("c/s070.bmp"), bmp(40, 999)).unwrap();
    let old = plan.open().unwrap();
    assert_eq!(code(old.make_all(&[4], &folder.at("new"), &how(), 1, &mut |_| {})), "shards.changed");
    assert!(!folder.at("new").join(plan.name(4)).exists());
    old.make(0, &folder.at("new"), &how()).unwrap();
    let now = Plan::of(&inputs, Settings::new(5)).unwrap().open().unwrap();
    for shard in 0..4 {
        assert!(now.make(shard, &out, &how()).unwrap().reused, "{shard}");
    }
    assert_eq!(code(now.make(4, &out, &how())), "shards.foreign");
    let mut forced = how();
    forced.force = true;
    let report = now.make_all(&[0, 1, 2, 3, 4], &out, &forced, 2, &mut |_| {}).unwrap();
    assert_eq!((report.made, report.reused), (1, 4));
    // Moved elsewhere under the same names they are the same.
    fs::create_dir(folder.at("moved")).unwrap();
    let moved: Vec<PathBuf> = ["a.tar", "b.tbl", "c"].iter().map(|name| folder.at("moved").join(name)).collect();
    inputs.iter().zip(&moved).for_each(|(from, to)| fs::rename(from, to).unwrap());
    let report = Plan::of(&moved, Settings::new(5)).unwrap().open().unwrap();
    let report = report.make_all(&[0, 1, 2, 3, 4], &out, &how(), 1, &mut |_| {}).unwrap();
    assert_eq!(report.reused, 5);
}

#[test]
fn a_filter_makes_even_shards_of_what_it_accepts() {
    let folder = Folder::new();
    let inputs = inputs(&folder);
    let filtered = |filter: &str| {
        let mut settings = Settings::new(4);
        settings.filter = Some(filter.into());
        Plan::of(&inputs, settings)
    };
    let plan = filtered("cls == 3").unwrap();
    assert_eq!(plan.samples(), 13);
    let report = plan.open().unwrap().make_all(&[0, 1, 2, 3], &folder.at("out"), &how(), 2, &mut |_| {}).unwrap();
    assert_eq!(report.outputs.iter().map(|one| one.samples).collect::<Vec<_>>(), [3, 3, 3, 4]);
    let expected: Vec<String> = (0..65).filter(|i| i % 5 == 3).map(|i| format!("s{i:03}.bmp")).collect();
    assert_eq!(all_names(&plan, &folder.at("out")), expected);
    assert_eq!(code(filtered("width > 4000")), "convert.empty");
    assert!(filtered("clas == 3").is_err() && filtered("cls ==").is_err());
}

#[test]
fn broken_samples_are_left_out_and_told_once() {
    let folder = Folder::new();
    let inputs = inputs(&folder);
    let mut file = fs::read(&inputs[1]).unwrap();
    let place = Dataset::open(&inputs[1]).unwrap().stored_range(7).unwrap();
    file[place.start as usize + 60] ^= 1;
    fs::write(&inputs[1], file).unwrap();
    let plan = Plan::of(&inputs, Settings::new(3)).unwrap();
    let shards = plan.open().unwrap();
    assert_eq!(code(shards.make_all(&[0, 1, 2], &folder.at("out"), &how(), 2, &mut |_| {})), "tbl.payload_crc");
    assert!(!folder.at("out").join(plan.name(1)).exists());
    let mut settings = Settings::new(3);
    settings.keep_going = true;
    let forgiving = Plan::of(&inputs, settings).unwrap().open().unwrap();
    let report = forgiving.make_all(&[0, 1, 2], &folder.at("kept"), &how(), 1, &mut |_| {}).unwrap();
    assert_eq!((report.samples, report.faults.len()), (74, 1));
    assert_eq!((&report.faults[0]["code"], &report.faults[0]["sample"]), (&"tbl.payload_crc".into(), &7.into()));
    // Another run tells it too.
    let again = forgiving.make_all(&[0, 1, 2], &folder.at("kept"), &how(), 1, &mut |_| {}).unwrap();
    assert_eq!((again.reused, again.faults), (3, report.faults));
}

#[test]
fn split_writes_what_shards_are() {
    let folder = Folder::new();
    let inputs = inputs(&folder);
    let settings = || Settings::new(4).with_name("b");
    let dataset = Dataset::open(&inputs[1]).unwrap();
    let written = split(dataset, &folder.at("split"), settings(), &how(), &mut |_| {}).unwrap();
    assert_eq!(written.iter().map(|(summary, _)| summary.samples).sum::<u64>(), 25);
    let plan = Plan::of(&inputs[1..2], settings()).unwrap();
    plan.open().unwrap().make_all(&[0, 1, 2, 3], &folder.at("shards"), &how(), 1, &mut |_| {}).unwrap();
    for shard in 0..4 {
        let name = plan.name(shard);
        assert_eq!(
            fs::read(folder.at("split").join(&name)).unwrap(),
            fs::read(folder.at("shards").join(&name)).unwrap()
        );
    }
    // Nothing but shards lies there.
    assert_eq!(fs::read_dir(folder.at("split")).unwrap().count(), 4);
}

#[test]
fn a_plan_that_makes_no_sense_is_refused() {
    let folder = Folder::new();
    let inputs = inputs(&folder);
    let plan = Plan::of(&inputs, Settings::new(3).with_shuffle(4)).unwrap();
    let good: serde_json::Value = serde_json::from_str(&plan.to_json()).unwrap();
    let with = |path: &str, value: serde_json::Value| {
        let mut other = good.clone();
        *other.pointer_mut(path).unwrap() = value;
        Plan::parse(&other.to_string())
    };
    for (path, value) in [
        ("/forebay_shards", 2.into()),
        ("/settings/shards", 0.into()),
        ("/settings/shards", 1_000_001.into()),
        ("/settings/name", "../x".into()),
        ("/settings/to", "zip".into()),
        ("/settings/compression", serde_json::json!(["zstd", 99])),
        ("/settings/blocks", serde_json::json!([0, 4])),
        ("/settings/filter", "cls ==".into()),
        ("/inputs/0/selected", 41.into()),
        ("/inputs/0/samples", serde_json::json!(-1)),
        ("/inputs", serde_json::json!([{ "path": "a", "identity": "", "samples": u64::MAX, "selected": u64::MAX }])),
    ] {
        let e = with(path, value.clone()).unwrap_err();
        assert_eq!(e.code().id(), "shards.plan", "{path} {value}: {e}");
    }
    for text in ["", "{}", "[]", "null", "{\"forebay_shards\":1}"] {
        assert_eq!(code(Plan::parse(text)), "shards.plan", "{text}");
    }
    // A shard that there is not, an input that there is not, a compressed archive, a table, nothing.
    assert_eq!(code(plan.open().unwrap().make(3, &folder.at("out"), &how())), "usage.argument");
    assert!(Plan::of(&[folder.at("none.tbl")], Settings::new(1)).is_err());
    assert_eq!(code(Plan::of(&[], Settings::new(1))), "usage.argument");
    fs::write(folder.at("t.csv"), "a,b\n1,2\n").unwrap();
    assert_eq!(code(Plan::of(&[folder.at("t.csv")], Settings::new(1))), "format.unknown");
    let mut blocks = Settings::new(3);
    blocks.blocks = Some((4, 4));
    assert_eq!(code(Plan::of(&inputs, blocks)), "usage.argument");
}

#[test]
fn an_error_of_one_thread_ends_the_others() {
    let folder = Folder::new();
    let inputs = inputs(&folder);
    let plan = Plan::of(&inputs, Settings::new(75)).unwrap();
    let out = folder.at("out");
    fs::create_dir(&out).unwrap();
    fs::write(out.join(plan.name(3)), b"mine").unwrap();
    let all: Vec<u64> = (0..75).collect();
    let shards = plan.open().unwrap();
    assert_eq!(code(shards.make_all(&all, &out, &how(), 4, &mut |_| {})), "shards.foreign");
    // The rest goes on where it stood.
    fs::remove_file(out.join(plan.name(3))).unwrap();
    let report = shards.make_all(&all, &out, &how(), 4, &mut |_| {}).unwrap();
    assert!(report.made >= 1 && report.made + report.reused == 75, "{} and {}", report.made, report.reused);
    // A caller that unwinds, as one does who was interrupted, waits for no shard.
    let stopped = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let _ =
            shards.make_all(&all, &folder.at("stopped"), &how(), 2, &mut |_| std::panic::resume_unwind(Box::new(())));
    }));
    assert!(stopped.is_err());
    let left = fs::read_dir(folder.at("stopped"))
        .unwrap()
        .filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().ends_with(".part"));
    assert_eq!(left.count(), 0);
}

#[test]
fn nothing_that_others_made_is_replaced_whenever_it_came() {
    let folder = Folder::new();
    let inputs = inputs(&folder);
    let (plan, out) = (Plan::of(&inputs, Settings::new(2).with_shuffle(1)).unwrap(), folder.at("out"));
    let shards = plan.open().unwrap();
    let path = out.join(plan.name(0));
    // It came while the shard was being made.
    let made = shards.make_with(0, &out, &how(), &mut |_| fs::write(&path, b"precious").unwrap());
    assert_eq!(code(made), "shards.foreign");
    assert_eq!(fs::read(&path).unwrap(), b"precious");
    fs::remove_file(&path).unwrap();
    shards.make(0, &out, &how()).unwrap();
    // A finished shard that somebody edited, which is sound.
    let bytes = fs::read(&path).unwrap();
    fs::copy(&inputs[1], &path).unwrap();
    assert_eq!(code(shards.make(0, &out, &how())), "shards.foreign");
    assert_eq!(fs::read(&path).unwrap(), fs::read(&inputs[1]).unwrap());
    // A link is not written through, not even by force.
    #[cfg(unix)]
    {
        fs::remove_file(&path).unwrap();
        fs::write(folder.at("elsewhere"), b"precious").unwrap();
        std::os::unix::fs::symlink(folder.at("elsewhere"), &path).unwrap();
        assert_eq!(code(shards.make(0, &out, &how())), "shards.foreign");
        let mut forced = how();
        forced.force = true;
        shards.make(0, &out, &forced).unwrap();
        assert_eq!(fs::read(folder.at("elsewhere")).unwrap(), b"precious");
        assert_eq!(fs::read(&path).unwrap(), bytes);
    }
}

#[test]
fn two_plans_do_not_mix() {
    let folder = Folder::new();
    let inputs = inputs(&folder);
    let plan = |seed| Plan::of(&inputs, Settings::new(3).with_shuffle(seed)).unwrap();
    let (one, other, out) = (plan(1), plan(2), folder.at("out"));
    let mut forced = how();
    forced.force = true;
    let mut refused = Vec::new();
    let mut meanwhile = |_: &forebay_native::convert::Progress| {
        refused.push(code(other.open().unwrap().make_all(&[0, 1, 2], &out, &forced, 1, &mut |_| {})));
        // The same plan may be made by as many as like.
        assert_eq!(one.open().unwrap().make_all(&[2], &out, &how(), 1, &mut |_| {}).unwrap().left, 2);
    };
    one.open().unwrap().make_all(&[0, 1, 2], &out, &how(), 1, &mut meanwhile).unwrap();
    assert!(!refused.is_empty() && refused.iter().all(|code| *code == "shards.foreign"), "{refused:?}");
    assert_eq!(all_names(&one, &out).into_iter().collect::<HashSet<_>>().len(), 75);
    other.open().unwrap().make_all(&[0, 1, 2], &out, &forced, 1, &mut |_| {}).unwrap();
}
