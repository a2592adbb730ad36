//! `tf.train.Example` and `SequenceExample`: maps from names to lists.
//!
//! An `Example` has a message `Features` in its field 1, and that a map in its field 1; a `SequenceExample` has the same for
//! what is said once, and in its field 2 a map to lists of such lists. As Protocol Buffers have it, a message may come in
//! pieces, the last entry of a name counts, fields of other numbers are passed over, and numbers are packed or not.

use std::collections::HashMap;

use bytes::Bytes;
use serde_json::Value as Json;

use crate::{
    doors::{
        codes,
        field::{Field, Value, bytes_to_json},
        half,
        proto::{Malformed, Message, Read, Wire},
    },
    error::{Error, Result},
    image::probe,
    limits::Limits,
    sample::MediaFormat,
};

/// The least that a number takes in metadata.
const NUMBER: u64 = 32;

/// A list of values of one kind, in the pieces in which it came.
#[derive(Clone, Debug, Default)]
struct Feature<'a> {
    /// 1 for bytes, 2 for floats, 3 for integers, 0 for nothing.
    kind: u32,
    pieces: Vec<&'a [u8]>,
}

/// An entry of either map.
enum Entry<'a> {
    One(Feature<'a>),
    List(Vec<Feature<'a>>),
}

/// The fields of a record.
pub(super) fn fields(data: &Bytes, limits: &Limits) -> Result<Vec<Field>> {
    let entries = entries(data).map_err(|Malformed| malformed())?;
    let mut fields = Vec::with_capacity(entries.len());
    let mut made = Made { data, limits, numbers: 0 };
    for (name, entry) in &entries {
        made.add(name, entry, &mut fields)?;
    }
    Ok(fields)
}

/// One field of a record.
pub(super) fn field(data: &Bytes, name: &str, limits: &Limits) -> Result<Option<Value>> {
    let entries = entries(data).map_err(|Malformed| malformed())?;
    let mut made = Made { data, limits, numbers: 0 };
    // Of a list of images each is a field.
    let of = |entry: &str| name.strip_prefix(entry).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    let mut fields = Vec::new();
    for (entry, list) in entries.iter().filter(|(entry, _)| of(entry)) {
        made.add(entry, list, &mut fields)?;
    }
    Ok(fields.into_iter().find(|field| field.name == name).map(|field| field.value))
}

fn malformed() -> Error {
    Error::new(&codes::EXAMPLE, "the record is not readable as tf.train.Example or SequenceExample")
}

/// The entries of both maps, in their order; of a name that comes again the last counts.
fn entries(data: &[u8]) -> Read<Vec<(&str, Entry<'_>)>> {
    let mut found = Vec::new();
    let mut places: HashMap<(u32, &str), usize> = HashMap::new();
    let mut record = Message(data);
    while let Some((map, wire)) = record.next()? {
        let (1 | 2, Wire::Bytes(features)) = (map, wire) else { continue };
        let mut features = Message(features);
        while let Some((number, wire)) = features.next()? {
            let (1, Wire::Bytes(entry)) = (number, wire) else { continue };
            let (name, value) = pair(entry)?;
            let entry = match map {
                1 => Entry::One(feature(&value)?),
                _ => Entry::List(list(&value)?),
            };
            match places.get(&(map, name)).and_then(|&at| found.get_mut(at)) {
                Some(place) => *place = (name, entry),
                None => {
                    places.insert((map, name), found.len());
                    found.push((name, entry));
                }
            }
        }
    }
    Ok(found)
}

/// The key of a map's entry, and its value in the pieces in which it came.
fn pair(entry: &[u8]) -> Read<(&str, Vec<&[u8]>)> {
    let (mut name, mut value) = ("", Vec::new());
    let mut entry = Message(entry);
    while let Some(field) = entry.next()? {
        match field {
            (1, Wire::Bytes(key)) => name = std::str::from_utf8(key).map_err(|_| Malformed)?,
            (2, Wire::Bytes(piece)) => value.push(piece),
            (1 | 2, _) => return Err(Malformed),
            _ => {}
        }
    }
    Ok((name, value))
}

/// Of a `Feature` the kind that came last counts.
fn feature<'a>(pieces: &[&'a [u8]]) -> Read<Feature<'a>> {
    let mut found = Feature::default();
    for piece in pieces {
        let mut message = Message(piece);
        while let Some((kind, wire)) = message.next()? {
            let 1..=3 = kind else { continue };
            let Wire::Bytes(list) = wire else { return Err(Malformed) };
            if kind != found.kind {
                found = Feature { kind, pieces: Vec::new() };
            }
            found.pieces.push(list);
        }
    }
    // That the values read is a part of it.
    found.values(|_| Ok(()))?;
    Ok(found)
}

fn list<'a>(pieces: &[&'a [u8]]) -> Read<Vec<Feature<'a>>> {
    let mut found = Vec::new();
    for piece in pieces {
        let mut message = Message(piece);
        while let Some((number, wire)) = message.next()? {
            if let (1, Wire::Bytes(one)) = (number, wire) {
                found.push(feature(&[one])?);
            }
        }
    }
    Ok(found)
}

/// A value of a list.
enum Scalar<'a> {
    Bytes(&'a [u8]),
    Float(f32),
    Int(i64),
}

impl<'a> Feature<'a> {
    /// Gives every value.
    fn values(&self, mut give: impl FnMut(Scalar<'a>) -> Read<()>) -> Read<()> {
        for piece in &self.pieces {
            let mut message = Message(piece);
            while let Some((number, wire)) = message.next()? {
                if number != 1 {
                    continue;
                }
                match (self.kind, wire) {
                    (1, Wire::Bytes(bytes)) => give(Scalar::Bytes(bytes))?,
                    (2, Wire::Four(four)) => give(Scalar::Float(f32::from_le_bytes(four)))?,
                    (2, Wire::Bytes(packed)) => {
                        let (floats, rest) = packed.as_chunks::<4>();
                        if !rest.is_empty() {
                            return Err(Malformed);
                        }
                        floats.iter().try_for_each(|four| give(Scalar::Float(f32::from_le_bytes(*four))))?;
                    }
                    (3, Wire::Varint(n)) => give(Scalar::Int(n.cast_signed()))?,
                    (3, Wire::Bytes(packed)) => {
                        let mut packed = Message(packed);
                        while !packed.0.is_empty() {
                            give(Scalar::Int(packed.varint()?.cast_signed()))?;
                        }
                    }
                    _ => return Err(Malformed),
                }
            }
        }
        Ok(())
    }
}

/// Makes fields of entries, and counts the numbers in them.
struct Made<'a> {
    data: &'a Bytes,
    limits: &'a Limits,
    numbers: u64,
}

impl Made<'_> {
    fn add(&mut self, name: &str, entry: &Entry<'_>, fields: &mut Vec<Field>) -> Result<()> {
        let (images, value) = match entry {
            Entry::One(Feature { kind: 0, .. }) => return Ok(()),
            Entry::One(feature) => {
                let (bytes, json) = self.values(feature)?;
                if let ([one], 1) = (&bytes[..], feature.kind) {
                    fields.push(Field::new(name, one.clone()));
                    return Ok(());
                }
                (bytes, single(json))
            }
            Entry::List(list) => {
                let (mut images, mut rows) = (Vec::new(), Vec::new());
                for feature in list {
                    let (bytes, json) = self.values(feature)?;
                    images.extend(bytes);
                    rows.push(single(json));
                }
                (images, Json::Array(rows))
            }
        };
        let is_image = |bytes: &Bytes| probe(bytes).format != MediaFormat::Unknown;
        if !images.is_empty() && images.iter().all(is_image) {
            let images = images.into_iter().enumerate();
            fields.extend(images.map(|(k, bytes)| Field::new(format!("{name}.{k}"), bytes)));
        } else {
            fields.push(Field::new(name, value));
        }
        Ok(())
    }

    /// The values of a list: those that are bytes, and all of them as metadata has them.
    fn values(&mut self, feature: &Feature<'_>) -> Result<(Vec<Bytes>, Vec<Json>)> {
        let (mut bytes, mut json, mut numbers) = (Vec::new(), Vec::new(), self.numbers);
        let most = self.limits.item_bytes / NUMBER;
        let read = feature.values(|value| {
            numbers += 1;
            if numbers > most {
                return Err(Malformed);
            }
            json.push(match value {
                Scalar::Bytes(one) => {
                    bytes.push(self.data.slice_ref(one));
                    bytes_to_json(one)
                }
                Scalar::Float(float) => half::decimal(float),
                Scalar::Int(n) => n.into(),
            });
            Ok(())
        });
        self.numbers = numbers;
        self.limits.item(numbers.saturating_mul(NUMBER))?;
        read.map_err(|Malformed| malformed())?;
        Ok((bytes, json))
    }
}

/// A list of one value is that value.
fn single(mut values: Vec<Json>) -> Json {
    match values.len() {
        1 => values.swap_remove(0),
        _ => Json::Array(values),
    }
}
