//! The files that all of this reads, and running commands on them.

use std::{
    fs,
    io::{Read, Write},
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    sync::OnceLock,
    thread,
    time::{Duration, Instant, SystemTime},
};

use serde_json::Value;

use crate::common::{FOREBAY, Folder, bmp, tar};

/// No command takes as long on these files, however busy the machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// Files of every format, each of some 300 kB, made once.
pub struct Files {
    folder: Folder,
    shim: Option<PathBuf>,
}

/// Samples and tables.
pub const SAMPLES: [&str; 2] = ["a.tbl", "a.tar"];
pub const TABLES: [&str; 7] = ["t.csv", "t.jsonl", "t.parquet", "t.arrow", "t.arrows", "t.tbf", "t.idv"];

impl Files {
    pub fn get() -> &'static Files {
        static FILES: OnceLock<Files> = OnceLock::new();
        FILES.get_or_init(Files::make)
    }

    fn make() -> Files {
        let folder = Folder::new();
        let members: Vec<_> = (0..300)
            .flat_map(|i| [(format!("{i:03}.bmp"), bmp(150, i)), (format!("{i:03}.cls"), (i % 7).to_string().into())])
            .collect();
        fs::write(folder.at("a.tar"), tar(&members)).unwrap();
        let mut rows = "id,name,score\n".to_owned();
        for i in 0u64..12_000 {
            // Texts without pattern, so that no format makes them small.
            let text = i.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            rows += &format!("{i},{text:x},{}\n", (text % 100_000) as f64 / 7.0);
        }
        fs::write(folder.at("t.csv"), rows).unwrap();
        let convert = |from: &str, to: &str| {
            let done = Command::new(FOREBAY).args(["convert", from, to, "--quiet"]).current_dir(folder.path()).output();
            let done = done.unwrap();
            assert!(done.status.success(), "{to}: {done:?}");
        };
        convert("a.tar", "a.tbl");
        TABLES.iter().skip(1).for_each(|table| convert("t.csv", table));
        let shim = folder.at("shim.so");
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/reading/shim.c");
        let built =
            Command::new("cc").args(["-shared", "-fPIC", "-O1", "-o"]).arg(&shim).args([source, "-ldl"]).output();
        let built = built.is_ok_and(|done| {
            assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
            true
        });
        if !built {
            eprintln!("without a C compiler nothing can be put between the command and its files");
        }
        Files { folder, shim: built.then_some(shim) }
    }

    pub fn at(&self, name: &str) -> PathBuf {
        self.folder.at(name)
    }

    /// A folder with a copy of one file, written an hour ago: what is written now has another time.
    pub fn copy(&self, name: &str) -> Folder {
        let folder = Folder::new();
        fs::copy(self.at(name), folder.at(name)).unwrap();
        let file = fs::OpenOptions::new().write(true).open(folder.at(name)).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(3600)).unwrap();
        folder
    }

    /// The command with something between it and its files; `None` if there is no compiler.
    pub fn faulty(&self, folder: &Folder, file: &str, fault: &str) -> Option<Command> {
        let mut command = Command::new(FOREBAY);
        command.env("LD_PRELOAD", self.shim.as_ref()?).env("FAULT", fault).env("FAULT_FILE", folder.at(file));
        command.env("FAULT_OTHER", folder.at("other")).current_dir(folder.path());
        Some(command)
    }
}

/// Runs a command to its end, which must come.
#[track_caller]
pub fn run(command: &mut Command, input: Option<&Path>) -> Output {
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command.stdin(if input.is_some() { Stdio::piped() } else { Stdio::null() });
    let mut child = command.spawn().unwrap();
    let gather = |mut from: Box<dyn Read + Send>| {
        thread::spawn(move || {
            let mut bytes = Vec::new();
            from.read_to_end(&mut bytes).unwrap();
            bytes
        })
    };
    let stdout = gather(Box::new(child.stdout.take().unwrap()));
    let stderr = gather(Box::new(child.stderr.take().unwrap()));
    if let (Some(path), Some(mut stdin)) = (input, child.stdin.take()) {
        let bytes = fs::read(path).unwrap();
        // Who needs no more hangs up.
        thread::spawn(move || stdin.write_all(&bytes).is_ok());
    }
    let begun = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if begun.elapsed() > PATIENCE {
            child.kill().unwrap();
            panic!("{command:?} hangs");
        }
        thread::sleep(Duration::from_millis(3));
    };
    Output { status, stdout: stdout.join().unwrap(), stderr: stderr.join().unwrap() }
}

/// What a command printed, without what differs from run to run.
pub fn said(output: &Output) -> Vec<Value> {
    let text = String::from_utf8_lossy(&output.stdout);
    let mut lines: Vec<Value> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    for line in lines.iter_mut().filter_map(Value::as_object_mut) {
        line.retain(|key, _| !(key.ends_with("seconds") || key.contains("per_second")));
        ["share", "own_peak_bytes", "decoder", "input_bytes", "inputs", "file", "ratio", "epochs"]
            .iter()
            .for_each(|key| drop(line.remove(*key)));
    }
    lines
}
