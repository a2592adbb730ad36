//! Every route: what goes in comes out.

use std::path::Path;

use forebay::table::{Batch, Column, ColumnData, DataType, Field, Schema, Value};
use forebay_native::tables::{Fit, ReadOptions, TableCompression, TableFormat, TableSpec, WriteOptions, create, open};
use proptest::prelude::*;

use crate::tables::{
    generate::{composed, others, plain, table},
    whole::read,
};

fn write(batch: &Batch, path: &Path, options: &WriteOptions) -> Batch {
    let mut fit = Fit::new(batch.schema(), options.core.target, options.core.lossy).unwrap();
    let fitted = fit.batch(batch).unwrap();
    let mut sink = create(path, true, options).unwrap();
    sink.begin(fit.schema()).unwrap();
    // In parts, as a source would give them.
    let part = (fitted.rows() / 3).max(1);
    (0..fitted.rows()).step_by(part).for_each(|at| sink.write(&fitted.slice(at, part)).unwrap());
    sink.finish().unwrap().into_file().unwrap().commit(false).unwrap();
    fitted
}

/// Writes and reads back; the two must be the same, floats to the bit where the format is binary.
fn trip(batch: &Batch, format: TableFormat, compression: Option<TableCompression>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(format!("t.{}", format.name()));
    let mut options = WriteOptions::new(format);
    options.compression = compression;
    let wanted = write(batch, &path, &options);
    let mut how = ReadOptions::default();
    how.text.batch_rows = 7;
    if format.is_text() {
        how.text.spec = Some(TableSpec::from(&**wanted.schema()));
    }
    let back = read(&path, &how);
    let case = format!("{format:?} {compression:?}");
    assert_eq!(back.rows(), wanted.rows(), "{case}");
    for ((a, b), field) in wanted.schema().fields().iter().zip(back.schema().fields()).zip(batch.schema().fields()) {
        assert_eq!((&a.name, &a.dtype), (&b.name, &b.dtype), "{case}");
        assert_eq!(a.name, field.name);
    }
    for (column, (a, b)) in wanted.columns().iter().zip(back.columns()).enumerate() {
        let name = &wanted.schema().fields()[column].name;
        for row in 0..wanted.rows() {
            let (x, y) = (a.value(row), b.value(row));
            let json = |v: &Value<'_>| v.to_json(Default::default());
            assert_eq!(json(&x), json(&y), "{case}, {name}, row {row}");
            let float = matches!(x, Value::F32(_) | Value::F64(_));
            assert!(!float || format.is_text() || x.same(&y), "{case}, {name}, row {row}: {x:?} {y:?}");
        }
    }
}

const ROUTES: [(TableFormat, Option<TableCompression>); 12] = [
    (TableFormat::Csv, None),
    (TableFormat::Tsv, None),
    (TableFormat::Jsonl, None),
    (TableFormat::Parquet, None),
    (TableFormat::Parquet, Some(TableCompression::Zstd)),
    (TableFormat::Arrow, None),
    (TableFormat::Arrow, Some(TableCompression::Lz4)),
    (TableFormat::Arrows, None),
    (TableFormat::Arrows, Some(TableCompression::Zstd)),
    (TableFormat::Tbf, None),
    (TableFormat::Idv, None),
    (TableFormat::Idv, Some(TableCompression::None)),
];

/// The types that a format holds, some of them by a stated conversion.
fn types(format: TableFormat) -> Vec<DataType> {
    let mut all = plain();
    match format {
        TableFormat::Tbf => all.extend([DataType::Bytes, DataType::Date, DataType::TimestampMs, DataType::TimestampUs]),
        TableFormat::Idv => {
            all.extend(others().into_iter().filter(|t| *t != DataType::Json));
            all.extend(composed());
        }
        // Moments of ticks become such of microseconds there, if they are exact.
        TableFormat::Parquet | TableFormat::Arrow | TableFormat::Arrows => {
            all.extend(others().into_iter().filter(|t| *t != DataType::DateTime));
            all.extend(composed());
        }
        _ => {
            all.extend(others());
            all.extend(composed());
        }
    }
    all
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_type_survives_every_format(
        seed: u64,
        rows in prop_oneof![Just(0usize), Just(1), 2usize..30, Just(300)],
        nulls: bool,
    ) {
        for (format, compression) in ROUTES {
            let nulls = nulls && format != TableFormat::Idv;
            trip(&table(&types(format), rows, nulls, seed), format, compression);
        }
    }
}

#[test]
fn the_least_duration_survives_every_format_that_holds_it() {
    let ticks = Column::new(DataType::Ticks, ColumnData::I64(vec![i64::MIN, 0].into()), None).unwrap();
    let schema = Schema::new(vec![Field::new("t", DataType::Ticks)]).unwrap();
    let batch = Batch::new(schema.into(), vec![ticks]).unwrap();
    for (format, compression) in ROUTES {
        if !matches!(format, TableFormat::Idv | TableFormat::Tbf) {
            trip(&batch, format, compression);
        }
    }
}

#[test]
fn nanoseconds_survive_every_format_that_holds_them() {
    let times = vec![i64::MIN, i64::MAX, 0, -1, 1_700_000_000_123_456_789];
    let times = Column::new(DataType::TimestampNs, ColumnData::I64(times.into()), None).unwrap();
    let schema = Schema::new(vec![Field::new("t", DataType::TimestampNs)]).unwrap();
    let batch = Batch::new(schema.into(), vec![times]).unwrap();
    for (format, compression) in ROUTES {
        if !matches!(format, TableFormat::Idv | TableFormat::Tbf) {
            trip(&batch, format, compression);
        }
    }
}

#[test]
fn seventy_thousand_distinct_texts_survive_every_format() {
    let texts = Column::from((0..70_000).map(|i| format!("text number {i}")).collect::<Vec<_>>());
    let schema = Schema::new(vec![Field::new("t", DataType::String)]).unwrap();
    let batch = Batch::new(schema.into(), vec![texts]).unwrap();
    for (format, compression) in ROUTES {
        trip(&batch, format, compression);
    }
}

#[test]
fn sniffed_types_keep_integers_of_64_bits_exact() {
    let folder = tempfile::tempdir().unwrap();
    let schema = Schema::new(vec![Field::new("u", DataType::U64), Field::new("i", DataType::I64)]).unwrap();
    let columns = vec![Column::from(vec![u64::MAX, 0, (1 << 53) + 1]), Column::from(vec![i64::MIN, i64::MAX, -1])];
    let batch = Batch::new(schema.into(), columns).unwrap();
    for format in [TableFormat::Csv, TableFormat::Jsonl, TableFormat::Tsv] {
        let path = folder.path().join(format!("n.{}", format.name()));
        write(&batch, &path, &WriteOptions::new(format));
        let back = read(&path, &ReadOptions::default());
        assert_eq!(back.columns(), batch.columns(), "{format:?}");
    }
}

#[test]
fn annotations_and_keys_come_back_from_arrow_and_parquet() {
    let names = {
        let mut b = forebay::table::ColumnBuilder::new(&DataType::vector(DataType::String, None));
        forebay_native::tables::push_json(&mut b, &serde_json::json!(["red", "green"])).unwrap();
        b.finish().unwrap()
    };
    let key = DataType::Key { inner: forebay::table::KeyType::U8, count: 2 };
    let field = Field::new("color", key.clone()).with(Field::KEY_VALUES, names.clone());
    let column = Column::from(vec![1u8, 0, 2]).cast_logical(key).unwrap();
    let batch = Batch::new(Schema::new(vec![field]).unwrap().into(), vec![column]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    for format in [TableFormat::Parquet, TableFormat::Arrow, TableFormat::Idv] {
        let path = folder.path().join("k");
        write(&batch, &path, &WriteOptions::new(format));
        let back = read(&path, &ReadOptions::default());
        assert_eq!(back.columns(), batch.columns(), "{format:?}");
        let found = back.schema().fields()[0].annotation(Field::KEY_VALUES).unwrap();
        assert_eq!(found.value(0).to_json(Default::default()), r#"["red","green"]"#, "{format:?}");
    }
}

#[test]
fn a_damaged_file_is_an_error_and_no_panic() {
    let folder = tempfile::tempdir().unwrap();
    for format in [TableFormat::Parquet, TableFormat::Arrow, TableFormat::Tbf, TableFormat::Idv] {
        let path = folder.path().join(format.name());
        write(&table(&plain(), 50, false, 1), &path, &WriteOptions::new(format));
        let whole = std::fs::read(&path).unwrap();
        let mut options = ReadOptions::default();
        options.format = Some(format);
        for at in (0..whole.len()).step_by(whole.len() / 40) {
            let mut broken = whole.clone();
            broken[at] ^= 0x55;
            std::fs::write(&path, &broken).unwrap();
            // Some bytes say nothing that can be checked; none may bring the process down.
            if let Ok(mut source) = open(&path, &options) {
                while let Ok(Some(_)) = source.next_batch() {}
            }
            std::fs::write(&path, &whole[..at]).unwrap();
            let cut = open(&path, &options).and_then(|mut s| {
                while s.next_batch()?.is_some() {}
                Ok(())
            });
            assert!(cut.is_err(), "{format:?} cut at {at}");
        }
    }
}
