//! The table of formats, and that the npm package has the same.
#![allow(clippy::disallowed_methods, missing_docs)]

use std::path::Path;

use forebay::{
    detect::detect,
    formats::{Format, Holds, Host},
    tables::TableKind,
    text::TextFormat,
};

/// The text of the package's one source file that has these words, in whichever room it lies.
fn source(words: &str) -> String {
    fn gather(folder: &Path, texts: &mut Vec<String>) {
        for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            match path.is_dir() {
                true => gather(&path, texts),
                false => texts.push(std::fs::read_to_string(&path).unwrap()),
            }
        }
    }
    let mut texts = Vec::new();
    gather(&Path::new(env!("CARGO_MANIFEST_DIR")).join("www/lib/src"), &mut texts);
    texts.retain(|text| text.contains(words));
    assert_eq!(texts.len(), 1, "files of www/lib/src with {words:?}");
    texts.remove(0)
}

/// What stands between `before` and the next `after`, as its quoted words.
fn words(before: &str, after: char) -> Vec<String> {
    let text = source(before);
    let (_, rest) = text.split_once(before).unwrap();
    let (list, _) = rest.split_once(after).unwrap();
    list.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

fn names(wanted: impl Fn(Format) -> bool) -> Vec<&'static str> {
    let mut names: Vec<_> = Format::ALL.iter().copied().filter(|format| wanted(*format)).map(Format::name).collect();
    names.sort_unstable();
    names
}

fn is_text(format: Format) -> bool {
    TextFormat::ALL.iter().any(|text| text.format() == format)
}

#[test]
fn the_package_lists_the_formats_of_the_table() {
    let sorted = |mut words: Vec<String>| {
        words.sort();
        words
    };
    let by_content = |format| !is_text(format);
    assert_eq!(sorted(words("export type Format =", ';')), names(by_content));
    assert_eq!(sorted(words("export type TextFormat =", ';')), names(is_text));
    // The package finds all but texts by their content, and writes each of these but ZIP.
    let of_everyone = |holds, by: fn(Format) -> Host| {
        move |format: Format| format.holds() == holds && !is_text(format) && by(format) == Host::Everyone
    };
    let (samples, tables) = (Holds::Samples, Holds::Table);
    assert_eq!(sorted(words("export const sampleFormats = [", ']')), names(of_everyone(samples, Format::read_by)));
    assert_eq!(sorted(words("export const writtenSamples = [", ']')), names(of_everyone(samples, Format::written_by)));
    assert_eq!(sorted(words("export const tableFormats = [", ']')), names(of_everyone(tables, Format::read_by)));
    assert_eq!(names(of_everyone(tables, Format::read_by)), names(of_everyone(tables, Format::written_by)));
}

#[test]
fn the_package_takes_the_same_extensions_for_text() {
    let declared = "const TEXTS: Readonly<Record<TextFormat, readonly string[]>> = {";
    let text = source(declared);
    let (_, rest) = text.split_once(declared).unwrap();
    let found: String = rest.split_once('}').unwrap().0.split_whitespace().collect();
    let row = |format: Format| {
        let extensions: Vec<String> = format.extensions().iter().map(|word| format!("\"{word}\"")).collect();
        format!("{}:[{}],", format.name(), extensions.join(","))
    };
    assert_eq!(found, TextFormat::ALL.map(|text| row(text.format())).concat());
}

#[test]
fn kinds_of_tables_and_texts_are_found_by_the_names_of_the_table() {
    for kind in TableKind::ALL {
        assert_eq!(TableKind::from_name(kind.format().name()), Some(kind));
    }
    for text in TextFormat::ALL {
        assert_eq!(TextFormat::from_name(text.format().name()), Some(text));
    }
    assert_eq!((TableKind::from_name("csv"), TextFormat::from_name("tbf")), (None, None));
    assert_eq!(Format::from_extension("NDJSON"), Some(Format::Jsonl));
    // A name that no output has is not a format's name.
    assert_eq!(Format::from_extension("tbc"), None);
    assert_eq!(detect(b"TWH1\x01\0\0\0"), Some(Format::Warehouse));
    assert_eq!(detect(b"{\"dataset_root\":\"in\",\"transform\":{\"target_size\""), Some(Format::Warehouse));
    assert_eq!(detect(b"{\"dataset_root\":\"in\",\"transform\":\"none\"}\n"), None);
}
