//! The boxes of a sample, as `any(box, ...)` and `count(box, ...)` see them.

use super::{FieldKind, Path, SampleBox, Segment, Value, near::nearest};

/// The word for the box that is looked at.
pub(super) const WORD: &str = "box";

/// What a filter asks of a box by name.
const FIELDS: [(&str, FieldKind); 15] = [
    ("label", FieldKind::Text),
    ("score", FieldKind::Number),
    ("width", FieldKind::Number),
    ("height", FieldKind::Number),
    ("area", FieldKind::Number),
    ("xmin", FieldKind::Number),
    ("ymin", FieldKind::Number),
    ("xmax", FieldKind::Number),
    ("ymax", FieldKind::Number),
    ("source", FieldKind::Text),
    ("crowd", FieldKind::Bool),
    ("difficult", FieldKind::Bool),
    ("truncated", FieldKind::Bool),
    ("occluded", FieldKind::Bool),
    ("attributes", FieldKind::Object),
];

impl SampleBox {
    pub(super) fn field(&self, inside: &[Segment]) -> Value<'_> {
        let [x0, y0, x1, y1] = self.corners;
        let (name, rest) = match inside {
            [Segment::Key(name), rest @ ..] => (name.as_str(), rest),
            _ => return Value::Null,
        };
        match name {
            "label" => self.label.as_deref().into(),
            "score" => self.score.into(),
            "width" => (x1 - x0).into(),
            "height" => (y1 - y0).into(),
            "area" => ((x1 - x0) * (y1 - y0)).into(),
            "xmin" => x0.into(),
            "ymin" => y0.into(),
            "xmax" => x1.into(),
            "ymax" => y1.into(),
            "source" => self.source.into(),
            "crowd" => self.crowd.into(),
            "difficult" => self.difficult.into(),
            "truncated" => self.truncated.into(),
            "occluded" => self.occluded.into(),
            _ => {
                let wanted = |key: &str| matches!(rest, [Segment::Key(own)] if own == key);
                self.attributes.iter().find(|(key, _)| wanted(key)).map(|(_, value)| value.as_str()).into()
            }
        }
    }
}

/// What a field of a box holds; a message if there is no such field.
pub(super) fn kind(path: &Path) -> Result<FieldKind, String> {
    let names = || FIELDS.iter().map(|(name, _)| *name);
    let [_, Segment::Key(name), rest @ ..] = path.segments() else {
        return Err(format!("a box has the fields {}", names().collect::<Vec<_>>().join(", ")));
    };
    match (FIELDS.iter().find(|(known, _)| known == name), rest) {
        (Some((_, FieldKind::Object)), [Segment::Key(_)]) => Ok(FieldKind::Text),
        (Some((_, FieldKind::Object)), _) => Err("an attribute is named as in box.attributes.color".into()),
        (Some((_, kind)), []) => Ok(*kind),
        (Some(_), _) => Err(format!("box.{name} has no parts")),
        (None, _) => {
            let meant = nearest(name, names()).map(|name| format!("; did you mean box.{name}?"));
            let all = names().collect::<Vec<_>>().join(", ");
            Err(format!("a box has no field {name}; it has {all}{}", meant.unwrap_or_default()))
        }
    }
}
