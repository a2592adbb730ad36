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

/// What the footer declares of a column, if it describes the column.
#[cfg(feature = "samples")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Said {
    /// It holds pictures, or lists of them.
    Pictures,
    /// It holds something else.
    Other,
    /// The footer does not describe the column.
    Nothing,
}

/// Whether the footer declares a column to hold images.
#[cfg(feature = "samples")]
pub(crate) fn said_of(column: &str, said: Option<&str>) -> Said {
    let features = features(said);
    let Some(feature) = features.as_ref().and_then(|all| all.get(column)) else { return Said::Nothing };
    // `List(Image())`, as older versions say it `Sequence(Image())`, and as still older ones an array of one feature.
    let item = if feature.is_array() { feature.get(0) } else { feature.get("feature") };
    let of = |feature: &Value| feature.get("_type").and_then(Value::as_str).map(str::to_owned);
    let kind = item.and_then(of).or_else(|| of(feature));
    match kind.as_deref() {
        Some("Image") => Said::Pictures,
        // Plain bytes, which the footer does not describe.
        None | Some("Value" | "List" | "LargeList" | "Sequence") => Said::Nothing,
        Some(_) => Said::Other,
    }
}

/// The names of the classes that the objects of a column have, whose numbers stand in this field of each.
#[cfg(feature = "samples")]
pub(crate) fn classes_of_objects(column: &str, field: &str, said: Option<&str>) -> Option<Vec<String>> {
    let features = features(said)?;
    let mut at = features.get(column)?;
    // A list of structs, or a struct of lists: the footer writes either in several ways.
    for _ in 0..4 {
        if is(Some(at), "ClassLabel") {
            let names = at.get("names")?.as_array()?;
            return names.iter().map(|name| name.as_str().map(str::to_owned)).collect();
        }
        at = at.get(field).or_else(|| at.get("feature")).or_else(|| at.get(0))?;
    }
    None
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

    #[cfg(feature = "samples")]
    #[test]
    fn what_is_said_tells_pictures_from_sounds_and_bytes() {
        let said = r#"{"info":{"features":{"image":{"_type":"Image"},"voice":{"_type":"Audio"},
            "blob":{"dtype":"binary","_type":"Value"}}}}"#;
        let of = |column| said_of(column, Some(said));
        let found = ["image", "blob", "thumb", "voice"].map(of);
        assert_eq!(found, [Said::Pictures, Said::Nothing, Said::Nothing, Said::Other]);
    }

    #[cfg(feature = "samples")]
    #[test]
    fn lists_of_pictures_and_classes_of_objects_are_found_as_each_version_says_them() {
        for list in [
            r#"{"feature":{"_type":"Image"},"_type":"List"}"#,
            r#"{"feature":{"_type":"Image"},"_type":"Sequence"}"#,
            r#"[{"_type":"Image"}]"#,
        ] {
            let said = format!(r#"{{"info":{{"features":{{"images":{list}}}}}}}"#);
            assert_eq!(said_of("images", Some(&said)), Said::Pictures, "{list}");
        }
        let names = r#"{"names":["car","person"],"_type":"ClassLabel"}"#;
        for objects in [
            format!(r#"{{"bbox":{{"feature":{{}}}},"category":{{"feature":{names},"_type":"List"}}}}"#),
            format!(r#"{{"feature":{{"category":{names}}},"_type":"List"}}"#),
            format!(r#"[{{"category":{names}}}]"#),
        ] {
            let said = format!(r#"{{"info":{{"features":{{"objects":{objects}}}}}}}"#);
            let found = classes_of_objects("objects", "category", Some(&said));
            assert_eq!(found, Some(vec!["car".to_owned(), "person".to_owned()]), "{objects}");
            assert_eq!(classes_of_objects("objects", "color", Some(&said)), None);
        }
    }
}
