//! KITTI's labels: a text file for each picture, fifteen columns for each object, sixteen with a score.

use crate::error::Result;

use super::plain::{lines, number, read_pictures};
use super::{Annotation, Classes, Labels, ReadOptions, Rect, Spot, codes};

/// Columns after the class: without and with a score.
const COLUMNS: usize = 14;

/// Reads the labels of one picture. A class that is not in `classes` yet is added. Names of classes may have blanks.
pub fn read(bytes: &[u8], classes: &mut Classes, _options: &ReadOptions) -> Result<Vec<Annotation>> {
    let mut found = Vec::new();
    for (at, line) in lines(bytes) {
        let line = line?;
        if !line.is_empty() {
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
    // From the right: what is not a number there belongs to the name.
    let numbers = columns.iter().rev().take(COLUMNS + 1).take_while(|text| number(text).is_some()).count();
    if numbers < COLUMNS || numbers == columns.len() {
        let message = format!(
            "{} columns, of which the last {numbers} are numbers: a name and 14 or 15 numbers are a line",
            columns.len()
        );
        return Err(spot.fault(&codes::SYNTAX, message));
    }
    let (name, values) = columns.split_at(columns.len() - numbers);
    let values: Vec<f64> = values.iter().filter_map(|text| number(text)).collect();
    let (truncated, occluded) = (values[0], values[1]);
    // A name that ends with a number would move every column.
    if !(truncated == -1.0 || (0.0..=1.0).contains(&truncated)) || ![-1.0, 0.0, 1.0, 2.0, 3.0].contains(&occluded) {
        let message = format!("{truncated} and {occluded} are not a share that is cut off and no degree of hiding");
        return Err(spot.fault(&codes::VALUE, message));
    }
    let rect = Rect::new(values[3], values[4], values[5], values[6]);
    if rect.width() < 0.0 || rect.height() < 0.0 {
        let message = format!("a box goes from {}, {} back to {}, {}", rect.x0, rect.y0, rect.x1, rect.y1);
        return Err(spot.fault(&codes::RECT, message));
    }
    let mut annotation = Annotation::boxed(rect, Some(classes.found(&name.join(" "))));
    annotation.flags.truncated = truncated > 0.0;
    annotation.flags.occluded = (1.0..=2.0).contains(&occluded);
    annotation.score = values.get(COLUMNS).copied();
    // In space, if it is known there: a size is above nothing.
    if values[7] > 0.0 {
        let tail = &columns[name.len()..];
        for (key, range) in [("alpha", 2..3), ("dimensions", 7..10), ("location", 10..13), ("rotation_y", 13..14)] {
            annotation.attributes.push((key.to_owned(), tail[range].join(" ")));
        }
    }
    Ok(annotation)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_all(text: &str) -> Result<(Vec<Annotation>, Classes)> {
        let mut classes = Classes::default();
        read(text.as_bytes(), &mut classes, &ReadOptions::default()).map(|found| (found, classes))
    }

    #[test]
    fn lines_are_read_from_the_right() {
        let text = "traffic light 0.0 0 -1 -3.5 5 300 45 -1 -1 -1 -1 -1 -1 -1 0.75\n\nCar 0.5 2 -1.2 0 0 9 9 1.5 1.6 3.2 1 2 40 0.1\n";
        let (found, classes) = read_all(text).unwrap();
        assert_eq!(classes.name(0), Some("traffic light"));
        assert_eq!((found[0].rect, found[0].score), (Rect::new(-3.5, 5.0, 300.0, 45.0), Some(0.75)));
        assert!(found[1].flags.truncated && found[1].flags.occluded && found[1].score.is_none());
        assert_eq!(found[1].attributes[1], ("dimensions".to_owned(), "1.5 1.6 3.2".to_owned()));
        // To the last digit.
        let (found, _) = read_all(&text.replace("1.5 1.6 3.2", "1.5234567890123456 1.6234567890123457 3.2")).unwrap();
        assert_eq!(found[1].attributes[1].1, "1.5234567890123456 1.6234567890123457 3.2");
    }

    #[test]
    fn other_lines_are_refused() {
        for (text, place) in [
            ("\nCar 0 0 0 1 2 3 4", "line 2: 8 columns"),
            ("0 0 0 1 2 3 4 0 0 0 0 0 0 0 0", "line 1: 15 columns"),
            ("obj 5 0 0 -1 1 2 3 4 0 0 0 0 0 0 0", "line 1: 5 and 0 are not a share"),
            ("Car 0 0 0 9 2 3 4 0 0 0 0 0 0 0", "line 1: a box goes from 9, 2 back"),
        ] {
            let found = read_all(text).unwrap_err().to_string();
            assert!(found.starts_with(place), "{found}");
        }
    }
}
