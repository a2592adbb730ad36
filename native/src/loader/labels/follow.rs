//! A path followed into JSON text, passing over the rest without reading it into memory.

use std::fmt;

use forebay::filter::Segment;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// What takes the value at the end of a path. Of a key that an object has twice the last one counts: it is taken anew.
pub(in crate::loader) trait Leaf {
    fn take<'de, D: Deserializer<'de>>(&mut self, d: D) -> Result<(), D::Error>;
}

/// Goes along the path. A leaf that is never reached takes nothing.
pub(in crate::loader) struct Follow<'a, L> {
    pub segments: &'a [Segment],
    pub leaf: &'a mut L,
}

impl<'de, L: Leaf> DeserializeSeed<'de> for Follow<'_, L> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, d: D) -> Result<(), D::Error> {
        match self.segments {
            [] => self.leaf.take(d),
            _ => d.deserialize_any(self),
        }
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

impl<'de, L: Leaf> Visitor<'de> for Follow<'_, L> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("metadata")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let (key, rest, into) = match self.segments.split_first() {
            Some((Segment::Key(key), rest)) => (key.as_str(), rest, true),
            _ => ("", &[][..], false),
        };
        while let Some(is) = map.next_key_seed(KeyIs(key))? {
            if is && into {
                map.next_value_seed(Follow { segments: rest, leaf: &mut *self.leaf })?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let (wanted, rest) = match self.segments.split_first() {
            Some((Segment::Index(i), rest)) => (Some(*i), rest),
            _ => (None, &[][..]),
        };
        for i in 0_u64.. {
            let there = if wanted == Some(i) {
                seq.next_element_seed(Follow { segments: rest, leaf: &mut *self.leaf })?.is_some()
            } else {
                seq.next_element::<IgnoredAny>()?.is_some()
            };
            if !there {
                break;
            }
        }
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }
    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }
    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }
    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }
    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }
    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
}
