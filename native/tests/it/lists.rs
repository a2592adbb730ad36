//! Lists of images beside them, and labels that lie in an archive with its images.

use std::{collections::BTreeMap, fs, path::Path};

use forebay::annotations::{Format, ReadOptions};
use forebay_native::{
    Dataset,
    check::check,
    labels::{Open, inside},
    tables::{TableFormat, TableJob},
};
use serde_json::{Value, json};

use crate::{common::Folder, zip_made::archive};

/// A bitmap of 4 x 2 pixels, as far as its size needs.
fn picture() -> Vec<u8> {
    let mut bmp = b"BM".to_vec();
    bmp.extend([0; 12]);
    for value in [40u32, 4, 2, 1 | 24 << 16, 0, 24, 0, 0, 0, 0] {
        bmp.extend(value.to_le_bytes());
    }
    bmp.resize(54 + 24, 0);
    bmp
}

fn put(path: &Path, bytes: impl AsRef<[u8]>) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

/// The records of a folder that has these files, by their names; images have no text.
fn records(folder: &Folder, files: &[(&str, &str)]) -> (Dataset, BTreeMap<String, Value>) {
    for (name, text) in files {
        let image = name.ends_with(".bmp");
        put(&folder.at(name), if image { picture() } else { text.as_bytes().to_vec() });
    }
    let dataset = Dataset::open(folder.path()).unwrap();
    let named = |i: u64| (dataset.sample_name(i).unwrap().unwrap(), dataset.metadata_value(i).unwrap().unwrap());
    let records = (0..dataset.len()).map(named).collect();
    (dataset, records)
}

#[test]
fn the_nearest_list_says_what_an_image_is() {
    let folder = Folder::new();
    let (dataset, records) = records(
        &folder,
        &[
            ("a.bmp", ""),
            ("in/b.bmp", ""),
            ("in/c d.bmp", ""),
            ("in/e.bmp", ""),
            ("metadata.csv", "file_name,n,text\na.bmp,1,\"x\ny\"\nin/b.bmp,2,far\n./in/c d.bmp,3,\n"),
            ("in/metadata.jsonl", "{\"file_name\": \"b.bmp\", \"objects\": {\"bbox\": [[1, 2, 3, 4]]}}\n"),
        ],
    );
    assert_eq!(records["a.bmp"]["json"], json!({"file_name": "a.bmp", "n": 1, "text": "x\ny"}));
    assert_eq!(records["in/b.bmp"]["json"]["objects"]["bbox"], json!([[1, 2, 3, 4]]));
    assert_eq!(records["in/c d.bmp"]["json"]["n"], 3);
    assert_eq!(records["in/e.bmp"].get("json"), None);
    // The folder is no class where a list says all that is said.
    assert_eq!(records["in/e.bmp"].get("class"), None);
    let notes = dataset.notes().join("; ");
    assert!(notes.contains("metadata.csv describes 3 images, in these fields: json.n, json.text"), "{notes}");
    assert!(notes.contains("1 of 4 images are in no list") && dataset.losses().count() == 0, "{notes}");
    assert_eq!(dataset.folder().unwrap().left_out(), 0);
}

#[test]
fn a_parquet_list_is_read_and_an_own_file_goes_first() {
    let folder = Folder::new();
    put(&folder.at("list.jsonl"), "{\"file_name\": \"a.bmp\", \"n\": 7}\n{\"file_name\": \"b.bmp\", \"n\": 8}\n");
    TableJob::new(vec![folder.at("list.jsonl")], TableFormat::Parquet).run(&folder.at("metadata.parquet")).unwrap();
    let (_, records) = records(&folder, &[("a.bmp", ""), ("b.bmp", ""), ("b.json", "{\"own\": true}")]);
    assert_eq!(records["a.bmp"]["json"]["n"], 7);
    assert_eq!((&records["b.bmp"]["json"]["own"], &records["b.bmp"]["metadata"]["n"]), (&json!(true), &json!(8)));
}

#[test]
fn a_list_that_does_not_fit_is_a_fault_and_the_images_open() {
    for (list, text, said) in [
        ("metadata.csv", "file_name,n\na.bmp,1\n../b.bmp,2\n/etc/passwd,3\n", "2 rows name files"),
        ("metadata.jsonl", "{\"file_name\": \"a.bmp\"}\n{\"file_name\": \n", "line 2"),
        ("metadata.parquet", "PAR1", "metadata.parquet"),
    ] {
        let folder = Folder::new();
        let (dataset, records) = records(&folder, &[("a.bmp", ""), (list, text)]);
        assert_eq!(records.len(), 1);
        let faults: Vec<String> = dataset.losses().map(ToString::to_string).collect();
        assert!(faults.len() == 1 && faults[0].contains(said), "{list}: {faults:?}");
        let report = check(&dataset, 1, &mut |_| ()).unwrap();
        assert_eq!(report.faults.len(), 1, "{list}");
    }
    // Another table of that name is only left out, and said.
    let folder = Folder::new();
    let (dataset, _) =
        records(&folder, &[("a.bmp", ""), ("metadata.csv", "id,n\n1,2\n"), ("train.csv", "file_name\n")]);
    let notes = dataset.notes().join("; ");
    assert!(
        notes.contains("metadata.csv has no column file_name") && notes.contains("train.csv is not read"),
        "{notes}"
    );
    assert!(dataset.losses().count() == 0 && dataset.folder().unwrap().left_out() == 2);
}

/// The format of an export's labels, its files, and its first image as the labels name it.
type Export<'a> = (Format, &'a [(&'a str, &'a [u8])], &'a str);

#[test]
fn labels_in_an_archive_find_its_images() {
    let coco = |name: &str| {
        json!({
            "categories": [{"id": 1, "name": "car"}],
            "images": [{"id": 1, "file_name": name, "width": 4, "height": 2}],
            "annotations": [{"id": 1, "image_id": 1, "category_id": 1, "bbox": [1, 0, 2, 2], "area": 4, "iscrowd": 0}],
        })
        .to_string()
        .into_bytes()
    };
    let (one, two) = (coco("a.bmp"), coco("b.bmp"));
    let (yaml, line) = (b"train: images/train\nnames: [x, car]\n".to_vec(), b"1 0.5 0.5 0.5 1\n".to_vec());
    let picture = picture();
    let sets: [Export<'_>; 3] = [
        (
            Format::Yolo,
            &[("top/data.yaml", &yaml), ("top/images/train/a.bmp", &picture), ("top/labels/train/a.txt", &line)],
            "images/train/a.bmp",
        ),
        (
            Format::Coco,
            &[
                ("train/_annotations.coco.json", &one),
                ("train/a.bmp", &picture),
                ("valid/_annotations.coco.json", &two),
                ("valid/b.bmp", &picture),
                ("README.txt", b"words"),
            ],
            "train/a.bmp",
        ),
        (Format::Coco, &[("a.bmp", &picture), ("labels.json", &one)], "a.bmp"),
    ];
    for (format, files, name) in sets {
        for deflated in [false, true] {
            let folder = Folder::new();
            let members: Vec<_> = files.iter().map(|(name, bytes)| (*name, *bytes, deflated)).collect();
            put(&folder.at("export.zip"), archive(&members, false));
            let dataset = Dataset::open(folder.at("export.zip")).unwrap();
            assert_eq!(inside(&dataset), Some(format));
            let images = files.iter().filter(|(name, _)| name.ends_with(".bmp")).count();
            assert_eq!(dataset.len(), images as u64);
            let set = Open::new(ReadOptions::default()).read(&folder.at("export.zip")).unwrap();
            assert_eq!((set.format, set.labels.pictures.len(), set.labels.annotations()), (format, images, images));
            assert_eq!(set.labels.pictures[0].name, name);
            assert_eq!(set.labels.pictures[0].annotations[0].rect.width(), 2.0);
        }
    }
    // Labels that do not read are named inside of the archive.
    let folder = Folder::new();
    let broken: &[(&str, &[u8], bool)] = &[
        ("data.yaml", &yaml, false),
        ("images/train/a.bmp", &picture, false),
        ("labels/train/a.txt", b"1 2\n", false),
    ];
    put(&folder.at("export.zip"), archive(broken, false));
    let e = Open::new(ReadOptions::default()).read(&folder.at("export.zip")).unwrap_err().to_string();
    assert!(e.contains("export.zip/labels/train/a.txt: line 1"), "{e}");
}
