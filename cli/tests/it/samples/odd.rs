//! What others write and few think of: metadata that is not JSON, or more than values hold; names that climb out.

use forebay::{
    codec::Compression,
    sample::MediaFormat,
    tar::{END, header_for, padding},
    tbl::{Document, Layout, MetadataFormat, PackOptions},
};

use crate::{
    common::bmp,
    core_common::{Sample, build_tbl},
    dice::Dice,
};

/// Texts that a block or a sidecar may hold.
pub fn texts() -> Vec<Vec<u8>> {
    let nested = |n: usize| format!("{}1{}", "[".repeat(n), "]".repeat(n)).into_bytes();
    let mut texts: Vec<Vec<u8>> = [
        r#"{"a": NaN}"#,
        r#"{"name":"x.jpg","cls":3,"loss":-Infinity}"#,
        r#"{"a":1,"a":2,"name":"d.jpg","name":"e.jpg"}"#,
        r#"{"a":1e400}"#,
        r#"{"a":123456789012345678901234567890}"#,
        r#"{"name":"half.jpg","txt":"\ud83d"}"#,
        "{\"\\ud800\":1}",
        " {\"label\": 1.50} \n",
        "null",
        " null\n",
        "[1, 2]",
        "\"text\"",
        "7",
        "{}",
        "",
        "{",
        "\u{feff}{}",
        "{\"a\":\"\u{1}\"}",
        r#"{"name":"\u0000.jpg","cls":1}"#,
        r#"{"name":"../up.jpg","cls":1}"#,
        r#"{"name":"/abs.jpg","json":{"x":1}}"#,
        r#"{"name":"","txt":"x"}"#,
        r#"{"name":"folder/","txt":"x"}"#,
        r#"{"id":"7","name":7,"members":7,"exact":7}"#,
        r#"{"name":"m.jpg","members":["jpg","cls","cls",null,"jpg"],"cls":5}"#,
        r#"{"id":0,"id":1}"#,
    ]
    .into_iter()
    .map(|text| text.as_bytes().to_vec())
    .collect();
    texts.extend([125, 126, 127, 128, 3000].map(nested));
    texts.extend([&b"\xff\xfe"[..], b"{\"a\":\"\xff\"}", b"\0", b"{}\0"].map(<[u8]>::to_vec));
    texts
}

/// MessagePack that is odd or broken.
fn packed() -> Vec<Vec<u8>> {
    let mut all: Vec<Vec<u8>> = [
        &b"\xc0"[..],
        b"\x81\xa1a\xcb\x7f\xf8\0\0\0\0\0\0",
        b"\x81\xa1a",
        b"\xc1",
        b"\xa2\xff\xfe",
        b"\x82\x01\x02\x01\x03",
        b"\x80\x80",
        b"\xdd\xff\xff\xff\xff",
        b"\x81\xc4\x01x\xc7\x01\x05y",
    ]
    .map(<[u8]>::to_vec)
    .to_vec();
    for n in [100, 127, 128, 129, 500] {
        all.push([vec![0x91; n], vec![1]].concat());
    }
    all
}

/// A TBL of the peer's layout with such blocks, one a sample, in a random order; and the blocks as they lie in it.
pub fn tbl(dice: &mut Dice) -> (Vec<u8>, Vec<Vec<u8>>) {
    let (texts, packed) = (texts(), packed());
    let count = 1 + dice.below(12);
    let mut blocks = Vec::new();
    let mut samples = Vec::new();
    let payloads: Vec<Vec<u8>> = (0..count).map(|i| bmp(1 + (i * 7 % 30) as u32, i as u32)).collect();
    for _ in 0..count {
        let text = dice.below(3) > 0;
        let from = if text { &texts } else { &packed };
        let bytes = from[dice.below(from.len() as u64) as usize].clone();
        blocks.push((if text { 1_u16 } else { 3 }, bytes));
    }
    // The writer takes text; what it is to be in the file is put there afterwards.
    let marks: Vec<String> = blocks.iter().enumerate().map(|(i, (_, b))| mark(i, b.len())).collect();
    for (payload, text) in payloads.iter().zip(&marks) {
        samples.push(Sample { payload, format: MediaFormat::Bmp, width: 5, height: 2, record: Some(text) });
    }
    let options = PackOptions::new(Layout::Turboloader, Compression::None);
    let mut file = build_tbl(options, MetadataFormat::Json, Document::default(), &samples, Some(count));
    let mut at = file.len() - marks.iter().map(|m| m.len() + 16).sum::<usize>();
    for ((kind, bytes), mark) in blocks.iter().zip(&marks) {
        assert_eq!(&file[at + 16..][..mark.len()], mark.as_bytes());
        file[at + 12..at + 14].copy_from_slice(&kind.to_le_bytes());
        file[at + 16..][..mark.len()].copy_from_slice(bytes);
        at += 16 + mark.len();
    }
    (file, blocks.into_iter().map(|(_, bytes)| bytes).collect())
}

/// A text of just this length.
fn mark(i: usize, len: usize) -> String {
    let digit = char::from(b'0' + (i % 10) as u8);
    digit.to_string().repeat(len)
}

/// An archive with names and sidecars that are odd.
pub fn tar(dice: &mut Dice) -> Vec<u8> {
    const NAMES: [&str; 16] = [
        "../up", "/abs", "a:b", "d/../e", "a\\..\\b", ".hidden", "..", "x y", "日本", "d/e/f", "-", "d//e", "./a", "~",
        "con", "e\u{301}",
    ];
    const EXTENSIONS: [&str; 12] =
        ["json", "cls", "txt", "id", "name", "exact", "members", "class", "a.json", "", "json.", "b c"];
    let texts = texts();
    let mut file = Vec::new();
    let mut member = |name: &str, content: &[u8]| {
        file.extend(header_for(name, content.len() as u64).unwrap());
        file.extend_from_slice(content);
        file.extend_from_slice(&END[..padding(content.len() as u64)]);
    };
    for i in 0..dice.below(8) {
        let stem = format!(
            "{}{}",
            NAMES[dice.below(16) as usize],
            if dice.below(4) > 0 { i.to_string() } else { String::new() }
        );
        let before = dice.below(2) == 0;
        let picture = bmp(1 + dice.below(30) as u32, i as u32);
        if before {
            member(&format!("{stem}.bmp"), &picture);
        }
        for _ in 0..dice.below(4) {
            let extension = EXTENSIONS[dice.below(12) as usize];
            member(&format!("{stem}.{extension}"), &texts[dice.below(texts.len() as u64) as usize]);
        }
        if !before {
            member(&format!("{stem}.bmp"), &picture);
        }
    }
    file.extend_from_slice(&END);
    file
}
