//! Where in samples' metadata boxes are, said by who knows it.

use std::{fmt, str::FromStr};

use crate::{
    Rect,
    error::{Error, Result, codes},
    path::{self, Segment},
    words::Word,
};

/// What four numbers say of a box, in pixels, or as shares of the picture where an `n` follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BoxLayout {
    /// Two corners: left, top, right, bottom.
    Xyxy,
    /// The upper left corner, width and height.
    Xywh,
    /// The center, width and height.
    Cxcywh,
    /// Two corners, as shares.
    Xyxyn,
    /// The upper left corner, width and height, as shares.
    Xywhn,
    /// The center, width and height, as shares.
    Cxcywhn,
}

impl Word for BoxLayout {
    const ALL: &'static [BoxLayout] =
        &[BoxLayout::Xyxy, BoxLayout::Xywh, BoxLayout::Cxcywh, BoxLayout::Xyxyn, BoxLayout::Xywhn, BoxLayout::Cxcywhn];
    fn word(self) -> &'static str {
        match self {
            BoxLayout::Xyxy => "xyxy",
            BoxLayout::Xywh => "xywh",
            BoxLayout::Cxcywh => "cxcywh",
            BoxLayout::Xyxyn => "xyxyn",
            BoxLayout::Xywhn => "xywhn",
            BoxLayout::Cxcywhn => "cxcywhn",
        }
    }
    fn meaning(self) -> &'static str {
        match self {
            BoxLayout::Xyxy => "left, top, right, bottom in pixels",
            BoxLayout::Xywh => "left, top, width, height in pixels",
            BoxLayout::Cxcywh => "center, width, height in pixels",
            BoxLayout::Xyxyn => "left, top, right, bottom as shares of the image",
            BoxLayout::Xywhn => "left, top, width, height as shares of the image",
            BoxLayout::Cxcywhn => "center, width, height as shares of the image",
        }
    }
}

impl BoxLayout {
    /// Whether the numbers are shares of the picture.
    pub(crate) fn is_shares(self) -> bool {
        matches!(self, BoxLayout::Xyxyn | BoxLayout::Xywhn | BoxLayout::Cxcywhn)
    }

    /// Whether the first two numbers are the center.
    pub(crate) fn is_centered(self) -> bool {
        matches!(self, BoxLayout::Cxcywh | BoxLayout::Cxcywhn)
    }

    /// Whether the last two numbers are a corner.
    pub(crate) fn is_corners(self) -> bool {
        matches!(self, BoxLayout::Xyxy | BoxLayout::Xyxyn)
    }

    /// The box, in the unit of the numbers.
    pub(crate) fn rect(self, [a, b, c, d]: [f64; 4]) -> Rect {
        if self.is_corners() {
            Rect::new(a, b, c, d)
        } else if self.is_centered() {
            Rect::new(a - c / 2.0, b - d / 2.0, a + c / 2.0, b + d / 2.0)
        } else {
            Rect::new(a, b, a + c, b + d)
        }
    }
}

/// Which field of samples' metadata has boxes, and what four numbers of it mean.
///
/// As text it is a field as filters write it, a colon, and a [`BoxLayout`]: `json.boxes:xywh`. Either half may be left out:
/// `json.boxes` has boxes that say what they are, and `:xywh` means numbers wherever boxes usually are. `none` says that no
/// field has any.
///
/// ```
/// use forebay_annotations::{Classes, ReadOptions, Rect, record};
/// let metadata = serde_json::json!({ "json": { "boxes": [{ "label": "boat", "bbox": [10, 20, 30, 40] }] } });
/// let mut options = ReadOptions::default();
/// let mut classes = Classes::default();
/// // Another program may have meant two corners.
/// assert_eq!(record::find(&metadata, None, &options, &mut classes).unwrap_err().code().id(), "label.ambiguous");
/// options.boxes = Some("json.boxes:xywh".parse()?);
/// let found = record::find(&metadata, None, &options, &mut classes)?.unwrap();
/// assert_eq!(found.picture.annotations[0].rect, Rect::new(10.0, 20.0, 40.0, 60.0));
/// # Ok::<(), forebay_base::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct BoxField {
    text: String,
    /// `None` where no field has any.
    at: Option<Vec<Segment>>,
    layout: Option<BoxLayout>,
}

/// The word for no field.
const NONE: &str = "none";

impl BoxField {
    /// Whether no field of the metadata has boxes.
    pub(crate) fn is_none(&self) -> bool {
        self.at.is_none()
    }

    /// The field; empty where it is not said.
    pub(crate) fn segments(&self) -> &[Segment] {
        self.at.as_deref().unwrap_or_default()
    }

    /// What four numbers mean, if that is said.
    pub(crate) fn layout(&self) -> Option<BoxLayout> {
        self.layout
    }
}

impl FromStr for BoxField {
    type Err = Error;

    fn from_str(text: &str) -> Result<BoxField> {
        let text = text.trim();
        let refuse = |message: String| Error::new(&codes::ARGUMENT, message);
        let (field, layout) = match text.rsplit_once(':') {
            Some((field, word)) => {
                let layout = BoxLayout::from_word(word).ok_or_else(|| {
                    let words: Vec<_> = BoxLayout::ALL.iter().map(|layout| layout.word()).collect();
                    refuse(format!("{word:?} is not what four numbers can mean: {}", words.join(", ")))
                })?;
                (field, Some(layout))
            }
            None => (text, None),
        };
        let at = match field {
            NONE if layout.is_none() => None,
            "" if layout.is_some() => Some(Vec::new()),
            field => {
                let wrong = || refuse(format!("{field:?} is not the path of a field, such as json.boxes"));
                Some(path::read(field).ok_or_else(wrong)?)
            }
        };
        Ok(BoxField { text: text.to_owned(), at, layout })
    }
}

impl fmt::Display for BoxField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_said_as_filters_say_them() {
        let said = |text: &str| {
            let field: BoxField = text.parse()?;
            Ok::<_, Error>((field.is_none(), field.segments().len(), field.layout(), field.to_string()))
        };
        let all = |text: &str| said(text).map(|(none, segments, layout, _)| (none, segments, layout)).unwrap();
        assert_eq!(all("json.boxes:xywh"), (false, 2, Some(BoxLayout::Xywh)));
        assert_eq!(all("json.seen[0].boxes"), (false, 4, None));
        assert_eq!(all(":cxcywhn"), (false, 0, Some(BoxLayout::Cxcywhn)));
        assert_eq!(all("none"), (true, 0, None));
        assert_eq!(said(" json.boxes:xywh ").unwrap().3, "json.boxes:xywh");
        for wrong in ["", ":", "json.boxes:xxyy", "width > 3", "json..boxes"] {
            assert_eq!(said(wrong).unwrap_err().code().id(), "usage.argument", "{wrong}");
        }
    }
}
