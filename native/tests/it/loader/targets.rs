//! Named targets of every kind: what a batch holds of them, what is refused, what is broken.

use std::path::PathBuf;

use forebay::image::transform::Resampling;
use forebay_native::loader::{Batch, Builder, Image, Labels, Loader, OnBroken, Target, padded};

use crate::{
    common::{Folder, bmp},
    loader::support::write,
};

/// A tar, a TBL and a folder of pictures with these texts beside them.
fn datasets(folder: &Folder, texts: &[&str]) -> [PathBuf; 3] {
    let mut members = Vec::new();
    for (i, text) in texts.iter().enumerate() {
        members.push((format!("{i:04}.bmp"), bmp(8, i as u32)));
        members.push((format!("{i:04}.json"), text.as_bytes().to_vec()));
    }
    let tree = folder.at("tree");
    std::fs::create_dir_all(&tree).unwrap();
    for (name, content) in &members {
        std::fs::write(tree.join(name), content).unwrap();
    }
    let (archive, table) = write(folder, "train", &members);
    [archive, table, tree]
}

fn first(builder: Builder) -> Batch {
    builder.build().unwrap().next_batch().unwrap().unwrap()
}

fn code(builder: Builder) -> (&'static str, String) {
    let e = builder.build().unwrap_err();
    (e.code().id(), e.message().to_owned())
}

const ALL: [&str; 3] = [
    r#"{"age":7,"speed":1.5,"pose":[1,2.5,[3,4]],"tokens":[5,6],"tags":["wet","dark"],"says":"hé","kind":"dog"}"#,
    r#"{"age":-1.0,"speed":2,"pose":"4, 3 2.5;1","tokens":[],"tags":[],"says":"","kind":"cat"}"#,
    r#"{"age":"12","speed":"3e1","pose":[0,0,0,0],"tokens":[9],"tags":"dark","says":"x\ny","kind":"cat"}"#,
];

#[test]
fn values_of_every_kind_come_by_their_names() {
    let folder = Folder::new();
    for path in datasets(&folder, &ALL) {
        let open = || Loader::open(&path).unwrap().batch(3).workers(2);
        let mut loader = open()
            .target("age", Target::int("json.age"))
            .target("speed", Target::float("json.speed"))
            .target("pose", Target::floats("json.pose").shape([2, 2]))
            .target("tokens", Target::ints("json.tokens"))
            .target("tags", Target::multi_hot("json.tags"))
            .target("says", Target::text("json.says"))
            .target("kind", Target::class("json.kind"))
            .build()
            .unwrap();
        assert_eq!(loader.targets().collect::<Vec<_>>(), ["age", "speed", "pose", "tokens", "tags", "says", "kind"]);
        assert_eq!(
            (loader.target_classes("tags"), loader.target_classes("kind")),
            (vec!["dark", "wet"], vec!["cat", "dog"])
        );
        for _ in 0..3 {
            let batch = loader.next_batch().unwrap().unwrap();
            let of = |name: &str| batch.target(name).unwrap();
            assert_eq!((of("age").values().i64().unwrap(), of("age").shape()), (&[7, -1, 12][..], vec![3]), "{path:?}");
            assert_eq!(of("speed").values().f32().unwrap(), [1.5, 2.0, 30.0]);
            let pose = [1.0, 2.5, 3.0, 4.0, 4.0, 3.0, 2.5, 1.0, 0.0, 0.0, 0.0, 0.0];
            assert_eq!((of("pose").values().f32().unwrap(), of("pose").shape()), (&pose[..], vec![3, 2, 2]));
            let tokens = of("tokens");
            assert_eq!(
                (tokens.values().i64().unwrap(), tokens.offsets().unwrap()),
                (&[5, 6, 9][..], &[0, 2, 2, 3][..])
            );
            assert_eq!(padded(&[5, 6, 9], tokens.offsets().unwrap(), 1, 0), (vec![5, 6, 0, 0, 9, 0], 2));
            assert_eq!(of("tags").values().f32().unwrap(), [1.0, 1.0, 0.0, 0.0, 1.0, 0.0]);
            assert_eq!(of("says").texts().collect::<Vec<_>>(), ["hé", "", "x\ny"]);
            assert_eq!(of("says").values().u8().unwrap(), "héx\ny".as_bytes());
            assert_eq!(of("kind").values().i64().unwrap(), [1, 0, 0]);
            assert!(batch.target("other").is_none() && of("age").mask().is_none() && of("age").offsets().is_none());
            drop(batch);
            assert!(loader.next_batch().unwrap().is_none());
        }
        let listed = first(open().target("tags", Target::multi_hot("json.tags").classes(["wet", "dry", "dark"])));
        assert_eq!(
            listed.target("tags").unwrap().values().f32().unwrap(),
            [1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]
        );
    }
}

#[test]
fn columns_of_tables_are_joined_by_name() {
    let folder = Folder::new();
    let csv = folder.at("more.csv");
    std::fs::write(&csv, "file,age,pose,says\n0000,7,1 2,a\n0002.bmp,9,3 4,\"b,c\"\n").unwrap();
    let lines = folder.at("more.jsonl");
    std::fs::write(&lines, "{\"file\":\"0000\",\"pose\":[1,2]}\n{\"file\":\"0002.bmp\",\"pose\":[3,4]}\n").unwrap();
    for path in datasets(&folder, &ALL) {
        let batch = first(
            Loader::open(&path)
                .unwrap()
                .batch(3)
                .target("age", Target::int("").table(&csv, "file", "age").missing(-1.0))
                .target("pose", Target::floats("").table(&csv, "file", "pose").shape([2]).missing(f64::NAN))
                .target("list", Target::floats("").table(&lines, "file", "pose").optional())
                .target("text", format!("text/optional:{}#file,says", csv.display())),
        );
        let of = |name: &str| batch.target(name).unwrap();
        assert_eq!(of("age").values().i64().unwrap(), [7, -1, 9]);
        let pose = of("pose").values().f32().unwrap();
        assert!(pose[2].is_nan() && pose[3].is_nan());
        assert_eq!([pose[0], pose[1], pose[4], pose[5]], [1.0, 2.0, 3.0, 4.0]);
        assert_eq!(
            (of("list").values().f32().unwrap(), of("list").offsets().unwrap()),
            (&[1.0, 2.0, 3.0, 4.0][..], &[0, 2, 2, 4][..])
        );
        assert_eq!(of("text").texts().collect::<Vec<_>>(), ["a", "", "b,c"]);
    }
}

#[test]
fn what_is_missing_or_wrong_follows_the_policy() {
    let folder = Folder::new();
    let texts = [
        r#"{"age":7,"tokens":[1,2]}"#,
        r#"{"tokens":[3]}"#,
        r#"{"age":[8],"tokens":[4]}"#,
        r#"{"age":9,"tokens":[5,6]}"#,
    ];
    for path in datasets(&folder, &texts) {
        let open = |policy| {
            let builder = Loader::open(&path).unwrap().batch(4).on_broken(policy);
            builder.target("age", "int:json.age").target("tokens", "ints:json.tokens")
        };
        let e = open(OnBroken::Raise).build().unwrap().next_batch().unwrap_err();
        assert_eq!((e.code().id(), e.place().sample), ("loader.target_missing", Some(1)), "{e}");
        assert!(e.message().contains("\"age\""), "{e}");
        let mut loader = open(OnBroken::Skip).build().unwrap();
        let batch = loader.next_batch().unwrap().unwrap();
        let causes: Vec<_> = loader.causes().iter().map(|(code, n)| (*code, *n)).collect();
        assert_eq!(causes, [("loader.target_missing", 1), ("loader.target_value", 1)]);
        let codes: Vec<_> = batch.skipped().iter().map(|one| (one.index, one.error.code().id())).collect();
        assert_eq!(codes, [(1, "loader.target_missing"), (2, "loader.target_value")]);
        let of = |name: &str| batch.target(name).unwrap();
        assert_eq!((batch.indices(), of("age").values().i64().unwrap()), (&[0, 3][..], &[7, 9][..]));
        assert_eq!(
            (of("tokens").values().i64().unwrap(), of("tokens").offsets().unwrap()),
            (&[1, 2, 5, 6][..], &[0, 2, 4][..])
        );
        let batch = first(open(OnBroken::Replace));
        assert_eq!(batch.indices()[0], 0);
        assert_eq!(batch.target("age").unwrap().values().i64().unwrap(), [7, 9, 9, 9]);
        assert_eq!(batch.target("tokens").unwrap().values().i64().unwrap(), [1, 2, 5, 6, 5, 6, 5, 6]);
    }
}

#[test]
fn whole_numbers_that_are_too_great_are_said_to_be_that() {
    let folder = Folder::new();
    for (value, wanted) in [("1e20", "too large"), ("1.5", "not a whole number"), ("\"NaN\"", "not a whole number")] {
        let path = folder.at("one.tar");
        let json = format!("{{\"age\":{value}}}");
        std::fs::write(&path, crate::common::tar(&[("0.bmp", bmp(8, 1)), ("0.json", json.into_bytes())])).unwrap();
        let builder = Loader::open(&path).unwrap().batch(1).target("age", "int:json.age");
        let e = builder.build().unwrap().next_batch().unwrap_err();
        assert!(e.code().id() == "loader.target_value" && e.message().contains(wanted), "{e}");
    }
}

#[test]
fn targets_that_no_sample_has_or_that_say_nothing_are_refused() {
    let folder = Folder::new();
    let [path, ..] = datasets(&folder, &ALL);
    let open = || Loader::open(&path).unwrap();
    let (id, message) = code(open().target("size", "int:json.length"));
    assert!(id == "loader.target" && message.contains("\"size\"") && message.contains("json.length"), "{id} {message}");
    assert_eq!(code(open().target("c", Target::class("json.none"))).0, "loader.target");
    for (target, wanted) in [
        ("age", "KIND:FROM"),
        ("number:json.age", "its kind is one of class, int"),
        ("int:", "names no field"),
        ("int:a.csv#file", "FILE#KEY,COLUMN"),
        ("int/3y:json.age", "neither an option nor a shape"),
        ("int/often=3:json.age", "no option"),
        ("int/missing=x:json.age", "is not a number"),
        ("boxes/format=none:", "not a format"),
        ("int/format=coco:json.age", "label files"),
    ] {
        let (id, message) = code(open().target("age", target));
        assert!(id == "usage.argument" && message.contains(wanted), "{target}: {id} {message}");
    }
    for (target, wanted) in [
        ("int/3:json.age", "`shape` means nothing"),
        ("text/ragged:json.says", "`ragged` means nothing"),
        ("int/classes=a:json.age", "`classes` means nothing"),
        ("ints/missing=3:json.tokens", "`missing` means nothing"),
        ("int/missing=1.5:json.age", "are whole"),
        ("floats/0:json.pose", "is not a shape"),
        ("boxes/2x3:labels.json", "is not a shape"),
        ("boxes:labels.json", "needs `image`"),
    ] {
        let (id, message) = code(open().target("age", target));
        let settings = id == "loader.settings" && message.contains(wanted);
        assert!(settings, "{target}: {id} {message}");
    }
    for target in [Target::int("json.age").own(), Target::text("json.says").format(forebay::annotations::Format::Coco)]
    {
        let (id, message) = code(open().target("age", target));
        assert!(id == "usage.argument" && message.contains("label files"), "{id} {message}");
    }
    let twice = open().target("a", "int:json.age").target("a", "int:json.age");
    assert!(code(twice).1.contains("two targets have the name"));
    let labels = Target::class(Labels::field("json.kind").classes(["cat"]));
    let e = open().batch(3).target("kind", labels).build().unwrap().next_batch().unwrap_err();
    assert!(e.code().id() == "loader.label" && e.message().contains("the target \"kind\""), "{e}");
}

/// A picture of 24 bits, white where `on`.
pub fn picture(width: u32, height: u32, on: impl Fn(u32, u32) -> bool) -> Vec<u8> {
    let row = (width * 3).next_multiple_of(4);
    let mut file = b"BM".to_vec();
    file.extend((54 + row * height).to_le_bytes());
    file.extend([0; 4]);
    file.extend(54u32.to_le_bytes());
    file.extend(40u32.to_le_bytes());
    file.extend(width.to_le_bytes());
    file.extend(height.to_le_bytes());
    file.extend([1, 0, 24, 0]);
    file.extend([0; 24]);
    for y in (0..height).rev() {
        let mut line: Vec<u8> = (0..width).flat_map(|x| [if on(x, y) { 255 } else { 0 }; 3]).collect();
        line.resize(row as usize, 0);
        file.extend(line);
    }
    file
}

/// Eight pictures of 40 x 30 with an object of pixels, one of an outline, a crowd and key points each.
pub fn marked(folder: &Folder) -> (PathBuf, PathBuf) {
    let (width, height) = (40, 30);
    let on = |i: u32, x: u32, y: u32| (x * 7 + y * y + i * 13) % 11 < 4 && x < 25;
    let mut members = Vec::new();
    let (mut images, mut annotations) = (Vec::new(), Vec::new());
    for i in 0..8u32 {
        members.push((format!("{i:04}.bmp"), picture(width, height, |x, y| on(i, x, y))));
        images.push(format!(r#"{{"id":{i},"file_name":"{i:04}.bmp","width":{width},"height":{height}}}"#));
        let (mut counts, mut last) = (vec![0u32], false);
        for (x, y) in (0..width).flat_map(|x| (0..height).map(move |y| (x, y))) {
            if on(i, x, y) != last {
                last = !last;
                counts.push(0);
            }
            *counts.last_mut().unwrap() += 1;
        }
        let rle = format!(r#"{{"size":[{height},{width}],"counts":{counts:?}}}"#);
        let mut add = |class: u32, more: &str| {
            let id = annotations.len();
            annotations.push(format!(r#"{{"id":{id},"image_id":{i},"category_id":{class},{more}}}"#));
        };
        add(3, &format!(r#""bbox":[0,0,25,30],"iscrowd":0,"segmentation":{rle}"#));
        add(
            5,
            r#""bbox":[30,10,8,6],"segmentation":[[30,10,38,10,38,16,30,16]],"keypoints":[31,11,2,0,0,0,37.5,15,1],"num_keypoints":2"#,
        );
        add(5, r#""bbox":[0,0,9,9],"iscrowd":1,"segmentation":{"size":[30,40],"counts":[1200]}"#);
    }
    let text = format!(
        r#"{{"images":[{}],"annotations":[{}],"categories":[{{"id":3,"name":"dots"}},{{"id":5,"name":"post","keypoints":["a","b","c"]}}]}}"#,
        images.join(","),
        annotations.join(",")
    );
    let labels = folder.at("labels.json");
    std::fs::write(&labels, text).unwrap();
    (write(folder, "train", &members).1, labels)
}

#[test]
fn objects_follow_pictures_onto_tensors_in_the_same_places() {
    let folder = Folder::new();
    let (path, labels) = marked(&folder);
    let nearest = |image: Image| image.resampling(Resampling::Nearest);
    let images = [
        nearest(Image::new(40, 30)),
        // At these sizes no edge meets the middle of a pixel, of which mirroring would change the side.
        nearest(Image::new(32, 64).random_resized_crop().hflip()),
        nearest(Image::new(64, 64).letterbox([255; 3]).hflip()),
        nearest(Image::new(28, 20).random_crop(6).hflip()),
    ];
    for image in images {
        let (w, h) = (image.width as usize, image.height as usize);
        let mut loader = Loader::open(&path)
            .unwrap()
            .batch(4)
            .shuffle(3)
            .image(image)
            .target("boxes", Target::boxes(&labels).most(3))
            .target("all", Target::boxes(&labels).ragged())
            .target("masks", Target::masks(&labels).most(3))
            .target("every", Target::masks(&labels).ragged())
            .target("classes", Target::semantic(&labels))
            .target("points", Target::keypoints(&labels).most(2))
            .build()
            .unwrap();
        assert_eq!(loader.target_classes("boxes"), ["dots", "post"]);
        let (mut same, mut pixels, mut posts) = (0, 0, 0);
        for epoch in 0..4 {
            for batch in loader.epoch(epoch).unwrap() {
                let batch = batch.unwrap();
                let of = |name: &str| batch.target(name).unwrap();
                let (boxes, masks) = (of("boxes"), of("masks"));
                assert_eq!((boxes.shape(), masks.shape()), (vec![4, 3, 4], vec![4, 3, h, w]));
                assert_eq!((boxes.mask(), boxes.classes()), (masks.mask(), masks.classes()));
                let there = |k: usize| (0..3).filter(move |j| masks.mask().unwrap()[k * 3 + j] == 1);
                let listed: Vec<f32> = (0..4)
                    .flat_map(|k| there(k).map(move |j| (k, j)))
                    .flat_map(|(k, j)| boxes.values().f32().unwrap()[(k * 3 + j) * 4..][..4].to_vec())
                    .collect();
                assert_eq!(of("all").values().f32().unwrap(), listed);
                assert_eq!(of("every").shape(), [listed.len() / 4, h, w]);
                assert_eq!((of("all").offsets(), of("all").classes()), (of("every").offsets(), of("every").classes()));
                for k in 0..4 {
                    let image = &batch.images().f32().unwrap()[k * 3 * h * w..][..h * w];
                    let one = &masks.values().u8().unwrap()[k * 3 * h * w..][..3 * h * w];
                    let semantic = &of("classes").values().u8().unwrap()[k * h * w..][..h * w];
                    let placement = batch.placements()[k];
                    for (at, class) in semantic.iter().enumerate() {
                        let drawn = there(k)
                            .rfind(|j| one[j * h * w + at] == 1)
                            .map(|j| masks.classes().unwrap()[k * 3 + j] as u8 + 1);
                        assert_eq!(*class, drawn.unwrap_or(0));
                        let (x, y) = ((at % w) as u32, (at / w) as u32);
                        let inside = (placement.x..placement.x + placement.width).contains(&x)
                            && (placement.y..placement.y + placement.height).contains(&y);
                        // The picture is white where the first object is.
                        let dots =
                            there(k).any(|j| masks.classes().unwrap()[k * 3 + j] == 0 && one[j * h * w + at] == 1);
                        assert!(inside || *class == 0);
                        if inside {
                            pixels += 1;
                            same += usize::from(dots == (image[at] > 0.5));
                        }
                    }
                    for j in there(k).filter(|j| masks.classes().unwrap()[k * 3 + j] == 1) {
                        posts += 1;
                        let corners = &boxes.values().f32().unwrap()[(k * 3 + j) * 4..][..4];
                        let points = &of("points").values().f32().unwrap()[(k * 2 + j) * 9..][..9];
                        assert_eq!(points[3..6], [0.0; 3], "a point that is not marked");
                        let (x, y) = placement.point(31.0, 11.0);
                        if points[2] > 0.0 {
                            assert!((f64::from(points[0]) * w as f64 - x).abs() < 1e-4 * w as f64);
                            assert!((f64::from(points[1]) * h as f64 - y).abs() < 1e-4 * h as f64);
                            assert!(points[0] >= corners[0] && points[0] <= corners[2]);
                        }
                        let area = one[j * h * w..][..h * w].iter().filter(|on| **on == 1).count() as f32;
                        let boxed = (corners[2] - corners[0]) * (corners[3] - corners[1]) * (w * h) as f32;
                        let around = (corners[2] - corners[0]) * w as f32 + (corners[3] - corners[1]) * h as f32;
                        assert!((area - boxed).abs() <= around + 1.0, "{area} pixels in a box of {boxed}");
                    }
                }
            }
        }
        assert!(posts > 3 && pixels > 5_000, "{posts} posts, {pixels} pixels");
        assert!(same as f64 >= 0.999 * pixels as f64, "{same} of {pixels} pixels");
    }
}

#[test]
fn label_files_that_name_no_picture_or_some_are_told_apart() {
    let folder = Folder::new();
    let (path, labels) = marked(&folder);
    let open = || Loader::open(&path).unwrap().batch(8).image(Image::new(8, 8));
    let text = std::fs::read_to_string(&labels).unwrap();
    let strangers = folder.at("strangers.json");
    std::fs::write(&strangers, text.replace(".bmp", ".png").replace("\"0", "\"9")).unwrap();
    assert_eq!(code(open().target("b", Target::boxes(&strangers))).0, "loader.target");
    assert_eq!(code(open().target("b", "boxes:")).0, "loader.target");
    let some = folder.at("some.json");
    std::fs::write(&some, text.replace("0003.bmp", "9999.bmp")).unwrap();
    let batch = first(open().on_broken(OnBroken::Skip).target("b", Target::boxes(&some)));
    assert_eq!(batch.skipped().iter().map(|one| one.error.code().id()).collect::<Vec<_>>(), ["loader.target_missing"]);
    assert_eq!((batch.len(), batch.target("b").unwrap().shape()), (7, vec![7, 16, 4]));
    let batch = first(open().target("b", Target::boxes(&some).optional().ragged()));
    let offsets = batch.target("b").unwrap().offsets().unwrap().to_vec();
    assert_eq!((offsets.len(), offsets[4] - offsets[3], offsets[8]), (9, 0, 14));
    let none = folder.at("none.json");
    std::fs::write(&none, text.replace("keypoints", "other")).unwrap();
    assert_eq!(code(open().target("p", Target::keypoints(&none))).0, "loader.target");
}

#[test]
fn views_draw_anew_and_other_pictures_as_the_samples_own() {
    let folder = Folder::new();
    let members = |other: u32| -> Vec<(String, Vec<u8>)> {
        let on = move |i: u32, x: u32, y: u32| (x / 3 + y / 2 * (i + 2)).is_multiple_of(3) != (other == 1);
        let one = |i: u32| (format!("{i:04}.bmp"), picture(40, 30, |x, y| on(i, x, y)));
        (0..16).map(one).collect()
    };
    let (archive, path) = write(&folder, "own", &members(0));
    let other = write(&folder, "other", &members(1)).0;
    let crop = |w, h| Image::new(w, h).random_resized_crop().hflip().resampling(Resampling::Nearest);
    let build = |path: &PathBuf, image: Image| {
        let builder = Loader::open(path).unwrap().batch(8).shuffle(5).image(image);
        builder
            .target("second", Target::view(crop(32, 24)))
            .target("small", Target::view(crop(9, 7)))
            .target("right", Target::picture(&other))
            .target("areas", Target::label_map(&other))
            .build()
            .unwrap()
    };
    let (mut loader, mut again) = (build(&path, crop(32, 24)), build(&archive, crop(32, 24)));
    let mut different = 0;
    for (batch, same) in loader.epoch(1).unwrap().zip(again.epoch(1).unwrap()) {
        let (batch, same) = (batch.unwrap(), same.unwrap());
        let of = |name: &str| batch.target(name).unwrap();
        assert_eq!((of("second").shape(), of("small").shape()), (vec![8, 3, 24, 32], vec![8, 3, 7, 9]));
        for name in ["second", "small", "right", "areas"] {
            assert_eq!(of(name).values(), same.target(name).unwrap().values(), "{name}: of a TBL and of a tar");
        }
        let (own, right) = (batch.images().f32().unwrap(), of("right").values().f32().unwrap());
        assert!(own.iter().zip(right).all(|(a, b)| a + b == 1.0), "black is white there, in the same places");
        for (k, areas) in of("areas").values().u8().unwrap().chunks(32 * 24).enumerate() {
            let plane = &right[k * 3 * 32 * 24..][..32 * 24];
            assert!(areas.iter().zip(plane).all(|(area, value)| f32::from(*area) == value * 255.0));
        }
        let size = 3 * 24 * 32;
        let second = of("second").values().f32().unwrap().to_vec();
        different += own.chunks(size).zip(second.chunks(size)).filter(|(a, b)| a != b).count();
    }
    assert!(different >= 12, "{different} of 16");
    // A view is what the sample would be with the view's key.
    let recipe = crop(32, 24);
    let batch = again.epoch(2).unwrap().next().unwrap().unwrap();
    let dataset = forebay_native::Dataset::open(&archive).unwrap();
    for (k, item) in batch.items().iter().enumerate() {
        let key = forebay::random::Purpose::Sample.key(5, &[2, item.index, 1]);
        let mut wanted = vec![0.0; 3 * 24 * 32];
        forebay::image::transform::Transformer::new(recipe.clone())
            .unwrap()
            .decode(
                &mut forebay::image::decode::Decoder::default(),
                &dataset.payload(item.sample).unwrap(),
                None,
                &forebay::image::decode::Options::default(),
                key,
                forebay::image::transform::Out::F32(&mut wanted),
            )
            .unwrap();
        assert_eq!(batch.target("second").unwrap().values().f32().unwrap()[k * wanted.len()..][..wanted.len()], wanted);
    }
    let open = || Loader::open(&path).unwrap().batch(8);
    let strangers = write(&folder, "strangers", &[("x.bmp".to_owned(), picture(4, 4, |_, _| true))]).0;
    assert_eq!(code(open().image(crop(8, 8)).target("a", Target::picture(&strangers))).0, "loader.target");
    assert_eq!(code(open().target("a", Target::picture(&other))).0, "loader.settings");
    assert_eq!(code(open().target("a", "view:")).0, "usage.argument");
    // By the folders that both have; one that could belong to two samples is refused.
    let twice: Vec<_> = ["a/0001.bmp", "b/0001.bmp"].map(|name| (name.to_owned(), picture(40, 30, |_, _| true))).into();
    let own = write(&folder, "twice", &twice).0;
    let with = |name: &str| {
        let other =
            write(&folder, &format!("one{}", name.len()), &[(name.to_owned(), picture(40, 30, |x, _| x < 20))]).0;
        Loader::open(&own).unwrap().batch(2).image(crop(8, 8)).target("a", Target::picture(&other)).build()
    };
    assert_eq!(with("0001.png").unwrap_err().code().id(), "label.ambiguous");
    assert!(with("x/a/0001.png").is_ok());
    let small = write(&folder, "small", &[("0003.bmp".to_owned(), picture(4, 4, |_, _| true))]).0;
    let skipping = open().batch(16).on_broken(OnBroken::Skip).image(crop(8, 8));
    let batch = first(skipping.target("a", Target::label_map(&small)));
    let codes: Vec<_> = batch.skipped().iter().map(|one| one.error.code().id()).collect();
    assert_eq!(codes.iter().filter(|code| **code == "loader.target_missing").count(), 15);
    assert_eq!((codes[3], batch.len()), ("loader.target_value", 0));
}
