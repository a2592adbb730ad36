//! Open Images' labels: a CSV file of boxes, in fractions of their pictures' sizes, and one that says what its classes are
//! called.

use std::collections::HashMap;

use csv_core::ReadRecordResult;

use crate::error::Result;

use super::plain::{number, short};
use super::{Annotation, Cause, Class, Classes, Id, Labels, Picture, ReadOptions, Rect, Spot, checked_name, codes};

/// The columns that must be there.
const NEEDED: [&str; 6] = ["ImageID", "LabelName", "XMin", "XMax", "YMin", "YMax"];

/// Reads a file of boxes. `descriptions` has what classes are called, if it is known. `size` has the size of a picture by
/// its id, which is its name without ending; one that is not known is left out and counted.
pub fn read(
    bytes: &[u8],
    descriptions: Option<&[u8]>,
    mut size: impl FnMut(&str) -> Result<Option<(u32, u32)>>,
    options: &ReadOptions,
) -> Result<Labels> {
    let mut labels = Labels::default();
    let mut classes = described(descriptions.unwrap_or_default(), &mut labels.classes, options)?;
    let mut columns: Option<Columns> = None;
    let mut pictures: HashMap<String, Option<usize>> = HashMap::new();
    records(bytes, options, &mut |fields, spot| {
        let Some(columns) = &columns else {
            columns = Some(Columns::of(fields, spot)?);
            return Ok(());
        };
        let id = columns.text(fields, "ImageID");
        let at = match pictures.get(id) {
            Some(at) => *at,
            None => {
                checked_name(id).map_err(|e| e.line(spot.line, spot.character))?;
                let size = size(id).map_err(|e| e.line(spot.line, spot.character))?;
                let at = size.map(|(width, height)| {
                    let mut picture = Picture::named(id);
                    (picture.width, picture.height, picture.line) = (Some(width), Some(height), Some(spot.line));
                    labels.pictures.push(picture);
                    labels.pictures.len() - 1
                });
                if at.is_none() {
                    labels.notes.add(Cause::NoPicture);
                }
                pictures.insert(id.to_owned(), at);
                at
            }
        };
        let Some(picture) = at.and_then(|at| labels.pictures.get_mut(at)) else { return Ok(()) };
        let name = columns.text(fields, "LabelName");
        if name.is_empty() {
            return Err(spot.fault(&codes::CLASS, "a box has no class"));
        }
        let class = match classes.get(name) {
            Some(class) => *class,
            None => {
                let class = labels.classes.found(name);
                classes.insert(name.to_owned(), class);
                class
            }
        };
        let mut annotation = Annotation::boxed(columns.rect(fields, picture, spot)?, Some(class));
        let flag = |name: &str| columns.text(fields, name) == "1";
        annotation.flags.occluded = flag("IsOccluded");
        annotation.flags.truncated = flag("IsTruncated");
        annotation.flags.crowd = flag("IsGroupOf");
        for name in ["IsDepiction", "IsInside"] {
            if flag(name) {
                annotation.attributes.push((name.to_owned(), "1".to_owned()));
            }
        }
        // A person's box has the score 1, which says nothing.
        annotation.score = number(columns.text(fields, "Confidence")).filter(|score| *score != 1.0);
        picture.annotations.push(annotation);
        Ok(())
    })?;
    if columns.is_none() {
        return Err(Spot::line(1).fault(&codes::FORMAT, "there is nothing in the file"));
    }
    Ok(labels)
}

/// The classes by the names that boxes have for them.
fn described(bytes: &[u8], classes: &mut Classes, options: &ReadOptions) -> Result<HashMap<String, u32>> {
    let mut numbers = HashMap::new();
    records(bytes, options, &mut |fields, spot| {
        let [code, name, ..] = fields else {
            return Err(spot.fault(&codes::SYNTAX, "a class and what it is called are two columns"));
        };
        // Some files have a line of titles.
        if spot.line == 1 && *code == "LabelName" {
            return Ok(());
        }
        let mut class = Class::named(*name);
        class.id = (code != name).then(|| Id::Text((*code).into()));
        // Two codes may mean one thing.
        let number = classes.add(class).unwrap_or_else(|there| there);
        numbers.insert((*code).to_owned(), number);
        Ok(())
    })?;
    Ok(numbers)
}

struct Columns(HashMap<String, usize>);

impl Columns {
    fn of(fields: &[&str], spot: &Spot) -> Result<Columns> {
        let columns: HashMap<String, usize> =
            fields.iter().enumerate().map(|(i, name)| ((*name).to_owned(), i)).collect();
        match NEEDED.iter().find(|name| !columns.contains_key(**name)) {
            Some(name) => Err(spot.fault(&codes::FORMAT, format!("there is no column {name}"))),
            None => Ok(Columns(columns)),
        }
    }

    fn text<'a>(&self, fields: &[&'a str], name: &str) -> &'a str {
        self.0.get(name).and_then(|i| fields.get(*i)).copied().unwrap_or_default()
    }

    fn rect(&self, fields: &[&str], picture: &Picture, spot: &Spot) -> Result<Rect> {
        let side = |name: &str, pixels: Option<u32>| {
            let text = self.text(fields, name);
            let wrong = || spot.fault(&codes::NUMBER, format!("{name} is {:?}, and no number", short(text)));
            let value = number(text).ok_or_else(wrong)?;
            if !(-1.0..=2.0).contains(&value) {
                let message = format!("{name} is {value}, and no fraction of the image; pixels are not read");
                return Err(spot.fault(&codes::RECT, message));
            }
            Ok(value * f64::from(pixels.unwrap_or_default()))
        };
        let rect = Rect::new(
            side("XMin", picture.width)?,
            side("YMin", picture.height)?,
            side("XMax", picture.width)?,
            side("YMax", picture.height)?,
        );
        if rect.width() < 0.0 || rect.height() < 0.0 {
            return Err(spot.fault(&codes::RECT, "a box's corners are swapped"));
        }
        Ok(rect)
    }
}

/// Hands every record of a CSV text to `each`, with the line where it ends; records without a field are passed over.
fn records(bytes: &[u8], options: &ReadOptions, each: &mut dyn FnMut(&[&str], &Spot) -> Result<()>) -> Result<()> {
    let mut reader = csv_core::Reader::new();
    let mut rest = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let (mut out, mut ends) = (vec![0; 4096], vec![0; 64]);
    loop {
        let (mut written, mut fields) = (0, 0);
        let spot = loop {
            let line = reader.line();
            let (result, read, wrote, ended) = reader.read_record(rest, &mut out[written..], &mut ends[fields..]);
            rest = rest.get(read..).unwrap_or_default();
            written += wrote;
            fields += ended;
            let mut spot = Spot::line(line);
            match result {
                ReadRecordResult::InputEmpty => {}
                ReadRecordResult::OutputFull => {
                    options.limits.item(written as u64 * 2).map_err(|e| e.line(line, 0))?;
                    out.resize(out.len() * 2, 0);
                }
                ReadRecordResult::OutputEndsFull => {
                    options.limits.item(fields as u64 * 16).map_err(|e| e.line(line, 0))?;
                    ends.resize(ends.len() * 2, 0);
                }
                ReadRecordResult::Record => {
                    spot.line = line;
                    break spot;
                }
                ReadRecordResult::End => return Ok(()),
            }
        };
        let mut start = 0;
        let mut texts = Vec::with_capacity(fields);
        for end in &ends[..fields] {
            let text = out.get(start..*end).and_then(|bytes| std::str::from_utf8(bytes).ok());
            texts.push(text.ok_or_else(|| spot.fault(&codes::ENCODING, "a field is not UTF-8"))?.trim());
            start = *end;
        }
        if texts.iter().any(|text| !text.is_empty()) {
            each(&texts, &spot)?;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "ImageID,Source,LabelName,Confidence,XMin,XMax,YMin,YMax,IsOccluded,IsGroupOf";

    fn read_all(text: &str, descriptions: Option<&str>) -> Result<Labels> {
        let mut size = |id: &str| Ok((id != "gone").then_some((320, 240)));
        read(text.as_bytes(), descriptions.map(str::as_bytes), &mut size, &ReadOptions::default())
    }

    #[test]
    fn boxes_are_fractions_of_their_pictures() {
        let text = format!(
            "{HEAD}\na,,/m/1,1,0.5,1,0,0.25,1,-1\na,,/m/2,0.5,-0.1,1,0,1,0,1\ngone,,/m/1,1,0,1,0,1,,\nb,,x,1,0,1,0,1,,\n"
        );
        let labels = read_all(&text, Some("/m/1,car\n\"/m/2\",\"traffic, light\"\n")).unwrap();
        assert_eq!(labels.pictures.iter().map(|p| p.name.as_str()).collect::<Vec<_>>(), ["a", "b"]);
        let found = &labels.pictures[0].annotations;
        assert_eq!(
            (found[0].rect, found[0].class, found[0].score),
            (Rect::new(160.0, 0.0, 320.0, 60.0), Some(0), None)
        );
        assert!(found[0].flags.occluded && found[1].flags.crowd && found[1].score == Some(0.5));
        assert_eq!((labels.classes.name(1), labels.classes.name(2)), (Some("traffic, light"), Some("x")));
        assert_eq!(labels.notes.of(Cause::NoPicture), 1);
    }

    #[test]
    fn faults_have_a_line() {
        for (line, place) in [
            ("a,,x,1,0,1,0", "line 2: YMax is \"\""),
            ("a,,x,1,0,nan,0,1", "line 2: XMax is \"nan\""),
            ("a,,x,1,0,320,0,1", "line 2: XMax is 320"),
            ("a,,x,1,0.9,0.1,0,1", "line 2: a box's corners"),
            ("a,,,1,0,1,0,1", "line 2: a box has no class"),
            ("../a,,x,1,0,1,0,1", "line 2: the image's name"),
        ] {
            let found = read_all(&format!("{HEAD}\n{line}"), None).unwrap_err().to_string();
            assert!(found.starts_with(place), "{line}: {found}");
        }
        assert!(read_all("a,b\n1,2", None).unwrap_err().to_string().starts_with("line 1: there is no column ImageID"));
        assert_eq!(read_all("", None).unwrap_err().code().id(), "label.format");
    }
}
