//! Every file of the corpus against what it holds, and what we write against it.
#![allow(clippy::disallowed_methods, reason = "tests are hosts: they read files")]

use crate::common;

use std::path::{Path, PathBuf};

use bytes::Bytes;
use common::conformance;
use forebay::{
    Limits, Result,
    step::{Pieces, drive},
    table::{Batch, JsonStyle, TableFile, Value},
    tbf::{self, CallerSchema, Dialect},
};
use serde_json::{Value as Json, json};

fn open(file: &Bytes, schema: Option<CallerSchema>) -> Result<tbf::File> {
    let mut opener = tbf::Opener::new(file.len() as u64).with_limits(Limits::host());
    if let Some(schema) = schema {
        opener = opener.with_schema(schema);
    }
    drive(opener, file)
}

fn batches(table: &dyn TableFile, file: &Bytes) -> Result<Vec<Batch>> {
    let mut pieces = Pieces::default();
    pieces.push(0, file.clone());
    let all: Vec<usize> = (0..table.schema().len()).collect();
    (0..table.groups()).map(|g| table.decode(g, &all, &pieces)).collect()
}

/// The corpus: name, bytes, twin.
fn corpus(prefix: &str) -> Vec<(String, Bytes, Json)> {
    let dir = common::corpus("tbf");
    let index: Vec<Json> = serde_json::from_slice(&std::fs::read(dir.join("INDEX.json")).unwrap()).unwrap();
    let names = index.iter().map(|e| e["file"].as_str().unwrap().to_owned()).filter(|n| n.starts_with(prefix));
    names.map(|name| entry(&dir, name)).collect()
}

fn entry(dir: &Path, name: String) -> (String, Bytes, Json) {
    let stem = name.split('.').next().unwrap();
    let twin = serde_json::from_slice(&std::fs::read(dir.join(format!("{stem}.json"))).unwrap()).unwrap();
    let mut bytes = std::fs::read(dir.join(&name)).unwrap();
    if name.ends_with(".gz") {
        let mut out = Vec::new();
        std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(&bytes[..]), &mut out).unwrap();
        bytes = out;
    }
    (name, bytes.into(), twin)
}

/// Where a file of the corpus lies, to say what was done with it.
fn at(name: &str) -> PathBuf {
    common::corpus("tbf").join(name)
}

/// A column's cells as JSON.
fn cells(batch: &Batch, column: usize) -> Vec<Json> {
    (0..batch.rows())
        .map(|r| serde_json::from_str(&batch.columns()[column].value(r).to_json(JsonStyle::default())).unwrap())
        .collect()
}

/// The bits of a column of floats, as the twins write them.
fn bits(batch: &Batch, column: usize) -> Vec<String> {
    (0..batch.rows())
        .map(|r| match batch.columns()[column].value(r) {
            Value::F32(x) => format!("{:08x}", x.to_bits()),
            Value::F64(x) => format!("{:016x}", x.to_bits()),
            other => panic!("{other:?}"),
        })
        .collect()
}

fn same_columns(name: &str, batch: &Batch, twin: &Json, names: bool) {
    let columns = twin["columns"].as_array().unwrap();
    assert_eq!(batch.columns().len(), columns.len(), "{name}");
    assert_eq!(batch.rows() as u64, twin["rows"].as_u64().unwrap(), "{name}");
    for (i, column) in columns.iter().enumerate() {
        let what = format!("{name}, column {}", column["name"]);
        if names {
            assert_eq!(batch.schema().fields()[i].name, column["name"].as_str().unwrap(), "{what}");
        }
        let expected = if column["stored"].is_array() { &column["stored"] } else { &column["values"] };
        if let Some(expected) = column["bits"].as_array() {
            assert_eq!(bits(batch, i), expected.iter().map(|b| b.as_str().unwrap()).collect::<Vec<_>>(), "{what}");
        } else {
            assert_eq!(&Json::Array(cells(batch, i)), expected, "{what}");
        }
    }
}

#[test]
fn tagged_files_hold_what_their_twins_say() {
    for (name, file, twin) in corpus("t_") {
        let opened = open(&file, None);
        if name == "t_rs_enum.tbf" {
            // Its enums carry no tags, so that nothing but the Rust type explains it.
            assert_eq!(opened.unwrap_err().kind(), forebay::error::Kind::Damaged, "{name}");
            conformance::refused(&at(&name));
            continue;
        }
        let opened = opened.unwrap_or_else(|e| panic!("{name}: {e}"));
        let document = opened.document().unwrap();
        let expected =
            if twin["source"].is_null() || name.starts_with("t_json") { &twin["value"] } else { &twin["source"] };
        let found: Json = serde_json::from_str(&document.to_json().unwrap()).unwrap();
        match name.as_str() {
            // Bytes are base64 where the twin lists them.
            "t_rs_bytes.tbf" => assert_eq!(found, json!({"b": "AAF/gP8=", "e": "", "as_seq": [0, 127, 128, 255]})),
            // Floats of 32 bits are written with as few digits as tell them apart.
            "t_rs_floats.tbf" => {
                let f32s = [f32::INFINITY, f32::NEG_INFINITY, -0.0, f32::MAX, f32::from_bits(1)];
                assert_eq!(found["f64s"], expected["f64s"]);
                for (found, x) in found["f32s"].as_array().unwrap().iter().zip(f32s) {
                    assert_eq!(
                        found.to_string(),
                        serde_json::from_str::<Json>(&Value::F32(x).to_json(JsonStyle::default())).unwrap().to_string()
                    );
                }
            }
            _ => assert_eq!(&found, if expected.is_null() { &twin["peer_decode_json"] } else { expected }, "{name}"),
        }
        conformance::read(&at(&name));
    }
}

#[test]
fn tagged_files_are_written_as_the_peer_writes_them() {
    for (name, file, twin) in corpus("t_") {
        let from_json = ["t_cli", "t_json", "t_py"].iter().any(|p| name.starts_with(p));
        if !from_json {
            continue;
        }
        assert_eq!(tbf::TaggedWriter::json(&twin["value"]).unwrap(), file, "{name}");
        let opened = open(&file, None).unwrap();
        if opened.is_uniform() && name != "t_cli_empty.tbf" {
            let mut writer = tbf::TaggedWriter::default();
            for batch in batches(opened.table().unwrap(), &file).unwrap() {
                writer.push(&batch).unwrap();
            }
            let mut written = Vec::new();
            writer.finish(&mut written);
            assert_eq!(written, file, "{name}, through the table");
        }
        conformance::written(&at(&name));
    }
}

#[test]
fn columnar_files_hold_what_their_twins_say_and_are_written_back() {
    for (name, file, twin) in corpus("c_") {
        let opened = open(&file, None).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(opened.dialect(), Dialect::C);
        let found = batches(opened.table().unwrap(), &file).unwrap();
        same_columns(&name, &found[0], &twin, true);
        conformance::read(&at(&name));
        let mut writer = tbf::ColumnarWriter::new(found[0].schema().clone()).unwrap();
        writer.push(&found[0]).unwrap();
        let mut written = Vec::new();
        writer.finish(&mut written).unwrap();
        assert_eq!(written, file, "{name}");
        conformance::written(&at(&name));
    }
}

#[test]
fn ultra_and_plain_files_hold_what_their_twins_say() {
    for (name, file, twin) in corpus("l_").into_iter().chain(corpus("d_")) {
        let opened = open(&file, None).unwrap_or_else(|e| panic!("{name}: {e}"));
        let found = batches(opened.table().unwrap(), &file).unwrap();
        same_columns(&name, &found[0], &twin, false);
        conformance::read(&at(&name));
    }
}

/// The types that the twin's words stand for.
fn schema_of(twin: &Json) -> CallerSchema {
    let column = |c: &Json| {
        let encoding = c["encoding"].as_str().unwrap_or_default();
        let dtype = match (c["kind"].as_str().unwrap(), encoding) {
            ("int", "I8") if c["stored"].is_null() => "i8",
            ("int", "I16") if c["stored"].is_null() => "i16",
            ("int", "I32") if c["stored"].is_null() => "i32",
            ("int", _) => "i64",
            (other, _) => other,
        };
        json!({"name": c["name"], "type": dtype})
    };
    let columns: Vec<Json> = twin["columns"].as_array().unwrap().iter().map(column).collect();
    CallerSchema::from_json(json!({ "S": columns }).to_string().as_bytes()).unwrap()
}

#[test]
fn schema_tables_hold_what_their_twins_say() {
    for (name, file, twin) in corpus("s_") {
        assert_eq!(open(&file, None).unwrap_err().code().id(), "tbf.schema_needed", "{name}");
        let blocks = match twin["batches"].as_array() {
            Some(blocks) => blocks.clone(),
            None => vec![twin.clone()],
        };
        if name == "s_dict_65537.tbf.gz" {
            let schema = br#"{"S": [{"name": "s", "type": "string"}]}"#;
            let opened = open(&file, Some(CallerSchema::from_json(schema).unwrap())).unwrap();
            let found = batches(opened.table().unwrap(), &file).unwrap();
            let text = |row| found[0].columns()[0].str(row).unwrap();
            // The peer's index has 16 bits, so that the last text reads as the first.
            assert_eq!((found[0].rows(), text(65_536)), (65_537, text(0)));
            assert_ne!(text(65_535), text(0));
            conformance::read(&at(&name));
            continue;
        }
        if name == "s_arrow_empty.tbf" {
            let opened = open(&file, Some(CallerSchema::from_json(br#"{"S": []}"#).unwrap())).unwrap();
            assert_eq!(opened.table().unwrap().rows(), 0);
            conformance::read(&at(&name));
            continue;
        }
        let opened = open(&file, Some(schema_of(&blocks[0]))).unwrap_or_else(|e| panic!("{name}: {e}"));
        let found = batches(opened.table().unwrap(), &file).unwrap();
        assert_eq!(found.len(), blocks.len(), "{name}");
        for (batch, block) in found.iter().zip(&blocks) {
            same_columns(&name, batch, block, true);
        }
        conformance::read(&at(&name));
    }
}

#[test]
fn untagged_files_hold_what_their_twins_say() {
    let row = r#"{"struct":[{"name":"id","type":"u32"},{"name":"name","type":"string"},{"name":"age","type":"u8"},
        {"name":"salary","type":"f64"},{"name":"active","type":"bool"},{"name":"city","type":"string"},{"name":"ts","type":"i64"}]}"#;
    let inner = r#"{"struct":[{"name":"x","type":"i32"},{"name":"y","type":{"option":"f64"}}]}"#;
    let nested = format!(
        r#"{{"struct":[{{"name":"id","type":"u32"}},{{"name":"tags","type":{{"seq":"string"}}}},
        {{"name":"opt","type":{{"option":"i32"}}}},{{"name":"none","type":{{"option":"string"}}}},
        {{"name":"raw","type":{{"seq":"u8"}}}},{{"name":"pair","type":{{"tuple":["u8","i8"]}}}},
        {{"name":"boxed","type":"u16"}},{{"name":"inner","type":{inner}}},{{"name":"inners","type":{{"seq":{inner}}}}}]}}"#
    );
    let variants = r#"{"enum":[{"name":"A"},{"name":"B","type":{"tuple_struct":["i32"]}},
        {"name":"C","type":{"struct":[{"name":"x","type":"u8"},{"name":"y","type":"string"}]}},
        {"name":"D","type":{"tuple_struct":["string","bool"]}}]}"#;
    for (name, file, twin) in corpus("u_") {
        let (many, value) = match name.as_str() {
            "u_enum.tbf" => (true, variants),
            "u_nested.tbf" => (false, nested.as_str()),
            "u_tuple_struct.tbf" => (true, r#"{"tuple_struct":["u8","string","i64"]}"#),
            "u_unit.tbf" => (true, r#""unit""#),
            _ => (true, row),
        };
        let schema = format!(r#"{{"U":{{"many":{many},"value":{value}}}}}"#);
        let schema = CallerSchema::from_json(schema.as_bytes()).unwrap();
        let opened = open(&file, Some(schema)).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(opened.dialect(), Dialect::U);
        let found: Json = serde_json::from_str(&opened.document().unwrap().to_json().unwrap()).unwrap();
        assert_eq!(found, twin["source"], "{name}");
        conformance::read(&at(&name));
    }
}
