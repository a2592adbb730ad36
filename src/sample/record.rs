//! A sample's record: its name and sidecars as one JSON object, from which the same files come back.
//!
//! A WebDataset sample is several files: `17.jpg`, `17.json`, `17.cls`. In a TBL the picture is the payload and
//! the rest becomes the sample's metadata:
//!
//! ```
//! use forebay::sample::record::{Sidecar, compose, files};
//! let sidecars = [
//!     Sidecar { extension: "json", bytes: br#"{"a": [1,2]}"# },
//!     Sidecar { extension: "cls", bytes: b"3\n" },
//! ];
//! let record = compose(17, "train/17.jpg", &sidecars, 0, &[]);
//! assert_eq!(record, r#"{"id":17,"name":"train/17.jpg","json":{"a": [1,2]},"cls":3,"exact":{"cls":"3\n"}}"#);
//! let files = files(&record, 17, "jpg").unwrap();
//! assert_eq!(files[1].name, "train/17.json");
//! assert_eq!(files[2].content.as_deref(), Some(&b"3\n"[..]));
//! ```
//!
//! | field | meaning |
//! |---|---|
//! | `id`, `name` | the sample's number; the payload's file name |
//! | `json`, `cls`, `txt`, any other extension | the sidecar: JSON as it is, a number where it is one, text, or `{"base64": ...}` |
//! | `exact` | the sidecar's exact text, if the field alone would not give the same bytes back |
//! | `class` | the sidecar without the blanks around it, or the class of a folder |
//! | `members` | the extensions in the archive's order, if that is not "payload, then the fields" |

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
};

use serde::de::{MapAccess, Visitor};
use serde_json::{Map, Value, value::RawValue};

pub use forebay_base::sample::split;

use super::{
    holds::{LEVELS, holds},
    model::MediaFormat,
};
use crate::{
    error::{Code, Error, Result},
    msgpack::{base64_bytes, base64_value},
};

/// Fields that are not sidecars.
const RESERVED: [&str; 4] = ["id", "name", "members", "exact"];
/// Sidecars that need no mention in `members`.
const USUAL: [&str; 3] = ["json", "cls", "txt"];
/// The sidecar that says the class in words; what a folder of that name says.
const CLASS: &str = "class";
/// The field that says what is in the picture.
const ANNOTATIONS: &str = "annotations";
/// The extension of raw pixels.
const RAW: &str = MediaFormat::RawU8.extension();

/// A file that belongs to a sample beside its payload.
#[derive(Clone, Copy, Debug)]
pub struct Sidecar<'a> {
    /// What follows the first dot of its name.
    pub extension: &'a str,
    /// Its bytes.
    pub bytes: &'a [u8],
}

/// A file to restore.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RestoredFile {
    /// Its name.
    pub name: String,
    /// Its bytes; `None` for the payload.
    pub content: Option<Vec<u8>>,
}

/// The record of sample `id`. `before` says how many of the sidecars stood in front of the payload; `extra`
/// are fields of the caller's, such as the class of a folder.
pub fn compose(id: u64, name: &str, sidecars: &[Sidecar<'_>], before: usize, extra: &[(&str, Value)]) -> String {
    let mut record = format!("{{\"id\":{id},\"name\":{}", Value::from(name));
    let mut field = |key: &str, value: &str| {
        record.push(',');
        record.push_str(&Value::from(key).to_string());
        record.push(':');
        record.push_str(value);
    };
    let mut exact = Map::new();
    let mut usual = before == 0;
    for sidecar in sidecars {
        let key = sidecar.extension;
        usual &= USUAL.contains(&key);
        let value = (!RESERVED.contains(&key)).then(|| readable(sidecar));
        if let Some(value) = &value {
            field(key, value);
        }
        if value.and_then(|text| RawValue::from_string(text).ok()).and_then(|raw| render(&raw)).as_deref()
            != Some(sidecar.bytes)
        {
            exact.insert(key.to_owned(), verbatim(sidecar.bytes));
        }
    }
    extra.iter().for_each(|(key, value)| field(key, &value.to_string()));
    if !exact.is_empty() {
        field("exact", &Value::Object(exact).to_string());
    }
    if !usual {
        let mut members: Vec<Value> = sidecars.iter().map(|s| s.extension.into()).collect();
        members.insert(before.min(members.len()), split(name).1.into());
        field("members", &Value::Array(members).to_string());
    }
    record.push('}');
    record
}

/// A sidecar as a JSON value that people and filters can use.
fn readable(sidecar: &Sidecar<'_>) -> String {
    let Ok(text) = std::str::from_utf8(sidecar.bytes) else { return base64_value(sidecar.bytes).to_string() };
    match sidecar.extension {
        extension if extension == "json" || extension.ends_with(".json") => {
            // What some programs put in front says nothing.
            let text = text.strip_prefix('\u{feff}').unwrap_or(text);
            if let Ok(raw) = serde_json::from_str::<&RawValue>(text)
                // What every reader of the record can hold, if it stands a level deeper: a number such as 1e400
                // is text to them.
                && holds(text, LEVELS - 1).is_ok()
            {
                return raw.get().to_owned();
            }
        }
        extension if extension == "cls" || extension.ends_with(".cls") => {
            if let Ok(n) = text.trim().parse::<i64>() {
                return n.to_string();
            }
        }
        // A line, as editors and `echo` write it.
        CLASS => return Value::from(text.trim()).to_string(),
        _ => {}
    }
    Value::from(text).to_string()
}

/// The bytes that a field gives back on its own.
fn render(field: &RawValue) -> Option<Vec<u8>> {
    let text = field.get();
    match text.as_bytes().first()? {
        b'"' => serde_json::from_str::<String>(text).ok().map(String::into_bytes),
        b'{' => {
            let value: Value = serde_json::from_str(text).ok()?;
            Some(base64_bytes(&value).unwrap_or_else(|| text.as_bytes().to_vec()))
        }
        _ => Some(text.as_bytes().to_vec()),
    }
}

fn verbatim(bytes: &[u8]) -> Value {
    std::str::from_utf8(bytes).map_or_else(|_| base64_value(bytes), Value::from)
}

/// An object's fields in order, each as its own text.
struct RawFields(Vec<(String, Box<RawValue>)>);

impl<'de> serde::Deserialize<'de> for RawFields {
    fn deserialize<D: serde::Deserializer<'de>>(d: D) -> std::result::Result<Self, D::Error> {
        struct Fields;
        impl<'de> Visitor<'de> for Fields {
            type Value = RawFields;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<RawFields, A::Error> {
                let mut fields = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    fields.push(pair);
                }
                Ok(RawFields(fields))
            }
        }
        d.deserialize_map(Fields)
    }
}

/// The fields of an object in their order, each as its own text; `None` for anything else.
pub fn fields_of(record: &str) -> Option<Vec<(String, Box<RawValue>)>> {
    serde_json::from_str::<RawFields>(record).ok().map(|f| f.0)
}

/// The files of a sample, in the order that they had: what [`compose`] took comes back byte for byte. A record
/// that did not come from files gives the payload under a numbered name and itself as `.json`.
/// `extension` is the payload's, if no name says otherwise; but raw pixels are never called by the name of the
/// file that they were decoded from. A name that would leave the folder becomes one that does not, by [`inside`].
pub fn files(record: &str, id: u64, extension: &str) -> Result<Vec<RestoredFile>> {
    let numbered = |id: u64| format!("{id:08}");
    let payload = |name: String| RestoredFile { name, content: None };
    let whole = |stem: String| {
        vec![
            payload(format!("{stem}.{extension}")),
            RestoredFile { name: format!("{stem}.json"), content: Some(record.as_bytes().to_vec()) },
        ]
    };
    let Some(fields) = fields_of(record) else { return Ok(whole(numbered(id))) };
    let mut by_key = HashMap::new();
    fields.iter().for_each(|(key, value)| _ = by_key.entry(key.as_str()).or_insert(value));
    let field = |key: &str| by_key.get(key).copied();
    let Some(name) = field("name").and_then(|v| serde_json::from_str::<String>(v.get()).ok()) else {
        return Ok(whole(numbered(id)));
    };
    let (_, own) = split(&name);
    let changed = inside(&name);
    // What is behind the first dot stays as it is, so that the sidecars are still told by it.
    let (stem, name) = (split(&changed).0, changed.as_ref());
    let parse = |key: &str| field(key).and_then(|v| serde_json::from_str::<Value>(v.get()).ok());
    let exact = parse("exact");
    let members: Vec<Option<String>> = match parse("members") {
        Some(Value::Array(list)) => list.iter().map(|v| v.as_str().map(str::to_owned)).collect(),
        _ => {
            let usual = fields.iter().filter(|(k, _)| USUAL.contains(&k.as_str())).map(|(k, _)| Some(k.clone()));
            std::iter::once(own.map(str::to_owned)).chain(usual).collect()
        }
    };
    let mut files = Vec::new();
    let mut placed = false;
    for member in &members {
        let member = member.as_deref();
        if member == own && !placed {
            placed = true;
            files.push(payload(payload_name(name, extension)));
            continue;
        }
        let Some(member) = member else { continue };
        let said = exact.as_ref().and_then(|e| e.get(member));
        let content = match said {
            Some(Value::String(text)) => Some(text.clone().into_bytes()),
            Some(value) => base64_bytes(value),
            None => field(member).and_then(|v| render(v)),
        };
        if let Some(content) = content {
            let name = inside(&format!("{stem}.{member}")).into_owned();
            files.push(RestoredFile { name, content: Some(content) });
        }
    }
    if !placed {
        files.insert(0, payload(payload_name(name, extension)));
    }
    let listed = parse("members").is_some();
    let named: HashSet<&str> = members.iter().flatten().map(String::as_str).collect();
    let is_sidecar = |key: &str| match listed {
        true => named.contains(key),
        false => USUAL.contains(&key),
    };
    // A folder in the name says its class already.
    let of_folder = |key: &str, value: &RawValue| {
        let class = || serde_json::from_str::<String>(value.get());
        key == CLASS && class().is_ok_and(|class| stem.split('/').rev().skip(1).any(|part| part == class))
    };
    let own = |(key, value): &&(String, Box<RawValue>)| {
        !RESERVED.contains(&key.as_str()) && !is_sidecar(key) && !of_folder(key, value)
    };
    let extra: Vec<_> = fields.iter().filter(own).collect();
    if extra.is_empty() {
        return Ok(files);
    }
    add_fields(&mut files, stem, &extra, if listed { None } else { Some(record) });
    Ok(files)
}

type Fields<'a> = [&'a (String, Box<RawValue>)];

/// Adds fields that no file has: to the sample's JSON, which is the whole `record` where there is one and no file of it yet.
fn add_fields(files: &mut Vec<RestoredFile>, stem: &str, extra: &Fields<'_>, record: Option<&str>) {
    let json = format!("{stem}.{}", USUAL[0]);
    let Some(at) = files.iter().position(|file| file.name == json) else {
        let content = record.map_or_else(|| object(&[], extra), str::to_owned);
        files.push(RestoredFile { name: json, content: Some(content.into_bytes()) });
        return;
    };
    let text = files.get(at).and_then(|file| std::str::from_utf8(file.content.as_deref()?).ok());
    let before = text.and_then(|text| fields_of(text.strip_prefix('\u{feff}').unwrap_or(text)));
    let clashes = |before: &[(String, Box<RawValue>)]| before.iter().any(|(k, _)| extra.iter().any(|(e, _)| e == k));
    match (files.get_mut(at), before.filter(|before| !clashes(before))) {
        (Some(file), Some(before)) => file.content = Some(object(&before, extra).into_bytes()),
        // What that file says is not to be said otherwise, so the fields get one of their own.
        _ => {
            let name = format!("{stem}.record.json");
            files.push(RestoredFile { name, content: Some(object(&[], extra).into_bytes()) });
        }
    }
}

/// Whether a file's name is that of a picture or video.
#[must_use]
pub fn is_media(name: &str) -> bool {
    MediaFormat::from_name(name) != MediaFormat::Unknown
}

/// Extensions of files that describe a sample: none of them is one where there is another file.
const DESCRIBING: [&str; 27] = [
    "json",
    "jsn",
    "jsonl",
    "yaml",
    "yml",
    "toml",
    "xml",
    "csv",
    "tsv",
    "txt",
    "text",
    "md",
    "html",
    "transcript",
    "caption",
    "cls",
    "cls2",
    "class",
    "label",
    "labels",
    "id",
    "index",
    "inx",
    "count",
    "key",
    "url",
    "srt",
];

/// Whether a file's name is that of one which describes a sample, by its last extension.
#[must_use]
pub fn is_sidecar(name: &str) -> bool {
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    DESCRIBING.iter().any(|known| known.eq_ignore_ascii_case(extension))
}

/// Fields as an object, each with its own text.
fn object(some: &[(String, Box<RawValue>)], more: &[&(String, Box<RawValue>)]) -> String {
    let mut out = String::from("{");
    some.iter().chain(more.iter().copied()).for_each(|(key, value)| push_field(&mut out, key, value.get()));
    out.push('}');
    out
}

/// The payload's file: a sample's name is that of the file that it came from, by which labels find it, and pixels
/// that were decoded since are not what that name says.
fn payload_name(name: &str, extension: &str) -> String {
    match name.rsplit_once('.') {
        Some((stem, _)) if extension == RAW && is_media(name) => format!("{stem}.{extension}"),
        _ => name.to_owned(),
    }
}

/// Refuses names that could write outside the folder or archive they are extracted to.
pub fn safe_name(name: &str) -> Result<()> {
    if is_outside(name) {
        return Err(Error::new(
            &codes::NAME,
            format!("the name {name:?} leaves the folder that it would be written to"),
        ));
    }
    Ok(())
}

fn is_outside(name: &str) -> bool {
    name.is_empty()
        || name.starts_with('/')
        || name.contains('\0')
        || name.split(['/', '\\']).any(|part| part == "..")
        || is_folder(name)
        // A drive's letter, if there are drives.
        || cfg!(windows) && (name.starts_with('\\') || name.as_bytes().get(1) == Some(&b':'))
}

/// A name that no file can have, since it is that of a folder.
fn is_folder(name: &str) -> bool {
    name.ends_with('/') || name == "." || name.ends_with("/.")
}

/// The name under which a file goes out: its own, unless that is one that [`safe_name`] refuses. Then each part `..` is
/// `__`, and what is in front of a leading `/` is `_`, so that no two names become one that were two; a drive's colon,
/// and what no name can hold, is `_` too, and behind a folder's name stands one.
///
/// ```
/// use forebay::sample::record::inside;
/// assert_eq!(inside("a/b.jpg"), "a/b.jpg");
/// assert_eq!(inside("../a.jpg"), "__/a.jpg");
/// assert_eq!(inside("/etc/a.jpg"), "_/etc/a.jpg");
/// ```
pub fn inside(name: &str) -> Cow<'_, str> {
    if !is_outside(name) {
        return name.into();
    }
    let mut changed = String::with_capacity(name.len() + 1);
    if name.is_empty() || name.starts_with('/') || cfg!(windows) && name.starts_with('\\') {
        changed.push('_');
    }
    for part in name.split_inclusive(['/', '\\']) {
        let word = part.trim_end_matches(['/', '\\']);
        changed.push_str(if word == ".." { "__" } else { word });
        changed.push_str(&part[word.len()..]);
    }
    if cfg!(windows) && changed.as_bytes().get(1) == Some(&b':') {
        changed.replace_range(1..2, "_");
    }
    if is_folder(&changed) {
        changed.push('_');
    }
    changed.replace('\0', "_").into()
}

/// The same record with another number: samples move when files are filtered, split or joined. A record that
/// carries no number, or is not an object, is somebody else's and stays as it is.
pub fn renumber(record: &str, id: u64) -> String {
    let Some(fields) = fields_of(record) else { return record.to_owned() };
    let number = id.to_string();
    if fields.iter().all(|(key, value)| key != "id" || value.get() == number) {
        return record.to_owned();
    }
    let mut out = format!("{{\"id\":{number}");
    for (key, value) in fields.iter().filter(|(key, _)| key != "id") {
        push_field(&mut out, key, value.get());
    }
    out.push('}');
    out
}

/// The same record for a format that keeps values and not their text, as MessagePack does: sidecars whose text would
/// come back otherwise spelled (`{"a": 1}`, `1.50`) are added to `exact`.
pub fn spell_out(record: &str) -> Cow<'_, str> {
    let Some(fields) = fields_of(record) else { return record.into() };
    if !fields.iter().any(|(key, _)| key == "name") {
        // It came from no files.
        return record.into();
    }
    let parse = |raw: &RawValue| serde_json::from_str::<Value>(raw.get()).unwrap_or_default();
    let find = |name: &str| fields.iter().find(|(key, _)| key == name).map(|(_, raw)| parse(raw));
    let members = find("members").unwrap_or_default();
    let is_sidecar = |key: &str| match &members {
        Value::Array(list) => list.iter().any(|m| m == key),
        _ => USUAL.contains(&key),
    };
    let mut exact = match find("exact") {
        Some(Value::Object(exact)) => exact,
        _ => Map::new(),
    };
    let before = exact.len();
    for (key, raw) in &fields {
        let known = RESERVED.contains(&key.as_str()) || exact.contains_key(key) || !is_sidecar(key);
        // As texts: a value equals another that is spelled otherwise.
        let spelled = || parse(raw).to_string();
        if !known && !raw.get().starts_with('"') && spelled() != raw.get() {
            exact.insert(key.clone(), raw.get().into());
        }
    }
    if exact.len() == before {
        return record.into();
    }
    let mut more = Map::new();
    more.insert("exact".into(), Value::Object(exact));
    merge(record, &more).into()
}

/// The opposite of [`spell_out`]: sidecars whose exact text is JSON stand there as that text, and what `exact` then says once
/// more is gone. So a record that was kept as values reads as the one that it was.
pub fn as_spelled(record: &str) -> Cow<'_, str> {
    let Some(mut fields) = fields_of(record) else { return record.into() };
    let Some(at) = fields.iter().position(|(key, _)| key == "exact") else { return record.into() };
    let Some(exact) = fields_of(fields[at].1.get()) else { return record.into() };
    let (mut left, mut changed) = (String::from("{"), false);
    for (key, text) in &exact {
        let said = serde_json::from_str::<String>(text.get()).ok();
        let raw = said.as_deref().and_then(|text| serde_json::from_str::<&RawValue>(text).ok());
        let field = fields.iter_mut().find(|(name, _)| name == key && name != "exact");
        if let (Some(raw), Some((_, field))) = (raw, field)
            // A field that is text stays text, whatever the text reads as.
            && !field.get().starts_with('"')
        {
            changed |= field.get() != raw.get();
            let is_all = said.as_deref() == Some(raw.get());
            *field = raw.to_owned();
            if is_all {
                changed = true;
                continue;
            }
        }
        push_field(&mut left, key, text.get());
    }
    if !changed {
        return record.into();
    }
    left.push('}');
    let mut out = String::from("{");
    for (key, value) in &fields {
        match key.as_str() {
            "exact" if left == "{}" => {}
            "exact" => push_field(&mut out, key, &left),
            _ => push_field(&mut out, key, value.get()),
        }
    }
    out.push('}');
    out.into()
}

/// Adds the fields of `more` behind those of the record; a field that both have takes the new value. What is not an
/// object becomes the field `metadata`.
pub fn merge(record: &str, more: &Map<String, Value>) -> String {
    let mut out = String::from("{");
    match fields_of(record) {
        Some(fields) => {
            for (key, value) in fields.iter().filter(|(key, _)| key == "id" || !more.contains_key(key)) {
                push_field(&mut out, key, value.get());
            }
        }
        // A level deeper it may be more than a value holds.
        None if holds(record, LEVELS - 1).is_err() => {
            push_field(&mut out, "metadata", &Value::from(record).to_string())
        }
        None => push_field(&mut out, "metadata", record),
    }
    for (key, value) in more.iter().filter(|(key, _)| *key != "id") {
        push_field(&mut out, key, &value.to_string());
    }
    out.push('}');
    out
}

/// Adds fields to what a sample says of itself as JSON: to the file `.json` that lay beside its payload, if one did; to a
/// new one, if other files did; else to the record itself. Also says whether it had `annotations` before, which are
/// replaced. `None` if that file is not an object, and so has no place for fields.
pub fn attach(record: &str, more: &Map<String, Value>) -> Option<(String, bool)> {
    let Some(fields) = fields_of(record) else { return Some((merge(record, more), false)) };
    let find = |name: &str| fields.iter().find(|(key, _)| key == name).map(|(_, raw)| raw.get());
    let members = find("members").and_then(|raw| serde_json::from_str::<Vec<Value>>(raw).ok());
    let (json, had) = match (find("json"), &members) {
        (Some(json), _) => (merge(json, more), fields_of(json)?.iter().any(|(name, _)| name == ANNOTATIONS)),
        (None, Some(_)) if find("name").is_some() => (Value::Object(more.clone()).to_string(), false),
        (None, _) => return Some((merge(record, more), find(ANNOTATIONS).is_some())),
    };
    let mut out = String::from("{");
    for (name, raw) in &fields {
        match name.as_str() {
            "json" => push_field(&mut out, name, &json),
            "exact" => match serde_json::from_str::<Map<String, Value>>(raw.get()) {
                Ok(mut exact) => {
                    // What was spelled there is not what the file says now.
                    exact.shift_remove("json");
                    if !exact.is_empty() {
                        push_field(&mut out, name, &Value::Object(exact).to_string());
                    }
                }
                Err(_) => push_field(&mut out, name, raw.get()),
            },
            "members" if find("json").is_none() => {
                let mut members = members.clone().unwrap_or_default();
                members.push("json".into());
                push_field(&mut out, name, &Value::Array(members).to_string());
            }
            _ => push_field(&mut out, name, raw.get()),
        }
    }
    if find("json").is_none() {
        push_field(&mut out, "json", &json);
    }
    out.push('}');
    Some((out, had))
}

/// Adds a field to an object that is being written and was begun.
pub fn push_field(out: &mut String, key: &str, value: &str) {
    if out.len() > 1 {
        out.push(',');
    }
    out.push_str(&Value::from(key).to_string());
    out.push(':');
    out.push_str(value);
}

/// The codes of records.
#[doc(hidden)]
pub mod codes {
    use super::Code;
    /// A name that would escape.
    pub const NAME: Code =
        Code::damaged("record.name", "A name is absolute or climbs out of the folder that it would be written to.");
    /// Every code of this module.
    pub const ALL: &[&Code] = &[&NAME];
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_record_moves_and_grows() {
        let record = compose(3, "a.jpg", &[Sidecar { extension: "json", bytes: b"{\"x\":  1}" }], 0, &[]);
        assert_eq!(renumber(&record, 9), r#"{"id":9,"name":"a.jpg","json":{"x":  1}}"#);
        let more = serde_json::json!({"id": 5, "label": "cat"});
        assert_eq!(
            merge(&record, more.as_object().unwrap()),
            r#"{"id":3,"name":"a.jpg","json":{"x":  1},"label":"cat"}"#
        );
        assert_eq!(renumber("[1]", 2), "[1]");
        assert_eq!(renumber(r#"{"label": "cat"}"#, 2), r#"{"label": "cat"}"#);
        assert_eq!(merge("[1]", more.as_object().unwrap()), r#"{"metadata":[1],"label":"cat"}"#);
    }

    #[test]
    fn foreign_records_lose_nothing() {
        let f = files(r#"{"id":0,"label":"cat"}"#, 7, "jpg").unwrap();
        assert_eq!(f[0].name, "00000007.jpg");
        assert_eq!(f[1].content.as_deref(), Some(&br#"{"id":0,"label":"cat"}"#[..]));
        let f = files(r#"{"name":"x.jpg","label":"cat"}"#, 7, "jpg").unwrap();
        assert_eq!((f[0].name.as_str(), f[1].name.as_str()), ("x.jpg", "x.json"));
    }

    #[test]
    fn fields_beside_sidecars_go_out_with_them() {
        let wide = r#"{"id":0,"name":"x.jpg","json":{"k":36893488147419103232},"label":"boat"}"#;
        let named = |record: &str| -> Vec<(String, String)> {
            let text = |file: RestoredFile| (file.name, String::from_utf8(file.content.unwrap_or_default()).unwrap());
            files(record, 0, "jpg").unwrap().into_iter().skip(1).map(text).collect()
        };
        let json = |name: &str, text: &str| vec![(name.to_owned(), text.to_owned())];
        assert_eq!(named(wide), json("x.json", r#"{"k":36893488147419103232,"label":"boat"}"#));
        let both = r#"{"name":"x.jpg","json":{"label":"ship"},"label":"boat"}"#;
        assert_eq!(named(both)[1..], json("x.record.json", r#"{"label":"boat"}"#));
        let listed = r#"{"name":"x.jpg","b64":"AA","label":"boat","members":["b64","jpg"]}"#;
        assert_eq!(named(listed)[1..], json("x.json", r#"{"label":"boat"}"#));
        let class = r#"{"id":0,"name":"x.jpg","class":"dog"}"#;
        assert_eq!(named(class), json("x.json", class));
        // That of a folder comes back with the folder.
        assert!(named(r#"{"name":"a/dog/x.jpg","class":"dog"}"#).is_empty());
    }

    #[test]
    fn a_class_and_an_object_are_read_as_editors_write_them() {
        let sidecars = [
            Sidecar { extension: "class", bytes: b"dog\n" },
            Sidecar { extension: "json", bytes: b"\xef\xbb\xbf{\"a\":1}" },
        ];
        let record = compose(0, "x.jpg", &sidecars, 0, &[]);
        let value: Value = serde_json::from_str(&record).unwrap();
        assert_eq!((&value["class"], &value["json"]["a"]), (&"dog".into(), &1.into()));
        let back = files(&record, 0, "jpg").unwrap();
        assert_eq!(back.len(), 3);
        assert!(back[1..].iter().zip(sidecars).all(|(file, s)| file.content.as_deref() == Some(s.bytes)));
    }

    #[test]
    fn text_that_values_do_not_keep_is_spelled_out() {
        let json = |bytes| compose(3, "a.jpg", &[Sidecar { extension: "json", bytes }], 0, &[]);
        let plain = json(b"{\"x\":1}");
        assert_eq!(spell_out(&plain), plain);
        let spaced = spell_out(&json(b"{\"x\": 1.50}")).into_owned();
        let through_values = serde_json::from_str::<Value>(&spaced).unwrap().to_string();
        assert_eq!(files(&through_values, 3, "jpg").unwrap()[1].content.as_deref(), Some(&b"{\"x\": 1.50}"[..]));
        assert_eq!(spell_out(&spaced), spaced);
        assert_eq!(spell_out(r#"{"label": [ 1 ]}"#), r#"{"label": [ 1 ]}"#);
    }

    #[test]
    fn a_record_that_values_do_not_keep_reads_as_it_was_once_it_is_spelled_out() {
        for number in ["-0", "1E5", "1.10", "18446744073709551616", "[1e2,{\"a\":-0.0}]", "1", "\"1.10\""] {
            for end in ["", "\n"] {
                let json = format!("{{\"n\": {number}}}{end}");
                let record = compose(3, "a.jpg", &[Sidecar { extension: "json", bytes: json.as_bytes() }], 0, &[]);
                let values: Value = serde_json::from_str(&spell_out(&record)).unwrap();
                assert_eq!(as_spelled(&values.to_string()), record, "{number}");
                assert_eq!(as_spelled(&record), record);
            }
        }
    }

    #[test]
    fn names_that_climb_out_are_refused_and_others_found_for_them() {
        for (name, instead) in [
            ("../x.jpg", "__/x.jpg"),
            ("/etc/x", "_/etc/x"),
            ("//x", "_//x"),
            ("a/../../x", "a/__/__/x"),
            ("a\\..\\x.jpg", "a\\__\\x.jpg"),
            ("", "_"),
            ("..", "__"),
            ("a/..", "a/__"),
            ("a\0b", "a_b"),
            ("a/", "a/_"),
            (".", "._"),
            ("../.", "__/._"),
        ] {
            assert!(safe_name(name).is_err(), "{name:?}");
            assert_eq!(inside(name), instead);
            assert!(safe_name(instead).is_ok(), "{instead:?}");
        }
        for name in ["a/b..c/d.jpg", "a..", "...", "dir/a:b.jpg"] {
            assert!(safe_name(name).is_ok() && inside(name) == name, "{name:?}");
        }
        // A colon is a drive only if there are drives.
        assert_eq!(safe_name("a:b.jpg").is_err(), cfg!(windows));
    }

    #[test]
    fn files_of_names_that_climb_out_come_back_under_names_that_do_not() {
        for (name, instead) in [("../a.b/x.seg.png", "__/a.b/x.seg.png"), ("/x.png", "_/x.png"), ("a/..png", "a/..png")]
        {
            let sidecars = [Sidecar { extension: "cls", bytes: b"3" }, Sidecar { extension: "txt", bytes: b"a" }];
            let names: Vec<_> = files(&compose(0, name, &sidecars, 0, &[]), 0, "png").unwrap();
            let stem = split(instead).0;
            let expected = [instead.to_owned(), format!("{stem}.cls"), format!("{stem}.txt")];
            assert_eq!(names.into_iter().map(|f| f.name).collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn a_sidecar_that_nests_as_deep_as_values_may_leaves_its_record_readable() {
        for levels in [125, 126, 127, 128, 1000] {
            let text = format!("{}{}", "[".repeat(levels), "]".repeat(levels));
            let record = compose(0, "a.jpg", &[Sidecar { extension: "json", bytes: text.as_bytes() }], 0, &[]);
            assert!(serde_json::from_str::<Value>(&record).is_ok(), "{levels}");
            assert_eq!(files(&record, 0, "jpg").unwrap()[1].content.as_deref(), Some(text.as_bytes()));
        }
    }

    proptest! {
        #[test]
        fn sidecars_come_back_byte_for_byte(
            contents in prop::collection::vec(prop_oneof![
                prop::collection::vec(any::<u8>(), 0..40),
                "[ -~\n]{0,30}".prop_map(String::into_bytes),
                Just(b"{\"a\": 1.0, \"b\": [true, null]}\n".to_vec()),
                Just(b"{\"base64\":\"AAAA\"}".to_vec()),
                Just(b" 17".to_vec()), Just(b"-0".to_vec()), Just(b"1e400".to_vec()),
            ], 0..8),
            before in 0usize..4,
        ) {
            let extensions = ["json", "cls", "txt", "id", "seg.npy", "name", "exact", "b.cls"];
            let sidecars: Vec<_> = contents.iter().zip(extensions).map(|(bytes, extension)| Sidecar { extension, bytes }).collect();
            let before = before.min(sidecars.len());
            let record = compose(1, "d.ir/k.jpg", &sidecars, before, &[]);
            prop_assert!(serde_json::from_str::<Value>(&record).is_ok(), "{record}");
            let mut expected: Vec<_> = sidecars
                .iter()
                .map(|s| RestoredFile { name: format!("d.ir/k.{}", s.extension), content: Some(s.bytes.to_vec()) })
                .collect();
            expected.insert(before, RestoredFile { name: "d.ir/k.jpg".into(), content: None });
            prop_assert_eq!(files(&record, 1, "jpg").unwrap(), expected);
        }
    }

    #[test]
    fn fields_stand_where_programs_look_for_them() {
        let fields = serde_json::json!({ "annotations_format": "forebay.1", "annotations": [] });
        let put = |record: &str| attach(record, fields.as_object().unwrap());
        let (text, had) = put(r#"{"id":1,"name":"a.jpg","json":{"k": 1},"exact":{"json":"{\"k\": 1} "}}"#).unwrap();
        assert_eq!(
            (text.as_str(), had),
            (r#"{"id":1,"name":"a.jpg","json":{"k":1,"annotations_format":"forebay.1","annotations":[]}}"#, false)
        );
        // Other files lie beside the picture, and no .json: there will be one.
        let (text, _) = put(r#"{"id":1,"name":"a.jpg","seg":"x","members":["jpg","seg"]}"#).unwrap();
        let files = files(&text, 1, "jpg").unwrap();
        assert_eq!(files.iter().map(|file| file.name.as_str()).collect::<Vec<_>>(), ["a.jpg", "a.seg", "a.json"]);
        assert!(put(r#"{"id":1,"name":"a.jpg","annotations":[[1,2,3,4]]}"#).unwrap().1);
        assert!(put(r#"{"id":1,"name":"a.jpg","json":[1]}"#).is_none());
    }
}
