//! A long text on any number of threads: the same bytes, the same first fault, bounded memory, and an end.

use std::{
    fs,
    io::{Read, Write},
    path::Path,
    process::{Command, Stdio},
};

use forebay_native::tables::{OnBadRow, TableFormat, TableJob, TableSummary};

use crate::dice::Dice;

/// Several pieces of text, whose rows are read on other threads.
const ROWS: usize = 60_000;

/// Cells that are hard to cut: quotes with commas, quotes and ends of lines in them, nothing at all.
fn csv(rows: usize, end: &str) -> String {
    let mut dice = Dice(9);
    let mut text = format!("\u{feff}id,name,score,flag,day,at,note{end}");
    for row in 0..rows {
        let name = ["Ada", "\"Lovelace, Ada\"", "\"\"", "", "\"a \"\"b\"\"\"", "\"two\nlines,\r\n and a half\"", "é"];
        let name = name[dice.below(7) as usize];
        let flag = if dice.below(9) == 0 { "" } else { ["true", "false"][dice.below(2) as usize] };
        let score = dice.below(1_000_000) as f64 / 128.0;
        let note = format!("{:x}", dice.roll()).repeat(1 + dice.below(3) as usize);
        text +=
            &format!("{row},{name},{score},{flag},2024-02-{:02},2024-02-29T01:02:{:02},{note}", 1 + row % 29, row % 60);
        text += end;
        text += &end.repeat(dice.below(50).saturating_sub(47) as usize);
    }
    text.truncate(text.trim_end().len());
    text
}

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
        (job.write.group_rows, job.read.batch_rows) = (Some(7001), 3000);
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
        let (done, bytes) =
            convert(folder.path(), "t.csv", TableFormat::Parquet, workers, |job| job.read.on_bad_row = OnBadRow::Skip);
        let done = done.unwrap();
        (done.rows, done.skipped_rows, done.notes, bytes)
    };
    let alone = skipped(1);
    assert!(alone.1 >= 2 && alone.2[0].contains(&format!("line {}", lines + 1)), "{:?}", alone.2);
    assert!(skipped(2) == alone && skipped(5) == alone);
}

#[test]
fn a_pipe_is_read_as_a_file_is_and_a_fault_does_not_wait_for_its_end() {
    let folder = tempfile::tempdir().unwrap();
    let text = csv(ROWS, "\n");
    fs::write(folder.path().join("t.csv"), &text).unwrap();
    let (_, bytes) = convert(folder.path(), "t.csv", TableFormat::Parquet, 1, |_| {});
    let begin = |output: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_forebay"));
        command
            .args(["convert", "--from", "csv", "-", output, "--workers", "3", "--no-sync"])
            .current_dir(folder.path());
        command.stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let mut whole = begin("p.parquet");
    whole.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    assert!(whole.wait().unwrap().success());
    assert!(fs::read(folder.path().join("p.parquet")).unwrap() == bytes);

    let mut faulty = begin("f.parquet");
    let mut pipe = faulty.stdin.take().unwrap();
    // The command may be gone before it has taken all of it.
    let _ = pipe.write_all(format!("{text}\n1,2\n{}", text.split_at(4).1).as_bytes());
    let code = faulty.wait().unwrap().code();
    drop(pipe);
    let mut said = String::new();
    faulty.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert!(code == Some(1) && said.contains("2 fields where there are 7 columns"), "{code:?}: {said}");
    assert!(!folder.path().join("f.parquet").exists());
}

/// The most memory that converting a file took, as the system says it.
#[cfg(target_os = "linux")]
fn peak(folder: &Path, input: &str) -> u64 {
    let script = "\"$0\" convert \"$1\" out.arrow --force --no-sync --quiet --workers 3 & pid=$!; most=0; \
        while kill -0 $pid 2>/dev/null; do now=$(sed -n 's/VmHWM:[^0-9]*\\([0-9]*\\) kB/\\1/p' /proc/$pid/status 2>/dev/null); \
        most=${now:-$most}; done; wait $pid && echo $most";
    let out = Command::new("sh")
        .args(["-c", script, env!("CARGO_BIN_EXE_forebay"), input])
        .current_dir(folder)
        .output()
        .unwrap();
    String::from_utf8_lossy(&out.stdout).trim().parse::<u64>().unwrap() << 10
}

#[cfg(target_os = "linux")]
#[test]
fn memory_does_not_grow_with_the_text() {
    let folder = tempfile::tempdir().unwrap();
    let text = csv(ROWS, "\n");
    let rows = text.split_once('\n').unwrap().1;
    let all = |times: usize| format!("{}\n{}", text.trim_end(), format!("{rows}\n").repeat(times));
    fs::write(folder.path().join("t.csv"), all(5)).unwrap();
    fs::write(folder.path().join("more.csv"), all(23)).unwrap();
    let sizes = ["t.csv", "more.csv"].map(|name| fs::metadata(folder.path().join(name)).unwrap().len());
    let (few, many) = (peak(folder.path(), "t.csv"), peak(folder.path(), "more.csv"));
    // Less than a third of what there is more.
    assert!(
        sizes[1] - sizes[0] > 60 << 20 && many < few + (sizes[1] - sizes[0]) / 3,
        "{few} and {many} bytes for {sizes:?}"
    );
}
