//! Packed JPEGs: the same files come out of a TBL, and the same numbers out of a loader.

use forebay::codec::Compression;
use forebay_native::{
    Dataset,
    convert::{Job, Options, To},
    loader::Dtype,
};

use super::decoded::{open, pictures, recipes, run};
use crate::common::Folder;

fn pack(folder: &Folder) -> (std::path::PathBuf, std::path::PathBuf) {
    let (plain, _) = pictures(folder);
    let packed = folder.at("packed.tbl");
    let mut options = Options::new(To::Tbl);
    (options.compression, options.verify) = (Compression::Packed, true);
    let summary = Job::new(vec![Dataset::open(&plain).unwrap()], options).run(&packed).unwrap();
    assert_eq!(summary.verified, summary.samples);
    assert!(summary.compressed_samples > 5, "{}", summary.compressed_samples);
    let note = summary.notes.iter().find(|note| note.contains("stored as they are"));
    assert!(note.is_some_and(|note| note.contains("1 progressive")), "{:?}", summary.notes);
    (plain, packed)
}

#[test]
fn packed_jpegs_are_read_and_converted_back_as_the_files_that_they_were() {
    let folder = Folder::new();
    let (plain, packed) = pack(&folder);
    let back = folder.at("back.tbl");
    Job::new(vec![Dataset::open(&packed).unwrap()], Options::new(To::Tbl)).run(&back).unwrap();
    let [plain, packed, back] = [plain, packed, back].map(|path| Dataset::open(&path).unwrap());
    for i in 0..plain.len() {
        assert_eq!(packed.payload(i).unwrap(), plain.payload(i).unwrap(), "sample {i}");
        assert_eq!(back.payload(i).unwrap(), plain.payload(i).unwrap(), "sample {i}");
    }
}

#[test]
fn packed_jpegs_give_a_loader_the_numbers_of_the_files() {
    let folder = Folder::new();
    let (plain, packed) = pack(&folder);
    for image in recipes() {
        for orient in [false, true] {
            let said = |path| run(open(path).image(image.clone()).dtype(Dtype::U8).orient(orient).labels("cls"), 2).0;
            let (mut found, expected) = (said(&packed), said(&plain));
            // Errors name the file.
            found.iter_mut().for_each(|text| *text = text.replace("packed.tbl", "pictures.tbl"));
            assert!(found == expected, "{image:?} {orient}");
        }
    }
}
