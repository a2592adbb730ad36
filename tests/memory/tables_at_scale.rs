//! Tables that are odd in size: very many columns cost time in proportion, blank lines and empty fields cost no memory.
#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "tests look at a clock and at files")]

use std::{sync::Arc, time::Instant};

use bytes::Bytes;
use forebay::{
    Limits, Result, idv,
    step::{Turn, drive},
    table::{Batch, Column, DataType, Field, Schema, TableRows},
    tables::{FileRows, TableChecker, TableKind, TableOpener},
    tbf,
    text::{TextFormat, TextOptions, TextReader},
};

use crate::{MEMORY, alone};

/// Nanoseconds that this thread has had a processor for; if that is not known, that have gone by.
fn busy(since: Instant) -> u128 {
    let own = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let own = own.and_then(|text| text.split_whitespace().next()?.parse().ok());
    own.unwrap_or_else(|| since.elapsed().as_nanos())
}

/// This many pieces.
const PIECES: usize = 16;

/// How many times as long work takes in one as in 16 pieces: once if it grows in proportion, 16 times if it grows as the
/// square. Far apart, so that other work on the machine cannot make the one look like the other.
fn growth(work: impl Fn(usize), size: usize) -> f64 {
    let start = Instant::now();
    let least = |times: usize, size: usize| {
        let looks = (0..3).map(|_| {
            let before = busy(start);
            (0..times).for_each(|_| work(size));
            busy(start) - before
        });
        looks.min().unwrap_or_default() as f64
    };
    // The system may count in steps of 4 ms.
    least(1, PIECES * size) / least(PIECES, size).max(4e6)
}

fn wide(columns: usize) -> Batch {
    let fields = (0..columns).map(|i| Field::new(format!("column {i}"), DataType::I32)).collect();
    let cells = (0..columns).map(|i| Column::from(vec![i as i32])).collect();
    Batch::new(Arc::new(Schema::new(fields).unwrap()), cells).unwrap()
}

fn idv_of(batch: &Batch) -> Bytes {
    let mut file = Vec::new();
    let mut writer = idv::Writer::new(batch.schema().clone(), idv::WriteOptions::default()).unwrap();
    writer.push(batch, &mut file).unwrap();
    let header = writer.finish(&mut file).unwrap();
    file[..header.len()].copy_from_slice(&header);
    file.into()
}

fn check(kind: TableKind, file: &Bytes) {
    let checker = TableChecker::new(TableOpener::new(kind, file.len() as u64).with_limits(Limits::host()));
    let report = drive(checker, file).unwrap();
    assert!(report.ok && report.samples == 1, "{report:?}");
}

/// Reads all columns, and again by their names in another order.
fn read(kind: TableKind, file: &Bytes) {
    let opened = drive(TableOpener::new(kind, file.len() as u64).with_limits(Limits::host()), file).unwrap();
    let mut groups = FileRows::new(Arc::new(opened), 10).unwrap();
    let names = groups.schema().fields().iter().rev().map(|field| field.name.clone());
    let columns = groups.schema().positions(names).unwrap();
    groups.select(&columns).unwrap();
    let mut rows = 0;
    loop {
        match groups.step().unwrap() {
            Turn::Item(batch) => rows += batch.rows(),
            Turn::Done => break,
            Turn::Need(ranges) => ranges.into_iter().for_each(|range| {
                groups.push(range.start, file.slice(range.start as usize..range.end as usize));
            }),
        }
    }
    assert_eq!(rows, 1);
}

#[test]
fn time_grows_with_the_columns_and_not_with_their_square() {
    let _alone = alone();
    // Files are made first, so that only reading counts.
    const SIZE: usize = 2_000;
    let files: Vec<(usize, Bytes, Bytes)> = [SIZE, PIECES * SIZE]
        .map(|n| (n, idv_of(&wide(n)), Bytes::from(tbf::write(&wide(n), Default::default()).unwrap())))
        .into();
    let of = |n: usize| files.iter().find(|(size, ..)| *size == n).unwrap();
    type Work<'a> = Box<dyn Fn(usize) + 'a>;
    let works: [(&str, Work<'_>); 6] = [
        ("check IDV", Box::new(|n| check(TableKind::Idv, &of(n).1))),
        ("read IDV", Box::new(|n| read(TableKind::Idv, &of(n).1))),
        ("check TBF", Box::new(|n| check(TableKind::Tbf, &of(n).2))),
        ("read TBF", Box::new(|n| read(TableKind::Tbf, &of(n).2))),
        ("CSV with types", Box::new(|n| read_wide_text(TextFormat::Csv, n))),
        ("JSON lines", Box::new(|n| read_wide_text(TextFormat::Jsonl, n))),
    ];
    for (name, work) in &works {
        // A burst of other work on this machine may fool one look at it, not three.
        let mut grew = Vec::new();
        while grew.len() < 3 && grew.last().is_none_or(|last| *last > 4.0) {
            grew.push(growth(work, SIZE));
        }
        assert!(grew.last() <= Some(&4.0), "{name}: {PIECES} times the columns at once take {grew:?} times as long");
    }
}

/// A text of many columns, with a type given for each.
fn read_wide_text(format: TextFormat, columns: usize) {
    let names = (0..columns).map(|i| format!("c{i}"));
    let text = match format {
        TextFormat::Jsonl => {
            let row: Vec<String> = names.clone().map(|name| format!("\"{name}\":1")).collect();
            format!("{{{}}}\n", row.join(","))
        }
        _ => {
            let names: Vec<String> = names.clone().collect();
            format!("{}\n{}\n", names.join(","), vec!["1"; columns].join(","))
        }
    };
    let mut options = TextOptions::default();
    options.types = names.map(|name| (name, DataType::I64)).collect();
    assert_eq!(rows(format, options, &mut [text.as_bytes()].into_iter()).unwrap(), 1);
}

/// The rows of a text that comes in pieces.
fn rows(format: TextFormat, options: TextOptions, pieces: &mut dyn Iterator<Item = &[u8]>) -> Result<usize> {
    let mut reader = TextReader::new(format, options)?;
    let mut rows = 0;
    loop {
        match reader.step()? {
            Turn::Need(()) => match pieces.next() {
                Some(piece) => reader.push(Bytes::copy_from_slice(piece)),
                None => reader.end(),
            },
            Turn::Item(batch) => rows += batch.rows(),
            Turn::Done => return Ok(rows),
        }
    }
}

/// The rows, and the most bytes of memory that reading them took.
fn memory(format: TextFormat, pieces: &mut dyn Iterator<Item = &[u8]>) -> (Result<usize>, usize) {
    MEMORY.reset_peak_usage();
    let before = MEMORY.current_usage();
    let mut options = TextOptions::default();
    options.limits = Limits::host().with_item_bytes(1 << 20);
    let read = rows(format, options, pieces);
    (read, MEMORY.peak_usage() - before)
}

#[test]
fn blank_lines_of_any_number_take_no_memory() {
    let _alone = alone();
    let blank = vec![b'\n'; 1 << 18];
    for (format, first, second) in [
        (TextFormat::Csv, "a,b\n1,2\n", "3,4\n"),
        (TextFormat::Tsv, "a\tb\n1\t2\n", "3\t4\n"),
        (TextFormat::Jsonl, "{\"a\":1}\n", "{\"a\":2}\n"),
        (TextFormat::Jsonl, "[{\"a\":1}", ",{\"a\":2}]"),
    ] {
        // In front of everything, between rows and behind them: 8 MiB each.
        let blanks = || std::iter::repeat_n(blank.as_slice(), 32);
        let mut pieces = blanks().chain([first.as_bytes()]).chain(blanks()).chain([second.as_bytes()]).chain(blanks());
        let (read, most) = memory(format, &mut pieces);
        assert_eq!(read.unwrap(), 2, "{format:?}");
        assert!(most < 3 << 20, "{format:?}: {most} bytes");
    }
}

#[test]
fn one_row_without_an_end_is_refused_before_it_takes_much() {
    let _alone = alone();
    for (format, begin, more) in [
        (TextFormat::Csv, "", ","),
        (TextFormat::Csv, "", "x"),
        (TextFormat::Csv, "a\n\"", "\"\""),
        (TextFormat::Csv, "a\n\"", "\n"),
        (TextFormat::Jsonl, "", "["),
        (TextFormat::Jsonl, "{\"a\":", "[1,2,"),
        (TextFormat::Jsonl, "{\"a\":1", " "),
        (TextFormat::Jsonl, "[{\"a\":\"", "\\\""),
    ] {
        let piece = more.repeat((1 << 20) / more.len());
        let mut pieces = [begin.as_bytes()].into_iter().chain(std::iter::repeat_n(piece.as_bytes(), 64));
        let (read, most) = memory(format, &mut pieces);
        let e = read.unwrap_err();
        assert_eq!(e.code().id(), "limit.item", "{begin}{more}: {e}");
        // The limit is 1 MiB; buffers double, and a record is held as bytes and as fields.
        assert!(most < 16 << 20, "{begin}{more}: {most} bytes");
    }
}

#[test]
fn short_rows_of_very_many_columns_come_in_small_batches() {
    let _alone = alone();
    let names: Vec<String> = (0..2_000).map(|i| format!("\"c{i}\":1")).collect();
    let first = format!("{{{}}}\n", names.join(","));
    let empty = "{}\n".repeat(9_000);
    let (read, most) = memory(TextFormat::Jsonl, &mut [first.as_bytes(), empty.as_bytes()].into_iter());
    assert_eq!(read.unwrap(), 9_001);
    // All at once they would be 18 million cells of eight bytes, in buffers that have doubled: 262 MB.
    assert!(most < 100 << 20, "{most} bytes");
}
