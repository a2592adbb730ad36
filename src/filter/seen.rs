//! What a pass over samples saw of the fields that a filter names.
//!
//! The metadata of samples is free: which fields there are is known only once they were looked through. A field that
//! no sample has, or that never holds what it is compared with, is then a mistake in the filter, and not a filter that
//! selects nothing.
//!
//! ```
//! use forebay::filter::{Filter, SampleRecord, Seen};
//! use forebay::sample::{MediaFormat, SampleInfo};
//! let (info, metadata) = (SampleInfo::new(0, MediaFormat::Jpeg), serde_json::json!({ "cls": 3 }));
//! let mut record = SampleRecord::new(&info);
//! record.metadata = Some(&metadata);
//! let judge = |text: &str| {
//!     let filter = Filter::parse(text)?;
//!     let mut seen = Seen::new(&filter);
//!     seen.add(&record);
//!     seen.judge(&filter)
//! };
//! assert!(judge("cls == 3").is_ok() && judge("flag == null").is_ok());
//! assert!(judge("clas == 3").unwrap_err().message().ends_with("did you mean cls?"));
//! assert!(judge("cls == '3'").unwrap_err().message().ends_with("write cls == 3"));
//! # Ok::<(), forebay::Error>(())
//! ```

use std::collections::BTreeSet;

use serde_json::Value as Json;

use super::{
    Builtin, FieldKind, Filter, KnownField, Path, SampleRecord, Segment, boxes, codes,
    expr::{Expr, Op, Operand},
    near::nearest,
};
use crate::error::{Error, Result};

/// Samples whose fields are listed for the message, and fields of that list.
const LOOKED: u32 = 1000;
const LISTED: usize = 200;
/// Objects in objects whose fields are listed.
const DEEP: usize = 3;
/// Fields that a message names.
const NAMED: usize = 20;

/// Made for one filter, shown every sample that the filter was asked about, and asked at the end.
#[derive(Clone, Debug)]
pub struct Seen {
    fields: Vec<Field>,
    samples: u64,
    /// Some sample says which boxes it has.
    boxes: bool,
    /// Fields that there are, as far as samples were looked through while one that was asked for was missing.
    names: BTreeSet<String>,
    looked: u32,
}

/// A field of the metadata that the filter names.
#[derive(Clone, Debug)]
struct Field {
    path: Path,
    kinds: Kinds,
}

/// Which kinds of values were seen, null among them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Kinds(u8);

impl Kinds {
    const NULL: u8 = 1;
    const BOOL: u8 = 2;
    const NUMBER: u8 = 4;
    const TEXT: u8 = 8;
    const LIST: u8 = 16;
    const OBJECT: u8 = 32;

    fn of(value: &Json) -> u8 {
        match value {
            Json::Null => Self::NULL,
            Json::Bool(_) => Self::BOOL,
            Json::Number(_) => Self::NUMBER,
            Json::String(_) => Self::TEXT,
            Json::Array(_) => Self::LIST,
            Json::Object(_) => Self::OBJECT,
        }
    }

    /// What the field holds, if that is one kind in every sample that has it.
    fn one(self) -> FieldKind {
        match self.0 & !Self::NULL {
            Self::BOOL => FieldKind::Bool,
            Self::NUMBER => FieldKind::Number,
            Self::TEXT => FieldKind::Text,
            Self::LIST => FieldKind::List,
            Self::OBJECT => FieldKind::Object,
            _ => FieldKind::Any,
        }
    }
}

impl Seen {
    /// Nothing seen yet.
    pub fn new(filter: &Filter) -> Self {
        let free = filter.fields().filter(|path| matches!(path.builtin(), None | Some(Builtin::Name)));
        let fields = free.map(|path| Field { path: path.clone(), kinds: Kinds::default() }).collect();
        Seen { fields, samples: 0, boxes: false, names: BTreeSet::new(), looked: 0 }
    }

    /// Takes in a sample that the filter was asked about.
    pub fn add(&mut self, record: &SampleRecord<'_>) {
        self.samples += 1;
        self.boxes |= record.boxes.is_some();
        let mut missing = false;
        for field in &mut self.fields {
            let name = field.path.builtin() == Some(Builtin::Name) && record.name.is_some();
            field.kinds.0 |= match record.find(&field.path) {
                _ if name => Kinds::TEXT,
                Some(value) => Kinds::of(value),
                None => 0,
            };
            missing |= field.kinds == Kinds::default();
        }
        if missing && self.looked < LOOKED {
            self.looked += 1;
            if record.name.is_some() {
                self.names.insert("name".into());
            }
            if let Some(Json::Object(metadata)) = record.metadata {
                list(metadata, &mut Vec::new(), &mut self.names);
            }
        }
    }

    /// Takes in what another part of the pass saw.
    pub fn merge(&mut self, other: Seen) {
        self.samples += other.samples;
        self.boxes |= other.boxes;
        self.looked = self.looked.saturating_add(other.looked);
        for (field, also) in self.fields.iter_mut().zip(other.fields) {
            field.kinds.0 |= also.kinds.0;
        }
        self.names.extend(other.names);
    }

    /// Refuses what cannot have been meant: a field that none of the samples has, unless the filter asks for just that
    /// by `== null` or `!= null`; and a comparison with what the field holds in no sample. For a pass over all samples:
    /// those that were not looked at may have the field.
    pub fn judge(&self, filter: &Filter) -> Result<()> {
        if self.samples == 0 {
            return Ok(());
        }
        if let Some(at) = filter.boxes.filter(|_| !self.boxes) {
            let message = "no sample has boxes in its metadata";
            return Err(Error::new(&codes::FIELD, message).section("filter").offset(at as u64));
        }
        let absent = |path: &Path| self.fields.iter().any(|f| f.path == *path && f.kinds == Kinds::default());
        for field in filter.fields.iter().filter(|field| absent(&field.path)) {
            let used = uses(&filter.expr, &field.path);
            if used.otherwise {
                return Err(self.unknown(field, used.beside));
            }
        }
        filter.check_kinds(&|path| KnownField {
            kind: match path.builtin() {
                None => self.fields.iter().find(|f| f.path == *path).map_or(FieldKind::Any, |f| f.kinds.one()),
                Some(Builtin::Name | Builtin::Format) => FieldKind::Text,
                Some(_) => FieldKind::Number,
            },
            words: format!("the field {path}"),
        })
    }

    fn unknown(&self, field: &super::Field, beside: bool) -> Error {
        let path = field.path.to_string();
        let builtins = Builtin::ALL.iter().map(|(name, _)| *name).filter(|name| *name != "name");
        let known: Vec<&str> = builtins.chain(self.names.iter().map(String::as_str)).collect();
        // What there is of the samples' own stands in front: it is what was mistyped.
        let mut shown: Vec<&str> = self.names.iter().take(NAMED).map(String::as_str).collect();
        if self.names.len() > NAMED {
            shown.push("...");
        }
        let mut message = format!("no sample has the field {path}");
        match shown.is_empty() {
            true => message.push_str("; their metadata has no fields"),
            false => message.push_str(&format!("; there are {}", shown.join(", "))),
        }
        if field.path.root() == boxes::WORD {
            message.push_str("; boxes are looked at by any(box, ...) and count(box, ...)");
        } else if let Some(name) = nearest(&path, known) {
            message.push_str(&format!("; did you mean {name}?"));
        } else if beside {
            message.push_str(&format!("; put text into quotes: {path:?}"));
        }
        Error::new(&codes::FIELD, message).section("filter").offset(field.at as u64)
    }
}

/// Lists the fields of an object as a filter writes them; of objects, what is inside.
fn list(object: &serde_json::Map<String, Json>, above: &mut Vec<Segment>, names: &mut BTreeSet<String>) {
    for (key, value) in object {
        if names.len() >= LISTED {
            return;
        }
        above.push(Segment::Key(key.clone()));
        match value {
            Json::Object(inner) if above.len() < DEEP && !inner.is_empty() => list(inner, above, names),
            Json::Array(items) if above.len() < DEEP && matches!(items.first(), Some(Json::Object(_))) => {
                above.push(Segment::Index(0));
                if let Some(Json::Object(first)) = items.first() {
                    list(first, above, names);
                }
                above.pop();
            }
            _ => drop(names.insert(Path::new(above.clone()).to_string())),
        }
        above.pop();
    }
}

/// How a filter uses a field.
#[derive(Default)]
struct Uses {
    /// Otherwise than to ask whether it is null.
    otherwise: bool,
    /// Beside another field, where text without its quotes looks like one.
    beside: bool,
}

fn uses(expr: &Expr, path: &Path) -> Uses {
    let mut found = Uses::default();
    look(expr, path, &mut found);
    found
}

fn look(expr: &Expr, path: &Path, found: &mut Uses) {
    let is = |operand: &Operand| matches!(operand, Operand::Field(field) if field == path);
    expr.of_boxes().for_each(|inner| look(inner, path, found));
    match expr {
        Expr::And(parts) | Expr::Or(parts) => parts.iter().for_each(|part| look(part, path, found)),
        Expr::Not(inner) => look(inner, path, found),
        Expr::Compare(a, op, b) if is(a) || is(b) => {
            let null = a.is_null_literal() || b.is_null_literal();
            found.otherwise |= !(null && matches!(op, Op::Equal | Op::NotEqual));
            found.beside |= matches!((a, b), (Operand::Field(_), Operand::Field(_)));
        }
        Expr::Match { text, .. } => found.otherwise |= is(text),
        // A list may hold null, which an absent field is.
        Expr::InList(item, list) => found.otherwise |= is(item) && !list.contains(&super::Value::Null),
        Expr::InField(item, list) => {
            found.otherwise |= is(item) || list == path;
            found.beside |= is(item);
        }
        Expr::Truth(operand) => found.otherwise |= is(operand),
        Expr::Compare(..) | Expr::Any(_) => {}
    }
}
