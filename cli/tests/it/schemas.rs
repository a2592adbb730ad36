//! Reports beside the JSON Schemas of `docs/schemas`: other tests hand over what the command printed.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
    sync::LazyLock,
};

use serde_json::Value;

static SCHEMAS: LazyLock<BTreeMap<String, Value>> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/schemas");
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let schemas = files.filter(|path| path.extension().is_some_and(|ending| ending == "json"));
    let named = |path: &Path| path.file_stem().unwrap().to_string_lossy().into_owned();
    schemas.map(|path| (named(&path), serde_json::from_slice(&fs::read(&path).unwrap()).unwrap())).collect()
});

/// Commands that also print reports of another one.
const ALSO: &[(&str, &str)] =
    &[("concat", "convert"), ("demo", "serve"), ("edits", "apply"), ("labels", "convert"), ("split", "convert")];

/// Panics if what the command printed for these arguments is not what a schema of the command says.
pub(crate) fn hold<'a>(args: &[impl AsRef<str>], reports: impl IntoIterator<Item = &'a Value>) {
    let Some(command) = args.iter().map(AsRef::as_ref).find(|word| !word.starts_with('-')) else { return };
    let also = ALSO.iter().find(|(one, _)| *one == command).map_or(command, |(_, other)| other);
    let is_of = |name: &str| name.split('-').next().is_some_and(|first| [command, also, "error"].contains(&first));
    for report in reports {
        // Any object may be a row of a table, but not one that is a sample's.
        let is_table = |name: &str| name == "head-table" && report["stored_bytes"].is_u64();
        let candidates = SCHEMAS.iter().filter(|(name, _)| is_of(name) && !is_table(name));
        let checked: Vec<_> = candidates.map(|(name, schema)| (name, whole(schema, schema, report))).collect();
        assert!(
            checked.iter().any(|(_, checked)| checked.is_ok()),
            "{command} printed {report}, which is not what a schema says: {checked:#?}"
        );
    }
}

/// The fields of an object that a schema says something of; nothing where it allows any.
type Fields = Option<BTreeSet<String>>;

/// Whether a value is as a schema says, and has no field that the schema does not know.
fn whole(root: &Value, schema: &Value, value: &Value) -> Result<(), String> {
    let known = check(root, schema, value)?;
    let fields = value.as_object().into_iter().flat_map(|object| object.keys());
    match known.and_then(|known| fields.into_iter().find(|name| !known.contains(*name)).cloned()) {
        Some(name) => Err(format!("{name} is in no schema")),
        None => Ok(()),
    }
}

fn check(root: &Value, schema: &Value, value: &Value) -> Result<Fields, String> {
    let Some(schema) = schema.as_object() else { return Ok(None) };
    let refuse = |what: &Value| Err(format!("{value} is not as {what} says"));
    let mut any = !["$ref", "allOf", "anyOf", "oneOf", "properties"].iter().any(|word| schema.contains_key(*word));
    let mut known = BTreeSet::new();
    let mut add = |more: Fields| more.is_none_or(|more| (known.extend(more), false).1);
    for (word, what) in schema {
        let list = what.as_array().map_or_else(|| std::slice::from_ref(what), Vec::as_slice);
        let items = || value.as_array().into_iter().flatten();
        let fine = match word.as_str() {
            "$schema" | "$defs" | "default" | "description" | "format" | "title" => true,
            "type" => list.iter().any(|kind| is(kind.as_str().unwrap(), value)),
            "const" => what == value,
            "enum" => list.contains(value),
            "minimum" => value.as_f64().is_none_or(|n| n >= what.as_f64().unwrap()),
            "maximum" => value.as_f64().is_none_or(|n| n <= what.as_f64().unwrap()),
            "minItems" => !value.is_array() || items().count() as u64 >= what.as_u64().unwrap(),
            "maxItems" => !value.is_array() || items().count() as u64 <= what.as_u64().unwrap(),
            "required" => match list.iter().find(|name| value.get(name.as_str().unwrap()).is_none()) {
                Some(name) => return Err(format!("{name} is missing")),
                None => true,
            },
            "properties" => {
                for (name, field) in what.as_object().unwrap() {
                    let found = value.get(name).map(|value| whole(root, field, value));
                    found.transpose().map_err(|why| format!("{name}: {why}"))?;
                }
                any |= add(Some(what.as_object().unwrap().keys().cloned().collect()));
                true
            }
            "additionalProperties" if what == false => true,
            "additionalProperties" => {
                let named = |name: &str| schema.get("properties").is_some_and(|named| named.get(name).is_some());
                let others = value.as_object().into_iter().flatten().filter(|(name, _)| !named(name));
                for (name, value) in others {
                    whole(root, what, value).map_err(|why| format!("{name}: {why}"))?;
                }
                any = true;
                true
            }
            "items" => items().try_for_each(|item| whole(root, what, item)).map(|()| true)?,
            "prefixItems" => items().zip(list).try_for_each(|(item, what)| whole(root, what, item)).map(|()| true)?,
            "$ref" => {
                any |= add(check(root, root.pointer(what.as_str().unwrap().trim_start_matches('#')).unwrap(), value)?);
                true
            }
            "anyOf" | "oneOf" => {
                let found: Vec<_> = list.iter().map(|one| check(root, one, value)).collect();
                if found.iter().all(Result::is_err) {
                    return Err(format!("{:?}", found.into_iter().filter_map(Result::err).collect::<BTreeSet<_>>()));
                }
                found.into_iter().flatten().for_each(|more| any |= add(more));
                true
            }
            other => return Err(format!("this test does not know what {other} means")),
        };
        if !fine {
            return refuse(&serde_json::json!({ word.as_str(): what }));
        }
    }
    Ok((!any).then_some(known))
}

fn is(kind: &str, value: &Value) -> bool {
    match kind {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => false,
    }
}

#[test]
fn a_report_that_is_not_what_its_schema_says_is_refused() {
    let fault = |more: &str| serde_json::from_str::<Value>(&format!(r#"{{"tar":"a.tar"{more}}}"#)).unwrap();
    hold(&["demo", "--no-open"], [&fault(r#","tbl":"a.tbl""#)]);
    for more in ["", r#","tbl":7"#, r#","tbl":"a.tbl","more":1"#] {
        let report = fault(more);
        assert!(std::panic::catch_unwind(|| hold(&["demo"], [&report])).is_err(), "{report}");
    }
}
