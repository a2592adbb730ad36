//! The core's own conversion, which a page runs, against the command's: the same bytes, however the input is cut.

use std::{fs, path::Path, sync::Arc};

use bytes::Bytes;
use forebay::{
    Limits,
    filter::Filter,
    idv::Packing,
    step::{Turn, drive},
    tables::{Conversion, ConversionOptions, Converted, Input, Scan, TableKind, TableOpener, Target},
    tbf::Dialect,
    text::{OnBadRow, TextFormat},
};
use forebay_native::tables::{TableCompression, TableFormat, TableJob};

/// What the core's conversion writes of a file, with the input handed over in pieces of this many bytes.
fn converted(
    file: &Bytes,
    format: TableFormat,
    options: ConversionOptions,
    piece: usize,
) -> forebay::Result<(Vec<u8>, Converted)> {
    let open = |kind| {
        let opener = TableOpener::new(kind, file.len() as u64).with_limits(Limits::browser());
        drive(opener, file).map(|table| Input::Table(Arc::new(table)))
    };
    let text = |format| Ok(Input::Text { format, len: file.len() as u64 });
    let input = match format {
        TableFormat::Tbf => open(TableKind::Tbf)?,
        TableFormat::Idv => open(TableKind::Idv)?,
        TableFormat::Jsonl => text(TextFormat::Jsonl)?,
        TableFormat::Tsv => text(TextFormat::Tsv)?,
        _ => text(TextFormat::Csv)?,
    };
    let mut work = Conversion::new(input, options)?;
    let mut out = Vec::new();
    loop {
        match work.step()? {
            Turn::Need(ranges) => {
                for range in ranges {
                    for start in (range.start..range.end).step_by(piece) {
                        let end = range.end.min(start + piece as u64);
                        work.push(start, file.slice(start as usize..end as usize));
                    }
                }
            }
            Turn::Item(()) => out.extend(work.take()),
            Turn::Done => break,
        }
    }
    let done = work.finish();
    assert_eq!(done.output_bytes, out.len() as u64);
    if let Some(front) = &done.front {
        out[..front.len()].copy_from_slice(front);
    }
    Ok((out, done))
}

/// Both ways of converting `input`, compared; the bytes.
fn both(input: &Path, to: TableFormat, how: impl Fn(&mut TableJob, &mut ConversionOptions)) -> Option<Vec<u8>> {
    let mut job = TableJob::new(vec![input.to_owned()], to);
    let mut options = ConversionOptions::new(job.write.core.target);
    how(&mut job, &mut options);
    options.write.target = job.write.core.target;
    options.scan = job.scan.clone();
    (job.write.core.lossy, job.force) = (options.write.lossy, true);
    job.read.text.on_bad_row = options.text.on_bad_row;
    let output = input.with_extension(format!("out.{}", to.name()));
    let natively = job.run(&output);
    let file = Bytes::from(fs::read(input).unwrap());
    let format = TableFormat::from_name(input).unwrap();
    let mut bytes = None;
    for piece in [7, 4096, usize::MAX >> 1] {
        match (&natively, converted(&file, format, options.clone(), piece)) {
            (Ok(summary), Ok((out, done))) => {
                assert!(fs::read(&output).unwrap() == out, "{} to {}", input.display(), to.name());
                assert_eq!(
                    (summary.rows, summary.columns, summary.skipped_rows, &summary.notes),
                    (done.rows, done.columns, done.skipped_rows, &done.notes)
                );
                bytes = Some(out);
            }
            (Err(a), Err(b)) => {
                assert_eq!((a.code(), a.message(), a.place().row), (b.code(), b.message(), b.place().row));
                assert_eq!(a.place().column, b.place().column);
            }
            (a, b) => panic!("{} to {}: natively {a:?}, in the core {b:?}", input.display(), to.name()),
        }
    }
    bytes
}

/// A CSV with quotes, missing values and times.
fn csv(rows: u64) -> String {
    let mut text = String::from("id,name,when,score,flag\n");
    for i in 0..rows {
        let name = ["Oslo", "\"a \"\"b\"\"\n,c\"", "東京", "\"\""][i as usize % 4];
        let score = if i % 3 == 0 { String::new() } else { format!("{}", i as f64 / 8.0) };
        text += &format!("{i},{name},2024-02-{:02}T00:00:{:02}.25,{score},{}\n", 1 + i % 28, i % 60, i % 2 == 0);
    }
    text
}

const ALL: [TableFormat; 5] =
    [TableFormat::Tbf, TableFormat::Idv, TableFormat::Csv, TableFormat::Tsv, TableFormat::Jsonl];

#[test]
fn every_pair_of_formats_gives_the_bytes_of_the_command() {
    let folder = tempfile::tempdir().unwrap();
    let first = folder.path().join("t.csv");
    fs::write(&first, csv(700)).unwrap();
    let lossy = |_: &mut TableJob, o: &mut ConversionOptions| o.write.lossy = true;
    for between in ALL {
        let bytes = both(&first, between, lossy).unwrap();
        let input = folder.path().join(format!("u.{}", between.name()));
        fs::write(&input, bytes).unwrap();
        for to in ALL {
            both(&input, to, lossy).unwrap();
        }
    }
}

#[test]
fn what_is_chosen_and_how_it_is_written_is_the_same_too() {
    let folder = tempfile::tempdir().unwrap();
    let first = folder.path().join("t.csv");
    fs::write(&first, csv(20_000)).unwrap();
    let chosen = |job: &mut TableJob, _: &mut ConversionOptions| {
        let filter = Filter::parse("id > 500 && name ~ \"O*\"").unwrap();
        job.scan = Scan::new(Some(vec!["score".into(), "id".into()]), Some(filter));
    };
    let out = both(&first, TableFormat::Csv, chosen).unwrap();
    assert!(out.starts_with(b"score,id\n,504\n63.5,508\n"), "{}", String::from_utf8_lossy(&out[..40]));
    let tbf = folder.path().join("u.tbf");
    let groups = |job: &mut TableJob, o: &mut ConversionOptions| {
        (job.write.core.group_rows, o.write.group_rows) = (Some(3000), Some(3000));
    };
    fs::write(&tbf, both(&first, TableFormat::Tbf, groups).unwrap()).unwrap();
    for to in ALL {
        both(&tbf, to, |job, o| {
            chosen(job, o);
            o.write.lossy = true;
            o.write.idv = o.write.idv.clone().with_packing(Packing::None);
            job.write.compression = (to == TableFormat::Idv).then_some(TableCompression::None);
        })
        .unwrap();
    }
    for dialect in [Dialect::T, Dialect::C] {
        both(&tbf, TableFormat::Tbf, |job, _| {
            job.write.core.target = Target::Tbf(dialect);
            job.scan.columns = Some(vec!["id".into(), "name".into()]);
        })
        .unwrap();
    }
    // What cannot be held is refused in the same words.
    assert!(both(&first, TableFormat::Idv, |_, _| {}).is_none());
    assert!(both(&first, TableFormat::Idv, |job, _| job.scan.columns = Some(vec!["nosuch".into()])).is_none());
}

#[test]
fn bad_rows_end_it_or_are_left_out_with_their_lines() {
    let folder = tempfile::tempdir().unwrap();
    let skip = |_: &mut TableJob, o: &mut ConversionOptions| o.text.on_bad_row = OnBadRow::Skip;
    for (name, text) in [
        ("a.csv", "a,b\n1,x\n2\n\n\"3\n\",y\n4,z,\n5,w"),
        ("b.jsonl", "{\"a\":1}\n{\"a\":}\n\n[1]\n{\"a\":2}\n{\"a\":3}"),
        ("c.csv", "a\n\"open"),
        ("d.tsv", ""),
    ] {
        let input = folder.path().join(name);
        fs::write(&input, text).unwrap();
        both(&input, TableFormat::Jsonl, |_, _| {});
        both(&input, TableFormat::Tbf, skip);
    }
}
