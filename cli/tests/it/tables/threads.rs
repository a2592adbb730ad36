//! A long text through the command: as a pipe, and in bounded memory.

use std::{
    fs,
    io::{Read, Write},
    path::Path,
    process::{Command, Stdio},
};

use crate::tables::long::{ROWS, csv};

const FOREBAY: &str = env!("CARGO_BIN_EXE_forebay");

#[test]
fn a_pipe_is_read_as_a_file_is_and_a_fault_does_not_wait_for_its_end() {
    let folder = tempfile::tempdir().unwrap();
    let text = csv(ROWS, "\n");
    fs::write(folder.path().join("t.csv"), &text).unwrap();
    let mut alone = Command::new(FOREBAY);
    alone.args(["convert", "t.csv", "alone.parquet", "--workers", "1", "--no-sync"]).current_dir(folder.path());
    assert!(alone.status().unwrap().success());
    let bytes = fs::read(folder.path().join("alone.parquet")).unwrap();
    let begin = |output: &str| {
        let mut command = Command::new(FOREBAY);
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
    let out = Command::new("sh").args(["-c", script, FOREBAY, input]).current_dir(folder).output().unwrap();
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
