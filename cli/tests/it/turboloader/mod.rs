//! The real `turboloader` package reads what Forebay writes for it, and Forebay what the package writes.
//!
//! The package is installed once into a virtual environment in the user's cache. If that cannot be (no Python, no
//! network, no wheel for this machine), the tests say so and pass.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "a test of files and another program")]

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
    sync::OnceLock,
};

use forebay::{tbl::Layout, warehouse::sha256};
use forebay_native::{Dataset, check::check};
use serde_json::Value;

use crate::{
    common::{Folder, bmp, forebay, tar},
    core_common::conformance,
};

const VERSION: &str = "2.39.0";

/// A Python that can import the package.
fn python() -> Option<&'static Path> {
    static PYTHON: OnceLock<Option<PathBuf>> = OnceLock::new();
    PYTHON
        .get_or_init(|| match install() {
            Ok(python) => Some(python),
            Err(why) => {
                eprintln!("skipped: the package turboloader {VERSION} is not here and cannot be installed: {why}");
                None
            }
        })
        .as_deref()
}

fn install() -> Result<PathBuf, String> {
    let cache = env::var_os("XDG_CACHE_HOME").map(PathBuf::from).or_else(|| Some(env::home_dir()?.join(".cache")));
    let folder = cache.ok_or("there is no home folder")?.join(format!("forebay/turboloader-{VERSION}"));
    let python = folder.join("bin/python");
    let run = |program: &Path, arguments: &[&str]| {
        let done = Command::new(program).args(arguments).output().map_err(|e| format!("{}: {e}", program.display()))?;
        let said = String::from_utf8_lossy(&done.stderr);
        let last = said.trim().lines().last().unwrap_or_default();
        if done.status.success() {
            Ok(())
        } else {
            Err(format!("{} {}: {last}", program.display(), arguments.join(" ")))
        }
    };
    let import = format!("import turboloader as t; assert t.__version__ == '{VERSION}'");
    if run(&python, &["-c", &import]).is_err() {
        run(Path::new("python3"), &["-m", "venv", &folder.to_string_lossy()])?;
        run(&python, &["-m", "pip", "install", "--quiet", &format!("turboloader=={VERSION}")])?;
        run(&python, &["-c", &import])?;
    }
    Ok(python)
}

/// What the package says, line by line; `None` if it is not here.
fn peer(arguments: &[&str]) -> Option<Vec<Value>> {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/turboloader/peer.py");
    let done = Command::new(python()?).arg(script).args(arguments).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let lines = String::from_utf8(done.stdout).unwrap();
    Some(lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

#[track_caller]
fn convert(arguments: &[&str]) {
    let done = forebay([&["convert", "--quiet", "--no-sync", "--verify"], arguments].concat());
    assert!(done.status.success(), "{done:?}");
}

/// Pictures that LZ4 shrinks and files that it cannot, with sidecars.
fn archive() -> Vec<u8> {
    let mut members: Vec<(String, Vec<u8>)> = Vec::new();
    for i in 0..400u32 {
        let content = match i % 4 {
            0 => [&[0xff, 0xd8, 0xff, 0xe0][..], &i.to_le_bytes().repeat(i as usize)].concat(),
            _ => bmp(1 + i, i),
        };
        members.push((format!("bild ü/{i:04}.{}", if i % 4 == 0 { "jpg" } else { "bmp" }), content));
        if i % 3 == 0 {
            members.push((format!("bild ü/{i:04}.cls"), format!("{}", i % 10).into_bytes()));
        }
    }
    tar(&members)
}

#[test]
fn the_package_reads_every_sample_that_forebay_writes() {
    let folder = Folder::new();
    fs::write(folder.at("in.tar"), archive()).unwrap();
    for compression in ["none", "lz4"] {
        let path = folder.at(&format!("{compression}.tbl"));
        let (input, output) = (folder.at("in.tar"), path.to_str().unwrap());
        convert(&[input.to_str().unwrap(), output, "--layout", "turboloader", "--compression", compression]);
        let Some(rows) = peer(&["read", output]) else { return };
        let dataset = Dataset::open(&path).unwrap();
        assert_eq!((rows.len(), dataset.len()), (400, 400));
        let mut shrunk = 0;
        for (i, row) in rows.iter().enumerate() {
            let i = i as u64;
            let info = dataset.info(i).unwrap();
            assert_eq!(row["sha256"], sha256(&dataset.payload(i).unwrap()), "{i}");
            assert_eq!(row["offset"], info.offset);
            assert_eq!(row["bytes"], info.bytes);
            assert_eq!(row["stored_bytes"], info.stored_bytes);
            assert_eq!((&row["width"], &row["height"]), (&info.width.into(), &info.height.into()));
            assert_eq!(row["format"], info.format.code());
            assert_eq!((&row["metadata"], &row["kind"]), (&dataset.record(i).unwrap().unwrap().into(), &1.into()));
            shrunk += u32::from(row["lz4"] == true);
        }
        assert_eq!(shrunk > 200, compression == "lz4", "{shrunk}");
        conformance::read_back("tbl", "turboloader", &format!("from a TAR, {compression}"));
    }
}

#[test]
fn forebay_reads_every_sample_that_the_package_writes() {
    let folder = Folder::new();
    for compression in ["none", "lz4"] {
        let path = folder.at(&format!("{compression}.tbl"));
        let Some(rows) = peer(&["write", path.to_str().unwrap(), compression]) else { return };
        agrees(&path, &rows);
        // Through the guide layout and back, nothing is lost and the package reads it again.
        let (guide, back) = (folder.at("guide.tbl"), folder.at("back.tbl"));
        let names = [&path, &guide, &back].map(|p| p.to_str().unwrap());
        convert(&[names[0], names[1], "--force", "--compression", "zstd"]);
        convert(&[names[1], names[2], "--force", "--layout", "turboloader", "--compression", compression]);
        let again = peer(&["read", names[2]]).unwrap();
        assert_eq!(again.len(), rows.len());
        for (row, old) in again.iter().zip(&rows) {
            for field in ["sha256", "bytes", "width", "height"] {
                assert_eq!(row[field], old[field], "{field} of {old}");
            }
        }
        conformance::read_back("tbl", "turboloader", &format!("its own, {compression}"));
    }
}

#[test]
fn raw_pixels_are_one_view_for_the_package_after_forebay_wrote_them() {
    let folder = Folder::new();
    let [theirs, guide, ours] = ["theirs.tbl", "guide.tbl", "ours.tbl"].map(|name| folder.at(name));
    let names = [&theirs, &guide, &ours].map(|p| p.to_str().unwrap());
    let Some(rows) = peer(&["write-raw", names[0]]) else { return };
    agrees(&theirs, &rows);
    convert(&[names[0], names[1], "--compression", "lz4"]);
    convert(&[names[1], names[2], "--layout", "turboloader"]);
    let view = &peer(&["raw", names[2]]).unwrap()[0];
    assert_eq!(view["shape"], serde_json::json!([20, 10, 12, 3]));
    let expected: Vec<_> = rows.iter().map(|row| row["sha256"].clone()).collect();
    assert_eq!(view["sha256"], Value::from(expected));
    conformance::read_back("tbl", "turboloader", "raw pixels");
}

#[test]
fn decoded_pictures_are_one_view_for_the_package() {
    let folder = Folder::new();
    let [archive_at, raw] = ["in.tar", "raw.tbl"].map(|name| folder.at(name));
    let members: Vec<_> =
        (0..50).flat_map(|i| [(format!("{i:02}.bmp"), bmp(20 + i, i)), (format!("{i:02}.cls"), vec![b'7'])]).collect();
    fs::write(&archive_at, tar(&members)).unwrap();
    let names = [&archive_at, &raw].map(|p| p.to_str().unwrap());
    convert(&[names[0], names[1], "--decode", "24x16", "--layout", "turboloader"]);
    let Some(views) = peer(&["raw", names[1]]) else { return };
    let dataset = Dataset::open(&raw).unwrap();
    assert_eq!(views[0]["shape"], serde_json::json!([50, 16, 24, 3]));
    let ours: Vec<_> = (0..50).map(|i| sha256(&dataset.payload(i).unwrap())).collect();
    assert_eq!(views[0]["sha256"], Value::from(ours));
    // The package's own training loader, beside our labels.
    let loaded = &peer(&["load-raw", names[1]]).unwrap()[0];
    assert_eq!((&loaded["images"], &loaded["shape"]), (&50.into(), &serde_json::json!([3, 16, 24])));
    let record = dataset.record(49).unwrap().unwrap();
    assert_eq!(record, r#"{"id":49,"name":"49.bmp","cls":7}"#);
    conformance::read_back("tbl", "turboloader", "decoded images");
}

/// Forebay's reading of a file of the package, and that it finds nothing wrong with it.
fn agrees(path: &Path, rows: &[Value]) {
    let dataset = Dataset::open(path).unwrap();
    assert_eq!(dataset.tbl().unwrap().layout(), Layout::Turboloader);
    assert_eq!(dataset.len(), rows.len() as u64);
    let report = check(&dataset, 2, &mut |_| {}).unwrap();
    assert!(report.ok, "{report:?}");
    for (i, row) in rows.iter().enumerate() {
        let i = i as u64;
        let info = dataset.info(i).unwrap();
        assert_eq!(row["sha256"], sha256(&dataset.payload(i).unwrap()), "{i}");
        assert_eq!((&row["width"], &row["height"]), (&info.width.into(), &info.height.into()));
        assert_eq!((&row["bytes"], &row["format"]), (&info.bytes.into(), &info.format.code().into()));
        let text = dataset.record(i).unwrap().unwrap_or_default();
        assert_eq!(row["metadata"], text, "{i}");
    }
}
