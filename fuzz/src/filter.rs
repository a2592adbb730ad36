//! Any text parses or is refused at a character inside it; the canonical text means the same. Behind the first line is a
//! record: what matches it is never ruled out by bounds that its values lie in.

use forebay::filter::{Bounds, Filter, Path, Record, Value};
use serde_json::Value as Json;

/// A record of nothing but metadata.
struct Document(Json);

impl Document {
    fn at(&self, path: &Path) -> Option<&Json> {
        Path::lookup(path.segments(), &self.0)
    }

    /// Bounds of a group of which this is the only record.
    fn bounds(&self, path: &Path) -> Option<Bounds> {
        let value = match Value::from(self.at(path)) {
            Value::Int(n) => Value::Int(n),
            Value::Float(x) => Value::Float(x),
            Value::Str(text) => text.into_owned().into(),
            Value::Null => {
                return Some(Bounds { min: Value::Null, max: Value::Null, some_missing: true, all_missing: true });
            }
            _ => return None,
        };
        Some(Bounds { min: value.clone(), max: value, some_missing: false, all_missing: false })
    }
}

impl Record for Document {
    fn field(&self, path: &Path) -> Value<'_> {
        self.at(path).into()
    }
}

pub(crate) fn body(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let (text, record) = text.split_once('\n').unwrap_or((text, ""));
    match Filter::parse(text) {
        Ok(filter) => {
            let again = Filter::parse(&filter.to_string()).expect("canonical text parses");
            assert_eq!(again, filter);
            let record = Document(serde_json::from_str(record).unwrap_or_default());
            let wanted = filter.matches(&record);
            assert_eq!(again.matches(&record), wanted);
            assert!(!wanted || filter.may_match(&|path| record.bounds(path)), "{filter} was ruled out");
        }
        Err(e) => assert!(e.place().offset.expect("a place") <= text.chars().count() as u64),
    }
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    [
        r#"width >= 224 && height >= 224 and not (format == "jpeg")"#,
        r#"name ~ "cats/*.jpg" || name !~ 'x?[0-9]' or cls in [1, 2.5, "x", null, true]"#,
        r"json.boxes[0].label == 'a\n\'' && `my column`.x < -1.5e3",
        "!((((a))))",
        "a >= 2 && b != null || 3 < a\n{\"a\":2.5,\"b\":\"x\"}",
        "b in tags || tags[1] == 'x' or c == null\n{\"tags\":[\"x\",18446744073709551615],\"b\":\"x\",\"c\":null}",
        "a.b.c <= 'é' && !(a.b.d in [1,2])\n{\"a\":{\"b\":{\"c\":\"e\",\"d\":-0.0}}}",
    ]
    .map(|text| text.as_bytes().to_vec())
    .to_vec()
}
