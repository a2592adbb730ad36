//! Values as documents write them.

use std::{fmt::Display, str::FromStr};

use forebay::{
    order::Shuffle,
    warehouse::{ResizeMode, Transform},
    words::Word,
};
use serde::{
    Deserialize, Deserializer,
    de::{DeserializeOwned, Error},
};
use serde_json::Value;

/// The seed of a full shuffle, or blocks with theirs.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(untagged, expecting = "shuffle is a seed, such as 42, or blocks with a seed")]
pub(in crate::loader) enum Shuffled {
    Seed(u64),
    Blocks { seed: u64, block: u64, window: u64 },
}

impl Shuffled {
    pub(super) fn parts(self) -> (Shuffle, u64) {
        match self {
            Shuffled::Seed(seed) => (Shuffle::Full, seed),
            Shuffled::Blocks { seed, block, window } => (Shuffle::Blocks { block, window }, seed),
        }
    }
    /// The same with another seed.
    pub(in crate::loader) fn seeded(self, seed: u64) -> Shuffled {
        match self {
            Shuffled::Seed(_) => Shuffled::Seed(seed),
            Shuffled::Blocks { block, window, .. } => Shuffled::Blocks { seed, block, window },
        }
    }
}

/// One of a few choices by its word.
pub(super) fn word<'de, D: Deserializer<'de>, T: Word>(deserializer: D) -> Result<T, D::Error> {
    let text = String::deserialize(deserializer)?;
    T::from_word(&text).ok_or_else(|| D::Error::custom(not_one_of::<T>("it", &text)))
}

pub(super) fn some_word<'de, D: Deserializer<'de>, T: Word>(deserializer: D) -> Result<Option<T>, D::Error> {
    word(deserializer).map(Some)
}

fn not_one_of<T: Word>(what: &str, text: &str) -> String {
    let known: Vec<&str> = T::ALL.iter().map(|choice| choice.word()).collect();
    format!("{what} is one of {}, not {text:?}", known.join(", "))
}

/// A value, or the text that stands for it.
pub(in crate::loader) fn or_text<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: DeserializeOwned + for<'a> From<&'a str>,
{
    match Value::deserialize(deserializer)? {
        Value::String(text) => Ok(T::from(&text)),
        value => T::deserialize(value).map_err(D::Error::custom),
    }
}

pub(super) fn some_or_text<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: DeserializeOwned + for<'a> From<&'a str>,
{
    or_text(deserializer).map(Some)
}

/// A value that is written as text.
pub(super) fn some_text<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: FromStr<Err: Display>,
{
    String::deserialize(deserializer)?.parse().map(Some).map_err(D::Error::custom)
}

/// What the builder of a warehouse makes of pictures.
pub(super) fn transform<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Transform>, D::Error> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Written {
        size: [u32; 2],
        resize: String,
        max_boxes: u64,
    }
    let Written { size, resize, max_boxes } = Written::deserialize(deserializer)?;
    let mode = ResizeMode::from_word(&resize);
    let mode = mode.ok_or_else(|| D::Error::custom(not_one_of::<ResizeMode>("resize", &resize)))?;
    Ok(Some(Transform::new(Some(size), mode, max_boxes)))
}
