//! Whether a text of JSON is one that every reader here can hold as a value.
//!
//! JSON's grammar allows more than values have room for: `1e400`, half of a surrogate pair, a thousand brackets. What
//! is found here is what parsing into [`serde_json::Value`] would find, but nothing is kept.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

/// How deep values nest where they are parsed: one less than serde_json's own bound.
pub(crate) const LEVELS: u32 = 127;

/// The first integer in a text of JSON that needs more than 64 bits, and so would be rounded as a value.
pub fn too_wide(json: &[u8]) -> Option<&str> {
    let mut at = 0;
    while let Some(&byte) = json.get(at) {
        let rest = json.get(at..).unwrap_or_default();
        let end = match byte {
            b'"' => end_of_text(rest),
            b'-' | b'0'..=b'9' => {
                let of_number = |b: &u8| matches!(b, b'-' | b'+' | b'.' | b'e' | b'E' | b'0'..=b'9');
                let len = rest.iter().take_while(|b| of_number(b)).count();
                let number = rest.get(..len).and_then(|number| std::str::from_utf8(number).ok()).unwrap_or_default();
                let whole = !number.contains(['.', 'e', 'E']);
                if whole && number.len() > 18 && number.parse::<u64>().is_err() && number.parse::<i64>().is_err() {
                    return Some(number);
                }
                len
            }
            _ => 1,
        };
        at += end.max(1);
    }
    None
}

/// Where the text that begins here ends.
fn end_of_text(json: &[u8]) -> usize {
    let mut at = 1;
    while let Some(&byte) = json.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    at
}

/// Refuses a text that is not JSON, or whose value is not held or nests deeper than `levels`.
pub(crate) fn holds(text: &str, levels: u32) -> Result<(), serde_json::Error> {
    let mut json = serde_json::Deserializer::from_str(text);
    Holds { levels }.deserialize(&mut json)?;
    json.end()
}

#[derive(Clone, Copy)]
struct Holds {
    /// Levels that are left.
    levels: u32,
}

impl Holds {
    fn inside<E: Error>(self) -> Result<Holds, E> {
        let levels = self.levels.checked_sub(1).ok_or_else(|| E::custom("values nest too deeply"))?;
        Ok(Holds { levels })
    }
}

impl<'de> DeserializeSeed<'de> for Holds {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, d: D) -> Result<(), D::Error> {
        d.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Holds {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }
    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
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
    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }
    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        let inside = self.inside()?;
        while items.next_element_seed(inside)?.is_some() {}
        Ok(())
    }
    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<(), A::Error> {
        let inside = self.inside()?;
        while fields.next_key_seed(inside)?.is_some() {
            fields.next_value_seed(inside)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn what_is_held_is_what_parses_as_a_value() {
        let nested = |n: usize| format!("{}{}", "[".repeat(n), "]".repeat(n));
        let mut texts: Vec<String> =
            ["1", "1e400", "-1e400", "1e-400", "123456789012345678901234567890", "NaN", "-Infinity"]
                .into_iter()
                .chain([r#""\ud800""#, r#""\ud83d\ude00""#, r#"{"\ud800":1}"#, r#"{"a":1,"a":2}"#, "{\"a\":\"\u{1}\"}"])
                .chain(["", " ", "null", "[1,]", "{} {}", "\u{feff}{}", " {} ", r#"{"a":[true,null,{"b":"é"}]}"#])
                .map(str::to_owned)
                .collect();
        texts.extend([126, 127, 128, 100_000].map(nested));
        for text in texts {
            let value = serde_json::from_str::<Value>(&text);
            assert_eq!(holds(&text, LEVELS).is_ok(), value.is_ok(), "{}", &text[..text.len().min(80)]);
        }
        assert!(holds(&nested(5), 5).is_ok() && holds(&nested(6), 5).is_err());
    }
}
