//! Any bytes as Parquet, an Arrow file or an Arrow stream are read or refused in words, and within the limits: panics of
//! the crates that read them are errors. A column by itself is the column that comes with all others.

use std::{panic, sync::Once};

use bytes::Bytes;
use forebay::{
    error::Kind,
    filter::Filter,
    table::{Batch, Column, DataType, Field, JsonStyle, Schema},
};
use forebay_native::tables::{self, ReadOptions, TableCompression, TableFormat, TableSource, WriteOptions, open_bytes};

/// Batches that are read of a file.
const BATCHES: usize = 64;

fn options() -> ReadOptions {
    let mut options = ReadOptions::default();
    (options.text.limits, options.text.batch_rows, options.lossy) =
        (crate::limits().with_item_bytes(1 << 20), 16, true);
    options
}

/// The fuzzer ends at every panic, unless it is one that becomes an error.
fn be_quiet_about_errors() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if !forebay::guard::panics_are_errors() {
                usual(panic);
            }
        }));
    });
}

/// The rows as far as they are read, and whether that was to the end.
fn rows(source: &mut dyn TableSource) -> (Vec<Batch>, bool) {
    let mut batches = Vec::new();
    while batches.len() < BATCHES {
        match source.next_batch() {
            Ok(Some(batch)) => {
                assert!(batch.rows() <= 16, "{} rows", batch.rows());
                batches.push(batch);
            }
            Ok(None) => return (batches, true),
            Err(e) => {
                assert!(matches!(e.kind(), Kind::Damaged | Kind::Limit | Kind::Unsupported), "{e}");
                break;
            }
        }
    }
    (batches, false)
}

fn read(data: &[u8], format: TableFormat) {
    be_quiet_about_errors();
    let bytes = Bytes::copy_from_slice(data);
    let open = || open_bytes(bytes.clone(), format, &options());
    let mut source = match open() {
        Ok(source) => source,
        Err(e) => {
            assert!(matches!(e.kind(), Kind::Damaged | Kind::Limit | Kind::Unsupported), "{e}");
            return;
        }
    };
    source.facts();
    source.foreign();
    let (whole, ended) = rows(&mut *source);
    source.notes();
    let columns = source.schema().len();
    if !ended || columns == 0 {
        return;
    }
    let last = columns - 1;
    let mut one = open().expect("it opened before");
    one.select(&[last]).expect("a column that there is");
    let (alone, ended) = rows(&mut *one);
    assert!(ended, "all columns are read, and the last one is not");
    let of = |batches: &[Batch], column: usize| -> Vec<String> {
        let columns = batches.iter().filter_map(|batch| batch.column(column).ok());
        columns
            .flat_map(|c| (0..c.len()).map(|row| c.value(row).to_json(JsonStyle::default())).collect::<Vec<_>>())
            .collect()
    };
    assert_eq!(of(&alone, 0), of(&whole, last));
    let filter = Filter::parse("n > 3").expect("a filter");
    let wanted = |batches: &[Batch]| -> Option<usize> {
        batches.iter().map(|batch| batch.matching(&filter).ok().map(|rows| rows.len())).sum()
    };
    if let Some(count) = wanted(&whole) {
        let mut pruned = open().expect("it opened before");
        pruned.prune(&filter);
        let (left, ended) = rows(&mut *pruned);
        // Statistics that lie are believed: no reader of this format looks behind them.
        assert!(ended && wanted(&left).is_some_and(|n| n <= count));
    }
}

pub(crate) fn parquet(data: &[u8]) {
    read(data, TableFormat::Parquet);
}

pub(crate) fn file(data: &[u8]) {
    read(data, TableFormat::Arrow);
}

pub(crate) fn stream(data: &[u8]) {
    read(data, TableFormat::Arrows);
}

/// A few rows of many types.
fn batch() -> Batch {
    let columns = [
        ("n", Column::from(vec![1i32, -2, 30, 4, 5])),
        ("s", Column::strings([Some("ab"), None, Some("ab"), Some("é"), Some("")])),
        ("x", Column::from(vec![0.5f64, -0.0, f64::NAN, 1e300, 2.0])),
        ("b", Column::from(vec![true, false, true, true, false])),
        ("d", Column::from(vec![0i32, 19_000, -1, 5, 6]).cast_logical(DataType::Date).expect("dates are numbers")),
        ("u", Column::from(vec![u64::MAX, 0, 7, 8, 9])),
    ];
    let fields = columns.iter().map(|(name, column)| Field::new(*name, column.dtype().clone()).nullable()).collect();
    let schema = Schema::new(fields).expect("fields");
    Batch::new(schema.into(), columns.into_iter().map(|(_, column)| column).collect()).expect("columns of one length")
}

fn written(options: &WriteOptions) -> Vec<u8> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("t");
    let batch = batch();
    let mut sink = tables::create(&path, false, options).expect("a file");
    sink.begin(batch.schema()).expect("a schema");
    sink.write(&batch).expect("rows");
    sink.write(&batch.slice(1, 3)).expect("more");
    let file = sink.finish().expect("the end").into_file().expect("a whole file");
    file.commit(false).expect("a file");
    std::fs::read(&path).expect("what was written")
}

fn files(format: TableFormat, packings: &[TableCompression]) -> Vec<Vec<u8>> {
    let with = |packing: &TableCompression| {
        let mut options = WriteOptions::new(format);
        (options.compression, options.core.group_rows) = (Some(*packing), Some(5));
        written(&options)
    };
    packings.iter().map(with).collect()
}

/// Files of other programs, with types and compressions that we do not write.
fn fixtures(extension: &str) -> Vec<Vec<u8>> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/fixtures/tables");
    let mut paths: Vec<_> = std::fs::read_dir(folder).expect("fixtures").map(|e| e.expect("a file").path()).collect();
    paths.retain(|path| path.to_string_lossy().ends_with(extension));
    paths.sort();
    paths.iter().map(|path| std::fs::read(path).expect("a file")).collect()
}

pub(crate) fn parquet_seeds() -> Vec<Vec<u8>> {
    use TableCompression::{Lz4, None, Snappy, Zstd};
    let mut seeds = files(TableFormat::Parquet, &[None, Snappy, Zstd, Lz4]);
    seeds.extend(fixtures(".parquet"));
    seeds
}

pub(crate) fn file_seeds() -> Vec<Vec<u8>> {
    use TableCompression::{Lz4, None, Zstd};
    let mut seeds = files(TableFormat::Arrow, &[None, Zstd, Lz4]);
    seeds.extend(fixtures(".arrow"));
    seeds
}

pub(crate) fn stream_seeds() -> Vec<Vec<u8>> {
    use TableCompression::{Lz4, None, Zstd};
    let mut seeds = files(TableFormat::Arrows, &[None, Zstd, Lz4]);
    // Of a file, what lies between its mark and its footer is a stream.
    seeds.extend(fixtures(".arrow").into_iter().map(|file| file[8..].to_vec()));
    seeds
}
