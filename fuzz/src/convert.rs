//! The first byte chooses the format of the rest, the second the one that it is converted to. What is converted without
//! losses has the rows that it had, and passes its check.

use std::sync::Arc;

use bytes::Bytes;
use forebay::{
    Result,
    step::{Turn, drive},
    table::{Batch, Column, ColumnData, JsonStyle, TableRows, TableSpec},
    tables::{
        AnyTable, Conversion, ConversionOptions, Converted, FileRows, Fit, Input, TableChecker, TableKind, TableOpener,
        Target,
    },
    tbf::Dialect,
    text::{OnBadRow, TextFormat, TextOptions, TextReader},
};

/// What bytes are read as.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Table(TableKind),
    Text(TextFormat),
}

const KINDS: [Kind; 5] = [
    Kind::Table(TableKind::Tbf),
    Kind::Table(TableKind::Idv),
    Kind::Text(TextFormat::Csv),
    Kind::Text(TextFormat::Tsv),
    Kind::Text(TextFormat::Jsonl),
];

const TARGETS: [(Target, usize); 7] = [
    (Target::Tbf(Dialect::D), 0),
    (Target::Tbf(Dialect::T), 0),
    (Target::Tbf(Dialect::C), 0),
    (Target::Idv, 1),
    (Target::Text(TextFormat::Csv), 2),
    (Target::Text(TextFormat::Tsv), 3),
    (Target::Text(TextFormat::Jsonl), 4),
];

fn text_options() -> TextOptions {
    let mut options = TextOptions::default();
    options.limits = super::limits().with_item_bytes(1 << 20);
    (options.on_bad_row, options.sniff_rows, options.batch_rows) = (OnBadRow::Skip, 64, 4096);
    options
}

fn open(kind: TableKind, bytes: &Bytes) -> Result<AnyTable> {
    drive(TableOpener::new(kind, bytes.len() as u64).with_limits(super::limits()), bytes)
}

fn read(kind: Kind, bytes: &Bytes, spec: Option<TableSpec>) -> Result<Vec<Batch>> {
    match kind {
        Kind::Table(kind) => table_rows(open(kind, bytes)?, bytes),
        Kind::Text(format) => {
            let mut options = text_options();
            options.spec = spec;
            text_rows(format, bytes, options)
        }
    }
}

fn table_rows(opened: AnyTable, bytes: &Bytes) -> Result<Vec<Batch>> {
    let (mut groups, mut batches) = (FileRows::new(Arc::new(opened), 4096)?, Vec::new());
    loop {
        match groups.step()? {
            Turn::Item(batch) => batches.push(batch),
            Turn::Done => return Ok(batches),
            Turn::Need(ranges) => {
                for range in ranges {
                    groups.push(range.start, bytes.slice(range.start as usize..range.end as usize));
                }
            }
        }
    }
}

fn text_rows(format: TextFormat, bytes: &Bytes, options: TextOptions) -> Result<Vec<Batch>> {
    let (mut reader, mut batches) = (TextReader::new(format, options)?, Vec::new());
    reader.push(bytes.clone());
    loop {
        match reader.step()? {
            Turn::Need(()) => reader.end(),
            Turn::Item(batch) => batches.push(batch),
            Turn::Done => return Ok(batches),
        }
    }
}

fn lines(batches: &[Batch]) -> Vec<String> {
    batches.iter().flat_map(Batch::iter).map(|row| row.to_json(JsonStyle::every_slot())).collect()
}

fn convert(kind: Kind, target: Target, lossy: bool, bytes: &Bytes) -> Result<(Vec<u8>, Converted)> {
    let mut options = ConversionOptions::new(target);
    (options.text, options.write.lossy, options.write.group_rows) = (text_options(), lossy, Some(3));
    let input = match kind {
        Kind::Table(kind) => Input::Table(Arc::new(open(kind, bytes)?)),
        Kind::Text(format) => Input::Text { format, len: bytes.len() as u64 },
    };
    let (mut work, mut out) = (Conversion::new(input, options)?, Vec::new());
    loop {
        match work.step()? {
            Turn::Item(()) => out.extend(work.take()),
            Turn::Done => break,
            Turn::Need(ranges) => {
                for range in ranges {
                    work.push(range.start, bytes.slice(range.start as usize..range.end as usize));
                }
            }
        }
    }
    let done = work.finish();
    assert_eq!(done.output_bytes, out.len() as u64);
    if let Some(front) = &done.front {
        out[..front.len()].copy_from_slice(front);
    }
    Ok((out, done))
}

/// Cells, and slots of vectors, that are listed to be compared: few bytes can hold a great many.
const MOST_CELLS: usize = 1 << 16;

/// Slots of all vectors, those that no bytes stand for as well.
fn slots(batch: &Batch) -> u64 {
    let of = |column: &Column| match column.data() {
        ColumnData::Vector(vectors) => vectors.lengths().iter().map(|&n| u64::from(n)).sum(),
        _ => 0,
    };
    batch.columns().iter().map(of).sum()
}

pub(crate) fn body(data: &[u8]) {
    let Some((choice, rest)) = data.split_first_chunk::<2>() else { return };
    let kind = KINDS[usize::from(choice[0]) % KINDS.len()];
    let (target, written) = TARGETS[usize::from(choice[1] & 127) % TARGETS.len()];
    let lossy = choice[1] > 127;
    let bytes = Bytes::copy_from_slice(rest);
    let source = read(kind, &bytes, None);
    let Ok((out, done)) = convert(kind, target, lossy, &bytes) else { return };
    // A TBF may hold one value, which becomes a line.
    let Ok(source) = source else { return };
    let rows: usize = source.iter().map(Batch::rows).sum();
    assert_eq!(done.rows, rows as u64, "{kind:?} {target:?} {done:?} {:?}", lines(&source));
    let out = Bytes::from(out);
    let written = KINDS[written];
    if let Kind::Table(kind) = written {
        let report =
            drive(TableChecker::new(TableOpener::new(kind, out.len() as u64).with_limits(super::limits())), &out);
        let report = report.expect("what was written can be checked");
        assert!(report.ok, "{report:?}");
        assert_eq!(report.samples, rows as u64);
    }
    let Some(schema) = source.first().map(|batch| batch.schema().clone()) else { return };
    let memory: usize = source.iter().map(Batch::memory).sum();
    let slots: u64 = source.iter().map(slots).sum();
    if lossy || rows * schema.len() > MOST_CELLS || slots > MOST_CELLS as u64 || memory > 1 << 20 {
        return;
    }
    // What the format has no type for is something else by now.
    let mut fit = Fit::new(&schema, target, false).expect("columns that were written");
    let fitted: Vec<Batch> = source.iter().map(|batch| fit.batch(batch).expect("rows that were written")).collect();
    let found = read(written, &out, Some(TableSpec::from(&**fit.schema()))).expect("what was written reads");
    assert_eq!(lines(&found), lines(&fitted), "{kind:?} to {target:?}");
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let csv = "id,name,when,x\n1,\"a \"\"b\"\"\n,c\",2024-02-29,0.5\n2,,1999-12-31,NaN\n";
    let tsv = "flag\té\ntrue\t007\nfalse\t東京\n";
    let jsonl = "{\"id\":18446744073709551615,\"x\":0.5,\"v\":[1,2]}\n{\"id\":1,\"x\":null,\"v\":[]}\n[{\"id\":3}]\n";
    let texts = [(2, csv), (3, tsv), (4, jsonl)].map(|(kind, text)| (kind, text.as_bytes().to_vec()));
    let mut seeds = Vec::new();
    let files = super::tbf::seeds().into_iter().map(|file| (0, file));
    let files = files.chain(super::idv::seeds().into_iter().map(|file| (1, file))).chain(texts);
    for (i, (kind, file)) in files.enumerate() {
        // Each to three formats, in turns.
        for target in [i, i + 2, i + 3] {
            seeds.push([&[kind, (target % TARGETS.len()) as u8][..], &file].concat());
        }
    }
    seeds
}
