//! What the readers of texts share: numbers, lines, and words that are shown in errors.

use crate::error::Result;

use super::{Annotation, Classes, Labels, Picture, ReadOptions, Spot, codes};

/// A number as the formats write it: digits, a point, an exponent. No infinity, no NaN, no comma.
pub(super) fn number(text: &str) -> Option<f64> {
    let known = |b: u8| b.is_ascii_digit() || b"+-.eE".contains(&b);
    let number: f64 = Some(text.trim()).filter(|text| text.bytes().all(known))?.parse().ok()?;
    number.is_finite().then_some(number)
}

/// A size in pixels; some write it with a fraction of nothing.
pub(super) fn pixels(text: &str) -> Option<u32> {
    let value = number(text)?;
    (value.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&value)).then_some(value as u32)
}

/// The beginning of a text, for an error.
pub(super) fn short(text: &str) -> String {
    text.chars().take(40).collect()
}

/// The lines of a text without white space around them, each with its number from 1. A byte order mark is passed over.
pub(super) fn lines(bytes: &[u8]) -> impl Iterator<Item = (u64, Result<&str>)> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    (1..).zip(bytes.split(|b| *b == b'\n')).map(|(number, line)| {
        let text = std::str::from_utf8(line).map(str::trim);
        (number, text.map_err(|_| Spot::line(number).fault(&codes::ENCODING, "a line is not UTF-8")))
    })
}

/// Reads the labels of several pictures, each called what its labels are, without an ending; `read` reads those of one.
pub(super) fn read_pictures<'a>(
    files: impl IntoIterator<Item = (&'a str, &'a [u8])>,
    options: &ReadOptions,
    read: fn(&[u8], &mut Classes, &ReadOptions) -> Result<Vec<Annotation>>,
) -> Result<Labels> {
    let mut labels = Labels::default();
    for (name, bytes) in files {
        let mut picture = Picture::named(name.strip_suffix(".txt").unwrap_or(name));
        picture.annotations = read(bytes, &mut labels.classes, options).map_err(|e| e.file(name))?;
        labels.pictures.push(picture);
    }
    Ok(labels)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_finite_and_have_points() {
        assert_eq!(["1", " -2.5e1\n", "+.5", "5."].map(number), [Some(1.0), Some(-25.0), Some(0.5), Some(5.0)]);
        for text in ["", "nan", "inf", "1e999", "1,5", "0x1", "1 2", "left"] {
            assert_eq!(number(text), None, "{text}");
        }
        assert_eq!(["320.0", "320.5", "-1", "4294967296"].map(pixels), [Some(320), None, None, None]);
    }
}
