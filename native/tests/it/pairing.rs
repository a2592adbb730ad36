//! Labels beside samples: over random trees of names, everything that pairs them gives each sample its own image's labels or
//! none, as a search through all names says, and refuses the same trees.

use std::{collections::BTreeMap, fs, path::Path, sync::Arc};

use forebay::{
    annotations::{Classes, ReadOptions, record},
    order::Tail,
};
use forebay_native::{
    Dataset,
    convert::{Job, Options, To},
    labels::{Beside, Open},
    loader::{Annotations, Image, Loader, OnBroken},
    warehouse::{self, Settings},
};
use serde_json::json;

use crate::{
    common::{Folder, bmp, tar},
    dice::Dice,
};

/// The image of each sample that has one; an error where a name could mean several.
type Pairs = Result<BTreeMap<String, usize>, String>;

const WORDS: [&str; 5] = ["a", "b", "ab", "train", "val"];

fn folders(dice: &mut Dice, most: u64) -> String {
    (0..dice.below(most + 1)).map(|_| format!("{}/", WORDS[dice.below(5) as usize])).collect()
}

/// Samples, and how labels name some of them, and others that are not there.
fn tree(dice: &mut Dice, names: u64) -> (Vec<String>, Vec<String>) {
    let many = names * (1 + dice.below(4));
    let mut samples: Vec<String> =
        (0..names).map(|_| format!("{}{}.bmp", folders(dice, 3), dice.below(many))).collect();
    samples.sort_unstable();
    samples.dedup();
    let mut images = Vec::new();
    for sample in &samples {
        let tail = sample.match_indices('/').nth(dice.below(5) as usize).map_or(0, |(at, _)| at + 1);
        images.push(match dice.below(12) {
            0..=4 => sample.clone(),
            5 | 6 => sample[tail..].to_owned(),
            7 => format!("./{sample}"),
            8 => sample.replace('/', "\\"),
            9 => format!("{}{sample}", folders(dice, 2)),
            10 => sample.trim_end_matches(".bmp").to_owned(),
            _ => format!("{}{}.bmp", folders(dice, 3), dice.below(many)),
        });
    }
    images.sort_unstable();
    images.dedup();
    (samples, images)
}

/// The image that a sample is, found by looking at all.
fn image_of(sample: &str, images: &[String]) -> Result<Option<usize>, String> {
    let plain = |name: &str| name.replace('\\', "/").trim_start_matches("./").to_owned();
    let found = |is: &dyn Fn(&str) -> bool| {
        images.iter().enumerate().filter(|(_, image)| is(&plain(image))).map(|(k, _)| k).collect::<Vec<_>>()
    };
    for name in [sample, sample.strip_suffix(".bmp").unwrap()] {
        let ends = std::iter::once(0).chain(name.match_indices('/').map(|(at, _)| at + 1));
        if let Some(k) = ends.map(|at| &name[at..]).find_map(|end| found(&|image| image == end).first().copied()) {
            return Ok(Some(k));
        }
        match found(&|image| image.ends_with(&format!("/{name}")))[..] {
            [] => {}
            [k] => return Ok(Some(k)),
            _ => return Err("label.ambiguous".into()),
        }
    }
    Ok(None)
}

fn right(samples: &[String], images: &[String]) -> Pairs {
    let mut pairs = BTreeMap::new();
    for sample in samples {
        let Some(k) = image_of(sample, images)? else { continue };
        if pairs.values().any(|taken| *taken == k) {
            return Err("label.ambiguous".into());
        }
        pairs.insert(sample.clone(), k);
    }
    Ok(pairs)
}

/// Whose labels each sample's first class says that it has.
fn number(class: &str) -> usize {
    class.strip_prefix('c').unwrap().parse().unwrap()
}

fn code(e: &forebay::Error) -> String {
    e.code().id().into()
}

fn converted(source: &Path, labels: &Path, folder: &Folder) -> Pairs {
    let mut options = Options::new(To::Tbl);
    let read = Open::new(ReadOptions::default()).read(labels).unwrap();
    options.labels = Some(Arc::new(Beside::new(read, ReadOptions::default())));
    options.force = true;
    Job::new(vec![Dataset::open(source).unwrap()], options).run(&folder.at("a.tbl")).map_err(|e| code(&e))?;
    let table = Dataset::open(folder.at("a.tbl")).unwrap();
    let one = |i| {
        let mut classes = Classes::default();
        let found = record::read(&table.metadata_value(i).unwrap().unwrap(), &mut classes).unwrap()?;
        let class = found.annotations.first()?.class?;
        Some((table.sample_name(i).unwrap().unwrap(), number(classes.name(class).unwrap())))
    };
    Ok((0..table.len()).filter_map(one).collect())
}

fn batches(mut loader: Loader) -> BTreeMap<String, usize> {
    let classes = loader.box_classes().to_vec();
    let mut pairs = BTreeMap::new();
    for batch in loader.epoch(0).unwrap() {
        let batch = batch.unwrap();
        let names = batch.names().unwrap().into_iter().map(Option::unwrap);
        for (name, class) in names.zip(batch.box_classes()) {
            if let Ok(class) = usize::try_from(*class) {
                pairs.insert(name, number(&classes[class]));
            }
        }
    }
    pairs
}

fn loaded(source: &Path, labels: &Path) -> Pairs {
    let loader = Loader::open(source).unwrap().image(Image::new(1, 1)).annotations(Annotations::file(labels));
    let loader = loader.max_boxes(1).on_broken(OnBroken::Skip).workers(1).batch(64).tail(Tail::Uneven);
    loader.build().map(batches).map_err(|e| code(&e))
}

fn stored(source: &Path, labels: &Path) -> Pairs {
    let out = Folder::new();
    let mut settings = Settings::default().with_size(1, 1).with_max_boxes(1).with_labels(labels);
    (settings.sync, settings.allow_violations) = (false, true);
    let built = warehouse::build(&[source.to_owned()], out.path(), &settings).map_err(|e| code(&e))?;
    let loader = Loader::open(&built.manifest).unwrap().batch(64).tail(Tail::Uneven).allow_violations(true);
    Ok(batches(loader.build().unwrap()))
}

#[test]
fn every_door_pairs_samples_and_labels_alike_and_none_wrong() {
    let trees = std::env::var("FOREBAY_TREES").map_or(200, |text| text.parse().unwrap());
    let (mut dice, mut paired, mut refused) = (Dice(7), 0, 0);
    for round in 0..trees {
        let names = if round % 50 == 49 { 500 } else { 1 + dice.below(24) };
        let (samples, images) = tree(&mut dice, names);
        let expected = right(&samples, &images);
        if expected.as_ref().is_ok_and(BTreeMap::is_empty) {
            continue;
        }
        let folder = Folder::new();
        let (source, labels) = (folder.at("a.tar"), folder.at("coco.json"));
        let members: Vec<_> = samples.iter().enumerate().map(|(i, name)| (name, bmp(4, i as u32))).collect();
        fs::write(&source, tar(&members)).unwrap();
        let all = images.iter().enumerate();
        let coco = json!({
            "images": all.clone().map(|(k, name)| json!({ "id": k, "file_name": name, "width": 4, "height": 2 })).collect::<Vec<_>>(),
            "categories": all.clone().map(|(k, _)| json!({ "id": k, "name": format!("c{k}") })).collect::<Vec<_>>(),
            "annotations": all.map(|(k, _)| json!({ "id": k, "image_id": k, "category_id": k, "bbox": [0, 0, 2, 1] })).collect::<Vec<_>>(),
        });
        fs::write(&labels, coco.to_string()).unwrap();
        let found = [converted(&source, &labels, &folder), loaded(&source, &labels), stored(&source, &labels)];
        for (door, found) in ["convert", "loader", "warehouse"].iter().zip(found) {
            assert_eq!(found, expected, "{door}, tree {round}: samples {samples:?}, images {images:?}");
        }
        match expected {
            Ok(pairs) => paired += pairs.len(),
            Err(_) => refused += 1,
        }
    }
    assert!(paired > 2 * trees && refused > trees / 20 && refused < trees, "{paired} pairs, {refused} trees refused");
}
