//! The table of formats, and that the npm package has the same.
#![allow(clippy::disallowed_methods, missing_docs)]

use std::path::{Path, PathBuf};

use forebay::{
    detect::detect,
    formats::{Format, Holds, Host},
    tables::TableKind,
    text::TextFormat,
};

/// The text of the package's source file of this name, in whichever room it lies.
fn source(name: &str) -> String {
    fn find(folder: &Path, name: &str) -> Option<PathBuf> {
        let mut entries: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        entries.sort();
        let here = entries.iter().find(|path| path.file_name().is_some_and(|file| file == name));
        here.cloned().or_else(|| entries.iter().filter(|path| path.is_dir()).find_map(|inner| find(inner, name)))
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("www/lib/src");
    let path = find(&folder, name).unwrap_or_else(|| panic!("there is no {name} in {}", folder.display()));
    std::fs::read_to_string(path).unwrap()
}

/// What stands between `before` and the next `after`, as its quoted words.
fn words(text: &str, before: &str, after: char) -> Vec<String> {
    let (_, rest) = text.split_once(before).unwrap_or_else(|| panic!("there is no {before:?}"));
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
    let by_content = |format| !is_text(format) && format != Format::Arrows;
    assert_eq!(sorted(words(&source("types.ts"), "export type Format =", ';')), names(by_content));
    let capabilities = source("capabilities.ts");
    let everyone_reads =
        |format: Format| format.read_by() == Host::Everyone && format.holds() != Holds::File && !is_text(format);
    assert_eq!(sorted(words(&capabilities, "reads: [", ']')), names(everyone_reads));
    assert_eq!(sorted(words(&capabilities, "writes: [", ']')), names(|format| format.written_by() == Host::Everyone));
    assert_eq!(sorted(words(&source("table-types.ts"), "export type TextFormat =", ';')), names(is_text));
}

#[test]
fn the_package_takes_the_same_extensions_for_text() {
    let compact: String = source("formats.ts").split_whitespace().collect();
    let mut expected = Vec::new();
    for format in TextFormat::ALL.map(TextFormat::format) {
        expected.extend(format.extensions().iter().map(|extension| format!("{extension}:\"{}\"", format.name())));
    }
    let (_, rest) = compact.split_once("EXTENSIONS:Readonly<Record<string,TextFormat>>={").unwrap();
    let found: Vec<&str> = rest.split_once('}').unwrap().0.trim_end_matches(',').split(',').collect();
    assert_eq!(found, expected);
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
    // What no output is named is no name of a format.
    assert_eq!(Format::from_extension("tbc"), None);
    assert_eq!(detect(b"TWH1\x01\0\0\0"), None, "nothing reads it yet");
}
