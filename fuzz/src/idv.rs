//! Any bytes open or are refused; what decodes encodes again, and then decodes to the same.

use bytes::Bytes;
use forebay::{
    codec::deflate::Inflater,
    error::Kind,
    idv::{Encoder, Opener, Packing, WriteOptions},
    step::drive,
    table::{Column, ColumnData, DataType, Field, KeyType, VectorColumn},
    tables::{TableChecker, TableKind, TableOpener},
};

pub(crate) fn body(data: &[u8]) {
    let bytes = Bytes::copy_from_slice(data);
    let limits = super::limits();
    let opener = TableOpener::new(TableKind::Idv, bytes.len() as u64).with_limits(limits.clone());
    let checker = TableChecker::new(opener);
    // A file of another version is not a damaged one: there is nothing to report.
    let sound = match drive(checker, &bytes) {
        Ok(report) => report.ok,
        Err(e) => {
            assert_eq!(e.kind(), Kind::Unsupported, "checking reports, it does not fail: {e}");
            false
        }
    };
    let Ok(file) = drive(Opener::new(bytes.len() as u64).with_limits(limits), &bytes) else {
        assert!(!sound);
        return;
    };
    let mut inflater = Inflater::default();
    for (i, column) in file.columns.iter().enumerate().take(64) {
        if column.live.is_none() {
            continue;
        }
        for block in 0..file.blocks().min(64) {
            let Ok(entry) = file.entry(i, block) else { continue };
            let range = entry.range();
            let stored = bytes.slice(range.start as usize..range.end as usize);
            if let Ok(decoded) = file.decode_block(i, block, &stored, &mut inflater) {
                again(&decoded.column);
            }
        }
    }
}

fn again(column: &Column) {
    let options = WriteOptions::default()
        .with_packing(Packing::None)
        .with_rows_per_block(column.len().max(1) as u32)
        .with_choose_sparse(false);
    let fields = vec![Field::new("again", column.dtype().clone())];
    let file = write(fields, options, std::slice::from_ref(column));
    let opened = drive(Opener::new(file.len() as u64), &file).expect("what was written opens");
    let range = opened.entry(0, 0).expect("one block").range();
    let stored = file.slice(range.start as usize..range.end as usize);
    let found = opened.decode_block(0, 0, &stored, &mut Inflater::default()).expect("and reads");
    assert_eq!(found.column, *column);
}

/// A file of one block a column.
fn write(fields: Vec<Field>, options: WriteOptions, columns: &[Column]) -> Bytes {
    let mut encoder = Encoder::new(fields, options).expect("columns that can be written");
    let mut file = vec![0; 256];
    for (i, column) in columns.iter().enumerate() {
        let packed = encoder.encode(i, column).expect("values that can be written");
        encoder.place(i, &packed).expect("one block");
        file.extend(packed.stored);
    }
    let ending = encoder.finish().expect("as many rows in each");
    file.extend(ending.tables);
    file[..256].copy_from_slice(&ending.header);
    file.into()
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let plain = [Column::from((0..40).collect::<Vec<i32>>()), Column::from(vec![0.5f32; 40])];
    let fields = vec![Field::new("label", DataType::I32), Field::new("weight", DataType::F32)];
    vec![write(fields, WriteOptions::default(), &plain).to_vec(), every_kind()]
}

/// Not packed, so that mutations reach the values.
fn every_kind() -> Vec<u8> {
    let key = DataType::Key { inner: KeyType::U8, count: 3 };
    let offset = ColumnData::Offset { ticks: vec![1 << 58; 3].into(), minutes: vec![0, 60, -60].into() };
    let items = Column::strings([Some("a"), Some("é"), Some("😀"), Some("b"), Some("c")]);
    let lengths = vec![2, 9, 1].into();
    let vectors = VectorColumn::sparse(lengths, &[2, 2, 1], vec![3, 8].into(), items).expect("vectors that fit");
    let texts = DataType::vector(DataType::String, None);
    let columns = [
        Column::strings([Some("plain"), Some("é😀"), Some("")]),
        Column::from(vec![true, false, true]),
        Column::from(vec![1u8, 0, 3]).cast_logical(key).expect("keys are bytes"),
        Column::from(vec![0i64, 1, 2]).cast_logical(DataType::DateTime).expect("ticks are integers"),
        Column::new(DataType::DateTimeOffset, offset, None).expect("offsets of one length"),
        Column::new(texts, ColumnData::Vector(vectors), None).expect("vectors of texts"),
    ];
    let names = Column::strings([Some("why")]);
    let fields = columns.iter().map(|c| Field::new("x", c.dtype().clone()).with("ScoreColumnKind", names.clone()));
    write(fields.collect(), WriteOptions::default().with_packing(Packing::None), &columns).to_vec()
}
