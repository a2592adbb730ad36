//! What a COCO file says of an annotation that the model has no place for: another COCO file says it again.

use crate::{
    Annotation, Notes, Shape,
    holes::holes,
    json::{Cursor, Value},
    kept::{Kept, Own},
};

use super::element::{Detail, Field, whole};

impl Own {
    /// What there is to keep.
    pub fn of(detail: &Detail<'_>, annotation: &Annotation) -> Kept {
        let computed = area(annotation);
        let said = whole(detail.area).and_then(|mut cursor| cursor.number().ok()).map(|number| number.value);
        let own = Own {
            area: said.filter(|said| *said != computed).map(|said| [said, computed]),
            attributes: typed(detail.attributes).unwrap_or_default(),
            more: others(detail.own).unwrap_or_default(),
            filled: matches!(&annotation.shape, Shape::Polygon(parts) if holes(parts).contains(&true)),
        };
        Kept((own != Own::default()).then(|| Box::new(own)))
    }

    /// The area to say of a shape that has this one.
    pub fn area(&self, computed: f64) -> f64 {
        self.area.filter(|[_, was]| *was == computed).map_or(computed, |[said, _]| said)
    }

    /// The attributes as they stood, if they are still these.
    pub fn attributes(&self, texts: &[(String, String)]) -> Option<&str> {
        let stood = Detail { attributes: self.attributes.as_bytes(), ..Detail::default() };
        let same = !self.attributes.is_empty() && stood.attributes(&mut Notes::default()) == texts;
        same.then_some(&self.attributes)
    }

    /// Whether outlines inside of others stay outlines.
    pub fn filled(&self) -> bool {
        self.filled
    }

    /// What follows the known fields.
    pub fn more(&self) -> &str {
        &self.more
    }
}

/// An object of more than texts.
fn typed(text: &[u8]) -> Option<String> {
    let node = whole(text)?.node().ok()?;
    let is_typed = node.object().ok()?.0.iter().any(|(_, node)| !matches!(node.value, Value::Text(_)));
    is_typed.then(|| String::from_utf8(text.to_vec()).ok()).flatten()
}

/// The fields of an annotation that are not known.
fn others(text: &[u8]) -> Option<String> {
    let mut cursor: Cursor<'_> = whole(text)?;
    cursor.open(b'{').ok()?;
    let (mut fields, mut out) = (0, String::new());
    while cursor.more(b'}', fields).ok()? {
        fields += 1;
        let from = cursor.at;
        let is_other = matches!(Field::of(&cursor.key().ok()?), Field::Other);
        cursor.skip().ok()?;
        if is_other {
            out.push(',');
            out.push_str(std::str::from_utf8(text.get(from..cursor.at)?).ok()?);
        }
    }
    Some(out)
}

/// The area of what marks an object.
pub(super) fn area(annotation: &Annotation) -> f64 {
    match &annotation.shape {
        Shape::Box | Shape::Points => annotation.rect.area(),
        Shape::Rotated { unturned, .. } => unturned.area(),
        Shape::Polygon(parts) => parts.iter().map(|part| inside(part)).sum(),
        Shape::Mask(mask) => mask.area() as f64,
    }
}

/// The area inside an outline.
fn inside(part: &[[f64; 2]]) -> f64 {
    let next = part.iter().cycle().skip(1);
    let twice: f64 = part.iter().zip(next).map(|(a, b)| a[0] * b[1] - b[0] * a[1]).sum();
    twice.abs() / 2.0
}

#[cfg(test)]
mod tests {
    use super::super::{read, write};
    use crate::{Labels, Loss, ReadOptions};

    fn written(labels: &Labels) -> (String, u64) {
        let mut text = Vec::new();
        let losses = write(labels, &mut |bytes| {
            text.extend_from_slice(bytes);
            Ok(())
        });
        (String::from_utf8(text).unwrap(), losses.unwrap().of(Loss::Attributes))
    }

    #[test]
    fn what_is_only_known_to_coco_stays_as_it_was() {
        let text = r#"{"images": [{"id": 1, "file_name": "a.jpg", "width": 64, "height": 48}], "annotations": [
            {"id": 1, "track_id" : 4, "image_id": 1, "category_id": 1, "bbox": [32.9, 2, 30.1, 4], "area": 99.5,
             "attributes": {"n":3,"ok":true,"none":null,"list":[1]}, "num_keypoints": 0, "odd\"key": {"a": [2]}},
            {"id": 2, "image_id": 1, "category_id": 1, "bbox": [1, 2, 3, 4], "attributes": {"n": "3"}, "area": 12}],
            "categories": [{"id": 1, "name": "cat"}]}"#;
        let mut labels = read(text.as_bytes(), &ReadOptions::default()).unwrap();
        let (out, lost) = written(&labels);
        for part in [
            r#""area":99.5,"#,
            r#""attributes":{"n":3,"ok":true,"none":null,"list":[1]},"track_id" : 4,"odd\"key": {"a": [2]}}"#,
            r#""area":12,"iscrowd":0,"attributes":{"n":"3"}}"#,
        ] {
            assert!(out.contains(part), "{out}");
        }
        assert_eq!((lost, out.contains("num_keypoints")), (0, false));
        assert_eq!(read(out.as_bytes(), &ReadOptions::default()).unwrap().pictures[0].annotations, {
            let kept = labels.pictures[0].annotations.clone();
            assert!(kept[0].own.0.is_some() && kept[1].own.0.is_none());
            kept
        });
        // Of what was changed since nothing old is said.
        let changed = &mut labels.pictures[0].annotations[0];
        changed.rect.x1 += 1.0;
        changed.attributes.pop();
        let (out, _) = written(&labels);
        assert!(!out.contains("99.5") && out.contains(r#""attributes":{"n":"3"},"track_id""#), "{out}");
    }
}
