//! One field of JSON text, found without reading the rest into memory.

use std::fmt;

use forebay::filter::Segment;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// What was found at a field's place.
#[derive(Debug)]
pub(super) enum Found {
    Missing,
    Number(i64),
    /// The number of a class, of which the name was found.
    Class(i64),
    /// Something else, as it reads.
    Other(String),
}

/// Follows a path into JSON text, passing over the rest.
pub(super) struct Pick<'a, F> {
    pub(super) segments: &'a [Segment],
    /// What a text is.
    pub(super) known: &'a F,
}

impl<'de, F: Fn(&str) -> Found> DeserializeSeed<'de> for Pick<'_, F> {
    type Value = Found;
    fn deserialize<D: Deserializer<'de>>(self, d: D) -> Result<Found, D::Error> {
        d.deserialize_any(self)
    }
}

/// A key of an object, compared where it stands.
struct KeyIs<'a>(&'a str);

impl<'de> DeserializeSeed<'de> for KeyIs<'_> {
    type Value = bool;
    fn deserialize<D: Deserializer<'de>>(self, d: D) -> Result<bool, D::Error> {
        d.deserialize_str(self)
    }
}

impl Visitor<'_> for KeyIs<'_> {
    type Value = bool;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }
    fn visit_str<E>(self, key: &str) -> Result<bool, E> {
        Ok(key == self.0)
    }
}

impl<'de, F: Fn(&str) -> Found> Visitor<'de> for Pick<'_, F> {
    type Value = Found;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("metadata")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Found, A::Error> {
        let (key, rest, into) = match self.segments.split_first() {
            Some((Segment::Key(key), rest)) => (key.as_str(), rest, true),
            _ => ("", &[][..], false),
        };
        let mut found = if self.segments.is_empty() { Found::Other("of an object".to_owned()) } else { Found::Missing };
        while let Some(is) = map.next_key_seed(KeyIs(key))? {
            if is && into {
                found = map.next_value_seed(Pick { segments: rest, known: self.known })?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(found)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Found, A::Error> {
        let (wanted, rest) = match self.segments.split_first() {
            Some((Segment::Index(i), rest)) => (Some(*i), rest),
            _ => (None, &[][..]),
        };
        let mut found = if self.segments.is_empty() { Found::Other("of a list".to_owned()) } else { Found::Missing };
        for i in 0_u64.. {
            if wanted == Some(i) {
                match seq.next_element_seed(Pick { segments: rest, known: self.known })? {
                    Some(value) => found = value,
                    None => break,
                }
            } else if seq.next_element::<IgnoredAny>()?.is_none() {
                break;
            }
        }
        Ok(found)
    }

    fn visit_str<E>(self, text: &str) -> Result<Found, E> {
        Ok(if self.segments.is_empty() { (self.known)(text) } else { Found::Missing })
    }
    fn visit_i64<E>(self, n: i64) -> Result<Found, E> {
        Ok(if self.segments.is_empty() { Found::Number(n) } else { Found::Missing })
    }
    fn visit_u64<E>(self, n: u64) -> Result<Found, E> {
        let number = || i64::try_from(n).map_or_else(|_| Found::Other(n.to_string()), Found::Number);
        Ok(if self.segments.is_empty() { number() } else { Found::Missing })
    }
    fn visit_f64<E>(self, n: f64) -> Result<Found, E> {
        // Whole numbers up to 2^53 are exact.
        let whole = n.fract() == 0.0 && n.abs() <= 9_007_199_254_740_992.0;
        let number = || if whole { Found::Number(n as i64) } else { Found::Other(n.to_string()) };
        Ok(if self.segments.is_empty() { number() } else { Found::Missing })
    }
    fn visit_bool<E>(self, is: bool) -> Result<Found, E> {
        Ok(if self.segments.is_empty() { Found::Number(is.into()) } else { Found::Missing })
    }
    fn visit_unit<E>(self) -> Result<Found, E> {
        Ok(Found::Missing)
    }
}
