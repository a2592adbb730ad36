//! Records that other programs write: what is in them becomes samples, and lies are refused by name.

use std::{fs, io::Write, path::Path};

use forebay::{
    Limits,
    formats::Format,
    image::decode::{self, Decoder},
    sample::MediaFormat,
};
use forebay_native::{
    Dataset, Input, OpenOptions,
    check::check,
    convert::{Job, Options, To},
    select::matching,
};
use serde_json::{Value, json};

use crate::{
    common::Folder,
    doors_made::{
        Feature, Picture, beton, datum, detection, each, example, field, litdata, lmdb, mds, npy, png, tfrecord,
    },
    zip_made::archive,
};

fn open(bytes: &[u8]) -> forebay::Result<Dataset> {
    Dataset::from_input(Input::memory("it", bytes.to_vec()), &OpenOptions::default())
}

fn code(bytes: &[u8]) -> &'static str {
    open(bytes).expect_err("it is refused").code().id()
}

fn record(dataset: &Dataset, i: u64) -> Value {
    dataset.metadata_value(i).unwrap().unwrap_or_default()
}

/// The pixels of a payload, which is a picture.
fn pixels(dataset: &Dataset, i: u64) -> (u32, u32, Vec<u8>) {
    let (payload, mut decoder) = (dataset.payload(i).unwrap(), Decoder::default());
    let picture = decoder.decode(&payload, None, &decode::Options::default()).unwrap();
    (picture.width, picture.height, picture.pixels.to_vec())
}

/// The dataset, which has no fault, and becomes the same samples as a TBL.
fn sound(dataset: Dataset, folder: &Folder) -> Dataset {
    let report = check(&dataset, 2, &mut |_| {}).unwrap();
    assert!(report.ok && report.samples == dataset.len(), "{report:?}");
    let target = folder.at("twin.tbl");
    Job::new(vec![dataset.clone()], Options::new(To::Tbl)).run(&target).unwrap();
    let twin = Dataset::open(&target).unwrap();
    assert_eq!(twin.len(), dataset.len());
    for i in 0..dataset.len() {
        assert_eq!(twin.payload(i).unwrap(), dataset.payload(i).unwrap());
        assert_eq!(record(&twin, i), record(&dataset, i));
        let (a, b) = (twin.info(i).unwrap(), dataset.info(i).unwrap());
        assert_eq!((a.format, a.width, a.height), (b.format, b.width, b.height));
    }
    fs::remove_file(target).unwrap();
    dataset
}

#[test]
fn records_of_tensorflow_are_samples_with_classes_and_boxes() {
    let folder = Folder::new();
    let dataset = sound(open(&detection(5)).unwrap(), &folder);
    assert_eq!((dataset.format(), dataset.len()), (Some(Format::TfRecord), 5));
    assert!(dataset.notes().iter().any(|note| note.contains("image/encoded")), "{:?}", dataset.notes());
    let info = dataset.info(3).unwrap();
    assert_eq!((info.format, info.width, info.height), (MediaFormat::Png, 23, 10));
    assert_eq!(dataset.payload(3).unwrap(), png(23));
    let said = record(&dataset, 3);
    assert_eq!((&said["name"], &said["cls"], &said["class"]), (&"im3.png".into(), &1.into(), &"plane".into()));
    assert_eq!(said["json"]["score"], json!([0.1, 2.5]));
    let one = &said["json"]["annotations"][0];
    assert_eq!(
        (&one["class"], one["xmin"].as_f64(), one["ymax"].as_f64()),
        (&"plane".into(), Some(23.0 * 0.1), Some(6.0))
    );
    let find = |filter: &str| matching(&dataset, &filter.parse().unwrap()).unwrap();
    assert_eq!(find("cls == 1"), [1, 3]);
    assert_eq!(find("width > 22"), [3, 4]);
    assert_eq!(find("name == \"im2.png\""), [2]);
    assert_eq!(find("any(box, box.label == \"plane\")"), [1, 3]);
}

#[test]
fn what_protocol_buffers_allow_is_read() {
    let image = |bytes: &[u8]| field(1, &field(1, bytes));
    let entry = |name: &str, value: &[u8]| field(1, &[field(2, value), field(1, name.as_bytes())].concat());
    // Value before key, a name twice, a feature in pieces, unpacked numbers, a field that nobody knows, a feature of nothing.
    let unpacked = field(3, b"\x08\x05\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
    let parts = [
        entry("image", &image(b"first")),
        entry("image", &image(&png(7))),
        entry("ints", &unpacked),
        entry("none", b""),
    ];
    let features = field(1, &parts.concat());
    let more = field(1, &entry("late", &field(3, &field(1, b"\x09"))));
    let file = tfrecord(&[[features, b"\x78\x01".to_vec(), more].concat()]);
    let dataset = open(&file).unwrap();
    assert_eq!(dataset.payload(0).unwrap(), png(7));
    assert_eq!(record(&dataset, 0)["json"], json!({ "ints": [5, -1], "late": 9 }));
    // Lists of lists, and the images of each.
    let list = |features: &[Vec<u8>]| features.iter().flat_map(|one| field(1, one)).collect::<Vec<_>>();
    let frames = list(&[image(&png(3)), image(&png(4))]);
    let poses = list(&[field(3, &field(1, b"\x01")), field(3, &field(1, b"\x02\x03"))]);
    let lists = [entry("frames", &frames), entry("poses", &poses)].concat();
    let file = tfrecord(&[[example(&[("label", Feature::Ints(vec![4]))]), field(2, &lists)].concat()]);
    let dataset = open(&file).unwrap();
    assert_eq!(dataset.payload(0).unwrap(), png(3));
    let said = record(&dataset, 0);
    assert_eq!((&said["cls"], &said["json"]["poses"]), (&4.into(), &json!([1, [2, 3]])));
    assert!(said["frames.1.png"]["base64"].is_string(), "{said}");
    // Records of which nothing is known.
    let dataset = open(&tfrecord(&[png(5), b"text".to_vec()])).unwrap();
    assert_eq!((dataset.payload(0).unwrap(), dataset.payload(1).unwrap()), (png(5).into(), "text".into()));
}

#[test]
fn a_damaged_record_is_named_and_the_others_are_read() {
    let folder = Folder::new();
    let whole = detection(6);
    let at = |i: u64| open(&whole).unwrap().info(i).unwrap().offset as usize;
    let open_on = |bytes: Vec<u8>| {
        let mut options = OpenOptions::default();
        options.keep_going = true;
        Dataset::from_input(Input::memory("it", bytes), &options).unwrap()
    };
    let mut data = whole.clone();
    data[at(2) + 40] ^= 1;
    let dataset = open(&data).unwrap();
    assert_eq!(dataset.payload(2).unwrap_err().code().id(), "tfrecord.data");
    let report = check(&dataset, 2, &mut |_| {}).unwrap();
    assert_eq!((report.fault_count, report.faults[0].sample), (1, Some(2)));
    // A length is believed only with its checksum: this one would be more than memory has.
    let mut length = whole.clone();
    length[at(2)..at(2) + 8].copy_from_slice(&u64::MAX.to_le_bytes());
    assert_eq!(code(&length), "tfrecord.length");
    let dataset = open_on(length);
    assert_eq!(dataset.len(), 5);
    assert_eq!(dataset.damage().map(|e| e.place().offset), Some(Some(at(2) as u64)));
    assert_eq!(dataset.payload(2).unwrap(), png(23));
    // A sound length, of which the file has less.
    let cut = &whole[..whole.len() - 3];
    assert_eq!(code(cut), "tfrecord.truncated");
    assert_eq!(open_on(cut.to_vec()).len(), 5);
    // An image that one record lacks.
    let record = |fields: &[(&str, Feature)]| example(fields);
    let (image, other) = (Feature::Bytes(vec![png(3)]), Feature::Ints(vec![1]));
    let mut records = vec![record(&[("image", image)]); 5];
    records.push(record(&[("x", other)]));
    let dataset = open(&tfrecord(&records)).unwrap();
    assert_eq!(dataset.payload(5).unwrap_err().code().id(), "record.no_payload");
    assert_eq!(sound(open(&whole).unwrap(), &folder).len(), 6);
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    out.write_all(bytes).unwrap();
    out.finish().unwrap()
}

fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut out = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    out.write_all(bytes).unwrap();
    out.finish().unwrap()
}

#[test]
fn packed_files_and_folders_are_one_dataset() {
    let folder = Folder::new();
    for packed in [gzip(&detection(4)), zlib(&detection(4))] {
        fs::write(folder.at("packed"), packed).unwrap();
        let dataset = sound(Dataset::open(folder.at("packed")).unwrap(), &folder);
        assert_eq!((dataset.len(), dataset.payload(3).unwrap()), (4, png(23).into()));
    }
    let shards = Folder::new();
    fs::create_dir(shards.at("1.0.0")).unwrap();
    let inside = |name: &str| shards.at("1.0.0").join(name);
    fs::write(inside("x-train.tfrecord-00000-of-00002"), detection(3)).unwrap();
    fs::write(inside("x-train.tfrecord-00001-of-00002"), gzip(&detection(2))).unwrap();
    fs::write(inside("label.labels.txt"), "cat\ndog\n").unwrap();
    fs::write(inside("features.json"), "{}").unwrap();
    let dataset = sound(Dataset::open(shards.path()).unwrap(), &folder);
    assert_eq!(dataset.len(), 5);
    assert_eq!(dataset.document().unwrap()["classes"], json!(["cat", "dog"]));
    assert!(dataset.notes().iter().any(|note| note.starts_with("2 files")), "{:?}", dataset.notes());
}

/// A shard with pictures, labels and names.
fn shard(numbers: std::ops::Range<u32>) -> Vec<u8> {
    let row = |i: u32| vec![png(20 + i), i64::from(i).to_le_bytes().to_vec(), format!("name {i}").into_bytes()];
    mds(&[("image", "bytes", 0), ("label", "int", 8), ("name", "str", 0)], &numbers.map(row).collect::<Vec<_>>())
}

#[test]
fn shards_of_mds_are_one_dataset_with_their_index_or_without() {
    let (folder, shards) = (Folder::new(), Folder::new());
    fs::write(shards.at("shard.00000.mds"), shard(0..3)).unwrap();
    fs::write(shards.at("shard.00001.mds.gz"), gzip(&shard(3..5))).unwrap();
    let look = |dataset: &Dataset| {
        assert_eq!((dataset.format(), dataset.len()), (Some(Format::Mds), 5));
        assert_eq!(dataset.payload(4).unwrap(), png(24));
        let said = record(dataset, 4);
        assert_eq!((&said["cls"], &said["name"]), (&4.into(), &"name 4.png".into()));
    };
    let dataset = sound(Dataset::open(shards.path()).unwrap(), &folder);
    look(&dataset);
    assert!(dataset.notes().iter().any(|note| note.contains("no index.json")), "{:?}", dataset.notes());
    let entry = |k: u32, samples: u32| {
        json!({ "raw_data": { "basename": format!("shard.0000{k}.mds"), "bytes": null }, "samples": samples,
                "zip_data": if k == 1 { json!({ "basename": "shard.00001.mds.gz" }) } else { Value::Null } })
    };
    let index = |shards: Vec<Value>| json!({ "version": 2, "shards": shards }).to_string();
    fs::write(shards.at("index.json"), index(vec![entry(0, 3), entry(1, 2)])).unwrap();
    look(&sound(Dataset::open(shards.path()).unwrap(), &folder));
    // The shards are right where they say otherwise, and the check says that.
    fs::write(shards.at("index.json"), index(vec![entry(0, 3), entry(1, 7)])).unwrap();
    let dataset = Dataset::open(shards.path()).unwrap();
    look(&dataset);
    let report = check(&dataset, 1, &mut |_| {}).unwrap();
    assert_eq!((report.fault_count, report.faults[0].code), (1, "mds.index"));
    for (wrong, code) in [("../x.mds", "record.name"), ("shard.00007.mds", "mds.index")] {
        let entry = json!({ "raw_data": { "basename": wrong }, "samples": 1 });
        fs::write(shards.at("index.json"), index(vec![entry])).unwrap();
        assert_eq!(Dataset::open(shards.path()).unwrap_err().code().id(), code);
    }
    fs::remove_file(shards.at("index.json")).unwrap();
    fs::write(shards.at("shard.00002.mds.bz2"), b"BZh9").unwrap();
    assert_eq!(Dataset::open(shards.path()).unwrap_err().code().id(), "mds.packed");
}

#[test]
fn every_encoding_of_mds_but_pickle_is_read() {
    let folder = Folder::new();
    let pil = [&4_u32.to_le_bytes()[..], &2_u32.to_le_bytes(), &1_u32.to_le_bytes(), b"L", &[1, 2, 3, 4, 5, 6, 7, 8]]
        .concat();
    let list = [&0_u32.to_le_bytes()[..], &1_u32.to_le_bytes(), &(png(5).len() as u32).to_le_bytes(), &png(5)].concat();
    let array = [&[17, 2 << 2, 1, 2][..], &(-5_i16).to_le_bytes(), &7_i16.to_le_bytes()].concat();
    let columns = [
        ("pil", "pil", 0, pil),
        ("list", "list[png]", 0, list),
        ("any", "ndarray", 0, array),
        ("typed", "ndarray:float32:2", 8, [0.5_f32.to_le_bytes(), 2_f32.to_le_bytes()].concat()),
        ("half", "float16", 2, vec![0, 0x3c]),
        ("big", "str_int", 0, b"10000000000000000000000000".to_vec()),
        ("float", "str_float", 0, b"0.25".to_vec()),
        ("decimal", "str_decimal", 0, b"0.500".to_vec()),
        ("json", "json", 0, b"{\"a\":[1,null]}".to_vec()),
        ("u64", "uint64", 8, u64::MAX.to_le_bytes().to_vec()),
        ("b", "bytes", 0, b"\xff\0".to_vec()),
    ];
    let described: Vec<_> = columns.iter().map(|(name, encoding, size, _)| (*name, *encoding, *size)).collect();
    let row: Vec<_> = columns.iter().map(|(.., value)| value.clone()).collect();
    let dataset = sound(open(&mds(&described, &[row])).unwrap(), &folder);
    let (width, height, gray) = pixels(&dataset, 0);
    assert_eq!((width, height, gray[3], gray[23]), (4, 2, 2, 8));
    let said = record(&dataset, 0);
    let expected = json!({
        "any": { "dtype": "int16", "shape": [1, 2], "values": [-5, 7] },
        "typed": { "dtype": "float32", "shape": [2], "values": [0.5, 2.0] },
        "half": 1.0, "big": "10000000000000000000000000", "float": 0.25, "decimal": "0.500",
        "json": { "a": [1, null] }, "u64": u64::MAX, "b": { "base64": "/wA=" },
    });
    assert_eq!(said["json"], expected);
    assert_eq!(code(&mds(&[("x", "pkl", 0)], &[vec![b"c".to_vec()]])), "record.pickle");
    assert_eq!(code(&mds(&[("x", "odd", 0)], &[vec![b"c".to_vec()]])), "mds.encoding");
    let short = mds(&[("x", "int", 8)], &[vec![b"c".to_vec()]]);
    assert_eq!(open(&short).unwrap().record(0).unwrap_err().code().id(), "mds.sample");
}

/// The index of LitData's chunks, which have leaves of these names and serializers.
fn index(leaves: &[(&str, &str)], chunks: &[(&str, u32)]) -> Value {
    let node = || json!({ "type": null, "context": null, "children_spec": [] });
    let (names, serializers): (Vec<_>, Vec<_>) = leaves.iter().copied().unzip();
    let children: Vec<_> = names.iter().map(|_| node()).collect();
    let spec = json!([1, { "type": "builtins.dict", "context": json!(names).to_string(), "children_spec": children }]);
    let chunks: Vec<_> = chunks.iter().map(|(name, size)| json!({ "filename": name, "chunk_size": size })).collect();
    json!({ "chunks": chunks, "config": { "compression": null, "data_format": serializers, "encryption": null,
            "data_spec": spec.to_string(), "item_loader": "PyTreeLoader" } })
}

/// An item with an array as PyTorch's tensors are written, and one of NumPy's.
fn item(i: u32) -> Vec<Vec<u8>> {
    let tensor = [19_u32, 2, 1, 2].iter().flat_map(|n| n.to_be_bytes()).chain([0, 1]).collect();
    let array = [9_u32, 1, 1].iter().flat_map(|n| n.to_le_bytes()).chain(0.5_f32.to_le_bytes()).collect();
    let list = [&[0, 3, 0, 0, 0][..], b"[1]"].concat();
    vec![png(20 + i), i64::from(i).to_le_bytes().to_vec(), tensor, array, list, 7_i16.to_le_bytes().to_vec()]
}

const LEAVES: [(&str, &str); 6] = [
    ("image", "jpeg"),
    ("label", "int"),
    ("t", "tensor"),
    ("n", "numpy"),
    ("list", "json"),
    ("plain", "no_header_tensor:14"),
];

#[test]
fn chunks_of_litdata_are_one_dataset_by_their_index() {
    let (folder, chunks) = (Folder::new(), Folder::new());
    let write = |index: &Value| fs::write(chunks.at("index.json"), index.to_string()).unwrap();
    let refused = |index: &Value| {
        write(index);
        let e = Dataset::open(chunks.path()).unwrap_err();
        (e.code().id(), e.to_string())
    };
    fs::write(chunks.at("chunk-0-0.bin"), litdata(&(0..3).map(item).collect::<Vec<_>>())).unwrap();
    let packed = zstd::encode_all(&litdata(&(3..5).map(item).collect::<Vec<_>>())[..], 1).unwrap();
    fs::write(chunks.at("chunk-0-1.zstd.bin"), packed).unwrap();
    let named = [("chunk-0-0.bin", 3), ("chunk-0-1.zstd.bin", 2)];
    let good = index(&LEAVES, &named);
    write(&good);
    let dataset = sound(Dataset::open(chunks.path()).unwrap(), &folder);
    assert_eq!((dataset.format(), dataset.len()), (Some(Format::LitData), 5));
    assert_eq!((dataset.payload(4).unwrap(), &record(&dataset, 4)["cls"]), (png(24).into(), &4.into()));
    let array = |dtype: &str, shape: Value, values: Value| json!({ "dtype": dtype, "shape": shape, "values": values });
    let expected = json!({
        "label": 4, "list": [1], "plain": array("int16", json!([1]), json!([7])),
        "t": array("bool", json!([1, 2]), json!([false, true])), "n": array("float32", json!([1]), json!([0.5])),
    });
    assert_eq!(record(&dataset, 4)["json"], expected);
    // The chunks are right where the index counts otherwise.
    write(&index(&LEAVES, &[("chunk-0-0.bin", 9)]));
    let report = check(&Dataset::open(chunks.path()).unwrap(), 1, &mut |_| {}).unwrap();
    assert_eq!((report.fault_count, report.faults[0].code), (1, "litdata.index"));
    let with = |key: &str, value: Value| {
        let mut index = good.clone();
        index["config"][key] = value;
        index
    };
    let mut leaves = LEAVES;
    for (serializer, code) in
        [("pickle", "record.pickle"), ("graph", "litdata.unsupported"), ("odd", "litdata.unsupported")]
    {
        leaves[0].1 = serializer;
        let (id, said) = refused(&index(&leaves, &named));
        assert!(id == code && said.contains(serializer), "{said}");
    }
    for (index, code) in [
        (with("encryption", json!({ "algorithm": "fernet" })), "litdata.unsupported"),
        (with("item_loader", json!("TokensLoader")), "litdata.unsupported"),
        (with("data_spec", json!("[2, {}]")), "litdata.index"),
        (index(&LEAVES[..5], &[("../x.bin", 1)]), "record.name"),
        (index(&LEAVES, &[("chunk-0-7.bin", 1)]), "litdata.index"),
    ] {
        let (id, said) = refused(&index);
        assert_eq!(id, code, "{said}");
    }
}

#[test]
fn damaged_chunks_of_litdata_are_refused_or_read_without_a_panic() {
    let chunks = Folder::new();
    fs::write(chunks.at("index.json"), index(&LEAVES, &[("chunk-0-0.bin", 3)]).to_string()).unwrap();
    let whole = litdata(&(0..3).map(item).collect::<Vec<_>>());
    let look = |bytes: &[u8]| {
        fs::write(chunks.at("chunk-0-0.bin"), bytes).unwrap();
        let Ok(dataset) = Dataset::open(chunks.path()) else { return false };
        (0..dataset.len()).all(|i| dataset.payload(i).is_ok() & dataset.record(i).is_ok())
    };
    assert!(look(&whole));
    for len in 0..whole.len() {
        assert!(!look(&whole[..len]), "{len}");
    }
    for bit in 0..whole.len() * 8 {
        let mut bytes = whole.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        look(&bytes);
    }
}

#[test]
fn entries_of_lmdb_are_samples_in_the_order_of_their_keys() {
    let folder = Folder::new();
    let large = [&png(9)[..], &[5; 9000]].concat();
    let keys: Vec<_> = (0..90_u32).map(|i| (format!("k{i:03}").into_bytes(), png(i + 1))).collect();
    let mut entries: Vec<_> = keys.iter().map(|(key, value)| (&key[..], &value[..])).collect();
    entries.push((b"k999.png", &large));
    let base = Folder::new();
    fs::write(base.at("data.mdb"), lmdb(&entries, 1)).unwrap();
    fs::write(base.at("lock.mdb"), [0; 64]).unwrap();
    for path in [base.path(), &base.at("data.mdb")] {
        let dataset = sound(Dataset::open(path).unwrap(), &folder);
        assert_eq!((dataset.format(), dataset.len()), (Some(Format::Lmdb), 91));
        assert_eq!(
            (dataset.payload(41).unwrap(), dataset.payload(90).unwrap()),
            (png(42).into(), large.clone().into())
        );
        assert_eq!(
            (&record(&dataset, 41)["name"], &record(&dataset, 90)["name"]),
            (&"k041.png".into(), &"k999.png".into())
        );
    }
    // Sets for text recognition.
    let written = [
        (&b"image-1"[..], &png(3)[..]),
        (b"image-2", &png(4)),
        (b"label-1", "Wörd".as_bytes()),
        (b"num-samples", b"2"),
    ];
    let dataset = sound(open(&lmdb(&written, 1)).unwrap(), &folder);
    assert_eq!((dataset.len(), &record(&dataset, 0)["json"]["label"]), (2, &"Wörd".into()));
    // Caffe's planes, blue first.
    let message = datum([3, 1, 2], &[1, 2, 3, 4, 5, 6], 7);
    let dataset = sound(open(&lmdb(&[(b"0", &message)], 1)).unwrap(), &folder);
    assert_eq!((pixels(&dataset, 0), &record(&dataset, 0)["cls"]), ((2, 1, vec![5, 3, 1, 6, 4, 2]), &7.into()));
    assert!(open(&lmdb(&[], 1)).unwrap().is_empty());
    assert_eq!(code(&lmdb(&entries, 2)), "lmdb.version");
    let e = open(&lmdb(&entries, 999)).unwrap_err();
    assert!(e.to_string().contains("mdb_dump"), "{e}");
}

#[test]
fn arrays_of_numpy_are_images_with_labels() {
    let folder = Folder::new();
    let bytes: Vec<u8> = (0..2 * 10 * 12 * 3).map(|n| n as u8).collect();
    let dataset = sound(open(&npy("|u1", "(2, 10, 12, 3)", false, &bytes)).unwrap(), &folder);
    assert_eq!((dataset.format(), dataset.len()), (Some(Format::Npy), 2));
    assert_eq!(pixels(&dataset, 1), (12, 10, bytes[360..].to_vec()));
    // In the order of Fortran: the first index runs fastest.
    let mut turned = vec![0; 720];
    for (k, byte) in bytes.iter().enumerate() {
        let (n, y, x, c) = (k / 360, k / 36 % 10, k / 3 % 12, k % 3);
        turned[n + 2 * (y + 10 * (x + 12 * c))] = *byte;
    }
    let dataset = sound(open(&npy("|u1", "(2, 10, 12, 3)", true, &turned)).unwrap(), &folder);
    assert_eq!(pixels(&dataset, 1), (12, 10, bytes[360..].to_vec()));
    for packed in [false, true] {
        let labels: Vec<u8> = [4_i64, 9].iter().flat_map(|n| n.to_be_bytes()).collect();
        let members = [
            ("train_images.npy", &npy("|u1", "(2, 10, 12, 3)", false, &bytes)[..], packed),
            ("train_labels.npy", &npy(">i8", "(2, 1)", false, &labels), packed),
            ("test_images.npy", &npy("|u1", "(1, 10, 12)", false, &bytes[..120]), packed),
        ];
        let dataset = sound(open(&archive(&members, false)).unwrap(), &folder);
        assert_eq!((dataset.format(), dataset.len()), (Some(Format::Npy), 3));
        let train = (0..3).find(|&i| record(&dataset, i)["cls"] == 9).unwrap();
        assert_eq!(pixels(&dataset, train), (12, 10, bytes[360..].to_vec()));
        assert_eq!(record(&dataset, train)["json"], json!({ "label": 9, "split": "train" }));
    }
    let floats = npy("<f4", "(2, 3)", false, &[0; 24]);
    let dataset = sound(open(&floats).unwrap(), &folder);
    assert_eq!((dataset.len(), &dataset.payload(1).unwrap()[..6]), (2, &b"\x93NUMPY"[..]));
    assert_eq!(code(&npy("|O", "(2,)", false, b"\x80\x04")), "record.pickle");
    assert_eq!(code(&npy("<f4", "(2, 4)", false, &[0; 24])), "npy.data");
    assert_eq!(code(&npy("<f4", "(1152921504606846976, 64)", false, &[0; 24])), "npy.header");
    assert_eq!(open(&npy("<f4", "(1152921504606846976, 0)", false, &[])).unwrap().len(), 1);
}

#[test]
fn files_of_ffcv_are_read() {
    let folder = Folder::new();
    let raw = Picture::Raw(4, 3, (0..36).collect());
    let jpeg = [&b"\xff\xd8\xff\xe0"[..], &[1; 40]].concat();
    let file = beton(&[(raw.clone(), 1, "{\"k\":1}"), (Picture::Jpeg(jpeg.clone()), 2, "{\"k\":2}")], 2);
    let dataset = sound(open(&file).unwrap(), &folder);
    assert_eq!((dataset.format(), dataset.len()), (Some(Format::Ffcv), 2));
    assert_eq!((pixels(&dataset, 0), dataset.payload(1).unwrap()), ((4, 3, (0..36).collect()), jpeg.into()));
    assert_eq!((&record(&dataset, 1)["cls"], &record(&dataset, 1)["json"]["info"]), (&2.into(), &json!({ "k": 2 })));
    assert_eq!(code(&beton(&[(raw, 1, "{}")], 255)), "ffcv.unsupported");
}

/// Opens what may be anything, and reads all of it.
fn survive(bytes: &[u8], at: &Path) {
    let mut options = OpenOptions::default();
    options.limits = Limits::browser().with_item_bytes(1 << 20).with_index_bytes(1 << 20);
    for keep_going in [false, true] {
        options.keep_going = keep_going;
        let Ok(dataset) = Dataset::from_input(Input::memory(at.to_string_lossy(), bytes.to_vec()), &options) else {
            continue;
        };
        for i in 0..dataset.len().min(200) {
            let _ = (dataset.info(i), dataset.payload(i).map(|bytes| bytes.len()), dataset.record(i));
        }
    }
}

#[test]
fn what_is_cut_or_flipped_is_an_error_and_no_panic() {
    for (name, whole) in each() {
        let at = Path::new(name);
        assert!(open(&whole).is_ok(), "{name}");
        let step = whole.len().div_ceil(600).max(1);
        for end in (0..whole.len()).step_by(step) {
            survive(&whole[..end], at);
        }
        for (k, byte) in (0..whole.len()).step_by(step).enumerate() {
            let mut flipped = whole.clone();
            flipped[byte] ^= 1 << (k % 8);
            survive(&flipped, at);
            flipped[byte] = 0xff;
            survive(&flipped, at);
        }
        // The heads, byte by byte.
        for byte in 0..whole.len().min(300) {
            for value in [0, 1, 0x7f, 0x80, 0xff] {
                let mut flipped = whole.clone();
                flipped[byte] = value;
                survive(&flipped, at);
            }
        }
    }
}
