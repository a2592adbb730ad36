//! What documents and Python's `Loader` say of the settings follows from their list.
//!
//! `UPDATE_DOCS=1 cargo test -p forebay-native --test it loader::listed` writes it anew.

use std::fs;

use forebay::{order::Tail, words::Word};
use forebay_native::{
    input::Io,
    loader::{Dtype, LoaderSettings, Mode, OnBroken, Setting},
};

/// Compares what stands between two lines with what is made, or writes it.
fn compare(path: &str, (begin, end): (&str, &str), made: &str) {
    let path = format!("{}/../{path}", env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(&path).unwrap();
    let start = text.find(begin).unwrap_or_else(|| panic!("{path}: {begin:?}")) + begin.len();
    let end = start + text[start..].find(end).unwrap_or_else(|| panic!("{path}: {end:?}"));
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&path, format!("{}{made}{}", &text[..start], &text[end..])).unwrap();
        return;
    }
    let hint = "run UPDATE_DOCS=1 cargo test -p forebay-native --test it loader::listed";
    assert_eq!(&text[start..end], made, "{path} is out of date: {hint}");
}

/// The default of a setting, as people write it; empty where the meaning says it.
fn usual(setting: &Setting) -> String {
    match setting.usual {
        "None" | "Vec::new()" => String::new(),
        "all_cores()" => "all cores".to_owned(),
        text if text.contains('"') => text.split('"').nth(1).unwrap().to_owned(),
        text => text.rsplit("::").next().unwrap().to_lowercase(),
    }
}

/// The call of a setting's method in Rust.
fn call(setting: &Setting) -> String {
    let text = setting.rust.trim_matches(['{', '}', ' ', '"']);
    match text.strip_prefix("fn ").and_then(|text| text.split_once(':')) {
        Some((call, _)) => format!(".{call})"),
        None => format!(".{text}"),
    }
}

#[test]
fn the_table_of_settings_is_that_of_the_list() {
    let mut table = String::from("| setting | in Rust | meaning | default |\n|---|---|---|---|\n");
    for setting in LoaderSettings::ALL {
        let name = match (setting.name.trim_start_matches("r#"), setting.see) {
            (name, "") => format!("`{name}`"),
            (name, see) => format!("[`{name}`]({see})"),
        };
        let row = [name, format!("`{}`", call(setting)), setting.meaning(), usual(setting)];
        table.push_str(&format!("| {} |\n", row.map(|cell| cell.replace('|', "\\|")).join(" | ")));
    }
    compare(
        "docs/loader.md",
        ("<!-- settings: made by the test loader::listed -->\n", "<!-- end of settings -->"),
        &table,
    );
}

/// Words as a type of Python.
fn words<T: Word>() -> String {
    let words: Vec<String> = T::ALL.iter().map(|one| format!("\"{}\"", one.word())).collect();
    format!("Literal[{}]", words.join(", "))
}

/// The type of a keyword in Python.
fn kind(setting: &Setting) -> String {
    let base = setting.kind.trim_start_matches("Option<").trim_end_matches('>');
    match (setting.name, base) {
        ("layout", _) => r#"Literal["nchw", "nhwc"]"#.to_owned(),
        ("resampling", _) => r#"Literal["bilinear", "bilinear-plain", "bicubic", "lanczos", "nearest"]"#.to_owned(),
        ("size", _) => "int | tuple[int, int]".to_owned(),
        ("augment", _) => "Augment | Step".to_owned(),
        ("normalize", _) => r#"Literal["imagenet"] | tuple[Sequence[float], Sequence[float]]"#.to_owned(),
        ("indices", _) => "Sequence[int] | NDArray[Any]".to_owned(),
        ("mix", _) => "Sequence[int]".to_owned(),
        ("fill", _) => "tuple[int, int, int]".to_owned(),
        ("targets", _) => "Mapping[str, Target | str]".to_owned(),
        (_, "bool") => "bool".to_owned(),
        (_, "u64" | "u32" | "usize") => "int".to_owned(),
        (_, "PathBuf") => "str | os.PathLike[str]".to_owned(),
        (_, "String" | "Format" | "BoxField") => "str".to_owned(),
        (_, "Tail") => words::<Tail>(),
        (_, "Dtype") => words::<Dtype>(),
        (_, "OnBroken") => words::<OnBroken>(),
        (_, "Io") => words::<Io>(),
        (_, "Mode") => words::<Mode>(),
        (_, "Labels") => "str | Labels".to_owned(),
        (_, "Shuffled") => "int | Blocks".to_owned(),
        (_, "Weights") => "Weights | Mapping[int, Weights]".to_owned(),
        (_, "Balance") => "str | Labels | Balance".to_owned(),
        (_, "Groups") => "tuple[int, Sequence[tuple[int, int]]]".to_owned(),
        (_, "Annotations") => "PathLike | bool".to_owned(),
        (_, "Split" | "Padding" | "Transform") => base.to_owned(),
        (name, kind) => panic!("say here how {name} of the type {kind} is written in Python"),
    }
}

#[test]
fn the_keywords_of_python_are_the_settings() {
    let (mut signature, mut meanings) = (String::new(), String::new());
    for setting in LoaderSettings::ALL.iter().filter(|setting| !setting.is_of_rust) {
        let name = setting.name.trim_start_matches("r#");
        let default = match (kind(setting).as_str(), usual(setting).as_str()) {
            // Those of the process.
            _ if ["rank", "world"].contains(&name) => "None".to_owned(),
            ("bool", "true") => "True".to_owned(),
            ("bool", _) => "False".to_owned(),
            (_, "" | "all cores") => "None".to_owned(),
            ("int", number) => number.to_owned(),
            (_, word) => format!("\"{word}\""),
        };
        let none = if default == "None" { " | None" } else { "" };
        signature.push_str(&format!("        {name}: {}{none} = {default},\n", kind(setting)));
        let mut line = format!("    * ``{name}``:");
        for word in setting.meaning().replace('`', "``").split(' ') {
            if line.chars().count() + 1 + word.chars().count() > 120 {
                meanings.push_str(&format!("{line}\n"));
                line = "     ".to_owned();
            }
            line.push_str(&format!(" {word}"));
        }
        meanings.push_str(&format!("{line}\n"));
    }
    let file = "python/forebay/_loader.py";
    let begin = "        # Made by the test loader::listed of forebay-native.\n";
    compare(file, (begin, "        # Of Python alone.\n"), &signature);
    compare(file, ("    The keywords are settings:\n\n", "\n    >>> loader = forebay.Loader("), &meanings);
}
