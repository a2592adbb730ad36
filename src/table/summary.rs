//! What the values of each column are like, from one pass in bounded memory.

use std::hash::BuildHasher;

use hashbrown::HashMap;

pub use super::spread::Bucket;
use super::spread::Spread;
use crate::table::{Batch, Clock, DataType, Field, JsonStyle, Value};
use serde::Serialize;
use serde_json::Value as Json;

/// Distinct values that are counted; beyond that the number is "at least".
const DISTINCT: usize = 100_000;
/// Distinct values of which each is counted by itself.
const COUNTED: usize = 1000;
/// The longest text that is shown as a least, greatest or frequent value.
const SHOWN: usize = 64;

/// One column's summary.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ColumnSummary {
    /// The column's name.
    pub name: String,
    /// Its type.
    #[serde(rename = "type")]
    pub dtype: String,
    /// Values that are there.
    pub count: u64,
    /// Values that are missing.
    pub nulls: u64,
    /// Floats that are NaN; they count, but not for what follows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nan: Option<u64>,
    /// The least value; of texts the first in byte order, cut after 64 characters.
    pub min: Option<Json>,
    /// The greatest value.
    pub max: Option<Json>,
    /// The mean of numbers.
    pub mean: Option<f64>,
    /// How many different values; `None` if there are more than are counted.
    pub distinct: Option<u64>,
    /// How many at least, if that is all that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distinct_at_least: Option<u64>,
    /// The most frequent values of columns with few, of texts, integers and truth values.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub top: Vec<(Json, u64)>,
    /// How the numbers are spread.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub histogram: Vec<Bucket>,
}

/// Gathers the summaries of a table.
#[derive(Debug, Default)]
pub struct Summary {
    columns: Vec<Gather>,
    rows: u64,
}

impl Summary {
    /// For a table of these columns.
    #[doc(hidden)]
    pub fn new(fields: &[Field]) -> Summary {
        Summary { columns: fields.iter().map(Gather::new).collect(), rows: 0 }
    }
    /// Takes rows.
    #[doc(hidden)]
    pub fn add(&mut self, batch: &Batch) {
        self.rows += batch.rows() as u64;
        for (gather, column) in self.columns.iter_mut().zip(batch.columns()) {
            (0..column.len()).for_each(|i| gather.add(column.value(i)));
        }
    }
    /// How many rows there were.
    #[doc(hidden)]
    pub fn rows(&self) -> u64 {
        self.rows
    }
    /// What was gathered.
    pub fn report(&self) -> Vec<ColumnSummary> {
        self.columns.iter().map(Gather::report).collect()
    }
}

/// Something to compare values by.
#[derive(Clone, Debug, PartialEq, PartialOrd)]
enum Rank {
    Int(i128),
    Float(f64),
    Text(String),
}

#[derive(Debug)]
struct Gather {
    name: String,
    dtype: DataType,
    count: u64,
    nulls: u64,
    nan: u64,
    min: Option<(Rank, Json)>,
    max: Option<(Rank, Json)>,
    mean: Mean,
    /// How often each value came, by 64 bits of its hash.
    seen: HashMap<u64, u64>,
    overflow: bool,
    /// The values themselves, while they are few.
    few: Vec<(u64, Json)>,
    spread: Spread,
}

impl Gather {
    fn new(field: &Field) -> Gather {
        Gather {
            name: field.name.clone(),
            dtype: field.dtype.clone(),
            count: 0,
            nulls: 0,
            nan: 0,
            min: None,
            max: None,
            mean: Mean::default(),
            seen: HashMap::new(),
            overflow: false,
            few: Vec::new(),
            spread: Spread::new(field.dtype.is_integer()),
        }
    }

    fn add(&mut self, value: Value<'_>) {
        if matches!(value, Value::Null | Value::Key(0)) {
            self.nulls += 1;
            return;
        }
        self.count += 1;
        if matches!(value, Value::F32(x) if x.is_nan()) || matches!(value, Value::F64(x) if x.is_nan()) {
            self.nan += 1;
            return;
        }
        self.differ(&value);
        let rank = match value {
            Value::Bool(b) => Rank::Int(b.into()),
            Value::Int(n) => Rank::Int(n.into()),
            Value::UInt(n) | Value::Key(n) => Rank::Int(n.into()),
            Value::F32(x) => Rank::Float(x.into()),
            Value::F64(x) => Rank::Float(x),
            Value::Time(time) => Rank::Int(ticks(time)),
            Value::Str(text) => {
                // Most texts are neither the least nor the greatest, and are not copied.
                let inside = |bound: &Option<(Rank, Json)>, less: bool| match bound {
                    Some((Rank::Text(b), _)) => {
                        if less {
                            b.as_str() <= text
                        } else {
                            b.as_str() >= text
                        }
                    }
                    _ => false,
                };
                if inside(&self.min, true) && inside(&self.max, false) {
                    return;
                }
                Rank::Text(text.to_owned())
            }
            _ => return,
        };
        self.bounds(rank, &value);
        let (number, whole) = match value {
            Value::Int(n) => (n as f64, Some(i128::from(n))),
            Value::UInt(n) => (n as f64, Some(i128::from(n))),
            Value::F32(x) => (x.into(), None),
            Value::F64(x) => (x, None),
            _ => return,
        };
        match whole {
            Some(whole) => self.mean.add_whole(whole, number),
            None => self.mean.add(number),
        }
        self.spread.add(number);
    }

    fn bounds(&mut self, rank: Rank, value: &Value<'_>) {
        let less = self.min.as_ref().is_none_or(|(min, _)| rank < *min);
        let more = self.max.as_ref().is_none_or(|(max, _)| rank > *max);
        if less {
            self.min = Some((rank.clone(), shown(value)));
        }
        if more {
            self.max = Some((rank, shown(value)));
        }
    }

    fn differ(&mut self, value: &Value<'_>) {
        if self.overflow {
            return;
        }
        let hash = self.seen.hasher();
        let key = match value {
            Value::Bool(b) => hash.hash_one(b),
            Value::Int(n) => hash.hash_one(n),
            Value::UInt(n) | Value::Key(n) => hash.hash_one(n),
            // The two zeros are equal.
            Value::F32(x) => hash.hash_one((x + 0.0).to_bits()),
            Value::F64(x) => hash.hash_one((x + 0.0).to_bits()),
            Value::Str(s) | Value::Json(s) => hash.hash_one(s),
            Value::Bytes(b) => hash.hash_one(b),
            Value::RowId(n) => hash.hash_one(n),
            other => hash.hash_one(other.to_json(JsonStyle::sparse())),
        };
        let times = self.seen.entry(key).or_default();
        *times += 1;
        if *times > 1 {
            return;
        }
        let listed = matches!(value, Value::Str(_) | Value::Bool(_) | Value::Key(_) | Value::Int(_) | Value::UInt(_));
        if listed && self.seen.len() <= COUNTED {
            self.few.push((key, shown(value)));
        } else if !self.few.is_empty() {
            self.few = Vec::new();
        }
        if self.seen.len() > DISTINCT {
            self.overflow = true;
            self.seen = HashMap::new();
        }
    }

    fn report(&self) -> ColumnSummary {
        let float = matches!(self.dtype, DataType::F32 | DataType::F64);
        let times = |key: &u64| self.seen.get(key).copied().unwrap_or_default();
        let mut top: Vec<(Json, u64)> = self.few.iter().map(|(key, value)| (value.clone(), times(key))).collect();
        top.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.to_string().cmp(&b.0.to_string())));
        top.truncate(10);
        ColumnSummary {
            name: self.name.clone(),
            dtype: self.dtype.to_string(),
            count: self.count,
            nulls: self.nulls,
            nan: float.then_some(self.nan),
            min: self.min.as_ref().map(|(_, json)| json.clone()),
            max: self.max.as_ref().map(|(_, json)| json.clone()),
            mean: self.mean.value(),
            distinct: (!self.overflow).then_some(self.seen.len() as u64),
            distinct_at_least: self.overflow.then_some(DISTINCT as u64),
            top,
            histogram: self.spread.report(),
        }
    }
}

/// The mean of numbers, in a sum that carries what each addition rounds away.
#[derive(Debug)]
struct Mean {
    numbers: u64,
    /// Of integers, which 128 bits hold exactly.
    whole: i128,
    sum: f64,
    rounded: f64,
    /// The sum of all, each divided by 2^64 first: where the other one overflows.
    small: f64,
    least: f64,
    most: f64,
}

impl Default for Mean {
    fn default() -> Mean {
        Mean { numbers: 0, whole: 0, sum: 0.0, rounded: 0.0, small: 0.0, least: f64::INFINITY, most: f64::NEG_INFINITY }
    }
}

impl Mean {
    const SMALL: f64 = 1.0 / 18_446_744_073_709_551_616.0;

    fn add(&mut self, number: f64) {
        self.numbers += 1;
        (self.least, self.most) = (self.least.min(number), self.most.max(number));
        self.small += number * Self::SMALL;
        let sum = self.sum + number;
        // What of the sum is not the other's part: exact, by Knuth.
        let part = sum - self.sum;
        self.rounded += (self.sum - (sum - part)) + (number - part);
        self.sum = sum;
    }

    fn add_whole(&mut self, whole: i128, number: f64) {
        self.numbers += 1;
        (self.least, self.most) = (self.least.min(number), self.most.max(number));
        self.whole = self.whole.saturating_add(whole);
    }

    fn value(&self) -> Option<f64> {
        let count = self.numbers as f64;
        let exact = (self.whole as f64 + self.sum + self.rounded) / count;
        let mean = if exact.is_finite() { exact } else { self.small / count / Self::SMALL };
        // A mean lies between the least and the most, whatever was rounded.
        (self.numbers > 0 && mean.is_finite()).then(|| mean.clamp(self.least, self.most))
    }
}

/// Ticks of 100 ns, or the type's own unit where all values share it.
fn ticks(time: Clock) -> i128 {
    match time {
        Clock::Date(n) => n.into(),
        Clock::TimeUs(n)
        | Clock::TimestampMs(n)
        | Clock::TimestampUs(n)
        | Clock::TimestampNs(n)
        | Clock::Ticks(n)
        | Clock::DateTime(n) => n.into(),
        // Moments are compared, not what the clock showed.
        Clock::DateTimeOffset { ticks, minutes } => i128::from(ticks) - i128::from(minutes) * 600_000_000,
    }
}

/// A value as JSON, long texts cut.
fn shown(value: &Value<'_>) -> Json {
    match value {
        Value::Str(text) if text.chars().nth(SHOWN).is_some() => {
            Json::from(format!("{}...", text.chars().take(SHOWN).collect::<String>()))
        }
        other => serde_json::from_str(&other.to_json(JsonStyle::default())).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::table::{Column, Schema};

    use super::*;

    fn summary(column: Column) -> ColumnSummary {
        let field = Field::new("x", column.dtype().clone()).nullable();
        let schema = Arc::new(Schema::new(vec![field]).unwrap());
        let mut summary = Summary::new(schema.fields());
        summary.add(&Batch::new(schema, vec![column]).unwrap());
        summary.report().remove(0)
    }

    #[test]
    fn every_number_is_in_the_histogram_wherever_the_range_grows() {
        let mut numbers: Vec<f64> = (0..5000).map(|i| f64::from(i % 100)).collect();
        numbers.extend([1e6, -1e9, f64::NAN, f64::INFINITY, f64::MAX, f64::MIN]);
        let s = summary(Column::from(numbers));
        assert_eq!((s.count, s.nan), (5006, Some(1)));
        assert_eq!(s.histogram.iter().map(|b| b.count).sum::<u64>(), 5004);
        let same = summary(Column::from(vec![7i64; 3000]));
        assert_eq!(same.histogram, [Bucket { from: 7.0, to: 8.0, count: 3000 }]);
        assert_eq!(same.top, [(7.into(), 3000)]);
        assert_eq!(
            (same.min, same.max, same.mean, same.distinct),
            (Some(7.into()), Some(7.into()), Some(7.0), Some(1))
        );
    }

    #[test]
    fn a_mean_lies_between_the_least_and_the_most() {
        let mean = |numbers: Vec<f64>| summary(Column::from(numbers)).mean;
        assert_eq!(mean(vec![0.1; 10]), Some(0.1));
        assert_eq!(mean(vec![1e308; 10]), Some(1e308));
        assert_eq!(mean(vec![1e308, -1e308, 3.0]), Some(1.0));
        assert_eq!(mean(vec![f64::INFINITY, 1.0]), None);
        assert_eq!(mean(vec![f64::NAN]), None);
        assert_eq!(summary(Column::from(vec![i64::MIN, 0, i64::MAX])).mean, Some(-1.0 / 3.0));
    }

    #[test]
    fn nan_is_no_value_among_the_different_ones_and_zero_is_one() {
        let s = summary(Column::from(vec![f64::NAN, -0.0, 0.0, 1.5, -f64::NAN]));
        assert_eq!((s.count, s.nan, s.distinct), (5, Some(2), Some(2)));
    }

    #[test]
    fn large_integers_are_exact_and_many_values_are_at_least() {
        let s = summary(Column::from((0..200_000u64).map(|i| u64::MAX - i).collect::<Vec<_>>()));
        assert_eq!(s.max, Some(u64::MAX.into()));
        assert_eq!((s.distinct, s.distinct_at_least), (None, Some(100_000)));
        let s = summary(Column::strings([Some("b"), None, Some("a"), Some("b")]));
        assert_eq!((s.nulls, s.min, s.max), (1, Some("a".into()), Some("b".into())));
        assert_eq!(s.top, [("b".into(), 2), ("a".into(), 1)]);
    }
}
