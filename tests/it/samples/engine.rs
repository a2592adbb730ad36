//! The engine for samples without any host: conversions, selections and checks over bytes in memory.

use std::{ops::Range, sync::Arc};

use bytes::Bytes;
use forebay::{
    Limits, Result,
    codec::{Codec, Compression},
    filter::Filter,
    sample::Proof,
    samples::{
        Checker, Conversion, ConversionOptions, Converted, Form, Inherited, MetadataChoice, Opened, Opener, Part,
        RecordReader, Selector,
    },
    step::{Turn, drive},
    tar::{END, header_for, padding},
    tbl::{Layout, MetadataFormat, PackOptions, Patch},
};

/// What a host does with what a conversion gives it.
#[derive(Default)]
struct File {
    bytes: Vec<u8>,
    spool: Vec<u8>,
}

impl File {
    fn write(&mut self, at: u64, bytes: &[u8]) {
        let (start, end) = (at as usize, at as usize + bytes.len());
        self.bytes.resize(self.bytes.len().max(end), 0);
        self.bytes[start..end].copy_from_slice(bytes);
    }

    fn take(&mut self, work: &mut Conversion) {
        let mut at = work.at();
        for piece in work.pieces() {
            self.write(at, piece);
            at += piece.len() as u64;
        }
        work.written();
        self.spool.extend(work.take_spool());
    }

    fn patch(&mut self, patch: Patch) {
        match patch {
            Patch::Move { from, to, len } => {
                let moved = self.bytes[from as usize..(from + len) as usize].to_vec();
                self.write(to, &moved);
            }
            Patch::Bytes { at, bytes } => self.write(at, &bytes),
            Patch::Zero { at, len } => self.write(at, &vec![0; len as usize]),
            Patch::Spool { at, len } => {
                assert_eq!(len, self.spool.len() as u64);
                let spooled = std::mem::take(&mut self.spool);
                self.write(at, &spooled);
            }
            Patch::End { len } => self.bytes.resize(len as usize, 0),
            other => panic!("{other:?}"),
        }
    }
}

fn archive(files: &[(String, Vec<u8>)]) -> Bytes {
    let mut out = Vec::new();
    for (name, content) in files {
        out.extend(header_for(name, content.len() as u64).unwrap());
        out.extend_from_slice(content);
        out.resize(out.len() + padding(content.len() as u64), 0);
    }
    out.extend_from_slice(&END);
    out.into()
}

/// Samples of a payload, a class and a text each, some of which compress well.
fn some(n: usize) -> Bytes {
    let sample = |i: usize| {
        let payload = match i % 3 {
            0 => vec![b'x'; 700 + i],
            1 => (0..300 + i).map(|k| (k * k + i) as u8).collect(),
            _ => Vec::new(),
        };
        [
            (format!("d/{i:03}.bmp"), payload),
            (format!("d/{i:03}.cls"), format!("{}", i % 4).into_bytes()),
            (format!("d/{i:03}.json"), format!("{{\"n\": {i}}}\n").into_bytes()),
        ]
    };
    archive(&(0..n).flat_map(sample).collect::<Vec<_>>())
}

fn open(file: &Bytes) -> Arc<Opened> {
    Arc::new(Opened::new(drive(Opener::new(file.len() as u64), file).unwrap(), Limits::default(), None))
}

fn slice(file: &Bytes, range: Range<u64>) -> Bytes {
    file.slice(range.start as usize..range.end as usize)
}

fn convert(file: &Bytes, options: &ConversionOptions, chosen: Option<Vec<u32>>) -> Result<(Bytes, Converted)> {
    let (mut work, mut out) = (Conversion::new(open(file), options.clone(), chosen)?, File::default());
    loop {
        match work.step()? {
            Turn::Need(ranges) => ranges.into_iter().for_each(|r| work.push(r.start, slice(file, r))),
            Turn::Item(batch) => {
                // In no order in particular, as threads would.
                let mut made: Vec<_> = batch.places().rev().map(|k| batch.make(k)).collect();
                made.reverse();
                work.write(made)?;
            }
            Turn::Done => break,
        }
        out.take(&mut work);
    }
    out.take(&mut work);
    let patches = work.finish()?;
    patches.into_iter().for_each(|patch| out.patch(patch));
    let done = work.converted().clone();
    assert_eq!(done.output_bytes, out.bytes.len() as u64);
    Ok((out.bytes.into(), done))
}

fn tbl(layout: Layout, codec: Codec) -> ConversionOptions {
    let compression = Compression::new(codec, None).unwrap();
    ConversionOptions::new(Form::Tbl(PackOptions::new(layout, compression)))
}

#[test]
fn what_is_written_does_not_depend_on_how_much_is_read_at_a_time() {
    let file = some(40);
    for (layout, codec) in
        [(Layout::Guide, Codec::None), (Layout::Guide, Codec::Lz4), (Layout::Turboloader, Codec::Lz4)]
    {
        let mut options = tbl(layout, codec);
        options.source = "some/where/some.tar".into();
        let (whole, done) = convert(&file, &options, None).unwrap();
        assert_eq!((done.counts.samples, done.counts.compressed_samples > 0), (40, codec == Codec::Lz4));
        for window in [0, 1, 1000, 5000] {
            options.window = window;
            assert!(convert(&file, &options, None).unwrap().0 == whole, "{layout:?} {codec:?} {window}");
        }
        // And comes back as the archive that it was.
        assert_eq!(convert(&whole, &ConversionOptions::new(Form::Tar), None).unwrap().0, file);
    }
}

#[test]
fn chosen_samples_are_written_in_their_order() {
    let (file, tar) = (some(9), ConversionOptions::new(Form::Tar));
    let through = |chosen: Vec<u32>| {
        let through_tbl = convert(&file, &tbl(Layout::Guide, Codec::None), Some(chosen.clone())).unwrap().0;
        let straight = convert(&file, &tar, Some(chosen)).unwrap().0;
        assert_eq!(convert(&through_tbl, &tar, None).unwrap().0, straight);
        straight
    };
    assert_eq!(through((0..9).collect()), file);
    assert_ne!(through(vec![7, 2, 2, 0]), file);
    assert_eq!(through(Vec::new()), Bytes::from_static(&END));
    let e = convert(&file, &tar, Some(vec![3, 9])).unwrap_err();
    assert_eq!((e.code().id(), e.place().sample), ("usage.out_of_range", Some(9)));
}

#[test]
fn a_broken_sample_ends_the_conversion_or_is_left_out() {
    let good = convert(&some(6), &tbl(Layout::Guide, Codec::None), None).unwrap().0;
    let opened = open(&good);
    let mut broken = good.to_vec();
    broken[opened.dataset.info(3).unwrap().offset as usize] ^= 1;
    let broken = Bytes::from(broken);
    let mut options = tbl(Layout::Guide, Codec::None);
    let e = convert(&broken, &options, None).unwrap_err();
    assert_eq!((e.code().id(), e.place().sample), ("tbl.payload_crc", Some(3)));
    options.keep_going = true;
    let (left, done) = convert(&broken, &options, None).unwrap();
    assert_eq!((done.counts.samples, done.faults.len(), done.faults[0].sample), (5, 1, Some(3)));
    // The numbers of those behind it move.
    let work = RecordReader::new(open(&left), 3);
    let record = drive(work, &left).unwrap().unwrap();
    assert!(record.starts_with(r#"{"id":3,"name":"d/004.bmp""#), "{record}");

    // A check says the same, in however many parts.
    for parts in [1, 2, 5, 100] {
        let mut work = Checker::new(&open(&broken), 0..6, parts, Some(500));
        loop {
            work.parts().iter_mut().try_for_each(Part::step).unwrap();
            let needs = work.needs();
            if needs.is_empty() {
                break;
            }
            needs.into_iter().for_each(|r| work.push(r.start, slice(&broken, r)));
        }
        let report = work.finish();
        assert_eq!((report.fault_count, report.faults[0].sample, work.checked()), (1, Some(3), 6), "{parts}");
    }
    // And who does not ask is not told.
    let plan = open(&broken).dataset.plan(3).unwrap();
    assert_eq!(plan.proof, Proof::Crc32After);
    let bytes = slice(&broken, plan.range());
    assert_eq!(plan.decode_unverified(&bytes, &Limits::default()).unwrap(), bytes[..bytes.len() - 4]);
}

#[test]
fn a_selection_asks_an_archive_only_for_what_the_filter_needs() {
    let file = some(12);
    let select = |filter: &str| {
        let mut work = Selector::new(open(&file), &Filter::parse(filter).unwrap()).unwrap();
        let mut read = 0;
        loop {
            match work.step().unwrap() {
                Turn::Need(ranges) => {
                    for range in ranges {
                        read += range.end - range.start;
                        work.push(range.start, slice(&file, range));
                    }
                }
                Turn::Item(()) => {}
                Turn::Done => return (work.take_matches(), read),
            }
        }
    };
    assert_eq!(select("bytes > 700"), (vec![3, 6, 9], 0));
    assert_eq!(select("name ~ \"d/01*\""), (vec![10, 11], 0));
    let (matches, read) = select("cls == 3");
    assert_eq!(matches, [3, 7, 11]);
    // The sidecars, and no payload.
    assert!((1..400).contains(&read), "{read}");
}

#[test]
fn bytes_that_only_the_user_understands_go_along() {
    let mut options = tbl(Layout::Guide, Codec::None);
    options.metadata =
        MetadataChoice::parse(b"\x0a\x03own".to_vec(), MetadataFormat::Protobuf, &Limits::default()).unwrap();
    let (own, done) = convert(&some(3), &options, None).unwrap();
    assert_eq!(done.notes, ["Protobuf metadata is your own bytes: names and sidecars of the samples are left out"]);
    let (again, done) = convert(&own, &tbl(Layout::Guide, Codec::None), None).unwrap();
    assert!(again == own && done.notes.is_empty());
    // A layout that cannot hold them says so.
    let (_, done) = convert(&own, &tbl(Layout::Turboloader, Codec::None), None).unwrap();
    assert_eq!(done.notes, ["the source's Protobuf metadata is left out: it cannot be joined or translated"]);
}

fn plain(files: &[(&str, &str)]) -> Bytes {
    archive(&files.iter().map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec())).collect::<Vec<_>>())
}

/// The samples of an archive, each by its name and the names of its sidecars.
fn read(file: &Bytes) -> Vec<(String, Vec<String>)> {
    let opened = open(file);
    let tar = opened.dataset.tar().unwrap();
    let sidecars = |i| tar.sidecars(i).map(|(_, member)| member.name.to_owned()).collect();
    (0..tar.len()).map(|i| (tar.name(i).unwrap().to_owned(), sidecars(i))).collect()
}

#[test]
fn samples_that_come_to_stand_beside_each_other_stay_apart() {
    let (pack, tar) = (tbl(Layout::Guide, Codec::None), ConversionOptions::new(Form::Tar));
    /// Files with what is in them, and what a reader finds: a sample and its sidecars.
    type Case<'a> = (&'a [(&'a str, &'a str)], &'a [(&'a str, &'a [&'a str])]);
    let cases: [Case; 4] = [
        (&[("c.png", ""), ("x.jpg", ""), ("c.jpg", ""), ("c.cls", "2")], &[("c.png", &[]), ("c~1.jpg", &["c~1.cls"])]),
        (&[("c.json", "{}"), ("x.jpg", ""), ("c.jpg", "")], &[("c.json", &[]), ("c~1.jpg", &[])]),
        (
            &[("c.png", ""), ("c.cls", "1"), ("x.jpg", ""), ("c.jpg", ""), ("c.cls", "2")],
            &[("c.png", &["c.cls"]), ("c~1.jpg", &["c~1.cls"])],
        ),
        // Nothing of this is taken for anything else.
        (&[("c.png", ""), ("c.cls", "1"), ("x.jpg", ""), ("c.jpg", "")], &[("c.png", &["c.cls"]), ("c.jpg", &[])]),
    ];
    for (files, expected) in cases {
        let file = plain(files);
        let through = convert(&file, &pack, None).unwrap().0;
        for input in [file, through] {
            let (out, done) = convert(&input, &tar, Some(vec![0, 2])).unwrap();
            let found = read(&out);
            let found: Vec<_> =
                found.iter().map(|(n, s)| (n.as_str(), s.iter().map(String::as_str).collect())).collect();
            let expected: Vec<_> = expected.iter().map(|(n, s)| (*n, s.to_vec())).collect();
            assert_eq!(found, expected);
            assert_eq!(done.notes.len(), usize::from(expected[1].0.contains('~')), "{:?}", done.notes);
        }
    }
}

#[test]
fn what_is_joined_is_said_where_it_differs() {
    let mut joined = Inherited::of(2);
    let fields = |value: serde_json::Value| value.as_object().unwrap().clone();
    joined.document(fields(serde_json::json!({"source": "a.tar", "classes": ["cat"], "license": "A"})));
    joined.document(fields(serde_json::json!({"source": "b.tar", "classes": ["cat", "dog"], "license": "B"})));
    assert_eq!(joined.classes_differ(), None);
    joined.document(fields(serde_json::json!({"classes": ["cat", "zebra"]})));
    joined.protobuf(vec![1]);
    let mut notes = Vec::new();
    joined.into_writer(Layout::Guide, &MetadataChoice::default(), None, &mut notes).unwrap();
    assert!(
        notes[0].contains("Protobuf") && notes[1].contains("`classes`") && notes[2].ends_with(": license"),
        "{notes:?}"
    );
    let wide =
        MetadataChoice::parse(br#"{"n":18446744073709551616}"#.to_vec(), MetadataFormat::Json, &Limits::default());
    assert!(wide.unwrap_err().message().contains("18446744073709551616"));
}
