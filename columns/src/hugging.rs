//! What Hugging Face's `datasets` says of the columns that it writes, and which columns may hold pictures.

use arrow_schema::{DataType, Schema};
use serde_json::Value;

/// The key of its words among a file's own.
pub(crate) const KEY: &str = "huggingface";

/// What it says of each column.
fn features(said: Option<&str>) -> Option<Value> {
    let mut said: Value = serde_json::from_str(said?).ok()?;
    Some(said.get_mut("info")?.get_mut("features")?.take())
}

fn is(feature: Option<&Value>, kind: &str) -> bool {
    feature.and_then(|feature| feature.get("_type")).and_then(Value::as_str) == Some(kind)
}

/// The columns that hold pictures by what is said of them or by their type, the likeliest first: a struct of `bytes` and `path`
/// is how pictures are written. Bytes alone may be anything.
pub(crate) fn pictures(schema: &Schema, said: Option<&str>) -> Vec<usize> {
    let features = features(said);
    let rank = |(i, field): (usize, &std::sync::Arc<arrow_schema::Field>)| {
        let told = is(features.as_ref().and_then(|all| all.get(field.name())), "Image");
        let bytes = |dtype: &DataType| matches!(dtype, DataType::Binary | DataType::LargeBinary | DataType::BinaryView);
        match field.data_type() {
            DataType::Struct(parts) => {
                let has = parts.iter().any(|part| part.name() == "bytes" && bytes(part.data_type()));
                has.then_some((if told { 0 } else { 1 }, i))
            }
            dtype if bytes(dtype) => Some((if told { 0 } else { 2 }, i)),
            _ => None,
        }
    };
    let mut found: Vec<(u8, usize)> = schema.fields().iter().enumerate().filter_map(rank).collect();
    found.sort_unstable();
    found.into_iter().map(|(_, i)| i).collect()
}

/// The names of the classes that a column's numbers stand for.
pub(crate) fn classes(column: &str, said: Option<&str>) -> Option<Vec<String>> {
    let features = features(said)?;
    let feature = features.get(column).filter(|feature| is(Some(feature), "ClassLabel"))?;
    let names = feature.get("names")?.as_array()?;
    names.iter().map(|name| name.as_str().map(str::to_owned)).collect()
}

/// The first column of one file whose numbers stand for other classes in another.
pub fn renamed<'a>(a: &'a Schema, b: &Schema) -> Option<&'a str> {
    let said = |schema: &Schema| schema.metadata().get(KEY).cloned();
    let (a_said, b_said) = (said(a)?, said(b)?);
    let differs =
        |name: &str| classes(name, Some(&a_said)).zip(classes(name, Some(&b_said))).is_some_and(|(a, b)| a != b);
    if a_said == b_said {
        None
    } else {
        a.fields().iter().map(|field| field.name().as_str()).find(|name| differs(name))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_schema::Field;

    use super::*;

    #[test]
    fn what_is_said_and_how_it_is_stored_tell_pictures_and_classes() {
        let struct_of = |name: &str| {
            let parts = vec![Field::new("bytes", DataType::Binary, true), Field::new("path", DataType::Utf8, true)];
            Field::new(name, DataType::Struct(parts.into()), true)
        };
        let fields = vec![
            Field::new("blob", DataType::Binary, true),
            struct_of("thumb"),
            struct_of("image"),
            Field::new("label", DataType::Int64, true),
        ];
        let schema = Schema::new(fields.into_iter().map(Arc::new).collect::<Vec<_>>());
        let said = r#"{"info":{"features":{"image":{"_type":"Image"},
            "label":{"names":["cat","dog"],"_type":"ClassLabel"},"blob":{"dtype":"binary","_type":"Value"}}}}"#;
        assert_eq!(pictures(&schema, Some(said)), [2, 1, 0]);
        assert_eq!(pictures(&schema, Some("no JSON")), [1, 2, 0]);
        assert_eq!(classes("label", Some(said)), Some(vec!["cat".to_owned(), "dog".to_owned()]));
        assert_eq!((classes("blob", Some(said)), classes("label", None)), (None, None));
    }
}
