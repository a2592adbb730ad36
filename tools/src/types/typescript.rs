//! Interfaces of TypeScript, in camelCase as `base/report.ts` makes reports.

use std::fmt::Write;

use schemars::generate::SchemaSettings;
use serde_json::Value;

use super::{File, Types, doc, fields, fixed, is_nullable, referred, wrapped};

const WIDTH: usize = 120;

/// What reports of the command have, and those of the modules do not need.
const LEFT_OUT: &[&str] = &["Dtype", "ResizeMode", "WarehouseTransform"];

/// Options that must be given, although a module has a default for them.
const REQUIRED: &[(&str, &str)] = &[("SamplesConversion", "to"), ("TableConversion", "to")];

/// Fields whose values TypeScript knows better than their Rust types say.
const NARROWED: &[(&str, &str, &str)] = &[
    (
        "OutlierReason",
        "reason",
        r#""few_bytes" | "many_bytes" | "small" | "large" | "narrow" | "wide" | "dark" | "bright" | "flat" | "stark" | "blurred" | "noisy""#,
    ),
    ("ImageNumbers", "size", "readonly [width: number, height: number]"),
    ("ImageNumbers", "fill", "readonly [red: number, green: number, blue: number]"),
    ("WarehouseSample", "shard", "string"),
    ("ColumnSummary", "min", "Json | bigint"),
    ("ColumnSummary", "max", "Json | bigint"),
    ("ColumnSummary", "top", "readonly (readonly [Json | bigint, number])[]"),
];

const OPTIONS: &str = "/** Options that modules take. Made from the Rust types by `npm run types`: change those. */
";

const HEAD: &str = "/** Reports of the modules. Made from the Rust types by `npm run types`: change those. */

/** A JSON value. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
";

pub(super) fn files() -> Vec<File> {
    let settings = SchemaSettings::draft2020_12;
    let mut reports = settings().for_serialize().into_generator();
    forebay_wasm::schema::reports(&mut reports);
    let mut text = HEAD.to_owned();
    declarations(&reports.take_definitions(true), "readonly ", &mut text);
    let reports = File { path: "www/lib/src/model/reports.ts".into(), text };

    let mut options = settings().for_deserialize().into_generator();
    forebay_wasm::schema::options(&mut options);
    let types = options.take_definitions(true);
    let mut text = OPTIONS.to_owned();
    declarations(&types, "", &mut text);
    text.push_str("\n/** @internal The names of the options of each kind. */\nexport const moduleOptions = {\n");
    for (name, schema) in &types {
        let names: Vec<String> = fields(schema).map(|(field, ..)| format!("\"{}\"", camel_case(field))).collect();
        list_of(name, &names, &mut text);
    }
    text.push_str("} as const;\n");
    vec![reports, File { path: "www/lib/src/model/module-options.ts".into(), text }]
}

/// A field that is a list of texts, on one line if it fits.
fn list_of(name: &str, items: &[String], text: &mut String) {
    let line = format!("  {name}: [{}],\n", items.join(", "));
    match line.chars().count() <= WIDTH + 1 {
        true => text.push_str(&line),
        false => {
            let items: Vec<String> = items.iter().map(|item| format!("    {item},\n")).collect();
            let _ = write!(text, "  {name}: [\n{}  ],\n", items.concat());
        }
    }
}

fn declarations(types: &Types, readonly: &str, text: &mut String) {
    let is_wanted = |name: &str| !LEFT_OUT.contains(&name);
    let mut names: Vec<&String> = types.keys().filter(|name| is_wanted(name)).collect();
    names.sort();
    for name in names {
        let schema = &types[name];
        text.push('\n');
        comment(&doc(schema), "", text);
        if schema["properties"].is_object() {
            // Writing to a text cannot fail.
            let _ = writeln!(text, "export interface {name} {{");
            for (field, schema, always) in fields(schema).filter(|(_, field, _)| referred(field).is_none_or(is_wanted))
            {
                comment(&doc(schema), "  ", text);
                let narrowed = NARROWED.iter().find(|(of, one, _)| of == name && one == field);
                let one = narrowed.map_or_else(|| of(schema, always), |(.., narrowed)| (*narrowed).to_owned());
                let always = always || REQUIRED.contains(&(name.as_str(), field.as_str()));
                let question = if always { "" } else { "?" };
                line(&format!("  {readonly}{}{question}:", camel_case(field)), &one, text);
            }
            text.push_str("}\n");
        } else {
            line(&format!("export type {name} ="), &of(schema, true), text);
        }
    }
}

/// A name in the words of JavaScript.
pub(super) fn camel_case(name: &str) -> String {
    let mut parts = name.split('_');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |mut name, part| {
        let mut letters = part.chars();
        name.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        name.push_str(letters.as_str());
        name
    })
}

fn comment(text: &str, indent: &str, out: &mut String) {
    let _ = match text {
        "" => Ok(()),
        _ if indent.len() + text.chars().count() + 7 <= WIDTH => writeln!(out, "{indent}/** {text} */"),
        _ => {
            let lines: Vec<String> = wrapped(text, WIDTH - 3 - indent.len())
                .into_iter()
                .map(|line| format!("{indent} * {line}\n"))
                .collect();
            writeln!(out, "{indent}/**\n{}{indent} */", lines.concat())
        }
    };
}

/// A declaration, or what one is called and its alternatives below, where that is too long.
fn line(begin: &str, of: &str, out: &mut String) {
    let _ = match begin.chars().count() + of.chars().count() + 2 <= WIDTH {
        true => writeln!(out, "{begin} {of};"),
        false => {
            let indent = " ".repeat(begin.len() - begin.trim_start().len() + 2);
            let parts: Vec<String> = of.split(" | ").map(|part| format!("\n{indent}| {part}")).collect();
            writeln!(out, "{begin}{};", parts.concat())
        }
    };
}

/// The type of a schema; what is not always there is left out rather than null.
fn of(schema: &Value, always: bool) -> String {
    let alternatives = ["anyOf", "oneOf"].iter().find_map(|one| schema[one].as_array());
    let null = if always && is_nullable(schema) { " | null" } else { "" };
    if let Some(name) = referred(schema) {
        return name.to_owned();
    }
    if let Some(alternatives) = alternatives {
        let all: Vec<String> =
            alternatives.iter().filter(|one| one["type"] != "null").map(|one| of(one, true)).collect();
        return all.join(" | ") + null;
    }
    if let Some(value) = schema.get("const") {
        return value.to_string();
    }
    if let Some(values) = schema["enum"].as_array() {
        return values.iter().map(Value::to_string).collect::<Vec<_>>().join(" | ");
    }
    let kind = match &schema["type"] {
        Value::Array(kinds) => kinds.iter().find(|kind| *kind != "null").and_then(Value::as_str),
        kind => kind.as_str(),
    };
    let plain = match kind {
        Some("integer" | "number") => "number".to_owned(),
        Some(kind @ ("string" | "boolean" | "null")) => kind.to_owned(),
        Some("array") => list(schema),
        Some("object") => match &schema["additionalProperties"] {
            more @ Value::Object(_) => format!("{{ readonly [name: string]: {} }}", of(more, true)),
            _ => "{ readonly [name: string]: Json }".to_owned(),
        },
        _ => "Json".to_owned(),
    };
    plain + null
}

fn list(schema: &Value) -> String {
    let tuple = |items: Vec<String>| format!("readonly [{}]", items.join(", "));
    if let Some(items) = schema["prefixItems"].as_array() {
        return tuple(items.iter().map(|item| of(item, true)).collect());
    }
    let item = of(&schema["items"], true);
    match fixed(schema) {
        Some(n) => tuple(vec![item; n as usize]),
        None if item.contains([' ', '|']) && !item.starts_with('{') => format!("readonly ({item})[]"),
        None => format!("readonly {item}[]"),
    }
}
