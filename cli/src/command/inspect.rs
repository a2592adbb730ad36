//! `forebay inspect`: what a file is, how big, what is inside.

use std::{collections::BTreeMap, path::PathBuf};

use forebay::{Result, formats::Format, sample::MediaFormat, warehouse::Warehouse, words::Word};
use forebay_native::{dataset::Dataset, input::is_of_source, labels};
use serde_json::{Map, Value, json};

use super::{
    effect::{Given, Route, Uses},
    filtering::{FolderArgs, LimitArgs},
    several::each,
    table::{self, args::TableReadArgs},
};
use crate::{
    exit::Outcome,
    human,
    output::{Output, printable},
};

/// Which options have an effect on what.
pub(super) const USES: Uses = &[
    (&["class_level"], &[Route::Samples]),
    (&["max_sample_bytes"], &[Route::Samples, Route::Table]),
    (&["schema", "types", "no_header", "delimiter", "null", "on_bad_row", "sniff_rows"], &[Route::Table]),
];

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Files, folders or patterns.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    limits: LimitArgs,
    #[command(flatten)]
    folder: FolderArgs,
    #[command(flatten)]
    table: TableReadArgs,
}

pub(super) fn run(args: &Args, given: &Given, out: &Output) -> Result<Outcome> {
    let limits = args.limits.limits();
    // Looking on cuts what is finer than our own types, and says so.
    let read = args.table.options(&limits, true)?;
    each(&args.files, out, |path, _| {
        if let Some(format) = table::is_table(path, &read)? {
            given.check(USES, Route::Table)?;
            given.check_formats(&[format], None, &read)?;
            return table::inspect::run(path, &read, out);
        }
        let dataset = args.folder.open(path, &limits, false)?;
        given.check(USES, Route::Samples)?;
        let facts = facts(&dataset)?;
        if out.json() {
            out.value(&facts);
        } else {
            print(&facts, out);
        }
        Ok(Outcome::Fine)
    })
}

/// Everything that opening tells. No payload is read.
fn facts(dataset: &Dataset) -> Result<Value> {
    let mut facts = Map::new();
    let mut put = |key: &str, value: Value| drop(facts.insert(key.into(), value));
    put("file", dataset.name().into());
    put("format", dataset.format().map_or("folder", Format::name).into());
    put("samples", dataset.len().into());
    put("bytes", dataset.file_len().into());
    if let Some(tbl) = dataset.tbl() {
        let header = tbl.header();
        put("layout", header.layout.name().into());
        put("compression", header.codec.name().into());
        put("entry_bytes", header.entry_len.into());
        put("header_checksum", header.has_crc.into());
        put("payload_checksums", header.payload_checksums.into());
        let mut formats: BTreeMap<MediaFormat, u64> = BTreeMap::new();
        let (mut bytes, mut stored, mut compressed, mut damaged) = (0u64, 0u64, 0u64, 0u64);
        for i in 0..tbl.len() {
            match tbl.info(i) {
                Ok(info) => {
                    *formats.entry(info.format).or_default() += 1;
                    bytes += info.bytes;
                    stored += info.stored_bytes;
                    compressed += u64::from(info.codec != forebay::codec::Codec::None);
                }
                Err(_) => damaged += 1,
            }
        }
        put("payload_bytes", bytes.into());
        put("stored_bytes", stored.into());
        put("compressed_samples", compressed.into());
        put("damaged_entries", damaged.into());
        put("formats", formats.iter().map(|(f, n)| (f.name().to_owned(), json!(n))).collect::<Map<_, _>>().into());
        put("metadata", metadata(dataset)?);
    }
    if let Some(tar) = dataset.tar() {
        let archive = tar.archive();
        put("members", archive.members.len().into());
        put("skipped", serde_json::to_value(archive.skipped).unwrap_or_default());
        put("archives", archive.archives.into());
        put("payload_bytes", archive.members.payload_bytes().into());
        put("compression", "none".into());
        put("metadata", Value::Null);
    }
    if let Some(zip) = dataset.zip() {
        let (bytes, deflated) = zip.payload();
        put("members", zip.members().into());
        put("skipped", serde_json::to_value(zip.left_out()).unwrap_or_default());
        put("payload_bytes", bytes.into());
        put("compressed_members", deflated.into());
        put("compression", if deflated > 0 { "deflate" } else { "none" }.into());
        put("metadata", Value::Null);
    }
    if let Some(door) = dataset.door() {
        let choice = door.choice();
        put("sample_field", choice.payload.clone().into());
        put("name_field", choice.name.clone().into());
        put("class_field", choice.class.clone().or(choice.word.clone()).into());
        put("compression", "none".into());
        put("metadata", Value::Null);
    }
    if let Some(warehouse) = dataset.warehouse() {
        warehouse_facts(warehouse, &mut put);
    }
    if let Some(folder) = dataset.folder() {
        put("classes", json!(folder.classes()));
        put("class_level", folder.class_level().into());
        put("left_out", folder.left_out().into());
        put("compression", "none".into());
        put("metadata", Value::Null);
    }
    put("notes", json!(dataset.notes().into_iter().chain(labels_inside(dataset)).collect::<Vec<_>>()));
    Ok(facts.into())
}

/// Labels that lie beside the images, and how they are added.
fn labels_inside(dataset: &Dataset) -> Option<String> {
    let format = labels::inside(dataset)?.word();
    let name = dataset.name();
    Some(match dataset.zip() {
        Some(_) => format!("it holds labels ({format}), which convert adds to the images"),
        None => format!("it holds labels ({format}); convert {name} with --labels {name} adds them to the images"),
    })
}

/// What a manifest and the headers of its shards say.
fn warehouse_facts(warehouse: &Warehouse, put: &mut impl FnMut(&str, Value)) {
    let manifest = warehouse.manifest();
    put("version", manifest.version.clone().into());
    put("code_version", manifest.code_version.clone().into());
    put("dataset_root", manifest.dataset_root.clone().into());
    put("created_at_ms", manifest.created_at_ms.into());
    put("shards", manifest.shards.len().into());
    put("transform", json!(manifest.transform));
    let shape = warehouse.shape();
    put("width", shape.map(|shape| shape.width).into());
    put("height", shape.map(|shape| shape.height).into());
    put("dtype", shape.map(|shape| shape.dtype.name()).into());
    put("boxes_dtype", shape.map(|shape| shape.boxes_dtype.name()).into());
    put("max_boxes", shape.map(|shape| shape.max_boxes).into());
    put("classes", json!(manifest.classes.clone().unwrap_or_default()));
    put("summary", json!(manifest.summary));
    put("thresholds", json!(manifest.thresholds));
    put("violations", json!(manifest.thresholds.broken_by(&manifest.summary.totals)));
    put("compression", "none".into());
    put("metadata", Value::Null);
}

fn metadata(dataset: &Dataset) -> Result<Value> {
    let Some(tbl) = dataset.tbl() else { return Ok(Value::Null) };
    let header = tbl.header();
    if let Some(fault) = &header.metadata_fault {
        return Ok(json!({ "error": fault.error().message() }));
    }
    let Some(range) = &header.metadata else { return Ok(Value::Null) };
    let document = match dataset.document() {
        Ok(document) => Value::Object(document),
        Err(e) if is_of_source(&e) => return Err(e),
        // The samples can be read all the same, and `check` names the fault.
        Err(e) => json!({ "error": e.message() }),
    };
    Ok(json!({
        "format": header.metadata_format.map_or("blocks", |f| f.name()),
        "offset": range.start,
        "bytes": range.end - range.start,
        "checksum": header.metadata_crc.is_some(),
        "indexed": header.sample_index.is_some(),
        "document": document,
    }))
}

fn print_warehouse(facts: &Value, row: &impl Fn(&str, String)) {
    let text = |key: &str| printable(facts[key].as_str().unwrap_or_default());
    let number = |key: &str| facts[key].as_u64().unwrap_or_default();
    row("version", text("version"));
    row("made from", format!("{} by version {}", text("dataset_root"), text("code_version")));
    row("shards", human::count(number("shards")));
    let mode = facts["transform"]["resize_mode"].as_str().unwrap_or_default();
    row("tensors", format!("3 x {} x {}, {}, {mode}", number("height"), number("width"), text("dtype")));
    row("boxes", format!("at most {}, {}", number("max_boxes"), text("boxes_dtype")));
    let totals = &facts["summary"]["totals"];
    let counts = ["non_empty", "empty", "missing_image", "missing_file", "invalid"].map(|key| {
        let n = totals[key].as_u64().unwrap_or_default();
        format!("{} {}", human::count(n), key.replace('_', " "))
    });
    row("frames", counts.join(", "));
    for broken in facts["violations"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        row("threshold", printable(broken));
    }
}

fn print_tbl(facts: &Value, row: &impl Fn(&str, String)) {
    let text = |key: &str| facts[key].as_str().unwrap_or_default();
    let number = |key: &str| facts[key].as_u64().unwrap_or_default();
    let (bytes, stored) = (number("payload_bytes"), number("stored_bytes"));
    row("payloads", format!("{} stored as {}", human::bytes(bytes), human::bytes(stored)));
    let shrunk = number("compressed_samples");
    row(
        "compression",
        match text("compression") {
            "none" => "none".into(),
            codec => format!("{codec}, {} of {} samples", human::count(shrunk), human::count(number("samples"))),
        },
    );
    let formats = facts["formats"].as_object().into_iter().flatten();
    row(
        "formats",
        formats.map(|(f, n)| format!("{f} {}", human::count(n.as_u64().unwrap_or(0)))).collect::<Vec<_>>().join(", "),
    );
    if number("damaged_entries") > 0 {
        row("damaged", format!("{} index entries; see forebay check", human::count(number("damaged_entries"))));
    }
    match &facts["metadata"] {
        Value::Null => row("metadata", "none".into()),
        found => {
            if let Some(e) = found["error"].as_str() {
                row("metadata", format!("damaged: {e}"));
                return;
            }
            let indexed = if found["indexed"] == true { ", sample by sample" } else { "" };
            let bytes = human::bytes(found["bytes"].as_u64().unwrap_or(0));
            row("metadata", format!("{}, {bytes}{indexed}", found["format"].as_str().unwrap_or_default()));
            for (key, value) in found["document"].as_object().into_iter().flatten() {
                let short: String = printable(&value.to_string()).chars().take(80).collect();
                row("", format!("{} = {short}", printable(key)));
            }
        }
    }
}

fn print(facts: &Value, out: &Output) {
    let text = |key: &str| facts[key].as_str().unwrap_or_default();
    let number = |key: &str| facts[key].as_u64().unwrap_or_default();
    let row = |label: &str, value: String| out.line(format!("  {label:<13}{value}"));
    out.line(printable(text("file")));
    match (text("format"), text("layout")) {
        ("tbl", layout) => row("format", format!("TBL v2, {layout} layout")),
        ("tar", _) => row("format", "TAR".into()),
        ("zip", _) => row("format", "ZIP".into()),
        ("tfrecord", _) => row("format", "TFRecord".into()),
        ("mds", _) => row("format", "MDS (MosaicML Streaming)".into()),
        ("litdata", _) => row("format", "LitData".into()),
        ("lmdb", _) => row("format", "LMDB".into()),
        ("npy", _) => row("format", "arrays of NumPy".into()),
        ("ffcv", _) => row("format", "FFCV".into()),
        (other, _) => row("format", other.into()),
    }
    row("samples", human::count(number("samples")));
    row("size", format!("{} ({} bytes)", human::bytes(number("bytes")), human::count(number("bytes"))));
    if text("format") == "tbl" {
        print_tbl(facts, &row);
    }
    if text("format") == "zip" {
        let (bytes, shrunk) = (number("payload_bytes"), number("compressed_members"));
        row("payloads", human::bytes(bytes));
        if shrunk > 0 {
            row(
                "compression",
                format!("deflate, {} of {} members", human::count(shrunk), human::count(number("members"))),
            );
        }
    }
    if matches!(text("format"), "tar" | "zip") {
        row("members", human::count(number("members")));
        if let Some(skipped) = facts["skipped"].as_object() {
            let parts: Vec<_> =
                skipped.iter().filter(|(_, n)| n.as_u64() != Some(0)).map(|(k, n)| format!("{n} {k}")).collect();
            if !parts.is_empty() {
                row("skipped", parts.join(", "));
            }
        }
    }
    for (label, key) in [("sample", "sample_field"), ("name", "name_field"), ("class", "class_field")] {
        if let Some(field) = facts[key].as_str() {
            row(label, format!("field {}", printable(field)));
        }
    }
    if text("format") == "warehouse" {
        print_warehouse(facts, &row);
    }
    if let Some(classes) = facts["classes"].as_array().filter(|c| !c.is_empty()) {
        row("classes", classes.iter().filter_map(Value::as_str).map(printable).collect::<Vec<_>>().join(", "));
    }
    for note in facts["notes"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        row("note", printable(note));
    }
}
