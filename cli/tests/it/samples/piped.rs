//! Standard input instead of a file.

use std::{
    fs,
    io::Write,
    process::{Command, Stdio},
};

use crate::{
    common::{FOREBAY, Folder, bmp, tar},
    samples::whole::{Members, read, same},
};

#[test]
fn standard_input_gives_the_same_tbl_as_the_mapped_file() {
    // More samples than room is reserved for, so that payloads must move.
    let members: Members = (0..5000).map(|i| (format!("{i:05}.bmp"), bmp(5 + i % 30, i))).collect();
    let file = tar(&members);
    for layout in ["guide", "turboloader"] {
        let folder = Folder::new();
        fs::write(folder.at("a.tar"), &file).unwrap();
        let convert = |input: &str, output: &str| {
            let arguments = ["convert", input, output, "--no-sync", "-q"];
            let of_tbl = ["--layout", layout, "--compression", "lz4"];
            let more = if output.ends_with(".tbl") { &of_tbl[..] } else { &[] };
            let mut child = Command::new(FOREBAY)
                .args(arguments)
                .args(more)
                .current_dir(folder.path())
                .stdin(Stdio::piped())
                .spawn()
                .unwrap();
            let mut stdin = child.stdin.take().unwrap();
            if input == "-" {
                stdin.write_all(&file).unwrap();
            }
            drop(stdin);
            assert!(child.wait().unwrap().success());
        };
        convert("a.tar", "mapped.tbl");
        convert("-", "streamed.tbl");
        same(&folder.at("mapped.tbl"), &folder.at("streamed.tbl"));
        convert("streamed.tbl", "back.tar");
        assert_eq!(read(&folder.at("back.tar")), members);
    }
}
