//! Journals of edits, and what comes of applying them.

use std::{ops::Range, sync::Arc};

use bytes::Bytes;
use forebay::{
    Limits, Result,
    codec::{Compression, checksum::crc32},
    edits::{Apply, Change, Edited, Identity, Journal, Landing, Piece, Side, merge},
    sample::MediaFormat,
    samples::{Dataset, Opener},
    step::{Turn, drive},
    tbl::{Checker, Document, Layout, MetadataFormat, OpenMetadata, PackOptions, Patch},
};
use serde_json::{Map, Value, json};

use crate::common;
use common::{Sample, build_tbl};

const TEXT: &[u8] = b"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";

/// Five samples, one of them without metadata, the payloads compressed.
fn file(layout: Layout, format: MetadataFormat) -> Bytes {
    let records: Vec<Option<String>> = (0..5)
        .map(|i| match i {
            0 => {
                Some(r#"{"id":0,"name":"0.txt","json":{"k": 1.50,"label":"cat"},"cls":3,"exact":{"cls":"3\n"}}"#.into())
            }
            3 => None,
            i => Some(format!(r#"{{"id":{i},"name":"{i}.txt","label":"dog {i}"}}"#)),
        })
        .collect();
    let payloads: Vec<Vec<u8>> = (0..5u8).map(|i| [TEXT, &[i; 50]].concat()).collect();
    let samples: Vec<Sample<'_>> = payloads
        .iter()
        .zip(&records)
        .map(|(payload, record)| Sample {
            payload,
            format: MediaFormat::Unknown,
            record: record.as_deref(),
            ..Sample::default()
        })
        .collect();
    let options = PackOptions::new(layout, Compression::Lz4 { level: 1 });
    let document = match layout {
        Layout::Guide => Document::Fields(Map::from_iter([("source".to_owned(), json!("a.tar"))])),
        _ => Document::default(),
    };
    build_tbl(options, format, document, &samples, Some(5)).into()
}

fn open(file: &Bytes) -> Dataset {
    drive(Opener::new(file.len() as u64), file).unwrap()
}

fn journal(file: &Bytes, changes: &[&str]) -> Journal {
    let mut journal = Journal::new(Identity::of(&open(file), "x/train.tbl").unwrap());
    for change in changes {
        journal.push(Change::parse(change).unwrap()).unwrap();
    }
    journal
}

fn run(file: &Bytes, blobs: &[u8], journal: Journal, in_place: bool) -> Result<(Vec<u8>, Vec<u8>, Landing)> {
    let mut work = Apply::new(&open(file), "train.tbl", Arc::new(Edited::new(journal)), blobs.len() as u64, in_place)?;
    let whole = Bytes::from([file, blobs].concat());
    let slice = |range: Range<u64>| whole.slice(range.start as usize..range.end as usize);
    let (mut out, mut spool) = (Vec::new(), Vec::new());
    loop {
        match work.step()? {
            Turn::Need(ranges) => ranges.into_iter().for_each(|range| work.push(range.start, slice(range))),
            Turn::Item(Piece::Copy { from, to }) => put(&mut out, to, &slice(from)),
            Turn::Item(Piece::Bytes { at, bytes }) => put(&mut out, at, &bytes.concat()),
            Turn::Item(Piece::Spool(bytes)) => spool.extend(bytes),
            Turn::Done => return Ok((out, spool, work.finish()?)),
        }
    }
}

fn put(file: &mut Vec<u8>, at: u64, bytes: &[u8]) {
    let end = at as usize + bytes.len();
    if !bytes.is_empty() && file.len() < end {
        file.resize(end, 0);
    }
    file[at as usize..end].copy_from_slice(bytes);
}

fn patch(file: &mut Vec<u8>, spool: &[u8], patch: &Patch) {
    match patch {
        Patch::Bytes { at, bytes } => put(file, *at, bytes),
        Patch::Spool { at, .. } => put(file, *at, spool),
        Patch::Zero { at, len } => put(file, *at, &vec![0; *len as usize]),
        Patch::End { len } => file.resize(*len as usize, 0),
        other => panic!("{other:?}"),
    }
}

fn applied(file: &Bytes, blobs: &[u8], changes: &[&str]) -> Result<Bytes> {
    let (mut out, spool, landing) = run(file, blobs, journal(file, changes), false)?;
    for one in [landing.first, landing.header, landing.last].into_iter().flatten() {
        patch(&mut out, &spool, &one);
    }
    Ok(out.into())
}

#[test]
fn classes_of_annotations_are_listed_and_those_that_were_stay() {
    let file = file(Layout::Guide, MetadataFormat::Json);
    let boxed = r#"{"do":"set","sample":0,"annotations":[{"class":"boat","xmin":1,"ymin":1,"xmax":2,"ymax":2}]}"#;
    let listed = |before: Value| {
        let edited = Edited::new(journal(&file, &[boxed]));
        Value::Object(edited.document(before.as_object().unwrap().clone()).unwrap())
    };
    let (boat, cat) = (json!({"name": "boat"}), json!({"id": 3, "name": "cat", "color": "red"}));
    // Classes that nothing lists are numbered by where they are first named, whichever samples were edited.
    assert_eq!(listed(json!({"x": 1})), json!({"x": 1}));
    assert_eq!(listed(json!({"classes": []})), json!({"classes": [], "categories": [boat]}));
    assert_eq!(
        listed(json!({"classes": ["cat"], "categories": [cat]})),
        json!({"classes": ["cat", "boat"], "categories": [cat, boat]})
    );
    assert_eq!(
        listed(json!({"classes": ["a"], "x": 1})),
        json!({"classes": ["a"], "x": 1, "categories": [{"name": "a"}, boat]})
    );
    assert_eq!(listed(json!({"classes": 5})), json!({"classes": 5}));
    assert_eq!(listed(json!({"classes": ["boat"]})), json!({"classes": ["boat"]}));
}

/// Every sample's payload and record.
fn contents(file: &Bytes) -> Vec<(Bytes, Option<Value>)> {
    let dataset = open(file);
    let tbl = dataset.tbl().unwrap();
    let metadata = drive(OpenMetadata::new(tbl), file).unwrap();
    let slice = |range: Range<u64>| file.slice(range.start as usize..range.end as usize);
    let one = |i: u64| {
        let plan = dataset.plan(i).unwrap();
        let payload = plan.decode(&slice(plan.range()), &Limits::default()).unwrap();
        (payload, dataset.find_value(i, Some(&metadata), |range| Ok(slice(range))).unwrap().map(|(value, _)| value))
    };
    (0..dataset.len()).map(one).collect()
}

fn sound(file: &Bytes) {
    let report = drive(Checker::new(open(file).tbl().unwrap()), file).unwrap();
    assert!(report.ok, "{:?}", report.faults);
}

const ALL: [(Layout, MetadataFormat); 4] = [
    (Layout::Guide, MetadataFormat::Json),
    (Layout::Guide, MetadataFormat::Msgpack),
    (Layout::Turboloader, MetadataFormat::Json),
    (Layout::Turboloader, MetadataFormat::Msgpack),
];

#[test]
fn everything_that_a_journal_says_is_done() {
    let blob = b"new bytes";
    let add = format!(
        r#"{{"do":"add","name":"n.txt","at":0,"bytes":9,"blob":"{:08x}","fields":{{"label":"new"}}}}"#,
        crc32(blob)
    );
    for (layout, format) in ALL {
        let file = file(layout, format);
        let before = contents(&file);
        let changes = [
            r#"{"do":"set","sample":0,"fields":{"json.label":"boat","json.deep.er":[1]},"unset":["cls"]}"#,
            r#"{"do":"remove","sample":1}"#,
            r#"{"do":"tag","sample":2,"add":["a","b"]}"#,
            r#"{"do":"tag","sample":2,"remove":["a"]}"#,
            r#"{"do":"review","sample":2,"state":"accepted"}"#,
            r#"{"do":"set","sample":3,"annotations":[{"class":"x","xmin":1,"ymin":1,"xmax":2,"ymax":2.5}]}"#,
            &add,
            r#"{"do":"move","sample":5,"before":0}"#,
            r#"{"do":"rename","sample":4,"name":"four.txt"}"#,
            r#"{"do":"remove","sample":2}"#,
            r#"{"do":"undo"}"#,
        ];
        let after = applied(&file, blob, &changes).unwrap();
        sound(&after);
        let after = contents(&after);
        let payloads: Vec<&Bytes> = after.iter().map(|(payload, _)| payload).collect();
        let new = Bytes::from_static(blob);
        assert_eq!(payloads, [&new, &before[0].0, &before[2].0, &before[3].0, &before[4].0]);
        let records: Vec<Value> = after.into_iter().map(|(_, record)| record.unwrap()).collect();
        assert_eq!(records[0], json!({"id": 0, "name": "n.txt", "label": "new"}));
        assert_eq!(
            records[1],
            json!({"id": 1, "name": "0.txt", "json": {"k": 1.5, "label": "boat", "deep": {"er": [1]}}})
        );
        assert_eq!(
            records[2],
            json!({"id": 2, "name": "2.txt", "label": "dog 2", "tags": ["b"], "review": "accepted"})
        );
        assert_eq!(records[3]["annotations_format"], "forebay.1");
        assert_eq!(records[3]["id"], 3);
        assert_eq!(records[4], json!({"id": 4, "name": "four.txt", "label": "dog 4"}));
    }
}

#[test]
fn without_changes_the_same_file_comes_out() {
    for (layout, format) in ALL {
        let file = file(layout, format);
        assert_eq!(applied(&file, b"", &[]).unwrap(), file, "{layout:?} {format:?}");
    }
}

#[test]
fn in_place_there_is_the_old_file_or_the_new_one_at_every_moment() {
    for format in [MetadataFormat::Json, MetadataFormat::Msgpack] {
        let mut now = file(Layout::Guide, format);
        let mut sizes = Vec::new();
        let payloads: Vec<Bytes> = contents(&now).into_iter().map(|(payload, _)| payload).collect();
        for turn in 0..4 {
            let change = format!(r#"{{"do":"set","sample":4,"fields":{{"turn":{turn}}}}}"#);
            let (out, spool, landing) = run(&now, b"", journal(&now, &[&change]), true).unwrap();
            assert!(out.is_empty(), "payloads are not touched");
            let (old, mut file) = (contents(&now), now.to_vec());
            let mut new = old.clone();
            new[4].1.as_mut().unwrap()["turn"] = turn.into();
            let steps = [(landing.first, false), (landing.header, true), (landing.last, true)];
            for (one, landed) in steps.iter().flat_map(|(part, landed)| part.iter().map(move |one| (one, landed))) {
                patch(&mut file, &spool, one);
                let bytes = Bytes::from(file.clone());
                assert_eq!(contents(&bytes), if *landed { new.clone() } else { old.clone() });
                if !landed {
                    // What a killed process left does not make it another file, and is cleared away by the next.
                    let again = run(&bytes, b"", journal(&now, &[&change]), true).unwrap().2;
                    assert_eq!(again.header.len(), 1);
                }
            }
            now = file.into();
            sizes.push(now.len());
            sound(&now);
            assert_eq!(contents(&now).into_iter().map(|(payload, _)| payload).collect::<Vec<_>>(), payloads);
        }
        // The room that became free is used again.
        assert_eq!(sizes[1], sizes[3], "{sizes:?}");
        assert!(run(&now, b"", journal(&now, &[r#"{"do":"remove","sample":0}"#]), true).is_err());
    }
    let file = file(Layout::Turboloader, MetadataFormat::Json);
    let e = run(&file, b"", journal(&file, &[]), true).unwrap_err();
    assert_eq!(e.code().id(), "edits.cannot");
}

#[test]
fn a_journal_is_read_as_it_was_written_and_every_damage_is_seen() {
    let file = file(Layout::Guide, MetadataFormat::Json);
    let changes = [
        r#"{"do":"set","sample":0,"fields":{"json.a":1.50,"b":"ü"},"unset":["c"]}"#,
        r#"{"do":"move","sample":1,"before":null}"#,
        r#"{"do":"document","fields":{"classes":["a"]}}"#,
        r#"{"do":"undo"}"#,
        r#"{"do":"redo"}"#,
    ];
    let written = journal(&file, &changes);
    let text = written.text();
    let limits = Limits::default();
    let back = Journal::parse(text.as_bytes(), &limits).unwrap();
    assert_eq!((back.text(), back.changes(), back.torn()), (text.clone(), written.changes(), 0));
    assert_eq!(back.whole(), text.len() as u64);
    let lines: Vec<usize> = text.match_indices('\n').map(|(at, _)| at + 1).collect();
    for cut in 0..text.len() {
        let whole = lines.iter().filter(|end| **end <= cut).count();
        match Journal::parse(&text.as_bytes()[..cut], &limits) {
            Ok(journal) => {
                assert_eq!(journal.changes().len() + 1, whole);
                assert_eq!(journal.torn() > 0, !lines.contains(&cut));
            }
            Err(e) => assert_eq!((whole, e.code().id(), e.place().line), (0, "edits.line", Some(1))),
        }
    }
    for bit in 0..text.len() * 8 {
        let mut flipped = text.clone().into_bytes();
        flipped[bit / 8] ^= 1 << (bit % 8);
        match Journal::parse(&flipped, &limits) {
            // Only the end of the last line makes it a line that was cut off.
            Ok(journal) => assert!(journal.torn() > 0 && bit / 8 == text.len() - 1),
            Err(e) => assert!(e.code().id().starts_with("edits.") && e.place().line.is_some(), "{e}"),
        }
    }
    let mut lost: Vec<&str> = text.lines().collect();
    lost.remove(2);
    let e = Journal::parse((lost.join("\n") + "\n").as_bytes(), &limits).unwrap_err();
    assert_eq!((e.code().id(), e.place().line), ("edits.order", Some(3)));
    let seal = |line: &str| format!("{line},\"crc\":\"{:08x}\"}}\n", crc32(line.as_bytes()));
    let newer = seal(r#"{"forebay_edits":2,"of":{}"#);
    assert_eq!(Journal::parse(newer.as_bytes(), &limits).unwrap_err().code().id(), "edits.version");
    let unknown = format!("{}{}", Journal::new(written.of().clone()).text(), seal(r#"{"n":1,"do":"paint","sample":1"#));
    let e = Journal::parse(unknown.as_bytes(), &limits).unwrap_err();
    assert!(e.code().id() == "edits.unknown" && e.message().contains("paint"), "{e}");
}

#[test]
fn a_journal_takes_no_change_with_which_it_would_not_be_opened_again() {
    let file = file(Layout::Guide, MetadataFormat::Json);
    let of = journal(&file, &[]).of().clone();
    let limits = Limits::default().with_metadata_bytes(2000);
    let change = || Change::parse(&format!(r#"{{"do":"set","sample":1,"fields":{{"note":"{}"}}}}"#, "x".repeat(300)));
    let opened = Journal::parse(journal(&file, &[]).text().as_bytes(), &limits).unwrap();
    for mut journal in [Journal::new(of).within(&limits), opened] {
        let e = (0..10).find_map(|_| journal.push(change().unwrap()).err()).unwrap();
        assert_eq!(e.code().id(), "edits.limit");
        assert!(e.message().contains("begin a journal of the new file"), "{e}");
        let text = journal.text();
        assert!(text.len() as u64 == journal.whole() && (1000..=2000).contains(&text.len()), "{}", text.len());
        assert_eq!(Journal::parse(text.as_bytes(), &limits).unwrap().changes(), journal.changes());
    }
}

#[test]
fn annotations_are_kept_and_applied_to_the_last_digit() {
    let file = file(Layout::Guide, MetadataFormat::Json);
    let list = r#"[{"class":"boat","xmin":0.1,"ymin":1.0,"xmax":30.123456789012345,"ymax":1e2,"attributes":{"ü":"é"}},{"xmin":1,"ymin":2,"xmax":3,"ymax":4,"segmentation":[[1,2,3,2.5]]}]"#;
    let set = format!(r#"{{"do":"set","sample":1,"annotations":{list}}}"#);
    let written = journal(&file, &[&set]);
    let back = Journal::parse(written.text().as_bytes(), &Limits::default()).unwrap();
    assert_eq!((back.text(), back.changes()), (written.text(), written.changes()));
    for journal in [written, back] {
        let record = Edited::new(journal).record(1, 1, Some(r#"{"id":1,"name":"1.txt"}"#)).unwrap();
        let found: Value = serde_json::from_str(&record).unwrap();
        assert_eq!(found["annotations"], serde_json::from_str::<Value>(list).unwrap());
    }
}

#[test]
fn what_nobody_changed_keeps_its_digits_and_its_fields() {
    let record = r#"{"id":0,"name":"0.txt","json":{"n":340282366920938463463374607431768211455,"a":1,"a":2,"o":{"w":18446744073709551616}}}"#;
    let sample = |journal: &[&str]| {
        let of = Identity::of_folder([("a.jpg", 3)].into_iter(), 1, "pictures");
        let mut journal_of = Journal::new(of);
        journal.iter().for_each(|change| drop(journal_of.push(Change::parse(change).unwrap()).unwrap()));
        Edited::new(journal_of).record(0, 0, Some(record)).unwrap()
    };
    let tagged = sample(&[r#"{"do":"tag","sample":0,"add":["x"]}"#]);
    assert_eq!(tagged, record.replace("6}}}", r#"6},"tags":["x"]}}"#));
    let set = sample(&[r#"{"do":"set","sample":0,"fields":{"json.o.v":36893488147419103232}}"#]);
    assert_eq!(set, record.replace("616}}}", r#"616,"v":36893488147419103232}}}"#));
    let taken = sample(&[r#"{"do":"set","sample":0,"fields":{"json.a":null}}"#]);
    assert!(taken == record.replace(r#""a":1,"a":2,"#, "") || taken.contains(r#""a":null"#), "{taken}");
}

#[test]
fn what_cannot_be_is_refused() {
    let file = file(Layout::Guide, MetadataFormat::Json);
    let refused = |change: &str| {
        let mut journal = journal(&file, &[]);
        let done = Change::parse(change).and_then(|change| journal.push(change));
        done.expect_err(change).code().id()
    };
    for (change, code) in [
        (r#"{"do":"remove","sample":5}"#, "edits.line"),
        (r#"{"do":"remove","sample":-1}"#, "edits.line"),
        (r#"{"do":"remove","sample":1,"extra":1}"#, "edits.line"),
        (r#"{"do":"undo"}"#, "edits.line"),
        (r#"{"do":"move","sample":0,"before":9}"#, "edits.line"),
        (r#"{"do":"rename","sample":0,"name":"../x"}"#, "edits.line"),
        (r#"{"do":"set","sample":0,"fields":{"id":1}}"#, "edits.line"),
        (r#"{"do":"set","sample":0,"fields":{"a..b":1}}"#, "edits.line"),
        (r#"{"do":"set","sample":0,"fields":{"exact.json":1}}"#, "edits.line"),
        (r#"{"do":"document","fields":{"samples.x":1}}"#, "edits.line"),
        (r#"{"do":"set","sample":0,"fields":{"a":1e400}}"#, "edits.line"),
        (r#"{"do":"review","sample":0,"state":"maybe"}"#, "edits.line"),
        (r#"{"do":"set","sample":0,"annotations":[{"xmin":3,"ymin":1,"xmax":2,"ymax":2}]}"#, "label.rect"),
        (r#"{"sample":0}"#, "edits.line"),
        ("[]", "edits.line"),
    ] {
        assert_eq!(refused(change), code, "{change}");
    }
    let fails = |changes: &[&str]| applied(&file, b"", changes).unwrap_err();
    let e = fails(&[r#"{"do":"set","sample":1,"fields":{"label.x":1}}"#]);
    assert_eq!((e.code().id(), e.place().sample, e.place().path.as_deref()), ("edits.path", Some(1), Some("label.x")));
    let e = fails(&[r#"{"do":"add","name":"a.jpg","at":0,"bytes":9,"blob":"00000000"}"#]);
    assert_eq!(e.code().id(), "edits.blob");
    let mut other = file.to_vec();
    other[100] ^= 1;
    let e = run(&other.into(), b"", journal(&file, &[]), false).unwrap_err();
    assert_eq!(e.code().id(), "edits.other_file");
}

#[test]
fn journals_are_merged_and_what_both_changed_is_named() {
    let file = file(Layout::Guide, MetadataFormat::Json);
    let common = r#"{"do":"set","sample":0,"fields":{"label":"a"}}"#;
    let ours = journal(
        &file,
        &[
            common,
            r#"{"do":"set","sample":1,"fields":{"label":"ours","other":1}}"#,
            r#"{"do":"add","name":"o.txt","at":0,"bytes":1,"blob":"00000001"}"#,
        ],
    );
    let theirs = journal(
        &file,
        &[
            common,
            r#"{"do":"remove","sample":4}"#,
            r#"{"do":"undo"}"#,
            r#"{"do":"set","sample":1,"fields":{"label":"theirs","more":2}}"#,
            r#"{"do":"add","name":"t.txt","at":0,"bytes":1,"blob":"00000002"}"#,
            r#"{"do":"tag","sample":5,"add":["t"]}"#,
        ],
    );
    let e = merge(&ours, &theirs, [0, 1], None).unwrap_err();
    assert_eq!((e.code().id(), e.place().sample), ("edits.conflict", Some(1)));
    assert!(e.message().contains("label: \"ours\" in the first journal, \"theirs\" in the second"), "{e}");
    for (side, label) in [(Side::Ours, "ours"), (Side::Theirs, "theirs")] {
        let merged = merge(&ours, &theirs, [0, 1], Some(side)).unwrap();
        assert_eq!(merged.conflicts.len(), 1);
        let edited = Edited::new(merged.journal);
        let record: Value = serde_json::from_str(&edited.record(1, 1, Some("{}")).unwrap()).unwrap();
        assert_eq!(record, json!({"label": label, "other": 1, "more": 2}));
        assert_eq!((edited.len(), edited.added(6).unwrap().blob.at), (7, 1));
        let record: Value = serde_json::from_str(&edited.record(6, 6, None).unwrap()).unwrap();
        assert_eq!(record["tags"], json!(["t"]));
    }
}

#[test]
fn the_side_that_counts_is_what_is_applied() {
    let file = file(Layout::Guide, MetadataFormat::Json);
    let ours = [
        r#"{"do":"remove","sample":1}"#,
        r#"{"do":"set","sample":2,"fields":{"box":5}}"#,
        r#"{"do":"set","sample":3,"fields":{"place":"kitchen"}}"#,
        r#"{"do":"tag","sample":3,"add":["night"]}"#,
        r#"{"do":"set","sample":4,"fields":{"label":"x"}}"#,
        r#"{"do":"remove","sample":4}"#,
    ];
    let theirs = [
        r#"{"do":"set","sample":1,"fields":{"label":"theirs"}}"#,
        r#"{"do":"set","sample":2,"fields":{"box.x":1}}"#,
        r#"{"do":"move","sample":3,"before":0}"#,
        r#"{"do":"tag","sample":3,"add":["night.rain"]}"#,
        r#"{"do":"remove","sample":4}"#,
    ];
    let (ours, theirs) = (journal(&file, &ours), journal(&file, &theirs));
    for (side, order, boxed) in
        [(Side::Theirs, vec![3, 0, 1, 2], json!({"x": 1})), (Side::Ours, vec![3, 0, 2], json!(5))]
    {
        let merged = merge(&ours, &theirs, [0; 2], Some(side)).unwrap();
        let found: Vec<_> = merged.conflicts.iter().map(|one| (one.sample, one.path.as_str())).collect();
        // A field that is called as a place is none, a tag lies in no other, and both left out the last sample.
        assert_eq!(found, [(Some(2), "box.x"), (Some(1), "label")], "{side:?}");
        let edited = Edited::new(merged.journal);
        let samples: Vec<u64> = (0..edited.len()).filter_map(|place| edited.at(place)).collect();
        assert_eq!(samples, order, "{side:?}");
        let record = |sample| serde_json::from_str::<Value>(&edited.record(sample, 0, Some("{}")).unwrap()).unwrap();
        assert_eq!(record(2), json!({"box": boxed}), "{side:?}");
        assert_eq!(record(3), json!({"place": "kitchen", "tags": ["night", "night.rain"]}));
        if side == Side::Theirs {
            assert_eq!(record(1), json!({"label": "theirs"}));
        }
    }
}

#[test]
fn a_journal_of_more_samples_than_there_can_be_costs_nothing() {
    let sealed = |line: &str| format!("{line},\"crc\":\"{:08x}\"}}\n", crc32(line.as_bytes()));
    let journal = |samples: u64| {
        let of = r#""name":"a","bytes":1,"layout":"tar""#;
        let of = format!(r#"{{"forebay_edits":1,"of":{{{of},"samples":{samples},"digest":"0"}}"#);
        let lines =
            [of, r#"{"n":1,"do":"remove","sample":3"#.into(), r#"{"n":2,"do":"move","sample":9,"before":1"#.into()];
        let text: String = lines.iter().map(|line| sealed(line)).collect();
        Journal::parse(text.as_bytes(), &Limits::default())
    };
    let edited = Edited::new(journal(1 << 53).unwrap());
    assert_eq!((edited.len(), edited.at(1), edited.at(4)), ((1 << 53) - 1, Some(9), Some(4)));
    assert_eq!(merge(edited.journal(), edited.journal(), [0; 2], None).unwrap().journal.changes().len(), 2);
    for samples in [(1 << 53) + 1, u64::MAX] {
        assert_eq!(journal(samples).unwrap_err().code().id(), "edits.line");
    }
}

#[test]
fn a_journal_whose_ends_of_lines_were_changed_says_so() {
    let file = file(Layout::Guide, MetadataFormat::Json);
    let text = journal(&file, &[r#"{"do":"remove","sample":1}"#]).text().replace('\n', "\r\n");
    let e = Journal::parse(text.as_bytes(), &Limits::default()).unwrap_err();
    assert_eq!((e.code().id(), e.place().line), ("edits.line", Some(1)));
    assert!(e.message().contains("carriage return"), "{e}");
}

/// Pictures of the fixtures, most of them packed.
#[cfg(feature = "packed")]
#[allow(clippy::disallowed_methods, reason = "a test is a host: it reads files")]
fn packed() -> Bytes {
    let fixtures = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/");
    let index: Value = serde_json::from_slice(&std::fs::read(format!("{fixtures}images.json")).unwrap()).unwrap();
    let blob = std::fs::read(format!("{fixtures}images.bin")).unwrap();
    let at = |case: &Value, i: usize| case["data"][i].as_u64().unwrap() as usize;
    let cases = index["decode"].as_array().unwrap().iter().take(8);
    let payloads: Vec<&[u8]> = cases.map(|case| &blob[at(case, 0)..at(case, 0) + at(case, 1)]).collect();
    let sample = |payload| Sample {
        payload,
        format: forebay::image::probe(payload).format,
        record: Some(r#"{"name":"a.jpg"}"#),
        ..Sample::default()
    };
    let samples: Vec<Sample<'_>> = payloads.into_iter().map(sample).collect();
    let options = PackOptions::new(Layout::Guide, Compression::Packed);
    build_tbl(options, MetadataFormat::Json, Document::default(), &samples, Some(8)).into()
}

#[cfg(feature = "packed")]
#[test]
fn packed_jpegs_keep_their_tables() {
    let file = packed();
    let before = contents(&file);
    assert_eq!(applied(&file, b"", &[]).unwrap(), file);
    let less = applied(&file, b"", &[r#"{"do":"remove","sample":2}"#]).unwrap();
    sound(&less);
    let kept = before.iter().enumerate().filter(|(i, _)| *i != 2).map(|(_, (payload, _))| payload);
    assert!(contents(&less).iter().map(|(payload, _)| payload).eq(kept));
    let mut now = file.to_vec();
    for _ in 0..3 {
        let bytes = Bytes::from(now.clone());
        let change = r#"{"do":"set","sample":4,"fields":{"turn":1}}"#;
        let (_, spool, landing) = run(&bytes, b"", journal(&bytes, &[change]), true).unwrap();
        for one in [landing.first, landing.header, landing.last].into_iter().flatten() {
            patch(&mut now, &spool, &one);
        }
        let bytes = Bytes::from(now.clone());
        sound(&bytes);
        assert!(contents(&bytes).iter().map(|(payload, _)| payload).eq(before.iter().map(|(payload, _)| payload)));
    }
}
