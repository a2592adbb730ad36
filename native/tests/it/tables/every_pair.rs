//! What one format wrote, any other takes, `check` calls it sound, and it reads back equal.

use std::path::Path;

use forebay::table::{Batch, DataType};
use forebay_native::tables::{
    ReadOptions, TableCompression, TableFormat, TableJob, TableSpec, WriteOptions, check, create,
};

use crate::tables::{
    generate::{plain, table},
    same::cases,
    whole::read,
};

/// Every format, in each compression that it is written in.
fn kinds() -> Vec<(TableFormat, Option<TableCompression>, String)> {
    use TableCompression as C;
    let mut all = Vec::new();
    for format in TableFormat::ALL {
        let name = format.name();
        match format {
            TableFormat::Csv | TableFormat::Tsv | TableFormat::Jsonl => {
                ["", ".gz", ".zst"].iter().for_each(|packed| all.push((format, None, format!("t.{name}{packed}"))));
            }
            TableFormat::Parquet => {
                let codecs = [C::None, C::Snappy, C::Lz4, C::Zstd];
                codecs.iter().for_each(|codec| all.push((format, Some(*codec), format!("t.{name}"))));
            }
            TableFormat::Arrow | TableFormat::Arrows => {
                [C::None, C::Lz4, C::Zstd]
                    .iter()
                    .for_each(|codec| all.push((format, Some(*codec), format!("t.{name}"))));
            }
            TableFormat::Idv => {
                [C::None, C::Deflate].iter().for_each(|codec| all.push((format, Some(*codec), format!("t.{name}"))));
            }
            _ => all.push((format, None, format!("t.{name}"))),
        }
    }
    all
}

fn write(batch: &Batch, path: &Path, format: TableFormat) {
    let mut sink = create(path, true, &WriteOptions::new(format)).unwrap();
    sink.begin(batch.schema()).unwrap();
    sink.write(batch).unwrap();
    sink.finish().unwrap().into_file().unwrap().commit(false).unwrap();
}

#[test]
fn every_pair_of_formats_and_compressions_is_sound_and_equal() {
    let folder = tempfile::tempdir().unwrap();
    // What every format holds as it is.
    let mut types = plain();
    types.retain(|dtype| !matches!(dtype, DataType::Bytes));
    for seed in 0..cases(2) {
        let rows = [0, 1, 40, 300][(seed as usize + 1) % 4];
        let batch = table(&types, rows, false, seed + 11);
        for from in TableFormat::ALL {
            let input = folder.path().join(format!("in.{}", from.name()));
            write(&batch, &input, from);
            for (to, compression, name) in kinds() {
                let case = format!("seed {seed}, {} to {name} {compression:?}", from.name());
                let output = folder.path().join(&name);
                let mut job = TableJob::new(vec![input.clone()], to);
                (job.force, job.sync, job.verify) = (true, false, true);
                job.write.compression = compression;
                if from.is_text() {
                    job.read.text.spec = Some(TableSpec::from(&**batch.schema()));
                }
                let done = job.run(&output).unwrap_or_else(|e| panic!("{case}: {e}"));
                assert_eq!((done.rows, done.verified), (rows as u64, rows as u64), "{case}");
                let mut options = ReadOptions::default();
                if to.is_text() {
                    options.text.spec = Some(TableSpec::from(&**batch.schema()));
                }
                let report = check(&output, to, &options, &mut |_, _| {}).unwrap();
                assert!(report.ok && report.samples == rows as u64, "{case}: {report:?}");
                let back = read(&output, &options);
                let json = |batch: &Batch| batch.iter().map(|row| row.to_json(Default::default())).collect::<Vec<_>>();
                assert_eq!(json(&back), json(&batch), "{case}");
            }
        }
    }
}
