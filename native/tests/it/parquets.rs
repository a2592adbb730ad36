//! Parquet files of images as datasets: one file, shards, splits, the loader.

use std::{fs, path::Path, sync::Arc};

use arrow_array::{ArrayRef, BinaryArray, Int64Array, RecordBatch, StringArray, StructArray};
use arrow_schema::{DataType, Field, Fields, Schema};
use forebay::formats::Format;
use forebay_native::{
    Dataset, OpenOptions,
    check::{CheckOptions, check_with},
    convert::{Job, Options, To},
    loader::{Image, Loader, OnBroken},
    tables::{TableFormat, rows_format, table_format},
};
use parquet::{arrow::ArrowWriter, file::properties::WriterProperties};

/// A gray PNG of one color.
fn png(shade: usize) -> Vec<u8> {
    let image =
        forebay::doors::Pixels { width: 4, height: 3, channels: 1, bits: 8, data: vec![shade as u8; 12].into() };
    forebay::doors::Value::from(image).payload(&forebay::Limits::default()).unwrap().to_vec()
}

/// Writes rows of these numbers; of some the image is not there.
fn write(path: &Path, rows: std::ops::Range<usize>, lost: impl Fn(usize) -> bool, names: &str) {
    let bytes: ArrayRef = Arc::new(rows.clone().map(|n| (!lost(n)).then(|| png(n))).collect::<BinaryArray>());
    let paths: ArrayRef = Arc::new(rows.clone().map(|n| Some(format!("{n}.png"))).collect::<StringArray>());
    let parts: Fields =
        vec![Field::new("bytes", DataType::Binary, true), Field::new("path", DataType::Utf8, true)].into();
    let image: ArrayRef = Arc::new(StructArray::new(parts.clone(), vec![bytes, paths], None));
    let label: ArrayRef = Arc::new(Int64Array::from_iter_values(rows.map(|n| n as i64 % 2)));
    let fields = vec![Field::new("image", DataType::Struct(parts), true), Field::new("label", DataType::Int64, true)];
    let batch = RecordBatch::try_new(Arc::new(Schema::new(fields)), vec![image, label]).unwrap();
    let said = format!(
        r#"{{"info":{{"features":{{"image":{{"_type":"Image"}},"label":{{"names":[{names}],"_type":"ClassLabel"}}}}}}}}"#
    );
    let pairs = vec![parquet::file::metadata::KeyValue::new("huggingface".to_owned(), said)];
    let properties = WriterProperties::builder().set_key_value_metadata(Some(pairs)).set_data_page_row_count_limit(5);
    let properties = properties.set_write_batch_size(1).set_max_row_group_row_count(Some(16)).build();
    let mut writer = ArrowWriter::try_new(fs::File::create(path).unwrap(), batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
}

const NAMES: &str = r#""even","odd""#;

fn shards(folder: &Path) {
    let data = folder.join("data");
    fs::create_dir_all(&data).unwrap();
    for shard in 0..3 {
        write(&data.join(format!("train-{shard:05}-of-00003.parquet")), shard * 40..(shard + 1) * 40, |_| false, NAMES);
    }
}

#[test]
fn the_shards_of_a_split_are_one_dataset_in_their_order() {
    let folder = tempfile::tempdir().unwrap();
    shards(folder.path());
    let pattern = folder.path().join("data/train-*.parquet");
    for path in [folder.path().to_owned(), folder.path().join("data"), pattern] {
        let dataset = Dataset::open(&path).unwrap();
        assert_eq!((dataset.len(), dataset.format()), (120, Some(Format::Parquet)));
        for i in [0, 39, 40, 79, 80, 119, 3] {
            let info = dataset.info(i).unwrap();
            assert_eq!((info.width, info.height, info.bytes), (4, 3, png(i as usize).len() as u64), "not of the page");
            assert_eq!(dataset.payload(i).unwrap(), png(i as usize), "sample {i}");
            assert_eq!(dataset.sample_name(i).unwrap(), Some(format!("{i}.png")));
            let record: serde_json::Value = serde_json::from_str(&dataset.record(i).unwrap().unwrap()).unwrap();
            assert_eq!(record["class"], if i % 2 == 0 { "even" } else { "odd" });
        }
    }
}

#[test]
fn splits_are_not_mixed_and_shards_are_not_missed() {
    let folder = tempfile::tempdir().unwrap();
    shards(folder.path());
    let data = folder.path().join("data");
    write(&data.join("test-00000-of-00001.parquet"), 0..3, |_| false, NAMES);
    let e = Dataset::open(folder.path()).unwrap_err();
    assert!(e.message().contains("splits: test, train") && e.message().contains("train-*.parquet"), "{e}");
    assert_eq!(Dataset::open(data.join("te*.parquet")).unwrap().len(), 3);
    fs::remove_file(data.join("train-00001-of-00003.parquet")).unwrap();
    let e = Dataset::open(data.join("train-*.parquet")).unwrap_err();
    assert!(e.message().contains("shard 1 of the 3 of train is missing"), "{e}");
    write(&data.join("train-00001-of-00003.parquet"), 0..3, |_| false, r#""odd","even""#);
    let e = Dataset::open(data.join("train-*.parquet")).unwrap_err();
    assert!(e.message().contains("other names of classes"), "{e}");
}

#[test]
fn a_table_of_images_is_samples_unless_a_table_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    write(&path, 0..9, |_| false, NAMES);
    assert_eq!((rows_format(&path).unwrap(), table_format(&path).unwrap()), (None, Some(TableFormat::Parquet)));
    let out = folder.path().join("a.tbl");
    let summary = Job::new(vec![Dataset::open(&path).unwrap()], Options::new(To::Tbl)).run(&out).unwrap();
    assert_eq!(summary.samples, 9);
    assert_eq!(Dataset::open(&out).unwrap().payload(7).unwrap(), png(7));
}

#[test]
fn images_that_are_elsewhere_are_counted_by_a_check() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    write(&path, 0..50, |n| n % 10 == 4, NAMES);
    let dataset = Dataset::open_with(&path, &OpenOptions::default()).unwrap();
    assert_eq!([3, 4].map(|i| dataset.info(i).unwrap().bytes), [png(3).len() as u64, 0]);
    let report = check_with(&dataset, &CheckOptions::default(), &mut |_| {}).unwrap();
    assert_eq!((report.fault_count, report.samples), (5, 50));
    assert!(report.faults.iter().all(|fault| fault.code == "record.no_payload"), "{:?}", report.faults);
}

#[test]
fn a_loader_over_shards_continues_where_it_stopped() {
    let folder = tempfile::tempdir().unwrap();
    shards(folder.path());
    for blocks in [false, true] {
        let open = || {
            let builder = Loader::open(folder.path()).unwrap().batch(8).workers(2).image(Image::new(4, 3));
            if blocks { builder.shuffle_blocks(7, 16, 2) } else { builder.shuffle(7) }
        };
        let rest = |loader: &mut Loader| -> Vec<Vec<u64>> {
            let mut batches = Vec::new();
            while let Some(batch) = loader.next_batch().unwrap() {
                let batch = batch;
                batches.push(batch.indices().to_vec());
            }
            batches
        };
        let whole = rest(&mut open().build().unwrap());
        let mut all = whole.concat();
        all.sort_unstable();
        assert_eq!(all, (0..120).collect::<Vec<_>>());
        let mut loader = open().build().unwrap();
        let before: Vec<Vec<u64>> = (0..6).map(|_| loader.next_batch().unwrap().unwrap().indices().to_vec()).collect();
        let state = loader.state();
        drop(loader);
        let after = rest(&mut open().resume(state).build().unwrap());
        assert_eq!([before, after].concat(), whole);
    }
}

#[test]
fn a_sample_without_an_image_is_treated_as_a_damaged_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    write(&path, 0..50, |n| n % 10 == 4, NAMES);
    let open = |policy| Loader::open(&path).unwrap().batch(10).image(Image::new(4, 3)).on_broken(policy);
    let e = open(OnBroken::Raise).build().unwrap().next_batch().unwrap_err();
    assert_eq!(e.code().id(), "record.no_payload", "{e}");
    let mut loader = open(OnBroken::Skip).build().unwrap();
    let mut samples = 0;
    while let Some(batch) = loader.next_batch().unwrap() {
        samples += batch.indices().len();
    }
    assert_eq!(samples, 45);
}
