//! Inputs, commands over them, and what they make of them when nothing goes wrong.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::{FileTypeExt, MetadataExt},
    path::Path,
    process::{Command, Output, Stdio},
    sync::OnceLock,
};

use crate::common::{FOREBAY, Folder, bmp, tar};

/// The other command.
pub const TAR_TO_TBL: &str = env!("CARGO_BIN_EXE_tar_to_tbl");

/// An archive of pictures with labels.
pub fn archive(samples: u32, seed: u32) -> Vec<u8> {
    let members: Vec<_> = (0..samples)
        .flat_map(|i| {
            let label = format!("{}", i % 3).into_bytes();
            [(format!("d/{i:04}.bmp"), bmp(80 + i % 7, i + seed)), (format!("d/{i:04}.cls"), label)]
        })
        .collect();
    tar(&members)
}

/// A folder with an input of every kind: a and b are two datasets, t is a table.
pub fn stocked() -> Folder {
    static STOCK: OnceLock<Folder> = OnceLock::new();
    let stock = STOCK.get_or_init(|| {
        let folder = Folder::new();
        fs::write(folder.at("a.tar"), archive(300, 0)).unwrap();
        fs::write(folder.at("b.tar"), archive(200, 9000)).unwrap();
        let rows: String = (0..5000).map(|i| format!("{i},name {i},{}\n", f64::from(i) / 8.0)).collect();
        fs::write(folder.at("t.csv"), format!("id,name,x\n{rows}")).unwrap();
        for args in [
            "a.tar a.tbl",
            "b.tar b.tbl",
            "t.csv t.parquet",
            "t.csv t.idv",
            "t.csv t.tbf",
            "t.csv t.jsonl",
            "t.csv t.arrow",
        ] {
            let done = Command::new(FOREBAY).arg("convert").args(args.split(' ')).current_dir(folder.path()).output();
            let done = done.unwrap();
            assert!(done.status.success(), "{args}: {done:?}");
        }
        folder
    });
    let folder = Folder::new();
    for name in stock.names() {
        fs::copy(stock.at(&name), folder.at(&name)).unwrap();
    }
    folder
}

/// Every command that only reads, or is refused, by its arguments.
pub const READING: &[&str] = &[
    "inspect a.tbl t.csv",
    "inspect a.tar",
    "head a.tbl -n 40",
    "head t.parquet -n 40",
    "check a.tbl a.tar",
    "check t.idv t.csv",
    "stats a.tbl",
    "stats t.tbf",
    "duplicates a.tbl a.tar",
    "outliers a.tar",
    "diff a.tbl a.tar",
    "diff a.tbl b.tbl",
    "plan a.tbl --batch 8",
    "plan a.tbl --batch 8 --rank 0",
    "bench a.tbl --batch 16 --image 8 --decode-alone 2 --workers 2",
    "completions bash",
    "man",
    "--help",
    "--version",
    "convert --help",
    "",
    "nonsense",
    "head",
    "check nowhere.tbl",
    "convert nowhere.tar o.tbl",
    "convert a.tar o.unknown",
    "extract a.tbl -i 300 -o o.bmp",
    "serve nowhere",
];

/// Every command that writes, with `o` or a name that begins with it as what it writes.
pub const WRITING: &[&str] = &[
    "convert a.tar o.tbl",
    "convert a.tar o.tbl --layout turboloader --compression lz4 --verify",
    "convert a.tbl o.tar",
    "convert a.tbl o.tbl --decode 8",
    "convert a.tbl o.csv",
    "convert t.csv o.tbf",
    "convert t.csv o.idv",
    "convert t.csv o.parquet --verify",
    "convert t.parquet o.jsonl",
    "convert t.jsonl o.arrow",
    "concat a.tbl b.tar -o o.tbl",
    "split a.tbl --shards 7 -o o",
    "split a.tar --shards 3 -o o --to tar",
    "split a.tbl --train 0.8 --val 0.2 -o o",
    "duplicates a.tbl --edits o.jsonl",
    "outliers a.tbl --list o.csv",
    "extract a.tbl --all --to o",
    "extract a.tbl -i 3 --to o",
    "extract a.tbl -i 3 -o o.bmp",
];

/// A command that has not begun yet, in a folder.
pub fn command(folder: &Folder, args: &str) -> Command {
    let mut command = Command::new(FOREBAY);
    command.args(args.split(' ').filter(|arg| !arg.is_empty())).current_dir(folder.path()).stdin(Stdio::null());
    command
}

/// Runs it to its end.
pub fn run(folder: &Folder, args: &str) -> Output {
    command(folder, args).output().unwrap()
}

/// Runs it to its end through a shell that does `before` first.
pub fn run_after(folder: &Folder, before: &str, args: &str) -> Output {
    shell(folder, &format!("{before}; exec \"$0\" {args}"))
}

/// Runs a line of a shell in which `$0` is the command.
pub fn shell(folder: &Folder, line: &str) -> Output {
    let mut command = Command::new("sh");
    command.args(["-c", line, FOREBAY]).current_dir(folder.path()).stdin(Stdio::null()).output().unwrap()
}

/// What lies under a folder: files with their bytes, links with what they lead to, by their names.
pub fn tree(root: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(root).unwrap().to_string_lossy().into_owned();
            let meta = fs::symlink_metadata(&path).unwrap();
            if meta.is_dir() {
                folders.push(path);
                found.insert(format!("{name}/"), Vec::new());
            } else if meta.is_symlink() {
                found.insert(name, fs::read_link(&path).unwrap().to_string_lossy().into_owned().into_bytes());
            } else if meta.file_type().is_file() {
                found.insert(name, fs::read(&path).unwrap());
            } else {
                found.insert(format!("{name}|{}", meta.file_type().is_fifo()), Vec::new());
            }
        }
    }
    found
}

/// Outputs alone: what begins with an o, and what is hidden.
pub fn outputs(folder: &Folder) -> BTreeMap<String, Vec<u8>> {
    tree(folder.path()).into_iter().filter(|(name, _)| name.starts_with(['o', '.'])).collect()
}

/// The permissions of a file.
pub fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().mode() & 0o7777
}

/// What a process said on standard error, which is never a panic.
#[track_caller]
pub fn said(output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!said.contains("panicked"), "{said}");
    assert!(!matches!(output.status.code(), Some(101 | 134)), "{output:?}");
    said
}

/// Whether a tool of this system can be run.
pub fn has(tool: &str) -> bool {
    Command::new(tool).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|s| s.success())
}
