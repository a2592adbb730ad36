//! A sample's record while it is changed: what nobody touches keeps its spelling.

use std::collections::{HashMap, HashSet};

use serde_json::{Value, value::RawValue};

use super::{
    change::{Field, Given, listed, marked},
    codes,
    tree::{Fields, Node, set},
};
use crate::{
    error::{Error, Result},
    filter::Segment,
    sample::{
        holds::{LEVELS, holds, too_wide},
        record,
    },
};

/// The most tags of a sample.
const MOST_TAGS: usize = 10_000;
/// The file of a sample that other fields go into.
const JSON: &str = "json";
/// Sidecars that need no mention in `members`.
const USUAL: [&str; 3] = [JSON, "cls", "txt"];

/// A record being changed.
#[derive(Debug)]
pub(super) struct Draft {
    fields: Fields,
    touched: HashSet<String>,
}

impl Draft {
    /// Of sample `id`; one without a record gets one.
    pub fn new(text: Option<&str>, id: u64) -> Draft {
        let mut fields = Fields::default();
        match text.map(|text| (text, record::fields_of(text))) {
            Some((_, Some(found))) => {
                for (key, value) in found {
                    // Of fields that are there twice the last counts, as for every reader.
                    fields.put(&key, Node::Text(value));
                }
            }
            Some((text, None)) => {
                fields.put("id", Node::Value(id.into()));
                let deep = holds(text, LEVELS - 1).is_err();
                let whole = RawValue::from_string(text.to_owned()).ok().filter(|_| !deep);
                fields.put("metadata", whole.map_or_else(|| Node::Value(text.into()), Node::Text));
            }
            None => fields.put("id", Node::Value(id.into())),
        }
        Draft { fields, touched: HashSet::new() }
    }

    fn put(&mut self, key: &str, node: Node) {
        self.fields.put(key, node);
    }

    fn has(&self, key: &str) -> bool {
        self.fields.has(key)
    }

    /// The field as a value that can be changed; `None` where there is no such field.
    fn value(&mut self, key: &str) -> Option<&mut Value> {
        self.fields.get_mut(key)?.plain()
    }

    /// Sets a field, or takes it away.
    pub fn field(&mut self, field: &Field) -> Result<()> {
        let Some((Segment::Key(key), inside)) = field.segments.split_first() else { return Ok(()) };
        self.touched.insert(key.clone());
        match (inside, &field.value) {
            ([], Some(value)) => self.put(key, Node::Text(value.clone())),
            ([], None) => self.fields.take(key),
            (inside, value) => {
                if !self.has(key) {
                    if value.is_none() {
                        return Ok(());
                    }
                    self.put(key, Node::empty());
                }
                if let Some(root) = self.fields.get_mut(key) {
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
            self.beside(|own| fields.into_iter().for_each(|(key, value)| own.put(&key, Node::Value(value))))?;
        }
        Ok(())
    }

    /// The name of its file.
    pub fn rename(&mut self, name: &str) {
        let before = self.fields.value("name").and_then(|value| value.as_str().map(str::to_owned));
        let extension = |name: &str| record::split(name).1.map(str::to_owned);
        if let (Some(before), Some(Value::Array(members))) = (before, self.value("members")) {
            let (old, new) = (Value::from(extension(&before)), Value::from(extension(name)));
            members.iter_mut().filter(|member| **member == old).for_each(|member| *member = new.clone());
        }
        self.put("name", Node::Value(name.into()));
    }

    /// Tags given and taken, change by change.
    pub fn tag<'a>(&mut self, changes: impl Iterator<Item = (&'a [String], &'a [String])>) -> Result<()> {
        let mut many = false;
        self.beside(|own| {
            let mut tags: Vec<Option<Value>> = match own.value("tags") {
                Some(Value::Array(tags)) => tags.into_iter().map(Some).collect(),
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
            own.put("tags", Node::Value(tags.into_iter().flatten().collect()));
        })?;
        match many {
            true => Err(Error::new(&codes::LIMIT, format!("a sample has at most {MOST_TAGS} tags"))),
            false => Ok(()),
        }
    }

    /// What a reviewer said.
    pub fn review(&mut self, state: Option<&str>) -> Result<()> {
        self.beside(|own| match state {
            Some(state) => own.put("review", Node::Value(state.into())),
            None => own.take("review"),
        })
    }

    /// Changes fields where annotations stand: in the file `.json` beside the payload, if it has files beside it, and
    /// otherwise in the record itself.
    fn beside(&mut self, change: impl FnOnce(&mut Fields)) -> Result<()> {
        if self.has(JSON) || self.has("members") && self.has("name") {
            self.touched.insert(JSON.into());
            if !self.has(JSON) {
                self.put(JSON, Node::empty());
            }
            return match self.fields.get_mut(JSON).and_then(within) {
                Some(own) => {
                    change(own);
                    Ok(())
                }
                None => {
                    let message = "the file .json next to the sample is not an object, and has no place for fields";
                    Err(Error::new(&codes::PATH, message).path(JSON))
                }
            };
        }
        change(&mut self.fields);
        Ok(())
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
                self.fields.take("exact");
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
        self.fields.write()
    }
}

/// The fields of the file `.json`. One that begins with a byte order mark is kept as text by records of earlier days.
fn within(json: &mut Node) -> Option<&mut Fields> {
    if let Value::String(text) = json.value()
        && let Some(text) = text.strip_prefix('\u{feff}')
        && let Ok(text) = RawValue::from_string(text.to_owned())
    {
        *json = Node::Text(text);
    }
    json.fields()
}

/// Changes a field of a document of values.
pub(super) fn set_in(document: &mut Node, field: &Field) -> Result<()> {
    if field.value.as_ref().is_some_and(|value| too_wide(value.get().as_bytes()).is_some()) {
        return Err(refused(field, "the document has no room for an integer of more than 64 bits; set it as text"));
    }
    set(document, &field.segments, field.value.as_deref()).map_err(|why| refused(field, &why))
}

fn refused(field: &Field, why: &str) -> Error {
    Error::new(&codes::PATH, why.to_owned()).path(field.path.clone())
}
