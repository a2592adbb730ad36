//! A document as a tree whose values know where they lie: for files of one picture, and tasks of one.

use std::borrow::Cow;

use crate::{Names, Spot, codes, error::Result, limits::Limits, names};

use super::{Cursor, Got, Number, Stop, within};

/// A value and its first byte.
#[derive(Debug)]
pub(crate) struct Node<'a> {
    pub at: usize,
    pub value: Value<'a>,
}

#[derive(Debug)]
pub(crate) enum Value<'a> {
    Null,
    Bool(bool),
    Number(Number<'a>),
    Text(Cow<'a, str>),
    Array(Vec<Node<'a>>),
    Object(Object<'a>),
}

/// The fields of an object, in their order.
#[derive(Debug, Default)]
pub(crate) struct Object<'a>(pub Vec<(Cow<'a, str>, Node<'a>)>);

/// Reads a whole text that holds one value, and takes something from it.
pub(crate) fn document<'a, T>(text: &'a [u8], limits: &Limits, take: impl FnOnce(Node<'a>) -> Got<T>) -> Result<T> {
    limits.metadata(text.len() as u64)?;
    if let [0xfe, 0xff, ..] | [0xff, 0xfe, ..] | [_, 0, ..] | [0, _, ..] = text {
        return Err(Spot::line(1).fault(&codes::ENCODING, "the file is UTF-16 or UTF-32, and not UTF-8"));
    }
    let body = body(text);
    let mut cursor = Cursor::new(body, true, limits.nesting);
    let got = cursor.node().and_then(|node| cursor.finish().and_then(|()| take(node)));
    got.map_err(|stop| match stop {
        Stop::Wrong(wrong) => {
            let spot = Spot::of(body, wrong.at);
            wrong.error(spot)
        }
        // Nothing more can come.
        Stop::More => Spot::of(body, body.len()).fault(&codes::TRUNCATED, "the file ends inside a value"),
    })
}

/// A text without its mark.
fn body(text: &[u8]) -> &[u8] {
    text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text)
}

/// The lines of values of a [`document`], asked for in their order: no byte is looked at twice.
#[derive(Debug)]
pub(crate) struct Lines<'a> {
    text: &'a [u8],
    at: usize,
    line: u64,
}

impl<'a> Lines<'a> {
    pub fn new(text: &'a [u8]) -> Lines<'a> {
        Lines { text: body(text), at: 0, line: 1 }
    }

    /// The line of a byte behind those that were asked for.
    pub fn of(&mut self, at: usize) -> u64 {
        let passed = self.text.get(self.at..at).unwrap_or_default();
        self.line += passed.iter().filter(|byte| **byte == b'\n').count() as u64;
        self.at = self.at.max(at);
        self.line
    }
}

impl<'a> Cursor<'a> {
    /// The value that begins here, as a tree.
    pub fn node(&mut self) -> Got<Node<'a>> {
        self.node_in(self.nesting)
    }

    fn node_in(&mut self, deeper: u32) -> Got<Node<'a>> {
        let first = self.peek()?;
        let at = self.at;
        let deep = || {
            let message = format!("values nest deeper than {} levels", self.nesting);
            deeper.checked_sub(1).ok_or_else(|| Stop::wrong(at, &crate::limits::codes::NESTING, message))
        };
        let value = match first {
            b'"' => Value::Text(self.string()?),
            b't' | b'f' => Value::Bool(self.boolean()?.unwrap_or_default()),
            b'n' => {
                self.null()?;
                Value::Null
            }
            b'[' => {
                let deeper = deep()?;
                self.at += 1;
                let mut items = Vec::new();
                while self.more(b']', items.len())? {
                    let item = self.node_in(deeper);
                    items.push(within(item, format_args!("[{}]", items.len()))?);
                }
                Value::Array(items)
            }
            b'{' => {
                let deeper = deep()?;
                self.at += 1;
                let mut fields = Vec::new();
                while self.more(b'}', fields.len())? {
                    let key = match self.key()? {
                        Cow::Borrowed(key) => String::from_utf8_lossy(key),
                        Cow::Owned(key) => String::from_utf8_lossy(&key).into_owned().into(),
                    };
                    let value = within(self.node_in(deeper), &key)?;
                    fields.push((key, value));
                }
                Value::Object(Object(fields))
            }
            _ => Value::Number(self.number()?),
        };
        Ok(Node { at, value })
    }
}

impl<'a> Node<'a> {
    /// It is of another type than it has to be.
    #[cold]
    pub fn wrong(&self, what: &str) -> Stop {
        let code = match self.value {
            Value::Text(_) if what.contains("number") => &codes::NUMBER,
            _ => &codes::VALUE,
        };
        Stop::wrong(self.at, code, what)
    }

    /// Its fields, if it is an object.
    pub fn object(&self) -> Got<&Object<'a>> {
        match &self.value {
            Value::Object(object) => Ok(object),
            _ => Err(self.wrong("an object belongs here")),
        }
    }

    /// Its elements, if it is an array.
    pub fn array(&self) -> Got<&[Node<'a>]> {
        match &self.value {
            Value::Array(items) => Ok(items),
            _ => Err(self.wrong("an array belongs here")),
        }
    }

    /// Its text, if it is one.
    pub fn text(&self) -> Got<&str> {
        match &self.value {
            Value::Text(text) => Ok(text),
            _ => Err(self.wrong("a text belongs here")),
        }
    }

    /// Its text, if it is the name of a picture.
    pub fn name(&self, policy: Names) -> Got<String> {
        let name = names::named(self.text()?, policy);
        name.map(str::to_owned).map_err(|e| Stop::wrong(self.at, e.code(), e.message()).options(e.options()))
    }

    /// Its number, if it is one.
    pub fn number(&self) -> Got<f64> {
        match &self.value {
            Value::Number(number) => Ok(number.value),
            _ => Err(self.wrong("a number belongs here")),
        }
    }

    /// A count of pixels; 0 and `null` are none.
    pub fn pixels(&self) -> Got<Option<u32>> {
        match &self.value {
            Value::Null => Ok(None),
            Value::Number(number) => match number.whole().and_then(|n| u32::try_from(n).ok()) {
                Some(n) => Ok(Some(n).filter(|n| *n > 0)),
                None => Err(Stop::wrong(self.at, &codes::NUMBER, "a size is a whole number of pixels")),
            },
            _ => Err(self.wrong("a number belongs here")),
        }
    }

    /// `true`, 1, or a text that says so.
    pub fn flag(&self) -> bool {
        match &self.value {
            Value::Bool(yes) => *yes,
            Value::Number(number) => number.value != 0.0,
            Value::Text(text) => matches!(&**text, "1" | "true" | "True" | "yes"),
            _ => false,
        }
    }

    /// As text, however it is written; arrays and objects are none.
    pub fn plain(&self) -> Option<String> {
        match &self.value {
            Value::Null | Value::Array(_) | Value::Object(_) => None,
            Value::Bool(yes) => Some(yes.to_string()),
            Value::Number(number) => Some(String::from_utf8_lossy(number.text).into_owned()),
            Value::Text(text) => Some(text.clone().into_owned()),
        }
    }

    /// Whether it is `null`.
    pub fn is_null(&self) -> bool {
        matches!(self.value, Value::Null)
    }
}

impl<'a> Object<'a> {
    /// The value of a key; `None` where there is none or it is `null`. Of a key that is there twice nobody knows which
    /// value counts.
    pub fn get(&self, key: &str) -> Got<Option<&Node<'a>>> {
        let mut found = self.0.iter().filter(|(name, _)| name == key).map(|(_, node)| node);
        let first = found.next();
        if let Some(second) = found.next() {
            let message = format!("the key {key:?} is there twice");
            return Err(Stop::wrong(second.at, &codes::REPEATED, message).inside(key));
        }
        Ok(first.filter(|node| !node.is_null()))
    }

    /// What is made of a key's value, with the key in the way to what is wrong.
    pub fn take<T>(&self, key: &str, take: impl FnOnce(&Node<'a>) -> Got<T>) -> Got<Option<T>> {
        self.get(key)?.map(|node| within(take(node), key)).transpose()
    }

    /// The same for a key that has to be there, in an object that begins at a byte.
    pub fn need<T>(&self, at: usize, key: &str, take: impl FnOnce(&Node<'a>) -> Got<T>) -> Got<T> {
        match self.0.iter().find(|(name, _)| name == key) {
            // `null` is told by what should have been there.
            Some((_, node)) if node.is_null() => within(take(node), key),
            _ => self
                .take(key, take)?
                .ok_or_else(|| Stop::wrong(at, &codes::VALUE, format!("{key:?} is missing")).inside(key)),
        }
    }
}
