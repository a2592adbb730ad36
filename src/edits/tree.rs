//! A value of JSON that is changed in places: what nobody touches keeps its text, and with it digits that numbers have no
//! room for and fields that are there twice.

use std::collections::HashMap;

use serde_json::{Map, Value, value::RawValue};

use crate::{filter::Segment, sample::record};

/// A value, as its text until something in it is changed.
#[derive(Debug)]
pub(super) enum Node {
    Text(Box<RawValue>),
    Value(Value),
    Fields(Fields),
    List(Vec<Node>),
}

/// An object's fields in their order.
#[derive(Debug, Default)]
pub(super) struct Fields {
    list: Vec<Option<(String, Node)>>,
    /// The last field of each name, which is the one that counts.
    places: HashMap<String, usize>,
    /// Names of fields that were there before, too.
    earlier: HashMap<String, Vec<usize>>,
}

impl Fields {
    fn of(fields: Vec<(String, Box<RawValue>)>) -> Fields {
        let mut all = Fields::default();
        for (key, value) in fields {
            if let Some(before) = all.places.insert(key.clone(), all.list.len()) {
                all.earlier.entry(key.clone()).or_default().push(before);
            }
            all.list.push(Some((key, Node::Text(value))));
        }
        all
    }

    pub fn has(&self, key: &str) -> bool {
        self.places.contains_key(key)
    }

    pub fn get_mut(&mut self, key: &str) -> Option<&mut Node> {
        let (_, node) = self.list.get_mut(*self.places.get(key)?)?.as_mut()?;
        Some(node)
    }

    /// The field as a value.
    pub fn value(&self, key: &str) -> Option<Value> {
        let (_, node) = self.list.get(*self.places.get(key)?)?.as_ref()?;
        Some(node.value())
    }

    /// Sets a field where it stands, or behind the others.
    pub fn put(&mut self, key: &str, node: Node) {
        match self.places.get(key).and_then(|&at| self.list.get_mut(at)) {
            Some(place) => *place = Some((key.to_owned(), node)),
            None => {
                self.places.insert(key.to_owned(), self.list.len());
                self.list.push(Some((key.to_owned(), node)));
            }
        }
    }

    pub fn take(&mut self, key: &str) {
        let earlier = self.earlier.remove(key).unwrap_or_default();
        for at in self.places.remove(key).into_iter().chain(earlier) {
            self.list.get_mut(at).into_iter().for_each(|place| *place = None);
        }
    }

    pub fn write(&self) -> String {
        let mut out = String::from("{");
        for (key, node) in self.list.iter().flatten() {
            record::push_field(&mut out, key, &node.write());
        }
        out.push('}');
        out
    }
}

impl Node {
    /// An object without fields.
    pub fn empty() -> Node {
        Node::Fields(Fields::default())
    }

    pub fn value(&self) -> Value {
        match self {
            Node::Value(value) => value.clone(),
            Node::Text(text) => serde_json::from_str(text.get()).unwrap_or_default(),
            node => serde_json::from_str(&node.write()).unwrap_or_default(),
        }
    }

    pub fn write(&self) -> String {
        match self {
            Node::Text(text) => text.get().to_owned(),
            Node::Value(value) => value.to_string(),
            Node::Fields(fields) => fields.write(),
            Node::List(items) => {
                let items: Vec<String> = items.iter().map(Node::write).collect();
                format!("[{}]", items.join(","))
            }
        }
    }

    /// Its parts, if it has some, so that they can be changed one by one.
    fn open(&mut self) {
        let text = match self {
            Node::Text(text) => text.get().to_owned(),
            Node::Value(value @ (Value::Object(_) | Value::Array(_))) => value.to_string(),
            _ => return,
        };
        match text.as_bytes().first() {
            Some(b'{') => self.set_fields(&text),
            Some(b'[') => {
                if let Ok(items) = serde_json::from_str::<Vec<Box<RawValue>>>(&text) {
                    *self = Node::List(items.into_iter().map(Node::Text).collect());
                }
            }
            _ => {}
        }
    }

    fn set_fields(&mut self, text: &str) {
        if let Some(fields) = record::fields_of(text) {
            *self = Node::Fields(Fields::of(fields));
        }
    }

    /// The fields of an object.
    pub fn fields(&mut self) -> Option<&mut Fields> {
        self.open();
        match self {
            Node::Fields(fields) => Some(fields),
            _ => None,
        }
    }

    /// The elements of a list.
    pub fn items(&mut self) -> Option<&mut Vec<Node>> {
        self.open();
        match self {
            Node::List(items) => Some(items),
            _ => None,
        }
    }

    /// As a value that can be changed in place, for what is known to hold no numbers.
    pub fn plain(&mut self) -> Option<&mut Value> {
        if !matches!(self, Node::Value(_)) {
            *self = Node::Value(self.value());
        }
        match self {
            Node::Value(value) => Some(value),
            _ => None,
        }
    }
}

impl From<Map<String, Value>> for Fields {
    fn from(map: Map<String, Value>) -> Fields {
        let mut fields = Fields::default();
        map.into_iter().for_each(|(key, value)| fields.put(&key, Node::Value(value)));
        fields
    }
}

/// Follows a path, making objects on its way, and sets or takes what is there.
pub(super) fn set(root: &mut Node, path: &[Segment], value: Option<&RawValue>) -> Result<(), String> {
    let mut at = root;
    let Some((last, way)) = path.split_last() else { return Ok(()) };
    for segment in way {
        at = match segment {
            Segment::Key(key) => {
                let fields = at.fields().ok_or_else(|| no_object(key))?;
                if !fields.has(key) {
                    if value.is_none() {
                        return Ok(());
                    }
                    fields.put(key, Node::empty());
                }
                fields.get_mut(key).ok_or_else(|| no_object(key))?
            }
            Segment::Index(i) => element(*i, at)?,
        };
    }
    match (last, value) {
        (Segment::Key(key), value) => {
            let fields = at.fields().ok_or_else(|| no_object(key))?;
            match value {
                Some(value) => fields.put(key, Node::Text(value.to_owned())),
                None => fields.take(key),
            }
        }
        (Segment::Index(_), None) => return Err("an element of a list is not taken away; set the list".into()),
        (Segment::Index(i), Some(value)) => *element(*i, at)? = Node::Text(value.to_owned()),
    }
    Ok(())
}

fn no_object(key: &str) -> String {
    format!("the parent of the field {key:?} is not an object")
}

/// An element that is there.
fn element(i: u64, at: &mut Node) -> Result<&mut Node, String> {
    let items = at.items().ok_or("the parent of this number is not a list")?;
    let len = items.len();
    let found = usize::try_from(i).ok().and_then(|i| items.get_mut(i));
    found.ok_or_else(|| format!("the list has {len} elements, and no number {i}"))
}
