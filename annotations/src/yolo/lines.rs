//! The lines of one picture's labels: a class and fractions of the picture's size.

use std::collections::HashSet;

use crate::error::Result;

use super::super::plain::{self, lines, short};
use super::super::{Annotation, Cause, Keypoint, Notes, ReadOptions, Rect, Shape, Spot, Task, codes};
use super::data::Data;

/// Beyond the border by this much of the picture is rounding of a few digits, and not worth a word.
const ROUNDING: f64 = 1e-5;
/// Objects may lie outside of the picture, and several tools write them so; farther out are pixels.
const FARTHEST: f64 = 1.0;

/// Reads the labels of one picture of this size.
///
/// Lines of five columns are boxes. What lines of more columns are they do not say: an outline, a turned box, key points
/// and a score can look alike. So they are read as [`ReadOptions::task`] and [`Data::keypoints`] say, and refused
/// otherwise.
pub fn read(
    bytes: &[u8],
    size: (u32, u32),
    data: &Data,
    options: &ReadOptions,
    notes: &mut Notes,
) -> Result<Vec<Annotation>> {
    let mut found = Vec::new();
    let mut seen = HashSet::new();
    if bytes.starts_with(b"\xef\xbb\xbf") {
        notes.add(Cause::OddValue);
    }
    for (number, text) in lines(bytes) {
        let Some(line) = Line::split(number, text?, size, data)? else { continue };
        let key: Vec<u64> = line.values.iter().map(|v| v.to_bits()).collect();
        if !seen.insert((line.class, key)) {
            notes.add(Cause::Duplicate);
            continue;
        }
        found.push(line.annotation(data.keypoints, options, notes)?);
    }
    Ok(found)
}

/// Reads one line, of this number; nothing if it is blank.
pub(in super::super) fn line(
    number: u64,
    text: &str,
    size: (u32, u32),
    data: &Data,
    options: &ReadOptions,
    notes: &mut Notes,
) -> Result<Option<Annotation>> {
    let line = Line::split(number, text, size, data)?;
    line.map(|line| line.annotation(data.keypoints, options, notes)).transpose()
}

struct Line {
    values: Vec<f64>,
    size: (f64, f64),
    class: u32,
    spot: Spot,
}

impl Line {
    fn split(number: u64, text: &str, size: (u32, u32), data: &Data) -> Result<Option<Line>> {
        let mut columns = text.split_ascii_whitespace();
        let Some(first) = columns.next() else { return Ok(None) };
        let spot = Spot::line(number);
        let class = class(first, data, &spot)?;
        let values = columns.map(|text| value(text, &spot)).collect::<Result<Vec<f64>>>()?;
        Ok(Some(Line { values, size: (size.0.into(), size.1.into()), class, spot }))
    }

    fn annotation(
        &self,
        keypoints: Option<(usize, usize)>,
        options: &ReadOptions,
        notes: &mut Notes,
    ) -> Result<Annotation> {
        let columns = self.values.len() + 1;
        if let Some((count, each)) = keypoints.filter(|(count, each)| columns == 5 + count * each) {
            return self.with_keypoints(count, each);
        }
        match (columns, options.task) {
            (5, _) => self.boxed(notes),
            (6, _) if options.scores => {
                let mut annotation = self.boxed(notes)?;
                annotation.score = Some(self.values[4]);
                Ok(annotation)
            }
            (9, Some(Task::Obb)) => self.turned(),
            (7.., Some(Task::Segment)) if columns % 2 == 1 => self.outline(),
            (6, _) => {
                let message = "six columns are a box and perhaps its score: nothing in the file says so";
                Err(self.spot.fault(&codes::AMBIGUOUS, message).with_options(&["scores"]))
            }
            (7.., None) if columns % 2 == 1 && keypoints.is_none() => {
                let message = match columns {
                    9 => "nine columns are a turned box or an outline of four points: nothing in the file says which"
                        .to_owned(),
                    _ => format!("{columns} columns are an outline, and boxes were expected"),
                };
                Err(self.spot.fault(&codes::AMBIGUOUS, message).with_options(&["task"]))
            }
            _ => {
                let message = format!("a line of {columns} columns is not a box, nor another requested shape");
                Err(self.spot.fault(&codes::SYNTAX, message))
            }
        }
    }

    /// A box by its center and size, in pixels.
    fn rect(&self) -> Result<Rect> {
        let [x, y, width, height] = [self.values[0], self.values[1], self.values[2], self.values[3]];
        if width < 0.0 || height < 0.0 {
            return Err(self.spot.fault(&codes::RECT, format!("a box has the size {width} x {height}")));
        }
        let far = |v: &f64| !(-FARTHEST..=1.0 + FARTHEST).contains(v);
        if let Some(v) = [x, y, width, height].iter().find(|v| far(v)) {
            let message = format!("{v} is not a fraction of the image; pixels are not read");
            return Err(self.spot.fault(&codes::RECT, message));
        }
        let (w, h) = self.size;
        Ok(Rect::new((x - width / 2.0) * w, (y - height / 2.0) * h, (x + width / 2.0) * w, (y + height / 2.0) * h))
    }

    fn boxed(&self, notes: &mut Notes) -> Result<Annotation> {
        let rect = self.rect()?;
        let ends = |center: f64, size: f64| [size / 2.0 - center, center + size / 2.0 - 1.0];
        let beyond = [ends(self.values[0], self.values[2]), ends(self.values[1], self.values[3])];
        if beyond.iter().flatten().any(|by| *by > ROUNDING) {
            notes.add(Cause::BeyondRounding);
        }
        Ok(Annotation::boxed(rect, Some(self.class)))
    }

    /// The points of an outline, in pixels.
    fn points(&self, values: &[f64]) -> Result<Vec<[f64; 2]>> {
        if let Some(v) = values.iter().find(|v| !(-FARTHEST..=1.0 + FARTHEST).contains(*v)) {
            let message = format!("{v} is not a fraction of the image; pixels are not read");
            return Err(self.spot.fault(&codes::RECT, message));
        }
        Ok(values.chunks_exact(2).map(|p| [p[0] * self.size.0, p[1] * self.size.1]).collect())
    }

    fn outline(&self) -> Result<Annotation> {
        let points = self.points(&self.values)?;
        Annotation::polygon(vec![points], Some(self.class))
            .ok_or_else(|| self.spot.fault(&codes::RECT, "an outline has no point"))
    }

    fn turned(&self) -> Result<Annotation> {
        let mut annotation = self.outline()?;
        let Shape::Polygon(parts) = &annotation.shape else { return Ok(annotation) };
        if let Some(shape) = rotated(&parts[0]) {
            annotation.shape = shape;
        }
        Ok(annotation)
    }

    fn with_keypoints(&self, count: usize, each: usize) -> Result<Annotation> {
        let mut annotation = Annotation::boxed(self.rect()?, Some(self.class));
        for one in self.values[4..].chunks_exact(each).take(count) {
            let [x, y] = self.points(&one[..2])?[0];
            let visibility = match one.get(2) {
                Some(v) if (0.0..=2.0).contains(v) => *v as u8,
                Some(v) => {
                    let message = format!("{v} is not a visibility of a key point: 0, 1 and 2 are");
                    return Err(self.spot.fault(&codes::VALUE, message));
                }
                // Points that were not marked are written as the corner.
                None if one[0] == 0.0 && one[1] == 0.0 => 0,
                None => 2,
            };
            annotation.keypoints.push(Keypoint { x, y, visibility });
        }
        Ok(annotation)
    }
}

/// Four corners as a turned box, whichever way they go around it; `None` where they are not a rectangle.
pub(in super::super) fn rotated(corners: &[[f64; 2]]) -> Option<Shape> {
    let &[a, b, c, d] = corners else { return None };
    let (unturned, degrees) = Rect::from_corners([a, b, c, d]).or_else(|| Rect::from_corners([a, d, c, b]))?;
    Some(Shape::Rotated { unturned, degrees })
}

fn class(text: &str, data: &Data, spot: &Spot) -> Result<u32> {
    // Some write the number as a fraction: 1.0000.
    let (digits, zeros) = text.split_once('.').unwrap_or((text, "0"));
    let whole = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    if !whole || zeros.is_empty() || zeros.bytes().any(|b| b != b'0') {
        return Err(spot.fault(&codes::CLASS, format!("{:?} is not a number of a class", short(text))));
    }
    let number = digits.parse().ok();
    number.and_then(|number| data.class(number)).ok_or_else(|| {
        let message = match data.classes.len() {
            0 => "there are no names of classes".to_owned(),
            n => format!("class {} is not one of the {n} that have a name", short(digits)),
        };
        spot.fault(&codes::CLASS, message)
    })
}

fn value(text: &str, spot: &Spot) -> Result<f64> {
    plain::number(text).ok_or_else(|| spot.fault(&codes::NUMBER, format!("{:?} is not a number", short(text))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;

    fn read_as(text: &str, more: &str, options: &ReadOptions) -> Result<(Vec<Annotation>, Notes)> {
        let yaml = format!("names: [a, b]\n{more}");
        let data = Data::from_yaml(yaml.as_bytes(), &Limits::default()).unwrap();
        let mut notes = Notes::default();
        read(text.as_bytes(), (320, 240), &data, options, &mut notes).map(|found| (found, notes))
    }

    fn fault(text: &str) -> String {
        read_as(text, "", &ReadOptions::default()).unwrap_err().to_string()
    }

    #[test]
    fn five_columns_are_a_box() {
        let text = "\u{feff}0\t0.25 0.5  0.5 1.0 \r\n\n1.0 0.5 0.5 0 0.5\n0 0.25 0.5 0.5 1\n";
        let (found, notes) = read_as(text, "", &ReadOptions::default()).unwrap();
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].rect, found[0].class), (Rect::new(0.0, 0.0, 160.0, 240.0), Some(0)));
        assert_eq!((found[1].rect, found[1].class), (Rect::new(160.0, 60.0, 160.0, 180.0), Some(1)));
        assert_eq!((notes.of(Cause::Duplicate), notes.of(Cause::BeyondRounding)), (1, 0));
        let (_, notes) = read_as("0 0.95 0.5 0.5 0.5\n0 0.5 0.5 1.000001 1", "", &ReadOptions::default()).unwrap();
        assert_eq!(notes.of(Cause::BeyondRounding), 1);
    }

    #[test]
    fn more_columns_are_what_was_asked_for() {
        let task = |task| ReadOptions { task: Some(task), ..ReadOptions::default() };
        let square = "1 0.25 0.25 0.5 0.25 0.5 0.5 0.25 0.5";
        let (found, _) = read_as(square, "", &task(Task::Segment)).unwrap();
        assert!(matches!(&found[0].shape, Shape::Polygon(parts) if parts[0].len() == 4));
        let (found, _) = read_as(square, "", &task(Task::Obb)).unwrap();
        let Shape::Rotated { unturned, degrees } = found[0].shape else { panic!() };
        assert_eq!((unturned, degrees), (Rect::new(80.0, 60.0, 160.0, 120.0), 0.0));
        let (found, _) = read_as(square, "kpt_shape: [2, 2]", &ReadOptions::default()).unwrap();
        assert!(found[0].is_box() && found[0].keypoints[0] == Keypoint { x: 160.0, y: 120.0, visibility: 2 });
        let scores = ReadOptions { scores: true, ..ReadOptions::default() };
        assert_eq!(read_as("0 0.5 0.5 0.1 0.1 0.9", "", &scores).unwrap().0[0].score, Some(0.9));
        let (found, _) = read_as("0 .1 .1 .2 .1 .2 .2\n0 .5 .5 .1 .1", "", &task(Task::Segment)).unwrap();
        assert!(found[1].is_box());
    }

    #[test]
    fn what_may_mean_something_else_is_refused() {
        for (text, place) in [
            ("0 0.5 0.5 0.1 0.1\n1 0.5 0.5 0.1", "line 2: a line of 4 columns"),
            ("0", "line 1: a line of 1 columns"),
            ("0 0.5 0.5 0.1 0.1 0.9", "line 1: six columns"),
            ("0 0.5 0.5 0.1 0.1 0.5 0.5", "line 1: 7 columns are an outline"),
            ("0 0.5 0.5 0.1 0.1 0.5 0.5 0.1 0.1", "line 1: nine columns"),
            ("0 0.5 0.5 0.1 0.1 0 0.5 0.5 0.1 0.1", "line 1: a line of 10 columns"),
            ("-1 0.5 0.5 0.1 0.1", "line 1: \"-1\" is not a number of a class"),
            ("1.5 0.5 0.5 0.1 0.1", "line 1: \"1.5\" is not a number of a class"),
            ("2 0.5 0.5 0.1 0.1", "line 1: class 2 is not one of the 2"),
            ("18446744073709551616 0.5 0.5 0.1 0.1", "line 1: class 18446744073709551616 is not one"),
            ("0 nan 0.5 0.1 0.1", "line 1: \"nan\" is not a number"),
            ("0 0.5 0.5 inf 0.1", "line 1: \"inf\" is not a number"),
            ("0 0,5 0,5 0,1 0,1", "line 1: \"0,5\" is not a number"),
            ("0 0.5 0.5 -0.1 0.1", "line 1: a box has the size"),
            ("0 35 100 50 160", "line 1: 35 is not a fraction"),
            ("\0\u{1} 1", "line 1: \"\\0\\u{1}\" is not a number of a class"),
        ] {
            let found = fault(text);
            assert!(found.starts_with(place), "{text:?}: {found}");
        }
        let e = read_as("0 0.5 0.5 0.1 0.1 0.9", "", &ReadOptions::default()).unwrap_err();
        assert_eq!(e.options(), ["scores"]);
        let odd = read_as("0 0.5 0.5 0.1 0.1 0.5 0.5 7", "kpt_shape: [1, 3]", &ReadOptions::default());
        assert!(odd.unwrap_err().to_string().contains("7 is not a visibility"));
    }
}
