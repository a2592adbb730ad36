//! `any(box, ...)` and `count(box, ...)`: against a plain evaluation, and what they refuse.

use forebay::{
    filter::Filter,
    sample::{MediaFormat, SampleInfo},
    samples::Watch,
};
use serde_json::{Value, json};

use crate::dice::Dice;

const LABELS: [&str; 3] = ["boat", "person", "car"];

fn info() -> SampleInfo {
    let mut info = SampleInfo::new(0, MediaFormat::Jpeg);
    (info.width, info.height) = (640, 480);
    info
}

/// A sample's boxes as its record has them, by the convention or as COCO does.
fn sample(dice: &mut Dice) -> Value {
    let boxes: Vec<[u64; 4]> = (0..dice.below(5))
        .map(|_| {
            let (x, y) = (dice.below(300), dice.below(200));
            [x, y, x + 1 + dice.below(300), y + 1 + dice.below(200)]
        })
        .collect();
    let foreign = dice.below(2) == 0;
    let mut one = |[x0, y0, x1, y1]: [u64; 4]| {
        let mut one = match foreign {
            true => json!({"bbox": [x0, y0, x1 - x0, y1 - y0], "category_id": 1, "iscrowd": dice.below(2)}),
            false => json!({"xmin": x0, "ymin": y0, "xmax": x1, "ymax": y1, "occluded": dice.below(2) == 0}),
        };
        if dice.below(4) > 0 {
            one[if foreign { "label" } else { "class" }] = LABELS[dice.below(3) as usize].into();
        }
        if dice.below(2) == 0 {
            one["score"] = (dice.below(5) as f64 / 4.0).into();
        }
        one
    };
    let list: Vec<Value> = boxes.into_iter().map(&mut one).collect();
    match foreign {
        true => json!({"json": {"annotations": list}}),
        false => json!({"json": {"annotations_format": "forebay.1", "annotations": list}}),
    }
}

/// The same boxes, read by hand.
struct Plain {
    label: Option<String>,
    score: Option<f64>,
    corners: [f64; 4],
    crowd: bool,
    occluded: bool,
}

fn plain(sample: &Value) -> Vec<Plain> {
    let list = sample["json"]["annotations"].as_array().unwrap();
    let number = |one: &Value, key: &str| one[key].as_f64().unwrap();
    list.iter()
        .map(|one| Plain {
            // The number of the class that COCO gives stands for it where there is no name.
            label: one["label"]
                .as_str()
                .or(one["class"].as_str())
                .map(str::to_owned)
                .or_else(|| one.get("category_id").map(Value::to_string)),
            score: one["score"].as_f64(),
            corners: match one["bbox"].as_array() {
                Some(b) => {
                    let [x, y, w, h] = [0, 1, 2, 3].map(|i| b[i].as_f64().unwrap());
                    [x, y, x + w, y + h]
                }
                None => ["xmin", "ymin", "xmax", "ymax"].map(|key| number(one, key)),
            },
            crowd: one["iscrowd"] == 1,
            occluded: one["occluded"] == true,
        })
        .collect()
}

type Test = Box<dyn Fn(&Plain) -> bool>;

/// A random condition on a box, as text and as a function.
fn condition(dice: &mut Dice, depth: u64) -> (String, Test) {
    let op = |sign: usize, a: f64, b: f64| [a < b, a <= b, a > b, a >= b, a == b, a != b][sign];
    const SIGNS: [&str; 6] = ["<", "<=", ">", ">=", "==", "!="];
    match dice.below(if depth > 2 { 4 } else { 7 }) {
        0 => {
            let (sign, label) = (dice.below(2) as usize, LABELS[dice.below(3) as usize]);
            let text = format!("box.label {} {label:?}", ["==", "!="][sign]);
            // A box without a class is not of another one.
            (text, Box::new(move |one| one.label.as_deref().is_some_and(|own| (own == label) == (sign == 0))))
        }
        1 => {
            let (sign, most) = (dice.below(6) as usize, dice.below(5) as f64 / 4.0);
            let text = format!("box.score {} {most:?}", SIGNS[sign]);
            (text, Box::new(move |one| one.score.is_some_and(|score| op(sign, score, most))))
        }
        2 => {
            let (sign, field) = (dice.below(6) as usize, dice.below(7) as usize);
            let most = if field == 6 { dice.below(40_000) } else { dice.below(400) } as f64;
            let name = ["xmin", "ymin", "xmax", "ymax", "width", "height", "area"][field];
            let value = move |one: &Plain| {
                let [x0, y0, x1, y1] = one.corners;
                [x0, y0, x1, y1, x1 - x0, y1 - y0, (x1 - x0) * (y1 - y0)][field]
            };
            (format!("box.{name} {} {most}", SIGNS[sign]), Box::new(move |one| op(sign, value(one), most)))
        }
        3 => match dice.below(4) {
            0 => ("box.crowd".into(), Box::new(|one| one.crowd)),
            1 => ("box.occluded".into(), Box::new(|one| one.occluded)),
            2 => ("box.score == null".into(), Box::new(|one| one.score.is_none())),
            _ => ("box.xmax > width".into(), Box::new(|one| one.corners[2] > 640.0)),
        },
        4 => {
            let (text, test) = condition(dice, depth + 1);
            (format!("!({text})"), Box::new(move |one| !test(one)))
        }
        and => {
            let ((a, x), (b, y)) = (condition(dice, depth + 1), condition(dice, depth + 1));
            let sign = if and == 5 { "&&" } else { "||" };
            let test: Test = Box::new(move |one| if and == 5 { x(one) && y(one) } else { x(one) || y(one) });
            (format!("({a} {sign} {b})"), test)
        }
    }
}

/// What a filter says of the boxes of a sample.
type Wanted = Box<dyn Fn(&[Plain]) -> bool>;

#[test]
fn five_hundred_random_filters_of_boxes_select_what_a_plain_evaluation_does() {
    let mut dice = Dice(5);
    let samples: Vec<Value> = (0..60).map(|_| sample(&mut dice)).collect();
    let (info, mut some) = (info(), 0);
    for _ in 0..500 {
        let (text, test) = condition(&mut dice, 0);
        let least = dice.below(4) as usize;
        let (text, wanted): (String, Wanted) = match dice.below(3) {
            0 => (format!("any(box, {text})"), Box::new(move |all| all.iter().any(&test))),
            1 => (
                format!("count(box, {text}) >= {least}"),
                Box::new(move |all| all.iter().filter(|one| test(one)).count() >= least),
            ),
            _ => (
                format!("{least} < count(box) and not any(box, {text})"),
                Box::new(move |all| all.len() > least && !all.iter().any(&test)),
            ),
        };
        let filter = Filter::parse(&text).unwrap_or_else(|e| panic!("{text}: {e}"));
        assert_eq!(Filter::parse(&filter.to_string()).unwrap().to_string(), filter.to_string(), "{text}");
        filter.check_for_samples().unwrap_or_else(|e| panic!("{text}: {e}"));
        let mut watch = Watch::new(&filter);
        for (i, sample) in samples.iter().enumerate() {
            let kept = watch.accepts(&info, None, Some(sample)).unwrap().is_some();
            assert_eq!(kept, wanted(&plain(sample)), "{text}, sample {i}: {sample}");
            some += usize::from(kept);
        }
        watch.judge().unwrap_or_else(|e| panic!("{text}: {e}"));
    }
    // Neither everything nor nothing was selected.
    assert!((6_000..24_000).contains(&some), "{some}");
}

#[test]
fn a_filter_of_boxes_that_cannot_be_meant_is_refused() {
    for (text, code, says) in [
        ("any(box, box.widht > 4)", "filter.field", "did you mean box.width?"),
        ("any(box, box.label > 3)", "filter.kind", "write box.label > \"3\""),
        ("any(box, box.width == \"4\")", "filter.kind", "write box.width == 4"),
        ("any(box, box.score)", "filter.kind", "such as box.score != null"),
        ("any(box, box.attributes == 3)", "filter.field", "box.attributes.color"),
        ("any(box, box == 3)", "filter.field", "a box has the fields label"),
        ("any(box, any(box, box.crowd))", "filter.syntax", "inside each other"),
        ("any(width > 3)", "filter.syntax", "expected box"),
        ("any(box, box.width > 3", "filter.syntax", "expected &&, || or )"),
        ("count(box)", "filter.kind", "count(box) > 5"),
        ("count(box) > width", "filter.kind", "count(box) > 5"),
        ("count(box) in [1, 2]", "filter.kind", "count(box) > 5"),
        ("count(box, box.label == 3) > 1", "filter.kind", "write box.label == \"3\""),
    ] {
        let found = Filter::parse(text).and_then(|filter| filter.check_for_samples());
        let e = found.expect_err(text);
        assert_eq!(e.code().id(), code, "{text}: {e}");
        assert!(e.message().contains(says), "{text}: {e}");
    }
    // A field that happens to have the word's name is one.
    assert_eq!(Filter::parse("any == 3 and count > 2 and box.x == 1").unwrap().fields().count(), 3);
    let judge = |text: &str, metadata: Value| {
        let filter = Filter::parse(text).unwrap();
        let mut watch = Watch::new(&filter);
        watch.accepts(&info(), None, Some(&metadata))?;
        watch.judge()
    };
    let e = judge("count(box) == 0", json!({"cls": 3})).unwrap_err();
    assert_eq!((e.code().id(), e.message()), ("filter.field", "no sample has boxes in its metadata"));
    assert!(judge("count(box) == 0", json!({"annotations": []})).is_ok());
    let e = judge("box.width > 4", json!({"cls": 3})).unwrap_err();
    assert!(e.message().contains("any(box, ...)"), "{e}");
    // Two corners, or a corner and a size: nothing says which.
    let e = judge("count(box) > 0", json!({"boxes": [[1, 2, 3, 4]]})).unwrap_err();
    assert_eq!(e.code().id(), "label.ambiguous");
}
