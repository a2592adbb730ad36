//! Labels that are mixed, padded, empty, or named otherwise than the samples.

use std::path::PathBuf;

use forebay_native::{
    loader::{Batch, Labels, Loader},
    tables::{TableFormat, TableJob},
};

use crate::{
    common::{Folder, bmp},
    loader::support::write,
};

/// A tar, a TBL and a folder of pictures with these texts beside them, in two folders by turns.
fn datasets(folder: &Folder, texts: &[Option<&str>]) -> [PathBuf; 3] {
    let mut members = Vec::new();
    for (i, text) in texts.iter().enumerate() {
        members.push((format!("f{}/{i:04}.bmp", i % 2), bmp(8, i as u32)));
        members.extend(text.map(|text| (format!("f{}/{i:04}.cls", i % 2), text.as_bytes().to_vec())));
    }
    let tree = folder.at("tree");
    for (name, content) in &members {
        std::fs::create_dir_all(tree.join(name).parent().unwrap()).unwrap();
        std::fs::write(tree.join(name), content).unwrap();
    }
    let (archive, table) = write(folder, "train", &members);
    [archive, table, tree]
}

/// The classes, and each sample's label or what is wrong with it, in the order of the names.
fn labels(path: &PathBuf, labels: impl Into<Labels>) -> (Vec<String>, Vec<Result<i64, String>>) {
    let mut loader = Loader::open(path).unwrap().batch(1).labels(labels).build().unwrap();
    let classes = loader.classes().into_iter().map(str::to_owned).collect();
    let mut all: Vec<(String, Result<i64, String>)> = Vec::new();
    let mut plain = Loader::open(path).unwrap().batch(1).build().unwrap();
    let names = |batch: forebay::Result<Batch>| batch.unwrap().names().unwrap().remove(0).unwrap();
    let numbers: Vec<String> = plain.epoch(0).unwrap().map(names).collect();
    for (batch, name) in loader.epoch(0).unwrap().zip(numbers) {
        let name = name.split_once('/').unwrap().1.to_owned();
        all.push((name, batch.map(|b| b.labels()[0]).map_err(|e| e.message().to_owned())));
    }
    all.sort_by(|a, b| a.0.cmp(&b.0));
    (classes, all.into_iter().map(|(_, label)| label).collect())
}

#[test]
fn line_ends_behind_names_are_not_of_them_and_empty_files_say_nothing() {
    let folder = Folder::new();
    for path in datasets(&folder, &[Some("dog\n"), Some(" cat"), Some("dog"), Some(""), Some("\n")]) {
        let (classes, found) = labels(&path, Labels::field("cls").missing(-1));
        assert_eq!(classes, ["cat", "dog"], "{path:?}");
        assert_eq!(found, [Ok(1), Ok(0), Ok(1), Ok(-1), Ok(-1)]);
        let (_, found) = labels(&path, Labels::field("cls").classes(["dog", "cat"]).missing(-1));
        assert_eq!(found[..3], [Ok(0), Ok(1), Ok(0)]);
    }
}

#[test]
fn numbers_among_names_are_refused_and_numbers_of_listed_classes_must_be_theirs() {
    let folder = Folder::new();
    for path in datasets(&folder, &[Some("cat"), Some("cat"), Some("1"), Some("7")]) {
        let (classes, found) = labels(&path, "cls");
        assert_eq!((&classes[..], &found[..2]), (&["cat".to_owned()][..], &[Ok(0), Ok(0)][..]));
        assert!(found[2..].iter().all(|label| label.as_ref().unwrap_err().contains("is a number")), "{found:?}");
        let (_, found) = labels(&path, Labels::field("cls").classes(["dog", "cat"]));
        assert_eq!(found[..3], [Ok(1), Ok(1), Ok(1)]);
        assert!(found[3].as_ref().unwrap_err().contains("not the number of one of the 2 classes"), "{found:?}");
    }
}

#[test]
fn the_least_and_the_greatest_numbers_are_labels_and_those_beyond_are_not() {
    let folder = Folder::new();
    let texts = ["9223372036854775807", "-9223372036854775808", "9223372036854775808", "-9223372036854775809"];
    for path in datasets(&folder, &texts.map(Some)) {
        let (_, found) = labels(&path, "cls");
        assert_eq!(found[..2], [Ok(i64::MAX), Ok(i64::MIN)]);
        assert!(found[2..].iter().all(Result::is_err));
    }
}

#[test]
fn the_classes_of_folders_are_not_those_of_other_names() {
    let folder = Folder::new();
    let all = datasets(&folder, &[Some("cat"), Some("dog"), Some("cat")]);
    let csv = folder.at("labels.csv");
    std::fs::write(&csv, "file,kind\n0000,elk\n0001,bee\n0002,elk\n").unwrap();
    for path in &all {
        assert_eq!(labels(path, "cls"), (vec!["cat".into(), "dog".into()], vec![Ok(0), Ok(1), Ok(0)]), "{path:?}");
        let table = Labels::table(&csv, "file", "kind");
        assert_eq!(labels(path, table), (vec!["bee".into(), "elk".into()], vec![Ok(1), Ok(0), Ok(1)]));
        assert_eq!(labels(path, Labels::folder()), (vec!["f0".into(), "f1".into()], vec![Ok(0), Ok(1), Ok(0)]));
    }
}

#[test]
fn a_row_that_could_be_of_several_samples_is_refused_and_of_the_others_each_has_its_own() {
    let folder = Folder::new();
    let pictures = folder.at("pictures");
    for name in ["v1/1.bmp", "v2/1.bmp", "v2/2.bmp"] {
        let path = pictures.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, crate::common::bmp(4, 4)).unwrap();
    }
    let (csv, lines) = (folder.at("labels.csv"), folder.at("labels.jsonl"));
    let build = |labels: Labels| Loader::open(&pictures).unwrap().batch(3).labels(labels.missing(-1)).build();
    let csv_of = |rows: &str| {
        std::fs::write(&csv, format!("file,y\n{rows}")).unwrap();
        build(Labels::table(&csv, "file", "y"))
            .and_then(|mut loader| Ok(loader.next_batch()?.unwrap().labels().to_vec()))
    };
    // The row names one of them by its folder: the other has none.
    assert_eq!(csv_of("v1/1.bmp,5\n2,7\n").unwrap(), [5, -1, 7]);
    assert_eq!(csv_of("v1/1,5\nx/v2/1.bmp,6\n").unwrap(), [5, 6, -1]);
    for rows in ["1.bmp,5\n", "1,5\n"] {
        assert_eq!(csv_of(rows).unwrap_err().code().id(), "label.ambiguous", "{rows}");
    }
    std::fs::write(&lines, "{\"id\":1,\"y\":5}\n").unwrap();
    let e = build(Labels::table(&lines, "id", "y")).unwrap_err();
    assert_eq!(e.code().id(), "label.ambiguous", "{e}");
    std::fs::write(&lines, "{\"id\":2,\"y\":5}\n").unwrap();
    assert_eq!(build(Labels::table(&lines, "id", "y")).unwrap().next_batch().unwrap().unwrap().labels(), [-1, -1, 5]);
}

#[test]
fn a_table_of_numbers_joins_names_that_are_numbers() {
    let folder = Folder::new();
    let all = datasets(&folder, &[None, None, None]);
    let lines = folder.at("labels.jsonl");
    std::fs::write(&lines, "{\"id\":0,\"y\":5}\n{\"id\":1.0,\"y\":6}\n{\"id\":2,\"y\":7}\n").unwrap();
    let csv = folder.at("labels.csv");
    std::fs::write(&csv, "id,y\n0,5\n1,6\n2,7\n").unwrap();
    let parquet = folder.at("labels.parquet");
    TableJob::new(vec![csv.clone()], TableFormat::Parquet).run(&parquet).unwrap();
    for path in &all {
        for table in [&lines, &parquet] {
            assert_eq!(labels(path, Labels::table(table, "id", "y")).1, [Ok(5), Ok(6), Ok(7)], "{path:?} {table:?}");
        }
        // In CSV names are text, and 0 is not 0000: no sample has a row, which is a mistake that is said at once.
        let e = Loader::open(path).unwrap().labels(Labels::table(&csv, "id", "y")).build().unwrap_err();
        assert!(e.code().id() == "loader.settings" && e.message().contains("0000.bmp"), "{e}");
        let mut unlabeled =
            Loader::open(path).unwrap().batch(3).labels(Labels::table(&csv, "id", "y").missing(9)).build().unwrap();
        assert_eq!(unlabeled.next_batch().unwrap().unwrap().labels(), [9; 3]);
    }
}
