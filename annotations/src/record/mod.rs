//! Annotations in the metadata of a sample: what converting with labels writes, and what is read back.
//!
//! ```
//! use forebay_annotations::{Annotation, Classes, Losses, Picture, Rect, record};
//! let mut classes = Classes::default();
//! let mut picture = Picture::named("a.jpg");
//! picture.annotations.push(Annotation::boxed(Rect::new(1.0, 2.5, 30.0, 40.0), Some(classes.found("dog"))));
//! let fields = record::fields(&picture, &classes, &mut Losses::default());
//! let text = serde_json::to_string(&fields).unwrap();
//! assert_eq!(
//!     text,
//!     r#"{"annotations_format":"forebay.1","annotations":[{"class":"dog","xmin":1,"ymin":2.5,"xmax":30,"ymax":40}]}"#
//! );
//! let back = record::read(&serde_json::from_str(&text).unwrap(), &mut classes)?.unwrap();
//! assert_eq!(back.annotations, picture.annotations);
//! # Ok::<(), forebay_base::Error>(())
//! ```
//!
//! | field | meaning |
//! |---|---|
//! | `annotations_format` | the convention, `forebay.1`: this table |
//! | `annotations_size` | width and height of the raster that the pixels are counted in, if they are known |
//! | `image_id` | what the label file called the picture by |
//! | `annotations` | a list of objects; an empty one says that nothing is in the picture, none that nobody looked |
//!
//! Of an annotation: `class` is its name, `xmin`, `ymin`, `xmax` and `ymax` are the corners of the box in continuous pixels
//! from the upper left corner of the picture. Only if there is something to say: `rotation` (degrees, clockwise) with
//! `unturned` (the corners before the turn), `segmentation` (outlines as lists of x and y, or a mask as COCO's `size` and
//! `counts`), `keypoints` (x, y and visibility of each), `shape` (`points` for key points alone), `score`, `source`,
//! `crowd`, `difficult`, `truncated`, `occluded`, `outside`, `id`, `track`, `attributes`.
//!
//! Boxes that other programs left in metadata are [`find`]'s: shapes that say what they are, and those of which
//! [`BoxField`] says it.
//!
//! The fields stand in the file `.json` beside the picture, if it had one, and otherwise in the record itself: so they go
//! into an archive as every program expects them there. The classes stand in the dataset's document: their names in
//! `classes`, and in `categories`, as COCO has them, what else is known of them.

mod found;
mod gather;
mod quick;
mod read;
mod write;

pub use crate::field::{BoxField, BoxLayout};
pub use found::{Found, find};
#[doc(hidden)]
pub use gather::{Gather, Told};
pub use read::{read, read_classes};
pub use write::{document, fields};

/// The convention that these fields follow.
pub const CONVENTION: &str = "forebay.1";

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;
    use crate::{Annotation, Class, Classes, Flags, Id, Keypoint, Loss, Losses, Picture, Rect, Rle, Shape, Source};

    fn coordinate() -> impl Strategy<Value = f64> {
        prop_oneof![-10.0..5000.0, (0..4000u32).prop_map(f64::from), Just(0.1 + 0.2), Just(1e-300), Just(-0.5)]
    }

    fn rect() -> impl Strategy<Value = Rect> {
        let ordered = |a: f64, b: f64| (a.min(b), a.max(b));
        [coordinate(), coordinate(), coordinate(), coordinate()].prop_map(move |[a, b, c, d]| {
            let ((x0, x1), (y0, y1)) = (ordered(a, b), ordered(c, d));
            Rect::new(x0, y0, x1, y1)
        })
    }

    fn shape() -> impl Strategy<Value = Shape> {
        let part = prop::collection::vec([coordinate(), coordinate()], 1..5);
        prop_oneof![
            Just(Shape::Box),
            Just(Shape::Points),
            (rect(), 0.5..359.0).prop_map(|(unturned, degrees)| Shape::Rotated { unturned, degrees }),
            prop::collection::vec(part, 1..4).prop_map(Shape::Polygon),
            (1..40u32, 1..40u32, 0..100u32).prop_map(|(width, height, off)| {
                let off = off.min(width * height);
                Shape::Mask(Box::new(Rle::new(width, height, vec![off, width * height - off]).unwrap()))
            }),
        ]
    }

    fn id() -> impl Strategy<Value = Option<Id>> {
        prop_oneof![
            Just(None),
            any::<i64>().prop_map(|n| Some(Id::Number(n))),
            ".{0,6}".prop_map(|text| Some(Id::Text(text.into()))),
        ]
    }

    fn annotation() -> impl Strategy<Value = Annotation> {
        let flags = any::<[bool; 5]>().prop_map(|[crowd, difficult, truncated, occluded, outside]| Flags {
            crowd,
            difficult,
            truncated,
            occluded,
            outside,
        });
        let point = (coordinate(), coordinate(), 0..3u8).prop_map(|(x, y, visibility)| Keypoint { x, y, visibility });
        let source = prop_oneof![
            Just(None),
            Just(Some(Source::Human)),
            Just(Some(Source::Model)),
            Just(Some(Source::Simulator))
        ];
        let said = (prop::option::of(0..3u32), prop::option::of(0.0..1.0), source, flags, id(), any::<Option<i64>>());
        let more = (prop::collection::vec(point, 0..4), prop::collection::btree_map(".{0,4}", ".{0,4}", 0..3));
        (shape(), rect(), said, more).prop_map(|(shape, rect, said, (keypoints, attributes))| {
            let (class, score, source, flags, id, track) = said;
            let attributes = attributes.into_iter().collect();
            Annotation {
                shape,
                rect,
                class,
                score,
                source,
                flags,
                keypoints,
                attributes,
                id,
                track,
                own: Default::default(),
            }
        })
    }

    proptest! {
        #[test]
        fn everything_that_an_annotation_says_comes_back(
            annotations in prop::collection::vec(annotation(), 0..5),
            size in prop::option::of((1..9999u32, 1..9999u32)),
            id in id(),
        ) {
            let mut classes: Classes = ["a", "naïve \"b\"", "汽"].into_iter().collect();
            let mut picture = Picture { annotations, id, ..Picture::default() };
            (picture.width, picture.height) = size.unzip();
            let mut losses = Losses::default();
            let fields = fields(&picture, &classes, &mut losses);
            prop_assert!(losses.is_empty());
            let fields = Value::Object(fields);
            for value in [fields.clone(), json!({ "id": 1, "name": "x.jpg", "json": fields })] {
                let back = read(&value, &mut classes).unwrap().unwrap();
                prop_assert_eq!(&back, &picture);
                // The way through values, as in MessagePack.
                let value: Value = serde_json::from_str(&value.to_string()).unwrap();
                prop_assert_eq!(&read(&value, &mut classes).unwrap().unwrap(), &picture);
            }
        }
    }

    #[test]
    fn classes_come_back_with_their_numbers() {
        let mut classes = Classes::default();
        let dog = Class {
            name: "dog".into(),
            id: Some(Id::Number(18)),
            group: Some("animal".into()),
            keypoints: vec!["nose".into(), "tail".into()],
            skeleton: vec![[1, 2]],
        };
        classes.add(Class::named("cat")).unwrap();
        classes.add(dog).unwrap();
        let said = document(&classes);
        assert_eq!(said["classes"], json!(["cat", "dog"]));
        assert_eq!(read_classes(&said).unwrap(), classes);
        // A folder's classes, or another program's.
        let names = json!({"classes": ["a", "b"]});
        assert_eq!(read_classes(names.as_object().unwrap()).unwrap(), ["a", "b"].into_iter().collect());
        let wrong = json!({"categories": [{"name": "a"}, {"name": "a"}]});
        let e = read_classes(wrong.as_object().unwrap()).unwrap_err();
        assert_eq!((e.code().id(), e.place().path.as_deref()), ("label.repeated", Some("categories[1].name")));
    }

    #[test]
    fn what_is_not_ours_is_refused_with_its_place() {
        let fault = |record: Value| {
            let e = read(&record, &mut Classes::default()).unwrap_err();
            (e.code().id(), e.place().path.clone().unwrap_or_default())
        };
        let marked = |one: Value| json!({"json": {"annotations_format": "forebay.1", "annotations": [one]}});
        assert!(read(&json!({"a": 1}), &mut Classes::default()).unwrap().is_none());
        assert!(read(&json!([1]), &mut Classes::default()).unwrap().is_none());
        assert_eq!(fault(json!({"annotations": []})), ("label.format", "annotations".into()));
        assert_eq!(
            fault(json!({"annotations_format": "x.2", "annotations": []})),
            ("label.unsupported", "annotations_format".into())
        );
        assert_eq!(
            fault(marked(json!({"xmin": 1, "ymin": 1, "xmax": 2}))),
            ("label.value", "json.annotations[0].ymax".into())
        );
        assert_eq!(
            fault(marked(json!({"xmin": "1", "ymin": 1, "xmax": 2, "ymax": 2}))),
            ("label.number", "json.annotations[0].xmin".into())
        );
        assert_eq!(
            fault(marked(json!({"xmin": 3, "ymin": 1, "xmax": 2, "ymax": 2}))),
            ("label.rect", "json.annotations[0]".into())
        );
        let with = |key: &str, value: Value| {
            let mut one = json!({"xmin": 1, "ymin": 1, "xmax": 2, "ymax": 2});
            one[key] = value;
            fault(marked(one)).0
        };
        assert_eq!(with("class", json!(3)), "label.class");
        assert_eq!(with("segmentation", json!([[1, 2, 3]])), "label.value");
        assert_eq!(with("segmentation", json!({"size": [2, 2], "counts": "9"})), "label.value");
        assert_eq!(with("rotation", json!(30)), "label.value");
        assert_eq!(with("keypoints", json!([1, 2])), "label.value");
        assert_eq!(with("crowd", json!(1)), "label.value");
        assert_eq!(fault(json!({"annotations_format": "forebay.1", "annotations": 3})).0, "label.value");
        assert_eq!(fault(json!({"annotations_format": "forebay.1", "annotations": [3]})).0, "label.value");
    }

    #[test]
    fn one_attribute_of_a_name_is_kept() {
        let mut picture = Picture::default();
        let attributes = [("k", "1"), ("k", "2")].map(|(key, value)| (key.to_owned(), value.to_owned())).to_vec();
        picture.annotations.push(Annotation { attributes, ..Annotation::default() });
        let mut losses = Losses::default();
        fields(&picture, &Classes::default(), &mut losses);
        assert_eq!(losses.of(Loss::Attributes), 1);
    }
}
