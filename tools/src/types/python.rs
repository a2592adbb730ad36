//! Dataclasses of Python.

use std::fmt::Write;

use schemars::generate::SchemaSettings;
use serde_json::Value;

use super::{File, Types, doc, fields, is_nullable, referred, wrapped};

const WIDTH: usize = 120;

/// The name of a method, the type that it returns, and its body.
type Method = (&'static str, &'static str, &'static str);

/// What Python calls a type, and what its classes do besides holding fields.
const CLASSES: &[(&str, &str, &[Method])] = &[
    ("Fault", "Fault", &[("__str__", "str", "_told.fault(self)")]),
    (
        "CheckReport",
        "Report",
        &[
            ("__bool__", "bool", "self.ok"),
            ("__str__", "str", "_told.report(self)"),
            ("_repr_html_", "str", "_told.html(self)"),
        ],
    ),
    ("OutlierReason", "OutlierReason", &[]),
    ("ShardMade", "Made", &[]),
    (
        "ShardReport",
        "ShardReport",
        &[("__bool__", "bool", "not self.faults and self.left == 0"), ("__str__", "str", "_told.shards(self)")],
    ),
    ("WarehouseBuilt", "Built", &[]),
    ("WarehouseKept", "Kept", &[]),
    ("WarehouseRemoved", "Removed", &[]),
];

const HEAD: &str = "\"\"\"Reports. Made from the Rust types by ``npm run types``: change those.\"\"\"

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from . import _told
";

pub(super) fn files() -> Vec<File> {
    let mut generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    forebay_cli::schema::types(&mut generator);
    let types = generator.take_definitions(true);
    let mut text = HEAD.to_owned();
    CLASSES.iter().for_each(|class| declaration(&types, class, &mut text));
    vec![File { path: "python/forebay/_report.py".into(), text }]
}

fn declaration(types: &Types, (rust, name, methods): &(&str, &str, &[(&str, &str, &str)]), text: &mut String) {
    let schema = &types[*rust];
    // Writing to a text cannot fail.
    let _ = write!(text, "\n\n@dataclass(frozen=True)\nclass {name}:\n    \"\"\"{}\"\"\"\n\n", rst(schema));
    // Lists at the end may be left out, as what may be null.
    let lists = fields(schema).collect::<Vec<_>>();
    let last = lists.iter().rposition(|(_, field, always)| *always && !is_nullable(field) && field["type"] != "array");
    let trailing: Vec<&str> =
        lists.iter().skip(last.map_or(0, |last| last + 1)).map(|(name, ..)| name.as_str()).collect();
    let is_given = |name: &str, field: &Value, always: bool| always && !is_nullable(field) && !trailing.contains(&name);
    let (mut made, mut nested) = (String::new(), String::new());
    for (field, schema, _) in fields(schema).filter(|(name, field, always)| is_given(name, field, *always)) {
        member(types, (field, schema), "", &mut made);
    }
    for (is_list, default) in [(true, " = field(default_factory=list)"), (false, " = None")] {
        let fits = |(name, field, always): &(&String, &Value, bool)| {
            !is_given(name, field, *always) && (field["type"] == "array") == is_list
        };
        for (field, schema, _) in fields(schema).filter(fits) {
            member(types, (field, schema), default, &mut made);
        }
    }
    text.push_str(&made);
    for (field, schema, _) in fields(schema) {
        if let Some(class) = schema["items"]["$ref"].as_str().and_then(|_| class(&schema["items"])) {
            let _ = writeln!(nested, "                \"{field}\": [{class}._of(one) for one in found[\"{field}\"]],");
        }
    }
    let given = match nested.as_str() {
        "" => "**found".to_owned(),
        _ => format!("\n            **{{\n                **found,\n{nested}            }}\n        "),
    };
    let _ = write!(
        text,
        "\n    @classmethod\n    def _of(cls, found: dict[str, Any]) -> {name}:\n        return cls({given})\n"
    );
    for (method, of, body) in *methods {
        let _ = write!(text, "\n    def {method}(self) -> {of}:\n        return {body}\n");
    }
}

/// Documentation in the markup of Python's.
fn rst(schema: &Value) -> String {
    doc(schema).replace('`', "``")
}

fn member(types: &Types, (name, schema): (&str, &Value), default: &str, text: &mut String) {
    for line in wrapped(&rst(schema), WIDTH - 7).iter().filter(|line| !line.is_empty()) {
        let _ = writeln!(text, "    #: {line}");
    }
    let null = if default == " = None" { " | None" } else { "" };
    let _ = writeln!(text, "    {name}: {}{null}{default}", of(types, schema));
}

fn class(schema: &Value) -> Option<&'static str> {
    let name = referred(schema)?;
    CLASSES.iter().find(|(rust, ..)| *rust == name).map(|(_, class, _)| *class)
}

/// The type of a schema, whether it may be missing or not.
fn of(types: &Types, schema: &Value) -> String {
    if let Some(class) = class(schema) {
        return class.to_owned();
    }
    // A word.
    if referred(schema).is_some_and(|name| !types[name]["properties"].is_object()) {
        return "str".to_owned();
    }
    let kind = match &schema["type"] {
        Value::Array(kinds) => kinds.iter().find(|kind| *kind != "null").and_then(Value::as_str),
        kind => kind.as_str(),
    };
    match kind {
        Some("integer") => "int".to_owned(),
        Some("number") => "float".to_owned(),
        Some("string") => "str".to_owned(),
        Some("boolean") => "bool".to_owned(),
        Some("array") => format!("list[{}]", of(types, &schema["items"])),
        // A type that has no class of its own: what its JSON says.
        _ if referred(schema).is_some() || schema["anyOf"].is_array() || kind == Some("object") => {
            "dict[str, Any]".to_owned()
        }
        _ => "Any".to_owned(),
    }
}
