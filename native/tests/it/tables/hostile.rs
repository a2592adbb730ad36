//! Parquet and Arrow files that lie. Their crates trust what a file says of itself; what stands before them does not.

use std::{fs, path::Path};

use crate::dice::rounds;
use forebay::{Result, error::Kind, table::Batch};
use forebay_native::tables::{ReadOptions, TableCompression, TableFormat, TableJob, open};

/// A small table of numbers, texts and missing values.
fn write(folder: &Path, name: &str, format: TableFormat, compression: Option<TableCompression>) -> Vec<u8> {
    let csv = folder.join("in.csv");
    let rows = (0..40).map(|i| format!("{i},{},{}\n", "ab".repeat(i % 7), if i % 3 == 0 { "" } else { "0.5" }));
    fs::write(&csv, format!("n,s,x\n{}", rows.collect::<String>())).unwrap();
    let mut job = TableJob::new(vec![csv], format);
    (job.force, job.sync, job.write.compression, job.write.core.group_rows) = (true, false, compression, Some(16));
    job.read.text.batch_rows = 16;
    job.run(&folder.join(name)).unwrap();
    fs::read(folder.join(name)).unwrap()
}

fn read(path: &Path) -> Result<(Vec<Batch>, Vec<String>)> {
    let mut source = open(path, &ReadOptions::default())?;
    let mut batches = Vec::new();
    while let Some(batch) = source.next_batch()? {
        batches.push(batch);
    }
    Ok((batches, source.notes()))
}

#[test]
fn a_packed_buffer_that_claims_a_terabyte_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    for format in [TableFormat::Arrow, TableFormat::Arrows] {
        let mut bytes = write(folder.path(), "t", format, Some(TableCompression::Zstd));
        let frame = bytes.windows(4).position(|w| w == [0x28, 0xb5, 0x2f, 0xfd]).unwrap();
        bytes[frame - 8..frame].copy_from_slice(&(1i64 << 40).to_le_bytes());
        fs::write(folder.path().join("t"), &bytes).unwrap();
        let e = read(&folder.path().join("t")).unwrap_err();
        assert_eq!((e.code().id(), e.place().section), ("limit.item", Some("record batch")), "{e}");
        assert!(e.place().offset.is_some());
    }
}

#[test]
fn a_stream_that_was_cut_gives_an_error_or_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t");
    let bytes = write(folder.path(), "t", TableFormat::Arrows, None);
    let rows = |batches: &[Batch]| batches.iter().map(Batch::rows).sum::<usize>();
    let (whole, said) = read(&path).unwrap();
    assert_eq!((rows(&whole), said.len()), (40, 0));
    let mut unmarked = 0;
    // Shorter ones have no mark of their format.
    for n in 8..bytes.len() {
        fs::write(&path, &bytes[..n]).unwrap();
        if let Ok((batches, said)) = read(&path) {
            assert!(said.iter().any(|note| note.contains("no mark at its end")), "{n}: {} rows", rows(&batches));
            unmarked += 1;
        }
    }
    // After the schema and after each of three batches.
    assert_eq!(unmarked, 4);
    fs::write(&path, [bytes.clone(), bytes].concat()).unwrap();
    let (twice, said) = read(&path).unwrap();
    assert_eq!((rows(&twice), said), (40, vec!["bytes follow the end of the stream, and are not read".to_owned()]));
}

#[test]
fn no_flipped_bit_of_arrow_or_parquet_loses_all_rows_or_ends_the_process() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t");
    for (format, compression) in [
        (TableFormat::Arrow, TableCompression::Zstd),
        (TableFormat::Arrows, TableCompression::Lz4),
        (TableFormat::Parquet, TableCompression::Snappy),
    ] {
        let bytes = write(folder.path(), "t", format, Some(compression));
        // Every fifth byte, unless all rounds are asked for.
        let step = 6 - rounds(5) as usize;
        for at in (8..bytes.len()).step_by(step) {
            let mut other = bytes.clone();
            other[at] ^= 1 << (at % 8);
            fs::write(&path, &other).unwrap();
            if let Err(e) = read(&path) {
                assert!(matches!(e.kind(), Kind::Damaged | Kind::Limit | Kind::Unsupported), "{format:?} {at}: {e}");
            }
        }
        for n in (8..bytes.len()).step_by(step) {
            fs::write(&path, &bytes[..n]).unwrap();
            if format != TableFormat::Arrows {
                assert!(read(&path).is_err(), "{format:?} cut at {n}");
            }
        }
    }
}

#[test]
fn a_message_of_another_kind_is_no_end_of_the_rows() {
    // The kind of the last batch's message becomes "none", which a reader could take for the end.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t");
    let bytes = write(folder.path(), "t", TableFormat::Arrows, None);
    let mut lost = 0;
    for at in 8..bytes.len() {
        if bytes[at] != 3 {
            continue;
        }
        let mut other = bytes.clone();
        other[at] = 0;
        fs::write(&path, &other).unwrap();
        if let Ok((batches, said)) = read(&path) {
            let rows = batches.iter().map(Batch::rows).sum::<usize>();
            lost += usize::from(rows < 40 && said.is_empty());
        }
    }
    assert_eq!(lost, 0);
}

#[test]
fn what_is_no_stream_at_all_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.arrows");
    let options = |format| {
        let mut options = ReadOptions::default();
        options.format = Some(format);
        options
    };
    for bytes in
        [&b""[..], b"\xff\xff\xff\xff", b"\xff\xff\xff\xff\0\0\0\0", b"\xff\xff\xff\xff\xff\xff\xff\x7f", b"ARROW1"]
    {
        fs::write(&path, bytes).unwrap();
        for format in [TableFormat::Arrow, TableFormat::Arrows, TableFormat::Parquet] {
            assert!(open(&path, &options(format)).is_err(), "{bytes:?} as {format:?}");
        }
    }
}

#[test]
fn a_parquet_page_that_claims_more_than_its_bytes_can_become_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t");
    let bytes = write(folder.path(), "t", TableFormat::Parquet, Some(TableCompression::Snappy));
    // The first page's header stands behind the magic: its type, its size in two bytes, its stored size.
    assert_eq!(
        (&bytes[..5], bytes[6], bytes[7] & 0x80, bytes[8] & 0x80, bytes[9]),
        (&b"PAR1\x15"[..], 0x15, 0x80, 0, 0x15)
    );
    let mut other = bytes.clone();
    other[8] = 0x7f;
    fs::write(&path, &other).unwrap();
    let e = read(&path).unwrap_err();
    assert_eq!((e.code().id(), e.place().section, e.place().offset), ("table.arrow", Some("page"), Some(4)), "{e}");

    fs::write(&path, &bytes).unwrap();
    let mut options = ReadOptions::default();
    options.text.limits = options.text.limits.with_item_bytes(20);
    let e = open(&path, &options).and_then(|mut source| source.next_batch()).unwrap_err();
    assert_eq!(
        (e.code().id(), e.place().section, e.place().column.as_deref()),
        ("limit.item", Some("page"), Some("n"))
    );
}
