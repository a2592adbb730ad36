//! What a label's field holds.

use std::fmt;

use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::follow::Leaf;

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

/// Takes what a field holds.
pub(super) struct Pick<'a, F> {
    /// What a text is.
    pub(super) known: &'a F,
    pub(super) found: Found,
}

impl<F: Fn(&str) -> Found> Leaf for Pick<'_, F> {
    fn take<'de, D: Deserializer<'de>>(&mut self, d: D) -> Result<(), D::Error> {
        self.found = d.deserialize_any(Value { known: self.known })?;
        Ok(())
    }
}

struct Value<'a, F> {
    known: &'a F,
}

impl<'de, F: Fn(&str) -> Found> Visitor<'de> for Value<'_, F> {
    type Value = Found;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a label")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Found, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Found::Other("of an object".to_owned()))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Found, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Found::Other("of a list".to_owned()))
    }
    fn visit_str<E>(self, text: &str) -> Result<Found, E> {
        Ok((self.known)(text))
    }
    fn visit_i64<E>(self, n: i64) -> Result<Found, E> {
        Ok(Found::Number(n))
    }
    fn visit_u64<E>(self, n: u64) -> Result<Found, E> {
        Ok(i64::try_from(n).map_or_else(|_| Found::Other(n.to_string()), Found::Number))
    }
    fn visit_f64<E>(self, n: f64) -> Result<Found, E> {
        // Whole numbers up to 2^53 are exact.
        let whole = n.fract() == 0.0 && n.abs() <= 9_007_199_254_740_992.0;
        Ok(if whole { Found::Number(n as i64) } else { Found::Other(n.to_string()) })
    }
    fn visit_bool<E>(self, is: bool) -> Result<Found, E> {
        Ok(Found::Number(is.into()))
    }
    fn visit_unit<E>(self) -> Result<Found, E> {
        Ok(Found::Missing)
    }
}
