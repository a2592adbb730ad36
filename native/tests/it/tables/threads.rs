//! A long text on any number of threads: the same bytes, the same first fault, bounded memory, and an end.

use std::{fs, path::Path};

use forebay_native::tables::{OnBadRow, ReadOptions, TableFormat, TableJob, TableSummary, open};

use crate::tables::{
    long::{ROWS, csv},
    whole::read,
};

fn convert(
    folder: &Path,
    input: &str,
    format: TableFormat,
    workers: usize,
    set: impl FnOnce(&mut TableJob),
) -> (Result<TableSummary, String>, Vec<u8>) {
    let mut job = TableJob::new(vec![folder.join(input)], format);
    (job.read.workers, job.write.workers, job.sync, job.force) = (workers, workers, false, true);
    set(&mut job);
    let output = folder.join(format!("out.{}", format.name()));
    let done = job.run(&output).map_err(|e| format!("{e} {:?}", e.place()));
    (done, fs::read(output).unwrap_or_default())
}

#[test]
fn what_is_written_does_not_depend_on_the_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    for (turn, end) in ["\n", "\r\n", "\r"].into_iter().enumerate() {
        fs::write(folder.path().join("t.csv"), csv(ROWS, end)).unwrap();
        for format in [TableFormat::Parquet, TableFormat::Arrow, TableFormat::Tbf, TableFormat::Jsonl] {
            let (done, bytes) = convert(folder.path(), "t.csv", format, 1, |_| {});
            assert_eq!(done.unwrap().rows, ROWS as u64);
            for workers in [2, 5] {
                // Batches of another size are other parts of columns for each thread.
                let group =
                    |job: &mut TableJob| job.verify = workers == 2 && turn == 0 && format == TableFormat::Parquet;
                let (done, other) = convert(folder.path(), "t.csv", format, workers, group);
                assert!(done.is_ok() && other == bytes, "{workers} threads, {}, {end:?}: {done:?}", format.name());
            }
        }
    }
    // JSON lines, and as an array that cannot be cut.
    let lines = fs::read_to_string(folder.path().join("out.jsonl")).unwrap();
    fs::write(folder.path().join("l.jsonl"), &lines).unwrap();
    fs::write(folder.path().join("a.jsonl"), format!("[{}]", lines.trim_end().replace('\n', ",\n"))).unwrap();
    for input in ["l.jsonl", "a.jsonl"] {
        let (done, bytes) = convert(folder.path(), input, TableFormat::Parquet, 1, |_| {});
        assert_eq!(done.unwrap().rows, ROWS as u64);
        assert!(convert(folder.path(), input, TableFormat::Parquet, 4, |_| {}).1 == bytes, "{input}");
    }
}

#[test]
fn row_groups_are_cut_in_the_same_places() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("t.csv"), csv(ROWS, "\n")).unwrap();
    let cut = |job: &mut TableJob| {
        (job.write.core.group_rows, job.read.text.batch_rows) = (Some(7001), 3000);
        job.scan.columns = Some(vec!["note".into(), "id".into()]);
        job.scan.filter = Some(forebay::filter::Filter::parse("id >= 100 and name != \"Ada\"").unwrap());
    };
    for format in [TableFormat::Parquet, TableFormat::Tbf] {
        let (done, bytes) = convert(folder.path(), "t.csv", format, 1, cut);
        let rows = done.unwrap().rows;
        assert!(rows > 40_000, "{rows}");
        assert!(convert(folder.path(), "t.csv", format, 3, cut).1 == bytes, "{}", format.name());
    }
}

#[test]
fn the_first_bad_row_is_told_whichever_thread_finds_one_first() {
    let folder = tempfile::tempdir().unwrap();
    let good = csv(ROWS, "\n");
    let lines = good.lines().count();
    // Bad rows in many pieces; the first has the least to read behind it.
    let bad = "x,Ada,1,,,,\n1,2\n";
    fs::write(
        folder.path().join("t.csv"),
        format!("{good}\n{bad}{}", good.lines().skip(2).collect::<Vec<_>>().join("\n")),
    )
    .unwrap();
    for (line, workers) in [(lines + 1, 1), (lines + 1, 2), (lines + 1, 5)] {
        for _ in 0..3 {
            let (done, left) = convert(folder.path(), "t.csv", TableFormat::Parquet, workers, |_| {});
            let said = done.unwrap_err();
            assert!(said.contains(&format!("line {line}: \"x\" does not fit")), "{said}");
            assert!(said.contains(&format!("row: Some({ROWS})")) && said.contains("t.csv"), "{said}");
            assert!(left.is_empty(), "nothing is left behind");
        }
    }
    let skipped = |workers| {
        let (done, bytes) = convert(folder.path(), "t.csv", TableFormat::Parquet, workers, |job| {
            job.read.text.on_bad_row = OnBadRow::Skip
        });
        let done = done.unwrap();
        (done.rows, done.skipped_rows, done.notes, bytes)
    };
    let alone = skipped(1);
    assert!(alone.1 >= 2 && alone.2[0].contains(&format!("line {}", lines + 1)), "{:?}", alone.2);
    assert!(skipped(2) == alone && skipped(5) == alone);
}

#[test]
fn columns_are_the_same_whichever_thread_decodes_them_and_so_is_the_first_fault() {
    let folder = tempfile::tempdir().unwrap();
    // More rows than are decoded without threads.
    let (rows, path) = (2 * ROWS, folder.path().join("out.tbf"));
    fs::write(folder.path().join("t.csv"), csv(rows, "\n")).unwrap();
    let (done, bytes) = convert(folder.path(), "t.csv", TableFormat::Tbf, 2, |_| {});
    assert_eq!(done.unwrap().rows, rows as u64);
    let with = |workers| {
        let mut options = ReadOptions::default();
        options.workers = workers;
        options
    };
    let alone = read(&path, &with(1));
    assert_eq!(alone.rows(), rows);
    for workers in [2, 5, 100] {
        assert!(read(&path, &with(workers)) == alone, "{workers} threads");
    }
    let said = |workers| {
        let mut source = open(&path, &with(workers)).unwrap();
        let e = source.next_batch().unwrap_err();
        format!("{} {e} {:?}", e.code().id(), e.place())
    };
    // Damage in two columns: the first is told. The footer is behind both.
    for at in [bytes.len() / 3, bytes.len() / 2] {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1;
        damaged[at / 2] ^= 1;
        fs::write(&path, damaged).unwrap();
        let first = said(1);
        assert!(first.contains("tbf.") && first.contains("out.tbf"), "{first}");
        (0..5).for_each(|_| assert_eq!(said(3), first));
    }
}
