//! Where each sample's part of the metadata section lies.
//!
//! Three ways to know: the sample-metadata index says it, the document is scanned once, or the turboloader
//! blocks are walked.

use std::fmt;

use bytes::Bytes;
use serde::de::{Deserializer as _, IgnoredAny, MapAccess, Visitor};
use serde_json::{Map, Value, value::RawValue};

use super::{codes, raw::MetadataFormat};
use crate::{
    cursor::Cursor,
    error::{Error, Result},
    limits::Limits,
    msgpack,
};

/// A sample's part of the section: position, length, format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub start: u64,
    pub len: u32,
    pub format: MetadataFormat,
}

/// The spans of all samples, or of a run of them.
#[derive(Clone, Debug)]
pub(super) enum Spans {
    /// There is no metadata for samples.
    None,
    /// Pairs of u32 as the sample-metadata index holds them, from sample `first` on.
    Indexed { first: u64, pairs: Bytes, format: MetadataFormat },
    /// Found by scanning; `None` if a sample has none.
    Scanned(Vec<Option<Span>>),
}

impl Spans {
    pub fn get(&self, i: u64) -> Option<Span> {
        match self {
            Spans::None => None,
            Spans::Indexed { first, pairs, format } => {
                let at = usize::try_from(i.checked_sub(*first)?.checked_mul(8)?).ok()?;
                let mut c =
                    Cursor::new(pairs.get(at..at.checked_add(8)?)?, 0, "sample-metadata index", &codes::METADATA_INDEX);
                let (start, len) = (c.u32().ok()?, c.u32().ok()?);
                (len > 0).then_some(Span { start: start.into(), len, format: *format })
            }
            Spans::Scanned(spans) => spans.get(usize::try_from(i).ok()?).copied().flatten(),
        }
    }
}

fn damaged(message: impl Into<String>, at: u64) -> Error {
    Error::new(&codes::METADATA, message).section("metadata").offset(at)
}

/// Walks turboloader blocks: for every sample its first block, which is the one that readers reach.
/// `each` sees every block.
pub(super) fn walk_blocks(
    section: &[u8],
    base: u64,
    samples: u64,
    mut each: impl FnMut(u64, Option<Span>) -> Result<()>,
) -> Result<()> {
    let mut c = Cursor::new(section, base, "metadata", &codes::METADATA);
    while !c.is_empty() {
        let at = c.offset();
        let (i, size, kind, reserved) = (c.u64()?, c.u32()?, c.u16()?, c.u16()?);
        if i >= samples {
            return Err(damaged(format!("a block belongs to sample {i} of {samples}"), at));
        }
        // Type 0 says that the sample has nothing to say.
        let format = match kind {
            0 => None,
            kind => Some(
                MetadataFormat::from_code(kind)
                    .ok_or_else(|| damaged(format!("a block has the unknown type {kind}"), at + 12).sample(i))?,
            ),
        };
        if reserved != 0 {
            return Err(damaged("a reserved field of a block is not zero", at + 14).sample(i));
        }
        let start = c.offset() - base;
        c.take_u64(size.into()).map_err(|e| e.sample(i))?;
        each(i, format.map(|format| Span { start, len: size, format }))?;
    }
    Ok(())
}

/// The spans of turboloader blocks.
pub(super) fn of_blocks(section: &[u8], base: u64, samples: u64) -> Result<Spans> {
    // One slot a sample; the index, three times as large, was already allowed.
    let count = usize::try_from(samples).map_err(|_| damaged("more samples than memory has addresses", base))?;
    let mut spans = vec![None; count];
    walk_blocks(section, base, samples, |i, span| {
        if let Some(slot) = spans.get_mut(i as usize) {
            *slot = slot.or(span);
        }
        Ok(())
    })?;
    Ok(Spans::Scanned(spans))
}

/// A parsed document: what stands beside `samples`, and where the samples lie.
#[derive(Debug, Default)]
pub(super) struct Scan {
    /// The document without `samples`; empty unless it was asked for.
    pub document: Map<String, Value>,
    /// The samples' spans.
    pub spans: Vec<Option<Span>>,
}

/// Scans a document for `samples`, and keeps the rest where `keep` says so.
pub(super) fn scan(section: &[u8], base: u64, format: MetadataFormat, keep: bool, limits: &Limits) -> Result<Scan> {
    match format {
        MetadataFormat::Json => scan_json(section, base, keep),
        MetadataFormat::Msgpack => scan_msgpack(section, base, keep, limits),
        // Nobody but the user knows what is inside.
        MetadataFormat::Protobuf | MetadataFormat::Custom => Ok(Scan::default()),
    }
}

fn scan_json(section: &[u8], base: u64, keep: bool) -> Result<Scan> {
    let mut json = serde_json::Deserializer::from_slice(section);
    let wrong = |e: serde_json::Error| damaged(format!("the document is not JSON: {e}"), base);
    let (samples, document) = json.deserialize_map(JsonDocument { keep }).map_err(wrong)?;
    json.end().map_err(wrong)?;
    let origin = section.as_ptr() as usize;
    let spans = samples
        .iter()
        .map(|raw| {
            let text = raw.get();
            // The raw value borrows from the section, so the difference is its position.
            let start = (text.as_ptr() as usize - origin) as u64;
            (text != "null").then_some(Span { start, len: text.len() as u32, format: MetadataFormat::Json })
        })
        .collect();
    Ok(Scan { document, spans })
}

struct JsonDocument {
    keep: bool,
}

impl<'de> Visitor<'de> for JsonDocument {
    type Value = (Vec<&'de RawValue>, Map<String, Value>);

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<Self::Value, A::Error> {
        let mut samples = None;
        let mut rest = Map::new();
        while let Some(key) = map.next_key::<String>()? {
            if key == "samples" {
                if samples.replace(map.next_value()?).is_some() {
                    return Err(serde::de::Error::duplicate_field("samples"));
                }
            } else if self.keep {
                rest.insert(key, map.next_value()?);
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok((samples.unwrap_or_default(), rest))
    }
}

fn scan_msgpack(section: &[u8], base: u64, keep: bool, limits: &Limits) -> Result<Scan> {
    let cursor = Cursor::new(section, base, "metadata", &codes::METADATA);
    let mut reader = msgpack::Reader::new(cursor, &codes::METADATA, limits);
    let mut scan = Scan::default();
    let mut seen = false;
    for _ in 0..reader.map()? {
        let at = reader.cursor.offset();
        let key = reader.key()?;
        if key == "samples" {
            if std::mem::replace(&mut seen, true) {
                return Err(damaged("the document has `samples` twice", at));
            }
            for _ in 0..reader.array()? {
                let start = reader.cursor.position();
                let nil = reader.cursor.rest().first() == Some(&0xc0);
                reader.skip()?;
                let len = (reader.cursor.position() - start) as u32;
                scan.spans.push((!nil).then_some(Span { start: start as u64, len, format: MetadataFormat::Msgpack }));
            }
        } else if keep {
            let value = reader.value(0)?;
            scan.document.insert(key, value);
        } else {
            reader.skip()?;
        }
    }
    if !reader.cursor.is_empty() {
        return Err(reader.cursor.error(&codes::METADATA, "bytes follow the document"));
    }
    Ok(scan)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_formats_give_the_spans_of_samples() {
        let limits = Limits::host();
        let json = br#"{"source":"a.tar", "samples": [ {"id":0}, null, {"id":2} ], "x": [1]}"#;
        let scan = scan_json(json, 0, true).unwrap();
        assert_eq!(scan.spans.len(), 3);
        let text = |s: Span| std::str::from_utf8(&json[s.start as usize..][..s.len as usize]).unwrap();
        assert_eq!(scan.spans[2].map(text), Some(r#"{"id":2}"#));
        assert_eq!(scan.spans[1], None);
        assert_eq!(scan.document.len(), 2);

        let mut packed = Vec::new();
        msgpack::write(&serde_json::from_slice(json).unwrap(), &mut packed);
        let scan = scan_msgpack(&packed, 0, true, &limits).unwrap();
        assert_eq!(scan.spans.len(), 3);
        assert!(scan.spans[1].is_none() && scan.spans[2].is_some());
        assert_eq!(scan.document["source"], "a.tar");
    }

    #[test]
    fn a_document_that_goes_on_is_refused() {
        assert!(scan_json(b"{} x", 0, false).is_err());
        assert!(scan_json(b"[]", 0, false).is_err());
        assert!(scan_json(br#"{"samples":[],"samples":[]}"#, 0, false).is_err());
    }
}
