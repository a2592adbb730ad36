//! A warehouse whose manifest or shard is anything at all: opening, checking and reading end, agree, and take no memory
//! that the files do not have.

use bytes::Bytes;
use forebay::{
    step::drive,
    warehouse::{
        Checker, Dtype, Endianness, Manifest, Opener, ResizeMode, SampleRecord, Shape, ShardEntry, ShardHeader,
        ShardWriter, Transform, sha256,
        version::{Recipe, key},
    },
};

use super::limits;

/// A shard. The manifest says what its header says, so that what is behind the header is looked at too.
pub(crate) fn shard(data: &[u8]) {
    let head = data.get(..80).unwrap_or(data);
    let (shape, samples) = match ShardHeader::parse(head) {
        Ok(header) => (header.shape, header.samples),
        Err(_) => (Shape::new(2, 1, 1, Dtype::F32), 1),
    };
    let entry = ShardEntry::new(0, &shape, samples, Some(sha256(data)));
    look(manifest_of(shape, vec![entry]), data);
}

/// A manifest, over a shard that is sound.
pub(crate) fn manifest(data: &[u8]) {
    let Ok(manifest) = Manifest::parse(data, &limits()) else { return };
    let text = manifest.to_bytes().expect("what was read can be written");
    let again = Manifest::parse(&text, &limits()).expect("what was written reads");
    assert_eq!(manifest, again);
    assert_eq!(again.to_bytes().expect("once more"), text);
    look(manifest, &file(Shape::new(2, 1, 1, Dtype::F32)).1);
}

fn look(manifest: Manifest, shard: &[u8]) {
    let lens: Vec<_> = manifest.shards.iter().map(|_| Some(shard.len() as u64)).take(64).collect();
    let file = Bytes::from(shard.repeat(lens.len()));
    let opener = || Opener::new(manifest.clone(), 0, &lens).with_limits(limits());
    let checked =
        drive(opener().keep_going(), &file).and_then(|found| drive(Checker::new(&found).with_window(64), &file));
    let sound = checked.is_ok_and(|report| report.ok);
    let opened = drive(opener(), &file);
    assert!(!sound || opened.is_ok(), "what passed its check opens: {opened:?}");
    let Ok(warehouse) = opened else { return };
    for i in 0..warehouse.len().min(64) {
        let slice = |range: std::ops::Range<u64>| file.slice(range.start as usize..range.end as usize);
        let payload = slice(warehouse.plan(i).expect("a place for every sample").range());
        assert_eq!(Some(payload.len() as u64), warehouse.shape().and_then(|shape| shape.image_len()));
        let [boxes, mask] = warehouse.box_ranges(i).expect("a place for its boxes").map(slice);
        let record = warehouse.record_text(i, &boxes, &mask);
        assert!(!sound || record.is_ok(), "sample {i} of a warehouse that passed its check: {record:?}");
    }
}

fn manifest_of(shape: Shape, shards: Vec<ShardEntry>) -> Manifest {
    let transform = Transform::new(Some([shape.width, shape.height]), ResizeMode::Letterbox, shape.max_boxes.into());
    let (root, code) = ("in".to_owned(), "1".to_owned());
    let recipe = Recipe { dataset_root: root, transform: transform.clone(), skip_empty: false, code_version: code };
    let mut manifest = Manifest::new("in", transform, key(&recipe, &[]), shape.dtype);
    manifest.shards = shards;
    manifest
}

fn file(shape: Shape) -> (Manifest, Vec<u8>) {
    let mut writer = ShardWriter::new(shape, 2).expect("a small shape");
    let mut file = vec![0; 80];
    for frame in 0..2 {
        let pixels = vec![frame as u8 * 200; shape.pixels().unwrap_or(0) as usize];
        let image = writer.image_bytes(&pixels).expect("pixels of that shape");
        let mut record = SampleRecord::new();
        (record.frame_id, record.run, record.classes) = (Some(frame), Some("run".into()), vec![Some(0)]);
        writer.add(&image, &[[0.0, 0.25, 0.5, 1.0]], Some(&record)).expect("a sound sample");
        file.extend(image);
    }
    let done = writer.finish().expect("a small shard");
    file.resize(done.tail_at as usize, 0);
    file.extend(&done.tail);
    file[..80].copy_from_slice(&done.header);
    (manifest_of(shape, vec![done.entry(0)]), file)
}

pub(crate) fn shard_seeds() -> Vec<Vec<u8>> {
    let big = Shape::new(3, 2, 2, Dtype::F16).with_f32_boxes().with_endianness(Endianness::Big);
    [Shape::new(2, 1, 1, Dtype::F32), big, Shape::new(1, 1, 1, Dtype::U8)].map(|shape| file(shape).1).to_vec()
}

pub(crate) fn manifest_seeds() -> Vec<Vec<u8>> {
    vec![file(Shape::new(2, 1, 1, Dtype::F32)).0.to_bytes().expect("a manifest")]
}
