//! Records with the digits that are in the file: a value holds no integer beyond 64 bits.

use forebay::sample::{holds::too_wide, record::as_spelled};
use forebay_native::dataset::Dataset;
use serde_json::Value;

/// The first number that no integer holds any more.
const WIDE: f64 = 9_223_372_036_854_775_808.0;

/// The row of sample `i` as a line of JSON.
pub(super) fn line(row: &Value, dataset: &Dataset, i: u64) -> String {
    // What a MessagePack rounds, it has as text.
    let text = || Some(as_spelled(&dataset.record(i).ok()??).into_owned()).filter(|t| too_wide(t.as_bytes()).is_some());
    let exact = Some(&row["metadata"]).filter(|value| may_be_rounded(value)).and_then(|_| text());
    let (Some(exact), Some(fields)) = (exact, row.as_object()) else { return row.to_string() };
    let field = |(key, value): (&String, &Value)| match key.as_str() {
        "metadata" => format!("\"metadata\":{}", on_one_line(&exact)),
        key => format!("{}:{value}", Value::from(key)),
    };
    format!("{{{}}}", fields.iter().map(field).collect::<Vec<_>>().join(","))
}

/// True if a float in there may have been an integer.
fn may_be_rounded(value: &Value) -> bool {
    match value {
        Value::Number(number) => number.is_f64() && number.as_f64().is_some_and(|float| float.abs() >= WIDE),
        Value::Array(items) => items.iter().any(may_be_rounded),
        Value::Object(fields) => fields.values().any(may_be_rounded),
        _ => false,
    }
}

/// JSON without what stands between its values.
fn on_one_line(json: &str) -> String {
    let (mut quoted, mut escaped) = (false, false);
    let keep = |c: &char| {
        let inside = quoted;
        quoted ^= *c == '"' && !escaped;
        escaped = inside && *c == '\\' && !escaped;
        inside || !matches!(c, ' ' | '\n' | '\r' | '\t')
    };
    json.chars().filter(keep).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_keep_their_blanks() {
        assert_eq!(on_one_line("{ \"a b\" :\n[1, \"\\\" \\\\\" , 2] }"), r#"{"a b":[1,"\" \\",2]}"#);
    }
}
