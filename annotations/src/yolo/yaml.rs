//! As much of YAML as a `data.yaml` needs. Values are text, whatever YAML makes of them: a class may be called `no`.
//!
//! The crate `saphyr-parser` gives events; the tree is made here, so that an anchor is a reference to a value that is
//! there once and is never unfolded.

use std::collections::HashSet;

use saphyr_parser::{Event, Marker, Parser};

use crate::error::Result;
use crate::limits::Limits;

use super::super::plain::short;
use super::super::{Spot, codes};

/// Somebody wrote it, so it is not long.
const MOST_BYTES: usize = 4 << 20;

/// A value and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Yaml {
    pub(super) value: Value,
    pub(super) spot: Spot,
    anchor: usize,
}

#[derive(Clone, Debug)]
pub(super) enum Value {
    /// A scalar's text; empty where there is no value.
    Text(String),
    List(Vec<Yaml>),
    Map(Vec<(Yaml, Yaml)>),
    /// A value that stands elsewhere.
    Alias(usize),
}

impl Yaml {
    /// The text, of a scalar.
    pub(super) fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    fn anchored(&self, anchor: usize) -> Option<&Yaml> {
        if self.anchor == anchor {
            return Some(self);
        }
        match &self.value {
            Value::List(list) => list.iter().find_map(|one| one.anchored(anchor)),
            Value::Map(map) => map.iter().find_map(|(key, one)| key.anchored(anchor).or_else(|| one.anchored(anchor))),
            _ => None,
        }
    }
}

/// The first document of a text, which is a map.
#[derive(Debug)]
pub(super) struct Document(Yaml);

impl Document {
    pub(super) fn read(text: &str, limits: &Limits) -> Result<Document> {
        if text.len() > MOST_BYTES {
            let message = format!("{} bytes are more than the {MOST_BYTES} that are read", text.len());
            return Err(Spot::line(1).fault(&codes::UNSUPPORTED, message));
        }
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let root = tree(text, limits)?;
        let Value::Map(map) = &root.value else {
            return Err(root.spot.fault(&codes::FORMAT, "the document is not a map of keys"));
        };
        let mut seen = HashSet::new();
        for (key, _) in map {
            if let Some(text) = key.text().filter(|text| !seen.insert(*text)) {
                return Err(key.spot.fault(&codes::REPEATED, format!("{} is there twice", short(text))));
            }
        }
        Ok(Document(root))
    }

    /// The value of a key, with the key's place. A value that is an alias is the one that it stands for.
    pub(super) fn get(&self, key: &str) -> Option<(&Spot, &Yaml)> {
        let Value::Map(map) = &self.0.value else { return None };
        let (key, value) = map.iter().find(|(one, _)| one.text() == Some(key))?;
        match value.value {
            // An alias for an alias stands for nothing.
            Value::Alias(anchor) => self.0.anchored(anchor).map(|meant| (&key.spot, meant)),
            _ => Some((&key.spot, value)),
        }
    }
}

fn tree(text: &str, limits: &Limits) -> Result<Yaml> {
    let mut open: Vec<(Yaml, Option<Yaml>)> = Vec::new();
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|e| {
            let shown: String = e.info().chars().take(160).collect();
            spot(e.marker()).fault(&codes::SYNTAX, shown)
        })?;
        let spot = spot(&span.start);
        let whole = match event {
            Event::Scalar(text, _, anchor, _) => Yaml { value: Value::Text(text.into_owned()), spot, anchor },
            Event::Alias(anchor) => Yaml { value: Value::Alias(anchor), spot, anchor: 0 },
            Event::SequenceStart(anchor, _) | Event::MappingStart(anchor, _) => {
                limits.depth(open.len() as u32 + 1).map_err(|e| e.line(spot.line, spot.character))?;
                let value =
                    if matches!(event, Event::SequenceStart(..)) { Value::List(vec![]) } else { Value::Map(vec![]) };
                open.push((Yaml { value, spot, anchor }, None));
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => match open.pop() {
                Some((yaml, _)) => yaml,
                None => continue,
            },
            Event::DocumentEnd => break,
            _ => continue,
        };
        let Some((parent, key)) = open.last_mut() else { return Ok(whole) };
        match &mut parent.value {
            Value::List(list) => list.push(whole),
            Value::Map(map) => match key.take() {
                Some(key) => map.push((key, whole)),
                None => *key = Some(whole),
            },
            _ => {}
        }
    }
    Err(Spot::line(1).fault(&codes::FORMAT, "there is nothing in the file"))
}

fn spot(marker: &Marker) -> Spot {
    let mut spot = Spot::line(marker.line() as u64);
    spot.character = marker.col() as u64 + 1;
    spot
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Document> {
        Document::read(text, &Limits::default())
    }

    fn texts(text: &str) -> Vec<String> {
        let document = read(text).unwrap();
        match &document.get("names").unwrap().1.value {
            Value::List(list) => list.iter().map(|one| one.text().unwrap().to_owned()).collect(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn scalars_are_text_in_every_style() {
        assert_eq!(
            texts("names: [no, 1, null, 1.0, 'it''s', \"na\\xEF\\\n    ve\", \"\\u0441\"]"),
            ["no", "1", "null", "1.0", "it's", "naïve", "с"]
        );
        assert_eq!(texts("\u{feff}names:\r\n- a b # c\r\n- \"x y\"\r\n"), ["a b", "x y"]);
    }

    #[test]
    fn anchors_are_never_unfolded() {
        assert_eq!(texts("n: &n [a, b]\nnames: *n\n"), ["a", "b"]);
        let bomb: String =
            (1..30).map(|i| format!("k{i}: &k{i} [{}]\n", vec![format!("*k{}", i - 1); 9].join(","))).collect();
        let document = read(&format!("k0: &k0 [a]\n{bomb}names: *k29\n")).unwrap();
        let Value::List(list) = &document.get("names").unwrap().1.value else { panic!() };
        assert!(list.len() == 9 && list.iter().all(|one| one.text().is_none()));
        assert!(read("names: *n\n").is_err());
    }

    #[test]
    fn faults_have_a_place() {
        assert!(read("a: b\nnames:\n\t0: a\n").unwrap_err().to_string().starts_with("line 3, "));
        assert!(
            read("a: 1\nb: 2\na: 3\n").unwrap_err().to_string().starts_with("line 3, character 1: a is there twice")
        );
        assert!(read("- a\n").is_err() && read("").is_err());
        assert!(read(&"[".repeat(100_000)).is_err() && read(&"{a: ".repeat(100_000)).is_err());
        assert_eq!(read(&format!("a:\n  {}", "- ".repeat(1000))).unwrap_err().code().id(), "limit.nesting");
    }
}
