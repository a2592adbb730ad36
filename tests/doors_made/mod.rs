//! Files of records made by hand, byte by byte: what tests and fuzzing begin with.
#![allow(dead_code, reason = "each program uses its own part")]

use forebay::doors::tfrecord::masked;

/// A field of a `tf.train.Example`.
#[derive(Clone, Debug)]
pub enum Feature {
    Bytes(Vec<Vec<u8>>),
    Floats(Vec<f32>),
    Ints(Vec<i64>),
}

fn varint(mut n: u64, out: &mut Vec<u8>) {
    while n > 0x7f {
        out.push(n as u8 | 0x80);
        n >>= 7;
    }
    out.push(n as u8);
}

/// A field of a message that has bytes.
pub fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
    let mut out = vec![number << 3 | 2];
    varint(bytes.len() as u64, &mut out);
    out.extend(bytes);
    out
}

fn number(number: u8, n: u64) -> Vec<u8> {
    let mut out = vec![number << 3];
    varint(n, &mut out);
    out
}

/// A `Feature`, its numbers packed.
pub fn feature(feature: &Feature) -> Vec<u8> {
    match feature {
        Feature::Bytes(list) => field(1, &list.iter().flat_map(|bytes| field(1, bytes)).collect::<Vec<_>>()),
        Feature::Floats(list) => {
            field(2, &field(1, &list.iter().flat_map(|float| float.to_le_bytes()).collect::<Vec<_>>()))
        }
        Feature::Ints(list) => {
            let mut packed = Vec::new();
            list.iter().for_each(|n| varint(*n as u64, &mut packed));
            field(3, &field(1, &packed))
        }
    }
}

/// A `tf.train.Example`.
pub fn example(features: &[(&str, Feature)]) -> Vec<u8> {
    let entry =
        |(name, value): &(&str, Feature)| field(1, &[field(1, name.as_bytes()), field(2, &feature(value))].concat());
    field(1, &features.iter().flat_map(entry).collect::<Vec<_>>())
}

/// A file of these records.
pub fn tfrecord<B: AsRef<[u8]>>(records: &[B]) -> Vec<u8> {
    let mut file = Vec::new();
    for record in records {
        let record = record.as_ref();
        let len = (record.len() as u64).to_le_bytes();
        file.extend(len);
        file.extend(masked(&len).to_le_bytes());
        file.extend(record);
        file.extend(masked(record).to_le_bytes());
    }
    file
}

/// A shard of MDS: columns with encoding and size (0 where it varies), and a row of values for each sample.
pub fn mds(columns: &[(&str, &str, u32)], rows: &[Vec<Vec<u8>>]) -> Vec<u8> {
    let list = |of: &dyn Fn(&(&str, &str, u32)) -> String| columns.iter().map(of).collect::<Vec<_>>().join(", ");
    let size = |size: u32| if size == 0 { "null".to_owned() } else { size.to_string() };
    let text = format!(
        "{{\"column_encodings\": [{}], \"column_names\": [{}], \"column_sizes\": [{}], \"compression\": null, \
         \"format\": \"mds\", \"hashes\": [], \"size_limit\": null, \"version\": 2}}",
        list(&|(_, encoding, _)| format!("{encoding:?}")),
        list(&|(name, ..)| format!("{name:?}")),
        list(&|(.., bytes)| size(*bytes)),
    );
    let mut file = (rows.len() as u32).to_le_bytes().to_vec();
    let mut at = 4 * (rows.len() as u32 + 2) + text.len() as u32;
    let mut samples = Vec::new();
    for row in rows {
        file.extend(at.to_le_bytes());
        let varying = columns.iter().zip(row).filter(|((.., size), _)| *size == 0);
        let mut sample: Vec<u8> = varying.flat_map(|(_, value)| (value.len() as u32).to_le_bytes()).collect();
        sample.extend(row.concat());
        at += sample.len() as u32;
        samples.extend(sample);
    }
    file.extend(at.to_le_bytes());
    file.extend(text.as_bytes());
    file.extend(samples);
    file
}

/// A chunk of LitData: the leaves of each item.
pub fn litdata(items: &[Vec<Vec<u8>>]) -> Vec<u8> {
    let mut file = (items.len() as u32).to_le_bytes().to_vec();
    let (mut at, mut body) = (4 * (items.len() as u32 + 2), Vec::new());
    for leaves in items {
        file.extend(at.to_le_bytes());
        let mut item: Vec<u8> = leaves.iter().flat_map(|leaf| (leaf.len() as u32).to_le_bytes()).collect();
        item.extend(leaves.concat());
        at += item.len() as u32;
        body.extend(item);
    }
    file.extend(at.to_le_bytes());
    file.extend(body);
    file
}

const PAGE: usize = 4096;
/// Values of more bytes get pages of their own.
const MOST: usize = 1500;

/// A database of LMDB of these entries, whose keys are in order; `version` is 1.
pub fn lmdb(entries: &[(&[u8], &[u8])], version: u32) -> Vec<u8> {
    let mut pages: Vec<Vec<u8>> = vec![vec![0; PAGE]; 2];
    let mut leaves: Vec<(u64, Vec<u8>)> = Vec::new();
    let mut nodes: Vec<Vec<u8>> = Vec::new();
    let mut first = Vec::new();
    let flush = |nodes: &mut Vec<Vec<u8>>, first: &[u8], pages: &mut Vec<Vec<u8>>, leaves: &mut Vec<_>| {
        if !nodes.is_empty() {
            leaves.push((pages.len() as u64, first.to_vec()));
            pages.push(page(pages.len() as u64, 2, nodes));
            nodes.clear();
        }
    };
    for (key, value) in entries {
        let (flags, data) = if value.len() > MOST { (1_u16, Vec::new()) } else { (0, value.to_vec()) };
        let mut node = vec![value.len() as u8, (value.len() >> 8) as u8, (value.len() >> 16) as u8, 0];
        node.extend(flags.to_le_bytes());
        node.extend((key.len() as u16).to_le_bytes());
        node.extend(*key);
        let room = nodes.iter().map(|node: &Vec<u8>| node.len() + 3).sum::<usize>() + node.len() + data.len() + 16;
        if room + 16 > PAGE {
            flush(&mut nodes, &first, &mut pages, &mut leaves);
        }
        if nodes.is_empty() {
            first = key.to_vec();
        }
        if flags == 1 {
            let number = pages.len() as u64;
            let count = (value.len() + 16).div_ceil(PAGE);
            let mut run = number.to_le_bytes().to_vec();
            run.extend([0, 0, 4, 0]);
            run.extend((count as u32).to_le_bytes());
            run.extend(*value);
            run.resize(count * PAGE, 0);
            pages.extend(run.chunks(PAGE).map(<[u8]>::to_vec));
            node.extend(number.to_le_bytes());
        }
        node.extend(data);
        nodes.push(node);
    }
    flush(&mut nodes, &first, &mut pages, &mut leaves);
    let (root, depth) = match &leaves[..] {
        [] => (u64::MAX, 0),
        [only] => (only.0, 1),
        several => {
            let child = |(number, key): &(u64, Vec<u8>)| {
                let mut node = (*number as u32).to_le_bytes().to_vec();
                node.extend([0, 0]);
                node.extend((key.len() as u16).to_le_bytes());
                node.extend(key);
                node
            };
            let branch = page(pages.len() as u64, 1, &several.iter().map(child).collect::<Vec<_>>());
            pages.push(branch);
            (pages.len() as u64 - 1, 2)
        }
    };
    let last = pages.len() as u64 - 1;
    for number in 0..2_u64 {
        let meta = meta(number, version, (entries.len() as u64, root, depth), last);
        pages[number as usize][..meta.len()].copy_from_slice(&meta);
    }
    pages.concat()
}

fn page(number: u64, flags: u16, nodes: &[Vec<u8>]) -> Vec<u8> {
    let mut page = vec![0; PAGE];
    page[..8].copy_from_slice(&number.to_le_bytes());
    page[10..12].copy_from_slice(&flags.to_le_bytes());
    let mut upper = PAGE;
    for (k, node) in nodes.iter().enumerate() {
        upper = (upper - node.len()) & !1;
        page[upper..upper + node.len()].copy_from_slice(node);
        page[16 + 2 * k..18 + 2 * k].copy_from_slice(&(upper as u16).to_le_bytes());
    }
    page[12..14].copy_from_slice(&(16 + 2 * nodes.len() as u16).to_le_bytes());
    page[14..16].copy_from_slice(&(upper as u16).to_le_bytes());
    page
}

fn meta(number: u64, version: u32, (entries, root, depth): (u64, u64, u16), last: u64) -> Vec<u8> {
    let mut out = number.to_le_bytes().to_vec();
    out.extend([0, 0, 8, 0, 0, 0, 0, 0]);
    out.extend(0xbeef_c0de_u32.to_le_bytes());
    out.extend(version.to_le_bytes());
    out.extend([0; 8]);
    out.extend((1_u64 << 30).to_le_bytes());
    out.extend((PAGE as u32).to_le_bytes());
    out.extend([0; 36]);
    out.extend(u64::MAX.to_le_bytes());
    out.extend([0; 6]);
    out.extend(depth.to_le_bytes());
    out.extend([0; 24]);
    out.extend(entries.to_le_bytes());
    out.extend(root.to_le_bytes());
    out.extend(last.to_le_bytes());
    out.extend(number.to_le_bytes());
    out
}

/// A message of Caffe with pixels, plane by plane.
pub fn datum([channels, height, width]: [u64; 3], data: &[u8], label: u64) -> Vec<u8> {
    [number(1, channels), number(2, height), number(3, width), field(4, data), number(5, label)].concat()
}

/// An array of NumPy.
pub fn npy(descr: &str, shape: &str, is_fortran: bool, data: &[u8]) -> Vec<u8> {
    let order = if is_fortran { "True" } else { "False" };
    let mut text = format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}");
    while (text.len() + 11) % 64 != 0 {
        text.push(' ');
    }
    text.push('\n');
    [b"\x93NUMPY\x01\0", &(text.len() as u16).to_le_bytes()[..], text.as_bytes(), data].concat()
}

/// A picture of a file of FFCV: a JPEG's bytes, or width and height of raw pixels and these.
#[derive(Clone, Debug)]
pub enum Picture {
    Jpeg(Vec<u8>),
    Raw(u16, u16, Vec<u8>),
}

/// A file of FFCV with a picture, a number and JSON of each sample; `kind` is 2 for the first.
pub fn beton(samples: &[(Picture, i64, &str)], kind: u8) -> Vec<u8> {
    const STRIDE: usize = 40;
    let mut head = vec![2, 0, 3, 0];
    head.extend((1_u32 << 20).to_le_bytes());
    head.extend((samples.len() as u64).to_le_bytes());
    let mut fields = Vec::new();
    for (kind, name) in [(kind, "image"), (1, "label"), (5, "info")] {
        let mut said = vec![kind];
        said.extend(name.as_bytes());
        said.resize(1 + 16 + 1024, 0);
        fields.extend(said);
    }
    let mut at = (24 + fields.len() + samples.len() * STRIDE) as u64;
    let (mut rows, mut data, mut spans) = (Vec::new(), Vec::new(), Vec::new());
    for (k, (picture, label, info)) in samples.iter().enumerate() {
        let (mode, width, height, bytes) = match picture {
            Picture::Jpeg(bytes) => (0, 8, 8, bytes),
            Picture::Raw(width, height, bytes) => (1, *width, *height, bytes),
        };
        let mut place = |bytes: &[u8]| {
            let here = at;
            [k as u64, here, bytes.len() as u64].iter().for_each(|n| spans.extend(n.to_le_bytes()));
            data.extend(bytes);
            at += bytes.len() as u64;
            here
        };
        let (image, text) = (place(bytes), [info.as_bytes(), b"\0"].concat());
        let (info, len) = (place(&text), text.len() as u64);
        rows.push(mode);
        rows.extend(width.to_le_bytes());
        rows.extend(height.to_le_bytes());
        rows.extend(image.to_le_bytes());
        rows.extend([0; 3]);
        rows.extend(label.to_le_bytes());
        rows.extend(info.to_le_bytes());
        rows.extend(len.to_le_bytes());
    }
    head.extend(at.to_le_bytes());
    [head, fields, rows, data, spans].concat()
}

/// A picture's first bytes, of which readers tell its size.
pub fn png(width: u32) -> Vec<u8> {
    let mut file = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
    file.extend(width.to_be_bytes());
    file.extend([0, 0, 0, 10, 8, 2, 0, 0, 0, 0, 0, 0, 0]);
    file.resize(file.len() + 60, width as u8);
    file
}

/// Records of detection: pictures with a class, boxes and names.
pub fn detection(samples: u32) -> Vec<u8> {
    let record = |i: u32| {
        let word = ["boat", "plane"][i as usize % 2];
        let boxes = [("xmin", 0.1), ("ymin", 0.2), ("xmax", 0.5), ("ymax", 0.6)];
        let mut features = vec![
            ("image/encoded", Feature::Bytes(vec![png(20 + i)])),
            ("image/filename", Feature::Bytes(vec![format!("im{i}.png").into_bytes()])),
            ("image/class/label", Feature::Ints(vec![i64::from(i) % 2])),
            ("image/class/text", Feature::Bytes(vec![word.into()])),
            ("image/object/class/text", Feature::Bytes(vec![word.into()])),
            ("score", Feature::Floats(vec![0.1, 2.5])),
        ];
        let names = boxes.map(|(corner, _)| format!("image/object/bbox/{corner}"));
        features.extend(names.iter().zip(boxes).map(|(name, (_, share))| (&name[..], Feature::Floats(vec![share]))));
        example(&features)
    };
    tfrecord(&(0..samples).map(record).collect::<Vec<_>>())
}

/// One file of each format that is sound.
pub fn each() -> Vec<(&'static str, Vec<u8>)> {
    let row = |i: u32| vec![png(20 + i), i64::from(i).to_le_bytes().to_vec(), format!("name {i}").into_bytes()];
    let columns = [("image", "png", 0), ("label", "int", 8), ("name", "str", 0)];
    let shard = mds(&columns, &(0..4).map(row).collect::<Vec<_>>());
    let large = [&png(9)[..], &[5; 6000]].concat();
    let keys: Vec<_> = (0..60_u32).map(|i| (format!("key {i:03}").into_bytes(), png(i + 1))).collect();
    let mut entries: Vec<_> = keys.iter().map(|(key, value)| (&key[..], &value[..])).collect();
    entries.push((b"key 999", &large));
    let pixels: Vec<u8> = (0..3 * 10 * 12).map(|n| n as u8).collect();
    let raw = Picture::Raw(4, 3, (0..36).collect());
    let jpeg = Picture::Jpeg([&b"\xff\xd8\xff\xe0"[..], &[1; 40]].concat());
    vec![
        ("a.tfrecord", detection(5)),
        ("a.mds", shard),
        ("data.mdb", lmdb(&entries, 1)),
        ("a.npy", npy("|u1", "(3, 10, 12)", false, &pixels)),
        ("a.beton", beton(&[(raw, 1, "{\"k\":1}"), (jpeg, 2, "{\"k\":2}")], 2)),
    ]
}
