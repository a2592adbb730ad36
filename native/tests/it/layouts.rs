//! Layouts of datasets as people have them: which classes a folder has, how many samples, and what is said of the guess, or why
//! there are none.

use std::fs;

use forebay_native::{Dataset, input::expand};

use crate::{common::Folder, zip_made::archive};

/// The name of a layout, its files, its classes and samples, and words of the note.
type Layout = (&'static str, &'static str, &'static str, u64, &'static str);

const NONE: &str = "there are no classes";

const IMAGES: &[Layout] = &[
    ("ImageNet", "train/{n01,n02}/{1..2}.JPEG val/{n01,n02}/3.JPEG", "n01 n02", 6, "parts of a set"),
    (
        "ImageNet, as downloaded",
        "ILSVRC/Data/CLS-LOC/train/{n01,n02}/1.JPEG ILSVRC/Data/CLS-LOC/{val,test}/2.JPEG \
      ILSVRC/Annotations/CLS-LOC/val/2.xml",
        "n01 n02",
        4,
        "level 5",
    ),
    ("ImageNet, validation", "val/ILSVRC2012_val_{1..3}.JPEG", "", 3, NONE),
    (
        "Tiny ImageNet",
        "train/{n01,n02}/images/1.JPEG val/images/2.JPEG test/images/3.JPEG wnids.txt",
        "n01 n02",
        4,
        "level 2",
    ),
    ("one class", "cat/{1..2}.jpg", "cat", 2, "level 1"),
    ("CIFAR as images", "train/{airplane,bird}/1.png test/{airplane,bird}/2.png", "airplane bird", 4, "level 2"),
    ("MNIST as images", "training/{0..9}/1.png testing/{0..9}/2.png", "0 1 2 3 4 5 6 7 8 9", 20, "level 2"),
    ("Hugging Face, classes", "train/{cat,dog}/1.png test/{cat,dog}/2.png", "cat dog", 4, "level 2"),
    ("Hugging Face, metadata", "train/{1..2}.png train/metadata.jsonl", "", 2, NONE),
    ("Caltech 101", "101_ObjectCategories/{accordion,anchor}/1.jpg", "accordion anchor", 2, "level 2"),
    ("Caltech 256", "256_ObjectCategories/{001.ak47,002.flag}/001_0001.jpg", "001.ak47 002.flag", 2, "level 2"),
    ("Food 101", "food-101/images/{ice,pie}/1.jpg food-101/meta/train.txt", "ice pie", 2, "level 3"),
    (
        "CUB 200",
        "CUB_200_2011/images/{001.Black,002.Gray}/1.jpg CUB_200_2011/images.txt",
        "001.Black 002.Gray",
        2,
        "level 3",
    ),
    ("DTD", "dtd/images/{banded,dotted}/1.jpg dtd/labels/train1.txt", "banded dotted", 2, "level 3"),
    ("EuroSAT", "2750/{AnnualCrop,Forest}/1.jpg", "AnnualCrop Forest", 2, "level 2"),
    ("LFW", "lfw/{Aaron_A,Bob_B}/1.jpg", "Aaron_A Bob_B", 2, "level 2"),
    (
        "WIDER FACE",
        "{WIDER_train,WIDER_val}/images/{0--Parade,1--Handshaking}/1.jpg",
        "0--Parade 1--Handshaking",
        4,
        "level 3",
    ),
    ("Stanford Cars", "{cars_train,cars_test}/1.jpg devkit/cars_meta.mat", "", 2, NONE),
    ("Hymenoptera", "hymenoptera_data/{train,val}/{ants,bees}/1.jpg", "ants bees", 4, "level 3"),
    ("folds", "fold{1..3}/{cat,dog}/1.jpg", "cat dog", 6, "level 2"),
    ("names in capitals", "Train/{Cat,Dog}/1.JPG Test/{Cat,Dog}/2.JPG", "Cat Dog", 4, "level 2"),
    ("a Mac's archive", "train/{cat,dog}/1.jpg __MACOSX/train/cat/._1.jpg .DS_Store", "cat dog", 2, "level 2"),
    (
        "Oxford Pets",
        "images/Abyssinian_{1..2}.jpg annotations/trimaps/Abyssinian_{1..2}.png annotations/list.txt",
        "",
        4,
        NONE,
    ),
    ("Oxford Flowers", "jpg/image_{1..2}.jpg imagelabels.mat", "", 2, NONE),
    ("FGVC Aircraft", "fgvc-aircraft-2013b/data/images/{1..2}.jpg fgvc-aircraft-2013b/data/variants.txt", "", 2, NONE),
    ("SVHN", "{train,test,extra}/1.png train/digitStruct.mat", "", 3, NONE),
    ("parts, some with classes", "train/cat/1.jpg train/2.jpg", "", 2, NONE),
    ("masks in parts", "{train,val}/{images,masks}/1.png", "", 4, NONE),
    ("Kaggle, names", "train/{cat,dog}.{0..2}.jpg test/1.jpg", "", 7, NONE),
    ("Kaggle, a table", "{train,test}_images/{1..2}.jpg train.csv sample_submission.csv", "", 4, NONE),
    ("COCO", "{train,val}2017/1.jpg annotations/instances_{train,val}2017.json", "", 2, NONE),
    ("COCO in images", "coco/images/{train,val}2017/1.jpg coco/annotations/instances_val2017.json", "", 2, NONE),
    ("COCO, panoptic", "val2017/1.jpg panoptic_val2017/1.png annotations/panoptic_val2017.json", "", 2, NONE),
    (
        "Pascal VOC",
        "VOCdevkit/VOC2012/{JPEGImages,SegmentationClass}/1.jpg VOCdevkit/VOC2012/Annotations/1.xml",
        "",
        2,
        NONE,
    ),
    ("Pascal VOC, two years", "VOCdevkit/VOC{2007,2012}/JPEGImages/1.jpg", "", 2, NONE),
    ("YOLO", "images/{train,val}/1.jpg labels/{train,val}/1.txt data.yaml", "", 2, NONE),
    ("YOLO by Ultralytics", "coco128/images/train2017/{1..2}.jpg coco128/labels/train2017/{1..2}.txt", "", 2, NONE),
    ("Darknet", "obj_train_data/{1..2}.jpg obj_train_data/{1..2}.txt obj.data obj.names train.txt", "", 2, NONE),
    ("Roboflow, YOLO", "{train,valid,test}/images/1.jpg {train,valid,test}/labels/1.txt data.yaml", "", 3, NONE),
    ("Roboflow, COCO", "{train,valid}/1.jpg {train,valid}/_annotations.coco.json", "", 2, NONE),
    ("Roboflow, classes", "{train,valid,test}/{cat,dog}/1.jpg", "cat dog", 6, "level 2"),
    ("CVAT for images", "images/{1..2}.jpg annotations.xml", "", 2, NONE),
    ("CVAT, masks", "{JPEGImages,SegmentationClass,SegmentationObject}/1.png labelmap.txt", "", 3, NONE),
    ("Datumaro", "images/default/{1..2}.jpg annotations/default.json", "", 2, NONE),
    ("Label Studio, YOLO", "images/{1..2}.jpg labels/{1..2}.txt classes.txt notes.json", "", 2, NONE),
    ("Label Studio, COCO", "images/{1..2}.jpg result.json", "", 2, NONE),
    ("LabelMe", "{1..2}.jpg {1..2}.json", "", 2, ""),
    ("LabelMe in folders", "images/{1..2}.jpg annotations/{1..2}.json", "", 2, NONE),
    (
        "VisDrone",
        "VisDrone2019-DET-{train,val}/images/1.jpg VisDrone2019-DET-{train,val}/annotations/1.txt",
        "",
        2,
        NONE,
    ),
    ("DOTA", "{train,val}/images/P0001.png {train,val}/labelTxt/P0001.txt", "", 2, NONE),
    ("KITTI", "{training,testing}/image_2/000001.png training/label_2/000001.txt", "", 2, NONE),
    ("BDD100K", "bdd100k/images/100k/{train,val}/1.jpg bdd100k/labels/det_20/det_val.json", "", 2, NONE),
    ("Open Images", "{train,validation}/1.jpg train-annotations-bbox.csv class-descriptions.csv", "", 2, NONE),
    ("CrowdHuman", "Images/{1..2}.jpg annotation_train.odgt", "", 2, NONE),
    ("Cityscapes", "{leftImg8bit,gtFine}/{train,val}/{aachen,ulm}/1.png", "", 8, NONE),
    ("ADE20K", "ADEChallengeData2016/{images,annotations}/{training,validation}/1.png", "", 4, NONE),
    ("masks", "{images,masks}/{1..2}.png", "", 4, NONE),
    ("masks by Carvana", "train/1_01.jpg train_masks/1_01_mask.png", "", 2, NONE),
    ("masks in each class", "{COVID,Normal}/{images,masks}/1.png", "", 4, NONE),
    ("depth", "{rgb,depth}/1.png", "", 2, NONE),
    ("DIV2K", "DIV2K_{train,valid}_HR/0001.png", "", 2, NONE),
    ("pairs", "facades/{train,val,test}/1.jpg", "", 3, NONE),
    ("two domains", "horse2zebra/{trainA,trainB,testA,testB}/1.jpg", "", 4, NONE),
    ("videos", "{Archery,Biking}/v_{1..2}.mp4", "Archery Biking", 4, "level 1"),
    ("Kinetics", "{train,val}/{abseiling,bowling}/1.mp4", "abseiling bowling", 4, "level 2"),
];

/// Folders without images, and the error for each.
const OTHERS: &[(&str, &str, &str)] = &[
    ("CIFAR, pickled", "cifar-10-batches-py/data_batch_{1..5} cifar-10-batches-py/batches.meta", "6 other files"),
    ("MNIST", "train-images-idx3-ubyte train-labels-idx1-ubyte", "IDX"),
    ("Speech Commands", "{yes,no}/1.wav", "WAV"),
    ("LibriSpeech", "84/121123/84-{1..2}.flac 84/121123/84.trans.txt", "FLAC"),
    ("NIfTI", "case_{1..2}/flair.nii", "NIfTI"),
    ("DICOM", "patient/{1..2}.dcm", "DICOM"),
    ("NumPy", "{X,y}.npy", "npy"),
    ("HDF5", "data.h5", "HDF5"),
    ("WebDataset", "train-{000..002}.tar", "forebay concat"),
    ("Parquet", "data/train-{00000..00001}-of-00002.parquet", "forebay convert"),
    ("LMDB", "data.mdb lock.mdb", "LMDB"),
    ("Lance", "data/1.lance _versions/1.manifest", "Lance"),
    ("Zarr", "zarr.json c/0/0", "Zarr"),
    ("nothing", "README.md", "1 other file"),
];

/// First bytes as files of this name have them.
fn head(name: &str) -> Vec<u8> {
    match name.rsplit('.').next().unwrap_or_default() {
        "wav" => b"RIFF\x24\0\0\0WAVEfmt ".to_vec(),
        "flac" => b"fLaC\0\0\0\x22".to_vec(),
        "npy" => b"\x93NUMPY\x01\0v\0".to_vec(),
        "h5" => b"\x89HDF\r\n\x1a\n".to_vec(),
        "dcm" => [&[0; 128][..], b"DICM"].concat(),
        "nii" => [&348u32.to_le_bytes()[..], &[0; 340], b"n+1\0"].concat(),
        _ if name.ends_with("idx3-ubyte") => vec![0, 0, 8, 3, 0, 0, 0xea, 0x60, 0, 0, 0, 28, 0, 0, 0, 28],
        _ if name.ends_with("idx1-ubyte") => vec![0, 0, 8, 1, 0, 0, 0xea, 0x60],
        _ => b"x".to_vec(),
    }
}

fn made(files: &str) -> Folder {
    let folder = Folder::new();
    for pattern in files.split_whitespace() {
        for path in expand(&[folder.at(pattern)]).unwrap() {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, head(path.to_str().unwrap())).unwrap();
        }
    }
    folder
}

#[test]
fn folders_of_images_have_the_classes_that_people_meant() {
    let mut wrong = Vec::new();
    for (what, files, classes, samples, said) in IMAGES {
        let folder = made(files);
        let found = Dataset::open(folder.path()).unwrap();
        let names = found.folder().unwrap().classes().join(" ");
        let notes = found.notes().join("; ");
        if (names.as_str(), found.len()) != (*classes, *samples) || !notes.contains(said) {
            wrong.push(format!("{what}: {} samples, classes {names:?}: {notes}", found.len()));
        }
    }
    assert!(wrong.is_empty() && IMAGES.len() + OTHERS.len() >= 60, "{}", wrong.join("\n"));
}

/// A ZIP archive of all files in a folder.
fn zipped(folder: &Folder) -> Vec<u8> {
    let files =
        walkdir::WalkDir::new(folder.path()).into_iter().map(Result::unwrap).filter(|e| e.file_type().is_file());
    let files: Vec<(String, Vec<u8>)> = files
        .map(|e| (e.path().strip_prefix(folder.path()).unwrap().display().to_string(), fs::read(e.path()).unwrap()))
        .collect();
    let members: Vec<(&str, &[u8], bool)> =
        files.iter().map(|(name, bytes)| (name.as_str(), &bytes[..], false)).collect();
    archive(&members, false)
}

#[test]
fn archives_of_images_have_the_classes_of_their_folders() {
    let mut wrong = Vec::new();
    for (what, files, classes, samples, _) in IMAGES {
        let other = Folder::new();
        fs::write(other.at("a.zip"), zipped(&made(files))).unwrap();
        let found = Dataset::open(other.at("a.zip")).unwrap();
        let names = found.zip().unwrap().classes().join(" ");
        if (names.as_str(), found.len()) != (*classes, *samples) {
            wrong.push(format!("{what}: {} samples, classes {names:?}: {}", found.len(), found.notes().join("; ")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn folders_without_images_are_refused_and_say_what_they_hold() {
    let refused = |files: &str| Dataset::open(made(files).path()).unwrap_err();
    let all = OTHERS.iter().map(|(what, files, said)| (what, said, refused(files)));
    let wrong = all.filter(|(_, said, e)| e.code().id() != "format.not_samples" || !e.message().contains(**said));
    let wrong: Vec<_> = wrong.map(|(what, _, e)| format!("{what}: {e}")).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
