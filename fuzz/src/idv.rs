//! Any bytes open or are refused; what decodes encodes again, and then decodes to the same.

use bytes::Bytes;
use forebay::{
    codec::deflate::Inflater,
    idv::{Block, Checker, Codec, ColumnSpec, Encoder, Item, Layout, Lengths, Opener, Packing, Values, WriteOptions},
    step::drive,
};

pub(crate) fn body(data: &[u8]) {
    let bytes = Bytes::copy_from_slice(data);
    let limits = crate::limits();
    let checker = Checker::new(bytes.len() as u64).limits(limits.clone());
    let report = drive(checker, &bytes).expect("checking reports, it does not fail");
    let Ok(file) = drive(Opener::new(bytes.len() as u64).limits(limits), &bytes) else {
        assert!(!report.ok);
        return;
    };
    let mut inflater = Inflater::default();
    for (i, column) in file.columns.iter().enumerate().take(64) {
        let Some(live) = &column.live else { continue };
        for block in 0..file.blocks().min(64) {
            let Ok(entry) = file.entry(i, block) else { continue };
            let range = entry.range();
            let stored = &bytes[range.start as usize..range.end as usize];
            if let Ok(values) = file.decode(i, block, stored, &mut inflater)
                && live.codec.item.layout != Layout::OldBool
            {
                again(ColumnSpec::new("again", live.codec.clone()), &values);
            }
        }
    }
}

fn again(spec: ColumnSpec, values: &Block) {
    // The least duration stays in a vector and reads as zero outside of one.
    let options = WriteOptions::default()
        .with_packing(Packing::None)
        .with_rows_per_block(values.rows().max(1) as u32)
        .with_choose_sparse(false);
    let mut encoder = Encoder::new(vec![spec], options).expect("a column that was read can be written");
    let packed = encoder.encode(0, values).expect("values that were read can be written");
    encoder.place(0, &packed).expect("one block");
    let mut file = vec![0; 256];
    file.extend(&packed.stored);
    let ending = encoder.finish().expect("one column");
    file.extend(ending.tables);
    file[..256].copy_from_slice(&ending.header);
    let file = Bytes::from(file);
    let opened = drive(Opener::new(file.len() as u64), &file).expect("what was written opens");
    let found = opened.decode(0, 0, &packed.stored, &mut Inflater::default()).expect("and reads");
    assert_eq!(bits(&found), bits(values));
}

/// With floats as their bits, so that equal NaNs are equal, and without what the first reading noted.
fn bits(block: &Block) -> String {
    let mut block = block.clone();
    let values = match &mut block {
        Block::Scalars(values) => values,
        Block::Vectors(vectors) => &mut vectors.values,
    };
    match values {
        Values::Float32(v) => *values = Values::UInt32(v.iter().map(|x| x.to_bits()).collect()),
        Values::Float64(v) => *values = Values::UInt64(v.iter().map(|x| x.to_bits()).collect()),
        Values::Text(texts) => texts.losses = Default::default(),
        _ => {}
    }
    if let Block::Vectors(v) = &mut block {
        v.lengths = Lengths::Each((0..v.counts.len()).map(|i| v.lengths.get(i)).collect());
    }
    format!("{block:?}")
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let column = |name, layout| ColumnSpec::new(name, Codec::scalar(Item::plain(layout)));
    let columns = vec![column("label", Layout::Int32), column("weight", Layout::Float32)];
    let mut encoder = Encoder::new(columns, WriteOptions::default()).expect("two plain columns");
    let mut file = vec![0; 256];
    for (i, values) in [Values::Int32((0..40).collect()), Values::Float32(vec![0.5; 40])].into_iter().enumerate() {
        let packed = encoder.encode(i, &Block::Scalars(values)).expect("plain values");
        encoder.place(i, &packed).expect("a small file");
        file.extend(packed.stored);
    }
    let ending = encoder.finish().expect("as many rows in each");
    file.extend(ending.tables);
    file[..256].copy_from_slice(&ending.header);
    vec![file]
}
