//! Comparisons that can never hold, found before a record is looked at: text against a number selects nothing, and
//! whoever wrote it meant something.

use super::{
    FieldKind, Filter, KnownField, Path, Value, boxes, codes,
    expr::{Expr, Op, Operand},
    token::float,
};
use crate::error::{Error, Result};

impl Filter {
    /// Refuses comparisons that never hold because of what the fields are, and says what to write instead.
    pub(crate) fn check_kinds(&self, known: &dyn Fn(&Path) -> KnownField) -> Result<()> {
        Checker { filter: self, known }.expr(&self.expr)
    }

    /// As [`check_kinds`](Self::check_kinds) for samples: their index has fields of known kinds, and what their
    /// metadata holds differs from sample to sample.
    #[doc(hidden)]
    pub fn check_for_samples(&self) -> Result<()> {
        #[cfg(not(feature = "boxes"))]
        if let Some(at) = self.boxes {
            let message = "this build does not look at boxes; the feature `boxes` adds it";
            return Err(Error::new(&crate::codec::codes::UNAVAILABLE, message).section("filter").offset(at as u64));
        }
        use super::Builtin::{Format, Name};
        self.check_kinds(&|path| {
            let kind = match path.builtin() {
                None => FieldKind::Any,
                Some(Name | Format) => FieldKind::Text,
                Some(_) => FieldKind::Number,
            };
            KnownField { kind, words: format!("the field {path}") }
        })
    }
}

struct Checker<'a> {
    filter: &'a Filter,
    known: &'a dyn Fn(&Path) -> KnownField,
}

impl Checker<'_> {
    fn expr(&self, expr: &Expr) -> Result<()> {
        let known = |path: &Path| match boxes::kind(path) {
            Ok(kind) if path.root() == boxes::WORD => KnownField { kind, words: format!("the field {path}") },
            _ => (self.known)(path),
        };
        expr.of_boxes().try_for_each(|inner| Checker { filter: self.filter, known: &known }.expr(inner))?;
        match expr {
            Expr::Compare(Operand::Count(_), ..) | Expr::Compare(_, _, Operand::Count(_)) => Ok(()),
            Expr::And(parts) | Expr::Or(parts) => parts.iter().try_for_each(|e| self.expr(e)),
            Expr::Not(inner) => self.expr(inner),
            Expr::Compare(Operand::Field(path), op, Operand::Literal(value)) => self.compare(path, *op, value, false),
            Expr::Compare(Operand::Literal(value), op, Operand::Field(path)) => self.compare(path, *op, value, true),
            Expr::Compare(Operand::Field(a), op, Operand::Field(b)) => self.fields(a, *op, b),
            Expr::Match { text: Operand::Field(path), pattern, .. } => {
                let known = (self.known)(path);
                match known.kind {
                    FieldKind::Any | FieldKind::Text | FieldKind::Time { .. } | FieldKind::Span { .. } => Ok(()),
                    FieldKind::Nowhere => Err(self.nowhere(path, &known)),
                    kind => {
                        let message = format!(
                            "{} holds {}, and the pattern {:?} is for text",
                            known.words,
                            holds(kind),
                            pattern.source()
                        );
                        Err(self.error(path, message))
                    }
                }
            }
            Expr::InList(Operand::Field(path), list) => {
                let values = list.iter().filter(|value| **value != Value::Null);
                values.into_iter().try_for_each(|value| self.compare(path, Op::Equal, value, false))
            }
            Expr::InField(item, list) => {
                let known = (self.known)(list);
                match known.kind {
                    FieldKind::Any | FieldKind::List => Ok(()),
                    FieldKind::Nowhere => Err(self.nowhere(list, &known)),
                    kind => {
                        let message = format!(
                            "{} holds {}, and `in` looks into lists: write {list} == {item}",
                            known.words,
                            holds(kind)
                        );
                        Err(self.error(list, message))
                    }
                }
            }
            Expr::Truth(Operand::Field(path)) => {
                let known = (self.known)(path);
                match known.kind {
                    FieldKind::Any | FieldKind::Bool => Ok(()),
                    FieldKind::Nowhere => Err(self.nowhere(path, &known)),
                    kind => {
                        let message = format!(
                            "{} holds {}, and a field alone asks for true: compare it with something, such as {path} != null",
                            known.words,
                            holds(kind)
                        );
                        Err(self.error(path, message))
                    }
                }
            }
            // Text that was meant as a name, as SQL writes it.
            Expr::Compare(Operand::Literal(Value::Str(text)), ..) => {
                let name = Path::from_name(text);
                Err(Error::new(&codes::KIND, format!("{expr} compares text and no field: a field is written {name}"))
                    .section("filter"))
            }
            Expr::Compare(..) => {
                Err(Error::new(&codes::KIND, format!("{expr} compares no field: it is the same of everything"))
                    .section("filter"))
            }
            Expr::Match { .. } | Expr::InList(..) | Expr::Truth(_) | Expr::Any(_) => Ok(()),
        }
    }

    /// A field against a value. `turned` where the value stands to the left.
    fn compare(&self, path: &Path, op: Op, value: &Value<'static>, turned: bool) -> Result<()> {
        use FieldKind as K;
        let known = (self.known)(path);
        let ordered = !matches!(op, Op::Equal | Op::NotEqual);
        let written = |value: &Value<'static>| {
            let (field, value) = (Operand::Field(path.clone()), Operand::Literal(value.clone()));
            let (a, b) = if turned { (value, field) } else { (field, value) };
            Expr::Compare(a, op, b).to_string()
        };
        let wrong = |advice: String| {
            let (held, shown) = (holds(known.kind), Operand::Literal(value.clone()));
            Err(self.error(path, format!("{} holds {held}, and {shown} is {}: {advice}", known.words, what(value))))
        };
        match (known.kind, value) {
            (K::Nowhere, _) => Err(self.nowhere(path, &known)),
            (_, Value::Null) if ordered => Err(self.error(
                path,
                format!("null is neither more nor less than anything: write {path} == null or {path} != null"),
            )),
            (K::Any, _) | (_, Value::Null) => Ok(()),
            (K::Opaque, _) => {
                Err(self.error(path, format!("{} holds bytes, which compare with null only", known.words)))
            }
            (K::Object, _) => Err(self.object(path, &known)),
            (K::List, _) => {
                let item = Operand::Literal(value.clone());
                wrong(format!(
                    "write {} for one item, or {item} in {path} for any",
                    written(value).replacen(&path.to_string(), &format!("{path}[0]"), 1)
                ))
            }
            (K::Number, Value::Int(_) | Value::Float(_)) | (K::Text, Value::Str(_)) => Ok(()),
            (K::Bool, Value::Bool(_)) if ordered => {
                Err(self
                    .error(path, format!("true and false are in no order: write {path} == true or {path} == false")))
            }
            (K::Bool, Value::Bool(_)) => Ok(()),
            (K::Span { .. }, Value::Str(_)) if ordered => {
                Err(self
                    .error(path, format!("{} holds spans of time, which are compared by == and != only", known.words)))
            }
            (K::Span { canonical, example }, Value::Str(text)) => {
                self.time(path, &known, text, (canonical(text), false), example)
            }
            (K::Time { canonical, begins, example }, Value::Str(text)) => {
                let begun = ordered && begins(text);
                self.time(path, &known, text, (canonical(text), begun), example)
            }
            (K::Number, Value::Str(text)) => match number(text) {
                Some(n) => wrong(format!("write {}", written(&n))),
                None => wrong("compare it with a number".into()),
            },
            (K::Text, Value::Int(_) | Value::Float(_) | Value::Bool(_)) => {
                let text = Operand::Literal(value.clone()).to_string();
                wrong(format!("write {}", written(&Value::Str(text.into()))))
            }
            (K::Time { example, .. }, _) => wrong(format!("write a time in quotes, such as {example:?}")),
            (K::Bool, _) => wrong(format!("write {path} == true or {path} == false")),
            _ => wrong("they never compare".into()),
        }
    }

    /// A time is to be written as the field writes it, or as its beginning.
    fn time(
        &self,
        path: &Path,
        known: &KnownField,
        text: &str,
        (canonical, begun): (Option<String>, bool),
        example: &str,
    ) -> Result<()> {
        let words = &known.words;
        match canonical {
            Some(own) if own == text => Ok(()),
            Some(own) => Err(self.error(path, format!("{words} writes this time as {own:?}"))),
            None if begun => Ok(()),
            None => {
                let held = holds(known.kind);
                let message = format!("{words} holds {held}, and {text:?} is not one: write one such as {example:?}");
                Err(self.error(path, message))
            }
        }
    }

    fn fields(&self, a: &Path, op: Op, b: &Path) -> Result<()> {
        use FieldKind as K;
        let (left, right) = ((self.known)(a), (self.known)(b));
        for (path, known) in [(a, &left), (b, &right)] {
            match known.kind {
                K::Nowhere => return Err(self.nowhere(path, known)),
                K::Opaque => {
                    return Err(self.error(path, format!("{} holds bytes, which compare with null only", known.words)));
                }
                K::Object => return Err(self.object(path, known)),
                _ => {}
            }
        }
        let textual = |kind| matches!(kind, K::Text | K::Time { .. } | K::Span { .. });
        let ordered = !matches!(op, Op::Equal | Op::NotEqual);
        match (left.kind, right.kind) {
            (K::Any, _) | (_, K::Any) | (K::Number, K::Number) => Ok(()),
            (K::Span { .. }, _) | (_, K::Span { .. }) if ordered => {
                Err(self.error(a, "spans of time are compared by == and != only".into()))
            }
            (x, y) if textual(x) && textual(y) => Ok(()),
            (K::Bool, K::Bool) | (K::List, K::List) if !ordered => Ok(()),
            (x, y) => {
                let message =
                    format!("{} holds {} and {} {}: they never compare", left.words, holds(x), right.words, holds(y));
                Err(self.error(a, message))
            }
        }
    }

    fn object(&self, path: &Path, known: &KnownField) -> Error {
        self.error(path, format!("{} holds objects: name a field inside of it, as {path}.x names x", known.words))
    }

    fn nowhere(&self, path: &Path, known: &KnownField) -> Error {
        self.error(path, format!("{} has no parts such as {path}", known.words))
    }

    fn error(&self, path: &Path, message: String) -> Error {
        let at = self.filter.fields.iter().find(|f| f.path == *path).map_or(0, |f| f.at);
        Error::new(&codes::KIND, message).section("filter").offset(at as u64).column(path.root())
    }
}

fn holds(kind: FieldKind) -> &'static str {
    match kind {
        FieldKind::Bool => "true or false",
        FieldKind::Number => "numbers",
        FieldKind::Text => "text",
        FieldKind::Time { .. } => "times",
        FieldKind::Span { .. } => "spans of time",
        FieldKind::List => "lists",
        FieldKind::Opaque => "bytes",
        FieldKind::Object => "objects",
        FieldKind::Any | FieldKind::Nowhere => "something",
    }
}

fn what(value: &Value<'_>) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Int(_) | Value::Float(_) => "a number",
        Value::Str(_) | Value::Time(_) => "text",
        Value::List(_) => "a list",
        Value::Opaque => "something else",
    }
}

/// The number that a text is, if the filter language would read it as one.
fn number(text: &str) -> Option<Value<'static>> {
    let text = text.trim();
    match text.parse::<i128>() {
        Ok(n) => Some(Value::Int(n)),
        Err(_) => float(text).ok().filter(|x| x.is_finite()).map(Value::Float),
    }
}
