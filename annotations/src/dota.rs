//! DOTA's labels: a text file for each picture, four corners, a class and a difficulty for each object.

use crate::error::Result;

use super::plain::{lines, number, read_pictures, short};
use super::{Annotation, Classes, Labels, ReadOptions, Spot, codes, yolo};

/// Numbers at the beginning of a line.
const CORNERS: usize = 8;

/// Reads the labels of one picture. A class that is not in `classes` yet is added.
pub fn read(bytes: &[u8], classes: &mut Classes, _options: &ReadOptions) -> Result<Vec<Annotation>> {
    let mut found = Vec::new();
    for (at, line) in lines(bytes) {
        let line = line?;
        // What a file begins with in the data set that the format is from.
        if !line.is_empty() && !line.starts_with("imagesource:") && !line.starts_with("gsd:") {
            found.push(annotation(line, classes, &Spot::line(at))?);
        }
    }
    Ok(found)
}

/// Reads the labels of several pictures, each called what its labels are, without an ending.
pub fn read_all<'a>(files: impl IntoIterator<Item = (&'a str, &'a [u8])>, options: &ReadOptions) -> Result<Labels> {
    read_pictures(files, options, read)
}

fn annotation(line: &str, classes: &mut Classes, spot: &Spot) -> Result<Annotation> {
    let columns: Vec<&str> = line.split_ascii_whitespace().collect();
    if columns.len() <= CORNERS {
        let message = format!("{} columns: eight numbers, a class and a difficulty are a line", columns.len());
        return Err(spot.fault(&codes::SYNTAX, message));
    }
    let (corners, rest) = columns.split_at(CORNERS);
    let mut values = Vec::with_capacity(CORNERS);
    for text in corners {
        let wrong = || spot.fault(&codes::NUMBER, format!("{:?} is not a number", short(text)));
        values.push(number(text).ok_or_else(wrong)?);
    }
    let (name, difficulty) = match rest.split_last() {
        Some((last, name)) if !name.is_empty() && last.parse::<u8>().is_ok() => {
            (name.join(" "), last.parse::<u8>().ok())
        }
        _ => (rest.join(" "), None),
    };
    let points: Vec<[f64; 2]> = values.chunks_exact(2).map(|p| [p[0], p[1]]).collect();
    let shape = yolo::rotated(&points);
    let mut annotation = Annotation::polygon(vec![points], Some(classes.found(&name))).unwrap_or_default();
    if let Some(shape) = shape {
        annotation.shape = shape;
    }
    annotation.flags.difficult = difficulty.is_some_and(|n| n > 0);
    Ok(annotation)
}

#[cfg(test)]
mod tests {
    use super::super::{Rect, Shape};
    use super::*;

    #[test]
    fn corners_are_a_turned_box_or_an_outline() {
        let text =
            "imagesource:GoogleEarth\ngsd:0.1\n250 190 250 250 210 250 210 190 small vehicle 1\n0 0 9 1 9 9 0 8 ship\n";
        let mut classes = Classes::default();
        let found = read(text.as_bytes(), &mut classes, &ReadOptions::default()).unwrap();
        assert_eq!((classes.name(0), classes.name(1)), (Some("small vehicle"), Some("ship")));
        assert!(matches!(found[0].shape, Shape::Rotated { degrees, .. } if (degrees - 90.0).abs() < 1e-9));
        assert_eq!(found[0].rect, Rect::new(210.0, 190.0, 250.0, 250.0));
        assert!(found[0].flags.difficult && !found[1].flags.difficult);
        assert!(matches!(&found[1].shape, Shape::Polygon(parts) if parts[0].len() == 4));
    }

    #[test]
    fn other_lines_are_refused() {
        let fault = |text: &str| {
            read(text.as_bytes(), &mut Classes::default(), &ReadOptions::default()).unwrap_err().to_string()
        };
        assert!(fault("1 2 3 4 5 6 7 8").starts_with("line 1: 8 columns"));
        assert!(fault("\n1 2 3 4 5 6 7 x ship 0").starts_with("line 2: \"x\" is not a number"));
    }
}
