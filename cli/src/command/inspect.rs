//! `forebay inspect`: what a file is, how big, what is inside.

use std::{collections::BTreeMap, path::PathBuf};

use forebay::{
    Result,
    formats::Format,
    tar,
    tbl::Tbl,
    warehouse::{Summary, Thresholds, Transform, Warehouse},
    words::Word,
    zip,
};
use forebay_native::{dataset::Dataset, input::is_of_source, labels};
use serde::Serialize;
use serde_json::{Value, json};

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
            print(&serde_json::to_value(&facts).unwrap_or_default(), out);
        }
        Ok(Outcome::Fine)
    })
}

/// A file of samples as opening describes it.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Inspect"))]
pub(super) struct Inspected<'a> {
    /// The file.
    file: &'a str,
    /// Its format, or `folder`.
    format: &'static str,
    /// How many samples it has.
    samples: u64,
    /// Bytes of the file.
    bytes: u64,
    /// How payloads are compressed.
    compression: &'static str,
    #[serde(flatten)]
    of: Option<Of<'a>>,
    /// The metadata of a TBL.
    metadata: Option<Metadata>,
    /// Things worth knowing.
    notes: Vec<String>,
}

/// What only files of one format say.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "InspectedFormat"))]
#[serde(untagged)]
enum Of<'a> {
    /// Of a TBL.
    Tbl {
        /// `guide` or `turboloader`.
        layout: &'static str,
        /// Bytes of an index entry.
        entry_bytes: u32,
        /// Whether the header has a checksum.
        header_checksum: bool,
        /// Whether each payload has a checksum.
        payload_checksums: bool,
        /// Bytes of the payloads once decompressed.
        payload_bytes: u64,
        /// Bytes of the payloads as stored.
        stored_bytes: u64,
        /// Samples that compression made smaller.
        compressed_samples: u64,
        /// Index entries that are damaged.
        damaged_entries: u64,
        /// Samples of each format.
        formats: BTreeMap<&'static str, u64>,
    },
    /// Of a TAR.
    Tar {
        /// Files in the archive, sidecars included.
        members: usize,
        /// Members that are no files.
        skipped: tar::Skipped,
        /// Archives that lie one behind the other in the file.
        archives: u64,
        /// Bytes of the payloads.
        payload_bytes: u64,
    },
    /// Of a ZIP.
    Zip {
        /// Files in the archive, sidecars included.
        members: u64,
        /// Members that are no samples.
        skipped: zip::LeftOut,
        /// Bytes of the payloads once decompressed.
        payload_bytes: u64,
        /// Members that are compressed.
        compressed_members: u64,
    },
    /// Of records that other programs write.
    Records {
        /// The field that is the sample.
        sample_field: Option<&'a str>,
        /// The field of the sample's name.
        name_field: Option<&'a str>,
        /// The field of the class.
        class_field: Option<&'a str>,
    },
    /// Of a tensor warehouse.
    Warehouse(Box<OfWarehouse<'a>>),
    /// Of a folder of images.
    Folder {
        /// The classes that its folders are named by.
        classes: &'a [String],
        /// The level of the folders that name the classes.
        class_level: u32,
        /// Files that are no samples.
        left_out: u64,
    },
}

/// What a manifest and the headers of its shards say.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "InspectedWarehouse"))]
struct OfWarehouse<'a> {
    /// The version: 64 hexadecimal digits.
    version: &'a str,
    /// The version of the builder.
    code_version: &'a str,
    /// Where the frames came from, as the builder was told.
    dataset_root: &'a str,
    /// When it was built, in milliseconds since 1970.
    created_at_ms: u64,
    /// How many shards it has.
    shards: usize,
    /// What was done to its images.
    transform: &'a Transform,
    /// Pixels across.
    width: Option<u32>,
    /// Pixels down.
    height: Option<u32>,
    /// The type of the pixels.
    dtype: Option<&'static str>,
    /// The type of boxes and masks.
    boxes_dtype: Option<&'static str>,
    /// Places for boxes.
    max_boxes: Option<u32>,
    /// The names of the classes.
    classes: &'a [String],
    /// Frames taken and refused.
    summary: &'a Summary,
    /// How many frames may be bad.
    thresholds: &'a Thresholds,
    /// Every threshold that the summary breaks, in words.
    violations: Vec<String>,
}

/// Metadata of a TBL.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "InspectedMetadata"))]
#[serde(untagged)]
enum Metadata {
    /// It cannot be read.
    Broken {
        /// Why.
        error: String,
    },
    /// It can.
    Found {
        /// `json`, `protobuf`, `msgpack`, or `blocks` in the turboloader layout.
        format: &'static str,
        /// Where it begins.
        offset: u64,
        /// Its bytes.
        bytes: u64,
        /// Whether it has a checksum.
        checksum: bool,
        /// Whether an index says where the metadata of each sample is.
        indexed: bool,
        /// The document beside the samples' metadata, or why it cannot be read.
        document: Value,
    },
}

/// Everything that opening tells. No payload is read.
fn facts(dataset: &Dataset) -> Result<Inspected<'_>> {
    let mut compression = "none";
    let mut of = None;
    if let Some(tbl) = dataset.tbl() {
        compression = tbl.header().codec.name();
        of = Some(of_tbl(tbl));
    }
    if let Some(tar) = dataset.tar() {
        let archive = tar.archive();
        of = Some(Of::Tar {
            members: archive.members.len(),
            skipped: archive.skipped,
            archives: archive.archives,
            payload_bytes: archive.members.payload_bytes(),
        });
    }
    if let Some(zip) = dataset.zip() {
        let (payload_bytes, compressed_members) = zip.payload();
        compression = if compressed_members > 0 { "deflate" } else { "none" };
        of = Some(Of::Zip { members: zip.members(), skipped: zip.left_out(), payload_bytes, compressed_members });
    }
    if let Some(door) = dataset.door() {
        let choice = door.choice();
        of = Some(Of::Records {
            sample_field: choice.payload.as_deref(),
            name_field: choice.name.as_deref(),
            class_field: choice.class.as_deref().or(choice.word.as_deref()),
        });
    }
    if let Some(warehouse) = dataset.warehouse() {
        of = Some(Of::Warehouse(Box::new(of_warehouse(warehouse))));
    }
    if let Some(folder) = dataset.folder() {
        let (classes, class_level) = (folder.classes(), folder.class_level());
        of = Some(Of::Folder { classes, class_level, left_out: folder.left_out() });
    }
    Ok(Inspected {
        file: dataset.name(),
        format: dataset.format().map_or("folder", Format::name),
        samples: dataset.len(),
        bytes: dataset.file_len(),
        compression,
        of,
        metadata: metadata(dataset)?,
        notes: dataset.notes().into_iter().chain(labels_inside(dataset)).collect(),
    })
}

fn of_tbl(tbl: &Tbl) -> Of<'static> {
    let header = tbl.header();
    let mut formats: BTreeMap<&'static str, u64> = BTreeMap::new();
    let (mut bytes, mut stored, mut compressed, mut damaged) = (0u64, 0u64, 0u64, 0u64);
    for i in 0..tbl.len() {
        match tbl.info(i) {
            Ok(info) => {
                *formats.entry(info.format.name()).or_default() += 1;
                bytes += info.bytes;
                stored += info.stored_bytes;
                compressed += u64::from(info.codec != forebay::codec::Codec::None);
            }
            Err(_) => damaged += 1,
        }
    }
    Of::Tbl {
        layout: header.layout.name(),
        entry_bytes: header.entry_len,
        header_checksum: header.has_crc,
        payload_checksums: header.payload_checksums,
        payload_bytes: bytes,
        stored_bytes: stored,
        compressed_samples: compressed,
        damaged_entries: damaged,
        formats,
    }
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

fn of_warehouse(warehouse: &Warehouse) -> OfWarehouse<'_> {
    let (manifest, shape) = (warehouse.manifest(), warehouse.shape());
    OfWarehouse {
        version: &manifest.version,
        code_version: &manifest.code_version,
        dataset_root: &manifest.dataset_root,
        created_at_ms: manifest.created_at_ms,
        shards: manifest.shards.len(),
        transform: &manifest.transform,
        width: shape.map(|shape| shape.width),
        height: shape.map(|shape| shape.height),
        dtype: shape.map(|shape| shape.dtype.name()),
        boxes_dtype: shape.map(|shape| shape.boxes_dtype.name()),
        max_boxes: shape.map(|shape| shape.max_boxes),
        classes: manifest.classes.as_deref().unwrap_or_default(),
        summary: &manifest.summary,
        thresholds: &manifest.thresholds,
        violations: manifest.thresholds.broken_by(&manifest.summary.totals),
    }
}

fn metadata(dataset: &Dataset) -> Result<Option<Metadata>> {
    let Some(tbl) = dataset.tbl() else { return Ok(None) };
    let header = tbl.header();
    if let Some(fault) = &header.metadata_fault {
        return Ok(Some(Metadata::Broken { error: fault.error().message().to_owned() }));
    }
    let Some(range) = &header.metadata else { return Ok(None) };
    let document = match dataset.document() {
        Ok(document) => Value::Object(document),
        Err(e) if is_of_source(&e) => return Err(e),
        // The samples can be read all the same, and `check` names the fault.
        Err(e) => json!({ "error": e.message() }),
    };
    Ok(Some(Metadata::Found {
        format: header.metadata_format.map_or("blocks", |f| f.name()),
        offset: range.start,
        bytes: range.end - range.start,
        checksum: header.metadata_crc.is_some(),
        indexed: header.sample_index.is_some(),
        document,
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
