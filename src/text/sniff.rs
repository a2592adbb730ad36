//! Which type a column of text has, from a sample of its values.

use crate::table::{DataType, parse_timestamp_ns, parse_timestamp_us};
use serde_json::Value as Json;

use super::cell::is_sparse;

/// What the values of one column have in common so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TextGuess {
    seen: Option<Kind>,
    /// An integer below 0 was among them.
    negative: bool,
    /// An integer that a float cannot hold exactly was among them.
    wide: bool,
    /// A moment outside of the years that nanoseconds reach was among them.
    beyond_ns: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Bool,
    Int,
    /// Beyond the signed range.
    UInt,
    Float,
    Date,
    Timestamp,
    /// Finer than microseconds, and in the years that 64 bits of nanoseconds reach.
    Nanoseconds,
    Text,
}

impl TextGuess {
    /// Hears one value that is not missing.
    pub fn add(&mut self, text: &str) {
        let kind = kind_of(text);
        if let (Kind::Int, Ok(n)) = (kind, text.parse::<i64>()) {
            self.negative |= n < 0;
            self.wide |= n.unsigned_abs() > 1 << 53;
        }
        if kind == Kind::Timestamp {
            let local = text.strip_suffix('Z').unwrap_or(text);
            self.beyond_ns |= parse_timestamp_ns(local).is_none();
        }
        self.seen = Some(match (self.seen, kind) {
            (None, kind) => kind,
            (Some(a), b) if a == b => a,
            (Some(Kind::Int | Kind::Float), Kind::Int | Kind::Float) => Kind::Float,
            (Some(Kind::Int | Kind::UInt), Kind::Int | Kind::UInt) => Kind::UInt,
            (Some(Kind::Timestamp | Kind::Nanoseconds), Kind::Timestamp | Kind::Nanoseconds) => Kind::Nanoseconds,
            _ => Kind::Text,
        });
    }

    /// Hears a text that is a date, a moment or nothing else: in JSON numbers are not texts.
    fn add_time(&mut self, text: &str) {
        match time_kind(text) {
            Some(_) => self.add(text),
            None => self.seen = Some(Kind::Text),
        }
    }

    /// The type; text if nothing was seen, or if no number type holds all of them exactly.
    pub fn dtype(self) -> DataType {
        match self.seen {
            Some(Kind::Bool) => DataType::Bool,
            Some(Kind::Int) => DataType::I64,
            Some(Kind::UInt) if !self.negative => DataType::U64,
            Some(Kind::Float) if !self.wide => DataType::F64,
            Some(Kind::Date) => DataType::Date,
            Some(Kind::Timestamp) => DataType::TimestampUs,
            Some(Kind::Nanoseconds) if !self.beyond_ns => DataType::TimestampNs,
            _ => DataType::String,
        }
    }
}

fn kind_of(text: &str) -> Kind {
    if let Some(kind) = time_kind(text) {
        return kind;
    }
    let trimmed = text.trim();
    let digits = trimmed.strip_prefix('-').unwrap_or(trimmed);
    // Zeros in front mean that this is a name, such as a postal code, and no number.
    let named = digits.len() > 1 && digits.starts_with('0') && digits.as_bytes()[1].is_ascii_digit();
    if named || trimmed != text {
        return Kind::Text;
    }
    if digits.bytes().all(|b| b.is_ascii_digit()) && !digits.is_empty() {
        return match (text.parse::<i64>(), text.parse::<u64>()) {
            _ if text == "-0" => Kind::Float,
            (Ok(_), _) => Kind::Int,
            (_, Ok(_)) => Kind::UInt,
            _ => Kind::Text,
        };
    }
    let word = digits.eq_ignore_ascii_case("nan")
        || digits.eq_ignore_ascii_case("inf")
        || digits.eq_ignore_ascii_case("infinity");
    let numeric =
        digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') && text.parse::<f64>().is_ok_and(f64::is_finite);
    if word || numeric {
        return Kind::Float;
    }
    if text.eq_ignore_ascii_case("true") || text.eq_ignore_ascii_case("false") {
        return Kind::Bool;
    }
    Kind::Text
}

/// Whether a text is a date or a moment: the same in CSV and in JSON, and in all years.
fn time_kind(text: &str) -> Option<Kind> {
    // Hardly a text gets further than this.
    let day = text.as_bytes().iter().skip(3).take(6).position(|b| *b == b'-');
    day.filter(|_| text.as_bytes().last().is_some_and(|b| b.is_ascii_digit() || *b == b'Z'))?;
    if crate::table::parse_date(text).is_some() {
        return Some(Kind::Date);
    }
    // A zone other than UTC would be lost, so such a column stays text unless the user says otherwise.
    let local = text.strip_suffix('Z').unwrap_or(text);
    let zoned = local.split_once(['T', ' ']).is_some_and(|(_, time)| time.contains(['+', '-']));
    if zoned {
        return None;
    }
    match (parse_timestamp_us(local), parse_timestamp_ns(local)) {
        (Some(_), _) => Some(Kind::Timestamp),
        (None, Some(_)) => Some(Kind::Nanoseconds),
        _ => None,
    }
}

/// Whether a text that comes behind the first rows would have kept its column from being of the type that they have: a
/// number would lose zeros in front or a plus, as of postal codes and telephone numbers, and a moment its zone.
pub(super) fn is_of_text(dtype: &DataType, text: &str) -> bool {
    match dtype {
        // Nearly all are told by their first byte.
        DataType::I64 | DataType::U64 | DataType::F64 if matches!(text.as_bytes(), [b'1'..=b'9', ..]) => false,
        DataType::I64 | DataType::U64 | DataType::F64 => {
            let text = text.trim_start();
            match text.strip_prefix('-').unwrap_or(text).as_bytes() {
                [b'+', ..] => true,
                [b'0', next, ..] => next.is_ascii_digit(),
                _ => false,
            }
        }
        // The hours and minutes of a zone stand at the end, where else only digits, colons and dots do.
        DataType::TimestampUs | DataType::TimestampNs => {
            let text = text.trim_end().as_bytes();
            matches!(text.len().checked_sub(6).and_then(|at| text.get(at)), Some(b'+' | b'-'))
        }
        _ => false,
    }
}

/// What the values of one JSON field have in common so far.
#[derive(Clone, Debug, Default)]
pub(super) struct JsonGuess {
    seen: Option<DataType>,
    /// Words for NaN and infinities were among texts or numbers.
    words: bool,
    /// Other texts were, and what they have in common.
    texts: bool,
    times: TextGuess,
    /// An integer below 0 was, also inside of lists.
    negative: bool,
    /// An integer that a float cannot hold exactly was, also inside of lists.
    wide: bool,
    /// A list was of which nothing says what its items are: it is empty, or all are null.
    blank: bool,
}

impl JsonGuess {
    /// Hears one value.
    pub fn add(&mut self, json: &Json) {
        let dtype = match json {
            Json::Null => return,
            Json::Bool(_) => DataType::Bool,
            Json::Number(n) if n.is_i64() => {
                self.negative |= n.as_i64() < Some(0);
                self.wide |= n.as_i64().is_some_and(|n| n.unsigned_abs() > 1 << 53);
                DataType::I64
            }
            Json::Number(n) if n.as_u64().is_some() => DataType::U64,
            Json::Number(_) => DataType::F64,
            Json::String(text) => {
                if matches!(text.as_str(), "NaN" | "Infinity" | "-Infinity") {
                    self.words = true;
                } else {
                    self.texts = true;
                    self.times.add_time(text);
                }
                return;
            }
            Json::Array(list) => {
                let mut items = JsonGuess::default();
                list.iter().for_each(|item| items.add(item));
                self.take_signs(&items);
                let nested = list.iter().any(|item| item.is_array() || item.is_object());
                match items.dtype() {
                    _ if nested => DataType::Json,
                    // Vectors of times have no place in most formats; those of texts do.
                    Some(DataType::Date | DataType::TimestampUs | DataType::TimestampNs) => {
                        DataType::vector(DataType::String, None)
                    }
                    Some(item) if item != DataType::Json => DataType::vector(item, None),
                    None => {
                        self.blank = true;
                        return;
                    }
                    _ => DataType::Json,
                }
            }
            Json::Object(object) if is_sparse(object) => {
                let mut items = JsonGuess::default();
                object.get("values").and_then(Json::as_array).into_iter().flatten().for_each(|item| items.add(item));
                self.take_signs(&items);
                match items.dtype() {
                    Some(item) if item != DataType::Json => DataType::vector(item, None),
                    None => {
                        self.blank = true;
                        return;
                    }
                    _ => DataType::Json,
                }
            }
            Json::Object(_) => DataType::Json,
        };
        self.seen = Some(match self.seen.take() {
            None => dtype,
            Some(before) => join(before, dtype),
        });
    }

    /// Hears which integers were in a list.
    fn take_signs(&mut self, items: &JsonGuess) {
        self.negative |= items.negative;
        self.wide |= items.wide;
    }

    /// The type; `None` if nothing but null was seen.
    pub fn dtype(&self) -> Option<DataType> {
        let of_floats = |dtype: &DataType| match dtype {
            DataType::F64 => true,
            DataType::I64 => self.words,
            DataType::Vector { item, .. } => **item == DataType::F64,
            _ => false,
        };
        let of_unsigned = |dtype: &DataType| match dtype {
            DataType::Vector { item, .. } => **item == DataType::U64,
            dtype => *dtype == DataType::U64,
        };
        let is_vector = |dtype: &DataType| matches!(dtype, DataType::Vector { .. });
        match (&self.seen, self.texts, self.words) {
            // A list of nothing is one of whatever the others are. Alone it has to be of something.
            (None, false, false) if self.blank => Some(DataType::vector(DataType::Bool, None)),
            (seen, ..) if self.blank && !seen.as_ref().is_some_and(is_vector) => Some(DataType::Json),
            // No type holds all of them, and none is rounded.
            (Some(dtype), ..) if self.wide && of_floats(dtype) => Some(DataType::Json),
            (None, false, false) => None,
            (None, true, false) => Some(self.times.dtype()),
            (None, true, true) => Some(DataType::String),
            (None | Some(DataType::F64), false, true) => Some(DataType::F64),
            (Some(DataType::I64), false, true) => Some(DataType::F64),
            (Some(dtype), ..) if self.negative && of_unsigned(dtype) => Some(DataType::Json),
            (Some(dtype), false, false) => Some(dtype.clone()),
            _ => Some(DataType::Json),
        }
    }
}

/// The type that holds what both hold.
fn join(a: DataType, b: DataType) -> DataType {
    use DataType::{F64, I64, U64, Vector};
    match (a, b) {
        (a, b) if a == b => a,
        (I64 | F64, I64 | F64) => F64,
        (I64 | U64, I64 | U64) => U64,
        (Vector { item: a, .. }, Vector { item: b, .. }) => match join(*a, *b) {
            DataType::Json => DataType::Json,
            item => DataType::vector(item, None),
        },
        _ => DataType::Json,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn text(values: &[&str]) -> DataType {
        let mut guess = TextGuess::default();
        values.iter().for_each(|v| guess.add(v));
        guess.dtype()
    }

    fn json(values: &[Json]) -> Option<DataType> {
        let mut guess = JsonGuess::default();
        values.iter().for_each(|v| guess.add(v));
        guess.dtype()
    }

    #[test]
    fn text_is_only_taken_for_what_it_surely_is() {
        assert_eq!(text(&["1", "-2"]), DataType::I64);
        assert_eq!(text(&["1", "18446744073709551615"]), DataType::U64);
        assert_eq!(text(&["1", "2.5", "NaN", "-inf", "1e3"]), DataType::F64);
        assert_eq!(text(&["1", "99999999999999999999"]), DataType::String);
        assert_eq!(text(&["007"]), DataType::String);
        assert_eq!(text(&["true", "FALSE"]), DataType::Bool);
        assert_eq!(text(&["2024-02-29"]), DataType::Date);
        assert_eq!(text(&["2024-02-29", "2023-02-29"]), DataType::String);
        assert_eq!(text(&["2024-02-29T01:02:03.5Z", "2024-02-29 01:02:03"]), DataType::TimestampUs);
        assert_eq!(text(&["2024-02-29T01:02:03+02:00"]), DataType::String);
        assert_eq!(text(&["0044-03-15", "0999-12-31", "12024-01-01", "-0044-03-15"]), DataType::Date);
        assert_eq!(text(&["0999-12-31T00:00:00", "0001-01-01 00:00:00"]), DataType::TimestampUs);
        assert_eq!(text(&["2024-02-29T01:02:03.123456789", "2024-02-29 01:02:03"]), DataType::TimestampNs);
        // No type holds both, and neither is rounded.
        assert_eq!(text(&["2024-02-29T01:02:03.123456789", "0999-12-31T00:00:00"]), DataType::String);
        assert_eq!(text(&["2024-02-29", "2024-02-29T00:00:00"]), DataType::String);
        assert_eq!(text(&["1", "x"]), DataType::String);
        assert_eq!(text(&["-1", "18446744073709551615"]), DataType::String);
        assert_eq!(text(&["0.5", "9007199254740993"]), DataType::String);
        assert_eq!(text(&[]), DataType::String);
    }

    #[test]
    fn json_is_widened_or_kept_as_it_is() {
        assert_eq!(json(&[json!(1), json!(2.5), Json::Null]), Some(DataType::F64));
        assert_eq!(json(&[json!(1), json!(u64::MAX)]), Some(DataType::U64));
        assert_eq!(json(&[json!(1.5), json!("NaN")]), Some(DataType::F64));
        assert_eq!(json(&[json!("NaN"), json!("Anna")]), Some(DataType::String));
        assert_eq!(json(&[json!("2024-02-29"), Json::Null, json!("0999-12-31")]), Some(DataType::Date));
        assert_eq!(json(&[json!("2024-02-29T01:02:03Z")]), Some(DataType::TimestampUs));
        assert_eq!(json(&[json!("2024-02-29T01:02:03.000000001")]), Some(DataType::TimestampNs));
        assert_eq!(json(&[json!("2024-02-29"), json!("soon")]), Some(DataType::String));
        assert_eq!(json(&[json!("soon"), json!("2024-02-29")]), Some(DataType::String));
        assert_eq!(json(&[json!("2024-02-29"), json!("NaN")]), Some(DataType::String));
        assert_eq!(json(&[json!("2024-02-29"), json!(1)]), Some(DataType::Json));
        assert_eq!(json(&[json!("7"), json!("true")]), Some(DataType::String));
        assert_eq!(json(&[json!(["2024-02-29"])]), Some(DataType::vector(DataType::String, None)));
        assert_eq!(json(&[json!(1), json!("a")]), Some(DataType::Json));
        assert_eq!(json(&[json!([]), json!([1]), json!([2.5])]), Some(DataType::vector(DataType::F64, None)));
        assert_eq!(json(&[json!([[1]])]), Some(DataType::Json));
        assert_eq!(json(&[json!({"a": 1})]), Some(DataType::Json));
        // As in text, what no number type holds exactly is not rounded.
        let wide = 9_007_199_254_740_993_i64;
        for values in [&[json!(wide), json!(0.5)][..], &[json!("NaN"), json!(wide)], &[json!([wide]), json!([0.5])]] {
            assert_eq!(json(values), Some(DataType::Json), "{values:?}");
        }
        assert_eq!(json(&[json!(wide), json!(1)]), Some(DataType::I64));
        assert_eq!(json(&[Json::Null]), None);
    }

    #[test]
    fn lists_of_different_items_are_json_and_empty_ones_say_nothing() {
        let vector = |item| Some(DataType::vector(item, None));
        for values in [
            [json!([1]), json!([true]), json!([])],
            [json!(["x"]), json!([true]), json!([])],
            [json!([]), json!([true]), json!([2.5])],
            [json!([true]), json!([]), json!(["x"])],
            [json!([u64::MAX]), json!([-1]), json!([])],
            [json!({"length": 2, "indices": [0], "values": [-1]}), json!([u64::MAX]), json!([])],
            [json!([]), json!("x"), json!("y")],
            [json!(1), json!([]), Json::Null],
        ] {
            assert_eq!(json(&values), Some(DataType::Json), "{values:?}");
            let turned: Vec<Json> = values.iter().rev().cloned().collect();
            assert_eq!(json(&turned), Some(DataType::Json), "{turned:?}");
        }
        assert_eq!(json(&[json!([]), json!([true])]), vector(DataType::Bool));
        assert_eq!(json(&[json!(["x"]), json!([])]), vector(DataType::String));
        assert_eq!(json(&[json!([u64::MAX]), json!([1])]), vector(DataType::U64));
        assert_eq!(json(&[json!([])]), vector(DataType::Bool));
    }
}
