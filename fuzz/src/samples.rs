//! Any bytes as a container of samples, with its metadata: every record reads as JSON whatever the metadata is, and the
//! files that a sample becomes in an archive come out of that archive. Checksums are put right first unless the first
//! byte is odd.

use bytes::Bytes;
use forebay::{
    Result,
    codec::Compression,
    filter::{Filter, SampleRecord},
    sample::{MediaFormat, record::safe_name, stats::Stats},
    samples::{Dataset, Opener, archive_files},
    step::drive,
    tar,
    tbl::{
        Document, Encoder, Layout, Metadata, MetadataFormat, MetadataWriter, OpenMetadata, PackOptions, Patch, pack,
    },
};
use serde_json::Value;

pub(crate) fn body(data: &[u8]) {
    let Some((&first, rest)) = data.split_first() else { return };
    let mut file = rest.to_vec();
    if first % 2 == 0 {
        super::tar::put_right(&mut file);
        super::tbl::put_right(&mut file);
    }
    let file = Bytes::from(file);
    let Ok(dataset) = drive(Opener::new(file.len() as u64).with_limits(super::limits()), &file) else { return };
    let metadata = match &dataset {
        Dataset::Tbl(tbl) => drive(OpenMetadata::new(tbl), &file).ok(),
        _ => None,
    };
    let filter = Filter::parse("width > 3 && json.a != 2 || name ~ '*.jpg' || cls in [1, 2]").expect("a filter");
    let mut stats = Stats::default();
    for i in 0..dataset.len().min(64) {
        if let Ok(info) = dataset.info(i) {
            stats.add(&info, None);
        }
        drop(sample(&dataset, i, metadata.as_ref(), &file, &filter));
    }
    stats.report();
}

fn sample(dataset: &Dataset, i: u64, metadata: Option<&Metadata>, file: &Bytes, filter: &Filter) -> Result<()> {
    let piece = |range: std::ops::Range<u64>| Ok(file.slice(range.start as usize..range.end as usize));
    for range in dataset.record_ranges(i, metadata)? {
        assert!(range.end <= file.len() as u64, "{range:?}");
    }
    let found = dataset.find_record_as(i, i + 1, metadata, piece)?;
    let text = found.as_ref().map(|found| found.text.as_str());
    let value: Option<Value> = text.map(|text| serde_json::from_str(text).expect("a record reads"));
    let as_value = dataset.find_value(i, metadata, piece)?;
    assert_eq!(as_value.is_some(), value.is_some());
    let plan = dataset.plan(i)?;
    let stored = piece(plan.range())?;
    let payload = plan.decode(&stored, &super::limits())?;
    let info = dataset.info_with(i, &payload)?;
    dataset.written_info(i, &payload)?;
    let name = dataset.name(i, value.as_ref());
    let mut record = SampleRecord::new(&info);
    (record.name, record.metadata) = (name, value.as_ref());
    filter.matches(&record);

    let mut archive = Vec::new();
    let (files, _) = archive_files(i, text, &payload, info.format)?;
    for file in &files {
        archive.extend_from_slice(&file.header);
        archive.extend_from_slice(&file.content);
        archive.resize(archive.len() + file.padding(), 0);
    }
    archive.extend_from_slice(&tar::END);
    let archive = tar::scan(&archive.into(), &super::limits()).expect("an archive that was written");
    assert_eq!(archive.members.len(), files.len());
    for (member, file) in archive.members.iter().zip(&files) {
        safe_name(member.name).expect("a name that stays in the folder");
        assert_eq!(member.size, file.content.len() as u64);
    }
    Ok(())
}

/// Records as converters write them, and what no reader can hold.
const RECORDS: [&str; 3] = [
    r#"{"id":0,"name":"set/a.jpg","cls":7,"json":{"a":1.50},"members":["jpg","cls","json"]}"#,
    r#"{"label":3,"boxes":[[1,2],[3.5,null]]}"#,
    r#"{"id":2,"name":"../b.seg.png","npy":{"base64":"AAEC"},"exact":{"txt":" é"}}"#,
];

fn table(layout: Layout, format: MetadataFormat, records: &[&str]) -> Vec<u8> {
    let options = PackOptions::new(layout, Compression::None);
    let mut encoder = Encoder::new(options, Some(records.len() as u64)).expect("options that fit");
    let mut metadata = MetadataWriter::new(layout, format, Document::default()).expect("a format of the layout");
    let (mut file, mut spool) = (Vec::new(), Vec::new());
    for record in records {
        let packed = pack(Bytes::from_static(b"GIF89a"), MediaFormat::Unknown, 1, 1, &options).expect("a payload");
        let at = encoder.place(&packed, false).expect("a small file");
        super::tbl::write_at(&mut file, at, &packed.stored);
        super::tbl::write_at(&mut file, at + packed.stored.len() as u64, packed.trailer());
        metadata.add(Some(record), &mut spool).expect("a record");
    }
    for patch in encoder.finish(metadata.finish()).expect("a small file") {
        match patch {
            Patch::Bytes { at, bytes } => super::tbl::write_at(&mut file, at, &bytes),
            Patch::Spool { at, .. } => super::tbl::write_at(&mut file, at, &spool),
            Patch::End { len } => file.resize(len as usize, 0),
            _ => {}
        }
    }
    file
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let strange = [r#"{"a": NaN}"#, "1e400", "null"];
    let mut seeds = vec![
        table(Layout::Guide, MetadataFormat::Json, &RECORDS),
        table(Layout::Guide, MetadataFormat::Msgpack, &RECORDS),
        table(Layout::Turboloader, MetadataFormat::Json, &RECORDS),
        table(Layout::Turboloader, MetadataFormat::Msgpack, &RECORDS),
        table(Layout::Guide, MetadataFormat::Json, &strange),
        table(Layout::Turboloader, MetadataFormat::Json, &strange),
    ];
    let mut archive = Vec::new();
    let long = format!("{}/3.jpg", "folder".repeat(30));
    for (name, payload) in [
        ("a/1.jpg", &b"\xff\xd8\xff"[..]),
        ("a/1.cls", b"7"),
        ("a/1.json", b"{\"a\": NaN}"),
        ("../b.png", b"x"),
        ("../b.seg.npy", b"\0\x01\xff"),
        (&long, b""),
    ] {
        archive.extend(tar::header_for(name, payload.len() as u64).expect("a header"));
        archive.extend_from_slice(payload);
        archive.resize(archive.len() + tar::padding(payload.len() as u64), 0);
    }
    archive.extend_from_slice(&tar::END);
    seeds.push(archive);
    seeds.into_iter().map(|file| [&[0][..], &file].concat()).collect()
}
