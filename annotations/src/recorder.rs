//! The recorder's own: a JSON file a frame, with the frame's picture and boxes in pixels, in fractions of the picture, or
//! both. There are no classes.
//!
//! A frame is refused as a whole at its first fault: a blank name, no boxes, a box in neither unit, fractions beyond 0 to 1,
//! corners that are swapped or the same, numbers that a 32-bit float does not hold. Boxes may leave the picture.
//!
//! ```
//! use forebay_annotations::{ReadOptions, Rect, recorder};
//! let text = br#"{"frame_id": 7, "image": "images/frame_00007.png", "image_present": true,
//!   "labels": [{"bbox_norm": [0.125, 0.25, 0.5, 0.75], "source": "human"}]}"#;
//! let frame = recorder::read(text, &ReadOptions::default())?;
//! assert_eq!((frame.frame_id, frame.boxes[0].rect(80, 40)), (7, Rect::new(10.0, 10.0, 40.0, 30.0)));
//! # Ok::<(), forebay_base::Error>(())
//! ```

use crate::Result;

use super::{
    Annotation, Cause, Id, Notes, Picture, ReadOptions, Rect, Source, codes,
    json::{Got, Node, Stop, Value, document, within},
};

/// A frame.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Frame {
    /// Its number.
    pub frame_id: u64,
    /// Its picture's name, relative to the folder of the run.
    pub image: String,
    /// Whether the recorder had a picture for it.
    pub image_present: bool,
    /// Its boxes, at least one.
    pub boxes: Vec<FrameBox>,
}

/// A box of a frame.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct FrameBox {
    /// In pixels.
    pub pixels: Option<Rect>,
    /// In fractions of the picture.
    pub fractions: Option<Rect>,
    /// Who made it.
    pub source: Option<Source>,
    /// How sure its maker is.
    pub confidence: Option<f64>,
}

impl FrameBox {
    /// In pixels of a picture of this size: what was said in pixels counts before what was said in fractions.
    pub fn rect(&self, width: u32, height: u32) -> Rect {
        let (width, height) = (f64::from(width), f64::from(height));
        let scaled = |r: Rect| Rect::new(r.x0 * width, r.y0 * height, r.x1 * width, r.y1 * height);
        self.pixels.or(self.fractions.map(scaled)).unwrap_or_default()
    }

    /// Whether both units are given and contradict each other by more than half a pixel.
    pub fn disagrees(&self, width: u32, height: u32) -> bool {
        let (Some(pixels), Some(_)) = (self.pixels, self.fractions) else { return false };
        let other = FrameBox { pixels: None, ..self.clone() }.rect(width, height);
        let off = [pixels.x0 - other.x0, pixels.y0 - other.y0, pixels.x1 - other.x1, pixels.y1 - other.y1];
        off.iter().any(|by| by.abs() > 0.5)
    }
}

impl Frame {
    /// The frame as a picture of this size.
    pub fn picture(&self, width: u32, height: u32, notes: &mut Notes) -> Picture {
        let annotations = self.boxes.iter().map(|one| {
            if one.disagrees(width, height) {
                notes.add(Cause::UnitsDisagree);
            }
            let rect = one.rect(width, height);
            Annotation { score: one.confidence, source: one.source, ..Annotation::boxed(rect, None) }
        });
        Picture {
            name: self.image.clone(),
            width: Some(width),
            height: Some(height),
            id: i64::try_from(self.frame_id).ok().map(Id::Number),
            annotations: annotations.collect(),
            ..Picture::default()
        }
    }
}

/// Reads a frame.
pub fn read(text: &[u8], options: &ReadOptions) -> Result<Frame> {
    document(text, &options.limits, |node| frame(&node, options))
}

fn frame(node: &Node<'_>, options: &ReadOptions) -> Got<Frame> {
    let object = node.object()?;
    let frame_id = object.need(node.at, "frame_id", whole)?;
    let image = object.need(node.at, "image", |node| node.name(options.names))?;
    let image_present = object.need(node.at, "image_present", |node| match node.value {
        Value::Bool(yes) => Ok(yes),
        _ => Err(node.wrong("true or false belongs here")),
    })?;
    let boxes = object.need(node.at, "labels", |node| {
        let items = node.array()?;
        if items.is_empty() {
            return Err(Stop::wrong(node.at, &codes::VALUE, "the frame has no boxes"));
        }
        let boxes = items.iter().enumerate().map(|(i, item)| within(frame_box(item), format_args!("[{i}]")));
        boxes.collect::<Got<Vec<FrameBox>>>()
    })?;
    Ok(Frame { frame_id, image, image_present, boxes })
}

fn whole(node: &Node<'_>) -> Got<u64> {
    let number = match &node.value {
        Value::Number(number) if !number.fraction => std::str::from_utf8(number.text).ok(),
        _ => None,
    };
    let whole = number.and_then(|text| text.parse().ok());
    whole.ok_or_else(|| Stop::wrong(node.at, &codes::NUMBER, "a whole number from 0 on belongs here"))
}

fn frame_box(node: &Node<'_>) -> Got<FrameBox> {
    let object = node.object()?;
    let fractions = object.take("bbox_norm", |node| rect(node, true))?;
    let pixels = object.take("bbox_px", |node| rect(node, false))?;
    if fractions.is_none() && pixels.is_none() {
        let message = "a box is in pixels (bbox_px) or in fractions (bbox_norm), and this one in neither";
        return Err(Stop::wrong(node.at, &codes::RECT, message));
    }
    let source = object.take("source", |node| {
        Ok(match node.text()? {
            "human" => Some(Source::Human),
            "model" => Some(Source::Model),
            "sim_auto" => Some(Source::Simulator),
            _ => None,
        })
    })?;
    let confidence = object.take("source_confidence", Node::number)?;
    Ok(FrameBox { pixels, fractions, source: source.flatten(), confidence })
}

/// Corners. They are stored as 32-bit floats, so what these do not hold is not a number.
fn rect(node: &Node<'_>, fractions: bool) -> Got<Rect> {
    let items = node.array()?;
    let mut corners = [0.0; 4];
    if items.len() != 4 {
        return Err(Stop::wrong(node.at, &codes::RECT, "a box has four numbers: x0, y0, x1, y1"));
    }
    for (i, item) in items.iter().enumerate() {
        let value = within(item.number(), format_args!("[{i}]"))?;
        let wrong = |code, message| Stop::wrong(item.at, code, message).inside(format_args!("[{i}]"));
        if value.abs() > f64::from(f32::MAX) {
            return Err(wrong(&codes::NUMBER, "the number is larger than any 32-bit float"));
        }
        if fractions && !(0.0..=1.0).contains(&value) {
            return Err(wrong(&codes::RECT, "a fraction of an image is from 0 to 1"));
        }
        corners[i] = value;
    }
    let [x0, y0, x1, y1] = corners;
    if x0 >= x1 || y0 >= y1 {
        return Err(Stop::wrong(node.at, &codes::RECT, "the corners of a box are swapped or the same"));
    }
    Ok(Rect::new(x0, y0, x1, y1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> (String, &'static str) {
        let e = read(text.as_bytes(), &ReadOptions::default()).unwrap_err();
        (e.place().path.clone().unwrap_or_default(), e.code().id())
    }

    #[test]
    fn a_frame_is_refused_at_its_first_fault() {
        let frame =
            |labels: &str| format!(r#"{{"frame_id": 1, "image": "a.png", "image_present": true, "labels": {labels}}}"#);
        let said = |labels: &str| refused(&frame(labels));
        assert_eq!(said("[]"), ("labels".into(), "label.value"));
        assert_eq!(said("[{}]"), ("labels[0]".into(), "label.rect"));
        assert_eq!(said(r#"[{"bbox_px": [1, 1, 1e39, 9]}]"#), ("labels[0].bbox_px[2]".into(), "label.number"));
        assert_eq!(said(r#"[{"bbox_px": [9, 1, 9, 9]}]"#), ("labels[0].bbox_px".into(), "label.rect"));
        assert_eq!(said(r#"[{"bbox_norm": [0, 0, 1.2, 0.5]}]"#), ("labels[0].bbox_norm[2]".into(), "label.rect"));
        assert_eq!(refused(r#"{"frame_id": -1}"#), ("frame_id".into(), "label.number"));
        assert_eq!(refused(r#"{"frame_id": 1, "image": " "}"#), ("image".into(), "label.name"));
        assert_eq!(refused(r#"{"frame_id": 1, "image": "../a.png"}"#), ("image".into(), "label.name"));
        assert_eq!(refused(r#"{"frame_id": 1, "image": "a.png"}"#), ("image_present".into(), "label.value"));
        assert_eq!(
            refused(r#"{"frame_id": 1, "image": "a.png", "image_present": true, "labels": ["#).1,
            "label.truncated"
        );
        // Outside the picture is allowed, and what is not known is passed over.
        assert!(
            read(frame(r#"[{"bbox_px": [-8, -6, 900, 30], "x": {"y": 1}}]"#).as_bytes(), &ReadOptions::default())
                .is_ok()
        );
    }

    #[test]
    fn pixels_count_before_fractions() {
        let text = br#"{"frame_id": 18446744073709551615, "image": "a.png", "image_present": true, "labels": [
            {"bbox_px": [8.0, 6.0, 40.0, 30.0], "bbox_norm": [0.5, 0.5, 0.75, 0.75], "source": "sim_auto",
             "source_confidence": 0.5}]}"#;
        let frame = read(text, &ReadOptions::default()).unwrap();
        let mut notes = Notes::default();
        let picture = frame.picture(80, 60, &mut notes);
        assert_eq!((frame.frame_id, notes.of(Cause::UnitsDisagree)), (u64::MAX, 1));
        let one = &picture.annotations[0];
        assert_eq!(
            (one.rect, one.source, one.score),
            (Rect::new(8.0, 6.0, 40.0, 30.0), Some(Source::Simulator), Some(0.5))
        );
    }
}
