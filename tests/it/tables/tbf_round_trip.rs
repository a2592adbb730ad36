//! What is written comes back: every type, every encoding, extremes, missing values; and what is damaged is noticed.
#![allow(clippy::disallowed_methods, reason = "tests are hosts")]
#![allow(clippy::single_range_in_vec_init, reason = "a list of ranges is what is meant")]

use std::sync::Arc;

use bytes::Bytes;
use forebay::{
    Limits,
    filter::Filter,
    step::{Pieces, Step, Stepper, drive},
    table::{Batch, Column, ColumnBuilder, DataType, Field, Schema, Value},
    tbf::{self, CallerSchema, FieldEncoding, TableSchema, WriteOptions},
};
use proptest::prelude::*;

fn column(dtype: DataType, cells: &[Option<Value<'_>>]) -> Column {
    let mut b = ColumnBuilder::new(&dtype);
    cells.iter().for_each(|c| b.push(c.unwrap_or(Value::Null)).unwrap());
    b.finish().unwrap()
}

fn table(columns: Vec<(&str, Column)>) -> Batch {
    let field = |(name, c): &(&str, Column)| Field::new(*name, c.dtype().clone()).nullable();
    let schema = Schema::new(columns.iter().map(field).collect()).unwrap();
    Batch::new(Arc::new(schema), columns.into_iter().map(|(_, c)| c).collect()).unwrap()
}

fn read(file: &[u8]) -> forebay::Result<Batch> {
    tbf::read(&Bytes::copy_from_slice(file), &Limits::host())
}

/// The types that layout D holds.
fn types() -> Vec<DataType> {
    let held = |t: &DataType| tbf::write(&table(vec![("c", column(t.clone(), &[None]))]), Default::default()).is_ok();
    let all: Vec<_> = DataType::simple().filter(held).collect();
    assert_eq!(all.len(), 16);
    all
}

/// A cell of the type from two random numbers: small ones, extremes, anything.
fn cell(dtype: &DataType, kind: u8, n: u64, text: &str) -> Option<Column> {
    let wide = match kind % 5 {
        0 => return None,
        1 => n % 5,
        2 => 1 << (n % 64),
        3 => (1u64 << (n % 64)).wrapping_neg(),
        _ => n,
    };
    Some(match dtype {
        DataType::Bool => vec![wide % 2 == 0].into(),
        DataType::I8 => vec![wide as i8].into(),
        DataType::I16 => vec![wide as i16].into(),
        DataType::I32 => vec![wide as i32].into(),
        DataType::I64 => vec![wide as i64].into(),
        DataType::U8 => vec![wide as u8].into(),
        DataType::U16 => vec![wide as u16].into(),
        DataType::U32 => vec![wide as u32].into(),
        DataType::U64 => vec![wide].into(),
        DataType::F32 => vec![f32::from_bits(wide as u32)].into(),
        DataType::F64 if kind > 128 => vec![f64::from(f32::from_bits(wide as u32))].into(),
        DataType::F64 => vec![f64::from_bits(wide)].into(),
        DataType::String => vec![text.repeat((wide % 3) as usize)].into(),
        DataType::Bytes => {
            let mut b = ColumnBuilder::new(dtype);
            b.push(Value::Bytes(&wide.to_le_bytes()[..(wide % 9) as usize])).ok()?;
            b.finish().ok()?
        }
        DataType::Date => Column::from(vec![wide as i32]).cast_logical(DataType::Date).ok()?,
        other => Column::from(vec![wide as i64]).cast_logical(other.clone()).ok()?,
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn every_type_comes_back(
        kinds in prop::collection::vec((any::<u8>(), any::<u64>(), "[a-cé東🦀]{0,4}"), 0..300),
        without_nulls in any::<bool>(),
        group in 1usize..400,
    ) {
        let columns = types().iter().map(|t| {
            let mut b = ColumnBuilder::new(t);
            for (kind, n, text) in &kinds {
                let kind = if without_nulls && kind % 5 == 0 { kind.wrapping_add(1) } else { *kind };
                match cell(t, kind, *n, text) {
                    Some(c) => b.push(c.value(0)).unwrap(),
                    None => b.push_null(),
                }
            }
            ("x", b.finish().unwrap())
        }).collect();
        let batch = table(columns);
        let file = tbf::write(&batch, WriteOptions::default().with_group_rows(group)).unwrap();
        let again = read(&file).unwrap();
        prop_assert_eq!(again.schema(), batch.schema());
        for (a, b) in again.columns().iter().zip(batch.columns()) {
            prop_assert_eq!(a, b);
        }
        // Any rows of any group, read by themselves.
        let bytes = Bytes::from(file);
        let opened = drive(tbf::Opener::new(bytes.len() as u64), &bytes).unwrap();
        let t = opened.table().unwrap();
        let all: Vec<usize> = (0..t.schema().len()).collect();
        for g in 0..t.groups() {
            let rows = t.group_rows(g).unwrap();
            let n = (rows.end - rows.start) as usize;
            for (a, b) in [(0, n), (n / 3, n / 2), (n.saturating_sub(1), n), (n, n + 5)] {
                let mut pieces = Pieces::default();
                for r in t.plan_rows(g, &all, a..b).unwrap() {
                    pieces.push(r.start, bytes.slice(r.start as usize..r.end as usize));
                }
                let some = t.decode_rows(g, &all, a..b, &pieces).unwrap();
                let expected = batch.slice(rows.start as usize + a, b.min(n) - a);
                prop_assert_eq!(some.columns(), expected.columns());
            }
        }
    }

    #[test]
    fn chosen_encodings_keep_every_value_or_refuse(
        values in prop::collection::vec(any::<i64>(), 1..40),
        shift in 0u32..64,
        which in 0usize..12,
        offset in any::<i64>(),
    ) {
        use FieldEncoding::*;
        let encoding = [I8, I16, I32, I64, U8, U16, U32, U64, VarInt,
            U8Offset { offset }, U16Offset { offset: offset >> shift }, U32Offset { offset: offset >> shift }][which];
        let values: Vec<i64> = values.iter().map(|v| v >> shift).collect();
        let schema = TableSchema::builder().encoded("n", DataType::I64, encoding).build().unwrap();
        let batch = Batch::new(schema.schema().clone(), vec![Column::from(values)]).unwrap();
        let mut out = Vec::new();
        let mut w = tbf::Writer::new(schema, WriteOptions::default()).unwrap();
        match w.push(&batch, &mut out).and_then(|()| w.finish(&mut out)) {
            Ok(()) => prop_assert_eq!(read(&out).unwrap(), batch),
            Err(e) => prop_assert!(e.code().id() == "tbf.width" && (e.place().row.is_some() || e.message().contains("offset"))),
        }
    }

    #[test]
    fn no_bytes_make_a_reader_panic(
        magic in 0usize..4,
        header in any::<bool>(),
        body in prop::collection::vec(prop_oneof![0u8..20, any::<u8>()], 0..200),
    ) {
        let mut file = [b"TBF\x01", b"TBC\x01", b"SCH\x01", b"ULT\x01"][magic].to_vec();
        if header {
            file.extend(if magic == 0 { &[1, 2, 0, 0][..] } else { &[1][..] });
        }
        file.extend(body);
        let file = Bytes::from(file);
        let s = CallerSchema::from_json(br#"{"S":[{"name":"a","type":"i16"},{"name":"b","type":"string"}]}"#).unwrap();
        let u = CallerSchema::from_json(br#"{"U":{"value":{"struct":[{"name":"a","type":{"seq":"unit"}},{"name":"b","type":"string"}]}}}"#).unwrap();
        for schema in [None, Some(s), Some(u)] {
            let mut opener = tbf::Opener::new(file.len() as u64).with_limits(Limits::browser().with_item_bytes(1 << 20));
            if let Some(s) = schema {
                opener = opener.with_schema(s);
            }
            if let Ok(opened) = drive(opener, &file) {
                if let Some(d) = opened.document() {
                    d.to_json().unwrap();
                }
                if let Ok(t) = opened.table() {
                    let all: Vec<usize> = (0..t.schema().len()).collect();
                    for g in 0..t.groups() {
                        let _ = t.decode(g, &all, &Pieces::default());
                    }
                }
            }
        }
    }
}

/// A small file with every kind of column, missing values and two groups.
fn small() -> (Batch, Vec<u8>) {
    let text = [Some("Oslo"), None, Some("Oslo"), Some("東京"), Some(""), Some("Oslo"), Some("Oslo"), Some("Oslo")];
    let n = |i: usize| Some(Value::Int([5, -3, 70_000, 1 << 40, 9, 7, 1, 2][i])).filter(|_| i != 4);
    let batch = table(vec![
        ("b", column(DataType::Bool, &[Value::Bool(true); 8].map(Some))),
        ("n", column(DataType::I64, &std::array::from_fn::<_, 8, _>(n))),
        ("age", column(DataType::U8, &std::array::from_fn::<_, 8, _>(|i| Some(Value::UInt(18 + i as u64))))),
        ("x", column(DataType::F64, &std::array::from_fn::<_, 8, _>(|i| Some(Value::F64(0.1 * i as f64))))),
        ("s", Column::strings(text)),
        (
            "t",
            column(
                DataType::TimestampMs,
                &std::array::from_fn::<_, 8, _>(|i| {
                    Some(Value::Time(forebay::table::Clock::TimestampMs(1_700_000_000_000 + i as i64)))
                }),
            ),
        ),
    ]);
    let file = tbf::write(&batch, WriteOptions::default().with_group_rows(5)).unwrap();
    (batch, file)
}

/// The same columns without rows.
fn none() -> (Batch, Vec<u8>) {
    let batch = small().0.slice(0, 0);
    let file = tbf::write(&batch, WriteOptions::default()).unwrap();
    (batch, file)
}

#[test]
fn every_flipped_bit_of_a_file_with_the_footer_is_noticed() {
    for (batch, file) in [small(), none()] {
        assert_eq!(read(&file).unwrap(), batch);
        for bit in 0..file.len() * 8 {
            let mut bad = file.clone();
            bad[bit / 8] ^= 1 << (bit % 8);
            assert!(read(&bad).is_err(), "bit {bit} of {} passed unnoticed", file.len() * 8);
        }
    }
}

#[test]
fn a_damaged_column_of_a_group_is_reported_with_the_first_row_of_the_group() {
    let (batch, mut file) = small();
    let opened = drive(tbf::Opener::new(file.len() as u64), &Bytes::from(file.clone())).unwrap();
    let groups = &opened.columns().unwrap().footer().groups;
    let damaged = [(0, 2), (1, 1), (1, 4)];
    for (group, column) in damaged {
        file[groups[group].columns[column].range().end as usize - 1] ^= 1;
    }
    let file = Bytes::from(file);
    let opened = drive(tbf::Opener::new(file.len() as u64), &file).unwrap();
    let report = drive(tbf::Checker::new(opened), &file).unwrap();
    let places: Vec<_> = report.faults.iter().map(|f| (f.code, f.column.as_deref(), f.block, f.row)).collect();
    let name = |column: usize| Some(batch.schema().fields()[column].name.as_str());
    let expected =
        damaged.map(|(group, column)| ("tbf.checksum", name(column), Some(group as u64), Some(group as u64 * 5)));
    assert_eq!(places, expected);
}

#[test]
fn a_row_that_a_later_block_names_is_counted_from_the_first_of_the_file() {
    let block = |rows: u8, values: &[u8]| [b"SCH\x01\x01", &[rows, 1, 0][..], values].concat();
    // The third row of the second block is 70,000.
    let file = Bytes::from([block(2, &[2, 4]), block(3, &[2, 4, 0xe0, 0xc5, 8])].concat());
    let schema = CallerSchema::from_json(br#"{"S":[{"name":"a","type":"i16"}]}"#).unwrap();
    let e = drive(tbf::Opener::new(file.len() as u64).with_schema(schema), &file).unwrap_err();
    assert_eq!((e.code().id(), e.place().block, e.place().row), ("tbf.value", Some(1), Some(4)), "{e}");
}

#[test]
fn every_truncation_of_a_file_with_the_footer_is_noticed() {
    for (_, file) in [small(), none()] {
        for n in 0..file.len() {
            assert!(read(&file[..n]).is_err(), "{n} bytes of {} passed unnoticed", file.len());
        }
    }
}

#[test]
fn a_plain_file_promises_no_footer_and_is_written_to_the_letter() {
    let batch = table(vec![("x", Column::from(vec![0.1f64])), ("n", Column::from(vec![7u8]))]);
    let schema = Schema::new(vec![Field::new("c0", DataType::F64), Field::new("c1", DataType::U8)]).unwrap();
    let batch = Batch::new(schema.into(), batch.columns().to_vec()).unwrap();
    let file = tbf::write(&batch, WriteOptions::default().without_footer()).unwrap();
    let expected = [b"TBF\x01\x01\x02\x02\x01".as_slice(), &0.1f64.to_le_bytes(), b"\x0a\x01\x07"].concat();
    assert_eq!(file, expected);
    assert_eq!(read(&file).unwrap(), batch);
}

/// Files as they were written before counts promised a footer and values stood aligned.
#[test]
fn older_files_with_a_footer_are_read() {
    use tbf::{Stored, footer};
    let (x, n) = ([0.5f64, -2.0], [7u8, 9]);
    let columns = [
        [b"\x02\x02".as_slice(), &x[0].to_le_bytes(), &x[1].to_le_bytes()].concat(),
        [b"\x0a\x02".as_slice(), &n].concat(),
    ];
    let chunk = |encoding, position, bytes: &[u8]| footer::Chunk {
        encoding,
        offset: 0,
        position,
        length: bytes.len() as u64,
        crc32: forebay::codec::checksum::crc32(bytes),
        nulls: 0,
        validity: None,
        min: serde_json::Value::Null,
        max: serde_json::Value::Null,
        distinct: None,
        values: 2,
        marks: vec![],
    };
    let meta = |name: &str, dtype: &str| footer::ColumnMeta { name: name.into(), dtype: dtype.into(), nullable: false };
    let whole = |rows, columns: &[Vec<u8>], chunks, head: &[u8]| {
        let footer = footer::Footer {
            created_by: "an older one".into(),
            rows,
            columns: vec![meta("x", "f64"), meta("n", "u8")],
            groups: vec![footer::Group { position: 0, rows, columns: chunks }],
        };
        [head, &columns.concat(), &footer.encode().unwrap()].concat()
    };
    let chunks = vec![chunk(Stored::F64, 6, &columns[0]), chunk(Stored::U8, 24, &columns[1])];
    let found = read(&whole(2, &columns, chunks, b"TBF\x01\x02\x02")).unwrap();
    assert_eq!(found.columns(), [Column::from(x.to_vec()), Column::from(n.to_vec())]);
    assert_eq!(read(&whole(0, &[], vec![], b"TBF\x01\0")).unwrap().rows(), 0);

    // A byte between the columns does no harm to reading; a check names it.
    let gap = [columns[0].clone(), [b"\0".as_slice(), &columns[1]].concat()];
    let chunks = vec![chunk(Stored::F64, 6, &columns[0]), chunk(Stored::U8, 25, &columns[1])];
    let file = Bytes::from(whole(2, &gap, chunks, b"TBF\x01\x02\x02"));
    assert_eq!(read(&file).unwrap(), found);
    let opened = drive(tbf::Opener::new(file.len() as u64), &file).unwrap();
    let mut pieces = Pieces::default();
    pieces.push(0, file);
    let faults = opened.columns().unwrap().check(0, &pieces);
    assert_eq!(
        faults.iter().map(|e| (e.code().id(), e.place().offset)).collect::<Vec<_>>(),
        [("tbf.trailing", Some(24))]
    );
}

#[test]
fn values_of_full_width_are_borrowed_from_the_file() {
    let x: Vec<f64> = (0..2000).map(|i| f64::from(i) * 0.1).collect();
    let names: Vec<String> = (0..2000).map(|i| format!("name {}", i % 400)).collect();
    let batch = table(vec![
        ("b", Column::from(vec![true; 2000])),
        ("x", Column::from(x.clone())),
        ("y", Column::from(x.iter().map(|x| *x as f32).collect::<Vec<f32>>())),
        ("name", Column::from(names)),
        ("age", Column::from(vec![3u8; 2000])),
        ("z", Column::from(x)),
    ]);
    // Memory of numbers, so that it begins where a map would.
    let file = tbf::write(&batch, WriteOptions::default().with_group_rows(1400)).unwrap();
    let mut words = vec![0u64; file.len().div_ceil(8)];
    bytemuck::cast_slice_mut(&mut words)[..file.len()].copy_from_slice(&file);
    let file = Bytes::from_owner(Words(words)).slice(..file.len());
    let opened = drive(tbf::Opener::new(file.len() as u64), &file).unwrap();
    let t = opened.table().unwrap();
    let mut pieces = Pieces::default();
    pieces.push(0, file.clone());
    let own = file.as_ptr_range();
    for group in 0..2 {
        let found = t.decode(group, &[1, 2, 3, 5], &pieces).unwrap();
        for column in found.columns() {
            let at = match column.data() {
                forebay::table::ColumnData::F64(b) => b.bytes().as_ptr(),
                forebay::table::ColumnData::F32(b) => b.bytes().as_ptr(),
                forebay::table::ColumnData::Dict(d) => match d.indices() {
                    forebay::table::DictIndices::U16(b) => b.bytes().as_ptr(),
                    other => panic!("{other:?}"),
                },
                other => panic!("{other:?}"),
            };
            assert!(own.contains(&at), "group {group}, a column of {} was copied", column.dtype());
        }
    }
}

struct Words(Vec<u64>);

impl AsRef<[u8]> for Words {
    fn as_ref(&self) -> &[u8] {
        bytemuck::cast_slice(&self.0)
    }
}

#[test]
fn opening_costs_one_read_of_the_end_and_a_column_its_bytes() {
    let rows = 200_000u32;
    let batch = table(vec![
        ("id", Column::from((0..rows).collect::<Vec<u32>>())),
        ("salary", Column::from((0..rows).map(|i| f64::from(i) * 0.37).collect::<Vec<f64>>())),
        ("age", Column::from((0..rows).map(|i| (i % 72 + 18) as u8).collect::<Vec<u8>>())),
    ]);
    let file = Bytes::from(tbf::write(&batch, WriteOptions::default()).unwrap());
    let mut opener = tbf::Opener::new(file.len() as u64);
    let Step::Need(ranges) = opener.step().unwrap() else { panic!("opened without a byte") };
    assert_eq!((ranges.len(), ranges[0].clone()), (1, file.len() as u64 - 65_536..file.len() as u64));
    opener.push(ranges[0].start, file.slice(ranges[0].start as usize..));
    let Step::Done(opened) = opener.step().unwrap() else { panic!("a second read") };
    let t = opened.table().unwrap();
    let ranges = t.plan(0, &[2]).unwrap();
    assert_eq!(ranges.len(), 1);
    let bytes = ranges[0].end - ranges[0].start;
    assert!((200_000..200_010).contains(&bytes), "{bytes} bytes for 200,000 ages");
    let mut pieces = Pieces::default();
    pieces.push(ranges[0].start, file.slice(ranges[0].start as usize..ranges[0].end as usize));
    assert_eq!(t.decode(0, &[2], &pieces).unwrap().columns()[0], batch.columns()[2]);
    // One row of a fixed width is its own bytes.
    let one: u64 = t.plan_rows(0, &[1], 77..78).unwrap().iter().map(|r| r.end - r.start).sum();
    assert_eq!(one, 8);
    // Ids of varying length are reached through a mark.
    let one: u64 = t.plan_rows(0, &[0], 100_000..100_001).unwrap().iter().map(|r| r.end - r.start).sum();
    assert!(one <= 1024 * 4, "{one}");
}

#[test]
fn bounds_rule_out_groups() {
    let batch = table(vec![("n", Column::from((0..1000i32).collect::<Vec<_>>()))]);
    let file = Bytes::from(tbf::write(&batch, WriteOptions::default().with_group_rows(100)).unwrap());
    let opened = drive(tbf::Opener::new(file.len() as u64), &file).unwrap();
    let t = opened.table().unwrap();
    let count = |text: &str| (0..t.groups()).filter(|&g| t.may_match(g, &Filter::parse(text).unwrap())).count();
    assert_eq!(
        (count("n >= 950"), count("n == 205"), count("n < 0"), count("n != 3"), count("other == 1")),
        (1, 1, 0, 10, 10)
    );
}

#[test]
fn many_distinct_texts_take_wide_indexes_or_none() {
    for rows in [1usize, 300, 70_000] {
        let names: Vec<String> = (0..rows * 2).map(|i| format!("name {}", i % rows)).collect();
        let schema =
            TableSchema::builder().encoded("name", DataType::String, FieldEncoding::Dictionary).build().unwrap();
        let batch = Batch::new(schema.schema().clone(), vec![Column::from(names)]).unwrap();
        let mut out = Vec::new();
        let mut w = tbf::Writer::new(schema, WriteOptions::default()).unwrap();
        w.push(&batch, &mut out).unwrap();
        w.finish(&mut out).unwrap();
        assert_eq!(read(&out).unwrap(), batch);
        assert_eq!(read(&tbf::write(&batch, WriteOptions::default()).unwrap()).unwrap(), batch);
    }
}

#[test]
fn empty_tables_keep_their_columns() {
    let batch = table(vec![("a", Column::from(Vec::<u8>::new())), ("b", Column::strings([None::<&str>; 0]))]);
    let file = tbf::write(&batch, WriteOptions::default()).unwrap();
    assert!(file.starts_with(b"TBF\x01\x80\0{"));
    assert_eq!(read(&file).unwrap(), batch);
}

#[test]
fn hostile_counts_are_refused_before_anything_is_allocated() {
    let deep = [b"TBF\x01\x01\x02\0\0\0".as_slice(), &[6, 1].repeat(100_000), &[8]].concat();
    assert_eq!(read(&deep).unwrap_err().code().id(), "limit.nesting");
    // 2^36 rows in 12 bytes, a dictionary index of 2^32, a list of 2^64 - 1.
    assert!(read(b"TBF\x01\x80\x80\x80\x80\x80\x02\x01\x00").is_err());
    assert_eq!(read(b"TBF\x01\x01\x02\0\0\x01\x01a\x04\x80\x80\x80\x80\x10").unwrap_err().code().id(), "tbf.index");
    assert_eq!(
        read(b"TBF\x01\x01\x02\0\0\0\x06\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01").unwrap_err().code().id(),
        "tbf.count"
    );
    let units = CallerSchema::from_json(br#"{"U":{"value":"unit"}}"#).unwrap();
    let file = Bytes::from_static(b"TBF\x01\x01\x02\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
    assert!(drive(tbf::Opener::new(file.len() as u64).with_schema(units), &file).is_err());
}

#[test]
fn a_value_outside_of_its_width_names_row_and_column() {
    let schema =
        TableSchema::builder().encoded("age", DataType::I64, FieldEncoding::U8Offset { offset: 18 }).build().unwrap();
    let batch = Batch::new(schema.schema().clone(), vec![Column::from(vec![18i64, 273, 274])]).unwrap();
    let mut w = tbf::Writer::new(schema, WriteOptions::default()).unwrap();
    let e = w.push(&batch, &mut Vec::new()).and_then(|()| w.finish(&mut Vec::new())).unwrap_err();
    assert_eq!((e.code().id(), e.place().row, e.place().column.as_deref()), ("tbf.width", Some(2), Some("age")));
}
