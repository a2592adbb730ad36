//! Small datasets for the loader's tests.

use std::path::PathBuf;

use forebay_native::{
    Dataset,
    convert::{Job, Options, To},
};

use crate::common::{Folder, bmp, tar};

/// How wide sample `i` is: different widths, so that samples are told apart.
pub fn width(i: u64) -> u32 {
    8 + (i % 5) as u32
}

/// A tar of `n` small pictures with the labels `i % 3` and classes by name.
pub fn members(n: u64) -> Vec<(String, Vec<u8>)> {
    let one = |i: u64| {
        let json = format!(r#"{{"number":{i},"class":"{}"}}"#, ["cat", "ant", "bee"][(i % 3) as usize]);
        [
            (format!("set/{i:04}.bmp"), bmp(width(i), i as u32)),
            (format!("set/{i:04}.cls"), (i % 3).to_string().into_bytes()),
            (format!("set/{i:04}.json"), json.into_bytes()),
        ]
    };
    (0..n).flat_map(one).collect()
}

/// Writes a dataset as a tar and as a TBL.
pub fn write(folder: &Folder, name: &str, members: &[(String, Vec<u8>)]) -> (PathBuf, PathBuf) {
    let (archive, table) = (folder.at(&format!("{name}.tar")), folder.at(&format!("{name}.tbl")));
    std::fs::write(&archive, tar(members)).unwrap();
    Job::new(vec![Dataset::open(&archive).unwrap()], Options::new(To::Tbl)).run(&table).unwrap();
    (archive, table)
}

/// A TBL of `n` samples.
pub fn table(folder: &Folder, n: u64) -> PathBuf {
    write(folder, "train", &members(n)).1
}
