//! Real files of other producers.

use forebay_native::tables::{TableFormat, TableJob};

use crate::core_common::corpus;

/// Files of a folder that are tables by themselves.
fn files(folder: &str, extension: &str) -> Vec<std::path::PathBuf> {
    let all = std::fs::read_dir(corpus(folder)).unwrap().map(|e| e.unwrap().path());
    let mut files: Vec<_> = all.filter(|p| p.extension().is_some_and(|e| e == extension)).collect();
    files.sort();
    files
}

#[test]
fn every_idv_of_the_corpus_goes_to_arrow_and_reads_back_equal() {
    let folder = tempfile::tempdir().unwrap();
    for path in files("idv", "idv") {
        let mut job = TableJob::new(vec![path.clone()], TableFormat::Arrow);
        (job.force, job.verify, job.sync) = (true, true, false);
        let output = folder.path().join("out.arrow");
        let summary = job.run(&output).or_else(|e| {
            // Moments to 100 ns are finer than Arrow's microseconds; cut, they are counted.
            assert!(e.code().id() == "table.target" && e.message().contains("finer"), "{}: {e}", path.display());
            job.write.core.lossy = true;
            let summary = job.run(&output)?;
            assert!(summary.notes.iter().any(|note| note.contains("cut to microseconds")), "{:?}", summary.notes);
            Ok::<_, forebay::Error>(summary)
        });
        let summary = summary.unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        assert_eq!(summary.verified, summary.rows, "{}", path.display());
    }
}

#[test]
fn every_self_contained_tbf_table_goes_to_parquet_and_reads_back_equal() {
    let folder = tempfile::tempdir().unwrap();
    for path in files("tbf", "tbf") {
        let name = path.file_name().unwrap().to_str().unwrap();
        if name.starts_with("c_") || name.starts_with("l_") || name.starts_with("d_") {
            let mut job = TableJob::new(vec![path.clone()], TableFormat::Parquet);
            (job.force, job.verify, job.sync) = (true, true, false);
            let summary = job.run(&folder.path().join("out.parquet")).unwrap_or_else(|e| panic!("{name}: {e}"));
            assert_eq!(summary.verified, summary.rows, "{name}");
        }
    }
}
