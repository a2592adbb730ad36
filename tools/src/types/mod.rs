//! Types of other languages, made from the Rust types of reports and options. `npm run types` writes the files; a test compares them.
//!
//! | file | what it makes |
//! |---|---|
//! | `schemas.rs` | `docs/schemas`: a JSON Schema for each report of `--json`, and their list |
//! | `typescript.rs` | interfaces in camelCase, and the names of options |
//! | `python.rs` | dataclasses |

mod python;
mod schemas;
mod typescript;

use serde_json::{Map, Value};

/// The repository.
pub const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// A file that is made.
#[derive(Debug)]
pub struct File {
    /// Where it lies in the repository.
    pub path: String,
    /// All of it.
    pub text: String,
}

/// Every file.
pub fn made() -> Vec<File> {
    let mut files = schemas::files();
    files.extend(typescript::files());
    files.extend(python::files());
    files
}

/// Definitions of types by their names.
type Types = Map<String, Value>;

/// The documentation of a type or field, without what links mean to Rust.
fn doc(schema: &Value) -> String {
    let text = schema["description"].as_str().unwrap_or_default();
    let text = text.split("\n\n```").next().unwrap_or_default();
    text.replace("[`", "`").replace("`]", "`").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Lines of at most `width` letters.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// The fields of an object with their schemas, and whether each is always there.
fn fields(schema: &Value) -> impl Iterator<Item = (&String, &Value, bool)> {
    let required = schema["required"].as_array();
    let always = move |name: &str| required.is_some_and(|all| all.iter().any(|one| one == name));
    schema["properties"].as_object().into_iter().flatten().map(move |(name, field)| (name, field, always(name)))
}

/// Whether a schema allows null.
fn is_nullable(schema: &Value) -> bool {
    let null = |one: &Value| one["type"] == "null";
    schema["type"].as_array().is_some_and(|all| all.iter().any(|one| one == "null"))
        || schema["anyOf"].as_array().is_some_and(|all| all.iter().any(null))
}

/// The name of the type that a schema refers to.
fn referred(schema: &Value) -> Option<&str> {
    schema["$ref"].as_str()?.rsplit('/').next()
}

/// How many items a list always has.
fn fixed(schema: &Value) -> Option<u64> {
    schema["minItems"].as_u64().filter(|least| schema["maxItems"].as_u64() == Some(*least))
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use super::{ROOT, made};

    #[test]
    fn what_is_made_from_rust_types_is_what_is_checked_in() {
        let root = Path::new(ROOT);
        let files = made();
        let other: Vec<_> = files
            .iter()
            .filter(|file| fs::read_to_string(root.join(&file.path)).unwrap_or_default() != file.text)
            .map(|file| file.path.as_str())
            .collect();
        assert!(other.is_empty(), "not what the Rust types say: {other:?}; type: npm run types");
        for entry in fs::read_dir(root.join("docs/schemas")).unwrap() {
            let name = format!("docs/schemas/{}", entry.unwrap().file_name().to_string_lossy());
            assert!(files.iter().any(|file| file.path == name), "nothing makes {name}: remove it");
        }
    }
}
