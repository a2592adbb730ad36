//! The expression as a tree: its canonical text and its meaning.

use std::{
    borrow::Cow,
    cmp::Ordering,
    fmt::{self, Write},
};

use super::{Path, Record, SampleBox, Segment, Value, boxes::WORD, glob::Glob};

/// `And` and `Or` hold at least two, none of their own kind, so that one meaning has one tree.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Expr {
    And(Vec<Expr>),
    Or(Vec<Expr>),
    Not(Box<Expr>),
    Compare(Operand, Op, Operand),
    Match {
        text: Operand,
        pattern: Glob,
        negated: bool,
    },
    InList(Operand, Vec<Value<'static>>),
    InField(Operand, Path),
    Truth(Operand),
    /// Some box of the sample is one of these.
    Any(Boxes),
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Operand {
    Field(Path),
    Literal(Value<'static>),
    /// How many of the sample's boxes are these.
    Count(Boxes),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Op {
    Equal,
    NotEqual,
    Less,
    AtMost,
    More,
    AtLeast,
}

impl Op {
    pub(super) fn from_sign(sign: &str) -> Option<Self> {
        Some(match sign {
            "==" => Op::Equal,
            "!=" => Op::NotEqual,
            "<" => Op::Less,
            "<=" => Op::AtMost,
            ">" => Op::More,
            ">=" => Op::AtLeast,
            _ => return None,
        })
    }

    fn sign(self) -> &'static str {
        match self {
            Op::Equal => "==",
            Op::NotEqual => "!=",
            Op::Less => "<",
            Op::AtMost => "<=",
            Op::More => ">",
            Op::AtLeast => ">=",
        }
    }

    fn holds(self, a: &Value<'_>, b: &Value<'_>) -> bool {
        match self {
            Op::Equal => a.same(b),
            Op::NotEqual => !a.same(b),
            Op::Less => a.order(b) == Some(Ordering::Less),
            Op::AtMost => matches!(a.order(b), Some(Ordering::Less | Ordering::Equal)),
            Op::More => a.order(b) == Some(Ordering::Greater),
            Op::AtLeast => matches!(a.order(b), Some(Ordering::Greater | Ordering::Equal)),
        }
    }
}

impl Operand {
    pub(super) fn is_null_literal(&self) -> bool {
        matches!(self, Operand::Literal(Value::Null))
    }

    fn value<'a, R: Record + ?Sized>(&'a self, record: &'a R) -> Cow<'a, Value<'a>> {
        match self {
            Operand::Field(path) => Cow::Owned(record.field(path)),
            Operand::Literal(value) => Cow::Borrowed(value),
            Operand::Count(boxes) => Cow::Owned(Value::Int(boxes.count(record) as i128)),
        }
    }
}

impl Expr {
    /// The filters of boxes that stand in this expression itself.
    pub(super) fn of_boxes(&self) -> impl Iterator<Item = &Expr> {
        let counted = match self {
            Expr::Any(boxes) => [Some(boxes), None],
            Expr::Compare(a, _, b) => [a, b].map(|side| match side {
                Operand::Count(boxes) => Some(boxes),
                _ => None,
            }),
            _ => [None, None],
        };
        counted.into_iter().flatten().filter_map(|boxes| boxes.0.as_deref())
    }

    /// Text with a star that is compared as it is.
    pub(super) fn compared_pattern(&self) -> Option<&str> {
        match self {
            Expr::And(parts) | Expr::Or(parts) => parts.iter().find_map(Expr::compared_pattern),
            Expr::Not(inner) => inner.compared_pattern(),
            Expr::Compare(a, Op::Equal | Op::NotEqual, b) => [a, b].into_iter().find_map(|side| match side {
                Operand::Literal(Value::Str(text)) if text.contains('*') => Some(text.as_ref()),
                _ => None,
            }),
            _ => self.of_boxes().find_map(Expr::compared_pattern),
        }
    }

    pub(super) fn eval<R: Record + ?Sized>(&self, record: &R) -> bool {
        match self {
            Expr::And(all) => all.iter().all(|e| e.eval(record)),
            Expr::Or(any) => any.iter().any(|e| e.eval(record)),
            Expr::Not(inner) => !inner.eval(record),
            Expr::Compare(a, op, b) => {
                let (left, right) = (a.value(record), b.value(record));
                let null = matches!(*left, Value::Null) || matches!(*right, Value::Null);
                if a.is_null_literal() || b.is_null_literal() {
                    // The one comparison that a null takes part in: is it there or not?
                    return matches!(op, Op::Equal | Op::NotEqual) && op.holds(&left, &right);
                }
                !null && op.holds(&left, &right)
            }
            Expr::Match { text, pattern, negated } => match &*text.value(record) {
                Value::Null => false,
                Value::Str(text) => pattern.matches(text) != *negated,
                Value::Time(time) => pattern.matches(&time.to_string()) != *negated,
                _ => *negated,
            },
            Expr::InList(item, list) => {
                let item = item.value(record);
                list.iter().any(|element| element.same(&item))
            }
            Expr::InField(item, list) => record.contains(list, &item.value(record)),
            Expr::Truth(operand) => matches!(*operand.value(record), Value::Bool(true)),
            Expr::Any(boxes) => boxes.count(record) > 0,
        }
    }
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let join = |f: &mut fmt::Formatter<'_>, parts: &[Expr], sign: &str| {
            for (i, part) in parts.iter().enumerate() {
                if i > 0 {
                    f.write_str(sign)?;
                }
                // `||` inside `&&` is the only pair that precedence does not tell apart.
                if matches!(part, Expr::Or(_)) { write!(f, "({part})")? } else { write!(f, "{part}")? }
            }
            Ok(())
        };
        match self {
            Expr::And(parts) => join(f, parts, " && "),
            Expr::Or(parts) => join(f, parts, " || "),
            Expr::Not(inner) if matches!(**inner, Expr::Truth(_) | Expr::Not(_) | Expr::Any(_)) => {
                write!(f, "!{inner}")
            }
            Expr::Not(inner) => write!(f, "!({inner})"),
            Expr::Compare(a, op, b) => write!(f, "{a} {} {b}", op.sign()),
            Expr::Match { text, pattern, negated } => {
                write!(f, "{text} {} ", if *negated { "!~" } else { "~" })?;
                write_string(f, pattern.source())
            }
            Expr::InList(item, list) => {
                write!(f, "{item} in ")?;
                write_value(f, &Value::List(list.clone()))
            }
            Expr::InField(item, list) => write!(f, "{item} in {list}"),
            Expr::Truth(operand) => operand.fmt(f),
            Expr::Any(boxes) => write!(f, "any{boxes}"),
        }
    }
}

impl fmt::Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Operand::Field(path) => path.fmt(f),
            Operand::Literal(value) => write_value(f, value),
            Operand::Count(boxes) => write!(f, "count{boxes}"),
        }
    }
}

fn write_value(f: &mut fmt::Formatter<'_>, value: &Value<'_>) -> fmt::Result {
    match value {
        // No text of a filter gives an opaque value.
        Value::Null | Value::Opaque => f.write_str("null"),
        Value::Bool(b) => write!(f, "{b}"),
        Value::Int(n) => write!(f, "{n}"),
        // Always with a point or an exponent, and as many digits as tell it from its neighbors.
        Value::Float(x) => write!(f, "{x:?}"),
        Value::Str(text) => write_string(f, text),
        Value::Time(time) => write_string(f, &time.to_string()),
        Value::List(list) => {
            f.write_char('[')?;
            for (i, element) in list.iter().enumerate() {
                if i > 0 {
                    f.write_str(", ")?;
                }
                write_value(f, element)?;
            }
            f.write_char(']')
        }
    }
}

fn write_string(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    f.write_char('"')?;
    for c in text.chars() {
        match c {
            '\n' => f.write_str("\\n")?,
            '\r' => f.write_str("\\r")?,
            '\t' => f.write_str("\\t")?,
            '"' | '\\' => write!(f, "\\{c}")?,
            c => f.write_char(c)?,
        }
    }
    f.write_char('"')
}

/// `(box)` or `(box, ...)`: which boxes are meant.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Boxes(pub Option<Box<Expr>>);

impl Boxes {
    /// How many of the record's boxes are meant.
    pub(super) fn count<R: Record + ?Sized>(&self, record: &R) -> usize {
        let wanted = |one: &&SampleBox| self.0.as_ref().is_none_or(|expr| expr.eval(&Within { record: &record, one }));
        record.boxes().iter().filter(wanted).count()
    }
}

impl fmt::Display for Boxes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            None => write!(f, "({WORD})"),
            Some(expr) => write!(f, "({WORD}, {expr})"),
        }
    }
}

/// A record of which one box is looked at.
struct Within<'a> {
    record: &'a dyn Record,
    one: &'a SampleBox,
}

impl Record for Within<'_> {
    fn field(&self, path: &Path) -> Value<'_> {
        match path.segments() {
            [Segment::Key(root), inside @ ..] if root == WORD => self.one.field(inside),
            _ => self.record.field(path),
        }
    }

    fn contains(&self, path: &Path, item: &Value<'_>) -> bool {
        path.root() != WORD && self.record.contains(path, item)
    }
}
