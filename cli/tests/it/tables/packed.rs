//! An output's name is a promise: text is compressed as it says, everything else says why not.

use std::{fs, io::Read, process::Command};

use serde_json::{Value, json};

fn run(folder: &std::path::Path, args: &[&str]) -> (i32, Value) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_forebay"));
    let out = command.args(args).arg("--json").current_dir(folder).output().unwrap();
    let text = String::from_utf8(out.stdout).unwrap();
    (out.status.code().unwrap(), text.lines().next().map_or(Value::Null, |line| serde_json::from_str(line).unwrap()))
}

#[test]
fn text_under_a_compressed_name_is_compressed_and_reads_back() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let rows: String = (0..20_000).map(|i| format!("{i},name {}\n", i % 7)).collect();
    fs::write(at("t.csv"), format!("id,name\n{rows}")).unwrap();
    for name in ["t.csv.gz", "t.tsv.zst", "t.jsonl.gz", "t.ndjson.ZST"] {
        let (code, said) = run(folder.path(), &["convert", "t.csv", name, "--verify"]);
        assert_eq!((code, &said["rows"], &said["verified"]), (0, &json!(20_000), &json!(20_000)), "{name}: {said}");
        let bytes = fs::read(at(name)).unwrap();
        assert_eq!(said["output_bytes"], json!(bytes.len()), "{name}");
        let text = if name.ends_with("gz") {
            assert!(bytes.starts_with(&[0x1f, 0x8b, 8]) && bytes[4..8] == [0; 4], "{name}");
            let mut text = String::new();
            flate2::read::GzDecoder::new(&bytes[..]).read_to_string(&mut text).unwrap();
            text
        } else {
            String::from_utf8(zstd::decode_all(&bytes[..]).unwrap()).unwrap()
        };
        assert!(text.lines().count() >= 20_000 && bytes.len() < text.len() / 3, "{name}");
        assert_eq!(run(folder.path(), &["check", name]).0, 0, "{name}");
        // The same rows are the same bytes, whenever they are written.
        run(folder.path(), &["convert", "t.csv", name, "--force"]);
        assert_eq!(fs::read(at(name)).unwrap(), bytes, "{name}");
    }
    run(folder.path(), &["convert", "t.csv", "s.csv.gz", "--level", "9"]);
    assert!(fs::metadata(at("s.csv.gz")).unwrap().len() < fs::metadata(at("t.csv.gz")).unwrap().len());
    assert_eq!(run(folder.path(), &["convert", "t.csv", "s.csv.zst", "--level", "23"]).0, 2);
}

#[test]
fn a_promise_that_is_not_kept_is_refused_in_words() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("t.csv"), "id\n1\n").unwrap();
    for (args, words) in [
        (
            &["t.csv", "t.parquet.gz"][..],
            "parquet is not written in gzip; leave it out, and compress inside of the file; see --compression",
        ),
        (&["t.csv", "t.arrow.lz4", "--to", "arrow"], "arrow is not written in LZ4"),
        (&["t.csv", "t.tbf.zst"], "tbf is not written in Zstandard; leave it out"),
        (&["t.csv", "t.idv.gz"], "idv is not written in gzip"),
        (&["t.csv", "t.csv.bz2", "--to", "csv"], "csv is not written in bzip2; .gz and .zst are"),
        (&["t.csv", "t.zip", "--to", "csv"], "csv is not written in ZIP"),
    ] {
        let (code, said) = run(folder.path(), &[&["convert"], args].concat());
        assert_eq!((code, &said["error"]["code"]), (2, &json!("usage.argument")), "{args:?}: {said}");
        assert!(said["error"]["message"].as_str().unwrap().contains(words), "{args:?}: {said}");
    }
    // Samples: a folder of one picture.
    let gif = [&b"\x89PNG\r\n\x1a\n"[..], &[0; 40]].concat();
    fs::create_dir(folder.path().join("pictures")).unwrap();
    fs::write(folder.path().join("pictures/a.png"), gif).unwrap();
    for name in ["t.tar.gz", "t.tgz", "t.tbl.zst"] {
        let to = if name.contains("tbl") { "tbl" } else { "tar" };
        let (code, said) = run(folder.path(), &["convert", "pictures", name, "--to", to]);
        assert_eq!((code, &said["error"]["code"]), (2, &json!("usage.argument")), "{name}: {said}");
        assert!(said["error"]["message"].as_str().unwrap().contains("is not written in"), "{name}: {said}");
    }
    let left: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), 2, "{left:?}");
}
