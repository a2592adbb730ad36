//! What the smallest and largest value of a field prove about a filter, without looking at a single row.

use std::cmp::Ordering;

use super::{
    Path, Value,
    expr::{Expr, Op, Operand},
};

/// What is known of a field's values in a group of records.
#[derive(Clone, Debug, PartialEq)]
pub struct Bounds {
    /// No value that exists is smaller (NaN aside).
    pub min: Value<'static>,
    /// No value that exists is larger (NaN aside).
    pub max: Value<'static>,
    /// True where some may be missing.
    pub some_missing: bool,
    /// True if all are missing.
    pub all_missing: bool,
}

/// False only if no record of the group can match.
pub(super) fn may_match(expr: &Expr, of: &dyn Fn(&Path) -> Option<Bounds>) -> bool {
    match expr {
        Expr::And(all) => all.iter().all(|e| may_match(e, of)),
        Expr::Or(any) => any.iter().any(|e| may_match(e, of)),
        Expr::Compare(Operand::Field(path), op, Operand::Literal(value)) => compare(*op, of(path), value),
        Expr::Compare(Operand::Literal(value), op, Operand::Field(path)) => compare(turned(*op), of(path), value),
        Expr::InList(Operand::Field(path), list) => match of(path) {
            Some(bounds) => list.iter().any(|v| *v == Value::Null || compare(Op::Equal, Some(bounds.clone()), v)),
            None => true,
        },
        _ => true,
    }
}

/// The same comparison read from the right.
fn turned(op: Op) -> Op {
    match op {
        Op::Less => Op::More,
        Op::AtMost => Op::AtLeast,
        Op::More => Op::Less,
        Op::AtLeast => Op::AtMost,
        same => same,
    }
}

fn compare(op: Op, bounds: Option<Bounds>, value: &Value<'_>) -> bool {
    let Some(b) = bounds else { return true };
    match (op, value) {
        (Op::Equal, Value::Null) => return b.some_missing,
        (Op::NotEqual, Value::Null) => return !b.all_missing,
        _ if b.all_missing => return false,
        _ => {}
    }
    // Without an order nothing is proven.
    let (low, high) = (b.min.order(value), b.max.order(value));
    match op {
        Op::Equal => low != Some(Ordering::Greater) && high != Some(Ordering::Less),
        Op::Less => matches!(low, None | Some(Ordering::Less)),
        Op::AtMost => low != Some(Ordering::Greater),
        Op::More => matches!(high, None | Some(Ordering::Greater)),
        Op::AtLeast => high != Some(Ordering::Less),
        Op::NotEqual => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filter::Filter;

    #[test]
    fn only_what_is_proven_is_ruled_out() {
        let of = |path: &Path| match path.name()? {
            "n" => Some(Bounds { min: 10i64.into(), max: 20i64.into(), some_missing: false, all_missing: false }),
            "gone" => Some(Bounds { min: Value::Null, max: Value::Null, some_missing: true, all_missing: true }),
            _ => None,
        };
        for (text, may) in [
            ("n > 20", false),
            ("n >= 20", true),
            ("20 < n", false),
            ("n == 9.5", false),
            ("n == 15", true),
            ("n in [1, 2]", false),
            ("n in [1, 12]", true),
            ("n < 10 || n > 19", true),
            ("n < 10 && other == 1", false),
            ("!(n > 5)", true),
            ("n == 'x'", true),
            ("n == null", false),
            ("gone == 3", false),
            ("gone == null", true),
            ("gone != null", false),
            ("other > 3", true),
        ] {
            assert_eq!(Filter::parse(text).unwrap().may_match(&of), may, "{text}");
        }
    }
}
