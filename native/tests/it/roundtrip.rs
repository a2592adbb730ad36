//! TAR to TBL and back gives the same members with the same bytes, whatever they are and whatever the TBL is.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "a test of files")]

use std::{fs, io::Write};

use forebay::{
    Limits,
    codec::{Codec, Compression},
    filter::Filter,
    tbl::{Layout, MetadataFormat},
};
use forebay_native::{
    Dataset,
    convert::{Job, MetadataChoice, Options, StreamInput, To},
    select::matching,
};
use proptest::{
    collection::vec,
    prelude::*,
    sample::{select, subsequence},
    test_runner::Config,
};

use crate::{
    common::{Folder, bmp, tar},
    whole::{Members, read, same, sound},
};

/// What can be chosen for a TBL that keeps names: Zstandard is the guide layout's alone.
fn choices() -> impl Strategy<Value = (Layout, Compression, MetadataFormat)> {
    let zstd = [(Codec::Zstd, 1), (Codec::Zstd, 19)].map(|choice| (Layout::Guide, choice));
    let both = [Layout::Guide, Layout::Turboloader]
        .into_iter()
        .flat_map(|layout| [(Codec::None, 0), (Codec::Lz4, 1), (Codec::Lz4, 9)].map(|choice| (layout, choice)));
    let all: Vec<_> = zstd.into_iter().chain(both).collect();
    (select(all), select(vec![MetadataFormat::Json, MetadataFormat::Msgpack]))
        .prop_map(|((layout, (codec, level)), format)| (layout, Compression::new(codec, Some(level)).unwrap(), format))
}

/// Bytes that are pictures, bytes that shrink, bytes that do not, and none.
fn payload() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        3 => (1u32..200, any::<u32>()).prop_map(|(width, seed)| bmp(width, seed)),
        2 => vec(any::<u8>(), 0..2000),
        1 => vec(any::<u8>(), 0..200).prop_map(|tail| [&[0xff, 0xd8, 0xff, 0xe0][..], &tail].concat()),
        1 => Just(Vec::new()),
    ]
}

fn sidecar() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        "[0-9]{1,6}\n?".prop_map(String::into_bytes),
        r#"\{"a": ?(1|1\.50|1e400|"x\\u0041é"|\[ *1 ,2\])\}"#.prop_map(String::into_bytes),
        ".{0,40}".prop_map(String::into_bytes),
        vec(any::<u8>(), 0..60),
    ]
}

/// One group of files that share a key, sidecars before and after the picture.
fn group() -> impl Strategy<Value = (String, Members)> {
    let stem = prop_oneof![
        4 => "[a-z0-9_-]{1,12}",
        2 => "(train|ünï|a\\.b)/[a-z0-9 ]{1,8}x",
        1 => "[a-z]{60,90}/[a-z]{80,140}",
        1 => "[日本語é]{1,5}",
    ];
    let extensions = select(vec!["bmp", "jpg", "png", "webp", "JPEG", "bin", "mp4"]);
    let sidecars = subsequence(vec!["json", "cls", "txt", "name", "id", "exact", "members", "seg.txt", "npy"], 0..5);
    (stem, extensions, payload(), sidecars, vec(sidecar(), 9), 0usize..4, any::<bool>()).prop_map(
        |(stem, extension, payload, names, contents, before, mask)| {
            let file = |extension: &str, bytes: Vec<u8>| (format!("{{}}.{extension}"), bytes);
            let mut members: Members = names.iter().zip(contents).map(|(name, bytes)| file(name, bytes)).collect();
            members.insert(before.min(members.len()), file(extension, payload.clone()));
            if mask && extension != "bin" {
                members.push(file("seg.png", payload));
            }
            (stem, members)
        },
    )
}

/// Archives: groups one after another, every key its own.
fn members() -> impl Strategy<Value = Members> {
    vec(group(), 0..12).prop_map(|groups| {
        let mut all = Vec::new();
        for (number, (stem, files)) in groups.into_iter().enumerate() {
            all.extend(files.into_iter().map(|(name, bytes)| (name.replace("{}", &format!("{stem}{number}")), bytes)));
        }
        all
    })
}

fn options(to: To, (layout, compression, metadata): (Layout, Compression, MetadataFormat)) -> Options {
    let mut options = Options::new(to);
    (options.layout, options.compression) = (layout, compression);
    options.metadata = MetadataChoice::of(metadata);
    options.sync = false;
    options.verify = true;
    options.workers = 2;
    options
}

/// How many cases: fewer where each costs files on disk.
fn cases() -> Config {
    Config { cases: 96, failure_persistence: None, ..Config::default() }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn members_come_back_byte_for_byte(members in members(), choice in choices()) {
        let folder = Folder::new();
        let [first, tbl, second] = ["first.tar", "middle.tbl", "second.tar"].map(|name| folder.at(name));
        fs::write(&first, tar(&members)).unwrap();
        let source = Dataset::open(&first).unwrap();
        let (samples, in_order) = (source.len(), source.tar().unwrap().groups().is_in_order());
        let summary = Job::new(vec![source], options(To::Tbl, choice)).run(&tbl).unwrap();
        prop_assert_eq!((summary.samples, summary.verified), (samples, samples));
        let dataset = sound(&tbl);
        prop_assert_eq!(dataset.tbl().unwrap().layout(), choice.0);
        Job::new(vec![dataset], options(To::Tar, choice)).run(&second).unwrap();
        let (mut back, mut expected) = (read(&second), members);
        if !in_order {
            // A mask that stands between a picture and its sidecars comes behind them.
            back.sort();
            expected.sort();
        }
        prop_assert_eq!(back, expected);
    }

    #[test]
    fn a_tbl_keeps_everything_through_other_tbls(members in members(), one in choices(), two in choices()) {
        let folder = Folder::new();
        fs::write(folder.at("first.tar"), tar(&members)).unwrap();
        let path = |name: &str| folder.at(name);
        let convert = |from: &str, name: &str, options: Options| {
            Job::new(vec![Dataset::open(path(from)).unwrap()], options).run(&path(name)).unwrap();
        };
        convert("first.tar", "one.tbl", options(To::Tbl, one));
        convert("one.tbl", "two.tbl", options(To::Tbl, two));
        sound(&path("two.tbl"));
        convert("one.tbl", "one.tar", options(To::Tar, one));
        convert("two.tbl", "two.tar", options(To::Tar, two));
        prop_assert_eq!(read(&path("one.tar")), read(&path("two.tar")));
    }

    #[test]
    fn a_stream_gives_the_same_tbl_as_the_mapped_file(members in members(), choice in choices(), zstd in any::<bool>()) {
        let folder = Folder::new();
        let file = tar(&members);
        fs::write(folder.at("a.tar"), &file).unwrap();
        let packed = match zstd {
            true => zstd::encode_all(&file[..], 1).unwrap(),
            false => {
                let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
                gz.write_all(&file).unwrap();
                gz.finish().unwrap()
            }
        };
        fs::write(folder.at("a.packed"), packed).unwrap();
        Job::new(vec![Dataset::open(folder.at("a.tar")).unwrap()], options(To::Tbl, choice)).run(&folder.at("mapped.tbl")).unwrap();
        let stream = StreamInput::open(&folder.at("a.packed"), &Limits::host()).unwrap().unwrap();
        Job::stream(stream, options(To::Tbl, choice)).run(&folder.at("streamed.tbl")).unwrap();
        same(&folder.at("mapped.tbl"), &folder.at("streamed.tbl"));
    }
}

/// A gray TIFF whose directory stands behind its pixels, as many programs write it.
fn tiff(width: u32, height: u32) -> Vec<u8> {
    let pixels = vec![7; (width * height) as usize];
    let mut file = b"II\x2a\0".to_vec();
    file.extend((8 + pixels.len() as u32).to_le_bytes());
    file.extend(pixels);
    let fields = [(256u16, width), (257, height)];
    file.extend((fields.len() as u16).to_le_bytes());
    for (tag, value) in fields {
        file.extend(tag.to_le_bytes());
        file.extend(4u16.to_le_bytes());
        file.extend(1u32.to_le_bytes());
        file.extend(value.to_le_bytes());
    }
    file.extend(0u32.to_le_bytes());
    file
}

#[test]
fn a_filter_sees_a_size_that_stands_at_a_pictures_end() {
    let members: Members =
        vec![("a.tif".into(), tiff(400, 300)), ("b.tif".into(), tiff(20, 9)), ("c.bmp".into(), bmp(9, 1))];
    let folder = Folder::new();
    fs::write(folder.at("a.tar"), tar(&members)).unwrap();
    fs::create_dir(folder.at("a")).unwrap();
    for (name, bytes) in &members {
        fs::write(folder.at("a").join(name), bytes).unwrap();
    }
    for input in ["a.tar", "a"] {
        let dataset = Dataset::open(folder.at(input)).unwrap();
        let info = dataset.info(0).unwrap();
        assert_eq!((info.width, info.height), (400, 300), "{input}");
        assert_eq!(matching(&dataset, &Filter::parse("width > 30").unwrap()).unwrap(), [0], "{input}");
    }
}
