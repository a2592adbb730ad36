//! A sample's record while it is changed: what nobody touches keeps its spelling.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value, value::RawValue};

use super::{
    change::{Field, Given, listed, marked},
    codes,
};
use crate::{
    error::{Error, Result},
    filter::Segment,
    sample::{
        holds::{LEVELS, holds},
        record,
    },
};

/// The most tags of a sample.
const MOST_TAGS: usize = 10_000;
/// Fields of an object that keep their order when one is taken away.
const WIDE: usize = 1000;
/// The file of a sample that other fields go into.
const JSON: &str = "json";
/// Sidecars that need no mention in `members`.
const USUAL: [&str; 3] = [JSON, "cls", "txt"];

/// A field, as its text until something in it is changed.
#[derive(Debug)]
enum Part {
    Text(Box<RawValue>),
    Value(Value),
}

/// A record being changed.
#[derive(Debug)]
pub(super) struct Draft {
    fields: Vec<Option<(String, Part)>>,
    places: HashMap<String, usize>,
    touched: HashSet<String>,
}

impl Draft {
    /// Of sample `id`; one without a record gets one.
    pub fn new(text: Option<&str>, id: u64) -> Draft {
        let mut draft = Draft { fields: Vec::new(), places: HashMap::new(), touched: HashSet::new() };
        match text.map(|text| (text, record::fields_of(text))) {
            Some((_, Some(fields))) => {
                for (key, value) in fields {
                    // Of fields that are there twice the last counts, as for every reader.
                    draft.put(&key, Part::Text(value));
                }
            }
            Some((text, None)) => {
                draft.put("id", Part::Value(id.into()));
                let deep = holds(text, LEVELS - 1).is_err();
                let whole = if deep { Value::from(text) } else { serde_json::from_str(text).unwrap_or_default() };
                draft.put("metadata", Part::Value(whole));
            }
            None => draft.put("id", Part::Value(id.into())),
        }
        draft
    }

    fn put(&mut self, key: &str, part: Part) {
        match self.places.get(key).and_then(|&at| self.fields.get_mut(at)) {
            Some(place) => *place = Some((key.to_owned(), part)),
            None => {
                self.places.insert(key.to_owned(), self.fields.len());
                self.fields.push(Some((key.to_owned(), part)));
            }
        }
    }

    fn has(&self, key: &str) -> bool {
        self.places.get(key).is_some_and(|&at| self.fields.get(at).is_some_and(Option::is_some))
    }

    /// The field as a value that can be changed; `None` where there is no such field.
    fn value(&mut self, key: &str) -> Option<&mut Value> {
        let (_, part) = self.fields.get_mut(*self.places.get(key)?)?.as_mut()?;
        if let Part::Text(text) = part {
            *part = Part::Value(serde_json::from_str(text.get()).unwrap_or_default());
        }
        match part {
            Part::Value(value) => Some(value),
            Part::Text(_) => None,
        }
    }

    /// Sets a field, or takes it away.
    pub fn field(&mut self, field: &Field) -> Result<()> {
        let Some((Segment::Key(key), inside)) = field.segments.split_first() else { return Ok(()) };
        self.touched.insert(key.clone());
        match (inside, &field.value) {
            ([], Some(value)) => self.put(key, Part::Text(value.clone())),
            ([], None) => self.take(key),
            (inside, value) => {
                if !self.has(key) {
                    if value.is_none() {
                        return Ok(());
                    }
                    self.put(key, Part::Value(Value::Object(Map::new())));
                }
                if let Some(root) = self.value(key) {
                    set(root, inside, value.as_deref()).map_err(|why| refused(field, &why))?;
                }
            }
        }
        Ok(())
    }

    /// Fields and annotations.
    pub fn given(&mut self, given: &Given) -> Result<()> {
        given.fields.iter().try_for_each(|field| self.field(field))?;
        if let Some(Value::Object(fields)) = given.annotations.as_deref().map(|text| marked(listed(text))) {
            self.beside(&[], |own| own.extend(fields))?;
        }
        Ok(())
    }

    /// The name of its file.
    pub fn rename(&mut self, name: &str) {
        let before = self.value("name").and_then(|value| value.as_str().map(str::to_owned));
        let extension = |name: &str| record::split(name).1.map(str::to_owned);
        if let (Some(before), Some(Value::Array(members))) = (before, self.value("members")) {
            let (old, new) = (Value::from(extension(&before)), Value::from(extension(name)));
            members.iter_mut().filter(|member| **member == old).for_each(|member| *member = new.clone());
        }
        self.put("name", Part::Value(name.into()));
    }

    /// Tags given and taken, change by change.
    pub fn tag<'a>(&mut self, changes: impl Iterator<Item = (&'a [String], &'a [String])>) -> Result<()> {
        let mut many = false;
        self.beside(&["tags"], |own| {
            let mut tags: Vec<Option<Value>> = match own.get("tags") {
                Some(Value::Array(tags)) => tags.iter().cloned().map(Some).collect(),
                _ => Vec::new(),
            };
            let at = |(at, tag): (usize, &Option<Value>)| Some((tag.as_ref()?.as_str()?.to_owned(), at));
            let mut places: HashMap<String, usize> = tags.iter().enumerate().filter_map(at).collect();
            for (add, remove) in changes {
                for at in remove.iter().filter_map(|tag| places.remove(tag)) {
                    tags.get_mut(at).into_iter().for_each(|tag| *tag = None);
                }
                for tag in add {
                    if !places.contains_key(tag) {
                        places.insert(tag.clone(), tags.len());
                        tags.push(Some(tag.as_str().into()));
                    }
                }
            }
            many = places.len() > MOST_TAGS;
            own.insert("tags".into(), tags.into_iter().flatten().collect());
        })?;
        match many {
            true => Err(Error::new(&codes::LIMIT, format!("a sample has at most {MOST_TAGS} tags"))),
            false => Ok(()),
        }
    }

    /// What a reviewer said.
    pub fn review(&mut self, state: Option<&str>) -> Result<()> {
        self.beside(&["review"], |own| match state {
            Some(state) => drop(own.insert("review".into(), state.into())),
            None => drop(own.shift_remove("review")),
        })
    }

    /// Changes fields where annotations stand: in the file `.json` beside the payload, if it has files beside it, and
    /// otherwise in the record itself, of which the fields `keys` are looked at.
    fn beside(&mut self, keys: &[&str], change: impl FnOnce(&mut Map<String, Value>)) -> Result<()> {
        if self.has(JSON) || self.has("members") && self.has("name") {
            self.touched.insert(JSON.into());
            if !self.has(JSON) {
                self.put(JSON, Part::Value(Value::Object(Map::new())));
            }
            return match self.value(JSON) {
                Some(Value::Object(own)) => {
                    change(own);
                    Ok(())
                }
                _ => {
                    let message = "the file .json beside the sample is not an object, and has no place for fields";
                    Err(Error::new(&codes::PATH, message).path(JSON))
                }
            };
        }
        let mut own = Map::new();
        for key in keys {
            if let Some(value) = self.value(key) {
                own.insert((*key).into(), value.take());
            }
        }
        change(&mut own);
        keys.iter().filter(|key| !own.contains_key(**key)).for_each(|key| self.take(key));
        own.into_iter().for_each(|(key, value)| self.put(&key, Part::Value(value)));
        Ok(())
    }

    fn take(&mut self, key: &str) {
        if let Some(place) = self.places.remove(key).and_then(|at| self.fields.get_mut(at)) {
            *place = None;
        }
    }

    /// The record. What was kept of the spelling of fields that are changed is kept no longer, and files that came or
    /// went are listed so.
    pub fn finish(mut self) -> String {
        let touched = std::mem::take(&mut self.touched);
        if !touched.is_empty() {
            let empty = match self.value("exact") {
                Some(Value::Object(exact)) => {
                    exact.retain(|key, _| !touched.contains(key));
                    exact.is_empty()
                }
                _ => false,
            };
            if empty {
                self.take("exact");
            }
            let there: Vec<bool> = USUAL.iter().map(|key| self.has(key)).collect();
            let left: HashSet<String> = touched.iter().filter(|key| !self.has(key)).cloned().collect();
            if let Some(Value::Array(members)) = self.value("members") {
                members.retain(|member| member.as_str().is_none_or(|member| !left.contains(member)));
                for (key, _) in USUAL.iter().zip(there).filter(|(key, there)| *there && touched.contains(**key)) {
                    if !members.iter().any(|member| member == key) {
                        members.push((*key).into());
                    }
                }
            }
        }
        let mut out = String::from("{");
        for (key, part) in self.fields.iter().flatten() {
            match part {
                Part::Text(text) => record::push_field(&mut out, key, text.get()),
                Part::Value(value) => record::push_field(&mut out, key, &value.to_string()),
            }
        }
        out.push('}');
        out
    }
}

/// Changes a field of a document of values.
pub(super) fn set_in(document: &mut Map<String, Value>, field: &Field) -> Result<()> {
    let mut root = Value::Object(std::mem::take(document));
    let done = set(&mut root, &field.segments, field.value.as_deref()).map_err(|why| refused(field, &why));
    if let Value::Object(fields) = root {
        *document = fields;
    }
    done
}

fn refused(field: &Field, why: &str) -> Error {
    Error::new(&codes::PATH, why.to_owned()).path(field.path.clone())
}

/// Follows a path, making objects on its way, and sets or takes what is there.
fn set(root: &mut Value, path: &[Segment], value: Option<&RawValue>) -> std::result::Result<(), String> {
    let mut at = root;
    let Some((last, way)) = path.split_last() else { return Ok(()) };
    for segment in way {
        at = match (segment, at) {
            (Segment::Key(key), Value::Object(fields)) => match value {
                Some(_) => fields.entry(key.as_str()).or_insert_with(|| Value::Object(Map::new())),
                None => match fields.get_mut(key) {
                    Some(inside) => inside,
                    None => return Ok(()),
                },
            },
            (segment, at) => element(segment, at)?,
        };
    }
    let value = value.map(|value| serde_json::from_str(value.get()).unwrap_or_default());
    match (last, at, value) {
        (Segment::Key(key), Value::Object(fields), Some(value)) => drop(fields.insert(key.clone(), value)),
        // Of a wide object the last field takes the place, as moving all behind it would take long, time and again.
        (Segment::Key(key), Value::Object(fields), None) if fields.len() > WIDE => drop(fields.swap_remove(key)),
        (Segment::Key(key), Value::Object(fields), None) => drop(fields.shift_remove(key)),
        (Segment::Index(_), _, None) => return Err("an element of a list is not taken away; set the list".into()),
        (segment, at, Some(value)) => *element(segment, at)? = value,
        (segment, at, None) => drop(element(segment, at)?),
    }
    Ok(())
}

/// An element that is there.
fn element<'a>(segment: &Segment, at: &'a mut Value) -> std::result::Result<&'a mut Value, String> {
    match (segment, at) {
        (Segment::Index(i), Value::Array(items)) => {
            let len = items.len();
            let found = usize::try_from(*i).ok().and_then(|i| items.get_mut(i));
            found.ok_or_else(|| format!("the list has {len} elements, none of the number {i}"))
        }
        (Segment::Index(_), _) => Err("what has a number here is not a list".into()),
        (Segment::Key(key), _) => Err(format!("what has the field {key:?} here is not an object")),
    }
}
